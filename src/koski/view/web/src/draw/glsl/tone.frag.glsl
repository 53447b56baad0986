// From light to what a display wants: a film's curve, soft edges, a dither.      koski/render/tone.py
uniform sampler2D whole;
uniform vec2 picture; // pixels of the canvas
uniform float exposure, smoothing;
out vec4 color;

const float MIX = 0.12;

vec3 curve(vec3 x) { return x * (2.51 * x + 0.12) / (x * (2.43 * x + 0.70) + 0.20); }

vec3 film(vec3 c) {
  c = clamp(c * exposure, 0.0, 1e4);
  c = mix(c, vec3(dot(c, vec3(1.0 / 3.0))), MIX);
  c = curve(c);
  c = (c - MIX * dot(c, vec3(1.0 / 3.0))) / (1.0 - MIX);
  c = clamp(c, 0.0, 1.0);
  return mix(12.92 * c, 1.055 * pow(max(c, 0.0031308), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c));
}

vec3 at(vec2 uv) { return film(texture(whole, uv).rgb); }

float luma(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }

// Blend along edges, as wide as the contrast across them asks for.      after Lottes 2009
vec3 smoothed(vec2 uv) {
  vec2 texel = 1.0 / vec2(textureSize(whole, 0));
  vec3 here = at(uv);
  float m = luma(here);
  float nw = luma(at(uv + vec2(-0.5, 0.5) * texel)), ne = luma(at(uv + vec2(0.5, 0.5) * texel));
  float sw = luma(at(uv + vec2(-0.5, -0.5) * texel)), se = luma(at(uv + vec2(0.5, -0.5) * texel));
  float low = min(m, min(min(nw, ne), min(sw, se))), high = max(m, max(max(nw, ne), max(sw, se)));
  if (high - low < max(0.035, 0.1 * high)) return here;
  vec2 along = vec2((sw + se) - (nw + ne), (nw + sw) - (ne + se));
  along /= max(min(abs(along.x), abs(along.y)), 0.03 * (nw + ne + sw + se) / 4.0 + 0.008);
  along = clamp(along, -6.0, 6.0) * texel;
  vec3 near = 0.5 * (at(uv - along / 6.0) + at(uv + along / 6.0));
  vec3 far = 0.5 * near + 0.25 * (at(uv - along / 2.0) + at(uv + along / 2.0));
  float wide = luma(far);
  return wide < low || wide > high ? near : far;
}

void main() {
  vec2 uv = gl_FragCoord.xy / picture;
  vec3 c = smoothing > 0.5 ? smoothed(uv) : at(uv);
  float dither = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
  color = vec4(c + dither / 255.0, 1.0);
}

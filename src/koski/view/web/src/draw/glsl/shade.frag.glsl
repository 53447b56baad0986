// How high above the ground the land's shadow reaches, and how much of the sky hollows see.
//   M(p) = max over s > 0 of  b(p + s e) − s tan θ,    e toward the sun, θ its elevation
uniform sampler2D both; // ground
uniform vec3 sun;
uniform float cell;
out vec4 shade; // above the ground [m]: none of the sun below x, all of it above y; z: open sky

const int STEPS = 56;
const float LIMB = 0.012; // the sun's radius with a little haze [rad]

float ground(vec2 p) {
  p = clamp(p, vec2(0.0), vec2(textureSize(both, 0) - 1) - 1e-3);
  ivec2 i = ivec2(p);
  vec2 f = p - vec2(i);
  ivec2 n = min(i + 1, textureSize(both, 0) - 1);
  float a = texelFetch(both, i, 0).x, b = texelFetch(both, ivec2(n.x, i.y), 0).x;
  float c = texelFetch(both, ivec2(i.x, n.y), 0).x, d = texelFetch(both, n, 0).x;
  return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

void main() {
  vec2 p = gl_FragCoord.xy - 0.5;
  vec2 size = vec2(textureSize(both, 0));
  float b = ground(p);
  float flat_ = max(length(sun.xy), 1e-4);
  vec2 e = sun.xy / flat_;
  float angle = atan(sun.z, flat_);
  float lower = tan(max(angle - LIMB, 0.01)), upper = tan(max(angle + LIMB, 0.03));
  float none = -1e4, far = 1.0, whole = length(size);
  float s = 0.7;
  for (int k = 0; k < STEPS; k++) {
    vec2 q = p + s * e;
    if (any(lessThan(q, vec2(-0.5))) || any(greaterThan(q, size - 0.5)) || s > whole) break;
    float reach = ground(q) - b - s * cell * lower;
    if (reach > none) { none = reach; far = s; }
    s += max(0.7, 0.045 * s);
  }
  float all = none - far * cell * (upper - lower);
  float wide = 0.0;
  for (int k = 0; k < 18; k++) {
    float a = 2.399963 * float(k), r = 1.5 + 1.6 * sqrt(float(k));
    wide += ground(p + r * vec2(cos(a), sin(a))) / 18.0;
  }
  float hollow = max(wide - b, 0.0) / (3.0 * cell);
  shade = vec4(clamp(none, -1e3, 1e3), clamp(all, -1e3, 1e3), clamp(1.0 - 0.8 * hollow, 0.35, 1.0), 1.0);
}

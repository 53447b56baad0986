// What is laid over land and water: colours of a map, and the ring of a brush.
uniform int overlay; // 0 none, 1 depth, 2 speed, 3 wet or dry, 4 a map from the server
uniform vec2 overlayRange;
uniform vec4 brush; // x, y, radius, and 1 where there is one
uniform vec3 brushColor;
uniform float exposure;

uniform vec3 colours[8];

vec3 scale(float t) {
  t = clamp(t, 0.0, 1.0) * 6.999;
  int k = int(t);
  return mix(colours[k], colours[k + 1], t - float(k));
}

// A colour that the film shows as it is, a little shaded.
vec3 plain(vec3 tone, vec3 n, vec3 toSun) { return tone * (0.75 + 0.3 * max(dot(n, toSun), 0.0)) / exposure; }

// What stands in the light, in the colour of a value.
vec3 laid(vec3 light, float value, vec3 n, vec3 toSun) {
  return mix(light, plain(scale((value - overlayRange.x) / (overlayRange.y - overlayRange.x)), n, toSun), 0.85);
}

vec3 ringed(vec3 color, vec2 p) {
  if (brush.w < 0.5) return color;
  float r = length(p - brush.xy), width = max(fwidth(r), 1e-5);
  float line = 1.0 - smoothstep(0.8, 2.0, abs(r - brush.z) / width);
  float inside = 0.08 * step(r, brush.z);
  return mix(color, brushColor, max(line * 0.9, inside));
}

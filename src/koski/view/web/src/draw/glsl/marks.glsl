// What is laid over land and water: colours of a map, and the ring of a brush.
uniform int overlay; // 0 none, 1 depth, 2 speed, 3 wet or dry, 4 a map from the server
uniform vec2 overlayRange;
uniform vec4 brush; // x, y, radius, and 1 where there is one
uniform vec3 brushColor;

uniform vec3 colours[8];

vec3 scale(float t) {
  t = clamp(t, 0.0, 1.0) * 6.999;
  int k = int(t);
  return mix(colours[k], colours[k + 1], t - float(k));
}

vec3 ringed(vec3 color, vec2 p, float bright) {
  if (brush.w < 0.5) return color;
  float r = length(p - brush.xy), width = max(fwidth(r), 1e-5);
  float line = 1.0 - smoothstep(0.8, 2.0, abs(r - brush.z) / width);
  float inside = 0.08 * step(r, brush.z);
  return mix(color, brushColor * bright, max(line * 0.9, inside));
}

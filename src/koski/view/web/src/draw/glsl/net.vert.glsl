// Rays through each point of a wavy surface, where they land on the bed: a pattern that repeats.
//   x − (1 − 1/n) H ∇z          for small slopes
in vec3 position; // 0..1 with a margin
uniform float t;
uniform vec4 waves[20]; // wave numbers along the tile, turns per loop, phase
out vec2 from, to;

void main() {
  vec2 bend = vec2(0.0);
  for (int n = 0; n < 20; n++) {
    float phase = 6.2831853 * (dot(waves[n].xy, position.xy) - waves[n].z * t + waves[n].w);
    float k = length(waves[n].xy);
    bend += waves[n].xy * cos(phase) / (k * k);
  }
  from = position.xy;
  to = position.xy - 0.029 * bend;
  gl_Position = vec4(2.0 * to - 1.0, 0.0, 1.0);
}

// What the ground's textures are mixed from: clouds, stones, and the two slopes of rough ground.
out vec4 grain;

vec2 bent(vec2 p, float by, int period, int seed) {
  return p + by / float(period) * vec2(gradient(p, period, seed), gradient(p, period, seed + 1));
}

float rough(vec2 p) {
  float edge = crackle(bent(p, 0.5, 40, 5), 40, 1).y;
  return 0.5 * fractal(p, 8, 6, 0.5, 11) + 1.1 * sqrt(min(edge, 0.5));
}

void main() {
  vec2 texel = vec2(1.0 / 512.0), p = gl_FragCoord.xy * texel;
  vec2 stones = crackle(bent(p, 0.5, 40, 5), 40, 1);
  float fine = crackle(bent(p, 0.4, 97, 7), 97, 9).y;
  float stone = min(stones.y, 0.6) - 0.35 * stones.x + 0.5 * fine + 0.12 * fractal(p, 7, 6, 0.75, 21);
  float here = rough(p);
  vec2 tilt = vec2(rough(p + vec2(texel.x, 0.0)), rough(p + vec2(0.0, texel.y))) - here;
  grain = vec4(even(fractal(p, 7, 6, 0.73, 31)), even((stone - 0.22) / 0.27), clamp(0.5 + tilt / 0.6, 0.0, 1.0));
}

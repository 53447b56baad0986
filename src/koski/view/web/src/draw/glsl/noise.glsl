// Noise on tiles that repeat without a seam.
uint mixed(uint x) {
  x ^= x >> 16; x *= 0x7feb352du; x ^= x >> 15; x *= 0x846ca68bu; x ^= x >> 16;
  return x;
}

vec2 chance(ivec2 at, int period, int seed) { // two even numbers 0..1
  ivec2 wrapped = ((at % period) + period) % period;
  uint h = mixed(uint(wrapped.x) + 4099u * uint(wrapped.y) + 7919u * mixed(uint(seed)));
  return vec2(h & 0xffffu, h >> 16) / 65535.0;
}

float gradient(vec2 p, int period, int seed) {
  p *= float(period);
  vec2 whole = floor(p), f = p - whole;
  vec2 s = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
  float corner[4];
  for (int k = 0; k < 4; k++) {
    ivec2 at = ivec2(k & 1, k >> 1);
    float turn = 6.2831853 * chance(ivec2(whole) + at, period, seed).x;
    corner[k] = dot(vec2(cos(turn), sin(turn)), f - vec2(at));
  }
  return mix(mix(corner[0], corner[1], s.x), mix(corner[2], corner[3], s.x), s.y);
}

// Clouds of all sizes below 1 / first of the tile; deviation about 1.
float fractal(vec2 p, int first, int octaves, float fall, int seed) {
  float sum = 0.0, size = 1.0, whole = 0.0;
  int period = first;
  for (int k = 0; k < octaves; k++) {
    sum += size * gradient(p, period, seed + k);
    whole += size * size;
    size *= fall;
    period *= 2;
  }
  return sum / (0.29 * sqrt(whole));
}

// Distances to the nearest of scattered points, and to the border between the nearest two.   Worley 1996
vec2 crackle(vec2 p, int cells, int seed) {
  p *= float(cells);
  ivec2 at = ivec2(floor(p));
  float first = 9.0, second = 9.0;
  for (int j = -1; j <= 1; j++) {
    for (int i = -1; i <= 1; i++) {
      ivec2 c = at + ivec2(i, j);
      float r = length(vec2(c) + chance(c, cells, seed) - p);
      second = min(second, max(first, r));
      first = min(first, r);
    }
  }
  return vec2(first, second - first);
}

float even(float x) { // spreads a normal deviate evenly over 0..1
  return 1.0 / (1.0 + exp(-1.702 * x));
}

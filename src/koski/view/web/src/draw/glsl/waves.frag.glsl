// Slopes of a sea of short waves (root mean square 1), the lace of foam, and clouds.
out vec4 waves;
const int WAVES = 72;
const float LONG = 6.0, SHORT = 36.0; // waves along the tile

void main() {
  vec2 p = gl_FragCoord.xy / 512.0;
  vec2 slope = vec2(0.0);
  for (int n = 0; n < WAVES; n++) {
    vec2 c = chance(ivec2(n, 3), 1024, 41), e = chance(ivec2(n, 5), 1024, 43);
    float length_ = LONG * pow(SHORT / LONG, (float(n) + c.x) / float(WAVES));
    float turn = 2.4 * (e.x + e.y - 1.0) + 0.8 * (c.y - 0.5); // most run along x
    vec2 k = floor(length_ * vec2(cos(turn), sin(turn)) + 0.5);
    slope += normalize(k + 1e-6) * cos(6.2831853 * (dot(k, p) + chance(ivec2(n, 7), 1024, 47).x));
  }
  vec2 w = p + 0.03 * vec2(gradient(p, 5, 61), gradient(p, 5, 62)) + 0.008 * vec2(gradient(p, 17, 63), gradient(p, 17, 64));
  float large = sqrt(crackle(w, 9, 71).y), small = sqrt(crackle(w, 23, 72).y), tiny = sqrt(crackle(w, 61, 73).y);
  float lace = -min(large, 0.55 * small + 0.25) - 0.2 * small - 0.1 * tiny + 0.09 * fractal(p, 5, 6, 0.6, 81);
  waves = vec4(slope * sqrt(2.0 / float(WAVES)), even((lace + 0.534) / 0.179), even(fractal(p, 6, 6, 0.7, 91)));
}

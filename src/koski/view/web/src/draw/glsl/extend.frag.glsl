// The water's surface goes on below the ground beside it: they meet in a smooth line.
uniform sampler2D heights; // ground, surface, depth
uniform float shown, cell;
out vec4 both; // ground, water

const int REACH = 2;
const float BELOW = 0.03; // how far below dry ground the water's surface is at least [cells]

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy), last = textureSize(heights, 0) - 1;
  vec4 here = texelFetch(heights, at, 0);
  if (here.z > shown) {
    both = vec4(here.x, here.y, 1.0, here.z);
    return;
  }
  float sum = 0.0, count = 0.0;
  for (int j = -REACH; j <= REACH; j++) {
    for (int i = -REACH; i <= REACH; i++) {
      vec4 there = texelFetch(heights, clamp(at + ivec2(i, j), ivec2(0), last), 0);
      if (there.z > shown) {
        float near = 1.0 / float(i * i + j * j);
        near *= near;
        sum += near * there.y;
        count += near;
      }
    }
  }
  float under = here.x - BELOW * cell;
  both = vec4(here.x, count > 0.0 ? min(sum / count, under) : under, 0.0, 0.0);
}

// Ground and water on a finer lattice, smooth between the cells, and their slopes.
// Mitchell & Netravali 1988, B = C = 1/3: hardly blurred, hardly beyond what is about it.
uniform sampler2D both; // ground, water, wet
uniform float times, cell; // lattice points along a cell, side of a cell [m]
layout(location = 0) out vec4 heights; // ground, water, wet, depth
layout(location = 1) out vec4 slopes;  // of the ground, of the water

const float BELOW = 0.03; // how far below dry ground the water's surface is at least [cells]

vec4 weights(float t) {
  vec4 x = abs(vec4(t + 1.0, t, t - 1.0, t - 2.0));
  vec4 near = (7.0 * x * x * x - 12.0 * x * x + 16.0 / 3.0) / 6.0;
  vec4 far = (-7.0 / 3.0 * x * x * x + 12.0 * x * x - 20.0 * x + 32.0 / 3.0) / 6.0;
  return vec4(far.x, near.y, near.z, far.w);
}

vec4 steeps(float t) {
  vec4 x = abs(vec4(t + 1.0, t, t - 1.0, t - 2.0));
  vec4 near = (21.0 * x * x - 24.0 * x) / 6.0;
  vec4 far = (-7.0 * x * x + 24.0 * x - 20.0) / 6.0;
  return vec4(far.x, near.y, -near.z, -far.w);
}

void main() {
  vec2 p = (gl_FragCoord.xy - 0.5) / times - 0.5; // among the cells' centres
  vec2 whole = floor(p);
  ivec2 first = ivec2(whole), last = textureSize(both, 0) - 1;
  vec4 wx = weights(p.x - whole.x), wy = weights(p.y - whole.y);
  vec4 sx = steeps(p.x - whole.x), sy = steeps(p.y - whole.y);
  vec4 value = vec4(0.0);
  vec2 x = vec2(0.0), y = vec2(0.0);
  bool wet = false; // close by
  for (int j = 0; j < 4; j++) {
    vec4 row = vec4(0.0);
    vec2 along = vec2(0.0);
    for (int i = 0; i < 4; i++) {
      vec4 f = texelFetch(both, clamp(first + ivec2(i - 1, j - 1), ivec2(0), last), 0);
      wet = wet || (f.z > 0.5 && (i == 1 || i == 2) && (j == 1 || j == 2));
      row += wx[i] * f;
      along += sx[i] * f.xy;
    }
    value += wy[j] * row;
    x += wy[j] * along;
    y += sy[j] * row.xy;
  }
  if (!wet) value.y = min(value.y, value.x - BELOW * cell); // or it might rise through the ground
  heights = value;
  slopes = vec4(x.x, y.x, x.y, y.y) / cell;
}

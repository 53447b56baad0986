// Shadows of bodies.
uniform sampler2D shadowMap;
uniform mat4 shadowMatrix;
uniform float shadows; // the width of a texel [m], 0 where there are none

float unshaded(vec3 p, vec3 n) {
  if (shadows == 0.0) return 1.0;
  vec4 at = shadowMatrix * vec4(p + 2.5 * shadows * n, 1.0);
  vec3 q = at.xyz * 0.5 + 0.5;
  if (any(lessThan(q, vec3(0.001))) || any(greaterThan(q, vec3(0.999)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(shadowMap, 0));
  float lit = 0.0;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++)
      lit += step(q.z - 0.0008, texture(shadowMap, q.xy + 1.3 * vec2(i, j) * texel).x);
  return lit / 9.0;
}

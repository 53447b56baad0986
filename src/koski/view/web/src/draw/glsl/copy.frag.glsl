// What was drawn before the water, with its depth.
uniform sampler2D scene, sceneDepth;
out vec4 color;

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  color = texelFetch(scene, at, 0);
  gl_FragDepth = texelFetch(sceneDepth, at, 0).x;
}

// The cut sides of the block.
in vec3 position; // point of the lattice, and 0 below or 1 above
in vec2 outward;
uniform mat4 viewMatrix, projectionMatrix;
uniform float base;
out vec3 p;
out vec4 both;
out vec2 side;

void main() {
  both = texelFetch(heights, ivec2(position.xy), 0);
  side = outward;
  p = vec3(position.xy / (lattice - 1.0) * size, position.z > 0.5 ? ABOVE : BELOW);
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}

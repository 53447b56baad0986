// A chunk of the lattice; along an edge to a coarser chunk it follows that one.
in vec3 position; // points from the chunk's corner
in vec2 corner;
in vec4 edges; // strides of the neighbours at −x, +x, −y, +y
uniform mat4 viewMatrix, projectionMatrix;
uniform float span; // points along a chunk
uniform float stride;
out vec3 p;
out vec4 both; // ground, water, wet, depth

vec4 fetch(vec2 at) { return texelFetch(heights, ivec2(min(at, lattice - 1.0)), 0); }

vec4 follow(vec2 at, vec2 along, float step_) {
  float t = dot(position.xy, along) / step_;
  vec2 before = at - along * (fract(t) * step_);
  return mix(fetch(before), fetch(before + along * step_), fract(t));
}

void main() {
  vec2 at = corner + position.xy;
  both = fetch(at);
  if (position.x == 0.0 && edges.x > stride) both = follow(at, vec2(0.0, 1.0), edges.x);
  if (position.x == span && edges.y > stride) both = follow(at, vec2(0.0, 1.0), edges.y);
  if (position.y == 0.0 && edges.z > stride) both = follow(at, vec2(1.0, 0.0), edges.z);
  if (position.y == span && edges.w > stride) both = follow(at, vec2(1.0, 0.0), edges.w);
  p = vec3(min(at, lattice - 1.0) / (lattice - 1.0) * size, HEIGHT);
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}

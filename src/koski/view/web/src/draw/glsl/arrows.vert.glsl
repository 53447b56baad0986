// Arrows on the water, along its flow and as long as it is fast.
in vec3 position; // along, across, 1 at the rim
uniform mat4 viewMatrix, projectionMatrix;
uniform int across; // arrows along x
uniform float gap, fastest, shown;
out float rim;

void main() {
  ivec2 at = ivec2(gl_InstanceID % across, gl_InstanceID / across);
  vec2 foot = (vec2(at) + 0.5) * gap;
  vec4 f = texture(flow, foot / size);
  float speed = length(f.xy), share = sqrt(clamp(speed / max(fastest, 1e-3), 0.0, 1.0));
  vec2 along = f.xy / max(speed, 1e-6);
  bool none = share < 0.08 || texture(state, foot / size).z < shown;
  vec2 way = (position.x - 0.5) * along * share + position.y * vec2(-along.y, along.x) * (0.35 + 0.65 * share);
  vec2 q = foot + 0.95 * gap * way;
  vec4 h = heightsAt(q);
  rim = position.z;
  gl_Position = none ? vec4(2.0, 2.0, 2.0, 1.0)
    : projectionMatrix * viewMatrix * vec4(q, max(h.x, h.y) + 0.07 * gap, 1.0);
}

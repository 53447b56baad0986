// Marks of springs and drains: a ring that lies on the water, and a cone above it.
in vec3 position, normal;
in vec4 place;  // x, y, radius, discharge
uniform mat4 viewMatrix, projectionMatrix;
out vec3 n, tint;

void main() {
  float way = place.w < 0.0 ? -1.0 : 1.0;
  vec3 own = position * place.z;
  if (position.z > 0.5) own = vec3(0.5 * own.xy, 0.5 * place.z * (2.2 + way * (position.z - 2.2)));
  vec2 q = place.xy + own.xy;
  vec4 h = heightsAt(position.z > 0.5 ? place.xy : q);
  n = vec3(normal.xy, normal.z * way);
  tint = place.w < 0.0 ? vec3(0.85, 0.28, 0.02) : vec3(0.03, 0.28, 0.85);
  gl_Position = projectionMatrix * viewMatrix * vec4(q, max(h.x, h.y) + own.z + 0.04 * cell, 1.0);
}

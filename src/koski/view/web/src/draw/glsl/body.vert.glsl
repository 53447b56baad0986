// A part of a body: a simple shape, stretched.
in vec3 position, normal;
in float end;              // ±1 at the round ends of a capsule
in vec3 place, grow;       // where it is, and half its sides
in vec4 turn;              // (x, y, z, w)
in vec3 tint;
in vec2 looks;             // material, and half the length between a capsule's ends
uniform mat4 viewMatrix, projectionMatrix;
out vec3 p, own, face, half_, shadeTint;
out vec3 n;
flat out float kind;

vec3 turned(vec3 v) { return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v); }

void main() {
  own = position * grow + vec3(0.0, 0.0, end * looks.y);
  face = normalize(normal / grow);
  half_ = grow + vec3(0.0, 0.0, looks.y);
  p = place + turned(own);
  n = turned(face);
  kind = looks.x;
  shadeTint = tint;
  gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
}

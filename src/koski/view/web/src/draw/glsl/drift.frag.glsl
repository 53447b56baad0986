// Texture that flows with the water: two copies of it, carried and forgotten in turn.
//   D' = D(x − u dt) + u dt,  D = 0 when its turn comes round          Kellomäki 2015 §4.7
uniform sampler2D drift, flow;
uniform float dt, cell;
uniform vec4 fresh; // 1 where a copy starts again (x: first copy, y: second), and its age [s] (z, w)
out vec4 moved; // how far the first and the second copy have come [m]

void main() {
  vec2 size = vec2(textureSize(flow, 0));
  vec2 uv = gl_FragCoord.xy / size;
  vec2 u = texture(flow, uv).xy;
  vec4 old = texture(drift, uv - u * dt / (cell * size)) + dt * u.xyxy;
  vec4 anew = u.xyxy * fresh.zzww;
  moved = mix(old, anew, fresh.xxyy);
}

// As many rays as there are on the surface are shared by what they cover on the bed.
in vec2 from, to;
out vec4 light;

void main() {
  vec2 ax = dFdx(from), ay = dFdy(from), bx = dFdx(to), by = dFdy(to);
  float was = abs(ax.x * ay.y - ax.y * ay.x), now = abs(bx.x * by.y - bx.y * by.x);
  light = vec4(min(was / max(now, 1e-12), 6.0), 0.0, 0.0, 1.0);
}

// Bodies: wood, crates, metal, stone and paint.      koski/render/materials.py
in vec3 p, own, face, half_, shadeTint;
in vec3 n;
flat in float kind;
out vec4 color;

const float PLANKS = 5.0; // across a face of a crate

// The planks of a crate: which one, along which way, and how dark the gaps are.
vec3 boards(vec2 q, vec2 h, out float along) {
  float frame = 0.17 * h.y;
  vec2 rest = h - abs(q);
  bool upright = rest.x < frame, lying = !upright && rest.y < frame;
  float slant = (q.x * (h.y - frame) - q.y * (h.x - frame)) / length(h);
  bool brace = !upright && !lying && abs(slant) < 0.6 * frame;
  float row = (q.y / h.y + 1.0) * PLANKS / 2.0;
  float plank = upright ? 21.0 + sign(q.x) : lying ? 31.0 + sign(q.y) : brace ? 41.0 : floor(row);
  float between = 0.4 * h.y * abs(row - floor(row + 0.5));
  float seam = upright ? frame - rest.x : lying ? min(frame - rest.y, rest.x - frame) : brace ? 0.6 * frame - abs(slant) : between;
  bool under = !(upright || lying || brace);
  float deep = min(min(rest.x, rest.y) - frame, abs(slant) - 0.6 * frame);
  float shade_ = under ? 0.55 + 0.30 * smoothstep(0.0, 0.16, deep / h.y) : 1.0;
  along = upright ? 1.0 : brace ? 2.0 : 0.0;
  return vec3(plank, shade_ * (0.35 + 0.65 * smoothstep(0.0, 0.03, seam / h.y)), 0.0);
}

vec3 bodyColor(out float gloss) {
  vec3 a = abs(face);
  bool onZ = a.z >= max(a.x, a.y), onX = !onZ && a.x >= a.y;
  vec2 q = onZ ? own.xy : onX ? own.yz : own.xz;
  vec2 h = onZ ? half_.xy : onX ? half_.yz : half_.xz;
  float across = onZ ? half_.z : onX ? half_.x : half_.y;
  float which = (onZ ? 2.0 : onX ? 0.0 : 1.0) + 3.0 * step(0.0, onZ ? face.z : onX ? face.x : face.y);
  if (h.y > h.x) { q = q.yx; h = h.yx; }
  h = max(h, vec2(1e-3));
  float unit = max(h.y, 0.2 * h.x), way, begin = 0.37 * which;
  vec3 board = boards(q, h, way);
  vec2 g = q;
  if (kind == 1.0) {
    g = way == 1.0 ? q.yx : way == 2.0 ? vec2(q.x + q.y, q.y - q.x) : q;
    begin += 0.173 * board.x;
  }
  vec2 start = vec2(begin, 1.7 * begin);
  float grained = texture(grain, g / (unit * vec2(26.0, 2.2)) + start).x - 0.5;
  float fibre = texture(grain, g / (unit * vec2(9.0, 0.9)) + start).x - 0.5;
  float spots = texture(grain, g / (unit * 7.0) + start).y - 0.5;
  float mottle = texture(grain, g / (unit * 6.1) + start).x - 0.5;
  float rough = 0.8 * grained + 0.7 * fibre, worn = smoothstep(0.0, 0.7, spots + mottle);
  gloss = kind == 0.0 ? 0.10 : kind == 1.0 ? 0.07 : kind == 2.0 ? 0.65 : kind == 3.0 ? 0.08 : 0.45;
  gloss *= 1.0 - 0.4 * worn;
  vec3 c = vec3(1.0 - 0.12 * worn + 0.06 * mottle);
  if (kind == 0.0) {
    float ring = sin(length(q) / unit * 34.0 + 1.5 * mottle);
    c = mix(vec3(0.20, 0.115, 0.055), vec3(0.33, 0.215, 0.115), smoothstep(-0.5, 0.5, rough));
    if (across > 1.5 * h.x) c = vec3(0.40, 0.275, 0.15) * (0.85 + 0.12 * ring + 0.3 * mottle);
  } else if (kind == 1.0) {
    float aged = sin(12.9898 * board.x + 4.1 * which);
    c = vec3(0.40, 0.275, 0.15) * (1.0 + 0.16 * aged + 0.45 * rough) * board.y;
  } else if (kind == 2.0) c = vec3(0.42, 0.425, 0.43) * (1.0 + 0.25 * fibre + 0.12 * spots);
  else if (kind == 3.0) c = vec3(0.27, 0.26, 0.25) * (1.0 + 0.35 * spots + 0.8 * mottle);
  return clamp(c * shadeTint, 0.01, 0.9);
}

void main() {
  float gloss;
  vec3 albedo = bodyColor(gloss), m = normalize(n), away = p - eye;
  float far = length(away);
  vec3 d = away / far;
  bool inside = all(greaterThan(p.xy, vec2(0.0))) && all(lessThan(p.xy, size));
  vec4 here = heightsAt(p.xy);
  float depth = inside ? here.y - p.z : -1.0;
  float near = exp(-max(p.z - max(here.x, here.y), 0.0) / (0.6 * cell)); // ground and water close below
  float shine = (inside ? sunshine(p) : 1.0) * unshaded(p, m);
  float open = 1.0 - 0.35 * near * (0.5 - 0.5 * m.z);
  albedo = moist(albedo, 0.55 * smoothstep(-0.12 * cell, 0.0, depth));
  vec4 wide = vec4(dFdx(p.xy), dFdy(p.xy));
  vec3 light = matt(albedo, m, shine, open);
  if (depth > 0.0) {
    vec3 under = sunken(albedo, m, shine, 1.0, depth, caustics(p.xy, wide, depth, 0.7), takes + dyeTakes(p.xy));
    light = mix(light, under, smoothstep(0.0, 0.2, depth));
  } else {
    vec3 r = reflect(d, m);
    float mirror = gloss * (kind == 2.0 ? 0.5 : schlick(-dot(d, m)) * 1.6);
    vec3 sky = skyLight(vec3(r.xy, abs(r.z))) * (r.z > 0.0 ? 1.0 : 0.35) + disc(r, 0.18) * shine;
    light += mirror * sky * (kind == 2.0 ? albedo * 2.0 : vec3(1.0));
  }
  if (overlay == 4) light = laid(light, texture(state, (p.xy - 0.5 * cell * m.xy) / size).w, m, sun); // of the cell that it blocks
  color = vec4(hazed(light, d, far), 1.0);
}

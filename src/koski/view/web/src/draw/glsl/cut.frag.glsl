// The cut side of the land: turf, soil, and layers of stone.
in vec3 p;
in vec4 both;
in vec2 side;
out vec4 color;

void main() {
  vec2 q = vec2(p.x + p.y, p.z);
  float wavy = texture(grain, q / (90.0 * cell)).x - 0.5, patch_ = texture(grain, turned(q, 13.0 * cell, 0.4)).x - 0.5;
  float grit = texture(grain, q / (5.0 * cell)).y - 0.5;
  float deep = both.x - p.z;
  float layer = sin((p.z / cell + 6.0 * wavy) * 1.3) + 0.6 * sin((p.z / cell + 4.0 * wavy) * 3.1 + 2.0);
  vec3 stone = vec3(0.23, 0.19, 0.15) * (1.0 + 0.18 * layer + 0.5 * patch_ + 0.3 * grit);
  vec3 earth = vec3(0.165, 0.115, 0.072) * (1.0 + 0.5 * patch_ + 0.5 * grit);
  vec3 albedo = clamp(mix(stone, earth, min(exp(-deep / (1.5 * cell) + patch_), 1.0)), 0.01, 0.8);
  vec3 away = p - eye;
  float far = length(away);
  color = vec4(hazed(matt(albedo, vec3(side, 0.0), 1.0, 1.0), away / far, far), 1.0);
}

// The ground, dry, wet or under water.
in vec3 p;
in vec4 both;
out vec4 color;

void main() {
  vec4 slope = texture(slopes, onLattice(p.xy));
  float steep = length(slope.xy);
  if (steep > 0.8) { // a cliff is lit as a whole, not by the corners of its cells
    vec2 x = vec2(1.3 * cell, 0.0), y = x.yx;
    vec2 wide = 0.25 * (texture(slopes, onLattice(p.xy - x)).xy + texture(slopes, onLattice(p.xy + x)).xy +
                        texture(slopes, onLattice(p.xy - y)).xy + texture(slopes, onLattice(p.xy + y)).xy);
    slope.xy = mix(slope.xy, wide, smoothstep(0.8, 2.0, steep));
  }
  vec3 smooth_ = normalize(vec3(-slope.xy, 1.0));
  vec2 bump = bumps(p.xy, cell) * (1.0 - smoothstep(0.5, 1.1, steep));
  vec3 n = normalize(vec3(-slope.xy - bump, 1.0));
  vec4 f = texture(flow, p.xy / size);
  float open = texture(shade, p.xy / size).z;
  float depth = both.y - p.z;
  float wet = max(clamp(f.w, 0.0, 1.0), smoothstep(-0.05 * cell, 0.01 * cell, depth) * smoothstep(0.0, 0.3, both.z));
  vec3 albedo = groundColor(p, smooth_, steep, wet);
  vec3 away = p - eye;
  float far = length(away);
  vec3 d = away / far;
  vec3 before = p + 1.2 * cell * vec3(n.xy, 0.0) * smoothstep(0.8, 2.0, steep); // nor shaded by them
  float shine = sunshine(before) * unshaded(p, n);
  vec4 wide = vec4(dFdx(p.xy), dFdy(p.xy));
  vec3 light;
  if (depth > 0.0) {
    float speed = length(f.xy);
    float clear = (1.0 - 0.7 * clamp(f.z, 0.0, 1.0)) * mix(0.5, 1.0, smoothstep(0.0, 0.1, speed));
    light = sunken(albedo, n, shine, open, depth, caustics(p.xy, wide, depth, clear), takes + dyeTakes(p.xy));
    light = mix(matt(albedo, n, shine, open), light, smoothstep(0.0, 0.15, depth));
  } else {
    light = matt(albedo, n, shine, open);
    vec3 r = reflect(d, smooth_);
    light += min(schlick(-dot(d, smooth_)), 0.3) * wet * wet * (0.35 - 0.25 * smoothstep(5.0, 30.0, cell)) * open * skyLight(vec3(r.xy, abs(r.z)));
    if (overlay == 3) light = mix(light, plain(vec3(0.62, 0.5, 0.28), n, sun), 0.6);
    light = ringed(light, p.xy);
  }
  color = vec4(hazed(light, d, far), 1.0);
}

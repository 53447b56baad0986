// What the ground is made of.      koski/render/materials.py
uniform sampler2D grain;
uniform sampler2D aboveMap; // cells: how high the ground stood above the water near it at first [m]
uniform vec3 site; // lowest ground [m], relief [m], how far above the water its sand reaches [m]

vec2 turned(vec2 p, float side, float angle) {
  float c = cos(angle), s = sin(angle);
  return vec2(c * p.x + s * p.y, c * p.y - s * p.x) / side + vec2(0.31, 0.17);
}

vec4 look(vec2 p, vec4 d, float side, float angle) {
  float c = cos(angle), s = sin(angle);
  mat2 turn = mat2(c, -s, s, c) / side;
  return textureGrad(grain, turn * p + vec2(0.31, 0.17), turn * d.xy, turn * d.zw);
}

vec4 looks(vec2 p, vec4 d, float s) { // patch, tuft, stone, grit, each about zero; d: p's derivatives
#ifdef LOW
  vec2 fine = look(p, d, 8.3 * s, 2.0).xy;
  return vec4(look(p, d, 53.0 * s, 1.1).x, fine.x, fine.y, fine.y) - 0.5;
#else
  return vec4(look(p, d, 53.0 * s, 1.1).x, look(p, d, 8.3 * s, 2.0).x, look(p, d, 29.0 * s, 0.7).y, look(p, d, 4.7 * s, 1.6).y) - 0.5;
#endif
}

vec2 bumps(vec2 p, float s) {
#ifdef LOW
  return vec2(0.0);
#else
  return 0.5 * (texture(grain, p / (11.3 * s)).zw + 0.8 * texture(grain, p / (3.1 * s)).zw - 0.9);
#endif
}

vec3 moist(vec3 c, float wet) {
  return c * (1.0 - wet * (0.80 - 0.62 * sqrt(max(c, 0.0))));
}

vec3 groundColor(vec3 p, vec3 n, float steep, float wet) {
  float s = cell;
  vec3 dx = dFdx(p), dy = dFdy(p);
  vec4 f = looks(p.xy, vec4(dx.xy, dy.xy), s);
#ifdef LOW
  float broad = 0.5 * f.x;
#else
  float broad = texture(grain, turned(p.xy, 331.0 * s, 0.3)).x - 0.5;
#endif
  float walls = smoothstep(0.4, 0.85, steep);
#ifndef LOW
  if (walls > 0.0) { // on steep ground seen from its sides, so that nothing is drawn out
    vec2 side = abs(n.xy) * abs(n.xy);
    side /= side.x + side.y + 1e-6;
    f = mix(f, side.x * looks(p.yz, vec4(dx.yz, dy.yz), s) + side.y * looks(p.xz, vec4(dx.xz, dy.xz), s), walls);
  }
#endif
  float patch_ = f.x, tuft = f.y, stone = f.z * (1.0 - smoothstep(5.0, 30.0, s)), grit = f.w;
  float above = texture(aboveMap, p.xy / size).x / site.z;
  float high = (p.z - site.x) / max(site.y, 1e-3);
  float ragged = 0.6 * patch_ + 0.5 * tuft;
  float bare = 1.0 - smoothstep(1.0, 4.0, site.y / s);

  float growth = 0.5 + 0.6 * broad + 0.4 * patch_;
  vec3 grass = mix(vec3(0.066, 0.082, 0.030), vec3(0.118, 0.124, 0.052), smoothstep(-0.2, 1.1, growth + 0.5 * tuft));
  float parched = growth + 0.6 * high + 0.6 * tuft + 0.6 * (1.0 - smoothstep(1.0, 4.0, above));
  grass = mix(grass, vec3(0.200, 0.172, 0.096), 0.6 * smoothstep(0.3, 1.5, parched)) * (1.0 + 0.45 * tuft + 0.4 * grit);
  vec3 forest = vec3(0.040, 0.052, 0.027) * (1.0 + 0.7 * tuft + 0.6 * grit);
  float leafy = growth + 0.3 * patch_ + 0.3 * tuft + 0.6 * steep - 0.25 * high;
  vec3 c = mix(grass, forest, smoothstep(6.0, 25.0, s) * smoothstep(0.15, 0.75, leafy));

  vec3 soil = vec3(0.165, 0.115, 0.072) * (1.0 + 0.5 * tuft + 0.5 * grit);
  c = mix(c, soil, smoothstep(0.42, 0.8, steep + 0.35 * ragged));
  vec3 scree = vec3(0.235, 0.215, 0.185) * (1.0 + 0.35 * patch_ + 0.7 * grit);
  c = mix(c, scree, 0.7 * smoothstep(0.5, 0.85, steep + 0.45 * stone + 0.35 * patch_));

  vec3 sand = vec3(0.37, 0.293, 0.195) * (1.0 + 0.2 * patch_ + 0.14 * tuft + 0.16 * grit);
  vec3 pebbles = vec3(0.27, 0.228, 0.172) * (1.0 + 0.9 * grit);
  sand = mix(sand, pebbles, 0.8 * smoothstep(0.1, 0.6, 0.5 * broad + 0.6 * patch_ + 0.4 * stone));
  sand = mix(sand, vec3(0.20, 0.17, 0.115) * (1.0 + 0.4 * tuft), 0.6 * smoothstep(2.0, 8.0, -above + 2.0 * patch_));
  sand = mix(sand, soil, 0.6 * smoothstep(5.0, 30.0, s));
  float strewn = smoothstep(0.7, 1.9, above + 1.2 * patch_ + 1.4 * tuft + 0.5 * grit);
  c = mix(c, sand, max(1.0 - strewn, bare));

  float strata = 0.5 + 0.9 * stone + 0.6 * patch_ + 0.35 * grit;
  vec3 rock = mix(vec3(0.115, 0.108, 0.10), vec3(0.225, 0.208, 0.185), smoothstep(-0.1, 0.9, strata));
  rock *= 1.0 + 0.3 * broad + 0.35 * tuft;
  c = mix(c, rock, smoothstep(0.75, 1.05, steep + 0.3 * patch_ + 0.3 * stone));
  float snow = smoothstep(1200.0, 2200.0, site.y) * smoothstep(0.72, 0.8, high + 0.12 * ragged - 0.12 * steep);
  c = mix(c, vec3(0.80, 0.835, 0.88), snow);
  return clamp(moist(c, wet), 0.005, 0.9);
}

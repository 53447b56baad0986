// The maps of the world.
uniform sampler2D heights; // lattice: ground, water, wet, depth
uniform sampler2D slopes;  // lattice: of ground, of water
uniform sampler2D flow;    // cells: u, v, foam, wet ground
uniform sampler2D dyes;    // cells: four dyes
uniform sampler2D shade;   // cells: heights of shadows, open sky
uniform sampler2D state;   // cells: ground, surface, depth, overlay
uniform vec2 size, lattice;
uniform float cell;
uniform int dyed;

vec2 onLattice(vec2 p) { return (p / size * (lattice - 1.0) + 0.5) / lattice; }

vec4 heightsAt(vec2 p) {
  vec2 at = clamp(p / size, 0.0, 1.0) * (lattice - 1.0);
  ivec2 i = min(ivec2(at), ivec2(lattice) - 2);
  vec2 f = at - vec2(i);
  vec4 a = texelFetch(heights, i, 0), b = texelFetch(heights, i + ivec2(1, 0), 0);
  vec4 c = texelFetch(heights, i + ivec2(0, 1), 0), d = texelFetch(heights, i + ivec2(1, 1), 0);
  return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

float cellGround(vec2 p) { // linear between the cells, as shadows are
  ivec2 last = textureSize(state, 0) - 1;
  vec2 at = clamp(p / cell - 0.5, vec2(0.0), vec2(last));
  ivec2 i = min(ivec2(at), last - 1);
  vec2 f = at - vec2(i);
  float a = texelFetch(state, i, 0).x, b = texelFetch(state, i + ivec2(1, 0), 0).x;
  float c = texelFetch(state, i + ivec2(0, 1), 0).x, d = texelFetch(state, i + ivec2(1, 1), 0).x;
  return mix(mix(a, b, f.x), mix(c, d, f.x), f.y);
}

// The share of the sun that the land leaves.
float sunshine(vec3 p) {
  vec4 s = texture(shade, p.xy / size);
  float soft = 0.12 * cell;
  return clamp((p.z - cellGround(p.xy) - s.y + soft) / max(s.x - s.y, soft), 0.0, 1.0);
}

vec3 dyeTakes(vec2 p) { // each dye takes away what is not its colour [1/m]
  if (dyed == 0) return vec3(0.0);
  vec4 c = max(texture(dyes, p / size), 0.0) * 2.302585;
  return c.x * vec3(0.1, 1.6, 2.2) + c.y * vec3(2.0, 0.3, 1.8) + c.z * vec3(2.0, 1.0, 0.1) + c.w * vec3(0.2, 0.4, 2.4);
}

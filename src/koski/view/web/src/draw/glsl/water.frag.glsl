// Water: the sky and the land in it, the bed through it, foam on it.
//   R · reflection + (1 − R) · (bed + scattered)                          Maes 2006, eq. 8–12
in vec3 p;
in vec4 both;
#ifdef SIDE
in vec2 side;
#endif
uniform sampler2D scene, sceneDepth, waves, drift;
uniform mat4 toWorld, toScreen;
uniform vec2 picture;
uniform vec4 turns; // shares of the two copies, and where they begin
uniform float t, tile, pixel; // time [s], side of the largest ripples' tile [m], width of a pixel [rad]
out vec4 color;

const vec2 SEAS[4] = vec2[](vec2(1.0, 0.4), vec2(0.43, -0.5), vec2(0.17, 0.8), vec2(0.071, -0.1)); // size, heading
const float WAVES = 14.7; // along a tile
const float EDGE = 0.012; // water shallower than this mirrors less [m]
const float WHITE = 0.85; // albedo of foam

float strength(float speed) { // root mean square slope of the ripples
  float share = speed * speed / (speed * speed + 1.69);
  return mix(0.006 * smoothstep(0.0, 0.1, speed), 0.13, share);
}

float fade(float footprint, float side_) { return clamp(1.3 - 2.2 * footprint * WAVES / side_, 0.0, 1.0); }

vec2 ripples(vec4 carried, float footprint, float speed, out float rough) {
  vec2 sum = vec2(0.0);
  float shown = 0.0;
  for (int k = 0; k < 4; k++) {
    float wide = tile * SEAS[k].x, seen = fade(footprint, wide);
    shown += seen * seen / 4.0;
    if (seen == 0.0) continue;
    float c = cos(SEAS[k].y), s = sin(SEAS[k].y), number = 6.2831853 * WAVES / wide;
    float run = fract(t * sqrt(9.81 / number + 7.3e-5 * number) / wide);
    mat2 turn = mat2(c, -s, s, c);
    vec2 shift = vec2(-run, SEAS[k].y);
    vec2 one = texture(waves, turn * (p.xy - carried.xy + vec2(turns.z * tile, 0.0)) / wide + shift).xy;
    vec2 two = texture(waves, turn * (p.xy - carried.zw + vec2(turns.w * tile, 0.0)) / wide + shift).xy;
    sum += seen * ((turns.x * one + turns.y * two) * turn); // back to the world's axes
  }
  rough = strength(speed) * sqrt(max(1.0 - shown, 0.0));
  return 0.5 * strength(speed) * sum;
}

float lace(vec4 carried) {
  float one = texture(waves, (p.xy - carried.xy) / tile + vec2(turns.z, 0.0)).z - 0.5;
  float two = texture(waves, (p.xy - carried.zw) / tile + vec2(turns.w, 0.0)).z - 0.5;
  float both_ = turns.x * one + turns.y * two;
#ifndef LOW
  vec2 fine = vec2(texture(waves, (p.xy - carried.xy) / (0.23 * tile) + turns.zz).z, texture(waves, (p.xy - carried.zw) / (0.23 * tile) + turns.ww).z) - 0.5;
  both_ += 0.35 * dot(turns.xy, fine); // frayed
#endif
  return 0.5 + 0.5 * sin(2.2 * both_);
}

float foamCover(float foam, float pattern) { // the highest `foam` of the pattern, with a soft border
  float reach = 1.36 * foam - 0.18;
  return smoothstep(0.02, 0.15, foam) * smoothstep(-0.18, 0.18, pattern - 1.0 + reach);
}

vec3 screen(vec3 q) { // place in the picture 0..1, and depth
  vec4 at = toScreen * vec4(q, 1.0);
  return at.xyz / at.w * 0.5 + 0.5;
}

vec3 seenAt(vec2 uv, out bool sky) {
  float z = texture(sceneDepth, uv).x;
  sky = z >= 1.0;
  vec4 at = toWorld * vec4(vec3(uv, z) * 2.0 - 1.0, 1.0);
  return at.xyz / at.w;
}

float leave(vec3 d) { // how far until a ray leaves the block
  vec2 way = (mix(vec2(0.0), size, step(0.0, d.xy)) - p.xy) / (d.xy + vec2(1e-6));
  return max(min(way.x, way.y), 0.0);
}

vec3 bedAt(vec3 q, float depth, vec3 kappa) { // the bed where the picture does not show it
  vec2 slope = texture(slopes, onLattice(q.xy)).xy;
  vec3 n = normalize(vec3(-slope, 1.0));
  vec3 albedo = groundColor(q, n, length(slope), 1.0);
  float net_ = caustics(q.xy, vec4(dFdx(p.xy), dFdy(p.xy)), depth, 0.7);
  return sunken(albedo, n, sunshine(q), texture(shade, q.xy / size).z, depth, net_, kappa);
}

vec3 through(vec3 d, vec3 bent, float depth, float start, float steep, vec3 kappa) {
  float out_ = leave(bent), most = min(out_, 7.0 / max(min(kappa.x, min(kappa.y, kappa.z)), 1e-3));
  most = mix(most, min(most, 2.0 * depth), steep); // a fall is but a sheet
  float down = max(-bent.z, 0.12);
  float way = min(max(depth - start, 0.0) / down, most);
#ifndef LOW
  for (int k = 0; k < 3; k++) {
    vec3 q = p + way * bent;
    way = clamp(way + 0.7 * (q.z - heightsAt(q.xy).x) / down, 0.0, most);
  }
#endif
  vec3 q = p + way * bent;
  vec2 uv = screen(q).xy, rim = min(uv, 1.0 - uv);
  float hidden = 1.0 - smoothstep(0.0, 0.04, min(rim.x, rim.y)); // outside the picture
  uv = clamp(uv, vec2(0.0), 1.0 - 0.5 / picture);
  bool sky;
  vec3 seen = seenAt(uv, sky);
  if (dot(seen - p, d) < 0.0 || seen.z > p.z + 0.02 * cell) hidden = sky ? hidden : 1.0; // or behind something
  float far = sky ? most : min(length(seen - p), most);
  float below = sky ? max(start - bent.z * most, 0.0) : max(both.y - seen.z, 0.0);
  vec3 light = texelFetch(scene, ivec2(uv * picture), 0).rgb * exp(-kappa * far); // the pixel of that depth
  if (hidden > 0.0) {
    float deep = max(start - bent.z * way, 0.0);
    vec3 bed = way < 0.99 * out_ ? bedAt(q, deep, kappa) : skyLight(bent);
    light = mix(light, bed * exp(-kappa * way), hidden);
    far = mix(far, way, hidden);
    below = mix(below, deep, hidden);
  }
  return light + scattered(kappa, far, below, start);
}

#ifndef LOW
vec4 mirrored(vec3 r) { // land and bodies in the mirror, as far as they are in the picture
  const int STEPS = 22;
  float reach = 0.7 * length(size), before = 0.0;
  vec4 from = toScreen * vec4(p, 1.0), along = toScreen * vec4(r, 0.0);
  for (int k = 1; k <= STEPS; k++) {
    float f = float(k) / float(STEPS), way = reach * f * f * f + 0.3 * cell * f;
    vec4 clip = from + way * along;
    vec3 at = clip.xyz / clip.w * 0.5 + 0.5;
    if (clip.w <= 0.0 || any(lessThan(at.xy, vec2(0.0))) || any(greaterThan(at.xy, vec2(1.0)))) break;
    if (texture(sceneDepth, at.xy).x < at.z) {
      float low = before, high = way;
      for (int m = 0; m < 6; m++) {
        float middle = 0.5 * (low + high);
        clip = from + middle * along;
        at = clip.xyz / clip.w * 0.5 + 0.5;
        if (texture(sceneDepth, at.xy).x < at.z) high = middle;
        else low = middle;
      }
      clip = from + high * along;
      at = clip.xyz / clip.w * 0.5 + 0.5;
      bool sky;
      vec3 q = seenAt(at.xy, sky);
      float miss = length(q - p - high * r);
      if (!sky && miss < 0.3 * (high - before) + 0.08 * high + 0.2 * cell && q.z > p.z - 0.1 * cell) {
        vec2 rim = min(at.xy, 1.0 - at.xy);
        return vec4(texture(scene, at.xy).rgb, smoothstep(0.0, 0.06, min(rim.x, rim.y)));
      }
    }
    before = way;
  }
  return vec4(0.0);
}
#endif

void main() {
  if (both.z <= 0.0) discard; // no water near
  vec3 away = p - eye;
  float far = length(away);
  vec3 d = away / far;
  float depth = max(both.y - both.x, 0.0), start = 0.0;
  vec4 f = texture(flow, p.xy / size);
  float speed = length(f.xy);
  vec4 carried = texture(drift, p.xy / size);
  float footprint = pixel * far / sqrt(max(abs(d.z), 0.15)), rough;
  vec2 ripple = ripples(carried, footprint, speed, rough);
  vec4 slope = texture(slopes, onLattice(p.xy));
  float calm = clamp(depth / (20.0 * EDGE), 0.0, 1.0);
#ifdef SIDE
  vec3 n = vec3(side, 0.0);
  start = max(both.y - p.z, 0.0);
#else
  vec3 n = normalize(vec3(-slope.zw - calm * ripple, 1.0));
#endif
  if (!gl_FrontFacing) n = -n;
  float back = max(dot(n, d) + 0.02, 0.0);
  n = normalize(n - back * d);
  vec3 r = reflect(d, n);
#ifndef SIDE
  if (gl_FrontFacing) r = normalize(vec3(r.xy, max(r.z, 0.01 + back)));
#endif
  vec3 kappa = takes + dyeTakes(p.xy);
  vec3 bent = gl_FrontFacing ? refract(d, n, INTO_WATER) : d;
  vec3 below = through(d, bent, depth, start, smoothstep(0.6, 2.0, length(slope.zw)), kappa);
  float share = schlick(-dot(d, n)) * clamp(depth / EDGE, 0.0, 1.0);
  float shine = sunshine(p) * unshaded(p, vec3(0.0, 0.0, 1.0));
  vec3 above = skyLight(r) + disc(r, min(0.012 + 2.0 * rough, 0.5)) * shine;
#ifndef LOW
  if (share > 0.03) {
    vec4 land = mirrored(r);
    float level = 1.0 - smoothstep(0.05, 0.35, length(slope.zw)); // on steep waves they would be but shreds
    level *= smoothstep(0.02, 0.2, depth / min(cell, 1.0)); // and at its edge only the bed
    above = mix(above, land.rgb, land.a * level);
  }
#endif
  vec3 light = mix(below, above, share);
#ifndef SIDE
  float foam = foamCover(clamp(f.z, 0.0, 1.0), lace(carried)) * clamp(depth / 0.02, 0.0, 1.0);
  light = mix(light, matt(vec3(WHITE), n, shine, 1.0), foam);
#endif
  light = hazed(light, d, far);
#ifndef SIDE
  if (overlay == 3) light = mix(light, plain(vec3(0.02, 0.16, 0.42), n, sun), 0.85);
  else if (overlay > 0) light = laid(light, overlay == 1 ? depth : overlay == 2 ? speed : texture(state, p.xy / size).w, n, sun);
  light = ringed(light, p.xy);
#endif
  if (any(isnan(light)) || any(isinf(light))) light = skyLight(vec3(d.xy, 0.02)); // a sliver at a corner
  color = vec4(min(light, 60.0), 1.0);
}

// Light at the water's surface and in the water.      Maes 2006 §4.1; koski/render/light.py
const float PI = 3.14159265;
const float F0 = 0.02;
const float INTO_WATER = 1.0 / 1.33;
const float SKY_MIRRORED = F0 + (1.0 - F0) / 21.0;

uniform vec3 sun, sunlight, ambient, farLand, takes, scatters, eye;
uniform vec2 heading;
uniform sampler2D skyTable;
uniform float discShown, haze; // how much of the disc is seen; 1 / distance at which air hides all [1/m]

float schlick(float cosine) {
  float m = 1.0 - clamp(cosine, 0.0, 1.0);
  float m2 = m * m;
  return F0 + (1.0 - F0) * m2 * m2 * m;
}

vec3 skyLight(vec3 d) {
  float level = inversesqrt(max(dot(d.xy, d.xy), 1e-12));
  float cosine = dot(d.xy, heading) * level;
  vec2 at = vec2(sqrt(clamp(0.5 - 0.5 * cosine, 0.0, 1.0)), sqrt(clamp(d.z, 0.0, 1.0)));
  vec3 above = texture(skyTable, (at * vec2(31.0, 63.0) + 0.5) / vec2(32.0, 64.0)).rgb;
  float mist = exp(10.0 * min(d.z, 0.0));
  return above * mist + farLand * (1.0 - mist);
}

vec3 disc(vec3 d, float blur) {
  float width2 = 2.16e-5 + blur * blur;
  vec3 off = d - sun;
  float lobe = exp(-dot(off, off) / width2);
  return sunlight * (lobe / (PI * width2 * (1.0 - exp(-4.0 / width2))));
}

vec3 hazed(vec3 light, vec3 d, float far) {
  float kept = exp(-haze * far);
  return mix(skyLight(vec3(d.xy, 0.02)), light, kept);
}

// The mean of e^(−x s) over 0 < s < 1.
vec3 meanThrough(vec3 x) {
  return mix(1.0 - x * (0.5 - x / 6.0), (1.0 - exp(-x)) / max(x, 0.02), step(0.02, x));
}

// Radiance that a ray gathers in water, each impurity scattering once.      eq. 12
vec3 scattered(vec3 kappa, float length_, float depth, float start) {
  vec3 entering = sunlight * (sun.z * (1.0 - schlick(sun.z))) + ambient * (1.0 - SKY_MIRRORED);
  float way = max(length_ + depth - start, 0.0);
  return scatters * entering / (4.0 * PI) * exp(-kappa * start) * meanThrough(kappa * way) * length_;
}

// A dull surface in the air: of the sun, the sky and the land about it.
vec3 matt(vec3 color, vec3 n, float shine, float open) {
  float up = 0.5 + 0.5 * n.z;
  vec3 light = sunlight * (max(dot(n, sun), 0.0) * shine) + ambient * (up * open) + farLand * (PI * (1.0 - up) * open);
  return color / PI * light;
}

// And below water: light comes straight down through it, the sun's in a net.      eq. 12
vec3 sunken(vec3 color, vec3 n, float shine, float open, float depth, float net, vec3 kappa) {
  vec3 left = exp(-kappa * depth);
  vec3 bySun = sunlight * (sun.z * (1.0 - schlick(sun.z)) * shine * net);
  vec3 bySky = ambient * ((1.0 - SKY_MIRRORED) * open);
  return color / PI * (bySun + bySky) * left * (0.5 + 0.5 * n.z);
}

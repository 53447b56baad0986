// Caustics on the bed: a loop of patterns seen at two sizes, by the depth of the water; d: derivatives of p.
uniform sampler2D net;
uniform float netShown;

float netAt(vec2 p, vec4 d, float k) {
  float wide = 2.4 * exp2(k);
  return textureGrad(net, p / wide + vec2(0.37, 0.71) * k, d.xy / wide, d.zw / wide).x - 1.0;
}

float caustics(vec2 p, vec4 d, float depth, float clear) {
  float octave = clamp(log2(max(depth, 1e-3) / 0.35), 0.0, 3.999);
  float k = floor(octave), share = octave - k;
  float light = mix(netAt(p, d, k), netAt(p, d, k + 1.0), share);
  float shown = smoothstep(0.04, 0.25, depth) * exp(-depth / 5.0);
  return 1.0 + netShown * clear * shown * light;
}

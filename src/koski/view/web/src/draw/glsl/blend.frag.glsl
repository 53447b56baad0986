// Between what was shown when the newest state came, and that state.
uniform sampler2D wasHeights, wasFlow, wasDyes, newHeights, newFlow, newDyes;
uniform float share; // of the newest
uniform float shown; // thinner water only wets the ground [m]
layout(location = 0) out vec4 heights;
layout(location = 1) out vec4 flow;
layout(location = 2) out vec4 dyes;

vec4 grounded(vec4 h) { // where it is dry the water begins to rise from the ground
  return vec4(h.x, h.z > shown ? h.y : h.x, h.zw);
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  heights = mix(grounded(texelFetch(wasHeights, at, 0)), grounded(texelFetch(newHeights, at, 0)), share);
  flow = mix(texelFetch(wasFlow, at, 0), texelFetch(newFlow, at, 0), share);
  dyes = mix(texelFetch(wasDyes, at, 0), texelFetch(newDyes, at, 0), share);
}

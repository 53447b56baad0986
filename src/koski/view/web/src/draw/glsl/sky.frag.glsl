// The sky, and below the horizon mist.
uniform mat4 toWorld;
uniform vec2 picture;
out vec4 color;

void main() {
  vec4 far = toWorld * vec4(gl_FragCoord.xy / picture * 2.0 - 1.0, 1.0, 1.0);
  vec3 d = normalize(far.xyz / far.w - eye);
  float down = clamp(-d.z, 0.0, 1.0);
  vec2 aside = vec2(-heading.y, heading.x); // far below the mist is alike on all sides
  vec3 light = mix(skyLight(vec3(d.xy, max(d.z, 0.0))), skyLight(vec3(aside, 0.0)), smoothstep(0.0, 0.5, down));
  light *= 1.0 - 0.3 * down * (2.0 - down);
  color = vec4(light + discShown * disc(d, 0.004), 1.0);
}

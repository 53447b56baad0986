in float rim;
uniform float exposure;
out vec4 color;

void main() { color = vec4(vec3(mix(1.1, 0.012, smoothstep(0.35, 0.55, rim))) / exposure, 1.0); }

in vec3 n, tint;
uniform vec3 sun;
uniform float exposure;
out vec4 color;

void main() { color = vec4(tint * (0.55 + 0.45 * dot(normalize(n), sun)) / exposure, 1.0); }

// Meshes: flat faces, lit from above, darker below and fading into the page far away.

// Depths lie behind the faces by a share of their distance, so that points on a surface, which
// scatter about it, are in front of it.
const MESH_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 tint;
uniform mat4 viewFromPart, projection;
uniform float behind;
out vec3 seen;
flat out vec3 paint;
void main() {
  vec4 at = viewFromPart * vec4(place, 1.0);
  seen = at.xyz;
  paint = tint;
  gl_Position = projection * at;
  gl_Position.z += behind;
}`;

const MESH_FRAGMENT = `#version 300 es
precision highp float;
uniform vec3 up;           // of the world, as the camera has it
uniform vec3 neutral;      // what colours are mixed with
uniform vec3 above, below; // of the page behind
uniform float colourful, low, high, reach, height;
in vec3 seen;
flat in vec3 paint;
out vec4 result;
void main() {
  vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
  if (dot(normal, seen) > 0.0) normal = -normal;
  float lit = 0.5 + 0.5 * dot(normal, up);
  float facing = abs(dot(normal, normalize(seen)));
  float light = mix(low, high, 0.82 * lit + 0.18 * facing);
  vec3 colour = mix(neutral, paint, colourful) * light;
  float share = length(seen) / reach;
  vec3 page = mix(below, above, gl_FragCoord.y / height);
  result.rgb = mix(colour, page, smoothstep(0.35, 1.0, share));
  result.a = 1.0 - smoothstep(0.1, 0.5, share); // how much its depths shade it: far ground is steep
}`;

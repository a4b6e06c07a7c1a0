// Programs of the graphics card. Points go into a picture with depths; a second pass shades it.

const POINT_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in float moment;  // share of the sweep at which the point was measured
layout(location = 2) in uint shade;    // place in the palette
uniform mat4 viewFromBegin, viewFromEnd, projection;
uniform sampler2D palette;
uniform float size, reference;
out vec4 colour;
void main() {
  vec4 seen = mix(viewFromBegin * vec4(place, 1.0), viewFromEnd * vec4(place, 1.0), moment);
  colour = texelFetch(palette, ivec2(int(shade & 255u), int(shade >> 8)), 0);
  gl_Position = colour.a > 0.0 ? projection * seen : vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = size * clamp(sqrt(reference / max(-seen.z, 0.01)), 0.7, 2.5);
}`;

const POINT_FRAGMENT = `#version 300 es
precision highp float;
uniform float size;
in vec4 colour;
out vec4 result;
void main() {
  vec2 off = gl_PointCoord - 0.5;
  if (size > 2.0 && dot(off, off) > 0.25) discard;
  result = colour;
}`;

const WHOLE_VERTEX = `#version 300 es
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4(4.0 * corner - 1.0, 0.0, 1.0);
}`;

// Eye-dome lighting: a pixel is darker the more its neighbours are nearer to the eye.
// Boucheny, Interactive scientific visualization of large datasets: towards a perceptive-based
// approach, 2009, chapter 3.
const SHADE_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D picture, depths;
uniform float near, far, strength, radius;
uniform vec3 above, below;
out vec4 result;
float distanceAt(ivec2 at) {
  ivec2 inside = clamp(at, ivec2(0), textureSize(depths, 0) - 1);
  float depth = texelFetch(depths, inside, 0).r;
  return log2(near * far / (far - depth * (far - near)));
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  float depth = texelFetch(depths, at, 0).r;
  gl_FragDepth = depth;
  if (depth == 1.0) {
    float height = gl_FragCoord.y / float(textureSize(depths, 0).y);
    result = vec4(mix(below, above, height), 1.0);
    return;
  }
  vec4 drawn = texelFetch(picture, at, 0);
  vec3 colour = drawn.rgb;
  if (strength > 0.0) {
    float here = distanceAt(at), sum = 0.0;
    int r = int(radius);
    int s = max(1, int(0.71 * radius));
    sum += max(0.0, here - distanceAt(at + ivec2(r, 0))) + max(0.0, here - distanceAt(at + ivec2(-r, 0)));
    sum += max(0.0, here - distanceAt(at + ivec2(0, r))) + max(0.0, here - distanceAt(at + ivec2(0, -r)));
    sum += max(0.0, here - distanceAt(at + ivec2(s, s))) + max(0.0, here - distanceAt(at + ivec2(-s, -s)));
    sum += max(0.0, here - distanceAt(at + ivec2(s, -s))) + max(0.0, here - distanceAt(at + ivec2(-s, s)));
    colour *= max(0.25, exp(-strength * drawn.a * sum / 8.0));
  }
  result = vec4(colour, 1.0);
}`;

const LINE_VERTEX = `#version 300 es
precision highp float;
layout(location = 0) in vec3 place;
layout(location = 1) in vec4 tint;
uniform mat4 matrix;
out vec4 colour;
void main() {
  colour = tint;
  gl_Position = matrix * vec4(place, 1.0);
}`;

const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
out vec4 result;
void main() { result = vec4(colour.rgb * colour.a, colour.a); }`;

const GRID_VERTEX = `#version 300 es
precision highp float;
uniform mat4 matrix;
uniform float reach, cell;
out vec2 plane;
void main() {
  plane = (2.0 * vec2(gl_VertexID & 1, gl_VertexID >> 1) - 1.0) * reach;
  gl_Position = matrix * vec4(plane, 0.0, 1.0);
}`;

const GRID_FRAGMENT = `#version 300 es
precision highp float;
uniform float reach, cell;
uniform vec3 ink;
uniform vec2 focus;
in vec2 plane;
out vec4 result;
float lines(float width) {
  vec2 at = plane / width, wide = fwidth(at);
  vec2 off = abs(fract(at - 0.5) - 0.5) / wide;
  float fine = clamp(1.0 - max(wide.x, wide.y) * 2.5, 0.0, 1.0);
  return (1.0 - min(min(off.x, off.y), 1.0)) * fine;
}
void main() {
  float fade = clamp(1.0 - length(plane - focus) / reach, 0.0, 1.0);
  float alpha = fade * max(0.16 * lines(cell), 0.4 * lines(10.0 * cell));
  result = vec4(ink * alpha, alpha);
}`;

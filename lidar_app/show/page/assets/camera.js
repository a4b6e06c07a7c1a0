// The camera turns about a target. Both count from a base, which follows the sensor if wanted.

const VIEW_ANGLE = (50 * Math.PI) / 180;
const STEEPEST = Math.PI / 2 - 0.001;

const camera = {
  base: [0, 0, 0], // of the scene
  heading: 0,
  target: [12, 0, -1], // from the base, in its axes
  azimuth: Math.PI, // of the eye as seen from the target
  elevation: 0.42,
  distance: 42,
};

/** Return a vector of the base's axes in those of the scene. */
function fromBase([x, y, z]) {
  const [c, s] = [Math.cos(camera.heading), Math.sin(camera.heading)];
  return [c * x - s * y, s * x + c * y, z];
}

/** Return a vector of the scene in the base's axes. */
function toBase([x, y, z]) {
  const [c, s] = [Math.cos(camera.heading), Math.sin(camera.heading)];
  return [c * x + s * y, -s * x + c * y, z];
}

/** Return where the camera is, where it looks, and its matrices. */
function lens(width, height) {
  const target = add(camera.base, fromBase(camera.target));
  const angle = camera.azimuth + camera.heading;
  const flat = Math.cos(camera.elevation) * camera.distance;
  const up = Math.sin(camera.elevation) * camera.distance;
  const eye = add(target, [flat * Math.cos(angle), flat * Math.sin(angle), up]);
  const near = Math.max(camera.distance / 200, 0.02);
  const far = near * 40000;
  const view = lookAt(eye, target);
  const projection = perspective(VIEW_ANGLE, width / height, near, far);
  return { eye, target, view, projection, near, far, all: product(projection, view), width, height };
}

/** Return the pixel of a point of the scene and its depth [m]; null behind the camera. */
function onScreen({ all, width, height }, point) {
  const [x, y] = moved(all, point);
  const w = all[3] * point[0] + all[7] * point[1] + all[11] * point[2] + all[15];
  if (w <= 0) return null;
  return { x: ((x / w + 1) * width) / 2, y: ((1 - y / w) * height) / 2, depth: w };
}

/** Turn the camera by pixels of the pointer. */
function orbit(dx, dy) {
  camera.azimuth -= dx * 0.006;
  camera.elevation += dy * 0.006;
  camera.elevation = Math.min(Math.max(camera.elevation, -STEEPEST), STEEPEST);
}

/** Shift the target so that it moves with the pointer. */
function pan(dx, dy, height) {
  const perPixel = (2 * camera.distance * Math.tan(VIEW_ANGLE / 2)) / height;
  const [c, s] = [Math.cos(camera.azimuth), Math.sin(camera.azimuth)];
  const [ce, se] = [Math.cos(camera.elevation), Math.sin(camera.elevation)];
  const right = [-s, c, 0];
  const up = [-se * c, -se * s, ce];
  camera.target = add(camera.target, add(scaled(right, -dx * perPixel), scaled(up, dy * perPixel)));
}

/** Come closer (factor below 1) or go back, towards a pixel. */
function zoom(factor, x, y, { width, height }) {
  const before = camera.distance;
  camera.distance = Math.min(Math.max(before * factor, 0.2), 20000);
  const moved = 1 - camera.distance / before;
  pan((width / 2 - x) * moved, (height / 2 - y) * moved, height / (before / camera.distance));
}

/** Turn about another point of the scene, from the same direction. */
function lookTo(point) {
  camera.target = toBase(subtract(point, camera.base));
}

/** Let the camera ride with a pose of the scene; without following, keep what it sees. */
function ride(matrix) {
  camera.base = [matrix[12], matrix[13], matrix[14]];
  camera.heading = Math.atan2(matrix[1], matrix[0]);
}

const VIEWS = {
  behind: { target: [12, 0, -1], azimuth: Math.PI, elevation: 0.42, distance: 42 },
  above: { target: [5, 0, 0], azimuth: Math.PI, elevation: STEEPEST, distance: 110 },
  side: { target: [5, 0, 0], azimuth: -Math.PI / 2, elevation: 0.2, distance: 50 },
  sensor: { target: [20, 0, 0], azimuth: Math.PI, elevation: 0, distance: 20 },
};

/** Go to a view of `VIEWS`, which are made for a street, in another scale. */
function goTo(name, scale = 1) {
  const { target, distance, ...angles } = VIEWS[name];
  Object.assign(camera, angles, { target: scaled(target, scale), distance: distance * scale });
}

// Boxes of the OSI objects, with a line to the front, and the axes of the sensors.

const KIND_COLOURS = {
  moving: [0.98, 0.72, 0.22], stationary: [0.36, 0.72, 0.95],
  "traffic sign": [0.95, 0.45, 0.62], "traffic light": [0.55, 0.86, 0.45],
};
const OTHER_KIND = [0.7, 0.7, 0.7];
const HOST_COLOUR = [0.55, 0.6, 0.68];
const EDGES = [
  [0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7],
];
const boxTables = new Map();

/** Return the boxes of a chunk: pose and corners in the scene, id, type, kind, and part. */
async function boxesOf(place) {
  if (!boxTables.has(place)) boxTables.set(place, table(place).then(readBoxes));
  return boxTables.get(place);
}

function readBoxes(found) {
  const numbers = (name) => decoded(found.columns.get(name));
  const text = (name, i) => {
    const column = found.columns.get(name);
    return column.table[column.codes[i]];
  };
  const [x, y, z] = ["x", "y", "z"].map(numbers);
  const [length, width, height] = ["length", "width", "height"].map(numbers);
  const [roll, pitch, yaw] = ["roll", "pitch", "yaw"].map(numbers);
  const part = found.columns.has("part") ? numbers("part") : null;
  return Array.from({ length: found.rows }, (_, i) => {
    const centre = subtract([x[i], y[i], z[i]], manifest.anchor);
    const turn = turned(roll[i], pitch[i], yaw[i]);
    const half = [length[i] / 2, width[i] / 2, height[i] / 2];
    const at = (sx, sy, sz) =>
      add(centre, moved(turn, [sx * half[0], sy * half[1], sz * half[2]]));
    const corners = Array.from({ length: 8 }, (_, n) => {
      return at(n & 1 ? 1 : -1, n & 2 ? 1 : -1, n & 4 ? 1 : -1);
    });
    const id = text("object", i);
    return {
      id, centre, corners, top: at(0, 0, 1), front: [at(0, 0, -1), at(1, 0, -1)],
      type: text("type", i), kind: text("kind", i), isHost: id === manifest.host,
      pose: product(shift(centre), turn), part: part ? part[i] : -1,
    };
  });
}

/** Return the lines of boxes and of sensors, from an origin near the camera. */
function sceneLines(boxes, poses, origin) {
  const numbers = [];
  const line = (a, b, colour, alpha) => {
    for (const end of [a, b]) numbers.push(...subtract(end, origin), ...colour, alpha);
  };
  for (const box of boxes) {
    const colour = box.isHost ? HOST_COLOUR : (KIND_COLOURS[box.kind] ?? OTHER_KIND);
    for (const [a, b] of EDGES) line(box.corners[a], box.corners[b], colour, 0.95);
    line(...box.front, colour, 0.6);
  }
  for (const pose of poses) {
    const at = moved(pose, [0, 0, 0]);
    line(at, moved(pose, [1, 0, 0]), [0.93, 0.33, 0.31], 1);
    line(at, moved(pose, [0, 1, 0]), [0.36, 0.78, 0.4], 1);
    line(at, moved(pose, [0, 0, 1]), [0.33, 0.56, 0.95], 1);
  }
  return { origin, numbers };
}

// Paths: where moving objects go during the frames of the page, as lines on the ground.

const LEAST_WAY = 0.5; // what moves less has no path [m]
const ABOVE_GROUND = 0.08; // [m]
let paths = null; // once they are asked for

/** Return the paths as lines in the scene; all boxes are read when they are first asked for. */
function pathLines() {
  paths ??= readPaths();
  return paths;
}

/** Return the places of the moving objects on the ground, by id; null where a frame lacks one. */
async function placesOnGround() {
  const found = new Map();
  const { frames } = manifest;
  for (let n = 0; n < frames.length; n++) {
    const boxes = frames[n].boxes === null ? [] : await boxesOf(frames[n].boxes);
    for (const { id, kind, front, isHost } of boxes) {
      if (kind !== "moving") continue;
      if (!found.has(id)) found.set(id, { isHost, places: new Array(frames.length).fill(null) });
      found.get(id).places[n] = add(front[0], [0, 0, ABOVE_GROUND]);
    }
  }
  return found;
}

async function readPaths() {
  const numbers = [];
  for (const { isHost, places } of (await placesOnGround()).values()) {
    const known = places.filter((place) => place);
    if (!known.some((place) => lengthOf(subtract(place, known[0])) > LEAST_WAY)) continue;
    const colour = [...(isHost ? HOST_COLOUR : KIND_COLOURS.moving), 0.85];
    for (let n = 1; n < places.length; n++) {
      if (!places[n - 1] || !places[n]) continue;
      numbers.push(...places[n - 1], ...colour, ...places[n], ...colour);
    }
  }
  return { origin: [0, 0, 0], numbers: new Float32Array(numbers) };
}

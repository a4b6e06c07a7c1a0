// The scene below the points: roads and surroundings that stand still, and the meshes of objects.

const parts = new Map(); // by their number: what is on the card, and the matrix of its places

/** Return a part on the card; it is unpacked when it is first asked for. */
function partOf(number) {
  if (!parts.has(number)) parts.set(number, table(manifest.scene.parts[number]).then(uploadedPart));
  return parts.get(number);
}

function uploadedPart({ rows, columns }) {
  const [places, colours] = [new Uint16Array(4 * rows), new Uint8Array(4 * rows)];
  const axes = ["x", "y", "z"].map((name) => columns.get(name));
  axes.forEach(({ codes }, axis) => codes.forEach((code, i) => (places[4 * i + axis] = code)));
  const material = columns.get("material");
  const paints = material.table.map((name) => rgb(manifest.colours[name]));
  material.codes.forEach((code, i) => colours.set(paints[code], 4 * i));
  const [a, b, c] = ["a", "b", "c"].map((name) => columns.get(name).codes);
  const triangles = new Uint32Array(3 * a.length);
  a.forEach((corner, i) => triangles.set([corner, b[i], c[i]], 3 * i));
  const matrix = shift(axes.map((axis) => axis.offset));
  axes.forEach(({ step }, axis) => (matrix[5 * axis] = step));
  return { ...renderer.meshes.upload({ places, colours, triangles }), partFromPlaces: matrix };
}

/** Return the meshes of a frame, each with its matrix; boxes have the poses of the objects. */
function sceneOf(frame, boxList) {
  if (!manifest.scene || !state.scene || frame.still === null) return Promise.resolve([]);
  const anchored = shift(scaled(manifest.anchor, -1));
  const still = manifest.scene.still[frame.still].map(([part, world, isGround]) => {
    return [part, product(anchored, world), isGround];
  });
  const moving = boxList.filter((box) => box.part >= 0).map((box) => [box.part, box.pose, false]);
  return Promise.all([...still, ...moving].map(async ([number, scene, isGround]) => {
    const part = await partOf(number);
    return { part, isGround, sceneFromPart: product(scene, part.partFromPlaces) };
  }));
}

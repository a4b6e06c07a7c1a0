// Which point is at a pixel.

const REACH = 7; // pixels around the pointer
const AS_FRONT = 0.97; // of the nearest depth: points behind are hidden by nearer ones

/** Return the place of a point of a layer in the scene. */
function placeInScene(layer, i) {
  const at = 3 * i;
  const place = [layer.places[at], layer.places[at + 1], layer.places[at + 2]];
  const end = moved(layer.sceneFromEnd, place);
  if (!layer.moments) return end;
  const share = layer.moments[i] / 65535;
  const begin = moved(layer.sceneFromBegin, place);
  return add(scaled(begin, 1 - share), scaled(end, share));
}

/** Return the points of a layer near a pixel: their index, distance from it, and depth. */
function near(layer, look, x, y) {
  const [b, e] = [product(look.all, layer.sceneFromBegin), product(look.all, layer.sceneFromEnd)];
  const { places, moments, shades: values } = layer;
  const [halfWidth, halfHeight] = [look.width / 2, look.height / 2];
  const found = [];
  for (let i = 0, at = 0; i < values.length; i++, at += 3) {
    const [px, py, pz] = [places[at], places[at + 1], places[at + 2]];
    const s = moments ? moments[i] / 65535 : 1;
    const row = (k) =>
      s * (e[k] * px + e[4 + k] * py + e[8 + k] * pz + e[12 + k]) +
      (s === 1 ? 0 : (1 - s) * (b[k] * px + b[4 + k] * py + b[8 + k] * pz + b[12 + k]));
    const w = row(3);
    if (w <= look.near) continue;
    const dx = (row(0) / w + 1) * halfWidth - x;
    if (dx > REACH || dx < -REACH) continue;
    const dy = (1 - row(1) / w) * halfHeight - y;
    const off = dx * dx + dy * dy;
    if (off <= REACH * REACH && state.palette[4 * values[i] + 3]) {
      found.push({ layer, index: i, off, depth: w });
    }
  }
  return found;
}

/** Return the point at a pixel: of those in front, the one nearest to it; null if there is none. */
function pointAt(layers, look, x, y) {
  const found = layers.flatMap((layer) => near(layer, look, x, y));
  if (!found.length) return null;
  const covered = Math.max((state.size * 1.5) ** 2 / 4, 4);
  const under = found.filter(({ off }) => off <= covered);
  const candidates = under.length ? under : found;
  const front = candidates.reduce((least, { depth }) => Math.min(least, depth), Infinity);
  return candidates
    .filter(({ depth }) => depth * AS_FRONT <= front)
    .reduce((best, each) => (each.off < best.off ? each : best));
}

// Frames: which clouds are shown, loaded in the background and kept on the graphics card.

const KEPT_LAYERS = 8;
const STANDING_M = 0.05; // an object that shifts by less stays in one place
const NONE = new Set();
const layers = new Map(); // by chunk, the newest last

/** Give the scans of the manifest their matrices, and the scene its anchor. */
function prepare() {
  const poses = manifest.frames.flatMap((frame) => frame.scans.map((scan) => scan.end));
  const first = poses.find((pose) => pose);
  manifest.anchor = first ? first.slice(0, 3).map(Math.round) : [0, 0, 0];
  manifest.hasPoses = poses.length > 0 && poses.every((pose) => pose);
  manifest.frames.forEach(prepareFrame);
}

/** Give the scans of a frame their matrices. */
function prepareFrame(frame) {
  const matrixOf = (pose) => (pose ? poseMatrix(pose, manifest.anchor) : identity());
  for (const scan of frame.scans) {
    scan.number = frame.number;
    scan.matrixEnd = matrixOf(scan.end);
    scan.matrixBegin = matrixOf(scan.begin);
    scan.moves = scan.duration_ns > 0 && scan.matrixEnd.some((v, k) => v !== scan.matrixBegin[k]);
  }
}

/**
 * Return the scans that are to be shown, each cloud once, those of the chosen frame first. So many
 * frames as accumulate end with it; at the start of the run they go on after it.
 */
function wanted() {
  const found = new Map();
  const before = Math.max(0, state.frame - state.accumulate + 1);
  const first = Math.min(before, manifest.frames.length - state.accumulate);
  const others = manifest.frames.slice(first, first + state.accumulate).reverse();
  for (const { scans } of [manifest.frames[state.frame], ...others]) {
    for (const scan of scans) {
      if (state.sensors.has(scan.sensor) && !found.has(scan.chunk)) found.set(scan.chunk, scan);
    }
  }
  return [...found.values()];
}

/** Return the moments of the points as shares of the sweep in 16 bits; null if it stands still. */
function momentsOf(cloud, scan) {
  if (!scan.moves || !cloud.columns.has("time_ns")) return null;
  return Uint16Array.from(numbersOf(cloud, "time_ns"), (time) => {
    return 65535 * Math.min(Math.max(time / scan.duration_ns, 0), 1);
  });
}

/** Return the ids of the moving objects that do not stay in one place, by the boxes of all frames. */
function moversOf() {
  const places = new Set(manifest.frames.map((frame) => frame.boxes).filter((place) => place !== null));
  moversOf.found ??= Promise.all([...places].map(boxesOf)).then((lists) => {
    const [first, moving] = [new Map(), new Set()];
    for (const box of lists.flat()) {
      if (box.kind !== "moving") continue;
      if (!first.has(box.id)) first.set(box.id, box);
      const shifts = box.front.map((end, k) => lengthOf(subtract(end, first.get(box.id).front[k])));
      if (Math.max(...shifts) > STANDING_M) moving.add(box.id);
    }
    return moving;
  });
  return moversOf.found;
}

/** Take the colours of the points of some objects, so that they are not drawn. */
function clear(layer, cloud, objects) {
  const column = cloud.columns.get("object_id");
  if (!column?.table || !objects.size) return;
  const isOut = column.table.map((id) => objects.has(id));
  column.codes.forEach((code, i) => {
    if (isOut[code]) layer.shades[i] = CLEAR;
  });
}

/** Return the layer of a scan, on the card and in the present colours, without some objects. */
async function layerOf(scan, without) {
  let layer = layers.get(scan.chunk);
  if (!layer || layer.scan !== scan) {
    const cloud = await cloudOf(scan.chunk);
    const moments = momentsOf(cloud, scan);
    if (layer) renderer.release(layer.uploaded);
    layer = {
      scan, moments, places: cloud.places, uploaded: renderer.upload(cloud.places, moments),
      sceneFromBegin: product(scan.matrixBegin, shift(cloud.offset)),
      sceneFromEnd: product(scan.matrixEnd, shift(cloud.offset)),
      shades: new Uint16Array(cloud.rows), version: -1,
    };
  }
  layers.delete(scan.chunk);
  layers.set(scan.chunk, layer);
  if (layer.version !== state.version || layer.without !== without) {
    const cloud = await cloudOf(scan.chunk);
    Object.assign(layer, { version: state.version, without });
    layer.shades = shades(cloud, state.colourBy, scan, state.limits.get(state.colourBy));
    clear(layer, cloud, without);
    renderer.setShades(layer.uploaded, layer.shades);
  }
  return layer;
}

/** Forget the layers that are not shown, but for a few. */
function forgetLayers(count) {
  for (const [chunk, layer] of layers) {
    if (layers.size <= Math.max(count, KEPT_LAYERS)) return;
    renderer.release(layer.uploaded);
    layers.delete(chunk);
  }
}

let request = 0;
let loading = Promise.resolve();

/** Show the chosen frame with what accumulates; a newer request ends an older one. */
function show() {
  request += 1;
  loading = load(request);
  return loading;
}

/** Count something as part of what is being loaded. */
function meanwhile(promise) {
  loading = Promise.all([loading, promise]);
}

async function load(mine) {
  const scans = wanted();
  const frame = manifest.frames[state.frame];
  const current = scans.filter((scan) => frame.scans.includes(scan));
  const loaded = [];
  try {
    const now = await Promise.all(current.map((scan) => cloudOf(scan.chunk)));
    if (mine !== request) return;
    chooseColouring(now, current);
    const boxList = frame.boxes !== null ? await boxesOf(frame.boxes) : [];
    const isFirst = !state.layers.length; // whose points are drawn before its meshes are unpacked
    let meshes = isFirst ? [] : await sceneOf(frame, boxList);
    if (mine !== request) return;
    const movers = scans.length > current.length ? await moversOf() : NONE;
    for (const scan of scans) {
      loaded.push(await layerOf(scan, current.includes(scan) ? NONE : movers));
      if (mine !== request) return;
      const isWhole = loaded.length >= current.length;
      if (isWhole) Object.assign(state, { layers: [...loaded], boxList, meshes });
      if (loaded.length === current.length) await showFrame(frame, current, now);
      if (loaded.length === current.length || (isWhole && isTimeToDraw())) await drawn();
      if (mine !== request) return;
    }
    if (!scans.length) {
      Object.assign(state, { layers: [], boxList, meshes });
      await showFrame(frame, [], []);
    }
    if (isFirst) meshes = await sceneOf(frame, boxList);
    if (mine !== request) return;
    state.meshes = meshes;
    forgetLayers(scans.length);
    state.palette = paletteOf(state.colourBy);
    renderer.setPalette(state.palette);
    redraw();
  } catch (error) {
    if (mine === request) tell(`This frame cannot be shown: ${error.message}`);
  }
}

/** Return whether a redraw would leave most of the time for what is still to be loaded. */
function isTimeToDraw() {
  return performance.now() - lastDraw.end > Math.max(150, 4 * lastDraw.took);
}

/** Choose limits where there are none, and bring palette, legend and marks up to date. */
function chooseColouring(now, scans) {
  const by = state.colourBy;
  const known = colourings(now);
  if (now.length && !known.includes(by)) {
    state.colourBy = known[0];
    return chooseColouring(now, scans);
  }
  const first = now.findIndex((cloud) => hasColouring(cloud, by));
  if (now.length && !namesOf(now[first], by, scans[first]) && !state.limits.has(by)) {
    const isWhole = typeof now[first].columns.get(by)?.offset === "string";
    const numbers = now.map((cloud, n) => (hasColouring(cloud, by) ? numbersFor(cloud, by, scans[n]) : []));
    const limits = by === "frame" ? frameLimits() : limitsOf(numbers, isWhole);
    state.limits.set(by, SIGNED.has(by) ? evenLimits(limits) : limits);
  }
}

function frameLimits() {
  const numbers = manifest.frames.map((frame) => frame.number);
  return { low: numbers[0], high: Math.max(numbers.at(-1), numbers[0] + 1), log: false };
}

/** Bring what stands around the points up to date with the frame. */
async function showFrame(frame, scans, now) {
  state.clouds = now;
  state.palette = paletteOf(state.colourBy);
  renderer.setPalette(state.palette);
  if (scans.length && state.follow) ride(scans[0].matrixEnd);
  state.ground ??= groundOf(state.layers[0]);
  const place = Math.max(0, scans.findIndex((scan) => scan.sensor === state.imageSensor));
  showImage(state.layers[place], now[place]);
  followPick();
  await showPlot();
  showLegend(now, scans);
  showFrameText(frame, scans);
}

/** Return the height of the ground in the scene: nearly the lowest points. */
function groundOf(layer) {
  if (!layer || !layer.shades.length) return null;
  const every = Math.max(1, Math.floor(layer.shades.length / 4000));
  const heights = [];
  for (let i = 0; i < layer.shades.length; i += every) heights.push(placeInScene(layer, i)[2]);
  heights.sort((a, b) => a - b);
  return heights[Math.floor(heights.length * 0.03)];
}

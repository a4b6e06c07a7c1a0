// The state of the page, what changes it, and the start.

const BOTH = 2; // sides
const manifest = JSON.parse(byId("manifest").textContent);
const state = {
  frame: manifest.start, accumulate: 1, sensors: new Set(manifest.sensors.keys()), imageSensor: 0,
  colourBy: FIRST[0], limits: new Map(), version: 0, size: 2.5, theme: "dark",
  boxes: manifest.frames.some((frame) => frame.boxes !== null), labels: true, grid: true,
  shading: true, follow: true, image: true, panel: true, playing: false,
  side: 0, colourBefore: "range", picked: null, measuring: false, measured: [], ground: null,
  scene: manifest.scene !== null, layers: [], clouds: [], boxList: [], meshes: [],
  paths: false, pathLines: [], chosen: null, plot: null, palette: new Uint8Array(4 * 256 * PALETTE_ROWS),
  get boxIndex() {
    return new Map(this.boxList.map((box) => [box.id, box]));
  },
};
let renderer;
let look;
let waiting = null;
const lastDraw = { end: 0, took: 0 }; // [ms]
let firstFrame = null; // when points were first drawn, since the page was opened [ms]

/** Draw at the next turn of the screen; return when that is done. */
function drawn() {
  waiting ??= new Promise((resolve) => {
    requestAnimationFrame(() => {
      waiting = null;
      const began = performance.now();
      draw();
      Object.assign(lastDraw, { end: performance.now(), took: performance.now() - began });
      resolve();
    });
  });
  return waiting;
}

const redraw = () => void drawn();

function draw() {
  const [scene, overlay] = [byId("scene"), byId("overlay")];
  const scale = Math.min(devicePixelRatio, 2);
  const [width, height] = [scene.clientWidth, scene.clientHeight];
  for (const canvas of [scene, overlay]) {
    const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
    if (canvas.width !== w || canvas.height !== h) Object.assign(canvas, { width: w, height: h });
  }
  look = lens(Math.max(width, 1), Math.max(height, 1));
  const scans = state.layers.map((layer) => layer.scan);
  const present = scans.filter((scan) => manifest.frames[state.frame].scans.includes(scan));
  const lines = sceneLines(state.boxes ? state.boxList : [], present.map((s) => s.matrixEnd), look.target);
  renderer.draw(state.layers, look, {
    size: state.size * scale, reference: camera.distance, shading: state.shading,
    theme: state.theme, meshes: state.meshes, lines: [lines, ...state.pathLines], ground: state.grid && state.ground !== null ? ground() : null,
  });
  drawOverlay(overlay, look, scale);
  markImage();
  if (state.layers.length) firstFrame ??= performance.now();
}

/** Return the grid: its height, the size of its cells, and the multiple of cells it starts at. */
function ground() {
  const cell = 10 ** Math.max(-2, Math.round(Math.log10(camera.distance / 40)));
  const many = GROUND_STEPS * cell;
  const corner = [0, 1].map((axis) => {
    const world = look.target[axis] + manifest.anchor[axis];
    return Math.round(world / many) * many - manifest.anchor[axis];
  });
  return { height: state.ground, cell, corner };
}

function recolour() {
  state.version += 1;
  return show();
}

function colourBy(name) {
  state.colourBy = name;
  byId("colour-by").value = name;
  return recolour();
}

/** Return the sensors of a side: the last one is the second side, 2 stands for both. */
function sensorsOf(side) {
  const all = [...manifest.sensors.keys()];
  return new Set(all.filter((sensor) => side === BOTH || (sensor === all.at(-1)) === (side === 1)));
}

/** Show one of two sides, or both, which are then told apart by their colours. */
function setSide(side) {
  if (side === BOTH) Object.assign(state, { colourBefore: state.colourBy, colourBy: "sensor" });
  else if (state.colourBy === "sensor") state.colourBy = state.colourBefore;
  Object.assign(state, { side, sensors: sensorsOf(side) });
  for (const name of EMBER) state.limits.delete(name); // units of intensity differ
  [...byId("sensors").children].forEach((each, n) => each.setAttribute("aria-pressed", String(n === side)));
  return recolour();
}

function nextSide() {
  if (manifest.sides.length) setSide((state.side + 1) % (BOTH + 1));
}

function nextColour() {
  const names = [...byId("colour-by").options].map((option) => option.value);
  colourBy(names[(names.indexOf(state.colourBy) + 1) % names.length]);
}

function setSize(size) {
  state.size = Math.min(Math.max(size, 1), 8);
  byId("size").value = String(state.size);
  byId("size-text").textContent = `${state.size} px`;
  redraw();
}

function setAccumulate(count) {
  state.accumulate = manifest.live ? 1 : count; // frames of a stream go
  byId("accumulate").value = String(state.accumulate);
  byId("accumulate-text").textContent = state.accumulate > 1 ? `${count} frames` : "off";
  const hasBoxes = manifest.frames.some((frame) => frame.boxes !== null);
  if (state.accumulate > 1 && !hasBoxes) tell("What moves is smeared: this page has no boxes of objects.");
  return show();
}

function goToFrame(place) {
  state.frame = Math.min(Math.max(place, 0), manifest.frames.length - 1);
  return show();
}

/** Play in the time of the frames; slower where the machine cannot follow. */
async function togglePlay() {
  state.playing = !state.playing && manifest.frames.length > 1;
  byId("play").setAttribute("aria-pressed", String(state.playing));
  byId("play").textContent = state.playing ? "Pause" : "Play";
  while (state.playing) {
    const began = performance.now();
    const last = manifest.frames[state.frame];
    const next = (state.frame + 1) % manifest.frames.length;
    await goToFrame(next);
    const gap = manifest.frames[next].time_s - last.time_s;
    const wait = (1000 * (gap > 0 ? gap : 0.1)) / Number(byId("speed").value);
    const left = Math.max(wait - (performance.now() - began), 0);
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}

/** Pick a point; the object of one that the user picks is chosen. */
async function pick(layer, index, isChoice = true) {
  const cloud = await cloudOf(layer.scan.chunk);
  if (isChoice) choose(cloud, index);
  const point = placeInScene(layer, index);
  state.picked = { layer, index, point, cloud, pixel: pixelOf(cloud, index) };
  showPoint();
  redraw();
}

/** After a change of frame, pick the same pixel of the range image again, or nothing. */
function followPick() {
  const { picked } = state;
  if (!picked || state.layers.includes(picked.layer)) return;
  const layer = rangeImage.layer;
  const same = layer && layer.scan.sensor === picked.layer.scan.sensor && rangeImage.pointAtPixel;
  const index = same ? (rangeImage.pointAtPixel[picked.pixel] ?? -1) : -1;
  state.picked = null;
  if (index >= 0) pick(layer, index, false);
  else showPoint();
}

function clickAt(x, y) {
  const found = pointAt(state.layers, look, x, y);
  if (!found) {
    if (!state.measuring) forget();
    return;
  }
  if (state.measuring) {
    if (state.measured.length === 2) state.measured = [];
    state.measured.push(placeInScene(found.layer, found.index));
    if (state.measured.length === 2) {
      const [a, b] = state.measured;
      const parts = subtract(b, a).map((value) => value.toFixed(3));
      tell(`${lengthOf(subtract(b, a)).toFixed(3)} m · along x ${parts[0]}, y ${parts[1]}, z ${parts[2]}`);
    }
  }
  pick(found.layer, found.index);
}

function toggleMeasure() {
  state.measuring = !state.measuring;
  state.measured = [];
  byId("measure").setAttribute("aria-pressed", String(state.measuring));
  if (state.measuring) tell("Click two points to measure between them.");
  redraw();
}

/** Show the paths of moving objects, or hide them. */
async function showPaths() {
  state.pathLines = state.paths ? [await pathLines()] : [];
  redraw();
}

function forget() {
  Object.assign(state, { picked: null, measured: [] });
  showPoint();
  choose(null);
  redraw();
}

function setTheme(theme) {
  state.theme = theme;
  document.documentElement.dataset.theme = theme;
}

function toggleTheme() {
  setTheme(state.theme === "dark" ? "light" : "dark");
  recolour();
}

function togglePanel() {
  state.panel = !state.panel;
  byId("panel-switch").setAttribute("aria-pressed", String(state.panel));
  layout();
}

function layout() {
  document.body.classList.toggle("no-panel", !state.panel);
  document.body.classList.toggle("no-image", !state.image);
  redraw();
}

/** Return the place of a cloud's points that a view turns about: 0, or their middle far from it. */
function middle({ header, places, offset, rows }) {
  if (header.image || !rows) return [0, 0, 0];
  const sum = [0, 0, 0];
  places.forEach((value, i) => (sum[i % 3] += value));
  return sum.map((value, axis) => value / rows + offset[axis]);
}

/** Return how large the scene is beside a street, of which most points are within 22 m. */
function sceneScale(clouds) {
  const distances = clouds.flatMap((cloud) => {
    const every = Math.max(1, Math.floor(cloud.rows / 2000));
    const relative = { ...cloud, offset: subtract(cloud.offset, middle(cloud)) };
    return [...rangesOf(relative)].filter((_, i) => i % every === 0);
  });
  if (!distances.length) return 1;
  distances.sort((a, b) => a - b);
  const most = clouds[0].header.image ? distances[Math.floor(distances.length * 0.75)] / 22 : distances.at(-1) / 14;
  return Math.max(most, 0.001);
}

function view(name) {
  const [cloud] = state.clouds;
  goTo(name, sceneScale(state.clouds));
  if (cloud && !cloud.header.image) lookTo(moved(state.layers[0].scan.matrixEnd, middle(cloud)));
  redraw();
}

function resetView() {
  view("behind");
}

/** Save the scene with its names and marks as a picture. */
function savePicture() {
  draw();
  const [scene, overlay] = [byId("scene"), byId("overlay")];
  const both = element("canvas", { width: scene.width, height: scene.height });
  const pen = both.getContext("2d");
  pen.drawImage(scene, 0, 0);
  pen.drawImage(overlay, 0, 0);
  both.toBlob((blob) => {
    const link = element("a", {
      href: URL.createObjectURL(blob),
      download: `${manifest.title}-${manifest.frames[state.frame].number}.png`,
    });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  });
}

async function start() {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old for the page");
  renderer = new Renderer(byId("scene"));
  if (manifest.live) await firstOfStream();
  prepare();
  byId("title").textContent = manifest.title;
  if (matchMedia("(prefers-color-scheme: light)").matches) setTheme("light");
  const several = manifest.live || manifest.frames.length > 1;
  const isWhole = several && !manifest.live;
  byId("live").hidden = !manifest.live;
  byId("frame").max = String(manifest.frames.length - 1);
  byId("accumulate").max = String(manifest.frames.length);
  byId("accumulate-row").hidden = !isWhole || !manifest.hasPoses;
  document.body.classList.toggle("one-frame", !several);
  byId("boxes").checked = state.boxes;
  for (const name of ["boxes", "labels"]) byId(name).parentElement.hidden = !state.boxes;
  byId("paths").disabled = !state.boxes || !isWhole;
  byId("paths").parentElement.hidden = byId("paths").disabled;
  byId("meshes").checked = state.scene;
  byId("meshes").parentElement.hidden = !state.scene;
  makeImageSensors();
  if (manifest.sides.length) makeSides();
  else makeSensors();
  bindPointer(byId("scene"));
  bindImage();
  bindSwitches();
  bindKeys();
  showNotes();
  new ResizeObserver(redraw).observe(byId("stage"));
  setSize(state.size);
  await setAccumulate(1);
  resetView();
  await drawn();
  if (manifest.live) followStream();
}

const ready = start().catch((error) => {
  byId("hint").textContent = `The page cannot be shown: ${error.message}.`;
  byId("hint").hidden = false;
  throw error;
});

// For scripts and tests: what is shown, and where a point of the first cloud is on the screen.
window.osiLidar = {
  ready,
  settled: async () => {
    await loading;
    await drawn();
  },
  status: () => ({
    frame: manifest.frames[state.frame].number, layers: state.layers.length,
    points: state.layers.reduce((sum, layer) => sum + layer.uploaded.count, 0),
    side: manifest.sides.length ? [...manifest.sides, "both"][state.side] : null,
    left_out: state.layers.reduce((n, { shades: each }) => n + each.filter((at) => at === CLEAR).length, 0),
    boxes: (state.boxes ? state.boxList : []).map((box) => `${box.type} ${box.id}`), playing: state.playing,
    picked: state.picked?.index ?? null, meshes: state.meshes.length,
    chosen: state.chosen, plot: state.chosen && state.plot,
    firstFrame, paths: state.pathLines.reduce((sum, { numbers }) => sum + numbers.length / 14, 0),
    limits: state.limits.get(state.colourBy) ?? null, colourBy: state.colourBy,
  }),
  pixelOf: (index, layer = 0) => {
    const { x, y } = onScreen(look, placeInScene(state.layers[layer], index));
    const stage = byId("scene").getBoundingClientRect();
    return { x: x + stage.left, y: y + stage.top };
  },
};

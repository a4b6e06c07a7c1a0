// The plot of the chosen object: its points in each frame.

const PLOT_EDGE = 3; // pixels
let objectPoints = null; // by the number of the cloud, then by id

/** Return the points of each object of each cloud; clouds count from 0 as frames first show them. */
function readObjectPoints() {
  objectPoints ??= table(manifest.object_points).then(({ rows, columns }) => {
    const found = new Map();
    const [cloud, points] = ["cloud", "points"].map((name) => decoded(columns.get(name)));
    const { codes, table: names } = columns.get("object");
    for (let i = 0; i < rows; i++) {
      if (!found.has(cloud[i])) found.set(cloud[i], new Map());
      found.get(cloud[i]).set(names[codes[i]], points[i]);
    }
    return found;
  });
  return objectPoints;
}

/** Return how many points of an object the chosen sensors have in each frame. */
async function pointsOverFrames(id) {
  const counts = await readObjectPoints();
  const numbers = new Map();
  return manifest.frames.map(({ scans }) => {
    let sum = 0;
    for (const { chunk, sensor } of scans) {
      if (!numbers.has(chunk)) numbers.set(chunk, numbers.size);
      if (state.sensors.has(sensor)) sum += counts.get(numbers.get(chunk))?.get(id) ?? 0;
    }
    return sum;
  });
}

/** Choose the object of a point, or none. */
function choose(cloud, index) {
  const id = cloud?.columns.has("object_id") ? textAt(cloud, "object_id", index) : "none";
  state.chosen = id === "none" ? null : id;
  meanwhile(showPlot());
}

/** Bring the plot up to date with the object, the frame and the sensors. */
async function showPlot() {
  const { chosen } = state;
  const isShown = chosen !== null && manifest.object_points !== null && manifest.frames.length > 1;
  byId("plot-section").hidden = !isShown;
  if (!isShown) return;
  const counts = await pointsOverFrames(chosen);
  if (state.chosen !== chosen) return;
  state.plot = counts;
  byId("plot-name").textContent = objectName(chosen);
  byId("plot-text").textContent = `${counted(counts[state.frame])} of at most ${counted(Math.max(...counts))} points`;
  drawPlot(byId("plot"), counts);
}

function drawPlot(canvas, counts) {
  const scale = Math.min(devicePixelRatio, 2);
  const [width, height] = [canvas.clientWidth, canvas.clientHeight];
  Object.assign(canvas, { width: Math.round(width * scale), height: Math.round(height * scale) });
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const style = getComputedStyle(document.documentElement);
  const ink = (name) => style.getPropertyValue(name).trim();
  const most = Math.max(...counts, 1);
  const x = (n) => PLOT_EDGE + (n / (counts.length - 1)) * (width - 2 * PLOT_EDGE);
  const y = (count) => height - PLOT_EDGE - (count / most) * (height - 2 * PLOT_EDGE);
  pen.beginPath();
  counts.forEach((count, n) => pen.lineTo(x(n), y(count)));
  pen.strokeStyle = ink("--accent");
  pen.lineWidth = 1.5;
  pen.stroke();
  pen.lineTo(x(counts.length - 1), height);
  pen.lineTo(x(0), height);
  pen.globalAlpha = 0.16;
  pen.fillStyle = ink("--accent");
  pen.fill();
  pen.globalAlpha = 1;
  pen.fillStyle = ink("--quiet");
  pen.fillRect(x(state.frame) - 0.5, 0, 1, height);
  pen.fillStyle = ink("--text");
  pen.beginPath();
  pen.arc(x(state.frame), y(counts[state.frame]), PLOT_EDGE, 0, 2 * Math.PI);
  pen.fill();
}

/** Go to the frame at a place of the plot. */
function seekInPlot({ offsetX, target }) {
  const share = (offsetX - PLOT_EDGE) / (target.clientWidth - 2 * PLOT_EDGE);
  goToFrame(Math.round(share * (manifest.frames.length - 1)));
}

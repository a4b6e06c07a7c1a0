// What is drawn over the points in two dimensions: names of objects, the mark, the measured line.

const FONT = "12px system-ui, sans-serif";

function drawOverlay(canvas, look, scale) {
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  pen.scale(scale, scale);
  pen.font = FONT;
  pen.textBaseline = "middle";
  if (state.boxes && state.labels) drawNames(pen, look);
  if (state.picked) drawMark(pen, look, state.picked.point);
  drawMeasure(pen, look);
}

/** Write a text on a plate of its own, so that it reads on any points. */
function plate(pen, text, x, y, ink) {
  const width = pen.measureText(text).width + 10;
  const style = getComputedStyle(document.documentElement);
  pen.fillStyle = style.getPropertyValue("--plate");
  pen.beginPath();
  pen.roundRect(x - width / 2, y - 9, width, 18, 4);
  pen.fill();
  pen.fillStyle = ink ?? style.getPropertyValue("--text");
  pen.textAlign = "center";
  pen.fillText(text, x, y + 0.5);
}

/** Write the names of the nearest objects; those that would lie on others are left out. */
function drawNames(pen, look) {
  const taken = [];
  const named = state.boxList
    .filter((box) => !box.isHost)
    .map((box) => ({ box, at: onScreen(look, box.top) }))
    .filter(({ at }) => at && at.depth < 40 * camera.distance)
    .sort((a, b) => a.at.depth - b.at.depth);
  for (const { box, at } of named.slice(0, 200)) {
    const text = `${box.type} ${box.id}`;
    const [x, y, half] = [at.x, at.y - 14, pen.measureText(text).width / 2 + 7];
    if (taken.some((t) => Math.abs(t.x - x) < t.half + half && Math.abs(t.y - y) < 20)) continue;
    taken.push({ x, y, half });
    plate(pen, text, x, y);
  }
}

function drawMark(pen, look, point) {
  const at = onScreen(look, point);
  if (!at) return;
  for (const [width, ink] of [[4, "#000a"], [2, "#fff"]]) {
    pen.lineWidth = width;
    pen.strokeStyle = ink;
    pen.beginPath();
    pen.arc(at.x, at.y, 8, 0, 2 * Math.PI);
    pen.stroke();
  }
}

function drawMeasure(pen, look) {
  const ends = state.measured.map((point) => onScreen(look, point));
  if (ends.some((end) => !end)) return;
  const path = () => {
    pen.beginPath();
    ends.forEach((end, n) => (n ? pen.lineTo(end.x, end.y) : pen.moveTo(end.x, end.y)));
    pen.stroke();
  };
  for (const [width, ink] of [[4, "#0009"], [1.5, "#ffd45e"]]) {
    pen.lineWidth = width;
    pen.strokeStyle = ink;
    path();
    for (const end of ends) {
      pen.beginPath();
      pen.arc(end.x, end.y, 4, 0, 2 * Math.PI);
      pen.stroke();
    }
  }
  if (ends.length === 2) {
    const gap = lengthOf(subtract(...state.measured));
    plate(pen, `${gap.toFixed(3)} m`, (ends[0].x + ends[1].x) / 2, (ends[0].y + ends[1].y) / 2 - 16);
  }
}

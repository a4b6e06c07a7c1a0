// The range image of one sensor: rings as rows, azimuths as columns, in the colours of the points.

const SQUARE = 3; // pixels of the image are at most so many times as wide as high

const rangeImage = { cloud: null, pointAtPixel: null, layer: null };

/** Show the image of a layer, or nothing. */
function showImage(layer, cloud) {
  const canvas = byId("image-canvas");
  const image = cloud?.header.image;
  Object.assign(rangeImage, { layer, cloud, pointAtPixel: null });
  byId("image-box").hidden = !image;
  if (!image) {
    const why = "no range image: 0 of its coordinates is far away";
    byId("image-text").textContent = cloud?.rows ? why : "no points";
    return;
  }
  const [rows, columns] = ["@row", "@column"].map((name) => numbersOf(cloud, name));
  const range = rangesOf(cloud);
  const points = new Int32Array(image.rows * image.columns).fill(-1);
  for (let i = 0; i < cloud.rows; i++) {
    const at = rows[i] * image.columns + columns[i];
    if (points[at] < 0 || range[i] < range[points[at]]) points[at] = i;
  }
  rangeImage.pointAtPixel = points;
  canvas.width = image.columns;
  canvas.height = image.rows;
  const box = byId("image-box").getBoundingClientRect();
  const most = SQUARE * (box.height / image.rows) * image.columns;
  canvas.style.width = `${Math.min(100, (100 * most) / box.width)}%`;
  paintImage();
  const half = image.labels[1] === "ring" ? Math.sign(image.extent[2] - image.extent[3]) / 2 : 0;
  const [left, right] = image.extent.map((value) => Math.round(value));
  const [bottom, top] = [image.extent[2] - half, image.extent[3] + half].map(Math.round);
  const [across, down] = image.labels.map((text) => text.replace(" [deg]", ""));
  const degree = (label) => (label.includes("[deg]") ? "°" : "");
  const [a, d] = image.labels.map(degree);
  byId("image-text").textContent =
    `${image.columns} × ${image.rows} · ${across} ${left}${a} to ${right}${a} · ` +
    `${down} ${top}${d} to ${bottom}${d}`;
}

/** Return the distances of the points from the sensor. */
function rangesOf({ places, offset, rows }) {
  const out = new Float64Array(rows);
  for (let i = 0, at = 0; i < rows; i++, at += 3) {
    out[i] = Math.hypot(
      places[at] + offset[0], places[at + 1] + offset[1], places[at + 2] + offset[2],
    );
  }
  return out;
}

/** Paint the pixels in the colours of their points. */
function paintImage() {
  const { pointAtPixel, layer } = rangeImage;
  if (!pointAtPixel || layer.shades.length === 0) return;
  const canvas = byId("image-canvas");
  const pen = canvas.getContext("2d");
  const image = pen.createImageData(canvas.width, canvas.height);
  for (let at = 0; at < pointAtPixel.length; at++) {
    if (pointAtPixel[at] < 0) continue;
    const from = 4 * layer.shades[pointAtPixel[at]];
    for (let k = 0; k < 4; k++) image.data[4 * at + k] = state.palette[from + k];
  }
  pen.putImageData(image, 0, 0);
}

/** Return the point nearest to a place of the image, shares of its width and height; or -1. */
function pointInImage(across, down) {
  const { cloud, pointAtPixel } = rangeImage;
  if (!pointAtPixel) return -1;
  const { rows, columns } = cloud.header.image;
  const [column, row] = [Math.floor(across * columns), Math.floor(down * rows)];
  let [best, least] = [-1, Infinity];
  for (let r = Math.max(0, row - 1); r <= Math.min(rows - 1, row + 1); r++) {
    for (let c = column - 3; c <= column + 3; c++) {
      const point = c < 0 || c >= columns ? -1 : pointAtPixel[r * columns + c];
      const off = (r - row) ** 2 + (c - column) ** 2;
      if (point >= 0 && off < least) [best, least] = [point, off];
    }
  }
  return best;
}

/** Return the pixel of a point, row by row; -1 without an image. */
function pixelOf(cloud, index) {
  const image = cloud.header.image;
  if (!image) return -1;
  return numbersOf(cloud, "@row")[index] * image.columns + numbersOf(cloud, "@column")[index];
}

/** Put the mark on the pixel of the picked point, if it is of this image. */
function markImage() {
  const mark = byId("image-mark");
  const { picked } = state;
  const shown = picked && rangeImage.pointAtPixel && picked.layer === rangeImage.layer;
  mark.hidden = !shown;
  if (!shown) return;
  const { rows, columns } = rangeImage.cloud.header.image;
  const pixel = pixelOf(rangeImage.cloud, picked.index);
  const canvas = byId("image-canvas");
  mark.style.left = `${(((pixel % columns) + 0.5) / columns) * canvas.clientWidth}px`;
  mark.style.top = `${((Math.floor(pixel / columns) + 0.5) / rows) * canvas.clientHeight}px`;
}

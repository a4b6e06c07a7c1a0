// Chunks: base64, gzip (by the browser), a header, and byte planes of codes. See encoding.py.

const KEPT_CLOUDS = 8;
const sentChunks = new Map(); // of a live page, by place

/** Return the bytes of a chunk. */
async function unpacked(place) {
  const text = atob(sentChunks.get(place) ?? byId(`chunk-${place}`).textContent);
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Return the codes of a column from its planes, lowest bytes first. */
function planes(bytes, start, rows, count) {
  const codes = new Uint32Array(rows);
  for (let plane = 0; plane < count; plane++) {
    const from = start + plane * rows;
    for (let i = 0; i < rows; i++) codes[i] |= bytes[from + i] << (8 * plane);
  }
  return codes;
}

/** Turn differences, whose lowest bit is the sign, into codes. */
function summed(codes) {
  let code = 0;
  for (let i = 0; i < codes.length; i++) {
    code = (code + ((codes[i] >>> 1) ^ -(codes[i] & 1))) | 0;
    codes[i] = code;
  }
}

/** Return a table: its header, and its columns by name. */
async function table(place) {
  const bytes = await unpacked(place);
  const size = new DataView(bytes.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + size)));
  const columns = new Map();
  let start = 4 + size;
  for (const column of header.columns) {
    const rows = column.rows ?? header.rows;
    const codes = planes(bytes, start, rows, column.bytes);
    if (!column.table) summed(codes);
    start += column.bytes * rows;
    columns.set(column.name, { ...column, codes });
  }
  return { rows: header.rows, header, columns };
}

/** Return the numbers of a column; NaN where there is none. */
function decoded(column) {
  const offset = Number(column.offset);
  const out = new Float64Array(column.codes.length);
  for (let i = 0; i < out.length; i++) {
    const code = column.codes[i];
    out[i] = column.none && !code ? NaN : offset + (code - column.none) * column.step;
  }
  return out;
}

/**
 * Return the places of the points, relative to an offset that keeps large coordinates out of
 * single precision.
 */
function decodedPlaces({ rows, columns }) {
  const places = new Float32Array(3 * rows);
  if (columns.has("@range")) {
    const [range, azimuth, elevation] = ["@range", "@azimuth", "@elevation"].map((name) =>
      decoded(columns.get(name)),
    );
    for (let i = 0; i < rows; i++) {
      const across = range[i] * Math.cos(elevation[i]);
      places[3 * i] = across * Math.cos(azimuth[i]);
      places[3 * i + 1] = across * Math.sin(azimuth[i]);
      places[3 * i + 2] = range[i] * Math.sin(elevation[i]);
    }
    return { places, offset: [0, 0, 0] };
  }
  const axes = ["x", "y", "z"].map((name) => columns.get(name));
  axes.forEach(({ codes, step }, axis) => {
    for (let i = 0; i < rows; i++) places[3 * i + axis] = codes[i] * step;
  });
  return { places, offset: axes.map((axis) => axis.offset) };
}

/** Fill in what the page tells from other columns. */
function derive(cloud) {
  for (const column of cloud.columns.values()) {
    if (column.derived === "distance") {
      column.numbers = rangesOf(cloud);
    } else if (column.derived === "percent") {
      const fraction = numbersOf(cloud, "reflectivity");
      column.numbers = fraction.map((value) => Math.min(100 * value, 100));
    }
  }
}

/** Return the numbers of a column of a cloud, decoded when they are first asked for. */
function numbersOf(cloud, name) {
  const column = cloud.columns.get(name);
  column.numbers ??= decoded(column);
  return column.numbers;
}

const clouds = new Map();

/** Return the cloud of a chunk; the last few are kept. */
function cloudOf(place) {
  const known = clouds.get(place) ?? table(place).then((found) => {
    const cloud = { ...found, ...decodedPlaces(found) };
    derive(cloud);
    return cloud;
  });
  clouds.delete(place); // so that it counts as the newest
  clouds.set(place, known);
  if (clouds.size > KEPT_CLOUDS) clouds.delete(clouds.keys().next().value);
  return known;
}

/** Return what a column says of a point, as text. */
function textAt(cloud, name, i) {
  const column = cloud.columns.get(name);
  if (column.table) {
    const value = column.table[column.codes[i]];
    const named = column.names?.[column.codes[i]];
    return named && named !== value ? `${named} · ${value}` : value;
  }
  if (typeof column.offset === "string") return String(BigInt(column.offset) + BigInt(column.codes[i]));
  return formatted(numbersOf(cloud, name)[i], column.step);
}

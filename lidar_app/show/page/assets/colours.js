// Colours: each point has an index into a palette, which is a ramp of numbers or a list of names.

const RAMP = 254; // colours of a ramp
const NO_NUMBER = 255; // place of the colour of points without a number
const PALETTE_ROWS = 16; // of 256 colours
const CLEAR = 256 * PALETTE_ROWS - 1; // place of no colour: such points are not drawn
const NOTHING = [118, 124, 134];
const LIGHTEST = 0.78; // of colours on a light page

// Stops from low to high. Both are even in lightness enough to read steps. The lowest is seen on a
// dark page; on a light one, `onSurface` darkens the highest.
const RAMPS = {
  spectrum: ["#5f4fc4", "#3a6fd8", "#2ea8d8", "#3ccf9a", "#a4e04c", "#f4d23c", "#f7913a", "#e0463e"],
  ember: ["#5f4fc4", "#9440b0", "#c0429a", "#e4566a", "#f7844e", "#fbb84a", "#fdeb8c"],
  signed: ["#e0463e", "#f0967a", "#8e949c", "#74aee0", "#3a6fd8"],
};
const EMBER = new Set(["reflectivity", "intensity", "snr"]);
const SIGNED = new Set(["radial_velocity"]); // 0 is in the middle of the ramp
const METRES = new Set(["x", "y", "z", "height"]);
const TITLES = {
  object_id: "object", material_id: "material", time_ns: "time", n_echoes: "echoes of the beam",
};
const FEW = new Set(["echo", "n_echoes", "origin", "label", "class", "classification", "return_number"]);
const FIRST = [
  "reflectivity", "intensity", "range", "height", "ring", "object_id", "material_id", "time_ns",
  "echo", "n_echoes", "origin", "snr", "radial_velocity",
];
const ALWAYS = ["height", "x", "y", "z"];
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"];

const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
const css = ([r, g, b]) => `rgb(${r} ${g} ${b})`;

/** Return the colour of a ramp at a share from 0 to 1. */
function onRamp(stops, share) {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const low = Math.min(Math.floor(place), stops.length - 2);
  const [a, b] = [rgb(stops[low]), rgb(stops[low + 1])];
  return a.map((value, k) => Math.round(value + (b[k] - value) * (place - low)));
}

/** Return the colour of the n-th name: hues far apart, in three shades. */
function nameColour(n) {
  const hue = (n * 0.61803398875 + 0.55) % 1;
  const [saturation, light] = [[0.46, 0.62], [0.42, 0.75], [0.5, 0.5]][n % 3];
  const channel = (k) => {
    const at = (k + hue * 12) % 12;
    const share = saturation * Math.min(light, 1 - light);
    return Math.round(255 * (light - share * Math.max(-1, Math.min(at - 3, 9 - at, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** Return the colour of a name: a material's own, else one by the order in which names are met. */
function colourOf(by, name, at) {
  if (name === "none") return NOTHING;
  const isKnown = by === "material_id" && Object.hasOwn(manifest.colours, name);
  return isKnown ? onSurface(rgb(manifest.colours[name])) : nameColour(at);
}

/** Return a colour that is seen on the page: on a light one, what is nearly white is darker. */
function onSurface(colour) {
  if (state.theme === "dark") return colour;
  const light = (0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]) / 255;
  return light > LIGHTEST ? colour.map((value) => Math.round((value * LIGHTEST) / light)) : colour;
}

const titleOf = (name) => TITLES[name] ?? name.replaceAll("_", " ");
const rampOf = (name) => RAMPS[SIGNED.has(name) ? "signed" : EMBER.has(name) ? "ember" : "spectrum"];

/** Return what some of the clouds can be coloured by. */
function colourings(now) {
  const names = now.flatMap((cloud) => [...cloud.columns.keys()]);
  const known = new Set([...names.filter((name) => !name.startsWith("@")), ...ALWAYS]);
  if (manifest.sensors.length > 1) known.add("sensor");
  if (manifest.frames.length > 1) known.add("frame");
  const first = FIRST.filter((name) => known.has(name));
  return [...first, ...[...known].filter((name) => !first.includes(name))];
}

/** Return the unit of a column; "" where the file does not tell. */
function unitOf(now, name) {
  if (METRES.has(name)) return "m";
  return now.map((cloud) => cloud.columns.get(name)?.unit).find((unit) => unit) ?? "";
}

/** Return whether a cloud has what it is to be coloured by. */
function hasColouring(cloud, by) {
  return cloud.columns.has(by) || ALWAYS.includes(by) || by === "sensor" || by === "frame";
}

/** Names that were met, by column: they keep their colours from frame to frame. */
const met = new Map();
const hidden = new Map();

function placeOfName(by, name) {
  if (!met.has(by)) met.set(by, new Map());
  const names = met.get(by);
  if (!names.has(name)) names.set(name, Math.min(names.size, 256 * PALETTE_ROWS - 2));
  return names.get(name);
}

/** Return the names of a colouring and each point's place among them; null if it has numbers. */
function namesOf(cloud, by, scan) {
  if (by === "sensor") return { names: [manifest.sensors[scan.sensor]], codes: null };
  const column = cloud.columns.get(by);
  if (!hasColouring(cloud, by)) return { names: ["none"], codes: null };
  if (column?.table) return { names: column.names ?? column.table, codes: column.codes };
  if (!column || !FEW.has(by) || typeof column.offset !== "string") return null;
  const first = Number(column.offset);
  const last = column.codes.reduce((most, code) => Math.max(most, code), 0);
  if (last > 255) return null;
  const names = Array.from({ length: last + 1 }, (_, n) => {
    return by === "echo" ? (ORDINALS[first + n] ?? `${first + n + 1}th`) : String(first + n);
  });
  return { names, codes: column.codes };
}

/** Return the numbers that colour a scan. */
function numbersFor(cloud, by, scan) {
  if (by === "frame") return new Float64Array(cloud.rows).fill(scan.number);
  const axis = ["x", "y", "z"].indexOf(by);
  if (axis < 0 && by !== "height") return numbersOf(cloud, by);
  const { places, offset } = cloud;
  const out = new Float64Array(cloud.rows);
  if (by !== "height") {
    for (let i = 0; i < out.length; i++) out[i] = places[3 * i + axis] + offset[axis];
    return out;
  }
  const m = scan.matrixEnd;
  const base = manifest.anchor[2] + moved(m, offset)[2];
  for (let i = 0; i < out.length; i++) {
    out[i] = m[2] * places[3 * i] + m[6] * places[3 * i + 1] + m[10] * places[3 * i + 2] + base;
  }
  return out;
}

/** Return limits that leave out the extreme points, and whether steps count as factors. */
function limitsOf(lists, isWhole) {
  const sample = [];
  for (const list of lists) {
    const every = Math.max(1, Math.floor((list.length * lists.length) / 20000));
    for (let i = 0; i < list.length; i += every) if (!Number.isNaN(list[i])) sample.push(list[i]);
  }
  if (!sample.length) return { low: 0, high: 1, log: false };
  sample.sort((a, b) => a - b);
  const at = (share) => sample[Math.round(share * (sample.length - 1))];
  let [low, high] = [at(0.01), at(0.99)];
  if (high === low) [low, high] = [low - 0.5, high + 0.5];
  const log = !isWhole && low > 0 && high / low > 50 && at(0.5) < 0.2 * high;
  const step = 10 ** Math.floor(Math.log10(high - low) - 2);
  const digits = (value) => (log ? Number(value.toPrecision(3)) : Number((Math.round(value / step) * step).toPrecision(6)));
  const far = Math.abs(low) > 1e4 * (high - low); // such as a time since 1970
  return far ? { low, high, log: false } : { low: digits(low), high: digits(high), log };
}

/** Return limits as far below 0 as above it. */
function evenLimits({ low, high }) {
  const most = Math.max(Math.abs(low), Math.abs(high));
  return { low: -most, high: most, log: false };
}

/** Return the share of a number between limits. */
function shareOf(value, { low, high, log }) {
  return log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
}

/** Return the places in the palette of the points of a scan. */
function shades(cloud, by, scan, limits) {
  const out = new Uint16Array(cloud.rows);
  const named = namesOf(cloud, by, scan);
  if (limits && !hasColouring(cloud, by)) return out.fill(NO_NUMBER);
  if (named) {
    const places = named.names.map((name) => placeOfName(by, name));
    for (let i = 0; i < out.length; i++) out[i] = places[named.codes ? named.codes[i] : 0];
    return out;
  }
  const numbers = numbersFor(cloud, by, scan);
  for (let i = 0; i < out.length; i++) {
    const share = shareOf(numbers[i], limits);
    out[i] = Number.isNaN(numbers[i])
      ? NO_NUMBER
      : Math.round(Math.min(Math.max(share || 0, 0), 1) * (RAMP - 1));
  }
  return out;
}

/** Return the palette, four bytes a colour; those of hidden names are clear. */
function paletteOf(by) {
  const out = new Uint8Array(4 * 256 * PALETTE_ROWS);
  const names = met.get(by);
  const put = (at, colour, alpha = 255) => out.set([...colour, alpha], 4 * at);
  if (names) {
    for (const [name, at] of names) {
      put(at, colourOf(by, name, at), hidden.get(by)?.has(name) ? 0 : 255);
    }
    return out;
  }
  for (let at = 0; at < RAMP; at++) put(at, onSurface(onRamp(rampOf(by), at / (RAMP - 1))));
  put(NO_NUMBER, NOTHING);
  return out;
}

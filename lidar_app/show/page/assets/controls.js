// Pointer, keys and switches.

const KEYS = [
  ["Drag", "turn"], ["Shift and drag, or right button", "move"], ["Wheel, or two fingers", "come closer"],
  ["Click", "columns of a point"], ["Double click", "turn about a point"],
  ["Space", "play"], ["← →", "frame before, next frame"], ["Home End", "first frame, last frame"],
  ["c", "next colour"], ["+ −", "point size"], ["a", "accumulate all frames, or one"],
  ["b", "objects"], ["n", "their names"], ["e", "the scene"], ["l", "paths of moving objects"], ["g", "grid"], ["d", "depth shading"],
  ["i", "range image"], ["o", "follow the sensor"], ["r", "one side, the other, both"], ["m", "measure"], ["p", "side panel"],
  ["1 2 3 4", "from behind, above, the side, the sensor"], ["f", "back to the first view"],
  ["s", "save a picture"], ["t", "light or dark"], ["Esc", "forget point and measure"], ["?", "this list"],
];

function bindPointer(canvas) {
  const pointers = new Map();
  let travelled = 0;
  const gap = () => {
    const [a, b] = [...pointers.values()];
    return Math.hypot(a.x - b.x, a.y - b.y);
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    travelled = 0;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = pointers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.offsetX - last.x, event.offsetY - last.y];
    travelled += Math.abs(dx) + Math.abs(dy);
    const before = pointers.size === 2 ? gap() : 0;
    pointers.set(event.pointerId, { x: event.offsetX, y: event.offsetY });
    const isMove = event.shiftKey || event.buttons & 6;
    if (pointers.size === 2) {
      zoom(before / Math.max(gap(), 1), event.offsetX, event.offsetY, look);
      pan(dx / 2, dy / 2, look.height);
    } else if (isMove) pan(dx, dy, look.height);
    else orbit(dx, dy);
    redraw();
  });
  const end = (event) => {
    const isClick = pointers.size === 1 && travelled < 4 && event.type === "pointerup";
    pointers.delete(event.pointerId);
    if (isClick && event.button === 0) clickAt(event.offsetX, event.offsetY);
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", (event) => {
    const found = pointAt(state.layers, look, event.offsetX, event.offsetY);
    if (found) lookTo(placeInScene(found.layer, found.index));
    redraw();
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.min(Math.max(event.deltaY, -200), 200) * 0.0015), event.offsetX, event.offsetY, look);
    redraw();
  }, { passive: false });
}

function bindImage() {
  byId("image-canvas").addEventListener("click", (event) => {
    const { clientWidth, clientHeight } = event.target;
    const index = pointInImage(event.offsetX / clientWidth, event.offsetY / clientHeight);
    if (index >= 0) pick(rangeImage.layer, index);
  });
  byId("image-sensor").addEventListener("change", (event) => {
    state.imageSensor = Number(event.target.value);
    show();
  });
}

const SWITCHES = {
  boxes: () => show(), scene: () => show(), paths: () => meanwhile(showPaths()), labels: () => redraw(), grid: () => redraw(), shading: () => redraw(),
  follow: () => show(), image: () => layout(),
};
const SWITCH_IDS = { scene: "meshes" }; // the canvas has the name of the state

function bindSwitches() {
  for (const [name, act] of Object.entries(SWITCHES)) {
    byId(SWITCH_IDS[name] ?? name).addEventListener("change", (event) => {
      state[name] = event.target.checked;
      act();
    });
  }
  byId("plot").addEventListener("click", seekInPlot);
  byId("colour-by").addEventListener("change", (event) => colourBy(event.target.value));
  byId("size").addEventListener("input", (event) => setSize(Number(event.target.value)));
  byId("accumulate").addEventListener("input", (event) => setAccumulate(Number(event.target.value)));
  byId("frame").addEventListener("input", (event) => goToFrame(Number(event.target.value)));
  const clicks = {
    fit: resetView, measure: toggleMeasure, screenshot: savePicture, theme: toggleTheme,
    "panel-switch": togglePanel, "help-open": () => byId("help").showModal(),
    back: () => goToFrame(state.frame - 1), next: () => goToFrame(state.frame + 1), play: togglePlay,
  };
  for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);
}

/** Offer the sensors whose range image can be shown. */
function makeImageSensors() {
  byId("image-sensor").replaceChildren(
    ...manifest.sensors.map((name, value) => element("option", { value, textContent: name })),
  );
  byId("image-sensor").hidden = manifest.sensors.length < 2;
}

/** Make the switch between two sides, and begin with the first, in a colour that both have. */
function makeSides() {
  byId("sensors").setAttribute("aria-label", "Sides");
  [...manifest.sides, "both"].forEach((name, side) => {
    const chip = element("button", { textContent: name, title: "Show this side (r: the next)" });
    chip.setAttribute("aria-pressed", String(side === 0));
    chip.addEventListener("click", () => setSide(side));
    byId("sensors").append(chip);
  });
  Object.assign(state, { sensors: sensorsOf(0), colourBy: state.colourBefore });
  tell("Press r to change between both sides.");
}

/** Make a switch for each sensor, where there are several. */
function makeSensors() {
  if (manifest.sensors.length < 2) return;
  manifest.sensors.forEach((name, sensor) => {
    const chip = element("button", { textContent: name, title: "Show or hide this sensor" });
    chip.setAttribute("aria-pressed", "true");
    chip.addEventListener("click", () => {
      if (!state.sensors.delete(sensor)) state.sensors.add(sensor);
      chip.setAttribute("aria-pressed", String(state.sensors.has(sensor)));
      show();
    });
    byId("sensors").append(chip);
  });
}

const flip = (name) => byId(name).click();
const KEY_ACTIONS = {
  " ": togglePlay, ArrowLeft: () => goToFrame(state.frame - 1), ArrowRight: () => goToFrame(state.frame + 1),
  Home: () => goToFrame(0), End: () => goToFrame(manifest.frames.length - 1),
  c: nextColour, "+": () => setSize(state.size + 0.5), "=": () => setSize(state.size + 0.5),
  "-": () => setSize(state.size - 0.5),
  a: () => setAccumulate(state.accumulate > 1 ? 1 : manifest.frames.length),
  b: () => flip("boxes"), n: () => flip("labels"), e: () => flip("meshes"), l: () => flip("paths"), g: () => flip("grid"), d: () => flip("shading"),
  i: () => flip("image"), o: () => flip("follow"), r: nextSide, m: toggleMeasure, p: togglePanel,
  1: () => view("behind"), 2: () => view("above"), 3: () => view("side"), 4: () => view("sensor"),
  f: resetView, s: savePicture, t: toggleTheme, Escape: forget, "?": () => byId("help").showModal(),
};

function bindKeys() {
  byId("keys").replaceChildren(
    ...KEYS.flatMap(([key, what]) => [
      element("dt", { textContent: key }), element("dd", { textContent: what }),
    ]),
  );
  addEventListener("keydown", (event) => {
    const { target } = event;
    const isText = target.tagName === "SELECT" || (target.tagName === "INPUT" && target.type === "number");
    const isSlider = target.type === "range" && event.key.startsWith("Arrow");
    const isButton = target.tagName === "BUTTON" && event.key === " ";
    if (isText || isSlider || isButton || byId("help").open) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = KEY_ACTIONS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

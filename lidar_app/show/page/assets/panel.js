// The side panel: legend, columns of the picked point, what the page says of itself.

const MOST_NAMES = 60;

/** Fill the list of colourings from what the shown clouds have. */
function showColourings(now) {
  const select = byId("colour-by");
  const known = colourings(now);
  if (select.dataset.names !== known.join("\n")) {
    select.dataset.names = known.join("\n");
    select.replaceChildren(
      ...known.map((name) => {
        const unit = unitOf(now, name);
        const textContent = titleOf(name) + (unit && ` [${unit}]`);
        return element("option", { value: name, textContent });
      }),
    );
  }
  select.value = state.colourBy;
}

/** Show what the colours mean: a ramp with its limits, or names with their numbers of points. */
function showLegend(now, scans) {
  showColourings(now);
  const legend = byId("legend");
  if (!now.length) {
    legend.replaceChildren();
  } else if (!state.limits.has(state.colourBy)) {
    legend.replaceChildren(nameLegend(now, scans));
  } else {
    legend.replaceChildren(...rampLegend());
  }
}

function rampLegend() {
  const by = state.colourBy;
  const limits = state.limits.get(by);
  const bar = element("div", { className: "ramp" });
  bar.style.background = `linear-gradient(to right, ${rampOf(by).map((stop) => css(onSurface(rgb(stop)))).join(", ")})`;
  const end = (key, label) => {
    const input = element("input", { type: "number", step: "any", value: limits[key] });
    input.setAttribute("aria-label", label);
    input.addEventListener("change", () => {
      const value = Number(input.value);
      const changed = { ...limits, [key]: value };
      if (input.value === "" || !(changed.low < changed.high)) {
        input.value = limits[key];
        return;
      }
      state.limits.set(by, { ...changed, log: limits.log && changed.low > 0 });
      recolour();
    });
    return input;
  };
  const auto = element("button", { textContent: "Fit", title: "Limits from this frame" });
  auto.addEventListener("click", () => {
    state.limits.delete(by);
    recolour();
  });
  const note = element("span", { className: "quiet", textContent: limits.log ? "log" : "" });
  const ends = element("div", { className: "ends" }, end("low", "Lowest"), note, auto, end("high", "Highest"));
  return [bar, ends];
}

function nameLegend(now, scans) {
  const by = state.colourBy;
  const counts = new Map();
  now.forEach((cloud, n) => {
    const { names, codes } = namesOf(cloud, by, scans[n]);
    const found = new Uint32Array(names.length);
    if (codes) codes.forEach((code) => (found[code] += 1));
    else found[0] = cloud.rows;
    names.forEach((name, k) => counts.set(name, (counts.get(name) ?? 0) + found[k]));
  });
  const met = [...counts].filter(([, count]) => count > 0);
  const sorted = met.sort((a, b) => b[1] - a[1]).slice(0, MOST_NAMES);
  const list = element("ul", { className: "names" });
  for (const [name, count] of sorted) {
    const isHidden = hidden.get(by)?.has(name) ?? false;
    const swatch = element("i");
    swatch.style.background = css(colourOf(by, name, placeOfName(by, name)));
    const label = by === "object_id" ? objectName(name) : name;
    const button = element(
      "button", { title: "Hide or show" }, swatch,
      element("span", { textContent: label }), element("b", { textContent: counted(count) }),
    );
    button.setAttribute("aria-pressed", String(!isHidden));
    button.addEventListener("click", () => toggleName(by, name));
    list.append(element("li", {}, button));
  }
  return list;
}

function toggleName(by, name) {
  if (!hidden.has(by)) hidden.set(by, new Set());
  const names = hidden.get(by);
  if (!names.delete(name)) names.add(name);
  recolour();
}

/** Return an object's id with its type, where the boxes of the frame tell it. */
function objectName(id) {
  const box = state.boxIndex.get(id);
  return box ? `${box.type} ${id}` : id;
}

/** Show the columns of the picked point. */
function showPoint() {
  const body = byId("point").tBodies[0];
  const { picked } = state;
  byId("point-hint").hidden = Boolean(picked);
  body.replaceChildren();
  if (!picked) return;
  const { cloud, index, layer } = picked;
  const row = (name, value, unit = "") =>
    body.append(
      element(
        "tr", {}, element("th", { scope: "row", textContent: name }),
        element("td", { textContent: value }), element("td", { textContent: unit }),
      ),
    );
  if (manifest.sensors.length > 1) row("sensor", manifest.sensors[layer.scan.sensor]);
  if (state.accumulate > 1) row("frame", String(layer.scan.number));
  const step = cloud.header.step_m;
  ["x", "y", "z"].forEach((axis, k) => {
    row(axis, formatted(cloud.places[3 * index + k] + cloud.offset[k], step), "m");
  });
  for (const name of cloud.columns.keys()) {
    if (name.startsWith("@") || ["x", "y", "z"].includes(name)) continue;
    const text = textAt(cloud, name, index);
    row(titleOf(name), name === "object_id" ? objectName(text) : text, unitOf([cloud], name));
  }
  if (cloud.header.left_out) row("not in the page", `${cloud.header.left_out} columns`);
  if (manifest.hasPoses) {
    const world = add(picked.point, manifest.anchor);
    ["x", "y", "z"].forEach((axis, k) => row(`world ${axis}`, formatted(world[k], step), "m"));
  }
}

/** Show the number, time and points of the frame. */
function showFrameText(frame, scans) {
  const points = scans.reduce((sum, scan) => sum + scan.points, 0);
  const several = manifest.frames.length > 1;
  const when = several ? `frame ${frame.number} · ${frame.time_s.toFixed(3)} s · ` : "";
  byId("frame-text").textContent = `${when}${counted(points)} points`;
  byId("frame").value = String(state.frame);
  byId("frame").setAttribute("aria-valuetext", byId("frame-text").textContent);
}

/** Say to what places are rounded, and what the page lacks. */
function showNotes() {
  const steps = manifest.steps_m.map(asLength);
  const step = steps.length > 1 ? `${steps[0]} to ${steps.at(-1)}` : steps[0];
  const lines = [`Places are rounded to ${step ?? "nothing"}.`];
  for (const note of manifest.notes) lines.push(`This page ${note}.`);
  lines.push(`osi-lidar ${manifest.version}`);
  byId("notes").replaceChildren(...lines.map((text) => element("p", { textContent: text })));
}

/** Show a line at the bottom of the scene, for a while. */
function tell(text) {
  const hint = byId("hint");
  hint.textContent = text;
  hint.hidden = false;
  clearTimeout(tell.timer);
  tell.timer = setTimeout(() => (hint.hidden = true), 6000);
}

// The page of a stream: frames come from a server, and the last few are kept.

const KEPT_FRAMES = 50;
const LIVE_PAUSE = 100; // between two frames, so that the model has time for its own work [ms]
let nextPlace = 0;

/** Return the next frame that is another than the last one; null while none comes. */
async function frameAfter(number) {
  const asked = new URLSearchParams(location.search); // the token of the page, if there is one
  asked.set("after", number);
  const answer = await fetch(`frame?${asked}`);
  return answer.status === 200 ? answer.json() : null;
}

/** Add a frame to those of the page, and forget the oldest. */
function takeIn({ frame, chunks, host, colours, steps_m }) {
  Object.assign(manifest, { host, steps_m, colours: { ...manifest.colours, ...colours } });
  if (frame.boxes !== null) frame.boxes += nextPlace;
  for (const scan of frame.scans) scan.chunk += nextPlace;
  for (const chunk of chunks) sentChunks.set(nextPlace++, chunk);
  manifest.frames.push(frame);
  if (manifest.frames.length <= KEPT_FRAMES) return 0;
  const { boxes, scans } = manifest.frames.shift();
  for (const place of [boxes, ...scans.map((scan) => scan.chunk)]) {
    sentChunks.delete(place);
    boxTables.delete(place);
  }
  return 1;
}

/** Wait for the first frame of a stream, which the page begins with. */
async function firstOfStream() {
  let first = null;
  while (!first) first = await frameAfter(0);
  takeIn(first);
  state.boxes = first.frame.boxes !== null;
}

/** Show frames as they come, unless the user looks at an older one. */
async function followStream() {
  for (;;) {
    const began = performance.now();
    let next = null;
    try {
      next = await frameAfter(manifest.frames.at(-1).number);
      byId("live").textContent = "Live";
    } catch {
      byId("live").textContent = "Ended"; // until a stream answers at this address again
    }
    if (next) await showNewest(next);
    const left = (next ? LIVE_PAUSE : 1000) - (performance.now() - began);
    await new Promise((resolve) => setTimeout(resolve, Math.max(left, 0)));
  }
}

async function showNewest(next) {
  const isNewest = state.frame === manifest.frames.length - 1 && !state.playing;
  const gone = takeIn(next);
  prepareFrame(next.frame);
  byId("frame").max = String(manifest.frames.length - 1);
  if (isNewest) await goToFrame(manifest.frames.length - 1);
  else if (gone) await goToFrame(state.frame - 1);
}

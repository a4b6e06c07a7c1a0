# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A page of another origin, in a real browser, tries every port: it reads nothing, changes nothing.

The page has all that a page may do without the user: requests with and without CORS, forms' kind of
POST with lines of JSON, WebSockets, event streams, scripts, pictures and frames. It is served at
another port of the same address, under another name of this machine, and under a name of its own
that leads to this machine.
"""

import http.server
import json
import threading
from contextlib import contextmanager

import pytest

from tests.builders.messages import framed, moving
from tests.osi_lidar.live.streams import Peer, Process, until
from tests.osi_lidar.live.test_control import Operator

pytestmark = pytest.mark.slow

CHANGE = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, -5]]}}
SOURCE = 3
"""Messages that the source sends before the page is open, so that there is something to read."""
ATTACK = """
async (ports) => {
  const read = [];
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const lines = JSON.stringify(CHANGE) + "\\n";
  const subscriptions = [1, 2, 3].map((n) => ({ id: n, channelId: n }));
  const subscribe = { op: "subscribe", subscriptions };
  async function fetched(url, options) {
    try {
      const answer = await fetch(url, { signal: AbortSignal.timeout(4000), ...options });
      if (answer.type !== "opaque") read.push(["fetch", url, answer.status, await answer.text()]);
    } catch {}
  }
  function opened(url, protocols) {
    try {
      const socket = new WebSocket(url, protocols);
      socket.onopen = () => { socket.send(JSON.stringify(subscribe)); socket.send("\\n" + lines); };
      socket.onmessage = (event) => read.push(["websocket", url, String(event.data).slice(0, 80)]);
    } catch {}
  }
  function embedded(kind, url) {
    const element = document.createElement(kind);
    if (kind === "iframe") {
      element.onload = () => {
        try {
          const text = element.contentDocument && element.contentDocument.body.innerText;
          if (text) read.push([kind, url, text]);
        } catch {}
      };
    } else element.onload = () => read.push([kind, url]);
    element.src = url;
    document.body.append(element);
  }
  const tried = [];
  for (const host of ["127.0.0.1", "localhost", "attacker.test"])
    for (const port of ports) {
      for (const path of ["", "metrics", "frame?after=0"]) {
        const url = `http://${host}:${port}/${path}`;
        tried.push(fetched(url), fetched(url, { mode: "no-cors" }));
        for (const kind of ["script", "img", "iframe"]) embedded(kind, url);
        const events = new EventSource(url);
        events.onmessage = (event) => read.push(["events", url, event.data]);
        setTimeout(() => events.close(), 4000);
      }
      const url = `http://${host}:${port}/`;
      for (const mode of ["no-cors", "cors"])
        for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
          const headers = { "Content-Type": type };
          tried.push(fetched(url, { method: "POST", mode, headers, body: "\\n" + lines + lines }));
        }
      tried.push(fetched(url, { method: "PUT", body: lines }), fetched(`https://${host}:${port}/`));
      opened(`ws://${host}:${port}/`, ["foxglove.sdk.v1"]);
      opened(`ws://${host}:${port}/`, ["foxglove.websocket.v1"]);
      opened(`ws://${host}:${port}/`);
    }
  await Promise.all(tried);
  await wait(3000);
  return read;
}
""".replace("JSON.stringify(CHANGE)", f"JSON.stringify({json.dumps(CHANGE)})")


@contextmanager
def page_of_a_stranger():
    """Serve an empty page; give its port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>games</title><body></body>")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def ports_of(stream, player):
    """Return the ports of the product, by the words with which they are told."""
    found = {word: stream.port(word) for word in ("listening", "SensorData", "control", "viewers")}
    found["page"] = stream.port("browser")
    found["metrics"] = int(stream.line(r"metrics at http://127.0.0.1:(\d+)/metrics")[1])
    found["play"] = player.port()
    return found


def test_a_page_of_another_origin_reads_nothing_and_changes_nothing(
    browser_of_a_victim, config, trace
):
    pytest.importorskip("websockets")
    options = ("--publish", "--control", "--metrics", "--view", "--foxglove")
    with (
        page_of_a_stranger() as own,
        Process("play", trace, "--listen", 0, "--loop") as player,
        Process(
            *("stream", "--listen", 0, "--backlog", "queue", "--config", config),
            *(each for name in options for each in (name, 0)),
        ) as stream,
    ):
        ports = ports_of(stream, player)
        with Peer(ports["SensorData"]) as subscriber:
            with Peer(ports["listening"]) as source:
                source.send(framed(moving(SOURCE)))
                before = [subscriber.message() for _ in range(SOURCE)]
                source.finish()
            for host in ("127.0.0.1", "localhost", "attacker.test"):
                page = browser_of_a_victim.new_page()
                page.goto(f"http://{host}:{own}/")
                assert page.evaluate(ATTACK, list(ports.values())) == []
                page.close()
            page = browser_of_a_victim.new_page()
            for port in (ports["page"], ports["metrics"]):  # its name now leads to the port itself
                assert page.goto(f"http://attacker.test:{port}/").status == 403
                assert page.goto(f"http://127.0.0.1:{port}/").status == 200  # the user's own
            page.close()
            with Operator(ports["control"]) as operator:
                assert operator.ask({"motion_blur": False})[0]["ok"] is True
            stream.line("sensor .*motion_blur.*after message")  # the user's own command
            assert sum("after message" in line for line in stream.lines) == 1
            with Peer(ports["listening"]) as source:
                source.send(framed(moving(SOURCE)))
                assert [subscriber.message() for _ in range(SOURCE)] == before
        until(lambda: "speaks HTTP" in "".join(stream.lines + player.lines), "the log tells of it")
        assert "Traceback" not in "\n".join(stream.lines + player.lines)
        assert all(process.running() for process in (stream, player))

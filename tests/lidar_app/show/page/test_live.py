# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a stream: what a browser is given when it asks, and what it is not."""

import base64
import http.client
import json
import socket
import threading
import time
from contextlib import suppress

import pytest

from lidar_app.exports.object_track import HeardObjects, ObjectTrack
from lidar_app.show.page import live
from lidar_app.show.page.box_chunk import box_chunk
from lidar_app.show.page.cloud_chunk import cloud_chunk
from lidar_app.show.page.scanned_objects import ObjectScan, objects_at_scan_times
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from osi_lidar.config.scene import Teleport
from osi_lidar.errors import InputError
from osi_lidar.live.endpoint import Endpoint
from osi_lidar.live.ports.guard import Guard
from osi_lidar.live.viewers import Moment
from raycore.scene.jumps import JumpLimits
from tests.builders.messages import framed, moving
from tests.commands import assert_one_line, run
from tests.osi_lidar.live.streams import PATIENCE_S, Peer, streaming, tiny, until

N_MESSAGE = 3
LIMITS = JumpLimits.of(Teleport())


def endpoint(text="127.0.0.1:0"):
    return Endpoint.parse("--view", text)


@pytest.fixture(scope="module")
def moments():
    model, decoder = LidarModel(tiny()), FrameDecoder("SensorView")
    found = []
    for index, data in enumerate(moving(N_MESSAGE)):
        frame = decoder.decode(data, index)
        found.append(Moment(data, frame, model.step(frame)))
    return found


@pytest.fixture
def served():
    with live.serving_page(endpoint(), tiny()) as (page, address):
        yield page, address


def ask(address, path, host=None):
    """Return status and body of an answer."""
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    try:
        connection.request("GET", path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def frame_after(address, number):
    """Ask as the page does: again, where none came while the server waited."""
    status, deadline_s = 204, time.monotonic() + PATIENCE_S
    while status == 204:
        assert time.monotonic() < deadline_s
        status, body = ask(address, f"/frame?after={number}")
    assert status == 200
    return json.loads(body)


def test_the_page_asks_nobody_but_the_server_it_is_from(served):
    status, body = ask(served[1], "/")
    assert status == 200
    assert b"default-src 'none'" in body
    assert b"connect-src 'self'" in body
    assert b'"live":true' in body


def test_a_browser_gets_the_newest_frame_with_its_cloud_and_boxes(served, moments):
    page, address = served
    for moment in moments:
        page.show(moment)
    content = frame_after(address, 0)
    assert content["frame"]["number"] == N_MESSAGE
    (scan,) = content["frame"]["scans"]
    last = moments[-1]
    materials = last.step.materials
    cloud = cloud_chunk(last.step.scans[0].cloud.points, materials=materials)
    assert scan["points"] == cloud.n_point
    assert base64.b64decode(content["chunks"][scan["chunk"]]) == cloud.data
    boxes = base64.b64decode(content["chunks"][content["frame"]["boxes"]])
    seen = ObjectScan(last.step.scans[0].begin_ns, last.frame.time_ns, True, cloud.objects)
    track = ObjectTrack({n: HeardObjects.of(each.frame) for n, each in enumerate(moments)})
    assert boxes == box_chunk(objects_at_scan_times(track, N_MESSAGE - 1, [seen], LIMITS))
    assert set(content["colours"]) == set(materials)


def test_a_browser_waits_for_the_frame_after_the_one_it_has(served, moments):
    page, address = served
    page.show(moments[0])
    found = []
    asking = threading.Thread(target=lambda: found.append(frame_after(address, 1)))
    asking.start()
    page.show(moments[1])
    asking.join(PATIENCE_S)
    (content,) = found
    assert content["frame"]["number"] == 2
    assert content["frame"]["time_s"] == 0.0  # the first one that was encoded


def test_time_begins_again_with_a_source_that_starts_again(served, moments):
    page, address = served
    page.show(moments[2])
    assert frame_after(address, 0)["frame"]["time_s"] == 0.0
    page.show(moments[0])
    assert frame_after(address, 1)["frame"]["time_s"] == 0.0
    page.show(moments[1])
    assert frame_after(address, 2)["frame"]["time_s"] == pytest.approx(0.1)


def test_a_frame_is_encoded_for_those_who_ask_and_once(served, moments, monkeypatch):
    page, address = served
    encoded = []
    monkeypatch.setattr(live, "box_chunk", lambda objects: encoded.append(1) or box_chunk(objects))
    for moment in moments:
        page.show(moment)
    assert not encoded
    assert frame_after(address, 0) == frame_after(address, 0)
    assert len(encoded) == 1


def test_where_no_frame_comes_the_browser_asks_again(served, monkeypatch):
    monkeypatch.setattr(live, "LONGEST_WAIT_S", 0.05)
    assert ask(served[1], "/frame?after=0") == (204, b"")


@pytest.mark.parametrize(
    "path",
    [
        *("/frame", "/frame?after=x", "/frame?after=-1", "/etc/passwd", "/frame?after=%D9%A3"),
        f"/frame?after={'9' * 19}",
        f"/frame?after={'9' * 5000}",
    ],
)
def test_other_paths_are_not_there(served, path):
    assert ask(served[1], path)[0] == 404


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("127.0.0.1:8080", 200), ("[::1]:80", 200), ("evil.example", 403)],
)
def test_pages_of_others_cannot_ask_by_a_name_of_their_own(served, host, status):
    assert ask(served[1], "/", host)[0] == status


@pytest.mark.parametrize("path", ["/", "/frame?after=0"])
def test_with_a_token_nobody_gets_anything_without_it(moments, path):
    guard = Guard(token="a-long-token")  # noqa: S106  of this test
    with live.serving_page(endpoint(), tiny(), guard) as (page, address):
        page.show(moments[0])
        assert ask(address, path) == (401, b"the token is missing or wrong")
        joint = "&" if "?" in path else "?"
        assert ask(address, f"{path}{joint}token=a-long-token")[0] == 200


def test_a_browser_that_leaves_in_the_middle_is_no_error(served, moments, capfd):
    page, address = served
    page.show(moments[0])
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port))) as browser:
        browser.sendall(b"GET /frame?after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert ask(address, "/")[0] == 200
    assert capfd.readouterr().err == ""


def test_the_end_of_the_stream_ends_those_who_wait(moments):
    def wait():
        with suppress(OSError, http.client.HTTPException):  # may come too late
            ask(address, "/frame?after=1")

    with live.serving_page(endpoint(), tiny()) as (page, address):
        page.show(moments[0])
        asking = threading.Thread(target=wait)
        asking.start()
    asking.join(PATIENCE_S)
    assert not asking.is_alive()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("no-such-host.invalid:0", "cannot listen there"),
        (f"{'a' * 70}.b:0", "expected the name or address of a host"),
    ],
)
def test_an_address_that_cannot_be_used_is_one_line(text, words):
    with (
        pytest.raises(InputError, match=words) as caught,
        live.serving_page(endpoint(text), tiny()),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_a_port_in_use_is_one_line(config):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("stream", "--listen", 0, "--config", config, "--view", port)
    assert_one_line(result, 2, f"--view 127.0.0.1:{port}", "cannot listen there")


def test_a_stream_shows_its_frames():
    def server(configuration):
        return live.serving_page(endpoint(), configuration)

    with streaming(tiny(), page=server) as stream:
        until(lambda: stream.state.page and stream.state.source, "all addresses are open")
        with Peer(stream.port) as peer:
            peer.send(framed(moving(1)))
            content = frame_after(stream.state.page, 0)
    assert content["frame"]["number"] == 1
    assert content["frame"]["scans"][0]["sensor"] == 0

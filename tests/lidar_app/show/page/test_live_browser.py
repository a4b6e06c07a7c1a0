# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page of a stream in a browser: it follows the demo, and grows no more once it is full."""

import time

import pytest

from osi_lidar.run.example_scene import street
from tests.osi_lidar.live.streams import PATIENCE_S, Process

pytestmark = pytest.mark.slow
KEPT = 50
"""Frames that the page keeps."""
N_FURTHER = 400
"""Messages that come once it is full, in 40 s; not all of them are shown."""
MOST_GROWTH = 1.3
"""Of the memory of the page's program meanwhile."""


def address_of(process, words):
    """Wait until a command says an address, and return it."""

    def found():
        return [line.split()[-1] for line in process.lines if words in line]

    process.until(found, words)
    return found()[0]


def number(page):
    return page.evaluate("osiLidar.status().frame")


def until(page, condition):
    """Wait until something holds, while the page goes on."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline_s
        page.wait_for_timeout(500)


def megabytes(page):
    """Return the memory of the page's program without its garbage."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    return session.send("Runtime.getHeapUsage")["usedSize"] / 1e6


def test_the_page_follows_a_stream_without_growing(browser):
    scene = street()
    with (
        Process("play", scene.trace, "--listen", 0, "--loop") as source,
        Process(
            *("stream", "--connect", address_of(source, "listening at")),
            *("--config", scene.config, "--view", 0),
        ) as stream,
    ):
        page, complaints = browser.new_page(), []
        page.set_default_timeout(1e3 * PATIENCE_S)
        page.on("console", lambda each: complaints.append(each.text))
        page.on("pageerror", lambda each: complaints.append(str(each)))
        page.goto(address_of(stream, "clouds in the browser at"))
        page.evaluate("osiLidar.ready")
        until(page, lambda: page.get_attribute("#frame", "max") == str(KEPT - 1))
        full = megabytes(page)
        shown = number(page)
        until(page, lambda: number(page) >= shown + N_FURTHER)
        assert megabytes(page) < MOST_GROWTH * full
        assert page.evaluate("osiLidar.status().points") > 100_000
        assert page.evaluate("osiLidar.status().boxes").count("delivery van 3") == 1
        page.keyboard.press("Home")  # looks at an older one, which stays
        page.wait_for_timeout(1000)
        assert number(page) < shown + N_FURTHER
    assert complaints == []

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hours of service in little: good and bad subscribers, memory that does not grow."""

import asyncio
import gc
import itertools
import json
import logging
import signal
import sys
import threading
import time
import zlib
from pathlib import Path

import pytest
import yaml
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import open_trace
from osi_lidar.config import default_config
from osi_lidar.live.counters import Counters
from osi_lidar.live.endpoint import Endpoint
from osi_lidar.live.publisher import Publisher
from osi_lidar.run.example_scene import street
from tests.builders.files import written
from tests.builders.messages import framed, moving
from tests.osi_lidar.live.streams import Peer, Process, assert_balanced, send, streaming, until

logger = logging.getLogger(__name__)

SOAK_S = 300
SETTLED_S = 30
GROWTH_KB = 30_000
RATE_HZ = 10
VISIT_S = 0.1
AROUND_A_VISIT = 3
"""How many messages a visitor may be offered before and after it is there."""


def configured(folder):
    """Return the bundled street without files of its results, for it is only published."""
    path = street().config
    content = yaml.safe_load(path.read_text())
    content["scene"]["search"] = [str(path.parent)]
    content["scene"]["environment"][0]["mesh"] = str(path.parent / "street.obj")
    content["materials"]["mapping"] = str(path.parent / "materials.yaml")
    content["output"] = {"pcd": "none", "sensor_data": "none"}
    return written(folder / "config.yaml", yaml.safe_dump(content))


def endless():
    """Give the messages of the street again and again, while time goes on."""
    views = [SensorView.FromString(raw.data) for raw in open_trace(street().trace)]
    for number, view in enumerate(itertools.cycle(views)):
        stamp = view.timestamp
        stamp.seconds, stamp.nanos = divmod(number * 10**9 // RATE_HZ, 10**9)
        yield view.SerializeToString()


def time_ns(sensor_data):
    stamp = SensorData.FromString(sensor_data).timestamp
    return stamp.seconds * 10**9 + stamp.nanos


def until_time(last_ns, peer):
    """Give the times of what a subscriber still gets, up to that of the last message."""
    for message in iter(peer.message, None):
        found_ns = time_ns(message)
        yield found_ns
        if found_ns == last_ns:
            return


class Subscriber(threading.Thread):
    """Reads all that comes; keeps a checksum of each message, of some their time."""

    def __init__(self, port, *, with_time):
        super().__init__()
        self.checksums, self.times_ns = [], []
        self._peer, self._with_time = Peer(port), with_time

    def run(self):
        with self._peer:
            for message in iter(self._peer.message, None):
                self.checksums.append(zlib.crc32(message))
                if self._with_time:
                    self.times_ns.append(time_ns(message))


class Visitor(threading.Thread):
    """Comes and goes: takes a message, or not, and closes the connection, or breaks it.

    It notes how many messages may have been meant for it: those that the source sends while it is
    there, the last one before, and those until its end is noticed.
    """

    def __init__(self, port, n_sent):
        super().__init__()
        self.visits = self.most_offered = 0
        self._port, self._n_sent, self._leaving = port, n_sent, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._leaving.set()
        self.join()

    def run(self):
        while not self._leaving.wait(VISIT_S / 2):
            before = self._n_sent()
            with Peer(self._port) as peer:
                if self.visits % 3:
                    peer.message()
                self._leaving.wait(VISIT_S / 2)
                if self.visits % 2:
                    peer.reset()
            self.visits += 1
            self.most_offered += self._n_sent() - before + AROUND_A_VISIT


def resident_kb(pid):
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


class Source:
    """Gives messages at a rate, or as slowly as the readers take them; memory once a second."""

    def __init__(self, readers):
        self.n_sent, self.resident = 0, []
        self._readers = readers

    def send(self, port, seconds, streamed):
        began_s = time.monotonic()
        with Peer(port) as source:
            for number, data in enumerate(itertools.islice(endless(), seconds * RATE_HZ)):
                time.sleep(max(0.0, began_s + number / RATE_HZ - time.monotonic()))
                self.n_sent += 1
                source.send(framed([data]))
                if number % RATE_HZ == 0:
                    self.resident.append(resident_kb(streamed.pid))
                streamed.until(self._all_have_it, "all have it")
            source.finish()

    def _all_have_it(self):
        return all(len(reader.checksums) == self.n_sent for reader in self._readers)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
@pytest.mark.parametrize("seconds", [2, pytest.param(SOAK_S, marks=pytest.mark.slow)])
def test_bad_subscribers_disturb_neither_the_others_nor_the_memory(tmp_path, seconds):
    out = tmp_path / "out"
    command = ("--listen", 0, "--publish", 0, "--backlog", "queue", "--out", out)
    options = ("--config", configured(tmp_path), "--sensor", "OS1-64")
    with Process("stream", *command, *options) as streamed:
        source, publish = streamed.port(), streamed.port("SensorData")
        streamed.until((out / ".frames.csv.part").exists, "the model is ready")
        readers = [Subscriber(publish, with_time=i == 0) for i in range(3)]
        for reader in readers:
            reader.start()
        with Peer(publish) as sleeper:
            sender = Source(readers)
            with Visitor(publish, lambda: sender.n_sent) as visitor:
                sender.send(source, seconds, streamed)
                sender.resident.append(resident_kb(streamed.pid))
            n_messages, resident = sender.n_sent, sender.resident
            last_ns = (n_messages - 1) * 10**9 // RATE_HZ
            left = list(until_time(last_ns, sleeper))
        streamed.signal(signal.SIGTERM)
        assert streamed.wait() == 0
    for reader in readers:
        reader.join()
    content = json.loads((out / "run.json").read_text())
    counters = content["stream"]
    assert content["complete"]
    assert_balanced(counters)
    logger.info("%d messages, VmRSS %s kB, %s", n_messages, resident, counters)
    assert counters["answered"] == counters["received"] == n_messages
    assert readers[0].times_ns == [n * 10**9 // RATE_HZ for n in range(n_messages)]
    assert readers[0].checksums == readers[1].checksums == readers[2].checksums
    assert left == sorted(set(left))
    n_lost = n_messages - len(left)
    assert n_lost <= counters["sent_dropped"] <= n_lost + visitor.most_offered
    assert counters["subscribers_seen"] == visitor.visits + 4
    assert sum("too slow" in line for line in streamed.lines) == 1
    if seconds > SETTLED_S:
        assert resident[-1] - resident[SETTLED_S] < GROWTH_KB


def test_what_waits_for_a_subscriber_that_leaves_is_counted():
    """It has read nothing, so that there are messages on their way, waiting, and lost."""
    messages = moving(60)
    configuration = default_config("VLP-16")
    with streaming(configuration, publish="127.0.0.1:0") as live:
        with Peer(live.publish_port) as sleeper:
            until(lambda: live.counters.subscribers, "the subscriber is there")
            send(live.port, framed(messages))
            live.until_done(len(messages))
            until(lambda: live.counters.sent_dropped, "it is too slow")
            sleeper.reset()
        until(lambda: not live.counters.subscribers, "it is gone")
        counters = live.end()["stream"]
    assert counters["answered"] == len(messages)
    assert counters["sent"] + counters["sent_dropped"] == len(messages)


async def soon(condition):
    for _ in range(10_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    pytest.fail("waited in vain")


def held_after(leave):
    """Return how often each of some messages is still held after a subscriber has left.

    Python does not look for reference cycles meanwhile, which it seldom does.
    """
    messages = [bytes([number]) * 4_000_000 for number in range(8)]
    counters = Counters()

    async def left():
        publisher = Publisher(Endpoint.parse("--publish", "127.0.0.1:0"), counters)
        await publisher.open()
        with Peer(publisher.endpoint.port) as sleeper:
            await soon(lambda: counters.subscribers)
            await leave(publisher, messages, sleeper)
        await soon(lambda: not counters.subscribers)
        publisher.publish(b"")
        await asyncio.sleep(0.01)
        held = [sys.getrefcount(messages[number]) - 1 for number in range(len(messages))]
        await publisher.close()
        return held

    gc.disable()
    try:
        return set(asyncio.run(left()))
    finally:
        gc.enable()


def test_a_subscriber_that_breaks_off_leaves_no_message_in_memory():
    async def while_it_is_sent_to(publisher, messages, sleeper):
        for number in range(len(messages)):
            publisher.publish(messages[number])
        await asyncio.sleep(0.01)  # for one of them to be on its way
        sleeper.reset()

    assert held_after(while_it_is_sent_to) == {1}


def test_a_message_that_cannot_be_sent_is_not_kept_in_memory():
    """The write fails before asyncio has noticed that the subscriber is gone."""

    async def just_before(publisher, messages, sleeper):
        sleeper.reset()
        time.sleep(0.05)  # noqa: ASYNC251  asyncio must not notice
        publisher.publish(messages[0])

    assert held_after(just_before) == {1}

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters, latencies and rates, and the page on which Prometheus finds them."""

import http.client
import logging
import re
import socket
import sys
from dataclasses import asdict, fields
from types import SimpleNamespace

import pytest

from osi_lidar import InputError
from osi_lidar.live import counters as module
from osi_lidar.live.backlog import make_backlog
from osi_lidar.live.counters import Counters, Latencies, Rates
from osi_lidar.live.metrics import serving_metrics
from osi_lidar.live.state import StreamState
from tests.osi_lidar.live.helpers import DEADLINE_S, arrival, endpoint

STAGES_S = {"read": 0.5, "trace": 1.25, "total": 9.0}


def state_of(**counts):
    """Return the state of a stream whose model has traced three scans."""
    state = StreamState(counters=Counters(**counts))
    state.backlog = make_backlog("queue", state.counters)
    for _ in range(4):
        state.backlog.offer(arrival())
    for milliseconds in range(1, 102):
        state.latencies.note(1e-3 * milliseconds)
    state.stream_model = SimpleNamespace(
        progress=SimpleNamespace(frames_traced=3),
        model=SimpleNamespace(clock=SimpleNamespace(seconds=lambda: STAGES_S)),
    )
    return state


def page(state, caplog, path="/metrics"):
    """Return the text that is served."""
    caplog.set_level(logging.INFO, "osi_lidar.live")
    with serving_metrics(endpoint("0", "--metrics"), state):
        host, port = re.search(r"http://(\S+):(\d+)/metrics", caplog.text).groups()
        connection = http.client.HTTPConnection(host, int(port), timeout=DEADLINE_S)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert answer.status == 200
        assert answer.getheader("Content-Type").startswith("text/plain")
        text = answer.read().decode()
        connection.close()
    return text


def families(text):
    """Return the metrics as the client library reads them, by name."""
    parser = pytest.importorskip("prometheus_client.parser")
    return {family.name: family for family in parser.text_string_to_metric_families(text)}


def test_every_counter_is_on_the_page_with_its_meaning(caplog):
    counts = {each.name: 10 + n for n, each in enumerate(fields(Counters))}
    found = families(page(state_of(**counts), caplog))
    for name, count in counts.items():
        family = found[f"osi_lidar_{name}"]
        assert [sample.value for sample in family.samples] == [count]
        assert family.type == ("gauge" if name == "subscribers" else "counter")
        assert family.documentation
    assert len({found[f"osi_lidar_{name}"].documentation for name in counts}) == len(counts)


def test_stages_latencies_and_backlog_are_on_the_page(caplog):
    found = families(page(state_of(), caplog))
    stages = found["osi_lidar_stage_seconds"].samples
    assert {one.labels["stage"]: one.value for one in stages} == {"read": 0.5, "trace": 1.25}
    latencies = found["osi_lidar_latency_seconds"].samples
    assert {one.labels["quantile"]: one.value for one in latencies} == pytest.approx(
        {"0.5": 0.051, "0.99": 0.1}  # of 1, 2, .. 101 ms
    )
    assert found["osi_lidar_backlog"].samples[0].value == 4
    assert found["osi_lidar_traced"].samples[0].value == 3
    assert found["osi_lidar_traced"].documentation == "Answers for which rays were traced."


def test_there_is_a_page_before_there_is_a_model(caplog):
    found = families(page(StreamState(), caplog))
    assert found["osi_lidar_received"].samples[0].value == 0
    assert found["osi_lidar_latency_seconds"].samples == []


def test_a_metrics_port_in_use_is_refused():
    with socket.create_server(("127.0.0.1", 0)) as busy:
        where = endpoint(str(busy.getsockname()[1]), "--metrics")
        with pytest.raises(InputError) as caught, serving_metrics(where, StreamState()):
            pass
    assert str(caught.value).startswith(f"--metrics {where}: cannot listen there")


def test_without_the_client_library_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with (
        pytest.raises(InputError, match=r"pip install 'osi-lidar\[metrics\]'"),
        serving_metrics(endpoint("0", "--metrics"), StreamState()),
    ):
        pass


def test_latencies_are_those_of_the_last_ten_thousand_answers():
    latencies = Latencies()
    assert latencies.as_dict() == {"median": None, "p99": None, "max": None}
    for _ in range(5):
        latencies.note(99.0)
    for n in range(10_000):
        latencies.note(1e-3 * (n % 101))  # 0, 1, .. 100 ms again and again
    assert latencies.as_dict() == {"median": 50.0, "p99": 99.0, "max": 100.0}


def test_rates_are_those_of_the_last_two_seconds(monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    rates = Rates()
    assert rates.sample(100, 0) == (0.0, 0.0)
    for _ in range(8):  # 10 and 2 per second
        now_s[0] += 0.5
        found = rates.sample(100 + int(10 * now_s[0]), int(2 * now_s[0]))
        assert found == pytest.approx((10.0, 2.0))
    now_s[0] += 100.0
    assert rates.sample(140, 8) == (0.0, 0.0)


def test_rates_of_a_model_that_is_slower_than_two_seconds_are_not_zero(monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now_s[0]))
    rates = Rates()
    for n in range(5):
        now_s[0] = 2.5 * n
        found = rates.sample(10 * n)
        assert found == pytest.approx((4.0 if n else 0.0,))


def test_counters_begin_at_nothing():
    assert set(asdict(Counters()).values()) == {0}

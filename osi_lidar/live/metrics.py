# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Metrics endpoint: counters of a stream in Prometheus' text format.

Needs ``osi-lidar[metrics]``.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import fields
from http import HTTPStatus
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError
from osi_lidar.live.counters import Counters
from osi_lidar.live.ports.guard import NOT_GUARDED
from osi_lidar.live.ports.http_port import HttpAnswer, serving_http

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.core import Metric

    from osi_lidar.live.endpoint import Endpoint
    from osi_lidar.live.ports.guard import Guard
    from osi_lidar.live.ports.http_port import HttpRequest
    from osi_lidar.live.state import StreamState

logger = logging.getLogger(__name__)

_PREFIX = "osi_lidar_"
_GAUGES = {"subscribers"}


@contextmanager
def serving_metrics(
    endpoint: Endpoint, state: StreamState, guard: Guard = NOT_GUARDED
) -> Iterator[None]:
    """Serve a stream's counters at ``http://HOST:PORT/metrics`` while the ``with`` block runs.

    Parameters
    ----------
    endpoint : Endpoint
        Address to listen at.
    state : StreamState
        State of the stream; it is read at each request.
    guard : Guard
        Decides which requests are let in; by default those that address this machine by its own
        names, without a token.

    Raises
    ------
    InputError
        prometheus-client is not installed, the host name does not resolve, or the port is in use.
    """
    try:
        from prometheus_client import CollectorRegistry, exposition  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            "prometheus-client is not installed: pip install 'osi-lidar[metrics]'"
        ) from error
    registry = CollectorRegistry()
    registry.register(_Collector(state))

    def answer(asked: HttpRequest) -> HttpAnswer:
        if asked.path not in ("/", "/metrics"):
            return HttpAnswer(HTTPStatus.NOT_FOUND, body=b"expected /metrics")
        encode, kind = exposition.choose_encoder(asked.accept)
        return HttpAnswer(HTTPStatus.OK, kind, encode(registry))

    with serving_http(endpoint, guard, answer, name="metrics") as actual:
        logger.info("metrics at http://%s/metrics", actual)
        yield


class _Collector:
    """Collector that reads the counters on request only, so that idle metrics cost nothing."""

    def __init__(self, state: StreamState) -> None:
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """Yield every metric with its name and help text."""
        from prometheus_client.core import (  # noqa: PLC0415  an extra
            CounterMetricFamily,
            GaugeMetricFamily,
        )

        state = self._state
        waiting = 0 if state.backlog is None else len(state.backlog)
        for each in fields(Counters):
            family = GaugeMetricFamily if each.name in _GAUGES else CounterMetricFamily
            number = getattr(state.counters, each.name)
            yield family(_PREFIX + each.name, each.metadata["meaning"], number)
        yield CounterMetricFamily(
            _PREFIX + "traced", "Answers for which rays were traced.", state.traced
        )
        yield GaugeMetricFamily(_PREFIX + "backlog", "Messages waiting for the model.", waiting)
        stages = CounterMetricFamily(
            _PREFIX + "stage_seconds", "Wall time of each stage.", labels=["stage"]
        )
        for stage, seconds in state.stage_seconds.items():
            if stage != "total":
                stages.add_metric([stage], seconds)
        yield stages
        latency = GaugeMetricFamily(
            _PREFIX + "latency_seconds",
            "Latency quantiles of the last 10 000 answers.",
            labels=["quantile"],
        )
        for percent in (50.0, 99.0):
            found = state.latencies.percentile_s(percent)
            if found is not None:
                latency.add_metric([f"{percent / 100:g}"], found)
        yield latency

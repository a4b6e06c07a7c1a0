# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The state of a running stream, for metrics and status lines."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from osi_lidar.live.counters import Counters, Latencies

if TYPE_CHECKING:
    from osi_lidar.live.backlog import Backlog
    from osi_lidar.live.stream_model import StreamModel

MOST_CHANGES = 1000
"""Number of changes of sensors that are kept, because a stream may run for weeks."""


@dataclass(slots=True)
class StreamState:
    """State of a running stream, for status displays and metrics.

    Attributes
    ----------
    counters : Counters
        Counters of messages and connections.
    latencies : Latencies
        Times from the last byte of a message to the publication of its answer.
    backlog : Backlog or None
        Waiting messages; None before the stream listens.
    stream_model : StreamModel or None
        The model; None until its kernels are compiled and its meshes loaded.
    source, publish, control, foxglove, page, ros2 : str
        Addresses, empty until they are open; for ROS 2, the topics of the clouds.
    changes : deque of dict
        The last changes of sensors.
    """

    counters: Counters = field(default_factory=Counters)
    latencies: Latencies = field(default_factory=Latencies)
    backlog: Backlog | None = None
    stream_model: StreamModel | None = None
    source: str = ""
    publish: str = ""
    control: str = ""
    foxglove: str = ""
    page: str = ""
    ros2: str = ""
    changes: deque[dict[str, object]] = field(default_factory=lambda: deque(maxlen=MOST_CHANGES))

    @property
    def traced(self) -> int:
        """Number of answers for which rays were traced."""
        return 0 if self.stream_model is None else self.stream_model.progress.frames_traced

    @property
    def stage_seconds(self) -> dict[str, float]:
        """Time spent in each stage, and in ``total`` since the model was made, by name [s].

        It is empty before the model is made.
        """
        return {} if self.stream_model is None else self.stream_model.model.clock.seconds()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Wall time spent in each stage of a run."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STAGES = ("read", "update", "trace", "respond", "encode", "write")


class Stopwatch:
    """Accumulated wall time of each stage of the model [s]."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(STAGES, 0.0)
        self._started = time.perf_counter()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the wall time of a ``with`` block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] += time.perf_counter() - began

    def seconds(self) -> dict[str, float]:
        """Return the seconds spent in each stage, and the total since construction."""
        return {**self._seconds, "total": time.perf_counter() - self._started}

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where the time of a run goes."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

STAGES = ("read", "update", "trace", "respond", "encode", "write")


class Stopwatch:
    """Adds up the wall time, in seconds, of each stage of the model."""

    def __init__(self) -> None:
        self._seconds = dict.fromkeys(STAGES, 0.0)
        self._started = time.perf_counter()

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time of the block to a stage."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] += time.perf_counter() - began

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each stage, and in all since the stopwatch was made."""
        return {**self._seconds, "total": time.perf_counter() - self._started}

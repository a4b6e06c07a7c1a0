# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in a master that is written in Python, while a call of the FMU is on its way."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Let the master's own handler of SIGINT take an interrupt at the end of the block.

    In the middle of a step it would leave half a step behind, and the next step would fail. A host
    whose action is not Python's is left alone, and so are threads, which get no interrupts.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if held:
        handler(*held[0])

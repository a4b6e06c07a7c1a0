# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Signals such as Ctrl-C during a block of code: handled, ignored, or delayed until its end."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType

    Handler = Callable[[int, FrameType | None], object] | signal.Handlers

_SAME_S, _SOON_S = 0.5, 0.05
_IMPORTS = "<frozen importlib._bootstrap>"
"""The file of the frames that import a module."""


def interrupts_below(top: FrameType | None) -> Handler:
    """Return a signal handler that raises KeyboardInterrupt, but never during an import.

    During an import, the handler sends the signal again a moment later, until the import is done.
    Some libraries catch every error of an optional import and go on without it; they would swallow
    the KeyboardInterrupt.

    Parameters
    ----------
    top : frame or None
        Only imports that began below this frame count, as an imported module may call a whole
        program.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        while frame is not None and frame is not top:
            if frame.f_code.co_filename == _IMPORTS:
                interrupt_soon(number)
                return
            frame = frame.f_back
        raise KeyboardInterrupt

    return interrupt


def ignore_interrupts() -> None:
    """Ignore Ctrl-C and SIGTERM from now on: the process ends, and nothing is left to interrupt."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


def interrupt_soon(number: int = signal.SIGINT) -> None:
    """Send a signal to the main thread after 50 ms; return at once.

    `number` is the number of the signal, by default SIGINT (Ctrl-C).
    """
    again = threading.Timer(_SOON_S, _send, (number,))
    again.daemon = True
    again.start()


def _send(number: int) -> None:
    """Send a signal to the main thread, which also ends a wait of that thread (not on Windows)."""
    if sys.platform == "win32":
        _thread.interrupt_main(number)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, number)


@contextmanager
def on_signal(name: str, act: Callable[[], object]) -> Iterator[None]:
    """Within a block, call a function on each signal of a name, if the system has it.

    `name` is the name of the signal, such as "SIGUSR1". `act` gets no arguments.
    """
    with _handled(lambda *_: act(), name):
        yield


@contextmanager
def on_interrupt(act: Callable[[], object]) -> Iterator[None]:
    """Within a block, call a function on the first Ctrl-C, SIGTERM or SIGHUP.

    A Ctrl-C after this first signal raises KeyboardInterrupt at once; a later SIGTERM or SIGHUP
    does nothing. `act` is the function, which gets no arguments.

    Signals less than half a second apart count as one: some tools signal a process and its group.
    """
    noted_s: list[float] = []

    def note(number: int, _frame: object) -> None:
        now_s = time.monotonic()
        if not noted_s:
            noted_s.append(now_s)
            act()
        elif number == signal.SIGINT and now_s - noted_s[-1] > _SAME_S:
            noted_s.append(now_s)
            raise KeyboardInterrupt

    with _handled(note, "SIGINT", "SIGTERM", "SIGHUP"):
        yield


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C within a block, so that the last files of a run are completed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    with _handled(signal.SIG_IGN, "SIGINT"):
        yield


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Delay Ctrl-C (SIGINT) until the end of a block; then call the process's own handler.

    An interrupt in the middle of an FMU's step would leave half a step behind, and the next step
    would fail. Nothing is delayed outside the main thread, or if the handler is not a Python
    function.
    """
    handler = signal.getsignal(signal.SIGINT)
    if not callable(handler) or threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[tuple[int, FrameType | None]] = []
    with _handled(lambda number, frame: held.append((number, frame)), "SIGINT"):
        yield
    if held:
        handler(*held[0])


@contextmanager
def _handled(handler: Handler, *names: str) -> Iterator[None]:
    """Within a block, set a handler for the signals of these names that the system has."""
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)

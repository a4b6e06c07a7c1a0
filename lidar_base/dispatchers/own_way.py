# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Our own compilers and cache of kernels, which use private parts of numba.

If numba lacks one of these names, the import of this file fails, and `lidar_base.compiled` uses
numba's public interface. The import also makes numba compile faster, see `_Patience`.
"""

from __future__ import annotations

import gc
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numba
from numba.core.event import Event, Listener, install_listener, register
from numba.core.ir import Scope

from lidar_base.caches.kernel_cache import KernelCache, turn_of
from lidar_base.caches.turns import end_turn
from lidar_base.dispatchers.kernel_parts import (
    AloneKernel,
    DisjointKernel,
    WholeCompiler,
    WholeKernel,
    WideCompiler,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _name_records() -> None:
    """Let numba name compiled functions by the fields of their record arguments.

    numba numbers record types in the order in which a process meets them, and the number is part of
    the symbol of a function. So two versions of a function, compiled in two processes for different
    records, may get the same symbol. A process that loads both would run the wrong one.
    """

    def mangling_args(record: Any) -> tuple[str, tuple[str, ...]]:  # noqa: ANN401  of numba
        digest = hashlib.sha256(record.name.encode()).hexdigest()
        return type(record).__name__, (digest[:16],)

    record_type: Any = numba.types.Record
    record_type.mangling_args = property(mangling_args)


class _Patience(Listener):
    """Makes Python's garbage collection rarer while a kernel is compiled.

    numba creates millions of objects that live until the kernel is done. Python searched them again
    and again, which took an eighth of the time. Rarer collection costs about 60 MB. Compilations
    do not run concurrently, but nest, as numba compiles a kernel's callees within it.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._usual = gc.get_threshold()

    def on_start(self, event: Event) -> None:
        if not self._depth:
            self._usual = gc.get_threshold()
            if self._usual[0]:  # 0 switches it off
                gc.set_threshold(max(_PATIENT, self._usual[0]), *self._usual[1:])
            if isinstance(getattr(event.data["dispatcher"], "_cache", None), KernelCache):
                _share_scopes()
        self._depth += 1

    def on_end(self, event: Event) -> None:
        self._depth -= 1
        cache = getattr(event.data["dispatcher"], "_cache", None)
        error = getattr(event, "_exc_details", None)  # is_failed means the opposite in numba
        if error is not None and isinstance(cache, KernelCache):
            end_turn(turn_of(cache, event.data["args"]))
        if not self._depth:
            gc.set_threshold(*self._usual)
            _copy_scopes()


_PATIENT = 100_000  # new objects before Python looks for garbage


_COPY = "__deepcopy__"


def _share_scopes() -> None:
    """Let numba share the table of a function's variables when it copies the function to inline it.

    numba copies statement by statement, and the whole table with each statement. For a long
    function this takes half of the time.
    """
    setattr(Scope, _COPY, lambda self, _seen: self)


def _copy_scopes() -> None:
    """Let numba copy the table with each statement again, as is its default."""
    if _COPY in vars(Scope):
        delattr(Scope, _COPY)


register("numba:compile", _Patience())

_name_records()


def compiler(*, wide: bool) -> type[WholeCompiler]:
    """Return the class that compiles a kernel for calls from Python.

    If `wide`, short loops become vector instructions; see `kernel_parts`.
    """
    return WideCompiler if wide else WholeCompiler


def kind(*, alone: bool, disjoint: bool) -> type[WholeKernel | AloneKernel]:
    """Return the class of a kernel (numba dispatcher) that other kernels may call.

    Parameters
    ----------
    alone : bool
        Whether LLVM optimizes the kernel by itself before it is linked into its callers.
    disjoint : bool
        Whether the array arguments never overlap; it has no effect if `alone` is True.
    """
    whole = DisjointKernel if disjoint else WholeKernel
    return AloneKernel if alone else whole


@contextmanager
def heard(act: Callable[[], object]) -> Iterator[None]:
    """Within a ``with`` block, call ``act()`` each time before a kernel is compiled.

    The call is in the thread that compiles. Kernels that are loaded from a cache do not count.
    """

    class Compilations(Listener):
        def on_start(self, _event: object) -> None:
            act()

        def on_end(self, _event: object) -> None:
            """Do nothing."""

    with install_listener("numba:compile", Compilations()):
        yield

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels by our own compilers and our own cache, which use what is inside numba.

A numba without one of those names cannot import this file; then `lidar_base.compiled` does without.
Importing it lets numba compile faster, see `_Patience`.
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
    """Let numba name compiled functions by the fields of the records that they take.

    It numbers record types as they come up in a process, and the number is part of a symbol. So two
    versions of a function, of records with other fields, that were compiled in two processes may
    have one symbol; a process that loads both would run one of them on the other one's records.
    """

    def mangling_args(record: Any) -> tuple[str, tuple[str, ...]]:  # noqa: ANN401  of numba
        digest = hashlib.sha256(record.name.encode()).hexdigest()
        return type(record).__name__, (digest[:16],)

    record_type: Any = numba.types.Record
    record_type.mangling_args = property(mangling_args)


class _Patience(Listener):
    """Lets Python look for garbage less often while a kernel is compiled.

    numba makes millions of objects that are kept until the kernel is done, and Python went through
    them again and again: an eighth of the time. It costs some 60 MB. numba compiles under a lock,
    and the callees of a kernel within it.
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
    """Let numba copy a function that it inlines without the names of all its variables.

    It copies statement by statement, and the table of names with each: for a function of many
    statements that is half of the time. The copies serve one after the other.
    """
    setattr(Scope, _COPY, lambda self, _seen: self)


def _copy_scopes() -> None:
    """Let numba copy as it does by itself."""
    if _COPY in vars(Scope):
        delattr(Scope, _COPY)


register("numba:compile", _Patience())

_name_records()


def compiler(*, wide: bool) -> type[WholeCompiler]:
    """Return what compiles a kernel."""
    return WideCompiler if wide else WholeCompiler


def kind(*, alone: bool, disjoint: bool) -> type[WholeKernel | AloneKernel]:
    """Return the class of a kernel that others take in as a part, see `kernel_parts`."""
    whole = DisjointKernel if disjoint else WholeKernel
    return AloneKernel if alone else whole


@contextmanager
def heard(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` before each kernel that is compiled in this block, in its thread."""

    class Compilations(Listener):
        def on_start(self, _event: object) -> None:
            act()

        def on_end(self, _event: object) -> None:
            """Do nothing."""

    with install_listener("numba:compile", Compilations()):
        yield

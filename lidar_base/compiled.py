# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels, kept until something that is compiled into them changes.

Importing this file also chooses the threading layer of the kernels, see `choose_layer`, and lets
numba compile faster, see `_Patience`.
"""

from __future__ import annotations

import gc
import hashlib
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numba
from numba.core.event import Event, Listener, install_listener, register
from numba.core.ir import Scope

from lidar_base.caches.kernel_cache import KernelCache
from lidar_base.dispatchers.kernel_parts import (
    AloneKernel,
    DisjointKernel,
    WholeCompiler,
    WholeKernel,
    WideCompiler,
)
from lidar_base.dispatchers.serial_calls import called_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

LAYERS = ("omp", "tbb", "workqueue")
"""numba's threading layers, the preferred one first."""
_LAYERS_OF_NUMBA = ["tbb", "omp", "workqueue"]
_ORDER = "NUMBA_THREADING_LAYER_PRIORITY"


def choose_layer() -> None:
    """Let kernels run on OpenMP if it is installed, whatever else is installed.

    numba's own order begins with TBB, so that a library of another package would change how threads
    wait. Older versions of TBB also take more and more memory beside other work, and TBB may abort
    as a process exits. ``workqueue`` is last because models in several threads wait for each
    other there, see `lidar_base.dispatchers.serial_calls`.

    The choice is numba's ``THREADING_LAYER_PRIORITY``, which counts when the first parallel kernel
    of the process runs. An order from the user, in the environment or in ``numba.config``, is left
    alone, and ``NUMBA_THREADING_LAYER``, which names one layer, comes before any order.
    """
    settings: Any = numba.config
    if _ORDER not in os.environ and settings.THREADING_LAYER_PRIORITY == _LAYERS_OF_NUMBA:
        settings.THREADING_LAYER_PRIORITY = list(LAYERS)


choose_layer()


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

    def on_end(self, _event: Event) -> None:
        self._depth -= 1
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


def njit(
    *,
    cache: bool = False,
    threads: bool = False,
    alone: bool = False,
    disjoint: bool = False,
    wide: bool = False,
    **options: Any,  # noqa: ANN401  of numba
) -> Callable[[Any], Any]:
    """Compile as ``numba.njit`` does, and again after any change in what a kernel uses.

    Parameters
    ----------
    cache : bool
        Keep what is compiled, and look for it among what was kept and what came with the package.
    threads : bool
        Python calls it, and it runs in several threads, see `block_kernels.in_threads`.
    alone : bool
        Optimize it by itself before another kernel takes it in, see `dispatchers.kernel_parts`.
    disjoint : bool
        No two arrays among the arguments overlap, which the calling kernel sees to.
    wide : bool
        Python calls it, and its short loops become vector instructions, see
        `dispatchers.kernel_parts`.
    **options
        Other options of ``numba.njit``.
    """

    def compile_when_called(function: Any) -> Any:  # noqa: ANN401  of numba
        compiler = WideCompiler if wide else WholeCompiler
        kernel: Any = numba.njit(pipeline_class=compiler, **options)(function)
        if not hasattr(kernel, "py_func"):  # compilation is switched off
            return kernel
        kernel.wide = wide
        if threads or options.get("parallel"):
            called_in_turn(kernel)
        elif alone:
            kernel.__class__ = AloneKernel
        elif "inline" not in options:
            kernel.__class__ = DisjointKernel if disjoint else WholeKernel
        if cache:
            kernel._cache = KernelCache(kernel)  # noqa: SLF001  numba has no other way
        return kernel

    return compile_when_called


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as one that kernels may only read.

    numba compiles a kernel once for arrays that it may write, and once more for others. So what
    kernels only read is handed to them as such, whoever made it.
    """
    view: NDArray[Any] = array.view()
    view.flags.writeable = False
    return view


@contextmanager
def when_compiling(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` whenever this process compiles a kernel in this block; none is if all are kept.

    Parameters
    ----------
    act : callable
        Called before each kernel, in the thread that compiles it.
    """

    class Compilations(Listener):
        def on_start(self, _event: object) -> None:
            act()

        def on_end(self, _event: object) -> None:
            """Do nothing."""

    with install_listener("numba:compile", Compilations()):
        yield

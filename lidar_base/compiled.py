# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels, kept until something that is compiled into them changes.

They are compiled by `dispatchers.own_way`, which uses what is inside numba. A numba whose insides
are others compiles them by its public way instead: more slowly, and anew in each process, because
its own caches neither notice a change in what a kernel calls nor ask who may write them.

Importing this file also chooses the threading layer of the kernels, see `choose_layer`.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numba
import numpy as np

from lidar_base.dispatchers.public_way import tell_of_public_way
from lidar_base.dispatchers.serial_calls import called_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from numpy.typing import NDArray

_Record = TypeVar("_Record", bound=NamedTuple)

COMPILING = "compiling kernels, once (10 to 60 s)"
"""What commands say when the first kernel is compiled: nothing else happens for so long."""
LAYERS = ("omp", "tbb", "workqueue")
"""numba's threading layers, the preferred one first."""
_LAYERS_OF_NUMBA = ["tbb", "omp", "workqueue"]
_CACHE = "_cache"  # of numba's dispatchers, which have no other way to another cache
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


def _own_way() -> ModuleType | None:
    """Return `dispatchers.own_way`; None if this numba lacks a name that it uses."""
    try:
        return import_module("lidar_base.dispatchers.own_way")
    except (ImportError, AttributeError) as error:
        tell_of_public_way(error)
        return None


OWN_WAY = _own_way()


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
        own = OWN_WAY
        ours = {} if own is None else {"pipeline_class": own.compiler(wide=wide)}
        kernel: Any = numba.njit(**ours, **options)(function)
        if not hasattr(kernel, "py_func"):  # compilation is switched off
            return kernel
        kernel.wide = wide
        if threads or options.get("parallel"):
            called_in_turn(kernel)
        elif own is not None and (alone or "inline" not in options):
            kernel.__class__ = own.kind(alone=alone, disjoint=disjoint)
        if cache and own is not None:
            setattr(kernel, _CACHE, own.KernelCache(kernel))
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


def as_read_only(record: _Record) -> _Record:
    """Return a named tuple with its arrays as those that kernels may only read, see `read_only`."""
    own = (read_only(each) if isinstance(each, np.ndarray) else each for each in record)
    return record._make(own)


@contextmanager
def when_compiling(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` whenever this process compiles a kernel in this block; none is if all are kept.

    By numba's public way nothing is heard.

    Parameters
    ----------
    act : callable
        Called before each kernel, in the thread that compiles it.
    """
    if OWN_WAY is None:
        yield
        return
    with OWN_WAY.heard(act):
        yield

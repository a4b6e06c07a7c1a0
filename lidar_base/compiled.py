# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The decorator `njit`: kernels, compiled by numba and cached until their code changes.

`dispatchers.own_way` compiles kernels with private parts of numba. If a version of numba lacks
these parts, its public interface compiles the kernels: more slowly, and anew in each process.
numba's own caches are not used: they do not notice a change in a function that a kernel calls, and
do not check who may write them.

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
_CACHE = "_cache"  # attribute of numba's dispatchers: the only way to replace the cache
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
    """Return a decorator that compiles a function as ``numba.njit`` does.

    With ``cache``, a compiled kernel is kept, and is compiled again after any change of its code,
    or of code and constants that it uses.

    Parameters
    ----------
    cache : bool
        Load the kernel from the user's cache or the package if possible; otherwise compile and
        store it, see `caches.kernel_cache`.
    threads : bool
        For a kernel that Python calls and that itself runs in several threads, see
        `block_kernels.in_threads`. Python's threads call it one at a time where numba needs that.
    alone : bool
        For a kernel that other kernels call: LLVM optimizes it by itself before it is linked into
        its caller, see `dispatchers.kernel_parts`.
    disjoint : bool
        For a kernel that other kernels call: no two arrays among its arguments overlap. The caller
        has to ensure this.
    wide : bool
        For a kernel that Python calls: short loops become vector instructions, see
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
    """Return a read-only view of an array; `array` itself stays as it is.

    numba compiles a kernel separately for writeable and for read-only arrays. So all callers pass
    the arrays that a kernel only reads through this function: the kernel is compiled once.
    """
    view: NDArray[Any] = array.view()
    view.flags.writeable = False
    return view


def as_read_only(record: _Record) -> _Record:
    """Return a copy of a named tuple whose arrays are read-only views, as `read_only` makes them.

    `record` is not changed. Its fields that are not arrays are taken over as they are.
    """
    own = (read_only(each) if isinstance(each, np.ndarray) else each for each in record)
    return record._make(own)


@contextmanager
def when_compiling(act: Callable[[], object]) -> Iterator[None]:
    """Call ``act`` before each kernel that this process compiles within the block.

    Kernels that are loaded from a cache do not count. If this version of numba lacks private parts
    that the project uses (`OWN_WAY` is None), ``act`` is never called.

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

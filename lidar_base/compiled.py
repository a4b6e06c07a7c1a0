# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels whose cache is valid only while all files that they use are unchanged.

numba keeps a compiled kernel for as long as the kernel's own file is the same. Kernels and
constants of other files are compiled into it, and numba does not notice a change there.

Importing this file also chooses the threading layer of the kernels, see `choose_layer`, and lets
numba compile faster, see `_Patience`.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba
import numpy as np
from numba.core.event import Listener, install_listener, register

from lidar_base.serial_calls import called_in_turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray

LAYERS = ("omp", "tbb", "workqueue")
"""numba's threading layers, the preferred one first."""
_LAYERS_OF_NUMBA = ["tbb", "omp", "workqueue"]
_ORDER = "NUMBA_THREADING_LAYER_PRIORITY"
_CONSTANTS = (bool, int, float, str, np.generic)


def choose_layer() -> None:
    """Let kernels run on OpenMP if it is installed, whatever else is installed.

    numba's own order begins with TBB, so that a library of another package would change how threads
    wait. Older versions of TBB also take more and more memory beside other work, and TBB may abort
    as a process exits. ``workqueue`` is last because models in several threads wait for each
    other there, see `lidar_base.serial_calls`.

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

    def on_start(self, _event: object) -> None:
        if not self._depth:
            self._usual = gc.get_threshold()
            if self._usual[0]:  # 0 switches it off
                gc.set_threshold(max(_PATIENT, self._usual[0]), *self._usual[1:])
        self._depth += 1

    def on_end(self, _event: object) -> None:
        self._depth -= 1
        if not self._depth:
            gc.set_threshold(*self._usual)


_PATIENT = 100_000  # new objects before Python looks for garbage
register("numba:compile", _Patience())  # type: ignore[no-untyped-call]  # numba has no types

_NAMED = "records by their fields"  # what was compiled otherwise must not be loaded
_name_records()


def njit(**options: Any) -> Callable[[Any], Any]:  # noqa: ANN401  of numba
    """Compile as ``numba.njit`` does, and again after changes in other files that a kernel uses.

    Parameters
    ----------
    **options
        Options of ``numba.njit``.
    """

    def compile_when_called(function: Any) -> Any:  # noqa: ANN401  of numba
        kernel = numba.njit(**options)(function)
        if options.get("parallel"):
            called_in_turn(kernel)
        with suppress(AttributeError):  # not cached, or cached in another way by another numba
            index = kernel._cache._cache_file  # noqa: SLF001  there is no other way
            index._source_stamp = index._source_stamp, _digest(function), _NAMED  # noqa: SLF001
            index._load_index = functools.partial(_entries, index._load_index)  # noqa: SLF001
            index.save = functools.partial(_save, index)
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


def _entries(load: Callable[[], dict[Any, Any]]) -> dict[Any, Any]:
    """Return the kept versions of a kernel; none if one was made for a class that is gone.

    numba looks at the classes of named tuples before it sees that the source has changed.
    """
    try:
        return load()
    except (AttributeError, ImportError):
        return {}


def _save(index: Any, key: Any, data: Any) -> None:  # noqa: ANN401  of numba
    """Keep a compiled version of a kernel so that another process cannot load a wrong one.

    numba counts its files, so two processes that compile at the same time may take one name for two
    versions. It also names a file before the file is new, so that a third process may load what
    an older source was compiled to. Here a file is named after what it holds, and comes first.
    """
    kept = index._load_index()  # noqa: SLF001
    kernel = Path(index._index_name).stem  # noqa: SLF001
    of = hashlib.sha256(index._dump((index._source_stamp, key))).hexdigest()  # noqa: SLF001
    name = f"{kernel}.{of[:32]}.nbc"
    index._save_data(name, data)  # noqa: SLF001
    index._save_index({**kept, key: name})  # noqa: SLF001
    if not kept:  # remove what an older source was compiled to
        for file in Path(index._cache_path).iterdir():  # noqa: SLF001
            is_data = file.name.startswith(f"{kernel}.") and file.suffix == ".nbc"
            if is_data and file.name != name:
                file.unlink(missing_ok=True)


def _digest(function: Any) -> str:  # noqa: ANN401  a function
    """Return a digest of everything that a kernel may use from other files."""
    seen = {function.__code__.co_filename}  # numba checks this one itself
    parts = _parts(function.__globals__, seen)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _parts(names: Mapping[str, object], seen: set[str]) -> Iterator[str]:
    """Yield the constants among a module's names, and digests of the files of other kernels."""
    for name, value in names.items():
        if name.startswith("__"):
            continue
        values = value if isinstance(value, tuple) else (value,)
        if all(isinstance(each, _CONSTANTS) for each in values):
            yield f"{name} = {value!r}"
        # a kernel, or an instruction of ours
        kernel: Any = getattr(value, "py_func", getattr(value, "_defn", None))
        if kernel is not None and kernel.__code__.co_filename not in seen:
            seen.add(kernel.__code__.co_filename)
            yield _source_digest(kernel.__code__.co_filename)
            yield from _parts(kernel.__globals__, seen)


@functools.cache
def _source_digest(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()

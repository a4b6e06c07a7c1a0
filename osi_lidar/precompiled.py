# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Kernels compiled before any run: for images, clusters, packages, and a first run in a clone."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from enum import Enum
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.caches.kernel_cache import SHIPPED, KernelCache
from lidar_base.caches.kernel_list import read_list
from raycore.trace.packet_kernels import packet_lanes

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from lidar_base.caches.kernel_list import ListedKernel
    from lidar_base.caches.kernel_store import KernelStore, Key

LIST = Path(__file__).with_name("kernels.json")
"""List of the kernels that runs compile, slowest first; `tools/list_kernels.py` makes it."""


class Origin(Enum):
    """Where the next run finds a kernel: in the package, in the cache, or nowhere."""

    SHIPPED = "shipped"
    CACHED = "cached"
    NOWHERE = "to be compiled"


class KernelState(NamedTuple):
    """A kernel of `LIST`, and where the next run finds its machine code.

    Attributes
    ----------
    listed : ListedKernel
        The kernel, with the types of its arguments and the kinds of run that use it.
    origin : Origin
        Whether it is in the package, in the cache, or still to be compiled.
    """

    listed: ListedKernel
    origin: Origin


def states(runs: Collection[str] = (), *, lanes: int | None = None) -> list[KernelState]:
    """Return the kernels in `LIST` that some kinds of run use, and where each one is found.

    Parameters
    ----------
    runs : collection of str
        Kinds of run: ``ideal``, ``physical``; default: all.
    lanes : int, optional
        Number of rays of a packet: 4, 8 or 16; by default as this processor traces natively.
    """
    wide = lanes or len(packet_lanes())
    return [KernelState(each, _origin(each, wide)) for each in _listed(runs)]


def compile_all(runs: Collection[str] = (), *, lanes: int | None = None) -> Iterator[ListedKernel]:
    """Compile, in parallel, all kernels in `LIST` that are neither cached nor shipped.

    Yield each of them, a `ListedKernel`, in the order of the list, once it is compiled. This is a
    generator: nothing is compiled before the first kernel is asked for.

    Parameters
    ----------
    runs : collection of str
        Kinds of run whose kernels are compiled: ``ideal``, ``physical``; default: all.
    lanes : int, optional
        Number of rays of a packet: 4, 8 or 16; by default as this processor traces natively.
    """
    wide = lanes or len(packet_lanes())
    found = states(runs, lanes=wide)
    missing = [each.listed for each in found if each.origin is Origin.NOWHERE]
    if not missing:
        return
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        running = [pool.submit(compile_one, each, wide) for each in missing]
        for each, done in zip(missing, running, strict=True):
            done.result()
            yield each


def files(runs: Collection[str] = (), *, lanes: int | None = None) -> list[str]:
    """Return, for each kernel in `LIST`, the name of the file in which this machine caches it.

    The file may not exist yet.

    Parameters
    ----------
    runs : collection of str
        Kinds of run whose kernels are wanted: ``ideal``, ``physical``; default: all.
    lanes : int, optional
        Number of rays of a packet: 4, 8 or 16; by default as this processor traces natively.
    """
    wide = lanes or len(packet_lanes())
    return [next(_places(each, wide))[1].file for each in _listed(runs)]


def compile_one(listed: ListedKernel, lanes: int) -> None:
    """Compile a kernel into the cache, unless it is already cached or shipped.

    Parameters
    ----------
    listed : ListedKernel
        The kernel, with the types of its arguments.
    lanes : int
        Number of rays of a packet: 4, 8 or 16.
    """
    listed.kernel().compile(listed.kinds(lanes))


def _listed(runs: Collection[str]) -> list[ListedKernel]:
    return [each for each in read_list(LIST) if not runs or set(runs) & set(each.runs)]


def _origin(listed: ListedKernel, lanes: int) -> Origin:
    for store, key in _places(listed, lanes):
        if store.load(key) is not None:
            return Origin.SHIPPED if store.folder == SHIPPED else Origin.CACHED
    return Origin.NOWHERE


def _places(listed: ListedKernel, lanes: int) -> Iterator[tuple[KernelStore, Key]]:
    """Yield each store that may hold a kernel, with the kernel's key; the user's folder first."""
    yield from KernelCache(listed.kernel()).places(listed.kinds(lanes))

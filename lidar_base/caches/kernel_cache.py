# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels: first the user's folder, then the kernels shipped in the package.

A kernel that neither has is compiled, and stored in the user's folder. The user's folder is in
``NUMBA_CACHE_DIR`` if that is set, and else in the package. If other users may write that folder,
or this user cannot write the package, the user's cache folder takes its place.
"""

from __future__ import annotations

import functools
import json
import logging
import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numba.core.caching
import numba.core.serialize
from numba.core.caching import _Cache
from numba.core.runtime.nrt import rtsys

from lidar_base.caches import kernel_target as target
from lidar_base.caches.folder import cache_folder
from lidar_base.caches.kernel_digest import digest_of, in_words
from lidar_base.caches.kernel_store import KernelStore, Key
from lidar_base.caches.trust import is_own
from lidar_base.caches.turns import end_turn, take_turn
from lidar_base.dispatchers.public_way import tell_of_public_way

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numba import types
    from numba.core.compiler import CompileResult

    from lidar_base.caches.kernel_digest import Kernel

logger = logging.getLogger(__name__)

_PACKAGE = Path(__file__).resolve().parents[1]
SHIPPED = _PACKAGE / "shipped_kernels"
"""Folder of the kernels that come with the package, for several levels of processors."""
INDEX = "kernels.json"
"""Name of the JSON file in `SHIPPED` that states for which versions of numba, numpy, Python and the
system, which settings of numba, and which processor levels the shipped kernels were compiled."""
_core: Any = numba.core  # Any: no type annotations
_format = object.__new__(_core.caching.CompileResultCacheImpl)  # without its place on disk


class KernelCache(_Cache):
    """The cache of one kernel, with the methods that numba's dispatcher calls.

    A version of a kernel is the kernel compiled for arguments of certain types.

    Parameters
    ----------
    kernel : numba dispatcher
        The kernel, as ``numba.njit`` returns it.

    Attributes
    ----------
    name : str
        Module and name of the kernel's function, such as "lidar_base.math_kernels.logarithm".
    """

    def __init__(self, kernel: Kernel) -> None:
        function = kernel.py_func
        self._kernel = kernel
        self._is_on = True
        self.name = f"{function.__module__}.{function.__qualname__}".replace("<locals>.", "")

    @functools.cached_property
    def _digest(self) -> str:
        return digest_of(self._kernel)

    @property
    def cache_path(self) -> str:
        """The user's folder of kernels, as text; numba shows it with a kernel's statistics."""
        return str(user_folder())

    def key(self, kinds: Sequence[types.Type], processor: str) -> Key:
        """Return the key of a version of the kernel in a store.

        Parameters
        ----------
        kinds : sequence of numba types
            Types of the arguments.
        processor : str
            The processor or level that the version is compiled for, see `target.processor`.
        """
        made_of = {
            **target.versions(),
            **target.settings(),
            "processor": processor,
            "kernel": self.name,
            "source": self._digest,
            "arguments": in_words(kinds),
        }
        return Key(self.name, json.dumps(made_of, sort_keys=True))

    def places(self, kinds: Sequence[types.Type]) -> Iterator[tuple[KernelStore, Key]]:
        """Yield each store that may hold a version, with the key of the version there.

        `kinds` are numba's types of the arguments. The user's folder comes first, then the folder
        of the shipped kernels, once for each level of processors whose kernels this process may
        load.
        """
        yield KernelStore(user_folder()), self.key(kinds, target.processor())
        for level in target.levels_to_load():
            yield KernelStore(SHIPPED), self.key(kinds, level)

    def load_overload(
        self,
        sig: Sequence[types.Type],
        target_context: Any,  # noqa: ANN401  of numba
    ) -> CompileResult | None:
        """Return a cached version; if there is none, return None, and this process compiles it.

        Other processes that need the version wait meanwhile. numba's own caches set up the whole
        compiler here, which takes longer than loading a dozen kernels. A cached kernel needs only
        the functions that count references.

        Parameters
        ----------
        sig : sequence of numba types
            Types of the arguments.
        target_context : numba target context
            Context for which numba compiles; numba passes it.

        Returns
        -------
        numba CompileResult or None
            The version; also None if the cache is disabled, or this numba lacks private parts that
            are used.
        """
        if not self._is_on:
            return None
        try:
            rtsys.initialize(target_context)
            compiled = _compiled(self, sig)
            if compiled is None:
                turn = turn_of(self, sig)
                take_turn(turn)
                compiled = _compiled(self, sig)  # another process may have done it
                if compiled is not None:
                    end_turn(turn)
            if compiled is not None:
                made = pickle.loads(compiled)  # noqa: S301  nobody else could write it
                kept: CompileResult = _format.rebuild(target_context, made)
                return kept
        except AttributeError as error:
            tell_of_public_way(error)
            return None
        _tell_once(_why_not(self, sig))
        return None

    def save_overload(self, sig: Sequence[types.Type], data: Any) -> None:  # noqa: ANN401
        """Store a version that numba has compiled in the user's folder, and release its lock.

        Other processes that need the version wait for the lock, see `turn_of`. A disabled cache
        does nothing. A version that numba cannot cache is not stored. If the folder cannot be
        written, that is logged once, and no error is raised.

        Parameters
        ----------
        sig : sequence of numba types
            Types of the arguments.
        data : numba CompileResult
            The compiled version.
        """
        if not self._is_on:
            return
        try:
            if any(not each.can_cache for each in data.lifted) or data.library.has_dynamic_globals:
                return
            compiled: bytes = _core.serialize.dumps(_format.reduce(data))
            KernelStore(user_folder()).keep(self.key(sig, target.processor()), compiled)
        except (OSError, AttributeError) as error:
            _tell_once(f"compiled kernels cannot be kept: {error}")
        finally:
            end_turn(turn_of(self, sig))

    def enable(self) -> None:
        """Use the cache."""
        self._is_on = True

    def disable(self) -> None:
        """Neither load nor store from now on."""
        self._is_on = False

    def flush(self) -> None:
        """Do nothing: an outdated version has another key, so no call finds it."""


def turn_of(kernel: KernelCache, kinds: Sequence[types.Type]) -> Path:
    """Return the path of the file that a process locks while it compiles a version of a kernel.

    Other processes that need the same version wait for the lock, see `turns.take_turn`. `kernel` is
    the cache of the kernel. `kinds` are numba's types of the kernel's arguments.
    """
    return user_folder() / f"{kernel.key(kinds, target.processor()).file}.turn"


def _compiled(kernel: KernelCache, kinds: Sequence[types.Type]) -> bytes | None:
    """Return a cached version of a kernel; None if no folder has one."""
    found = (store.load(key) for store, key in kernel.places(kinds))
    return next((each for each in found if each is not None), None)


def user_folder() -> Path:
    """Return the user's folder of compiled kernels, which need not exist yet."""
    named = _core.config.CACHE_DIR
    if named and is_own(found := Path(named) / "osi-lidar"):
        return found
    return _folder_of_user() if named else _folder_of_installation()


@functools.cache
def _folder_of_installation() -> Path:
    """Return a folder in the package, or one of the user if the package cannot be written."""
    within = _PACKAGE / "__pycache__"
    places = (within / "kernels", within, _PACKAGE)
    can_be_written = os.access(next(each for each in places if each.is_dir()), os.W_OK)
    return places[0] if can_be_written and is_own(places[0]) else _folder_of_user()


def _folder_of_user() -> Path:
    return (cache_folder() or _PACKAGE / "__pycache__") / "kernels"


@functools.cache
def shipped_for() -> dict[str, str]:
    """Return for which versions and settings of numba the shipped kernels were compiled.

    The dictionary is the content of the file `INDEX`, such as the version of numba by the name
    "numba". It is empty if no kernels are shipped.
    """
    try:
        content = json.loads((SHIPPED / INDEX).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _why_not(kernel: KernelCache, kinds: Sequence[types.Type]) -> str:
    """Return why no shipped kernel fits, given that the user's folder has none either."""
    fits = shipped_for()
    if not fits:
        return "none come with this installation"
    for name, here in (target.versions() | target.settings()).items():
        if fits.get(name) != here:
            return f"this installation's are for {name} {fits.get(name)}, here is {here}"
    if not target.levels_to_load():
        return f"this installation's are not for a processor like {target.processor()}"
    for store, key in kernel.places(kinds):
        if store.folder == SHIPPED and key in store:
            return f"{store.folder / key.file} is damaged"
    return f"{kernel.name} comes with this installation for other arguments, or has changed"


@functools.cache
def _tell_once(reason: str) -> None:
    logger.info("compiling kernels: %s", reason)

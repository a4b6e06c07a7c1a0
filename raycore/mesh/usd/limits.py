# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Limits on memory and time of the process that reads OpenUSD files, by the size of the files."""

from __future__ import annotations

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from lidar_base.files.bounds import (
    BYTES_OF_USD_SECOND,
    FREE_USD_BYTES,
    FREE_USD_SECONDS,
    USD_MEMORY_RATIO,
)


def no_core_dump() -> None:
    """Switch off core dumps, which would be written if usd-core ended the process."""
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def allow(n_bytes: int) -> None:
    """Limit this process's memory and processor time, by the size of the files read so far.

    ``n_bytes`` is that size; the limits grow with it. Systems without such limits, such as Windows,
    are left without.
    """
    if resource is None:
        return
    _set(resource.RLIMIT_DATA, FREE_USD_BYTES + USD_MEMORY_RATIO * n_bytes)
    _set(resource.RLIMIT_CPU, FREE_USD_SECONDS + n_bytes // BYTES_OF_USD_SECOND)


def _set(what: int, most: int) -> None:
    hard = resource.getrlimit(what)[1]
    resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))

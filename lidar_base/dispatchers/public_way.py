# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The line about kernels that numba compiles by its public way."""

import functools
import logging

import numba

logger = logging.getLogger(__name__)


def tell_of_public_way(error: Exception) -> None:
    """Say once that this numba has other insides than those known, which takes time."""
    _tell(" ".join(f"{type(error).__name__}: {error}".split()))


@functools.cache
def _tell(reason: str) -> None:
    logger.warning(
        "numba %s has not all that osi-lidar uses inside it, so kernels are compiled by its public "
        "way, which takes longer; a version within the bounds of osi-lidar's metadata has it: %s",
        numba.__version__,
        reason,
    )

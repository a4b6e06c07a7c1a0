# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The warning that numba's public interface compiles the kernels, which takes longer."""

import functools
import logging

import numba

logger = logging.getLogger(__name__)


def tell_of_public_way(error: Exception) -> None:
    """Warn once that this numba lacks private parts that osi-lidar uses: compiling takes longer.

    `error` is the exception that showed it; the warning in the log ends with its type and text.
    """
    _tell(" ".join(f"{type(error).__name__}: {error}".split()))


@functools.cache
def _tell(reason: str) -> None:
    logger.warning(
        "numba %s lacks internals that osi-lidar uses, so kernels are compiled by numba's public "
        "interface, which takes longer; install a numba version that osi-lidar's metadata allows: "
        "%s",
        numba.__version__,
        reason,
    )

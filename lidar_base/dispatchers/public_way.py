# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The warning that numba's public interface compiles the kernels, which takes longer."""

import logging

import numba

logger = logging.getLogger(__name__)

_TOLD: dict[str, Exception] = {}
"""The errors of earlier warnings, by their text.

They are kept because their tracebacks hold libraries that numba did not complete. LLVM asks these
for machine code when it completes the next one, and would print errors if they were gone.
"""


def tell_of_public_way(error: Exception) -> None:
    """Warn once that this numba lacks private parts that osi-lidar uses: compiling takes longer.

    `error` is the exception that showed it; the warning in the log ends with its type and text.
    """
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    if reason in _TOLD:
        return
    _TOLD[reason] = error
    logger.warning(
        "numba %s lacks internals that osi-lidar uses, so kernels are compiled by numba's public "
        "interface, which takes longer; install a numba version that osi-lidar's metadata allows: "
        "%s",
        numba.__version__,
        reason,
    )

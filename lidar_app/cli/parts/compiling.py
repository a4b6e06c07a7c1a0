# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A message while kernels compile, which makes a first run wait for up to a minute."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lidar_app.cli.parts.console import err, say

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)


@contextmanager
def compilation_message() -> Iterator[None]:
    """Show one message if kernels compile during the block; loading them from a cache is silent.

    If stderr is no terminal, the message goes to the log, which --verbose shows.
    """
    from lidar_base.compiled import COMPILING, when_compiling

    told: list[str] = []

    def tell_once() -> None:
        if not told:
            told.append(COMPILING)
            if err.is_terminal:
                say(COMPILING, style="dim")
            else:
                logger.info(COMPILING)

    with when_compiling(tell_once):
        yield

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A line while kernels compile: a first run is silent for up to a minute otherwise."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lidar_app.cli.parts.console import err, say

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger(__name__)


@contextmanager
def compilation_told() -> Iterator[None]:
    """Say once, in this block, that kernels compile; kept ones are loaded without a word.

    Where stderr is no terminal, it is a line of the log, which --verbose shows.
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

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors that nobody foresaw, as one line for users."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from osi_lidar.live.first_times import FirstTimes

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

logger = logging.getLogger(__name__)

_LONGEST_PROBLEM = 200


def unexpected(error: BaseException) -> str:
    """Return a text for an error that nobody foresaw: one line of bounded length."""
    text = " ".join(str(error).split())[:_LONGEST_PROBLEM] or "without a reason"
    return f"it could not be processed: {text} ({type(error).__name__})"


def warner() -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return an exception handler for asyncio that logs the first 20 different errors."""
    logged = FirstTimes()

    def warn(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        text = context["message"] if error is None else f"a connection: {unexpected(error)}"
        if not isinstance(error, KeyboardInterrupt) and logged.is_first(text):
            logger.warning("%s", text)

    return warn

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The texts of usd-core's errors, each as one line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pxr import Tf

_LONGEST = 200
_PLACE = re.compile(r"^(\d+):\d+: ")
_INTERNAL = re.compile(r"pxrInternal_v\w*?pxrReserved__(?:_pegtl)?(?:::)?")
"""Names within usd-core, which differ from version to version."""


def line(text: str) -> str:
    """Return a text as one line of at most 200 characters."""
    return " ".join(text.split())[:_LONGEST]


def reason_of(error: Tf.ErrorException, asset: str = "") -> str:
    """Return the first reason in an error of usd-core, without the folder of the file ``asset``."""
    text = next(filter(None, map(_reason, error.args)), "no reason given")
    if asset:
        text = text.replace(f"{asset}:", "").replace(f"@{asset}@", Path(asset).name)
    return line(_PLACE.sub(r"line \1: ", _INTERNAL.sub("", text)))


def _reason(diagnostic: object) -> str:
    """Return the text of one error; it may quote bytes of the file that are not UTF-8."""
    try:
        return str(getattr(diagnostic, "commentary", diagnostic))
    except UnicodeDecodeError as error:
        return error.object.decode(errors="replace")

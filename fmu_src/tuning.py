# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What of a sensor may change while it runs: the tunable parameters."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from osi_lidar.config.pattern_texts import pattern_of_text
from osi_lidar.scan.build import pattern_source

from .variables import PARAMETERS

if TYPE_CHECKING:
    from osi_lidar.model import LidarModel

    from .variables import Value

TUNABLE = tuple(each.name for each in PARAMETERS if each.tunable)


def tune(model: LidarModel, name: str, value: Value) -> None:
    """Change the first sensor, from its next scan on.

    Parameters
    ----------
    model : LidarModel
        Stays as it is where the value cannot be used.
    name : str
        One of ``TUNABLE``.
    value : bool or str
        Its new value.

    Raises
    ------
    ConfigurationError, PatternError
        One line: what cannot be used.
    """
    if name == "pattern":
        _use_pattern(model, str(value))
    else:
        model.lidars[0].use_motion(**{name: bool(value)})


def _use_pattern(model: LidarModel, text: str) -> None:
    """Take the pattern of a text, of the file that it names, or the configuration's for none."""
    lidar, config = model.lidars[0], model.config
    if text.strip():
        folder = config.file.parent if config.file else Path.cwd()
        source = pattern_of_text(text, folder=folder, period_s=lidar.pattern.period_s)
    else:
        source = pattern_source(config.sensors[0])
    lidar.use_pattern(source)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tunable parameters: changes to a sensor while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from osi_lidar.config.pattern_texts import pattern_of_text
from osi_lidar.scan.from_config import pattern_source

from .variables import PARAMETERS

if TYPE_CHECKING:
    from osi_lidar.model import LidarModel

    from .variables import Value

TUNABLE = tuple(each.name for each in PARAMETERS if each.tunable)


def tune(model: LidarModel, name: str, value: Value) -> None:
    """Change a parameter of the first sensor, with effect from its next scan.

    Parameters
    ----------
    model : LidarModel
        The model, which is unchanged if the value cannot be used.
    name : str
        One of ``TUNABLE``.
    value : bool or str
        New value of the parameter.

    Raises
    ------
    ConfigurationError, PatternError
        The value cannot be used; one line says why.
    """
    if name == "pattern":
        _use_pattern(model, str(value))
    else:
        switch = {name: bool(value)}
        timing = model.lidars[0].timing
        timing.check(None, **switch)
        timing.use_motion(**switch)


def _use_pattern(model: LidarModel, text: str) -> None:
    """Use the pattern given as text or as a file name; an empty text means the configured one."""
    lidar, config = model.lidars[0], model.config
    if text.strip():
        folder = config.file.parent if config.file else Path.cwd()
        source = pattern_of_text(text, folder=folder, period_s=lidar.pattern.period_s)
    else:
        source = pattern_source(config.sensors[0])
    lidar.timing.check(source)
    lidar.timing.use_pattern(source)

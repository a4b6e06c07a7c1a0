# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of weather: transmission of windows, and weather that no sensor sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_bridge import qualifier_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from osi_lidar.config import Config
    from osi_lidar.scan.lidar import Lidar

_LIGHT = {"sun", "ambient_lux", "scenario"}  # an ideal sensor with near_ir sees light of these


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowFinding:
    """A sensor's window that is not clear, or that is ignored because the sensor is ideal.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    passes : str
        Two-way transmission of the window, least to greatest over the beams, as text.
    blocked_share : float
        Share of the beams that the window blocks. [1]
    qualifier : str
        Data qualifier that the sensor's OSI messages state in their header.
    """

    sensor: str
    passes: str
    blocked_share: float
    qualifier: str


def weather_doubts(config: Config) -> Iterator[str]:
    """Yield at most one line of text, if `config` states weather that its sensors cannot see.

    Ideal sensors see none, or only the light if one has ``near_ir``.
    """
    is_stated = config.weather.model_fields_set - {"messages"}
    seen = is_stated & _LIGHT if any(sensor.near_ir for sensor in config.sensors) else set()
    is_unseen = is_stated - seen or seen & {"scenario"}
    if is_unseen and not any(each.is_physical for each in config.sensors):
        part = "only its light" if seen else "none"
        yield f"weather is stated, but all sensors are ideal and see {part} (fidelity: physical)"


def window_findings(config: Config, lidars: Iterable[Lidar]) -> Iterator[WindowFinding]:
    """Yield a finding for each window that is not clear, or is ignored as its sensor is ideal.

    An ideal sensor has a finding only if ``weather.window.sensors`` names it.

    Parameters
    ----------
    config : Config
        The configuration; it names sensors whose windows are wet or dirty.
    lidars : iterable of Lidar
        The sensors that were made from the configuration.
    """
    named = config.weather.window.sensors or ()
    for lidar in lidars:
        blocked = 0.0
        if lidar.window is not None:
            blocked = lidar.window.blocked_share(lidar.pattern.direction)
            passed = 100.0 * lidar.window.passed(lidar.pattern.direction)
            least, most = float(passed.min()), float(passed.max())
            passes = f"{least:.3g} %"
            if most > least:
                passes = f"{least:.3g} to {most:.3g} %, {float(passed.mean()):.3g} % on average"
        elif lidar.name in named and not lidar.is_physical:
            passes = "all: the sensor is ideal"
        else:
            continue
        yield WindowFinding(
            sensor=lidar.name,
            passes=passes,
            blocked_share=blocked,
            qualifier=qualifier_of(blocked).name,
        )

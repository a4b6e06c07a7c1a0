# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The windows of sensors, made from the configuration."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import ConfigurationError, SmallFileError
from lidar_base.files.small_files import read_small_file
from lidar_base.near_match import near_match
from lidar_base.random.draws import Draws
from material_mapping.errors import MaterialError
from osi_lidar.scan.media.window import SensorWindow, Window
from raycore.errors import ImageError
from raycore.images.pixels import grey_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from lidar_scenery.weather.sources.window_keys import WindowSection

_MOST_BYTES = 256 * 2**20


def window_of(section: WindowSection) -> Window:
    """Return the state of windows that a section ``window`` of the configuration describes.

    Raises
    ------
    ConfigurationError
        The image cannot be used. The error is one line: key, file, problem.
    """
    stated = section.transmission
    if not isinstance(stated, Path):
        return _window(section, np.full((1, 1), float(stated)))
    place = f"weather.window.transmission: {stated}"
    try:
        grey = grey_of(read_small_file(stated, _MOST_BYTES))
    except (ImageError, SmallFileError) as error:
        raise ConfigurationError(f"{place}: {error}") from None
    height, width = grey.shape
    if min(height, width) < 2:
        raise ConfigurationError(f"{place}: has {width} x {height} pixels, expected 2 x 2 or more")
    return _window(section, grey)


def _window(section: WindowSection, transmission: NDArray[np.float64]) -> Window:
    return Window(transmission=transmission, drops=section.drops, film_mm=section.film_mm)


def sensor_windows(
    section: WindowSection, sensors: Mapping[str, float], seed: int
) -> dict[str, SensorWindow]:
    """Return the windows of the sensors by name; sensors with a clear window are left out.

    Parameters
    ----------
    section : WindowSection
        The section ``window`` of the configuration.
    sensors : mapping of str to float
        Wavelengths of all sensors [nm], by name.
    seed : int
        Seed of the configuration, for drops.

    Raises
    ------
    ConfigurationError
        The image cannot be used, the section names a sensor that does not exist, or there is no
        data of water at the wavelength of a sensor.
    """
    known = list(sensors)
    names = known if section.sensors is None else section.sensors
    for name in names:
        if name not in known:
            hint, allowed = near_match(name, known), ", ".join(known)
            raise ConfigurationError(
                f"weather.window.sensors: there is no sensor {name!r}{hint} (allowed: {allowed})"
            )
    window = window_of(section)
    if window.is_clear:
        return {}
    return {name: _sensor_window(window, name, sensors[name], seed) for name in names}


def _sensor_window(window: Window, name: str, wavelength_nm: float, seed: int) -> SensorWindow:
    try:
        return SensorWindow(window, Draws.of(seed=seed, sensor=name), wavelength_nm)
    except MaterialError as error:
        raise ConfigurationError(f"weather.window.film_mm: sensor {name!r}: {error}") from None

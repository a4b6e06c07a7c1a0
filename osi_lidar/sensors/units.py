# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""One unit of a known sensor, drawn from the known differences between its units."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base import random
from osi_lidar.sensors.presets import load_preset, preset_names

if TYPE_CHECKING:
    from osi_lidar.sensors.channels import Channels
    from osi_lidar.sensors.presets import SensorPreset

_NOISE, _SIGNAL, _COMMON, _LASERS = range(4)
"""Indices of the random numbers: three for the unit, then two for each laser."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The differences of a unit from the figures of its sensor.

    Attributes
    ----------
    noise, signal : float or None
        Factors on the standard deviation of ranges and on the received signal. None, which means a
        factor of 1: nothing is drawn, or it is not known how units differ. [1]
    common_elevation_deg : float or None
        Tilt that all lasers have in common; None if angles are not drawn. [deg]
    elevation_deg, azimuth_deg : tuple of float
        Angles by which each laser points higher (including the tilt) and more to the left than the
        sensor's figures say; empty if angles are not drawn. [deg]
    """

    noise: float | None = None
    signal: float | None = None
    common_elevation_deg: float | None = None
    elevation_deg: tuple[float, ...] = ()
    azimuth_deg: tuple[float, ...] = ()

    @property
    def noise_factor(self) -> float:
        """Factor on the standard deviation of ranges; 1 if ``noise`` is None [1]."""
        return 1.0 if self.noise is None else self.noise

    @property
    def signal_factor(self) -> float:
        """Factor on the received signal; 1 if ``signal`` is None [1]."""
        return 1.0 if self.signal is None else self.signal

    def lasers(self, channels: Channels) -> Channels:
        """Return a sensor's lasers with this unit's angles, as a copy.

        ``channels`` are the sensor's lasers; they are returned as they are if no angles are drawn.
        """
        if not self.elevation_deg:
            return channels
        sign = -1.0 if channels.azimuth_offset_positive == "clockwise" else 1.0
        azimuth_deg = channels.azimuth_offset_deg or (0.0,) * len(self.azimuth_deg)
        pairs = zip(azimuth_deg, self.azimuth_deg, strict=True)
        turned = {
            "elevation_deg": tuple(np.add(channels.elevation_deg, self.elevation_deg).tolist()),
            "azimuth_offset_deg": tuple(before + sign * left for before, left in pairs),
        }
        return channels.model_copy(update=turned)

    @property
    def content(self) -> dict[str, float | None]:
        """Entries for run.json: ``noise``, ``signal`` and ``common_elevation_deg`` by these names.

        They are the attributes, rounded to 6 decimals: two factors [1] and the common tilt of the
        lasers [deg]. A value that was not drawn is None.
        """
        found = {
            "noise": self.noise,
            "signal": self.signal,
            "common_elevation_deg": self.common_elevation_deg,
        }
        return {key: None if value is None else round(value, 6) for key, value in found.items()}

    @property
    def words(self) -> str:
        """The drawn noise, signal and common tilt, in words; empty if nothing is drawn."""
        factors = {"range noise": self.noise, "signal": self.signal}
        drawn = [f"{what} x {each:.3g}" for what, each in factors.items() if each is not None]
        if self.common_elevation_deg is not None:
            drawn.append(f"lasers {self.common_elevation_deg:+.3f}° in elevation on average")
        return ", ".join(drawn)


TYPICAL = Unit()
"""A unit with the figures of its sensor."""


def draw_unit(preset: SensorPreset, *, seed: int, sensor: str, angles: bool = True) -> Unit:
    """Return a random unit of a sensor; the same seed and sensor name always give the same unit.

    The logarithms of its factors, and its angles, have normal distributions.

    Parameters
    ----------
    preset : SensorPreset
        The known sensor, with the spread of its units.
    seed : int
        Seed of the configuration.
    sensor : str
        Name of the sensor in the configuration.
    angles : bool
        Whether the angles of the lasers are drawn, too.
    """
    count = np.arange(_LASERS + 2 * preset.n_channels, dtype=np.uint32)
    drawn = random.Draws.of(seed=seed, sensor=sensor).normal(random.UNIT, count)
    noise, signal, spread = preset.unit_noise, preset.unit_signal, preset.units
    of_lasers = drawn[_LASERS:].reshape(-1, 2)
    unit = Unit(
        noise=None if noise is None else math.exp(noise * drawn[_NOISE]),
        signal=None if signal is None else math.exp(signal * drawn[_SIGNAL]),
    )
    if spread is None or not angles:
        return unit
    tilt_deg = float(spread.common_elevation_deg * drawn[_COMMON])
    elevation_deg = tilt_deg + spread.elevation_deg * of_lasers[:, 0]
    azimuth_deg = (spread.azimuth_deg or 0.0) * of_lasers[:, 1]
    return replace(
        unit,
        common_elevation_deg=tilt_deg,
        elevation_deg=tuple(elevation_deg.tolist()),
        azimuth_deg=tuple(azimuth_deg.tolist()),
    )


def why_not_drawn(preset: SensorPreset, *, angles: bool = True) -> str:
    """Return why no unit of a sensor can be drawn at random, as text; empty if one can be drawn.

    A unit is one device of the sensor's type. None can be drawn if no difference between units is
    known, or only differences of the lasers' angles, and ``angles`` is False.

    Parameters
    ----------
    preset : SensorPreset
        The known sensor.
    angles : bool
        Whether the lasers' angles are drawn; False if the configuration states them itself.
    """
    if preset.unit_noise is not None or preset.unit_signal is not None:
        return ""
    if _is_known(preset):
        only = "only the angles of its units are known to differ, and the configuration has those"
        return "" if angles else f"sensor {preset.name}: {only}"
    return f"sensor {preset.name}: how its units differ is not known, {known_units()}"


def known_units() -> str:
    """Return the end of an error message: "only for", and the sensors with known unit differences.

    Single devices (units) can be drawn at random only for these sensors.
    """
    known = [name for name in preset_names() if _is_known(load_preset(name))]
    return f"only for {', '.join(known)}"


def _is_known(preset: SensorPreset) -> bool:
    figures = (preset.units, preset.unit_noise, preset.unit_signal)
    return any(each is not None for each in figures)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather as stated in OSI's environmental conditions and lanes."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from osi3.osi_environment_pb2 import EnvironmentalConditions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message

Range = tuple[float, float]

# Ranges as stated by osi_environment.proto and osi_lane.proto:
TEMPERATURES_K: Range = (170.0, 340.0)
HUMIDITIES_PERCENT: Range = (0.0, 100.0)
PRESSURES_PA: Range = (80_000.0, 120_000.0)
# OSI states only the lower end; the upper ends are above all measured values:
WIND_SPEEDS_M_S: Range = (0.0, 150.0)
DIRECTIONS_RAD: Range = (-1e6, 1e6)  # as for angles of objects
WATER_FILMS_MM: Range = (0.0, 1000.0)

_NAMES: dict[str, dict[int, str]] = {
    field: {number: name.removeprefix(f"{field.upper()}_") for name, number in enum.items()}
    for field, enum in (
        ("precipitation", EnvironmentalConditions.Precipitation),
        ("fog", EnvironmentalConditions.Fog),
        ("fractional_cloud_cover", EnvironmentalConditions.CloudLayer.FractionalCloudCover),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """Weather as messages state it; None for a value that no message states.

    A number that is not finite, or outside the ranges of this module, counts as not stated.

    Attributes
    ----------
    precipitation, fog : str or None
        OSI's names without their prefix, such as "MODERATE" and "MIST".
    temperature_k : float or None
        Temperature of the air. [K]
    relative_humidity_percent : float or None
        Relative humidity of the air. [%]
    atmospheric_pressure_pa : float or None
        Pressure of the air. [Pa]
    wind_speed_m_s : float or None
        Speed of the wind. [m/s]
    wind_origin_rad : float or None
        Direction from which the wind comes, counter-clockwise from north. North is taken to be the
        y axis of the world; ``proj_string``, which may state another direction, is not read. [rad]
    cloud_cover : str or None
        OSI's name without its prefix, such as "FOUR_OKTAS".
    surface_water_film_mm : float or None
        Thickest film of water on any lane. [mm]
    """

    precipitation: str | None = None
    fog: str | None = None
    temperature_k: float | None = None
    relative_humidity_percent: float | None = None
    atmospheric_pressure_pa: float | None = None
    wind_speed_m_s: float | None = None
    wind_origin_rad: float | None = None
    cloud_cover: str | None = None
    surface_water_film_mm: float | None = None


class ConditionsReader:
    """Reads the weather conditions from successive messages of a trace or stream.

    Each value is kept until a later message states it again.

    Attributes
    ----------
    conditions : Conditions or None
        All values stated so far. None until a message states a value; the same object as long as no
        value changes.
    """

    def __init__(self) -> None:
        self.conditions: Conditions | None = None
        self._last: Message | None = None

    def hear(self, truth: Message) -> None:
        """Update ``conditions`` with the values in a GroundTruth's environmental conditions.

        ``truth`` is the decoded GroundTruth message. Values that it does not state stay.
        """
        if not truth.HasField("environmental_conditions"):
            return
        own = truth.environmental_conditions
        if own != self._last:
            self._last = own
            self._keep(_stated(own))

    def hear_lanes(self, lanes: Iterable[Message]) -> None:
        """Update ``conditions`` with the thickest film of water on any of a message's lanes.

        ``lanes`` are the messages of type Lane. If no lane states its water, the earlier film
        stays. To save time, call this only if the lanes have changed since the previous message.
        """
        stated_mm = [film_mm for film_mm in map(water_film_mm, lanes) if film_mm is not None]
        self._keep(Conditions(surface_water_film_mm=max(stated_mm, default=None)))

    def _keep(self, stated: Conditions) -> None:
        """Update the conditions with stated values, and keep the other values."""
        earlier = self.conditions or Conditions()
        silent = [each.name for each in fields(stated) if getattr(stated, each.name) is None]
        made = replace(stated, **{name: getattr(earlier, name) for name in silent})
        if made != earlier:
            self.conditions = made


def _stated(own: Message) -> Conditions:
    return Conditions(
        precipitation=_word(own, "precipitation"),
        fog=_word(own, "fog"),
        temperature_k=_within(TEMPERATURES_K, own, "temperature"),
        relative_humidity_percent=_within(HUMIDITIES_PERCENT, own, "relative_humidity"),
        atmospheric_pressure_pa=_within(PRESSURES_PA, own, "atmospheric_pressure"),
        wind_speed_m_s=_within(WIND_SPEEDS_M_S, own.wind, "speed"),
        wind_origin_rad=_within(DIRECTIONS_RAD, own.wind, "origin_direction"),
        cloud_cover=_word(own.clouds, "fractional_cloud_cover"),
    )


def water_film_mm(lane: Message) -> float | None:
    """Return the thickness of the water on a lane [mm]; None if it is not stated or impossible."""
    return _within(WATER_FILMS_MM, lane.classification.road_condition, "surface_water_film")


def _word(message: Message, field: str) -> str | None:
    """Return OSI's name of an enumeration value without its prefix; None if it is not stated."""
    return _NAMES[field][getattr(message, field)] if message.HasField(field) else None


def _within(limits: Range, message: Message, field: str) -> float | None:
    """Return a number of a message; None if it is not stated, or outside the limits."""
    if not message.HasField(field):
        return None
    value = float(getattr(message, field))
    return value if limits[0] <= value <= limits[1] else None

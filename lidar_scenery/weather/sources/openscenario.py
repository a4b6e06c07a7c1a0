# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The weather of an ASAM OpenSCENARIO XML file, versions 1.0 to 1.3.

The reader uses environments: Weather with Fog, Precipitation, Wind, Sun and temperature, and
RoadCondition with wetness. If Init has environments with any of these, they apply, and a later one
replaces values of an earlier one. Otherwise the first environment of the story applies. Changes
later in the scenario are ignored.

Directions follow the standard: Wind states where the wind blows to, counter-clockwise from x.
The sun's azimuth counts clockwise from north, the y axis of the world. (Version 1.0 calls this
counter-clockwise, but has pi/2 in the east as later versions do.)

Ignored contents of the environments that apply are listed, and so are all other environments.
Outside of environments a scenario states no weather.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.errors import ConfigurationError, SmallFileError
from lidar_base.files.small_files import read_small_file
from lidar_base.files.xml_unasked import Meaningless, list_unasked
from lidar_base.near_match import near_match
from lidar_base.unfollowed import Unfollowed, log_not_followed
from lidar_base.xml_tree import read_xml
from lidar_scenery.weather.sources.from_osi import CLEAR_FROM_M
from lidar_scenery.weather.sources.layers import all_of
from lidar_scenery.weather.state import Weather, sun_at

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed
    from lidar_base.xml_tree import Element

_MOST_BYTES = 64 * 2**20
_WITHOUT = frozenset({"Trajectory", "Route"})
"""Elements that are skipped: they can be large, and hold no weather."""
WETNESS_MM = {
    "dry": 0.0,
    "moist": 0.1,
    "wetWithPuddles": 1.0,
    "lowFlooded": 10.0,
    "highFlooded": 50.0,
}
"""Films of water as proposed for esmini's OSI output, https://github.com/esmini/esmini/issues/826:
an estimate, OpenSCENARIO has no figures. [mm]"""

_OFF_THE_LIST = (
    "Environment@name Weather@atmosphericPressure Weather/DomeImage Sun@illuminance Sun@intensity "
    "Sun@azimuth Sun@elevation Precipitation@intensity Precipitation@precipitationIntensity "
    "RoadCondition@frictionScaleFactor ParameterDeclaration@parameterType "
    "ParameterDeclaration/ConstraintGroup"
)
"""Contents that are not listed as ignored: they do not concern air or light, or they are read, but
not if the sun has no illuminance, the rate is zero, or another attribute states the same."""
_MEANINGLESS = Meaningless(frozenset(_OFF_THE_LIST.split()))


class _Limits(NamedTuple):
    """Smallest and largest allowed value of an attribute, and its unit."""

    least: float
    most: float
    unit: str

    def __str__(self) -> str:
        upper = "or more" if math.isinf(self.most) else f"to {self.most:g}"
        return f"{self.least:g} {upper}, in {self.unit}"


_RATES = _Limits(0.0, 500.0, "mm/h")
_SHARES = _Limits(0.0, 1.0, "1")
_VISIBILITIES = _Limits(1.0, math.inf, "m")
_TEMPERATURES = _Limits(170.0, 340.0, "K")
_SPEEDS = _Limits(0.0, 150.0, "m/s")
_ILLUMINANCES = _Limits(0.0, 1e6, "lx")
_ANGLES = _Limits(-6.3, 6.3, "rad")  # one turn: more are degrees


def weather_of_scenario(path: Path) -> Weather:
    """Return the weather at the start of an OpenSCENARIO file.

    Parameters
    ----------
    path : Path
        A scenario or a catalog of environments. If Init has environments, all of them apply, and a
        later one replaces values of an earlier one; else the first environment of the file applies.

    Returns
    -------
    Weather
        Its ``sources`` begin with a remark on the place in the file. Ignored contents are logged.

    Raises
    ------
    ConfigurationError
        The file cannot be read, is another format, states no environment, or states a value that is
        impossible or has no unit. One line: file, line, attribute, got, expected.
    """
    root = _root(path)
    found = [*_environments(root, in_init=False)]
    chosen = [each for each in found if each.in_init] or found[:1]
    if not chosen:
        raise ConfigurationError(f"{path}: has no EnvironmentAction with Weather or RoadCondition")
    general = _declared(root)
    stated = all_of(
        part
        for each in chosen
        for part in _parts(each.element, _Values(path, general | _declared(each.element)))
    )
    where = " and ".join(f"line {each.element.line}" for each in chosen)
    place = "environment of Init" if chosen[0].in_init else "first environment of the file"
    left = len(found) - len(chosen)
    more = f"; {left} other{'s' * (left > 1)} left out" if left else ""
    remark = ("scenario", f"{path.name}, {where}: {place}{more}")
    sources = ((name, f"{path.name}: {words}") for name, words in stated.sources)
    not_followed = _not_followed(chosen, found)
    log_not_followed(str(path), not_followed)
    return replace(stated, sources=(remark, *sources), not_followed=not_followed)


def _not_followed(
    chosen: Iterable[_Environment], found: Iterable[_Environment]
) -> tuple[NotFollowed, ...]:
    """Return the ignored contents of the chosen environments, and all other environments."""
    unfollowed = Unfollowed()
    in_force = {id(each) for each in chosen}
    for each in found:
        if id(each) in in_force:
            list_unasked(each.element, _MEANINGLESS, unfollowed)
        else:
            unfollowed.add("another environment", f"line {each.element.line}")
    return unfollowed.kinds


def _root(path: Path) -> Element:
    try:
        content = read_small_file(path, _MOST_BYTES)
    except SmallFileError as error:
        raise ConfigurationError(f"{path}: {error}") from None
    root = read_xml(path, content, _WITHOUT)
    if root.tag != "OpenSCENARIO":
        raise ConfigurationError(f"{path}: its root is <{root.tag:.40}>, expected <OpenSCENARIO>")
    return root


@dataclass(frozen=True, slots=True)
class _Environment:
    """An element Environment, or a reference to one, and whether it is within Init."""

    element: Element
    in_init: bool


def _environments(above: Element, *, in_init: bool) -> Iterator[_Environment]:
    """Yield the environments of a file that state weather or a road condition, in file order."""
    for element in above.children:
        is_reference = above.tag == "EnvironmentAction" and element.tag == "CatalogReference"
        if element.tag == "Environment" or is_reference:
            if is_reference or element.first("Weather") or element.first("RoadCondition"):
                yield _Environment(element, in_init)
        else:
            yield from _environments(element, in_init=in_init or element.tag == "Init")


def _declared(above: Element) -> dict[str, str]:
    """Return the values of the parameters that an element declares, by name."""
    declarations = above.first("ParameterDeclarations")
    return {
        each.get("name"): each.get("value")
        for each in (() if declarations is None else declarations.all("ParameterDeclaration"))
    }


@dataclass(frozen=True, slots=True)
class _Values:
    """Reader of attributes: it resolves parameters, and its errors name the file."""

    path: Path
    parameters: dict[str, str]

    def has(self, element: Element, name: str) -> bool:
        """Return whether an attribute is present and not blank."""
        return bool(element.get(name).strip())

    def word(self, element: Element, name: str, known: Iterable[str] = ()) -> str:
        """Return the text of an attribute as one line; an error if it is not one of `known`."""
        text = " ".join(element.get(name).split())
        if text.startswith("$"):
            parameter = text[1:]
            if parameter not in self.parameters:
                raise self.problem(element, name, f"{text:.60}", "a declared parameter")
            text = " ".join(self.parameters[parameter].split())
        if known and text not in known:
            expected = f"{', '.join(known)}{near_match(text, known)}"
            raise self.problem(element, name, f"'{text:.60}'", expected)
        return text

    def number(self, element: Element, name: str, limits: _Limits) -> float:
        """Return an attribute as a number within limits."""
        text = self.word(element, name)
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not limits.least <= value <= limits.most:
            raise self.problem(element, name, f"'{text:.60}'", str(limits))
        return value

    def problem(self, element: Element, name: str, got: str, expected: str) -> ConfigurationError:
        """Return the error of an attribute."""
        where = f"{self.path}: line {element.line}: {element.tag} {name}"
        return ConfigurationError(f"{where}: got {got}, expected {expected}")


def _parts(environment: Element, values: _Values) -> Iterator[Weather]:
    """Yield a `Weather` for each value that an environment states, with that value alone."""
    if environment.tag == "CatalogReference":
        name = values.word(environment, "catalogName")
        expected = "an Environment; give the catalog's file"
        raise values.problem(environment, "catalogName", f"'{name:.60}'", expected)
    for weather in environment.all("Weather"):
        if values.has(weather, "temperature"):
            kelvin = values.number(weather, "temperature", _TEMPERATURES)
            yield Weather(temperature_k=kelvin, sources=(("temperature_k", f"{kelvin:g} K"),))
        for element in weather.any_of(_READERS):
            yield _READERS[element.tag](element, values)
    for road in environment.all("RoadCondition"):
        if values.has(road, "wetness"):
            wetness = values.word(road, "wetness", WETNESS_MM)
            words = f"wetness {wetness} -> {WETNESS_MM[wetness]:g} mm of water, an estimate"
            yield Weather(road_water_mm=WETNESS_MM[wetness], sources=(("road_water_mm", words),))


def _fog(fog: Element, values: _Values) -> Weather:
    range_m = values.number(fog, "visualRange", _VISIBILITIES)
    words = f"Fog visualRange {range_m:g} m"
    if range_m >= CLEAR_FROM_M:
        return Weather(sources=(("visibility_m", f"{words} -> none, {CLEAR_FROM_M:g} m and more"),))
    if any(child.tag == "BoundingBox" for child in fog.children):  # not asked for: it is listed
        words += ", everywhere: its bounding box is not read"
    return Weather(visibility_m=range_m, sources=(("visibility_m", words),))


def _precipitation(fallen: Element, values: _Values) -> Weather:
    kind = values.word(fallen, "precipitationType", ("dry", "rain", "snow"))
    rate_mm_h = 0.0
    if kind != "dry" and values.has(fallen, "precipitationIntensity"):
        rate_mm_h = values.number(fallen, "precipitationIntensity", _RATES)
    elif kind != "dry":
        share = values.number(fallen, "intensity", _SHARES)
        if share > 0.0:  # version 1.0
            got = f"{share:g}, a relative intensity without a rate"
            raise values.problem(fallen, "intensity", got, "precipitationIntensity in mm/h")
    words = f"Precipitation {kind} {rate_mm_h:g} mm/h" if rate_mm_h else "no precipitation"
    if kind == "snow":
        return Weather(snow_mm_h=rate_mm_h, sources=(("snow_mm_h", words),))
    return Weather(rain_mm_h=rate_mm_h, sources=(("rain_mm_h", words),))


def _wind(wind: Element, values: _Values) -> Weather:
    speed_m_s = values.number(wind, "speed", _SPEEDS)
    to_rad = values.number(wind, "direction", _ANGLES)
    velocity_m_s = (speed_m_s * math.cos(to_rad), speed_m_s * math.sin(to_rad))
    to_deg = math.degrees(to_rad)
    words = f"Wind of {speed_m_s:g} m/s to {to_deg:.4g} deg, counter-clockwise from x"
    return Weather(wind_m_s=velocity_m_s, sources=(("wind_m_s", words),))


def _sun(element: Element, values: _Values) -> Weather:
    name = "illuminance" if values.has(element, "illuminance") else "intensity"
    if not values.has(element, name):
        return Weather(sources=(("Sun", "Sun is not read: it has no illuminance"),))
    lux = values.number(element, name, _ILLUMINANCES)
    azimuth_rad = values.number(element, "azimuth", _ANGLES)
    elevation_rad = values.number(element, "elevation", _ANGLES)
    words = (
        f"Sun {math.degrees(azimuth_rad):.4g} deg clockwise from north, "
        f"{math.degrees(elevation_rad):.4g} deg high, {lux:g} lx"
    )
    return Weather(
        ambient_lux=lux,
        sun=sun_at(-azimuth_rad, elevation_rad, lux),
        sources=(("ambient_lux", f"Sun {name} {lux:g} lx"), ("sun", words)),
    )


_READERS = {"Fog": _fog, "Precipitation": _precipitation, "Wind": _wind, "Sun": _sun}

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes for intensity: by range, by incidence, and through weather."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID
from lidar_app.conformance.judging import Finding
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage
from osi_bridge.bench import StatedWeather

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.judged import Judged
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet

FOG, RAIN = StatedWeather(fog=8), StatedWeather(precipitation=6)
VISIBILITY_M = 200.0
"""Upper limit of the visibility in OSI's FOG_THICK. [m]"""
_OPTICAL_DEPTH = math.log(20.0)
"""Optical depth of the visibility: 5 % of the light is left (definition of the WMO). [1]"""


def _plates(sheet: DataSheet) -> list[BenchMoment]:
    """Show two plates that face the sensor, the second at twice the distance of the first."""
    stage, x_m = Stage(sheet), 0.8 * Stage(sheet).near_m
    near = stage.box(0, x_m, 0.3 * x_m, (0.5, 0.4 * x_m, 0.4 * x_m))
    return stage.still(near, stage.box(1, 2.0 * x_m, -0.6 * x_m, (0.5, 0.8 * x_m, 0.8 * x_m)))


def _tilted(sheet: DataSheet) -> list[BenchMoment]:
    """Show two plates at one distance, the second of which is turned by 60 degrees."""
    stage, x_m = Stage(sheet), Stage(sheet).near_m
    flat = stage.box(0, x_m, 0.25 * x_m, (0.1, 0.3 * x_m, 0.5 * x_m))
    other = stage.box(1, x_m, -0.3 * x_m, (0.1, 0.5 * x_m, 0.5 * x_m))
    return stage.still(flat, replace(other, yaw_rad=math.pi / 3.0))


def _ratio(replies: Replies) -> Iterator[Finding | None]:
    """Judge the ratio of the median intensities, divided by the law of the sheet."""
    judged = replies.judged()
    scaled = by_law(judged)
    first, second = (scaled[judged.on_object(FIRST_ID + each)] for each in (0, 1))
    if not len(first) or not len(second):
        yield Finding("intensity", "detections on both plates", "none on one", holds=False)
        return
    low, high = float(np.median(first)), float(np.median(second))
    most = replies.sheet.margins.intensity
    told = f"1 after division by the law, within {most:g}"
    if not np.isfinite([low, high]).all() or low <= 0.0:
        yield Finding("intensity", told, "0 or not stated on a plate", holds=False)
        return
    yield Finding("intensity", told, f"{high / low:.3f}", abs(high / low - 1.0) <= most)


def by_law(judged: Judged) -> NDArray[np.float64]:
    """Return intensities of the judged detections, corrected for range and incidence, float64 (n,).

    The intensity [%] is divided by the law that the data sheet states (`SheetIntensity`): a power
    of the range, times the cosine of the angle of incidence if it is Lambertian. Surfaces of equal
    reflectivity should then have equal values. Range and angle come from the closed forms.
    """
    law, met = judged.sheet.intensity, judged.expected.hits[0]
    strength = judged.scan.intensity_percent[judged.kept]
    with np.errstate(divide="ignore", invalid="ignore"):
        told = met.range_m**-law.range_exponent
        if law.incidence == "lambertian":
            told = told * met.cos_incidence
        return np.asarray(strength / told)


def _in(weather: StatedWeather, sheet: DataSheet) -> list[BenchMoment]:
    """Show a wall in clear air for three messages, then in weather for three."""
    stage = Stage(sheet)
    moments = stage.still(stage.wall(0, stage.near_m), n=6)
    return [
        replace(each, weather=StatedWeather() if index < 3 else weather)
        for index, each in enumerate(moments)
    ]


def _weaker(replies: Replies) -> Iterator[Finding | None]:
    """Judge that echoes of the wall do not move, and become neither more nor stronger."""
    clear, wet = replies.judged(2), replies.judged(5)
    on_clear, on_wet = (
        each.on_object(FIRST_ID) & (each.off_m <= each.sheet.tolerance_m) for each in (clear, wet)
    )
    n, m = np.count_nonzero(on_clear), np.count_nonzero(on_wet)
    if not n:
        yield Finding("number", "detections on the wall in clear air", "none", holds=False)
        return
    of = replies.sheet.margins
    yield Finding("number", f"at most {n} on the wall", str(m), bool(m <= (1.0 + of.number) * n))
    if not replies.sheet.claims("intensity") or not m:
        return
    fog = replies.moments[5].weather == FOG
    passed = math.exp(-2.0 * _OPTICAL_DEPTH * Stage(replies.sheet).near_m / VISIBILITY_M)
    most = passed if fog else 1.0
    first = np.mean(clear.scan.intensity_percent[clear.kept][on_clear])
    ratio = float(np.mean(wet.scan.intensity_percent[wet.kept][on_wet]) / first)
    told = f"at most {most:.3f} of that in clear air"
    yield Finding("intensity", told, f"{ratio:.3f}", ratio <= most + of.intensity)


BY_RANGE = BenchScene(
    name="intensity_by_range",
    title="Two plates, the second twice as far",
    heading="Intensity",
    formula="I2 / I1 = (r1 / r2)^n, n of the data sheet",
    moments=_plates,
    oracle=_ratio,
    needs=("detections", "intensity"),
)
BY_INCIDENCE = BenchScene(
    name="intensity_by_incidence",
    title="Two plates, the second turned by 60 degrees",
    heading="Intensity",
    formula="I2 / I1 = cos(60) (r1 / r2)^n, where the sheet says lambertian",
    moments=_tilted,
    oracle=_ratio,
    needs=("detections", "intensity"),
)
IN_FOG = BenchScene(
    name="fog",
    title="A wall in thick fog",
    heading="Weather",
    formula="I / I0 <= exp(-2 (ln 20 / V) r), V <= 200 m",
    moments=lambda sheet: _in(FOG, sheet),
    oracle=_weaker,
    needs=("detections", "weather"),
)
IN_RAIN = BenchScene(
    name="rain",
    title="A wall in heavy rain",
    heading="Weather",
    formula="r of the wall, I <= I0",
    moments=lambda sheet: _in(RAIN, sheet),
    oracle=_weaker,
    needs=("detections", "weather"),
)

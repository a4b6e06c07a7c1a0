# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rain, snow and fog as sensors see them, beside published measurements.

    python benchmarks/weather_measurements.py                             # print the tables
    python benchmarks/weather_measurements.py docs/weather-validation.md  # renew them on the page

The measured figures are those of openMSL/sl-1-2-reflection-based-lidar-object-model, profile_VLP16
(MPL-2.0, commit 72323af), which its authors have calibrated with the recordings of Linnhoff et al.,
Sensors 22(14), 5266, 2022. Nothing is drawn: the model's figures are its closed forms, for a beam
into the sky.
"""

import math
import sys

import numpy as np

from lidar_app.show.weather_report import PLATES_M, PLATES_PERCENT, SeenWeather, half_visibilities
from lidar_base.tables import GeneratedPart, renew, table
from lidar_scenery.weather.drops import rain
from lidar_scenery.weather.state import DropSizes, Weather
from osi_lidar.config import Config, default_config

RAIN_PER_MM_H, SNOW_PER_MM_H = 0.000169, 0.01569
"""Points per beam for each mm/h: rain_det_prob_factor, snow_det_prob_factor. [h/mm]"""
RAIN_LOG_MEAN, RAIN_LOG_SIGMA = 1.362, 0.784
"""Of the range in metres: rain_detection_dist_distr_mu, _sigma. [1]"""
RAIN_EXTINCTION = 7.677e-5
"""Extinction for each mm/h: rain_attenuation_factor times 1e-5. [h/(mm m)]"""
RAIN_MM_H, SNOW_MM_H = (1.0, 5.0, 10.0, 25.0, 50.0, 100.0), (0.5, 1.0, 2.5, 5.0)
FITTED_RAIN, FITTED_SNOW = 10.0, 1.0
"""Rates at which the backscatter of drops and of flakes was chosen. [mm/h]"""
SHARES, NORMAL = (0.05, 0.5, 0.95), (-1.6449, 0.0, 1.6449)
"""Quantiles, and those of the standard normal distribution. [1]"""
EDGES_M = np.linspace(0.0, 60.0, 6001)
CASE = {
    "name": "case",
    "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0.0, 0.0]]},
    "beam": {
        "divergence_deg": [math.degrees(3.0e-3), math.degrees(1.5e-3)],
        "window_m": [12.8e-3, 9.6e-3],
        "width": "e2",
    },
    "range_limit": {"equation": {"pairs": [[100, 130]]}},
    "receiver": {"amplitude_noise": False, "near_range_m": 8.3},
    "min_range_m": 0.5,
    "max_range_m": 60.0,
}
"""The sensor for which the backscatter was chosen: as a VLP-16, without noise."""
PRESETS = (
    "VLP-16", "Puck-HiRes", "VLP-32C", "VLS-128", "HDL-32E", "HDL-64E", "OS0-128", "OS1-128",
    "OS1-128-Rev7", "QT64", "XT32", "Pandar64", "Ibeo-LUX-4L", "Livox-Mid-40",
)  # fmt: skip


def physical(name):
    """Return a known sensor with ``fidelity: physical``."""
    return default_config(name, fidelity="physical").sensors[0]


def figure(value):
    """Return a number with two digits that count."""
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    if int(exponent) < -3:
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.{max(1 - int(exponent), 0)}f}"


def points(sensor, weather):
    """Return how many points a beam has, and the quantiles of their ranges [m]."""
    each = SeenWeather(sensor, weather).points_per_beam(EDGES_M)
    up_to = np.concatenate([[0.0], np.cumsum(each)])
    return up_to[-1], np.interp(np.array(SHARES) * up_to[-1], up_to, EDGES_M)


def _beside(rate_mm_h, measured, weather, fitted):
    preset, case = (
        points(sensor, weather)[0]
        for sensor in (physical("VLP-16"), Config(sensors=[CASE]).sensors[0])
    )
    note = " (fitted)" if rate_mm_h == fitted else ""
    return (
        f"{rate_mm_h:g}",
        figure(measured),
        figure(preset),
        f"{preset / measured:.2f}",
        f"{figure(case)}{note}",
    )


def points_table(precipitation):
    """Return the points of rain or snow by rate."""
    name, rates, per_mm_h, fitted = {
        "rain": ("rain_mm_h", RAIN_MM_H, RAIN_PER_MM_H, FITTED_RAIN),
        "snow": ("snow_mm_h", SNOW_MM_H, SNOW_PER_MM_H, FITTED_SNOW),
    }[precipitation]
    header = ("rate [mm/h]", "measured", "preset VLP-16", "preset / measured", "fitted case")
    return table(
        f"Points of {precipitation}, per beam",
        header,
        [_beside(each, per_mm_h * each, Weather(**{name: each}), fitted) for each in rates],
        right=range(5),
    )


def ranges_table():
    """Return quantiles of the ranges of rain's points."""
    measured = np.exp(RAIN_LOG_MEAN + RAIN_LOG_SIGMA * np.array(NORMAL))
    rows = [("measured, any rate", *(f"{each:.1f}" for each in measured))]
    for rate_mm_h in (1.0, 10.0, 50.0):
        _, range_m = points(physical("VLP-16"), Weather(rain_mm_h=rate_mm_h))
        rows.append((f"preset VLP-16, {rate_mm_h:g} mm/h", *(f"{each:.1f}" for each in range_m)))
    return table(
        "Ranges of rain's points [m]", ("", "5 %", "median", "95 %"), rows, right=(1, 2, 3)
    )


def near_table():
    """Return how the points of rain depend on the near range of the receiver."""
    rows = []
    for near_m in (0.0, 2.0, 4.0, 8.3, 12.0):
        receiver = {**CASE["receiver"], "near_range_m": near_m}
        (sensor,) = Config(sensors=[{**CASE, "receiver": receiver}]).sensors
        number, range_m = points(sensor, Weather(rain_mm_h=FITTED_RAIN))
        rows.append((f"{near_m:g}", figure(number), f"{range_m[1]:.1f}"))
    header = ("near range [m]", "points per beam", "median range [m]")
    return table("Fitted case in rain of 10 mm/h", header, rows, right=range(3))


def extinction_table():
    """Return the extinction of rain and snow."""
    rows = []
    for rate_mm_h in RAIN_MM_H:
        ours, measured = rain(rate_mm_h, DropSizes()).extinction_per_m(), RAIN_EXTINCTION
        measured *= rate_mm_h
        rows.append((f"{rate_mm_h:g}", figure(measured), figure(ours), f"{ours / measured:.2f}"))
    header = ("rate [mm/h]", "measured [1/m]", "model [1/m]", "model / measured")
    return table("Extinction of rain", header, rows, right=range(4))


def presets_table():
    """Return what known sensors see of rain, snow and fog."""
    header = ("preset", "rain, 10 mm/h", "snow, 1 mm/h", "fog, 500 m", "fog, 100 m")
    rows = []
    for name in PRESETS:
        sensor = physical(name)
        thin, thick = (SeenWeather(sensor, Weather(visibility_m=each)) for each in (500.0, 100.0))
        rows.append(
            (
                name,
                figure(points(sensor, Weather(rain_mm_h=FITTED_RAIN))[0]),
                figure(points(sensor, Weather(snow_mm_h=FITTED_SNOW))[0]),
                figure(thin.fog_probability),
                figure(thick.fog_probability),
            )
        )
    return table("Known sensors", header, rows, right=range(1, 5))


def half_table():
    """Return the visibilities at which half of the beams on a plate report it."""
    halves = half_visibilities(physical("VLP-32C"))
    rows = [
        (f"{percent:g} %", *(f"{each:.0f}" for each in row))
        for percent, row in zip(PLATES_PERCENT, halves, strict=True)
    ]
    header = ("VLP-32C, plate of", *(f"at {each:g} m" for each in PLATES_M))
    return table("Visibility [m] at which half of the beams report a plate", header, rows)


TABLES = {
    "rain": lambda: points_table("rain"),
    "ranges": ranges_table,
    "near range": near_table,
    "snow": lambda: points_table("snow"),
    "extinction": extinction_table,
    "plates": half_table,
    "sensors": presets_table,
}


def _part(name):
    mark = f"<!-- generated by benchmarks/weather_measurements.py: {name}"
    return GeneratedPart(
        f"{mark} begin -->", f"{mark} end -->", lambda: "\n".join(TABLES[name]().markdown())
    )


PARTS = tuple(map(_part, TABLES))
"""The parts of docs/weather-validation.md that are made here."""


if __name__ == "__main__":
    renew(*PARTS)
    if len(sys.argv) == 1:
        for made in (make() for make in TABLES.values()):
            print(f"\n{made.title}\n", *made.markdown(), sep="\n")

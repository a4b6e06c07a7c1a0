# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Rain, snow and fog as sensors see them, beside published measurements.

    python benchmarks/weather_measurements.py                             # print the tables
    python benchmarks/weather_measurements.py docs/evidence/weather-validation.md  # renewed

The measured figures of a VLP-16 are from openMSL/sl-1-2-reflection-based-lidar-object-model,
profile_VLP16 (MPL-2.0, commit 72323af), whose authors calibrated them with the recordings of
Linnhoff et al., Sensors 22(14), 5266, 2022. Sources of the other laws are on the page. No random
numbers are drawn: the model's figures are closed forms, for a beam into the sky or on a plate.
"""

import math
import sys

import numpy as np

from lidar_app.show.weather_report import PLATES_M, PLATES_PERCENT, WeatherReport, half_visibilities
from lidar_base.tables import GeneratedPart, renew, table
from lidar_scenery.weather.drops import rain, snow
from lidar_scenery.weather.fog import extinction_per_m
from lidar_scenery.weather.state import DropSizes, Weather
from osi_lidar.config import Config, Sensor
from osi_lidar.sensors.presets import load_preset

RAIN_PER_MM_H, SNOW_PER_MM_H = 0.000169, 0.01569
"""Points per beam for each mm/h: rain_det_prob_factor, snow_det_prob_factor. [h/mm]"""
RAIN_LOG_MEAN, RAIN_LOG_SIGMA = 1.362, 0.784
"""Mean and standard deviation of the logarithm of the range of points on rain, in metres:
rain_detection_dist_distr_mu, _sigma. [1]"""
RAIN_EXTINCTION = 7.677e-5
"""Extinction for each mm/h: rain_attenuation_factor times 1e-5. [h/(mm m)]"""
DB_PER_KM = math.log(10.0) * 1e-4
"""Extinction coefficient of 1 dB/km. [1/m]"""
RAIN_LAWS = (
    ("VLP-16 [2]", RAIN_EXTINCTION, 1.0),
    ("disdrometer A [10]", 0.11e-3, 0.88),
    ("disdrometer B [10]", 0.12e-3, 0.81),
    ("links [11]", 1.076 * DB_PER_KM, 0.67),
    ("ITU-R [12]", 1.2924 * DB_PER_KM, 0.6436),
)
"""Extinction of rain, a R^b: name, a [1/m at 1 mm/h], b [1]."""
SNOW_LAWS = (
    ("wet snow", (1.023e-4 * 905.0 + 3.7855466) * DB_PER_KM, 0.72),
    ("dry snow", (5.42e-5 * 905.0 + 5.4958776) * DB_PER_KM, 1.38),
)
"""Extinction of snow at 905 nm by ITU-R P.1817-1, likewise."""
HDL_LAWS, HDL_WHITE = ((0.04, 0.45), (0.05, 0.35)), 100.0 / 255.0
"""Laws of the series 3 and 2 of the HDL-64 in fog: noise and gain; intensity of a white plate.
[1]"""
DENSE_FOG_M, DENSE_PERCENT, DENSE_RANGES_M = (20.0, 30.0, 40.0, 50.0), (10.0, 80.0), (3.0, 60.0)
LOSS_PER_MM_H, LOSS_MM_H, LOSS_PERCENT = 0.01, (21.0, 40.0), 10.0
"""Share of the range that lidars lose for each mm/h, rates, and reflectivity of the model's plate.
[h/mm], [mm/h], [%]"""
LOSS_PRESETS = ("VLP-16", "OS1-128", "Ibeo-LUX-4L", "VLP-32C", "OS1-128-Rev7", "Pandar64")
RAIN_MM_H, SNOW_MM_H = (1.0, 5.0, 10.0, 25.0, 50.0, 100.0), (0.5, 1.0, 2.5, 5.0)
FITTED_RAIN, FITTED_SNOW = 10.0, 1.0
"""Rates at which the backscatter of drops and of flakes was chosen. [mm/h]"""
SHARES, NORMAL = (0.05, 0.5, 0.95), (-1.6449, 0.0, 1.6449)
"""Probabilities, and the quantiles of the standard normal distribution for them. [1]"""
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


def physical(name, **keys):
    """Return a sensor of a preset, with ``fidelity: physical`` and further keys."""
    return Sensor.model_validate({"name": name, "preset": name, "fidelity": "physical", **keys})


def figure(value):
    """Return a number as text, with two significant digits."""
    if value == 0.0:
        return "0"
    mantissa, exponent = f"{value:.1e}".split("e")
    if int(exponent) < -3:
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.{max(1 - int(exponent), 0)}f}"


def points(sensor, weather):
    """Return the mean number of weather points per beam, and quantiles of their ranges [m]."""
    each = WeatherReport(sensor, weather).points_per_beam(EDGES_M)
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
    """Return the table of points per beam in rain or snow, by rate, measured and modelled."""
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
    """Return the table of quantiles of the ranges of points from rain."""
    measured = np.exp(RAIN_LOG_MEAN + RAIN_LOG_SIGMA * np.array(NORMAL))
    rows = [("measured, any rate", *(f"{each:.1f}" for each in measured))]
    for rate_mm_h in (1.0, 10.0, 50.0):
        _, range_m = points(physical("VLP-16"), Weather(rain_mm_h=rate_mm_h))
        rows.append((f"preset VLP-16, {rate_mm_h:g} mm/h", *(f"{each:.1f}" for each in range_m)))
    return table(
        "Ranges of rain's points [m]", ("", "5 %", "median", "95 %"), rows, right=(1, 2, 3)
    )


def near_table():
    """Return the table of points from rain, by the near range of the receiver."""
    rows = []
    for near_m in (0.0, 2.0, 4.0, 8.3, 12.0):
        receiver = {**CASE["receiver"], "near_range_m": near_m}
        (sensor,) = Config(sensors=[{**CASE, "receiver": receiver}]).sensors
        number, range_m = points(sensor, Weather(rain_mm_h=FITTED_RAIN))
        rows.append((f"{near_m:g}", figure(number), f"{range_m[1]:.1f}"))
    header = ("near range [m]", "points per beam", "median range [m]")
    return table("Fitted case in rain of 10 mm/h", header, rows, right=range(3))


def extinction_table():
    """Return the table of the extinction of rain, measured and modelled."""
    rows = []
    for rate_mm_h in RAIN_MM_H:
        ours, measured = rain(rate_mm_h, DropSizes()).extinction_per_m(), RAIN_EXTINCTION
        measured *= rate_mm_h
        rows.append((f"{rate_mm_h:g}", figure(measured), figure(ours), f"{ours / measured:.2f}"))
    header = ("rate [mm/h]", "measured [1/m]", "model [1/m]", "model / measured")
    return table("Extinction of rain", header, rows, right=range(4))


def _beside_laws(title, rates, laws, extinction):
    rows = []
    for rate in rates:
        ours = extinction(rate)
        ratios = (f"{ours / (factor * rate**power):.2f}" for _, factor, power in laws)
        rows.append((f"{rate:g}", figure(ours), *ratios))
    header = ("rate [mm/h]", "model [1/m]", *(f"model / {name}" for name, _, _ in laws))
    return table(title, header, rows, right=range(len(header)))


def rain_laws_table():
    """Return the table of our extinction of rain beside published laws."""
    return _beside_laws(
        "Extinction of rain beside others",
        RAIN_MM_H,
        RAIN_LAWS,
        lambda rate: rain(rate, DropSizes()).extinction_per_m(),
    )


def snow_laws_table():
    """Return the table of our extinction of snow beside published laws."""
    return _beside_laws(
        "Extinction of snow beside others",
        SNOW_MM_H,
        SNOW_LAWS,
        lambda rate: snow(rate, DropSizes()).extinction_per_m(),
    )


def _half_m(seen, reflectivity):
    low_m, high_m = DENSE_RANGES_M
    for _ in range(16):
        middle_m = 0.5 * (low_m + high_m)
        if seen.reported(reflectivity, middle_m) >= 0.5:
            low_m = middle_m
        else:
            high_m = middle_m
    return low_m


def dense_fog_table():
    """Return the table of ranges at which an HDL-64E detects plates in dense fog.

    Beside the model are ranges from a published law.
    """
    sensors = [
        Config(
            sensors=[{"preset": "HDL-64E", "fidelity": "physical", "returns": {"mode": mode}}]
        ).sensors[0]
        for mode in ("strongest", "last")
    ]
    rows = []
    for fog_m in DENSE_FOG_M:
        fog, extinction = Weather(visibility_m=fog_m), extinction_per_m(fog_m, wavelength_nm=905.0)
        seen = [WeatherReport(sensor, fog) for sensor in sensors]
        for percent in DENSE_PERCENT:
            intensity = 0.01 * percent * HDL_WHITE
            laws_m = [
                math.log((intensity + gain) / noise) / (2.0 * extinction)
                for noise, gain in HDL_LAWS
            ]
            strongest_m, last_m = (_half_m(each, 0.01 * percent) for each in seen)
            metres = (f"{each:.1f}" for each in (*laws_m, strongest_m))
            ratios = (f"{strongest_m / law_m:.2f}" for law_m in laws_m)
            rows.append((f"{fog_m:g}", f"{percent:g} %", *metres, *ratios, f"{last_m:.1f}"))
    header = (
        *("fog [m]", "plate", "law S3 [m]", "law S2 [m]"),
        *("strongest [m]", "/ S3", "/ S2", "last [m]"),
    )
    return table("An HDL-64E in dense fog", header, rows, right=range(8))


def loss_table():
    """Return the table of the loss of range in rain, as a share of the range in dry air."""
    mild, hard = (100.0 * LOSS_PER_MM_H * rate for rate in LOSS_MM_H)
    rows = [("lidars on a test road [13]", "", f"{mild:.0f} %", f"{hard:.0f} %", "")]
    left, ours = 1.0 - 0.01 * hard, rain(LOSS_MM_H[1], DropSizes()).extinction_per_m()
    for name in LOSS_PRESETS:
        sensor = physical(name)
        clear_m, *rain_m = (
            WeatherReport(sensor, Weather(rain_mm_h=rate)).half_range_m(0.01 * LOSS_PERCENT)
            for rate in (0.0, *LOSS_MM_H)
        )
        losses = (f"{100.0 * (1.0 - each / clear_m):.0f} %" for each in rain_m)
        needed = -math.log(left) / (left * clear_m)  # of clear_m, so much is left
        rows.append((name, f"{clear_m:.0f}", *losses, f"{needed / ours:.1f}"))
    header = (
        "",
        "dry air [m]",
        *(f"loss, {rate:g} mm/h" for rate in LOSS_MM_H),
        "extinction",
    )
    return table("Loss of range in rain", header, rows, right=range(1, 5))


def presets_table():
    """Return the table of points per beam from rain, snow and fog, by preset."""
    header = ("preset", "rain, 10 mm/h", "snow, 1 mm/h", "fog, 500 m", "fog, 100 m")
    rows = []
    for name in PRESETS:
        sensor = physical(name)
        thin, thick = (WeatherReport(sensor, Weather(visibility_m=each)) for each in (500.0, 100.0))
        rows.append(
            (
                name,
                figure(points(sensor, Weather(rain_mm_h=FITTED_RAIN))[0]),
                figure(points(sensor, Weather(snow_mm_h=FITTED_SNOW))[0]),
                figure(thin.echoes["fog"].probability),
                figure(thick.echoes["fog"].probability),
            )
        )
    return table("Known sensors", header, rows, right=range(1, 5))


def half_table():
    """Return the table of visibilities at which half of the beams on a plate report it.

    The sensor's near field is not known. So each cell also has the range of results with other
    near fields than the preset's.
    """
    others = (
        {"near_range_m": 4.0},
        {"near_range_m": 16.0},
        {"near_field": load_preset("OS1-128").near_field},
    )
    halves = half_visibilities(physical("VLP-32C"))
    beside = np.array([half_visibilities(physical("VLP-32C", receiver=keys)) for keys in others])
    low, high = np.minimum(halves, beside.min(axis=0)), np.maximum(halves, beside.max(axis=0))
    cells = [
        [f"{one:.0f} ({least:.0f} to {most:.0f})" for one, least, most in zip(*row, strict=True)]
        for row in zip(halves, low, high, strict=True)
    ]
    rows = [(f"{percent:g} %", *row) for percent, row in zip(PLATES_PERCENT, cells, strict=True)]
    header = ("VLP-32C, plate of", *(f"at {each:g} m" for each in PLATES_M))
    return table("Visibility [m] at which half of the beams report a plate", header, rows)


TABLES = {
    "rain": lambda: points_table("rain"),
    "ranges": ranges_table,
    "near range": near_table,
    "snow": lambda: points_table("snow"),
    "extinction": extinction_table,
    "rain laws": rain_laws_table,
    "loss": loss_table,
    "snow laws": snow_laws_table,
    "dense fog": dense_fog_table,
    "plates": half_table,
    "sensors": presets_table,
}


def _part(name):
    mark = f"<!-- generated by benchmarks/weather_measurements.py: {name}"
    return GeneratedPart(
        f"{mark} begin -->", f"{mark} end -->", lambda: "\n".join(TABLES[name]().markdown())
    )


PARTS = tuple(map(_part, TABLES))
"""The parts of docs/evidence/weather-validation.md that are made here."""


if __name__ == "__main__":
    renew(*PARTS)
    if len(sys.argv) == 1:
        for made in (make() for make in TABLES.values()):
            print(f"\n{made.title}\n", *made.markdown(), sep="\n")

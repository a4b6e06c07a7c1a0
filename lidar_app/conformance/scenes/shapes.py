# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes with a sphere made of boxes, and with two surfaces in one beam."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.judged import spherical
from lidar_app.conformance.judging import Finding
from lidar_app.conformance.oracle import beam_grid, sensor_rays
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.stage import Stage
from raycore.closed_forms import range_to_sphere

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.judged import Judged
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet
    from osi_bridge.bench import BoxObject

CAP_RAD = math.radians(10.0)
"""Angle [rad] at the centre of a box of `pillars`, from its long axis to a corner of its end."""
N_BARS, BARE_BEAM_DEG = 120, 0.2
"""Number of bars of the fence; and width of a beam if the sheet states none. [deg]"""
BAR_M = 0.02
"""Size of the bars of the fence along x; beams may also meet the sides of a bar. [m]"""
BEHIND = 1.5
"""Distance from the sensor to the wall behind the fence, divided by its distance to the fence."""
BOTH = 0.95
"""Least share of the beams on the fence that must return echoes of both fence and wall.

It is judged only for sensors that report several echoes and state their beam divergence.
"""


def ball(stage: Stage) -> tuple[NDArray[np.float64], float]:
    """Return centre and radius of the sphere in front of the sensor that the scene imitates.

    Parameters
    ----------
    stage : Stage
        Coordinates of the scene, whose origin is on the ground below the sensor.

    Returns
    -------
    (float64 (3,), float)
        Centre (x, y, z) in the coordinates of `stage`, and radius. [m]
    """
    radius_m = 0.1 * stage.near_m
    height_m = max(stage.sensor_z_m, 1.1 * radius_m)
    return np.array((stage.near_m, 0.0, height_m)), radius_m


def pillars(stage: Stage) -> list[BoxObject]:
    """Return long boxes with a common centre, whose square ends together resemble a sphere.

    The corners of each box lie on the sphere that `ball` returns, of radius R. The ends of the
    boxes touch the smaller sphere of radius R cos(CAP_RAD), and cover it together. So the surface
    of the union lies between the two spheres.

    Parameters
    ----------
    stage : Stage
        Coordinates of the scene, which also place the boxes in the world.

    Returns
    -------
    list of BoxObject
        The boxes, stationary objects with ids from `FIRST_ID` on.
    """
    centre, radius_m = ball(stage)
    half_m, side_m = radius_m * math.cos(CAP_RAD), math.sqrt(2.0) * radius_m * math.sin(CAP_RAD)
    step = 1.9 * math.atan2(0.5 * side_m, half_m)
    size_m = 2.0 * half_m, side_m, side_m
    boxes: list[BoxObject] = []
    n_rows = math.ceil(math.pi / step)
    for pitch in -math.pi / 2.0 + math.pi * (np.arange(n_rows) + 0.5) / n_rows:
        widest = math.cos(max(abs(pitch) - 0.5 * step, 0.0))
        n = max(3, math.ceil(math.pi * widest / step))
        for index in range(n):
            box = stage.box(len(boxes), centre[0] - half_m, 0.0, size_m, z_m=float(centre[2]))
            turned = replace(box, pitch_rad=float(pitch), yaw_rad=math.pi * index / n)
            boxes.append(turned)
    return boxes


def _ball(sheet: DataSheet) -> list[BenchMoment]:
    stage = Stage(sheet)
    return stage.still(*pillars(stage))


def _ball_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged, sheet = replies.judged(), replies.sheet
    centre, outer_m = ball(Stage(sheet))
    inner_m, beside_m = outer_m * math.cos(CAP_RAD), sheet.guard_rad * float(centre[0])
    origin_m, along, range_m = _seen(judged)
    radii_m = inner_m - beside_m, outer_m + beside_m
    far, near = (
        range_to_sphere(origin_m, along, centre_m=centre, radius_m=each) for each in radii_m
    )
    sure, limit_m = np.isfinite(far), sheet.tolerance_m
    off = sure & ~((range_m >= near - limit_m) & (range_m <= far + limit_m))
    n, n_off = int(np.count_nonzero(sure)), int(np.count_nonzero(off))
    told = f"between the spheres of {inner_m:.3f} and {outer_m:.3f} m"
    yield Finding("range", told, f"{n_off} of {n} off", n > 0 and n_off <= sheet.margins.share * n)
    grid = beam_grid(sheet)
    if grid is not None:
        beams = sensor_rays(sheet, judged.track, *grid)
        low, high = (
            np.count_nonzero(np.isfinite(range_to_sphere(*beams, centre_m=centre, radius_m=each)))
            for each in radii_m
        )
        aside_m = np.linalg.norm(origin_m + along * range_m[:, None] - centre, axis=1)
        came = int(np.count_nonzero(aside_m <= radii_m[1] + limit_m))
        slack = 2.0 * sheet.margins.edges + sheet.margins.number * high
        told = f"{low} to {high} beams meet the sphere, within {slack:.0f}"
        holds = low - slack <= came <= high + slack
        lie = f"{came} of {len(range_m)} detections lie there"
        yield Finding("number", told, lie, bool(holds))


def _seen(judged: Judged) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return origins [m], directions and ranges [m] of all detections, in the world."""
    azimuth, elevation, range_m = spherical(judged.scan, judged.sheet)
    return *sensor_rays(judged.sheet, judged.track, azimuth, elevation), range_m


def _beam_m(sheet: DataSheet, range_m: float) -> float:
    """Return the width of a beam, or of a nominal one, at a distance [m]."""
    return range_m * math.radians(sheet.errors.divergence_deg or BARE_BEAM_DEG)


def _fence(sheet: DataSheet) -> list[BenchMoment]:
    """Put bars a quarter of a beam wide, and as far apart, before a wall: all beams meet both."""
    stage = Stage(sheet)
    x_m, bar_m = stage.near_m, 0.25 * _beam_m(sheet, stage.near_m)
    bars = [
        stage.box(index, x_m, 2.0 * bar_m * (index - 0.5 * (N_BARS - 1)), (BAR_M, bar_m, x_m))
        for index in range(N_BARS)
    ]
    return stage.still(*bars, stage.wall(N_BARS, BEHIND * x_m))


def _fence_oracle(replies: Replies) -> Iterator[Finding | None]:
    """Judge the beams that surely meet the fence: echoes are at one of the two planes."""
    judged, sheet, x_m = replies.judged(), replies.sheet, Stage(replies.sheet).near_m
    half_m = _beam_m(sheet, x_m) * (0.25 * N_BARS - 1.0)
    _, along, range_m = _seen(judged)
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead_m = x_m / along[:, 0]
    at = (ahead_m > 0.0) & (np.abs(ahead_m * along[:, 1]) <= half_m)
    at &= np.abs(ahead_m * along[:, 2]) <= 0.4 * x_m
    behind_m = [(range_m - each * ahead_m)[at] for each in (1.0, BEHIND)]
    most_m = max(sheet.coarse_m, sheet.tolerance_m + 1.1 * BAR_M), sheet.coarse_m
    near, far = (
        (-sheet.coarse_m <= each) & (each <= most)
        for each, most in zip(behind_m, most_m, strict=True)
    )
    n, n_off, share = len(near), int(np.count_nonzero(~(near | far))), sheet.margins.share
    yield Finding("range", "the fence or the wall", f"{n_off} of {n} off", n_off <= share * n)
    _, beam = np.unique(np.round(along[at], 5), axis=0, return_inverse=True)
    counted = np.bincount(beam.ravel(), minlength=1)
    most = int(counted.max())
    told = f"at most {sheet.echoes}, for each beam"
    yield Finding("echoes", told, f"{most} at most", 0 < most <= sheet.echoes)
    if sheet.echoes > 1 and sheet.errors.divergence_deg and n:
        seen = [np.bincount(beam.ravel(), each, len(counted)) > 0 for each in (near, far)]
        share = float(np.mean(seen[0] & seen[1]))
        yield Finding("both", f"{BOTH:.0%} of beams see both", f"{share:.1%}", share >= BOTH)


BALL = BenchScene(
    name="sphere",
    title="A sphere that turned boxes make up",
    heading="Range trueness and precision",
    clauses=("4.1.2", "4.1.3"),
    formula="r = b - sqrt(R^2 - d^2), b = (c - o).u, d^2 = |c - o|^2 - b^2",
    moments=_ball,
    oracle=_ball_oracle,
)
FENCE = BenchScene(
    name="two_in_a_beam",
    title="A fence of bars narrower than a beam, before a wall",
    heading="Range separability",
    clauses=("4.1.12", "4.2.2"),
    formula="r = x / u_x or 1.5 x / u_x, and nothing between; both for a sensor of two echoes",
    moments=_fence,
    oracle=_fence_oracle,
)

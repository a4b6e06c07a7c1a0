# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes with targets of known reflectivity, and with a retroreflector."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import FIRST_ID
from lidar_app.conformance.judging import Finding, numbers, ranges
from lidar_app.conformance.scene import BenchScene
from lidar_app.conformance.scenes.strengths import by_law
from lidar_app.conformance.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.scene import Replies
    from lidar_app.conformance.sheet import DataSheet
    from osi_bridge.bench import BoxObject

SEEN, UNSEEN = 0.8, 1.25
"""Distances of the plates, as shares of the range that the sheet states for the target."""
OSI_MATERIALS = {
    "wood": 2, "plastic": 3, "concrete": 4, "metal": 5, "stone": 6, "glass": 7, "mud": 8,
}  # fmt: skip
REFLECTIVE_STRUCTURE = 15
RETRO_TURN_RAD = math.radians(30.0)
LEAST_RATIO = 1.5
"""Least intensity of a retroreflector, divided by the intensity of concrete beside it.

White paint has a ratio under 2, reflective sheeting about 100.
"""


def _targets(sheet: DataSheet) -> list[BenchMoment]:
    """Put two plates per target side by side, each 4 degrees wide and facing the sensor."""
    stage = Stage(sheet)
    boxes: list[BoxObject] = []
    for target in sheet.targets:
        for share in (SEEN, UNSEEN):
            way_m = share * target.range_m
            angle = math.radians(6.0 * (len(boxes) + 0.5 - len(sheet.targets)))
            x_m, y_m = way_m * math.cos(angle), way_m * math.sin(angle)
            size_m = way_m * math.radians(4.0)
            box = stage.box(len(boxes), x_m, y_m, (0.1, size_m, size_m))
            boxes.append(replace(box, yaw_rad=angle, material=OSI_MATERIALS[target.material]))
    return stage.still(*boxes)


def _targets_oracle(replies: Replies) -> Iterator[Finding | None]:
    """Judge that near plates are seen, far ones not, and intensities follow reflectivities."""
    judged, sheet = replies.judged(), replies.sheet
    near = [FIRST_ID + 2 * each for each in range(len(sheet.targets))]
    yield ranges(judged)
    yield numbers(judged, *near)
    n = sum(int(np.count_nonzero(judged.on_object(each + 1))) for each in near)
    yield Finding("number", f"none on plates at {UNSEEN:g} of the range", str(n), n == 0)
    scaled = by_law(judged)
    seen = [scaled[judged.on_object(each)] for each in near]
    if not sheet.claims("intensity") or not all(map(len, seen)):
        return
    strength = [float(np.median(each)) for each in seen]
    if not np.isfinite(strength).all() or min(strength) <= 0.0:
        told = "in proportion to reflectivity"
        yield Finding("intensity", told, "0 or not stated on a plate", holds=False)
        return
    of_one = np.array(strength) / [each.reflectivity for each in sheet.targets]
    spread = float(np.max(np.abs(of_one / of_one[0] - 1.0)))
    most = sheet.margins.intensity
    told = f"in proportion to reflectivity, within {most:g}"
    yield Finding("intensity", told, f"{spread:.3f} off at most", spread <= most)


def _retro(sheet: DataSheet) -> list[BenchMoment]:
    """Put a plate of concrete and a reflective structure side by side, both turned by 30 deg."""
    stage, x_m = Stage(sheet), Stage(sheet).near_m
    size_m = 0.1, 0.3 * x_m, 0.3 * x_m
    dull = replace(stage.box(0, x_m, -0.25 * x_m, size_m), material=OSI_MATERIALS["concrete"])
    bright = replace(stage.box(1, x_m, 0.25 * x_m, size_m), osi_type=REFLECTIVE_STRUCTURE)
    return stage.still(*(replace(each, yaw_rad=RETRO_TURN_RAD) for each in (dull, bright)))


def _retro_oracle(replies: Replies) -> Iterator[Finding | None]:
    judged = replies.judged()
    yield ranges(judged)
    strength = judged.scan.intensity_percent[judged.kept]
    dull, bright = (strength[judged.on_object(FIRST_ID + each)] for each in (0, 1))
    told = f"at least {LEAST_RATIO:g} times the reflectivity of concrete"
    if not len(dull) or not len(bright):
        yield Finding("intensity", told, "no detection on one of them", holds=False)
        return
    low, high = float(np.median(dull)), float(np.median(bright))
    came = f"{high:.3g} % beside {low:.3g} %"
    yield Finding("intensity", told, came, high >= LEAST_RATIO * low > 0.0)


KNOWN = BenchScene(
    name="known_targets",
    title="Plates of stated reflectivity, at 0.8 and 1.25 of their range",
    heading="Range capability",
    clauses=("4.1.1",),
    formula="seen for r <= R(rho), not beyond; I r^n / (rho cos) is one constant",
    moments=_targets,
    oracle=_targets_oracle,
    needs=("detections", "targets"),
)
RETRO = BenchScene(
    name="retroreflector",
    title="A reflective structure beside concrete, both turned by 30 degrees",
    heading="Intensity",
    formula="I >= 1.5 I of concrete: sheeting returns far more than a white surface can",
    moments=_retro,
    oracle=_retro_oracle,
    needs=("detections", "intensity", "retroreflectors"),
)

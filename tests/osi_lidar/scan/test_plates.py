# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Plates of known materials at known angles: reflectivity, farthest range, and classes."""

import json
import math

import numpy as np
import pytest

from material_mapping import RangeLimit
from osi_lidar import LidarModel
from tests.builders.messages import frames
from tests.builders.worlds import config

ANGLES_DEG = tuple(range(0, 81, 10))
PAIRS = [[10, 60], [80, 120]]
CAP_M = 1000.0
AZIMUTHS_DEG = tuple(range(-160, 161, 40))
"""Where the plates stand around the sensor, one for each angle of incidence."""


def plate(azimuth_deg, angle_deg, range_m, half_m):
    """Return the corners of an upright plate in a direction, turned by the angle of incidence."""
    azimuth, along = math.radians(azimuth_deg), math.radians(azimuth_deg + 90.0 + angle_deg)
    x, y = range_m * math.cos(azimuth), range_m * math.sin(azimuth)
    return [
        (x + side * math.cos(along), y + side * math.sin(along), up)
        for side, up in ((-half_m, -half_m), (half_m, -half_m), (half_m, half_m), (-half_m, half_m))
    ]


def scanned(folder, plates, material, **sensor):
    """Scan plates of one material, [(azimuth, angle, range)], with a beam to each centre."""
    lines = [f"usemtl {material}"]
    for number, (azimuth_deg, angle_deg, range_m) in enumerate(plates):
        corners = plate(azimuth_deg, angle_deg, range_m, 0.1 * range_m)
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines.append("f " + " ".join(str(4 * number + i) for i in (1, 2, 3, 4)))
    return _points(folder, lines, [azimuth for azimuth, _, _ in plates], {}, **sensor)


def _points(folder, lines, azimuths_deg, rules, **sensor):
    (folder / "mesh.obj").write_text("\n".join(lines) + "\n")
    (folder / "map.yaml").write_text(json.dumps({"materials": {**rules, "*": "lambertian_80"}}))
    beams = [[azimuth, 0] for azimuth in azimuths_deg]
    one = {
        "name": "front",
        "pattern": {"kind": "pairs", "azimuth_elevation_deg": beams},
        "max_range_m": CAP_M,
        "mounting": {"z_m": 0.0},
    }
    materials = {"mapping": str(folder / "map.yaml")} if rules else {"default": lines[0].split()[1]}
    scene = {
        "environment": [{"mesh": str(folder / "mesh.obj"), "up": "z", "forward": "x"}],
        "ground": "none",
    }
    model = LidarModel(config(sensors=[{**one, **sensor}], scene=scene, materials=materials))
    (frame,) = frames([[]], host_id=None)
    return model.step(frame).scans[0].cloud.points


@pytest.mark.parametrize("percent", [10, 50, 95])
def test_lambertian_plates_reflect_by_the_cosine_at_every_angle(tmp_path, percent):
    plates = list(zip(AZIMUTHS_DEG, ANGLES_DEG, (10.0,) * 9, strict=True))
    points = scanned(tmp_path, plates, f"lambertian_{percent}")
    assert points["column"].tolist() == list(range(9))
    expected = percent / 100 * np.cos(np.radians(ANGLES_DEG))
    np.testing.assert_allclose(points["reflectivity"], expected, rtol=0, atol=1e-6)
    np.testing.assert_allclose(points["intensity"], 100 * expected, rtol=0, atol=1e-4)
    np.testing.assert_allclose(points["range"], 10.0, rtol=0, atol=1e-5)


@pytest.mark.parametrize("fit", ["linear", "root2", "root3", "root4", "log"])
@pytest.mark.parametrize("percent", [10, 50, 95])
def test_lambertian_plates_are_seen_as_far_as_the_curve_says_at_every_angle(tmp_path, percent, fit):
    limit = RangeLimit.from_pairs(PAIRS, fit=fit, max_range_m=CAP_M)
    reach_m = limit.max_range_m(percent / 100 * np.cos(np.radians(ANGLES_DEG)))
    seen = {}
    for shift in (-1e-4, 1e-4):
        plates = list(
            zip(AZIMUTHS_DEG, ANGLES_DEG, ((1.0 + shift) * reach_m).tolist(), strict=True)
        )
        plates = [one for one in plates if one[2] > 1.0]
        sensor = {"range_limit": {"pairs": PAIRS, "fit": fit}, "min_range_m": 0.1}
        seen[shift] = (
            len(scanned(tmp_path, plates, f"lambertian_{percent}", **sensor)),
            len(plates),
        )
    assert seen[-1e-4][0] == seen[-1e-4][1] >= 8
    assert seen[1e-4][0] == 0


@pytest.mark.parametrize(
    ("front", "range_m", "reflectivity"),
    [
        ("glass", 10.0, None),  # transparent or a pane: the point is on the wall behind
        ("transparent", 10.0, 0.8),
        ("absorber", None, None),  # the beam ends without a point
        ("glass_frosted", 5.0, None),  # frosted glass is a general material
    ],
)
def test_glass_shows_what_is_behind_and_an_absorber_nothing(tmp_path, front, range_m, reflectivity):
    lines = []
    for number, (name, x_m) in enumerate((("Front", 5.0), ("Wall", 10.0))):
        lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in plate(0.0, 0.0, x_m, 1.0)]
        lines += [f"usemtl {name}", "f " + " ".join(str(4 * number + i) for i in (1, 2, 3, 4))]
    points = _points(tmp_path, lines, [0.0], {"Front": front})
    assert points["range"].tolist() == ([] if range_m is None else [pytest.approx(range_m)])
    if reflectivity is not None:
        assert points["reflectivity"][0] == pytest.approx(reflectivity)
    if range_m is not None:
        assert 0.0 < points["reflectivity"][0] <= np.float32(0.8)


def test_a_retroreflector_exceeds_a_white_target_and_its_intensity_ends_at_100_percent(tmp_path):
    (point,) = scanned(tmp_path, [(0.0, 20.0, 10.0)], "sign_sheeting")
    assert point["range"] == pytest.approx(10.0)
    assert point["reflectivity"] > 1.0
    assert point["intensity"] == 100.0

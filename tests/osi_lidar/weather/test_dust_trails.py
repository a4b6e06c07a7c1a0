# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Dust behind vehicles in the beam."""

import math

import numpy as np
import pytest

from osi_lidar import LidarModel
from tests.builders.beams import BEAM, FAR, SEES
from tests.builders.messages import Thing, host, message
from tests.builders.weather import DUST, SURFACE, decoded, of
from tests.builders.worlds import config

CAR_M = (4.0, 1.8, 1.6)
LENGTH_M, VISIBILITY_M = 3.0, 20.0
CLOUD = {"size_m": [LENGTH_M, 2.4, 2.0], "visibility_m": VISIBILITY_M}
SENSOR = {
    "name": "front",
    "pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0.0, 0.0]] * 3},
    "mounting": {"x_m": 2.0, "z_m": 0.5},
    "beam": BEAM,
    "range_limit": FAR,
    "returns": {"mode": "all", "max": 8},
    "receiver": SEES,
    "max_range_m": 60.0,
}


def points_of(dust, *worlds):
    """Return the points of the last of some messages, with a car and dust behind it."""
    model = LidarModel(config(sensors=[SENSOR], weather={"dust": dust}))
    frames = decoded([message([host(), *things], 0.1 * k) for k, things in enumerate(worlds)])
    return [model.step(frame) for frame in frames][-1].scans[0].cloud.points


def car(x_m, yaw_deg=0.0):
    return Thing(2, (x_m, 0.0, 0.8), dimension_m=CAR_M, yaw_rad=math.radians(yaw_deg))


@pytest.mark.parametrize(("behind", "n"), [("vehicles", 1), (2, 1), (77, 0)])
def test_a_car_at_rest_is_seen_through_the_dust_behind_it(behind, n):
    """The box of 3 m, whose chord leaves exp(-2 ln 20 3 / 20), ends where the car begins."""
    clear = of(SURFACE, points_of([], [car(20.0)]))
    dusty = points_of([{"behind": behind, **CLOUD}], [car(20.0)])
    wall = of(SURFACE, dusty)
    left = math.exp(-2.0 * math.log(20.0) * LENGTH_M / VISIBILITY_M) if n else 1.0
    np.testing.assert_allclose(wall["reflectivity"] / clear["reflectivity"], left, rtol=2e-3)
    np.testing.assert_allclose(wall["range"], clear["range"], atol=2e-3)
    dust = of(DUST, dusty)
    assert len(dust) == 3 * n
    near_m = clear["range"].min() - LENGTH_M
    assert ((near_m < dust["range"]) & (dust["range"] < near_m + LENGTH_M)).all()


def test_a_car_across_has_its_dust_beside_the_beam():
    """Turned by 90 degrees, the box lies to its right, 2 to 5 m away; turned back, in the beam."""
    dust = [{"behind": 2, **CLOUD}]
    across, clear = (points_of(each, [car(20.0, 90.0)]) for each in (dust, []))
    assert across.tobytes() == clear.tobytes()
    assert len(of(DUST, points_of(dust, [car(20.0, 90.0)], [car(20.0)]))) == 3


def test_a_turned_car_has_a_longer_chord():
    """Seen at 30 degrees, a box wide enough: 3 m / cos(30 deg), as far as it is before the car."""
    yaw_deg, wide = 30.0, {"size_m": [LENGTH_M, 9.0, 2.0], "visibility_m": VISIBILITY_M}
    world = [car(20.0, yaw_deg)]
    clear, dusty = (
        of(SURFACE, points_of(each, world))["reflectivity"]
        for each in ([], [{"behind": "vehicles", **wide}])
    )
    chord_m = LENGTH_M / math.cos(math.radians(yaw_deg))
    left = math.exp(-2.0 * math.log(20.0) * chord_m / VISIBILITY_M)
    np.testing.assert_allclose(dusty / clear, left, rtol=2e-3)


def test_dust_that_rises_while_driving_is_there_while_driving():
    dust = [{"behind": "vehicles", "above_km_h": 20.0, **CLOUD}]
    at_rest, driving = (
        of(DUST, points_of(dust, [car(20.0)], [car(20.0 + moved_m)])) for moved_m in (0.0, 1.0)
    )
    assert (len(at_rest), len(driving)) == (0, 3)


def test_an_id_that_no_message_has_is_one_line():
    model = LidarModel(config(sensors=[SENSOR], weather={"dust": [{"behind": 77, **CLOUD}]}))
    model.step(decoded([message([host(), car(20.0)])])[0])
    lines = [str(each) for each in model.fallbacks if each.kind == "weather"]
    reason = "the messages have no moving object of this id; used: nothing"
    assert lines == [f"weather dust behind 77: {reason}"]

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The emergency brake in the loop: SUMO's scenarios, the FMU."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "closed_loop"
sys.path.insert(0, str(FOLDER))
SCENARIOS = ("standing car", "child", "cut-in")


@pytest.fixture
def traffic():
    pytest.importorskip("libsumo", reason="no libsumo: pip install libsumo")
    return importlib.import_module("traffic")


@pytest.fixture
def drive(traffic):  # noqa: ARG001  needs SUMO
    return importlib.import_module("drive")


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("seed", [1, 10])
def test_who_does_not_brake_collides(traffic, name, seed):
    scenario, places = traffic.SCENARIOS[name], []
    with traffic.driving(scenario, seed) as world:
        while world.time_s < scenario.most_s:
            hazard = world.hazard
            places.append((world.host, hazard))
            if hazard is not None and max(world.host.gap_m(hazard)) < 0.0:
                break
            world.step(world.cruise_m_s)
    assert max(places[-1][0].gap_m(places[-1][1])) < 0.0
    # the host drives straight, at the speed that SUMO drew
    assert {host.y_m for host, _ in places} == {0.0}
    steps_m = np.diff([host.x_m for host, _ in places])
    np.testing.assert_allclose(steps_m, world.cruise_m_s * traffic.STEP_S, atol=1e-6)


def test_the_seed_draws_the_speeds(traffic):
    def cruise_m_s(seed):
        with traffic.driving(traffic.SCENARIOS["child"], seed) as world:
            return world.cruise_m_s

    speeds = [cruise_m_s(seed) for seed in (1, 2, 1)]
    assert speeds[0] == speeds[2] != speeds[1]


def test_a_turned_body_has_the_rectangle_around_it(traffic):
    def body(x_m, y_m, yaw_rad):
        size = (4.0, 2.0, 1.5)
        return traffic.Body(
            object_id=1, is_person=False, x_m=x_m, y_m=y_m, yaw_rad=yaw_rad, dimension_m=size
        )

    assert body(0, 0, 0).gap_m(body(10, 3, np.pi / 2)) == pytest.approx((10 - 2 - 1, 3 - 1 - 2))
    # at 45 degrees both half edges are (2 + 1) / sqrt 2
    assert body(0, 0, np.pi / 4).half_m == pytest.approx((3 / np.sqrt(2), 3 / np.sqrt(2)))


@pytest.mark.slow
def test_the_fmu_brakes_as_the_model_does(drive):
    pytest.importorskip("fmpy")
    cell = drive.Cell(scenario="child", variant="rain 25 mm/h", seed=3)
    assert drive.drive(cell, through="fmu") == drive.drive(cell)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The emergency brake in the loop: SUMO's scenarios, the table, a short run."""

import csv
import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "closed_loop"
sys.path.insert(0, str(FOLDER))
RUN = FOLDER / "run.py"
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


def test_rows_have_means_spreads_and_limits(drive):
    tables = importlib.import_module("tables")

    def outcome(seed, detected_m, least_m, hit_m_s):
        return drive.Outcome(
            scenario="child",
            variant="dry",
            seed=seed,
            speed_m_s=8.0,
            detected_m=detected_m,
            braked_s=2.0,
            braked_m=detected_m,
            least_m=least_m,
            collision_m_s=hit_m_s,
            is_false_brake=False,
            driven_s=3.0,
        )

    row = tables.rows_of([outcome(1, 10.0, 2.0, None), outcome(2, 12.0, 0.0, 4.0)])[0]
    assert (row.runs, row.collisions, row.collision_m_s) == (2, 1, 4.0)
    # of 10 and 12: mean 11, standard deviation sqrt 2
    assert (row.detected_m, row.detected_spread_m) == (11.0, 1.414)
    # none in 6 s: exp(-rate 6 / 3600) = 0.05 at 3 3600 / 6
    assert (row.false_brakes_per_h, row.false_brakes_below_per_h) == (0.0, 1800.0)


def short(out, *options):
    """Run the command with two variants of a scenario and one seed."""
    arguments = ["--out", out, "--scenario", "child", "--seeds", "1", "--processes", "1"]
    arguments += ["--variant", "ideal", "--variant", "fog 100 m", *options]
    return subprocess.run(
        [sys.executable, RUN, *arguments], capture_output=True, text=True, check=False
    )


def read(table):
    """Return the rows of a CSV file."""
    return list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))


@pytest.mark.long
def test_a_short_run_gives_a_table_and_a_picture(tmp_path, drive):
    said = short(tmp_path / "table")
    assert said.returncode == 0, said.stderr
    rows = read(tmp_path / "table" / "table.csv")
    assert [row["variant"] for row in rows] == ["ideal", "fog 100 m"]
    assert rows[0]["collisions"] == "0"
    assert json.loads((tmp_path / "table" / "table.json").read_text())["sensor"] == "OS1-32"
    assert (tmp_path / "table" / "table.png").read_bytes()[1:4] == b"PNG"
    assert "detected, m" in said.stdout
    # the same cell again, in this process
    outcome = drive.drive(drive.Cell(scenario="child", variant="ideal", seed=1))
    texts = {name: "" if value is None else str(value) for name, value in outcome.row().items()}
    assert read(tmp_path / "table" / "runs.csv")[0] == texts

    again = short(tmp_path / "table")
    assert again.returncode == 2
    assert again.stderr.splitlines()[-1] == (
        f"Error: {tmp_path / 'table'}: the output folder is not empty; choose another, "
        "or give --overwrite"
    )


@pytest.mark.usefixtures("traffic")
def test_no_runs_are_refused(tmp_path):
    said = short(tmp_path / "table", "--seeds", "0")
    assert said.returncode == 2
    assert "argument --seeds: got '0', expected a whole number from 1 on" in said.stderr


@pytest.mark.slow
def test_the_fmu_brakes_as_the_model_does(drive):
    pytest.importorskip("fmpy")
    cell = drive.Cell(scenario="child", variant="rain 25 mm/h", seed=3)
    assert drive.drive(cell, through="fmu") == drive.drive(cell)

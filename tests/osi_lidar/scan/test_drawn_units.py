# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scans of units that are drawn, beside those of typical ones, and what runs say of them."""

import json

import numpy as np
import pytest

from osi_lidar import load_config
from osi_lidar.run.replay import scan
from tests.builders.clouds import wall_clouds
from tests.builders.worlds import wall_config
from tests.commands import run

SEED = 26
"""Of a noisy unit."""
PHYSICAL = {"pattern": None, "fidelity": "physical", "half_m": 6.0}


def on_wall(folder, **keys):
    """Return the points on a wall 10 m ahead, and the errors of their ranges [m]."""
    (cloud,) = wall_clouds(folder, **PHYSICAL, **keys)
    near = np.abs(cloud.true_xyz_m[:, 0] - 10.0) < 0.5  # no false alarms
    points = cloud.points[near]
    return points, points["range"].astype(float) * (1.0 - 10.0 / points["x"].astype(float))


def spread_m(errors_m):
    return np.median(np.abs(errors_m - np.median(errors_m)))


def unit_of(folder, **keys):
    return wall_config(folder, **PHYSICAL, **keys).sensors[0].drawn_unit


@pytest.mark.parametrize("preset", ["VLP-16", "OS1-64-Gen2"])  # a table of noise, a precision
def test_ranges_scatter_by_the_unit_s_factor(tmp_path, preset):
    keys = {"preset": preset, "noise": {"quantisation_m": 0}, "percent": 60}
    kinds = ("typical", "drawn")
    errors_m = {kind: on_wall(tmp_path, unit=kind, seed=SEED, **keys)[1] for kind in kinds}
    unit = unit_of(tmp_path, unit="drawn", seed=SEED, **keys)
    typical_m, drawn_m = (spread_m(errors_m[kind]) for kind in kinds)
    # the wall's signal is beyond the last row of the precision, so that a factor changes nothing
    assert drawn_m / typical_m == pytest.approx(unit.noise, rel=0.03)
    assert unit.noise > 1.1


def test_signals_have_the_unit_s_factor_and_reflectivities_do_not(tmp_path):
    keys = {"preset": "OS0-128-Rev7", "seed": 1, "intrinsics": "calibrated"}
    typical, _ = on_wall(tmp_path, **keys)
    drawn, _ = on_wall(tmp_path, unit="drawn", **keys)
    factor = unit_of(tmp_path, unit="drawn", **keys).signal
    assert abs(factor - 1.0) > 0.05
    assert np.median(drawn["snr"]) / np.median(typical["snr"]) == pytest.approx(factor, rel=0.02)
    assert drawn["reflectivity"].mean() == pytest.approx(typical["reflectivity"].mean(), rel=0.02)


def test_check_summary_and_run_say_what_was_drawn(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text(
        "sensors: [{name: roof, preset: VLP-16, unit: drawn}, {name: left, preset: VLP-16}]\n"
        "scene: {ground: -1.5}\n"
    )
    unit = load_config(file).sensors[0].drawn_unit
    line = f"roof: range noise x {unit.noise:.3g}"
    assert line in run("check", "--config", file).output
    assert line in run("scan", "--config", file, "--out", tmp_path / "run").output
    written = json.loads((tmp_path / "run" / "run.json").read_text())["units"]
    assert written == {"roof": unit.content}


def test_nothing_is_said_of_typical_units(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("sensors: [{preset: VLP-16}]\nscene: {ground: -1.5}\n")
    assert "units" not in scan(load_config(file), tmp_path / "run").content
    assert "Drawn units" not in run("check", "--config", file).output

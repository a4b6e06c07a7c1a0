# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The perforated plate: the mesh is what its script makes, and its scan is the plate by formula."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from tests.scenarios.scripts import script

PLATE = Path(__file__).resolve().parents[2] / "scenarios" / "perforated_plate"


@pytest.fixture(scope="module")
def make():
    return script(PLATE / "make_plate.py")


@pytest.fixture(scope="module")
def compare(make):  # noqa: ARG001  imports it
    return script(PLATE / "compare.py")


def test_script_makes_the_same_files_byte_for_byte(tmp_path, make):
    make.main(tmp_path)
    for name in ("plate.obj", "plate.mtl"):
        assert (tmp_path / name).read_bytes() == (PLATE / name).read_bytes(), name


def test_plate_is_closed_and_has_the_volume_of_a_plate_with_round_holes(make):
    """Holes are polygons of the circle's area; corners lie on a grid of 1 um."""
    surface = trimesh.load(PLATE / "plate.obj", group_material=True, process=True)
    plate = surface.geometry["Plate"]
    assert plate.is_watertight
    assert plate.euler_number == 2 - 2 * len(make.hole_centres_mm())  # one tunnel for each hole
    area = np.prod(make.HOLES) * (make.PITCH_MM**2 - np.pi * make.RADIUS_MM**2)
    assert plate.volume == pytest.approx(area * make.THICKNESS_MM, rel=1e-5)


def direction(y, z):
    beam = np.array([[1.0, y, z]])
    return beam / np.linalg.norm(beam)


@pytest.mark.parametrize(
    ("place_m", "depth_m"),
    [
        ((0.0, 0.0), 2.25),  # through the middle hole
        ((0.04, 0.0), 1.75),  # between two holes
        ((0.6, 0.0), 2.25),  # beside the plate
        ((0.24, 0.16), 2.25),  # through the hole in a corner: seen at 8 degrees
    ],
)
def test_truth_is_the_plate_or_the_wall(compare, place_m, depth_m):
    beam = direction(*(np.array(place_m) / compare.PLATE_M))
    range_m, on_wall = compare.true_range_m(beam)
    assert range_m[0] == pytest.approx(depth_m / beam[0, 0], rel=1e-12)
    assert on_wall[0] == (depth_m == 2.25)


def test_truth_inside_a_bore_is_its_cylinder(compare):
    """0.24 m aside a beam goes outwards, so it may meet the outer side of the bore."""
    aside = 0.24 + 0.01995  # 0.05 mm inside the mouth's outer rim
    range_m, on_wall = compare.true_range_m(direction(aside / compare.PLATE_M, 0.0))
    depth = range_m[0] * direction(aside / compare.PLATE_M, 0.0)[0, 0]
    assert not on_wall[0]
    assert depth == pytest.approx(compare.PLATE_M * 0.26 / aside, rel=1e-12)
    assert compare.PLATE_M < depth < compare.PLATE_M + 0.003


def test_the_exact_scan_is_the_plate_to_a_micrometre(compare):
    """Single precision resolves 0.1 um at 1.75 m; some beams at rims meet another surface."""
    exact = {one.sensor: one for one in compare.compare(PLATE / "config.yaml")}["exact"]
    assert exact.n_points == exact.n_beams == 441 * 321
    assert exact.mean_m < 1e-6
    assert exact.n_rim < 20
    assert exact.mean_with_rim_m < compare.PAPER_M / 10


def test_noise_differs_from_the_truth_by_the_mean_of_a_gaussians_absolute_value(compare):
    """The mean of |x| is sqrt(2 / pi) sigma, and of n points it varies by 0.6 sigma / sqrt(n)."""
    noisy = {one.sensor: one for one in compare.compare(PLATE / "config.yaml")}["noisy"]
    assert noisy.mean_m == pytest.approx(np.sqrt(2 / np.pi) * 0.0009, abs=4 * 0.6 * 0.0009 / 376)


def test_a_table_ends_with_the_papers_figure(compare, capsys):
    compare.main(PLATE / "config.yaml")
    lines = capsys.readouterr().out.splitlines()
    assert "exact, scanned - true:" in lines[1]
    assert lines[-1].split(":")[1].split() == ["7.00e-04", "m", "(4.0e-04)"]

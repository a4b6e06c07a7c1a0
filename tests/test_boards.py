# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What benchmarks/real/boards.py finds of boards: simulated ones, whose edges are known."""

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.scenarios.scripts import script

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks" / "real"
SHARE = {"white": 0.6, "black": 0.05, "behind": 0.3}
MIDDLE_M = np.array([2.2, 0.3, -0.1])


@pytest.fixture(scope="module")
def boards() -> ModuleType:
    return script(FOLDER / "boards.py")


@pytest.fixture(scope="module")
def parts(boards) -> dict[str, ModuleType]:  # noqa: ARG001 - which imports them
    names = ("board_figures", "board_poses", "board_scans", "board_scenes")
    return {name: script(FOLDER / f"{name}.py") for name in names}


def scene(parts, board, turn_deg):
    """Return a board across the view at MIDDLE_M, turned in its plane, 4 m before a wall."""
    facing = parts["board_poses"].Pose(MIDDLE_M, np.array([(0, 1, 0), (0, 0, -1), (-1.0, 0, 0)]))
    wall = facing._replace(middle_m=MIDDLE_M + (4.0, 0.0, 0.0))
    pose = facing.moved(0.0, 0.0, np.radians(turn_deg))
    return parts["board_scenes"].Scene(board, pose, wall, SHARE)


@pytest.mark.long
def test_an_ideal_sensor_sees_a_board_where_it_is_and_as_large_as_it_is(boards, parts, monkeypatch):
    monkeypatch.setattr(sys.modules["board_pattern"], "MOST_BEAMS", 200)
    there = scene(parts, boards.CHECKERBOARD, 35.0)
    (scan,) = parts["board_scenes"].simulated({"preset": "OS1-64"}, there, 1)
    look = parts["board_figures"].looked_at(scan, there.board)
    np.testing.assert_allclose(look.pose.middle_m, MIDDLE_M, atol=0.003)
    assert np.abs(look.pose.axes[0] @ there.pose.axes[0]) > 0.9999
    assert np.all(look.pattern.sigma_mm < 2.0)  # lines; the sides of squares are 95 mm
    assert look.pattern.black / look.pattern.white == pytest.approx(0.05 / 0.6, rel=0.05)
    found = parts["board_figures"].figures([look])
    assert abs(found["outline farther out by [mm]"]) < 3.0
    assert abs(found["bright behind dark by [mm]"]) < 0.1
    assert found["lost inside the board"] == 0.0


@pytest.mark.long
def test_holes_are_as_large_as_they_are(boards, parts):
    there = scene(parts, boards.HOLES, 0.0)
    (scan,) = parts["board_scenes"].simulated({"preset": "OS1-64", "columns": 1024}, there, 1)
    look = parts["board_figures"].looked_at(scan, there.board)
    found = parts["board_figures"].figures([look])
    assert abs(found["upright edges of holes farther out by [mm]"]) < 3.0
    assert abs(found["level edges of holes farther out by [mm]"]) < 6.0  # rings are 20 mm apart


def test_the_angles_of_an_ouster_are_found_in_a_cloud(parts):
    scans, scenes = parts["board_scans"], parts["board_scenes"]
    given = {
        "prod_line": "OS-1-64",
        "lidar_mode": "1024x10",
        "beam_altitude_angles": np.linspace(21.0, -21.0, 64).round(3).tolist(),
        "beam_azimuth_angles": [1.41, -4.22] * 32,
        "lidar_origin_to_beam_origin_mm": 1e3 * scans.AXIS_M,
    }
    pattern = scenes.pattern_of({"preset": "OS1-64", "calibration": given})
    range_m = np.random.default_rng(1).uniform(2.0, 20.0, pattern.n_beams)
    pixels = np.zeros((64, scans.COLUMNS, 4))
    at = pattern.ring, pattern.column
    pixels[at] = np.c_[pattern.origin_m + range_m[:, None] * pattern.direction, range_m]
    found = scans.ouster_metadata(pixels)
    for name in ("beam_altitude_angles", "beam_azimuth_angles"):
        np.testing.assert_allclose(found[name], given[name], atol=0.003)
    scan = scans.scan_of_pixels(pixels, pattern)
    np.testing.assert_allclose(scan.range_m, range_m, atol=1e-5)


def test_gaps_of_a_ring_are_beams_without_a_return(parts):
    lost_deg = parts["board_scans"]._between(np.array([-0.4, -0.2, 0.4, 0.61]), 0.2)
    np.testing.assert_allclose(lost_deg, [0.0, 0.2], atol=1e-9)


@pytest.mark.long
def test_a_recorded_board_is_found(real_data, boards, parts):
    """VLP-16, acfr/cam_lidar_calibration: white is nearer than black, by the walk of the range."""
    paths = sorted((real_data / "scans" / "acfr-vlp16").glob("*.pcd.xz"))
    if not paths:
        pytest.skip("no recording of a board by a VLP-16 in scans/acfr-vlp16")
    scan, _ = boards.recorded(paths[0], boards.RECORDINGS[2])
    found = parts["board_figures"].figures(
        [parts["board_figures"].looked_at(scan, boards.CHECKERBOARD)]
    )
    assert found["outline farther out by [mm]"] == pytest.approx(3.5, abs=5.0)
    assert found["bright behind dark by [mm]"] == pytest.approx(-17.0, abs=5.0)

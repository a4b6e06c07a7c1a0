# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The comparison as tables, JSON and pictures."""

import io
import json
import math
from dataclasses import fields, replace

import matplotlib.image
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from rich.console import Console

from lidar_app.show.terminal import drawn
from lidar_gap.compare import compare, pictures
from lidar_gap.compare import frame_picture as one_frame
from lidar_gap.compare.quantities import BRIEF, EVERY, number_text
from lidar_gap.compare.report import MOST_ROWS, comparison_tables, write_report
from lidar_gap.pictures.figures import PANEL
from lidar_gap.records import PairGroups
from osi_lidar.errors import OutputError
from tests.builders.scans import N_COLUMNS, N_RINGS, pair_of, room_scan, without


@pytest.fixture(scope="module")
def pair():
    return pair_of(room_scan("real|1", sigma_m=0.01), room_scan("sim 1").rows(np.arange(5000)))


@pytest.fixture(scope="module")
def comparison(pair):
    return compare(PairGroups(sim=[pair, pair], again=[pair_of(room_scan(), room_scan())]))


@pytest.fixture(scope="module")
def bare():
    """Return a comparison of clouds with coordinates and rings only, without neighbours."""
    scan = without(room_scan(), "echo", "n_echoes", "intensity", "normal")
    return compare(PairGroups(sim=[pair_of(scan, scan)]), with_neighbours=False)


def shown(content):
    """Return what a terminal shows of tables."""
    stream = io.StringIO()
    Console(file=stream, width=100, color_system=None).print(*map(drawn, content))
    return stream.getvalue()


def test_json_has_every_number_with_its_unit(comparison, tmp_path):
    files = write_report(comparison, tmp_path, {"real": "a", "sim": "b"})
    assert [file.name for file in files] == ["report.json", "report.md"]
    content = json.loads(files[0].read_text())
    assert content["given"] == {"real": "a", "sim": "b"}
    image = {"rings": 16, "ring_numbers": None, "columns": 360, "pixels_compared": 5760}
    assert content["image"] == image
    total = content["sim_against_real"]["total"]
    assert total["iou"] == comparison.sim.total.returns.iou
    assert total["median_m"] == comparison.sim.total.errors.median_m
    assert total["chamfer_m"] == comparison.sim.total.distances.chamfer_m
    assert total["apart_from_0p05_m"] == comparison.sim.total.budget.apart[1]
    assert {each.key for each in EVERY} <= total.keys()
    assert len(content["sim_against_real"]["frames"]) == 2
    assert content["real_against_real"]["total"]["iou"] == 1
    assert content["null_test"] is None
    assert content["return_probability"]["real_over_incidence_deg"]["edges"][-1] == 90


def test_what_is_not_known_is_null_in_json_and_a_dash_in_tables(bare, tmp_path):
    write_report(bare, tmp_path, {})
    content = json.loads((tmp_path / "report.json").read_text())
    assert content["sim_against_real"]["total"]["chamfer_m"] is None
    assert content["return_probability"]["real_over_incidence_deg"] is None
    assert content["real"]["echoes"] is None
    tables = (tmp_path / "report.md").read_text()
    assert "Chamfer" not in tables
    assert "nan" not in tables


def test_keys_are_unique_and_brief_ones_are_few():
    keys = [each.key for each in EVERY]
    assert len(set(keys)) == len(keys)
    assert 5 <= len(BRIEF) <= 8  # a terminal has 80 columns


def test_every_measure_is_in_the_tables(comparison):
    """Each field of the measures changes some quantity if it changes."""
    read = set()

    class Spy:
        def __getattr__(self, name):
            read.add(name)
            return getattr(comparison.sim.total, name)

    for each in EVERY:
        each.of(Spy())
    assert {field.name for field in fields(comparison.sim.total)} - {"name"} <= read | {
        "n_real",
        "n_sim",
    }


def test_tables_of_the_terminal_show_units_and_values(comparison):
    text = shown(comparison_tables(comparison))
    assert "median error [mm]" in text
    assert f"{1e3 * comparison.sim.total.errors.median_m:.1f}" in text
    assert "real against real" in text
    assert "Chamfer [m]" in text
    assert "real|1" in text


def test_the_terminal_shows_no_more_than_some_frames(pair):
    found = compare(PairGroups(sim=[pair] * (MOST_ROWS + 3)), with_neighbours=False)
    frames = comparison_tables(found, MOST_ROWS)[-1]
    assert frames.title.endswith("3 more in the files")
    assert len(frames.parts[0][1]) == MOST_ROWS
    assert len(comparison_tables(found)[-1].parts[0][1]) == MOST_ROWS + 3


def test_markdown_has_a_row_for_each_measure(comparison, tmp_path):
    write_report(comparison, tmp_path, {})
    lines = (tmp_path / "report.md").read_text().splitlines()
    assert "| | simulated against real | real against real |" in [
        " ".join(line.split()) for line in lines
    ]
    assert any(line.startswith("| IoU | ") for line in lines)
    assert any(line.startswith("| real&#124;1 | ") for line in lines)


@pytest.mark.parametrize(
    ("value", "text"), [(math.nan, "-"), (-0.001, "0.0"), (1.26, "1.3"), (-2.0, "-2.0")]
)
def test_numbers_have_no_signed_zero(value, text):
    assert number_text(value, 1) == text


@pytest.mark.long
def test_pictures_are_drawn(comparison, pair, tmp_path):
    files = [
        pictures.budget_picture(comparison, tmp_path / "a.png"),
        pictures.returns_picture(comparison, tmp_path / "b.png"),
        pictures.noise_picture(comparison, tmp_path / "c.png"),
        pictures.echoes_picture(comparison, tmp_path / "d.png"),
        one_frame.frame_picture(
            pair, comparison.kept, comparison.sim.frames[0], tmp_path / "e.png"
        ),
    ]
    for file in files:
        assert np.ptp(matplotlib.image.imread(file)) > 0.5


def test_the_picture_numbers_rings_as_it_is_told(comparison, pair, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(one_frame, "save", lambda figure, path: drawn.append(figure) or path)
    numbers = np.arange(69, 85, dtype=np.int32)
    one_frame.frame_picture(pair, comparison.kept, comparison.sim.frames[0], tmp_path, numbers)
    rows = [axes for axes in drawn[0].axes if axes.get_ylabel() == "ring"]
    assert len(rows) == 4
    for axes in rows:
        named = axes.yaxis.get_major_formatter()
        assert [named(row, 0) for row in (-1, 0, 15, 16)] == ["", "69", "84", ""]


@pytest.mark.long
def test_pictures_of_what_is_not_known_say_so(bare, tmp_path):
    for draw in (
        pictures.budget_picture,
        pictures.returns_picture,
        pictures.noise_picture,
        pictures.echoes_picture,
    ):
        assert draw(bare, tmp_path / "picture.png").exists()


def test_colours_of_the_return_mask_tell_who_returns():
    real, sim = np.array([[False, True, False, True]]), np.array([[False, False, True, True]])
    colours = one_frame._returns_image(real, sim)[0]
    names = [PANEL, pictures.REAL, pictures.SIM, one_frame.BOTH_COLOUR]
    np.testing.assert_allclose(colours, [to_rgb(name) for name in names])


def test_rings_are_shifted_to_the_azimuths_of_their_lasers():
    """A wall's edge that lasers see 3 and -2 columns apart stands in one place of the picture."""
    scan = room_scan()
    ahead = np.abs(np.arctan2(scan.points_m[:, 1], scan.points_m[:, 0])) < np.radians(0.9)
    pair = pair_of(scan, scan)
    column = np.array([3, -2] * (N_RINGS // 2))
    image = pair.real_image
    moved = np.stack([np.roll(row, by) for row, by in zip(image.point, column, strict=True)])
    pixels, borders_deg = one_frame._places(replace(pair, real_image=replace(image, point=moved)))
    shown = np.take_along_axis(moved, pixels, axis=1)
    of_ring = [np.flatnonzero(ahead[row]) for row in shown]
    assert len({tuple(each.tolist()) for each in of_ring}) == 1
    assert borders_deg[0] - borders_deg[1] == pytest.approx(360.0)
    assert abs(sum(borders_deg)) <= 2 * 360.0 / N_COLUMNS


@pytest.mark.long
def test_pixels_that_are_not_compared_have_a_colour(comparison, pair, tmp_path):
    kept = np.ones(comparison.kept.shape, np.bool_)
    kept[8:] = False
    path = one_frame.frame_picture(pair, kept, comparison.sim.frames[0], tmp_path / "picture.png")
    image = matplotlib.image.imread(path)[..., :3]
    left_out = np.isclose(image, to_rgb(one_frame.LEFT_OUT), atol=0.003).all(axis=-1)
    assert 0.2 < left_out.mean() < 0.35  # half of four images


def test_files_that_cannot_be_written_are_told(comparison, tmp_path):
    (tmp_path / "report.json").mkdir()
    with pytest.raises(OutputError, match=r"report\.json"):
        write_report(comparison, tmp_path, {})

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns of a configuration: fields of view and beams of a grid, and where pairs come from."""

import numpy as np
import pytest
from pydantic import ValidationError

from osi_lidar.config.patterns.kinds import AngleRange, GridPattern, PairsPattern
from raycore.pattern.scan_pattern import MAX_BEAMS


def angles(least_deg, most_deg, step_deg=1.0):
    return AngleRange(min_deg=least_deg, max_deg=most_deg, step_deg=step_deg)


@pytest.mark.parametrize(("vertical", "n"), [((-90, 90), 181), ((-15, 15), 31), ((3, 3), 1)])
@pytest.mark.parametrize(("horizontal", "n_column"), [((-180, 179), 360), ((0, 0), 1)])
def test_a_grid_covers_up_to_the_whole_sphere(vertical, n, horizontal, n_column):
    pattern = GridPattern(kind="grid", horizontal=angles(*horizontal), vertical=angles(*vertical))
    assert pattern.most_beams(0.1) == n * n_column
    assert len(pattern.source(0.1).azimuth_rad) == n * n_column


@pytest.mark.parametrize(
    ("horizontal", "n_column"),
    [
        ((-180, 180, 1), 360),
        ((0, 360, 0.1), 3600),
        ((-360, 0, 360), 1),
        ((-180, 180, 0.7), 515),
        ((-180, 180 - 1e-9, 1), 360),
        ((-180, 180, 1e9), 1),
    ],
)
def test_the_ends_of_a_full_turn_count_once(horizontal, n_column):
    pattern = GridPattern(kind="grid", horizontal=angles(*horizontal), vertical=angles(-1, 0))
    assert pattern.most_beams(0.1) == pattern.source(0.1).n_beams == 2 * n_column


def test_a_full_turn_may_have_as_many_beams_as_a_pattern_may():
    rows = angles(0, 51.1, 0.1)
    pattern = GridPattern(kind="grid", horizontal=angles(-180, 180, 360 / 2**16), vertical=rows)
    assert pattern.most_beams(0.1) == MAX_BEAMS
    with pytest.raises(ValidationError, match=f"got {MAX_BEAMS + 2**16} beams"):
        GridPattern(kind="grid", horizontal=pattern.horizontal, vertical=angles(0, 51.2, 0.1))


@pytest.mark.parametrize("vertical", [(-91, 0), (0, 91), (-100, -95), (95, 100)])
def test_a_grid_ends_at_the_zenith_and_the_nadir(vertical):
    with pytest.raises(ValidationError, match="is not within -90 to 90 degrees"):
        GridPattern(kind="grid", horizontal=angles(-10, 10), vertical=angles(*vertical))


def test_a_grid_covers_a_turn_at_most():
    GridPattern(kind="grid", horizontal=angles(-360, 0), vertical=angles(0, 0))
    with pytest.raises(ValidationError, match="covers more than 360 degrees"):
        GridPattern(kind="grid", horizontal=angles(-180, 181), vertical=angles(0, 0))


@pytest.mark.parametrize(
    ("most_deg", "step_deg", "n"), [(1.0, 0.1, 11), (1.0, 0.3, 4), (0.0, 5.0, 1), (0.9, 0.3, 4)]
)
def test_angles_include_the_last_one_if_the_step_fits(most_deg, step_deg, n):
    assert angles(0.0, most_deg, step_deg).count == n


def test_pairs_are_listed_or_in_a_file(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("azimuth,elevation\n90,0\n-45,30\n")
    for where in ({"file": file}, {"azimuth_elevation_deg": [(90, 0), (-45, 30)]}):
        beams = PairsPattern(kind="pairs", **where).source(0.1).at(0.0)
        assert np.degrees(beams.azimuth_rad) == pytest.approx([90, -45])
        assert np.degrees(beams.elevation_rad) == pytest.approx([0, 30])


def test_pairs_of_two_origins_or_of_none_are_refused(tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("90,0\n")
    for where in ({}, {"file": file, "azimuth_elevation_deg": [(90, 0)]}):
        with pytest.raises(ValidationError, match="needs exactly one of azimuth_elevation_deg and"):
            PairsPattern(kind="pairs", **where)

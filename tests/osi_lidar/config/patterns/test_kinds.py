# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patterns of a configuration: which fields of view a grid may cover, and how many beams it has."""

import pytest
from pydantic import ValidationError

from osi_lidar.config.patterns.kinds import AngleRange, GridPattern


def angles(least_deg, most_deg, step_deg=1.0):
    return AngleRange(min_deg=least_deg, max_deg=most_deg, step_deg=step_deg)


@pytest.mark.parametrize(("vertical", "n"), [((-90, 90), 181), ((-15, 15), 31), ((3, 3), 1)])
@pytest.mark.parametrize(("horizontal", "n_column"), [((-180, 179), 360), ((0, 0), 1)])
def test_a_grid_covers_up_to_the_whole_sphere(vertical, n, horizontal, n_column):
    pattern = GridPattern(kind="grid", horizontal=angles(*horizontal), vertical=angles(*vertical))
    assert pattern.most_beams(0.1) == n * n_column
    assert len(pattern.source(0.1).azimuth_rad) == n * n_column


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

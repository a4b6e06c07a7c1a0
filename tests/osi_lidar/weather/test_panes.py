# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather before panes and mirrors, where beams are split in two."""

import numpy as np
import pytest

from lidar_scenery.weather.state import DustBox, Weather
from tests.builders.beams import LIMIT, plate
from tests.builders.weather import DUST, FOG, PUCK, RAIN, SHORT_PULSE, of, scan_in

GLASS = "glass_pane"
N = 20_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("panes")


@pytest.fixture(scope="module")
def behind(folder):
    """Return the drops of beams through a pane at 3 m, with a wall at 6 m."""
    weather, walls = Weather(rain_mm_h=50.0), [(plate(3.0), GLASS), (plate(6.0), 50.0)]
    return of(RAIN, scan_in(weather, folder, walls, n=N, **PUCK, **SHORT_PULSE))


@pytest.mark.long
def test_rain_behind_a_pane_ends_at_the_wall(behind):
    """Both ways of a beam that is split end: behind the wall there is nothing to be seen.

    The pane mirrors 8 % of the light, which is 0.6 % there and back: so few may be farther away.
    """
    assert len(behind) > 200
    assert (behind["range"] > 6.0).sum() < 0.005 * len(behind)


@pytest.mark.long
def test_panes_add_no_rain(folder, behind):
    """A pane may take some drops, as much as it takes of the light, and adds none.

    Without a pane the mean number is as of a Poisson process; the level is four deviations.
    """
    weather, wall = Weather(rain_mm_h=50.0), (plate(6.0), 50.0)
    bare = of(RAIN, scan_in(weather, folder, [wall], n=N, **PUCK, **SHORT_PULSE))
    # index 1.5: 0.92 of the light passes, 0.85 there and back
    assert 0.85 * len(bare) - 4.0 * len(bare) ** 0.5 < len(behind) < len(bare)


def test_a_pane_does_not_double_the_fog_before_it(folder):
    """The fog ends at a black wall, so that its echo is that of the light that goes there."""
    weather, wall = Weather(visibility_m=20.0), (plate(1.6), 0.0)
    bare = of(FOG, scan_in(weather, folder, [wall], n=3, range_limit=LIMIT))
    behind = of(FOG, scan_in(weather, folder, [(plate(1.4), GLASS), wall], n=3, range_limit=LIMIT))
    assert len(bare) == len(behind) == 3
    np.testing.assert_allclose(behind["snr"] / bare["snr"], 0.85, atol=0.01)
    np.testing.assert_allclose(behind["range"], bare["range"], atol=1e-5)


def test_a_pane_does_not_double_the_dust_before_it(folder):
    """Dust is the more the more light passes, 0.85 there and back, wherever it is."""
    box = DustBox(center_m=(10.0, 0.0, 0.0), size_m=(2.0, 20.0, 20.0), visibility_m=30.0)
    weather, wall = Weather(dust=(box,)), (plate(40.0), 50.0)
    bare = of(DUST, scan_in(weather, folder, [wall], n=3, range_limit=LIMIT))
    behind = of(
        DUST, scan_in(weather, folder, [(plate(20.0), GLASS), wall], n=3, range_limit=LIMIT)
    )
    assert len(bare) == len(behind) == 3
    ratio = behind["reflectivity"] / bare["reflectivity"]
    np.testing.assert_allclose(ratio, 0.85, atol=0.01)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams with a footprint in corners of mirrors, and energy in random scenes that shine."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders.beams import FAR, beams_at, cloud_of, points_at
from tests.builders.meshes import quad

N_BEAMS = 20
MIRROR_M, BEHIND_M = 5.0, 10.0
WHOLE_M = 2 * MIRROR_M + BEHIND_M
"""Forward to the mirror, and back past the sensor to the wall behind it."""
SHARE = 0.9**2
MIRROR = {"looking_glass": {"class": "mirror", "reflectance": 0.9}}
PHYSICAL = {"fidelity": "physical", "range_limit": FAR, "n": N_BEAMS, "materials": MIRROR}


def corner():
    """Return two mirrors at a right angle, whose edge is before the sensor."""
    return [(quad(MIRROR_M, turn_deg, 20.0), "looking_glass") for turn_deg in (45.0, -45.0)]


def wall(x_m, percent):
    return quad(x_m, 0.0, 30.0), percent


def test_a_corner_of_mirrors_sends_beams_back_at_the_length_of_the_way(tmp_path):
    """All ways back to the wall behind the sensor are as long as if the corner were an edge."""
    pattern = {"kind": "pairs", "azimuth_elevation_deg": [[7.0, 0.0]] * N_BEAMS}
    surfaces = [*corner(), wall(-BEHIND_M, 80.0)]
    points = points_at(tmp_path, surfaces, pattern=pattern, **PHYSICAL)
    assert len(points) == N_BEAMS
    assert points["range"] == pytest.approx(WHOLE_M / np.cos(np.radians(7.0)), abs=1e-2)
    assert points["x"] == pytest.approx(WHOLE_M, abs=1e-2)
    assert points["reflectivity"] == pytest.approx(0.8 * SHARE**2, rel=5e-3)


@pytest.mark.parametrize("wall_deg", [0.0, 30.0])
@pytest.mark.parametrize("turn_deg", [45.0, 50.0, 54.0])
def test_in_a_corner_of_mirrors_a_wall_is_as_it_looks(tmp_path, turn_deg, wall_deg):
    """The points of each image lie in a plane, and have the normal of this plane."""
    angles_deg = [[side, up] for side in np.linspace(-4.0, 4.0, 6) for up in (-3.0, 3.0)]
    pattern = {"kind": "pairs", "azimuth_elevation_deg": angles_deg}
    mirrors = [(quad(MIRROR_M, each, 20.0), "looking_glass") for each in (turn_deg, -turn_deg)]
    surfaces = [*mirrors, (quad(-BEHIND_M, wall_deg, 60.0), 80.0)]
    points = points_at(tmp_path, surfaces, pattern=pattern, **PHYSICAL)
    assert len(points) == len(angles_deg)
    assert points["reflectivity"] == pytest.approx(0.8 * SHARE**2, rel=5e-3)
    left = points["y"] > 0.0
    assert left.sum() == len(points) / 2
    for image in (points[left], points[~left]):
        place_m, normal = (
            np.stack([image[name] for name in names], axis=1).astype(float)
            for names in (("x", "y", "z"), ("normal_x", "normal_y", "normal_z"))
        )
        across = np.linalg.svd(place_m - place_m.mean(axis=0))[2][2]
        np.testing.assert_allclose(np.abs(normal @ across), 1.0, atol=1e-4)


@pytest.mark.parametrize("percent", [50.0, 20_000.0])
def test_over_a_mirror_a_target_is_as_bright_as_the_mirror_leaves_it(tmp_path, percent):
    """A wall, and a retroreflector."""
    (tmp_path / "bare").mkdir()
    bare = points_at(tmp_path / "bare", [wall(WHOLE_M, percent)], **PHYSICAL)
    over = [(quad(MIRROR_M, 0.0, 20.0), "looking_glass"), wall(-BEHIND_M, percent)]
    points = points_at(tmp_path, over, **PHYSICAL)
    assert len(points) == len(bare) == N_BEAMS
    assert points["range"] == pytest.approx(WHOLE_M, abs=1e-2)
    assert points["reflectivity"] == pytest.approx(SHARE * bare["reflectivity"], rel=1e-3)


SENSITIVE = {"equation": {"pairs": [[10, 20_000]]}}
SHINY = {
    "white": {"reflectance": 1.0},
    "grey": {"reflectance": 0.2},
    "lacquer": {"reflectance": 0.95, "gloss": {"roughness": 0.001, "n": 1.5}},
    "varnish": {"reflectance": 0.9, "gloss": {"roughness": 0.02, "n": 2.4}},
    "polished": {"reflectance": 0.1, "gloss": {"roughness": 0.004, "n": 2.9, "k": 3.5}},
    "window_pane": {"class": "glass", "refractive_index": 1.5},
    **MIRROR,
}


@st.composite
def plates(draw):
    """Draw plates that shine, turned about z, most of them across the beams, and walls around."""
    found = [
        (
            quad(
                draw(st.floats(2.0, 20.0)), draw(st.floats(-85.0, 85.0)), draw(st.floats(0.01, 8))
            ),
            draw(st.sampled_from(sorted(SHINY))),
        )
        for _ in range(draw(st.integers(1, 5)))
    ]
    return [*found, (quad(25.0, 0.0, 60.0), "white"), (quad(-4.0, 0.0, 60.0), "white")]


@pytest.mark.long
@settings(
    max_examples=25,
    derandomize=True,
    # the folder is shared by all examples on purpose
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(plates())
def test_no_beam_returns_more_than_it_has(tmp_path, surfaces):
    """A white wall across a beam returns 1; so much is never exceeded by all of its echoes."""
    sensor = {**PHYSICAL, "n": 6, "materials": SHINY, "range_limit": SENSITIVE}
    cloud = cloud_of(beams_at(tmp_path, surfaces, **sensor))
    total = np.bincount(cloud.beam, cloud.points["reflectivity"], 6)
    assert (total <= 1.0 + 1e-3).all()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Light that bounces off gloss beside rays over its lobe, and what the energy allows."""

import numpy as np
import pytest
from pydantic import ValidationError

from material_mapping.optics.gloss import ggx_lobe
from material_mapping.optics.microfacet import ggx
from osi_lidar.clouds.origins import ORIGINS
from tests.builders.beams import BEAM, SIGMA_RAD, beams_at, cloud_of, points_at
from tests.builders.meshes import quad

GLOSS_M, BEHIND_M = 10.0, 5.0
WHOLE_M = GLOSS_M + BEHIND_M
GHOST = ORIGINS.index("ghost")
SENSITIVE = {"fidelity": "physical", "range_limit": {"equation": {"pairs": [[10, 20_000]]}}}
N_BEAMS, N_RAYS = 40, 100_000


def lack(roughness, percent=30.0):
    """Return a paint, equally bright at all angles, under a clear coat."""
    return {
        "lack": {
            "reflectance": [[0, percent / 100], [90, percent / 100]],
            "wavelength_nm": 905,
            "gloss": {"roughness": roughness, "n": 1.5},
        }
    }


def beside(y_m, half_m=50.0):
    """Return the corners of a plate along x, at a place beside it."""
    x, up = GLOSS_M, half_m
    return [(x - up, y_m, -up), (x + up, y_m, -up), (x + up, y_m, up), (x - up, y_m, up)]


def room(percent, incidence_deg=45.0):
    """Return a painted wall before the sensor, and a plate where its gloss sends the light."""
    return [(quad(GLOSS_M, incidence_deg, 2.0), "lack"), (beside(-BEHIND_M), percent)]


def over_the_lobe(roughness, percent):
    """Return the reflectivity of the ghost: rays out over the lobe, and others that look back.

    A ray goes out within the beam, over facets as GGX has them, to the plate. A second one within
    the same beam is the way on which the receiver sees that place; BRDFs are exact.
    """
    random = np.random.default_rng(3)
    normal = np.array([-1.0, -1.0, 0.0]) / np.sqrt(2.0)

    def on_gloss():
        across = SIGMA_RAD * random.normal(size=(2, N_RAYS))
        way = np.stack([np.ones(N_RAYS), *across], axis=1)
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        return way * (GLOSS_M * -normal[0] / -(way @ normal))[:, None], way

    def brdf(one, other):
        up = [each @ normal for each in (one, other)]
        flat = [each - u[:, None] * normal for each, u in zip((one, other), up, strict=True)]
        length = np.linalg.norm(flat[0], axis=1) * np.linalg.norm(flat[1], axis=1)
        turn = np.arccos(np.clip((flat[0] * flat[1]).sum(axis=1) / length, -1.0, 1.0))
        return ggx(*np.arccos(up), turn, roughness=roughness, n=1.5)

    place, way = on_gloss()
    tilt = roughness * np.sqrt(1.0 / random.uniform(size=N_RAYS) - 1.0)  # tan of GGX facets
    turn = random.uniform(0.0, 2.0 * np.pi, N_RAYS)
    side, up = np.array([1.0, -1.0, 0.0]) / np.sqrt(2.0), np.array([0.0, 0.0, 1.0])
    facet = normal + tilt[:, None] * (np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * up)
    facet /= np.linalg.norm(facet, axis=1, keepdims=True)
    out = way - 2.0 * (way * facet).sum(1)[:, None] * facet
    cos_facet, cos_in = facet @ normal, -(way * facet).sum(1)
    density = roughness**2 / (np.pi * cos_facet**3 * (roughness**2 + tilt**2) ** 2)
    density /= 4.0 * cos_in
    reaches = (out[:, 1] < 0.0) & (out @ normal > 0.0)
    out = np.where(reaches[:, None], out, -np.eye(3)[1])
    weight = np.where(reaches, brdf(-way, out) * (out @ normal) / density, 0.0)
    met = place + out * ((-BEHIND_M - place[:, 1]) / out[:, 1])[:, None]
    back, look = on_gloss()
    to_plate = met - back
    far = np.linalg.norm(to_plate, axis=1)
    to_plate /= far[:, None]
    seen = brdf(-look, to_plate) * (to_plate @ normal) / far**2
    # relative to a white wall of the whole way's range; the receiver sees 4 pi sigma^2
    lit = 4.0 * np.pi * SIGMA_RAD**2 * WHOLE_M**2
    return percent / 100.0 * lit * np.mean(weight * seen)


def ghosts_of(folder, surfaces, materials, **sensor):
    points = points_at(folder, surfaces, n=N_BEAMS, materials=materials, **{**SENSITIVE, **sensor})
    return points[points["origin"] == GHOST]


@pytest.mark.parametrize("roughness", [0.001, 0.003, 0.03])
def test_a_ghost_has_the_power_of_rays_over_the_lobe(tmp_path, roughness):
    ghosts = ghosts_of(tmp_path, room(50.0), lack(roughness))
    assert len(ghosts) == N_BEAMS
    assert ghosts["range"] == pytest.approx(WHOLE_M, abs=5e-2)
    assert ghosts["x"] == pytest.approx(WHOLE_M, abs=5e-2)  # the direction is that of the beam
    expected = over_the_lobe(roughness, 50.0)
    assert ghosts["reflectivity"].mean() == pytest.approx(expected, rel=0.03)


def test_a_smooth_coat_mirrors_as_fresnel_says(tmp_path):
    ghosts = ghosts_of(tmp_path, [*room(50.0)[:1], (beside(-0.05), 50.0)], lack(0.001))
    share = ggx_lobe(np.radians([45.0]), roughness=0.001, n=1.5).share[0]
    assert ghosts["reflectivity"] == pytest.approx(0.5 * share**2, rel=0.01)


@pytest.mark.parametrize(
    "off", [{"max_bounces": 0}, {"fidelity": "ideal"}, {"beam": {**BEAM, "second_bounce": False}}]
)
def test_without_a_second_bounce_all_is_as_without_gloss(tmp_path, off):
    plain = lack(0.002)
    del plain["lack"]["gloss"]
    clouds = []
    for name, paint in (("bare", plain), ("glossy", lack(0.002))):
        (tmp_path / name).mkdir()
        sensor = {**SENSITIVE, **off}
        clouds.append(points_at(tmp_path / name, room(50.0), n=N_BEAMS, materials=paint, **sensor))
    assert len(clouds[0]) == N_BEAMS
    assert clouds[0].tobytes() == clouds[1].tobytes()


def test_what_gloss_does_not_show_is_as_before_to_the_last_bit(tmp_path):
    """Ghosts of some beams change nothing of others, nor the surface's own echo."""
    (tmp_path / "bare").mkdir()
    plain = lack(0.002)
    del plain["lack"]["gloss"]
    bare = points_at(tmp_path / "bare", room(50.0), n=N_BEAMS, materials=plain, **SENSITIVE)
    points = points_at(tmp_path, room(50.0), n=N_BEAMS, materials=lack(0.002), **SENSITIVE)
    own = points[points["origin"] != GHOST]
    assert len(points) == 2 * len(bare)
    for name in ("x", "y", "z", "range", "reflectivity", "snr", "width_m", "material_id"):
        np.testing.assert_array_equal(own[name], bare[name])


def test_a_retroreflector_shows_over_gloss_where_a_wall_does_not(tmp_path):
    limit = {"equation": {"pairs": [[10, 60]]}}
    (tmp_path / "sign").mkdir()
    assert not len(ghosts_of(tmp_path, room(50.0), lack(0.002), range_limit=limit))
    ghosts = ghosts_of(tmp_path / "sign", room(20_000.0), lack(0.002), range_limit=limit)
    assert len(ghosts) == N_BEAMS


def test_gloss_and_a_mirror_make_a_corner(tmp_path):
    """Off the coat to -y, off a mirror at 45 deg back along -x, to a plate behind the sensor."""
    mirror = [(6, -1, -20), (14, -9, -20), (14, -9, 20), (6, -1, 20)]
    plate = [(-20, -30, -30), (-20, 30, -30), (-20, 30, 30), (-20, -30, 30)]
    surfaces = [(quad(GLOSS_M, 45.0, 2.0), "lack"), (mirror, "mirror"), (plate, 50.0)]
    ghosts = ghosts_of(tmp_path, surfaces, lack(0.001))
    assert ghosts["range"] == pytest.approx(GLOSS_M + BEHIND_M + 30.0, abs=0.1)
    (tmp_path / "one").mkdir()
    assert not len(ghosts_of(tmp_path / "one", surfaces, lack(0.001), max_bounces=1))


@pytest.mark.parametrize("incidence_deg", [20.0, 60.0, 80.0, 85.0])
def test_a_beam_returns_no_more_than_it_has(tmp_path, incidence_deg):
    """White paint over white walls all around; its base gets what the coat leaves, as cosine."""
    white = lack(0.001)
    white["lack"]["reflectance"] = 0.96
    walls = [(beside(y), 100.0) for y in (-BEHIND_M, BEHIND_M)]
    around = [(quad(GLOSS_M, incidence_deg, 4.0), "lack"), *walls, (quad(60.0), 100.0)]
    model = beams_at(tmp_path, around, n=N_BEAMS, materials=white, **SENSITIVE)
    cloud = cloud_of(model)
    ghosts = cloud.points[cloud.points["origin"] == GHOST]
    total = np.bincount(cloud.beam, cloud.points["reflectivity"], N_BEAMS)
    assert len(ghosts)
    assert (total <= 1.0).all()


@pytest.mark.filterwarnings("error")
def test_a_beam_without_a_height_sees_no_ghost(tmp_path):
    """It lights no area; with a height at the window, it does."""
    flat = {**BEAM, "divergence_deg": [BEAM["divergence_deg"], 0.0]}
    for name, beam, n in (("flat", flat, 0), ("window", {**flat, "window_m": [0, 0.01]}, N_BEAMS)):
        (tmp_path / name).mkdir()
        assert len(ghosts_of(tmp_path / name, room(50.0), lack(0.003), beam=beam)) == n


@pytest.mark.parametrize("width", [{}, {"divergence_deg": [0.1, 0]}, {"window_m": [0, 0.01]}])
def test_a_second_bounce_of_lines_is_refused(tmp_path, width):
    beam = {**width, "second_bounce": True}
    with pytest.raises(ValidationError, match="needs divergence_deg or window_m"):
        points_at(tmp_path, room(50.0), materials=lack(0.01), beam=beam)


def test_a_second_bounce_without_bounces_is_refused(tmp_path):
    bounce = {"beam": {**BEAM, "second_bounce": True}, "max_bounces": 0}
    with pytest.raises(ValidationError, match="needs max_bounces of 1 or more"):
        points_at(tmp_path, room(50.0), materials=lack(0.01), **bounce)

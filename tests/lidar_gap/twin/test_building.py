# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A room that the product has scanned, built of these scans, and scanned anew."""

from dataclasses import replace

import numpy as np
import pytest

from lidar_gap.layout import sensor_layout
from lidar_gap.twin.building import TwinSettings, build
from lidar_gap.twin.files import Product, write_product
from lidar_gap.twin.null_test import null_test, simulated
from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw
from lidar_gap.twin.reflectivity.photon_counter import PhotonCounter
from osi_lidar import load_config
from osi_lidar.config import Sensor
from osi_lidar.errors import InputError
from tests.lidar_gap.twin import room

pytestmark = pytest.mark.long  # surfaces are built
SETTINGS = TwinSettings(
    voxel_m=0.04, albedo_voxel_m=0.12, depth=7, n_class=8, law=SignalLaw(range_exponent=0.0)
)
COARSE = replace(SETTINGS, rounds=None, voxel_m=0.06, depth=6)


@pytest.fixture(scope="module", autouse=True)
def _surfaces():
    """Skip where the library that makes surfaces is missing, or cannot be loaded."""
    pytest.importorskip("open3d", reason="the extra twin", exc_type=ImportError)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """Configuration, poses and clouds of the room."""
    config = room.write_room(tmp_path_factory.mktemp("room"))
    poses = room.path_of_poses()
    return config, poses, room.clouds_of(config, poses)


@pytest.fixture(scope="module")
def twin(recorded):
    """The twin of all frames but the fifth, from poses that are a few centimetres off."""
    _, poses, clouds = recorded
    rng = np.random.default_rng(1)
    start = poses.copy()
    start[:, :3, 3] += rng.uniform(-0.03, 0.03, (len(poses), 3))
    in_map = np.arange(len(poses)) != 5
    return build(clouds, start, SETTINGS, in_map=in_map)


def test_a_twin_is_the_same_at_every_run(recorded):
    _, poses, clouds = recorded
    first, again = (build(clouds[:5], poses[:5], COARSE) for _ in range(2))
    np.testing.assert_array_equal(again.mesh.vertices_m, first.mesh.vertices_m)
    np.testing.assert_array_equal(again.mesh.faces, first.mesh.faces)
    np.testing.assert_array_equal(again.class_of_face, first.class_of_face)


def test_poses_that_are_off_are_put_right_among_each_other(recorded, twin):
    """One rigid motion of all is free; after it, poses agree to 5 mm (they were 30 mm off)."""
    _, poses, _ = recorded
    # least squares of the common shift; the turns were right from the start
    offset = twin.world_from_sensor[:, :3, 3] - poses[:, :3, 3]
    assert np.abs(offset - np.median(offset, axis=0)).max() < 0.005


def test_the_twin_scanned_anew_differs_by_millimetres(recorded, twin, tmp_path):
    """Median below 10 mm, also in the frame that the mesh was not made of."""
    config, poses, _ = recorded
    product = Product(white=1.0, law=SETTINGS.law.incidence, sensor=room.SENSOR)
    again = load_config(write_product(tmp_path / "twin.glb", twin, product))
    assert again.poses == tmp_path / "twin.poses.csv"
    real = np.stack([r for _, r in simulated(config, poses)])
    anew = np.stack([r for _, r in simulated(again, twin.world_from_sensor)])
    both = np.isfinite(real) & np.isfinite(anew)
    assert both.mean() > 0.9
    difference = np.abs(anew - real)
    assert np.median(difference[both]) < 0.010
    assert np.median(difference[5][both[5]]) < 0.010


def test_reflectivities_are_those_of_the_room(twin):
    """Walls reflect 0.6 and the pillar 0.1; classes are 8 over a factor of about 6."""
    centre = twin.mesh.vertices_m[twin.mesh.faces].mean(axis=1)
    value = twin.albedos[twin.class_of_face]
    wall = centre[:, 0] < -3.9
    aside = np.abs(centre[:, :2] - (2.0, 1.0)).max(axis=1)
    pillar = (aside < 0.32) & (np.abs(centre[:, 2]) < 1.0)
    assert wall.sum() > 100
    assert pillar.sum() > 100
    np.testing.assert_allclose(np.median(value[wall]), 0.6, rtol=0.2)
    np.testing.assert_allclose(np.median(value[pillar]), 0.1, rtol=0.3)


def test_a_dim_pillar_of_which_little_returns_is_as_dark_as_it_is(recorded, tmp_path):
    """Photons of walls that reflect 0.6, and of a pillar of 0.1 that returns one pulse in three."""
    _, poses, clouds = recorded
    poses, clouds = poses[::2], clouds[::2]
    white, receiver, random = 250.0, PhotonCounter(half=4.65, spread=0.4), np.random.default_rng(4)
    faint = []
    for cloud in clouds:
        expected = white * cloud.intensity / cloud.range_m**2
        counted = random.poisson(expected)
        kept = random.random(len(cloud)) < receiver.returned(counted.astype(float))
        faint.append(replace(cloud, signal=counted.astype(np.float32), intensity=None).rows(kept))
    unit = Sensor.model_validate(
        {name: value for name, value in room.SENSOR.items() if name != "range_limit"}
    )
    law = SignalLaw(counts=receiver)
    settings = replace(COARSE, voxel_m=0.04, law=law, beams=sensor_layout(unit))
    found = build(faint, poses, settings)

    def reflected(made):
        """Return the medians of the pillar and of a wall; no two surfaces have the same faces."""
        centre = made.mesh.vertices_m[made.mesh.faces].mean(axis=1)
        value = made.albedos[made.class_of_face] / white
        aside = np.abs(centre[:, :2] - (2.0, 1.0)).max(axis=1)
        pillar = (aside < 0.32) & (np.abs(centre[:, 2]) < 1.0)
        return np.median(value[pillar]), np.median(value[centre[:, 0] < -3.9])

    of_pillar, of_wall = reflected(found)
    np.testing.assert_allclose(of_pillar, 0.1, rtol=0.3)
    np.testing.assert_allclose(of_wall, 0.6, rtol=0.15)
    config = write_product(
        tmp_path / "faint.glb", found, Product(white=white, law=ROUGH, sensor=room.SENSOR)
    )
    told = np.load(config.with_suffix(".places.npz"))
    np.testing.assert_allclose(told["reflectivity"] * white, found.places.albedo, rtol=1e-5)
    assert set(told) == {
        *("place_m", "reflectivity", "log_sigma", "n_beams", "n_returns", "scatter")
    }
    without = build(faint, poses, replace(settings, beams=None))
    assert without.places is None
    assert abs(of_wall - 0.6) < abs(reflected(without)[1] - 0.6)


def test_what_moved_is_carved_out(recorded, tmp_path):
    """A walker in three of ten frames leaves no face; without carving he stays."""
    _, poses, clouds = recorded
    clouds = list(clouds)
    at = (-1.0, 1.6, -0.75)
    guest = room.write_room(tmp_path, walker_at=at, name="guest")
    clouds[3:6] = room.clouds_of(guest, poses[3:6])

    def faces_of_the_walker(chosen):
        mesh = build(clouds, poses, chosen).mesh
        inside = np.abs(mesh.vertices_m - at) < np.array(room.WALKER_M) / 2 + 0.05
        inside[:, 2] &= mesh.vertices_m[:, 2] > -1.4  # above the floor
        return inside.all(axis=1).sum()

    fine = replace(COARSE, depth=7)
    assert faces_of_the_walker(replace(fine, carving=None)) > 100
    assert faces_of_the_walker(fine) < 10


def test_the_null_test_tells_what_rebuilding_costs(recorded):
    config, poses, _ = recorded
    found = null_test(config, poses, poses[[2, 7]], COARSE)
    assert found.first_m.shape == found.again_m.shape == (2, 32 * 512)
    assert found.iou > 0.9
    assert 0 < found.median_m < 0.010
    assert found.median_m < found.mae_m


def test_clouds_and_poses_must_be_as_many(recorded):
    _, poses, clouds = recorded
    with pytest.raises(InputError, match="got 10 clouds and 9 poses"):
        build(clouds, poses[:9], SETTINGS)


def test_a_map_without_points_is_an_error(recorded):
    _, poses, clouds = recorded
    with pytest.raises(InputError, match="no point is left"):
        build(clouds, poses, replace(COARSE, max_range_m=0.6))

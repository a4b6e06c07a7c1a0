# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Images of base colours as sensors see them: fixed to the mesh, scaled to the material's mean."""

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.ndimage import map_coordinates

from osi_lidar import LidarModel
from osi_lidar.errors import ConfigurationError
from osi_lidar.world.assets import images
from raycore.images.reading import base_color_images
from tests.builders.clouds import points_of, xyz
from tests.builders.images import upright, write_wall
from tests.builders.messages import Thing, frames
from tests.builders.threads import kernel_threads
from tests.builders.worlds import AT_ORIGIN, WALL_GRID, config, steps

BRIGHT = 0.3
FLAT = [[angle_deg, BRIGHT] for angle_deg in (0, 90)]
"""As bright at every angle, so that a reflectivity is the image's gain times this."""
PHYSICAL = {
    "fidelity": "physical",
    "beam": {"divergence_deg": 0.05},
    "receiver": {"amplitude_noise": False, "precision": []},
}
RED = np.random.default_rng(5).integers(60, 255, (6, 9))
"""The image: pixels of more than half a metre."""
HALF_M = 4.0


def world(folder, *sensors, scene=None, images="base_color", texture=None, red=RED):
    """A configuration of sensors before a wall with an image, 10 m ahead."""
    material = {"reflectance": FLAT, "wavelength_nm": 905} | (texture or {})
    (folder / "materials.yaml").write_text(
        json.dumps({"define": {"painted": material}, "materials": {"*": "painted"}})
    )
    wall = write_wall(folder / "wall.gltf", red)
    environment = [{"mesh": str(wall), "up": "z", "forward": "x"}]
    one = {"pattern": WALL_GRID, "mounting": AT_ORIGIN, "range_limit": None, "texture": True}
    return config(
        sensors=[{**one, "name": f"s{n}", **each} for n, each in enumerate(sensors)],
        scene={"ground": "none", "images": images, **(scene or {"environment": environment})},
        materials={"mapping": str(folder / "materials.yaml")},
        seed=3,
    )


def gains(points):
    return points["reflectivity"].astype(float) / BRIGHT


def stated(folder, left_m, up_m, half_m=HALF_M):
    """The image's gain at places of the wall, computed anew: it repeats at its edges."""
    brightness = base_color_images(folder / "wall.gltf").of_material["Wall"].brightness
    n_row, n_column = brightness.shape
    u, v = 0.5 - left_m / (2 * half_m), 0.5 - up_m / (2 * half_m)
    fine = brightness.astype(float)
    pixels = [v * n_row - 0.5, u * n_column - 0.5]
    return map_coordinates(fine, pixels, order=1, mode="grid-wrap") / fine.mean()


@pytest.mark.parametrize("sensor", [{}, PHYSICAL], ids=["ideal", "physical"])
def test_a_wall_shows_its_image(tmp_path, sensor):
    _, (step,) = steps([[]], world(tmp_path, sensor), host_id=None)
    points = points_of(step)
    _, left_m, up_m = xyz(points).T
    inside = np.maximum(np.abs(left_m), np.abs(up_m)) < HALF_M - 0.05
    assert inside.sum() > 9000
    found, told = gains(points)[inside], stated(tmp_path, left_m, up_m)[inside]
    assert told.max() > 2 * told.min()
    assert_allclose(found, told, rtol=5e-3)


def test_a_mesh_that_is_turned_moved_and_scaled_takes_its_image_along(tmp_path):
    pose = {"position_m": [12.0, 1.0, 0.5], "yaw_deg": 20.0, "scale": 0.5}
    write_wall(tmp_path / "wall.gltf", RED)
    place = {"mesh": str(tmp_path / "wall.gltf"), "up": "z", "forward": "x", **pose}
    a_config = world(tmp_path, {}, scene={"environment": [place]})
    _, (step,) = steps([[]], a_config, host_id=None)
    points = points_of(step)
    x, y, z = (xyz(points) - (12.0, 1.0, 0.5)).T
    turn = np.radians(20.0)
    left_m, up_m = np.cos(turn) * y - np.sin(turn) * x, z
    assert len(points) > 1000
    inside = np.maximum(np.abs(left_m), np.abs(up_m)) < 0.5 * HALF_M - 0.05
    told = stated(tmp_path, left_m, up_m, 0.5 * HALF_M)
    assert_allclose(gains(points)[inside], told[inside], rtol=5e-3)


@pytest.mark.parametrize("sensor", [{}, PHYSICAL], ids=["ideal", "physical"])
@pytest.mark.parametrize("fit", [False, True])
def test_an_object_carries_its_image_along(tmp_path, sensor, fit):
    """A board in the middle of its box, which fills it or has the size of its file."""
    places = [(8.0, 0.0, 0.0), (7.0, 0.7, 0.3), (9.0, -0.5, -0.4)]
    worlds = [
        [Thing(5, (x, y, 0.0), yaw, (2.0, 3.0, 2.0), "stationary_object")] for x, y, yaw in places
    ]
    corners = [*upright(0.0, 1.0)]
    a_config = world(
        tmp_path,
        {**sensor, "motion_blur": False},
        scene={
            "objects": [
                {"match": {"id": 5}, "mesh": str(tmp_path / "wall.gltf"), "up": "z",
                 "forward": "x", "origin": "center", "fit": fit}
            ]
        },
    )  # fmt: skip
    write_wall(tmp_path / "wall.gltf", RED, corners=corners)
    _, done = steps(worlds, a_config, host_id=None)
    half = (1.5, 1.0) if fit else (1.0, 1.0)
    for step, (x, y, yaw) in zip(done, places, strict=True):
        points = points_of(step)
        ahead, aside, up_m = (xyz(points) - (x, y, 0.0)).T
        left_m = np.cos(yaw) * aside - np.sin(yaw) * ahead
        told = stated(tmp_path, left_m / half[0], up_m / half[1], 1.0)
        inside = np.maximum(np.abs(left_m) / half[0], np.abs(up_m) / half[1]) < 0.95
        assert inside.sum() > 500
        assert_allclose(gains(points)[inside], told[inside], rtol=2e-2)


def test_it_takes_the_place_of_a_texture_and_is_off_unless_asked_for(tmp_path):
    texture = {"texture": {"spread": 0.5, "correlation_m": 0.5}}
    found = []
    for kind, more in (("base_color", {}), ("base_color", texture), ("none", {})):
        a_config = world(tmp_path, {}, images=kind, texture=more)
        found.append(gains(points_of(steps([[]], a_config, host_id=None)[1][0])))
    assert_array_equal(found[0], found[1])
    assert_allclose(found[2], 1.0, rtol=1e-5)


def test_a_sensor_that_sees_no_texture_sees_no_image(tmp_path):
    keys = [{"texture": None}, {"texture": None, **PHYSICAL}, {**PHYSICAL, "texture": False}]
    _, (step,) = steps([[]], world(tmp_path, *keys), host_id=None)
    spreads = [np.log(gains(points_of(step, sensor=n))).std() for n in range(3)]
    assert_allclose((spreads[0], spreads[2]), 0.0, atol=1e-5)
    assert spreads[1] > 0.2


def test_a_wide_beam_sees_what_it_covers(tmp_path):
    """Checks of 6 cm, seen by beams of 1.2 and of 60 cm."""
    checks = 60 + 190 * (np.indices((128, 128)).sum(axis=0) % 2)
    narrow, wide = ({**PHYSICAL, "beam": {"divergence_deg": each}} for each in (0.07, 3.5))
    _, (step,) = steps([[]], world(tmp_path, narrow, wide, red=checks), host_id=None)
    spreads = []
    for sensor in (0, 1):
        points = points_of(step, sensor=sensor)
        inside = np.abs(xyz(points)[:, 1:]).max(axis=1) < 3.0
        spreads.append(gains(points)[inside].std())
    assert spreads[0] > 0.25
    assert spreads[1] < 0.02


@pytest.mark.parametrize("sensor", [{}, PHYSICAL], ids=["ideal", "physical"])
def test_threads_and_the_order_of_messages_change_nothing(tmp_path, sensor):
    a_config = world(tmp_path, {**sensor, "motion_blur": False, "rolling_shutter": False})
    worlds = [[Thing(5, (6.0 + 0.2 * k, 0.3 * k, 0.0), 0.1 * k)] for k in range(3)]
    with kernel_threads(2):
        _, done = steps(worlds, a_config, host_id=None)
    with kernel_threads(1):
        _, again = steps(worlds, a_config, host_id=None)
    for one, other in zip(done, again, strict=True):
        assert points_of(one).tobytes() == points_of(other).tobytes()
    alone = LidarModel(a_config).step(frames(worlds, host_id=None)[-1])
    assert points_of(alone).tobytes() == points_of(done[-1]).tobytes()


def test_an_image_that_cannot_be_read_is_listed_and_its_surface_has_its_mean(tmp_path):
    a_config = world(tmp_path, {})
    path = tmp_path / "wall.gltf"
    text = json.loads(path.read_text())
    text["images"] = [{"uri": "absent.png"}]
    path.write_text(json.dumps(text))
    model, (step,) = steps([[]], a_config, host_id=None)
    assert_allclose(gains(points_of(step)), 1.0, rtol=1e-5)
    (listed,) = [each for each in model.world.fallbacks if each.kind == "image"]
    assert listed.subject == "image of Wall in wall.gltf"
    assert "absent.png, which does not exist" in listed.reason
    assert listed.used == "no pattern"


def test_without_pillow_one_line_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setattr(images, "find_spec", lambda _: None)
    needs = r"scene\.images: needs Pillow, .* 'osi-lidar\[images\]'"
    with pytest.raises(ConfigurationError, match=needs):
        LidarModel(world(tmp_path, {}))

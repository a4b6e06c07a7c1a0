# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a twin whose reflectivities come from all beams: gains of lasers, and textures."""

import numpy as np
import pytest
import yaml

from lidar_gap.twin.building import Twin
from lidar_gap.twin.files import Product, write_product
from lidar_gap.twin.reflectivity.albedo import ROUGH
from lidar_gap.twin.reflectivity.censored import PlaceAlbedos
from lidar_gap.twin.surface import MapSurface
from material_mapping.texture import Texture
from osi_lidar import LidarModel, load_config
from tests.builders.messages import frames

TEXTURES = (
    Texture(spread=0.3, scales=((0.4, 0.05), (0.6, 0.3)), source="a test"),
    Texture(spread=0.5, scales=((1.0, 0.3),), source="a test", keeps="median"),
)


def twin_of_a_wall(places, textures):
    vertices_m = np.array([[10.0, y, z] for y in (-40.0, 40.0) for z in (-40.0, 40.0)])
    return Twin(
        mesh=MapSurface(
            vertices_m=vertices_m, faces=np.array([[0, 1, 2], [2, 1, 3]]), nearest=np.arange(4)
        ),
        class_of_face=np.array([0, 1]),
        albedos=np.array([5000.0, 9000.0]),
        world_from_sensor=np.eye(4)[None],
        counts={},
        places=places,
        textures=textures,
    )


def places_of(n_ring):
    return PlaceAlbedos(
        place_m=np.zeros((1, 3)),
        albedo=np.ones(1),
        log_sigma=np.zeros(1),
        n_beams=np.ones(1, np.int64),
        n_returns=np.ones(1, np.int64),
        scatter=0.3,
        laser_gain=np.linspace(0.5, 1.5, n_ring),
    )


def written(folder, places, textures=(), *, mesh="wall.glb", bodies=None):
    product = Product(white=10_000.0, law=ROUGH, sensor={"preset": "OS0-32"}, bodies=bodies)
    return write_product(folder / mesh, twin_of_a_wall(places, textures), product)


def test_gains_and_textures_are_what_a_physical_sensor_scans(tmp_path):
    config = written(tmp_path, places_of(32), TEXTURES)
    content = yaml.safe_load(config.read_text())
    assert content["sensors"][0]["laser_gains"] == np.round(np.linspace(0.5, 1.5, 32), 3).tolist()
    define = yaml.safe_load((tmp_path / "wall.materials.yaml").read_text())["define"]
    textures = [each["texture"] for each in define.values()]
    assert [each["spread"] for each in textures] == [0.3, 0.5]
    assert textures[0]["correlation_m"] == [[0.4, 0.05], [0.6, 0.3]]
    assert [each["keeps"] for each in textures] == ["mean", "median"]
    content["sensors"][0]["fidelity"] = "physical"
    config.write_text(yaml.safe_dump(content))
    cloud = LidarModel(load_config(config)).step(*frames([[]], host_id=None)).scans[0].cloud
    assert len(cloud.points) > 1000


def test_a_twin_of_returns_alone_has_neither(tmp_path):
    content = yaml.safe_load(written(tmp_path, None).read_text())
    assert "laser_gains" not in content["sensors"][0]
    assert "texture" not in (tmp_path / "wall.materials.yaml").read_text()


@pytest.mark.parametrize(("mesh", "n_textures"), [("wall.glb", 2), ("wall.ply", 0)])
def test_a_body_has_no_texture_of_the_place(tmp_path, mesh, n_textures):
    """Not even one whose reflectivity is that of a class, 0.5 or 0.9."""
    written(tmp_path, places_of(32), TEXTURES, mesh=mesh, bodies=(0.1, 0.5))
    table = yaml.safe_load((tmp_path / "wall.materials.yaml").read_text())
    bodies = [table["define"][table["materials"][name]] for name in ("body_01000", "body_05000")]
    assert [each["reflectance"][0] for each in bodies] == [[0, 0.1], [0, 0.5]]
    assert not any("texture" in each for each in bodies)
    assert sum("texture" in each for each in table["define"].values()) == n_textures

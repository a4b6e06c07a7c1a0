# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Which mesh an object becomes, and what falls back to what."""

import json
import logging
from dataclasses import replace
from itertools import accumulate

import numpy as np
import pytest

from osi_lidar import ConfigurationError, LidarModel, load_config
from raycore.errors import MeshError
from tests.builders.clouds import points_of, xyz
from tests.builders.lanes import with_films
from tests.builders.messages import Thing, frames, host, message
from tests.builders.weather import decoded
from tests.builders.worlds import config, raster

# A wedge of 1 x 1 x 1 in its own axes: z up, x forward, origin below its centre; its slope rises
# from front to back, so its pose in the box shows in the normals.
WEDGE = """\
v -0.5 -0.5 0
v 0.5 -0.5 0
v 0.5 0.5 0
v -0.5 0.5 0
v -0.5 -0.5 1
v -0.5 0.5 1
usemtl Paint
f 1 2 3 4
f 1 5 2
f 4 3 6
f 1 4 6 5
usemtl Slope
f 2 5 6 3
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "wedge.obj").write_text(WEDGE)
    return tmp_path


def model(folder, things, *, trace_folder=None, environment="", **scene):
    sensor = {
        "name": "front",
        "pattern": {
            "kind": "grid",
            "horizontal": {"min_deg": -20, "max_deg": 20, "step_deg": 0.25},
            "vertical": {"min_deg": -15, "max_deg": 5, "step_deg": 0.25},
        },
    }
    (folder / "config.yaml").write_text(json.dumps({"sensors": [sensor], "scene": scene}))
    lidar = LidarModel(load_config(folder / "config.yaml"), trace_folder=trace_folder)
    (frame,) = frames([[host(), *things]], environment=environment)
    return lidar, lidar.step(frame)


def car(**changes):
    return Thing(2, (15.0, 0.0, 0.75), **{"yaw_rad": np.pi, **changes})


def slope_normals(step):
    points = points_of(step, 2)
    return points, np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1)


def test_a_rule_gives_a_mesh_that_fills_the_box_if_asked_to(folder):
    """Fitted to 4 x 2 x 1.5 m and turned to face the sensor, the slope rises away from it."""
    rule = {"match": {"type": "VEHICLE"}, "mesh": "wedge.obj", "fit": True}
    lidar, step = model(folder, [car()], objects=[rule])
    points, normals = slope_normals(step)
    expected = np.array([-1.5, 0.0, 4.0]) / np.hypot(1.5, 4.0)
    np.testing.assert_allclose(normals, np.tile(expected, (len(points), 1)), atol=1e-5)
    assert points["x"].min() == pytest.approx(13.0 + 1.2, abs=0.3)
    assert not [one for one in lidar.fallbacks if one.kind == "object"]


def test_a_rule_without_fit_keeps_the_meshs_size_on_the_boxs_bottom(folder):
    rule = {"match": {"id": 2}, "mesh": "wedge.obj", "origin": "ground", "scale": 2.0}
    _, step = model(folder, [car()], objects=[rule])
    points = points_of(step, 2)
    height_m = points["z"] + 2.2  # the sensor is 2.2 m above the ground
    assert 0.0 <= height_m.min() < 0.1
    assert 1.9 < height_m.max() <= 2.0 + 1e-4
    assert np.abs(points["y"]).max() <= 1.0 + 1e-4


def test_a_model_reference_resolves_beside_the_trace(folder):
    trace_folder = folder / "traces"
    (trace_folder / "models").mkdir(parents=True)
    (folder / "wedge.obj").rename(trace_folder / "models" / "wedge.obj")
    thing = car(model_reference="/somebody/else/models/wedge.obj")
    lidar, step = model(folder, [thing], trace_folder=trace_folder)
    _, normals = slope_normals(step)
    assert (normals[:, 2] > 0.5).all()
    assert {each.visual_name for each in lidar.materials.unmapped} == {"Paint", "Slope"}


def test_all_objects_of_one_file_share_its_mesh(folder):
    things = [Thing(i, (15.0, 3.0 * i, 0.75)) for i in range(2, 9)]
    rule = {"match": {"type": "VEHICLE"}, "mesh": "wedge.obj"}
    lidar, _ = model(folder, things, objects=[rule], ground="none")
    counts = lidar.world.scene.counts
    assert (counts.meshes_built, counts.instances_added) == (1, 7)


def test_what_only_the_trace_names_falls_back_and_is_listed_once(folder):
    things = [Thing(2, (15.0, 6.0, 0.75), model_reference="ghost.gltf")]
    things += [Thing(i, (20.0, 3.0 * i, 0.75), model_reference="G70") for i in range(5, 8)]
    lidar, _ = model(folder, things, environment="../town/town.xoma")
    found = {(one.kind, one.name): one for one in lidar.fallbacks}
    assert found["environment", "../town/town.xoma"].used == "a ground plane"
    reasons = [one.reason for one in lidar.fallbacks if one.kind == "object"]
    assert any("ghost.gltf" in reason and "not found" in reason for reason in reasons)
    (keys,) = [one for one in lidar.fallbacks if "'G70' does not name a mesh file" in one.reason]
    assert keys.object_ids == [5, 6, 7]


def test_a_mesh_beside_the_trace_that_does_not_open_falls_back(folder):
    (folder / "broken.obj").write_text("v 0 0\nf 1 2 3\n")
    thing = car(model_reference="broken.obj")
    lidar, step = model(folder, [thing], trace_folder=folder)
    (one,) = [one for one in lidar.fallbacks if one.kind == "object"]
    assert "broken.obj" in one.reason
    assert len(points_of(step, 2)) > 50


def test_a_mesh_of_the_configuration_that_does_not_open_is_an_error(folder):
    (folder / "broken.obj").write_text("v 0 0\nf 1 2 3\n")
    rule = {"match": {"id": 2}, "mesh": "broken.obj"}
    with pytest.raises(MeshError, match=r"broken\.obj"):
        model(folder, [car()], objects=[rule])
    with pytest.raises(MeshError, match=r"broken\.obj"):
        LidarModel(load_config(_with_environment(folder, {"mesh": "broken.obj"})))


def _with_environment(folder, entry):
    path = folder / "environment.yaml"
    path.write_text(
        json.dumps({"sensors": [{"preset": "VLP-16"}], "scene": {"environment": [entry]}})
    )
    return path


def test_an_environment_takes_the_place_of_the_ground_plane(folder):
    path = _with_environment(folder, {"mesh": "wedge.obj", "scale": 3.0, "position_m": [8, 0, 0]})
    lidar = LidarModel(load_config(path))
    (frame,) = frames([[host()]])
    points = points_of(lidar.step(frame))
    assert len(points) > 20
    assert points["x"].min() > 6.0
    assert set(points["object_id"]) == {0xFFFFFFFF}


@pytest.mark.parametrize(("ground", "z_m"), [("auto", 0.0), (-1.0, -1.0), (0.25, 0.25)])
def test_the_ground_is_where_it_is_said_to_be(folder, ground, z_m):
    _, step = model(folder, [], ground=ground)
    np.testing.assert_allclose(points_of(step)["z"], z_m - 2.2, atol=1e-4)


def test_no_ground_leaves_only_objects(folder):
    _, step = model(folder, [car()], ground="none")
    assert set(points_of(step)["object_id"]) == {2}


def test_the_ground_goes_along_on_a_long_drive(folder):
    lidar, _ = model(folder, [])
    drive = frames([[host(x_m=float(x))] for x in range(0, 20_000, 900)])
    sizes = {len(points_of(lidar.step(frame))) for frame in drive}
    assert len(sizes) == 1


def test_the_ground_waits_for_the_first_frame_that_has_an_object(folder):
    lidar, _ = model(folder, [])
    lidar = LidarModel(lidar.config)
    high = [host(z_m=5.75), Thing(2, (15.0, 0.0, 5.75))]
    empty, filled = (lidar.step(frame) for frame in frames([[], high]))
    # at 0, seen from the world's origin
    np.testing.assert_allclose(points_of(empty)["z"], -1.9, atol=1e-4)
    ground = points_of(filled)[points_of(filled)["object_id"] == 0xFFFFFFFF]
    np.testing.assert_allclose(ground["z"], -2.2, atol=1e-4)


def test_what_is_not_drawn_does_not_decide_the_height_of_the_ground(folder, caplog):
    """A post of 0 x 0 m without a mesh is left out, also of the ground; with a mesh it counts."""
    post = Thing(3, (30.0, 5.0, -3.0), dimension_m=(0.0, 0.0, 1.0), kind="stationary_object")
    with caplog.at_level(logging.INFO, "osi_lidar.world"):
        lidar, step = model(folder, [post])
        lidar.step(replace(frames([[host()]])[0], time_ns=10**8))
    assert lidar.world.ground.z_m == 0.0
    np.testing.assert_allclose(points_of(step)["z"], -2.2, atol=1e-4)
    told = [line for line in caplog.messages if "ground plane" in line]
    assert told == ["ground plane at z = 0.00 m"]
    lidar, _ = model(folder, [post], objects=[{"match": {"id": 3}, "mesh": "wedge.obj"}])
    assert lidar.world.ground.z_m == -3.5


def test_host_decides_the_height_of_the_ground_although_it_is_not_drawn(folder):
    lidar, _ = model(folder, [Thing(3, (30.0, 5.0, 5.0))])
    assert lidar.world.ground.z_m == 0.0


def test_message_of_another_major_version_is_listed_once(folder):
    lidar, _ = model(folder, [])
    for number, version in enumerate([(4, 0, 1), (4, 0, 1), (3, 2, 0), None]):
        frame = frames([[host()]])[0]
        lidar.step(replace(frame, time_ns=number * 10**8, osi_version=version))
    (found,) = [one for one in lidar.fallbacks if one.name.startswith("of OSI")]
    assert (found.kind, found.name, found.times) == ("message", "of OSI 4.0.1", 2)


def test_an_environment_that_comes_later_takes_the_place_of_the_plane(folder):
    sensor_config = _with_environment(folder, {"mesh": "wedge.obj"})
    text = json.loads(sensor_config.read_text())
    del text["scene"]["environment"]
    sensor_config.write_text(json.dumps(text))
    lidar = LidarModel(load_config(sensor_config), trace_folder=folder)
    (first,) = frames([[host()]])
    (second,) = frames([[host()]], environment="wedge.obj")
    plane, wedge = (len(points_of(lidar.step(frame))) for frame in (first, second))
    assert plane > 1000
    assert wedge < 100


@pytest.mark.parametrize("roads", ["auto", True, False])
@pytest.mark.parametrize("lanes", [[0.0, 0.0], []], ids=["lanes", "none"])
def test_the_environment_is_the_one_that_was_named_last(folder, roads, lanes):
    """A message that names none changes nothing; one that cannot be found is none."""
    for name, x in (("near.obj", 6), ("far.obj", 9)):
        corners = [f"v {x} {y} {z}" for y, z in ((-2, 0), (2, 0), (2, 3), (-2, 3))]
        (folder / name).write_text("\n".join([*corners, "f 1 2 3 4", ""]))
    named = ["", "near.obj", "", "far.obj", "absent.obj", "far.obj"]
    pattern = raster(12, 12, elevation_deg=(-30, 4))
    sensor = {"name": "front", "pattern": pattern, "rolling_shutter": False}

    def points(*names):
        """Return the points of each message, by the name of its environment."""
        views = [message([host()], 0.1 * n, environment=name) for n, name in enumerate(names)]
        lidar = LidarModel(config(sensors=[sensor], scene={"roads": roads}), trace_folder=folder)
        frames_of_all = decoded([with_films(view, lanes) if lanes else view for view in views])
        return [points_of(lidar.step(frame)) for frame in frames_of_all]

    meant = [*accumulate(named, lambda last, name: name or last)]
    alone = {name: points(name)[0] for name in meant}
    assert len({each.tobytes() for each in alone.values()}) == 3  # a missing one is as none
    for found, name in zip(points(*named), meant, strict=True):
        np.testing.assert_allclose(xyz(found), xyz(alone[name]), rtol=1e-5, atol=1e-5)


@pytest.fixture
def strict(folder):
    """Return a model to which ``odd.obj`` is an error: its material is not mapped."""
    for name in ("first", "odd"):
        (folder / f"{name}.mtl").write_text(f"newmtl {name}\nKd 1 1 1\n")
        faces = f"mtllib {name}.mtl\nusemtl {name}\nf 1 2 3 4\n"
        (folder / f"{name}.obj").write_text("v 6 -2 0\nv 6 2 0\nv 6 2 3\nv 6 -2 3\n" + faces)
    rules = {"first": "lambertian_80", "ground": "asphalt_wet", "box": "lambertian_50"}
    (folder / "map.yaml").write_text(json.dumps({"materials": rules}))
    materials = {"mapping": str(folder / "map.yaml"), "default": None}
    return LidarModel(config(materials=materials), trace_folder=folder)


def test_an_environment_that_is_an_error_leaves_the_one_before(strict):
    names = enumerate(("first.obj", "odd.obj", "odd.obj"))
    first, odd, again = decoded([message([host()], 0.1 * n, environment=name) for n, name in names])
    seen = points_of(strict.step(first))
    with pytest.raises(ConfigurationError, match="odd"):
        strict.step(odd)
    assert len(points_of(strict.step(again))) == len(seen) > 0


def test_after_an_object_that_is_an_error_a_message_without_objects_has_none(strict):
    odd = Thing(3, (20.0, 0.0, 0.75), model_reference="odd.obj")
    worlds = [host(), car()], [host(), car(), odd], []
    first, second, empty = decoded([message(each, 0.1 * n) for n, each in enumerate(worlds)])
    strict.step(first)
    with pytest.raises(ConfigurationError, match="odd"):
        strict.step(second)
    strict.step(empty)
    assert not strict.world.objects.placed

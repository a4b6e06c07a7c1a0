# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects without a mesh become shapes of their types, each exactly as large as its OSI box."""

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject, StationaryObject
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficsign_pb2 import TrafficSign

from lidar_scenery.shapes.paints import PAINT_SHARES
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from osi_lidar.world.materials import material_resolver
from osi_lidar.world.world import World
from tests.builders.clouds import points_of
from tests.builders.messages import Thing, host, message
from tests.builders.weather import decoded
from tests.builders.worlds import config

VEHICLE = MovingObject.VehicleClassification.Type
STATIONARY = StationaryObject.Classification.Type
SIGN = TrafficSign.MainSign.Classification.Type
SIZE_M = (4.3, 1.7, 1.6)
PERSON_M, DOG_M = (0.6, 0.5, 1.7), (0.9, 0.3, 0.65)


def _put(item, base, size_m=SIZE_M, x_m=0.0):
    item.id.value = int(x_m)
    base.position.x = x_m
    base.dimension.length, base.dimension.width, base.dimension.height = size_m


def _world(truth, folder=None, **scene):
    chosen = config(scene={"host_visible": True, "shapes": "auto", **scene})
    world = World(chosen.scene, material_resolver(chosen), trace_folder=folder)
    return world, _update(world, truth)


def _update(world, truth):
    truth.timestamp.seconds = 0
    frame = FrameDecoder("GroundTruth").decode(truth.SerializeToString(), 0)
    world.update(frame)
    return {each.object_id: each for each in world.objects.listed}


def _cars(sizes_m, kind="TYPE_CAR"):
    truth = GroundTruth()
    for number, size_m in enumerate(sizes_m):
        car = truth.moving_object.add()
        _put(car, car.base, size_m, 10.0 * number)
        car.type = MovingObject.TYPE_VEHICLE
        car.vehicle_classification.type = VEHICLE.Value(kind)
    return truth


def _every_type():
    truth = GroundTruth()
    names = {}

    def note(name):
        names[10 * (len(names) + 1)] = name
        return 10.0 * len(names)

    for name in VEHICLE.keys():  # noqa: SIM118  an enumeration of protobuf is no mapping
        car = truth.moving_object.add()
        car.type = MovingObject.TYPE_VEHICLE
        car.vehicle_classification.type = VEHICLE.Value(name)
        _put(car, car.base, x_m=note(name))
    for kind, size_m in (
        (MovingObject.TYPE_PEDESTRIAN, PERSON_M),
        (MovingObject.TYPE_ANIMAL, DOG_M),
    ):
        being = truth.moving_object.add()
        being.type = kind
        _put(being, being.base, size_m, note(f"being {kind}"))
    for name in STATIONARY.keys():  # noqa: SIM118
        thing = truth.stationary_object.add()
        thing.classification.type = STATIONARY.Value(name)
        _put(thing, thing.base, x_m=note(name))
    for name in SIGN.keys():  # noqa: SIM118
        sign = truth.traffic_sign.add()
        sign.main_sign.classification.type = SIGN.Value(name)
        _put(sign, sign.main_sign.base, (0.05, 0.6, 2.6), note(name))
    light = truth.traffic_light.add()
    _put(light, light.base, (0.2, 0.3, 0.3), note("light"))
    return truth, names


@pytest.mark.long
def test_every_type_of_osi_has_a_shape_that_fills_its_box_to_1_mm():
    truth, names = _every_type()
    world, objects = _world(truth)
    assert set(objects) == set(names)
    assert not [names[i] for i, each in objects.items() if each.mesh.startswith("box")]
    for i, each in objects.items():
        wanted = (0.05, 0.6, 2.6) if i > 10 * (len(names) - 1 - len(SIGN.keys())) else None
        if names[i].startswith("being"):
            wanted = DOG_M
            if each.mesh.startswith("pedestrian"):  # who stands is as thick as people are
                wanted = each.size_m[0], *PERSON_M[1:]
        elif names[i] == "light":
            wanted = 0.2, 0.3, 0.3
        np.testing.assert_allclose(each.size_m, wanted or SIZE_M, atol=1e-3, err_msg=names[i])
    assert {each.used.split()[0] for each in world.fallbacks if each.kind == "object"} >= {
        "bus",
        "pedestrian",
        "animal",
        "tree",
        "light_bulb",
    }


def test_an_object_without_a_type_is_a_box_as_is_every_object_where_boxes_are_wanted():
    truth = _cars([SIZE_M])
    assert _world(truth, shapes="box")[1][0].mesh == "box 4.30 x 1.70 x 1.60 m"
    truth.moving_object[0].type = MovingObject.TYPE_OTHER
    truth.moving_object[0].ClearField("vehicle_classification")
    assert _world(truth)[1][0].mesh == "box 4.30 x 1.70 x 1.60 m"


def _people(*sizes_m):
    truth = GroundTruth()
    for number, size_m in enumerate(sizes_m):
        someone = truth.moving_object.add(type=MovingObject.TYPE_PEDESTRIAN)
        _put(someone, someone.base, size_m, 10.0 * number)
    return truth


@pytest.mark.parametrize(
    ("case", "fills"),
    [("whole", False), ("flat", True), ("broken mesh", True), ("stiff", True)],
)
def test_who_has_no_moving_parts_fills_the_box_in_one_piece(case, fills, tmp_path):
    size_m = (0.005, *PERSON_M[1:]) if case == "flat" else PERSON_M
    truth = _people(size_m)
    if case == "broken mesh":
        (tmp_path / "someone.obj").write_text("f 1 2 3\n", encoding="utf-8")
        truth.moving_object[0].model_reference = "someone.obj"
    articulation = "none" if case == "stiff" else "auto"
    world, objects = _world(truth, tmp_path, articulation=articulation)
    assert objects[0].mesh.startswith("pedestrian")
    wanted = np.maximum(size_m, 0.01)
    assert (abs(objects[0].size_m - wanted).max() < 1e-3) == fills  # parts stand in less depth
    assert any("someone.obj" in each.reason for each in world.fallbacks) == (case == "broken mesh")


def test_many_cars_of_six_sizes_are_six_meshes():
    sizes = [(4.0 + 0.1 * (number % 6), 1.8, 1.45) for number in range(120)]
    world, objects = _world(_cars(sizes))
    assert len(objects) == 120
    assert world.scene.counts.meshes_built == 7  # and the ground


def _paints(world):
    surfaces, names = world.surfaces, list(world.materials.entries)
    rows = [
        surfaces.material_of_row[surfaces.first_row_of_instance[placed.instance] :][:5000]
        for placed in world.objects.placed.values()
    ]
    return [next(names[i] for i in row if names[i].startswith("car_paint")) for row in rows]


def test_equal_cars_differ_in_their_paint_which_depends_on_seed_and_id_alone():
    truth = _cars([SIZE_M] * 30)
    world, _ = _world(truth)
    assert world.scene.counts.meshes_built == 2
    paints = _paints(world)
    assert len(set(paints)) > 3
    del truth.moving_object[0:10]
    assert _paints(_world(truth)[0]) == paints[10:]


def test_a_stated_color_decides_the_paint():
    truth = _cars([SIZE_M] * 3)
    for car, (red, green, blue) in zip(
        truth.moving_object, ((1, 0, 0), (0.05, 0.1, 0.7), (1, 1, 1)), strict=True
    ):
        color = car.color_description.rgb
        color.red, color.green, color.blue = red, green, blue
    assert _paints(_world(truth)[0]) == ["car_paint_red", "car_paint_blue", "car_paint_white"]
    assert {"Paint_Red", "Paint_Blue", "Paint_White"} <= set(PAINT_SHARES)


@pytest.mark.parametrize("way_m", [0.0, 0.5])
def test_another_color_counts_once_a_car_begins_to_move(way_m):
    model, paints = LidarModel(config(scene={"shapes": "auto"})), []
    for frame in _painted(way_m):
        step = model.step(frame)
        seen = {step.materials[row] for row in points_of(step)["material_id"]}
        paints += [name for name in seen if name.startswith("car_paint")]
    assert paints == ["car_paint_red", "car_paint_blue" if way_m else "car_paint_red"]


def _painted(way_m):
    """Return two frames of a car that is red, then blue, and has gone this far."""
    messages = []
    for number in range(2):
        view = SensorView.FromString(
            message([host(), Thing(2, (12.0 + way_m * number, 2.0, 0.75))], 0.1 * number)
        )
        color = view.global_ground_truth.moving_object[1].color_description.rgb
        color.red, color.blue = 1.0 - number, float(number)
        messages.append(view.SerializeToString())
    return decoded(messages)


def test_materials_of_a_rule_take_precedence_over_those_of_a_shape():
    rule = {"match": {"subtype": "CAR"}, "materials": {"Paint_*": "lambertian_80"}}
    world, _ = _world(_cars([SIZE_M]), objects=[rule])
    assert {r.material for r in world.materials.resolved if r.visual_name != "Paint"} >= {
        "lambertian_80",
        "rubber_tyre",
    }


@pytest.mark.parametrize("size_m", [(0.02, 0.02, 0.02), (9000.0, 3.0, 1.5), (30.0, 0.011, 40.0)])
def test_absurd_sizes_are_filled_all_the_same(size_m):
    _, objects = _world(_cars([size_m, size_m], "TYPE_BUS"))
    np.testing.assert_allclose(objects[10].size_m, size_m, rtol=1e-6, atol=1e-3)

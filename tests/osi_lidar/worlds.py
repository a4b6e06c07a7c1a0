# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small OSI worlds for the tests of the model."""

from dataclasses import dataclass

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from osi_lidar.config import Config

HOST_ID = 1


@dataclass
class Thing:
    """An object of a test world; positions are those of the box's centre."""

    object_id: int
    position_m: tuple
    yaw_rad: float = 0.0
    dimension_m: tuple = (4.0, 2.0, 1.5)
    kind: str = "moving_object"
    model_reference: str = ""


def host(x_m=0.0, y_m=0.0, z_m=0.75, **changes):
    """Return a host vehicle whose rear axle is at (x - 1.2, y, z - 0.45)."""
    return Thing(HOST_ID, (x_m, y_m, z_m), **changes)


def message(things, time_s=0.0, host_id=HOST_ID, environment=""):
    """Return a serialised SensorView of these things."""
    view = SensorView()
    for part in (view, view.global_ground_truth):
        part.timestamp.seconds = int(time_s)
        part.timestamp.nanos = round(1e9 * (time_s % 1.0))
    view.sensor_id.value = 7
    truth = view.global_ground_truth
    truth.model_reference = environment
    if host_id is not None:
        view.host_vehicle_id.value = host_id
    for thing in things:
        one = getattr(truth, thing.kind).add()
        one.id.value = thing.object_id
        body = one.main_sign if thing.kind == "traffic_sign" else one
        base = body.base
        base.position.x, base.position.y, base.position.z = thing.position_m
        base.orientation.yaw = thing.yaw_rad
        dimension = base.dimension
        dimension.length, dimension.width, dimension.height = thing.dimension_m
        body.model_reference = thing.model_reference
        if thing.kind == "moving_object":
            one.type = 2  # TYPE_VEHICLE
            one.vehicle_classification.type = 4
    return view.SerializeToString()


def ground_truth(view):
    """Return the GroundTruth inside a serialised SensorView, serialised."""
    truth = GroundTruth()
    truth.CopyFrom(SensorView.FromString(view).global_ground_truth)
    return truth.SerializeToString()


def frames(worlds, step_s=0.1, **options):
    """Return decoded frames, one per list of things."""
    decoder = FrameDecoder("SensorView")
    return [
        decoder.decode(message(things, time_s=step_s * index, **options), index)
        for index, things in enumerate(worlds)
    ]


def config(**sections):
    """Return a configuration: a small grid over the front, no range limit, unless told."""
    sensor = {
        "name": "front",
        "pattern": {
            "kind": "grid",
            "horizontal": {"min_deg": -45, "max_deg": 45, "step_deg": 0.5},
            "vertical": {"min_deg": -15, "max_deg": 15, "step_deg": 1.0},
        },
    }
    return Config.model_validate({"sensors": [sensor], **sections})


def steps(worlds, configuration=None, **options):
    """Run a model over worlds; return it and its steps."""
    model = LidarModel(configuration or config())
    return model, [model.step(frame) for frame in frames(worlds, **options)]


def points_of(step, object_id=None, sensor=0):
    """Return the points of a step, of one object if asked."""
    cloud = step.scans[sensor].cloud
    chosen = slice(None) if object_id is None else cloud.object_id == np.uint64(object_id)
    return cloud.points[chosen]


def xyz(points):
    """Return coordinates as float64 (n, 3)."""
    return np.stack([points[axis].astype(float) for axis in "xyz"], axis=1)


def instant(a_config):
    """Return a configuration whose sensors see a message as one instant."""
    still = {"rolling_shutter": False, "motion_blur": False}
    sensors = tuple(sensor.model_copy(update=still) for sensor in a_config.sensors)
    return a_config.model_copy(update={"sensors": sensors})

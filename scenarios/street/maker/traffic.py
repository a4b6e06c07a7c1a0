# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The traffic of the scenario, as an OSI SensorView trace."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView
from osi3.osi_trafficsign_pb2 import TrafficSign

from .people import DIMENSION_M as PEDESTRIAN_M
from .signs import SIGNS
from .town import CROSSING_M, PAVEMENT_M
from .vehicles import CAR, VAN, Bodywork

N_FRAMES = 60
STEP_NS = 100_000_000
START_FRAME, STOP_FRAME = 9, 50  # nothing moves up to the first and from the second on
RAMP_S = 1.4  # time to speed up, and to slow down
OSI_VERSION = (3, 8, 0)
PROTOBUF_NAME = (
    "7362"  # the release that wrote the committed trace; later ones write the same bytes
)
TRACE_NAME = f"20260101T000000Z_sv_380_{PROTOBUF_NAME}_{N_FRAMES}_street.osi"

HOST_ID, ONCOMING_ID, VAN_ID, PEDESTRIAN_ID, FIRST_SIGN_ID = 1, 2, 3, 4, 10
Place = tuple[float, float, float]
SignPlace = tuple[str, float, float, float]  # name, x, y, yaw
SIGN_PLACES: Sequence[SignPlace] = (  # they face the traffic
    ("sign_crossing", CROSSING_M[0] - 0.6, -4.2, np.pi),
    ("sign_crossing", CROSSING_M[1] + 0.6, 4.2, 0.0),
    ("sign_speed_30", -34.0, -4.2, np.pi),
    ("sign_speed_30", 38.0, 4.2, 0.0),
    ("sign_give_way", 57.5, -4.2, np.pi),
    ("sign_give_way", -57.5, 4.2, 0.0),
)
SIGN_TYPES = {
    "sign_crossing": "TYPE_ZEBRA_CROSSING",
    "sign_speed_30": "TYPE_SPEED_LIMIT_BEGIN",
    "sign_give_way": "TYPE_GIVE_WAY",
}


@dataclass(frozen=True, kw_only=True)
class Walk:
    """A straight motion: at rest, accelerating, at constant speed, braking, at rest again."""

    start_m: Place  # on the ground
    yaw_rad: float
    length_m: float

    def at(self, frame: int) -> tuple[Place, float, float]:
        """Return position [m], speed [m/s] and acceleration [m/s^2] along the path in a frame."""
        duration = (STOP_FRAME - START_FRAME) * STEP_NS * 1e-9
        t = float(np.clip((frame - START_FRAME) * STEP_NS * 1e-9, 0.0, duration))
        top = self.length_m / (duration - RAMP_S)
        rate = top / RAMP_S
        moving = START_FRAME < frame < STOP_FRAME
        if t < RAMP_S:
            way, speed, acceleration = rate * t * t / 2, rate * t, rate
        elif t <= duration - RAMP_S:
            way, speed, acceleration = top * (t - RAMP_S / 2), top, 0.0
        else:
            left = duration - t
            way, speed, acceleration = self.length_m - rate * left * left / 2, rate * left, -rate
        x, y, z = self.start_m
        c, s = round(float(np.cos(self.yaw_rad)), 12), round(float(np.sin(self.yaw_rad)), 12)
        place = (round(x + c * way, 6), round(y + s * way, 6), z)
        return place, round(speed * moving, 6), round(acceleration * moving, 6)


HOST = Walk(start_m=(-17.5, -1.75, 0.0), yaw_rad=0.0, length_m=15.5)
ONCOMING = Walk(start_m=(9.0, 1.75, 0.0), yaw_rad=float(np.pi), length_m=18.5)
PARKED = Walk(start_m=(17.0, -4.6, 0.0), yaw_rad=0.0, length_m=0.0)
PEDESTRIAN = Walk(start_m=(-2.6, -6.7, PAVEMENT_M), yaw_rad=0.0, length_m=4.0)


def trace_bytes() -> bytes:
    """Return the whole trace: each message after its length (4 bytes, little endian)."""
    messages = (sensor_view(n).SerializeToString(deterministic=True) for n in range(N_FRAMES))
    return b"".join(struct.pack("<I", len(m)) + m for m in messages)


def sensor_view(frame: int) -> SensorView:
    """Return one message; the traffic signs are only in the first."""
    view, time_ns = SensorView(), (frame + 1) * STEP_NS
    truth: GroundTruth = view.global_ground_truth
    for message in (view, truth):
        version = message.version
        version.version_major, version.version_minor, version.version_patch = OSI_VERSION
        message.timestamp.seconds, message.timestamp.nanos = divmod(time_ns, 1_000_000_000)
        message.host_vehicle_id.value = HOST_ID
    view.sensor_id.value = 0
    mounting = view.mounting_position  # of the virtual sensor: the host vehicle frame itself
    mounting.position.x = mounting.position.y = mounting.position.z = 0.0
    mounting.orientation.roll = mounting.orientation.pitch = mounting.orientation.yaw = 0.0
    truth.country_code = 276
    for object_id, walk, shape, name, kind in (
        (HOST_ID, HOST, CAR, "car", "TYPE_MEDIUM_CAR"),
        (ONCOMING_ID, ONCOMING, CAR, "car", "TYPE_MEDIUM_CAR"),
        (VAN_ID, PARKED, VAN, "van", "TYPE_DELIVERY_VAN"),
    ):
        item = _moving(truth, object_id, walk, shape.size_m, frame)
        _as_vehicle(item, shape, kind)
        item.model_reference = f"{name}.obj"
    person = _moving(truth, PEDESTRIAN_ID, PEDESTRIAN, PEDESTRIAN_M, frame)
    person.type = MovingObject.TYPE_PEDESTRIAN
    person.model_reference = "pedestrian.obj"
    if frame == 0:
        for number, place in enumerate(SIGN_PLACES):
            _add_sign(truth, FIRST_SIGN_ID + number, place)
    return view


def _moving(
    truth: GroundTruth, object_id: int, walk: Walk, dimension_m: Place, frame: int
) -> MovingObject:
    """Add a moving object; its OSI position is the centre of its bounding box."""
    item = truth.moving_object.add()
    item.id.value = object_id
    (x, y, z), speed, acceleration = walk.at(frame)
    c, s = round(float(np.cos(walk.yaw_rad)), 12), round(float(np.sin(walk.yaw_rad)), 12)
    base = item.base
    base.position.x, base.position.y, base.position.z = x, y, round(z + dimension_m[2] / 2, 6)
    base.orientation.roll, base.orientation.pitch = 0.0, 0.0
    base.orientation.yaw = walk.yaw_rad
    base.dimension.length, base.dimension.width, base.dimension.height = dimension_m
    for vector, value in ((base.velocity, speed), (base.acceleration, acceleration)):
        vector.x, vector.y, vector.z = c * value + 0.0, s * value + 0.0, 0.0  # never -0.0
    base.orientation_rate.roll = base.orientation_rate.pitch = base.orientation_rate.yaw = 0.0
    return item


def _as_vehicle(item: MovingObject, shape: Bodywork, kind: str) -> None:
    item.type = MovingObject.TYPE_VEHICLE
    item.vehicle_classification.type = MovingObject.VehicleClassification.Type.Value(kind)
    wheel, (rear, front) = item.vehicle_attributes, shape.axles
    wheel.number_wheels, wheel.radius_wheel = 4, rear.radius_m
    wheel.ground_clearance = shape.sill_m
    height = round(rear.radius_m - shape.size_m[2] / 2, 6)
    for axle, x in ((wheel.bbcenter_to_rear, rear.x_m), (wheel.bbcenter_to_front, front.x_m)):
        axle.x, axle.y, axle.z = x, 0.0, height


def _add_sign(truth: GroundTruth, sign_id: int, sign_place: SignPlace) -> None:
    name, x, y, yaw = sign_place
    sign = truth.traffic_sign.add()
    sign.id.value = sign_id
    main, dimension = sign.main_sign, SIGNS[name].dimension_m
    base, kind = main.base, main.classification
    base.position.x, base.position.y = round(x, 6), y
    base.position.z = round(PAVEMENT_M + dimension[2] / 2, 6)
    base.orientation.roll, base.orientation.pitch, base.orientation.yaw = 0.0, 0.0, yaw
    base.dimension.length, base.dimension.width, base.dimension.height = dimension
    kind.variability = TrafficSign.VARIABILITY_FIXED
    kind.type = TrafficSign.MainSign.Classification.Type.Value(SIGN_TYPES[name])
    if name == "sign_speed_30":
        kind.value.value = 30
        kind.value.value_unit = 2  # UNIT_KILOMETER_PER_HOUR
    main.model_reference = f"{name}.obj"

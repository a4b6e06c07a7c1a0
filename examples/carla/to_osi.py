# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Turn recorded snapshots of CARLA into a trace of OSI GroundTruth.

    python examples/carla/to_osi.py drive.jsonl drive.osi

CARLA is left-handed: x forward, y to the right, z up, angles in degrees. OSI is right-handed: y to
the left, angles in radians. So y, pitch and yaw change sign, and roll does not [1]_ [2]_. The
result is the frame of CARLA's OpenDRIVE maps. Velocities are converted like positions. A bounding
box has half edges, and a pose in the frame of its actor; boxes of the level are in the world frame.

.. [1] https://carla.readthedocs.io/en/latest/coordinates/
.. [2] https://carla.org/Doxygen/html/d6/d29/structcarla_1_1geom_1_1RightHandedRotation.html
.. [3] https://github.com/carla-simulator/carla/issues/3670
"""

import json
import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from osi3.osi_common_pb2 import BaseMoving, BaseStationary
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject, StationaryObject

from osi_bridge import framed, rotation_from_orientation

Json: TypeAlias = Mapping[str, "Json"] | list["Json"] | str | float | bool | None
Pose: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

FORMAT = "osi-lidar CARLA snapshots 1"
VEHICLES = {
    "car": "TYPE_CAR",
    "van": "TYPE_DELIVERY_VAN",
    "truck": "TYPE_HEAVY_TRUCK",
    "bus": "TYPE_BUS",
    "motorcycle": "TYPE_MOTORBIKE",
    "bicycle": "TYPE_BICYCLE",
}
"""OSI's types of vehicles, by CARLA's attribute base_type."""
LEVEL = {
    "Buildings": "TYPE_BUILDING",
    "Walls": "TYPE_WALL",
    "Fences": "TYPE_BARRIER",
    "GuardRail": "TYPE_BARRIER",
    "Poles": "TYPE_POLE",
    "TrafficLight": "TYPE_POLE",
    "TrafficSigns": "TYPE_POLE",
    "Vegetation": "TYPE_VEGETATION",
    "Bridge": "TYPE_BRIDGE",
    "Static": "TYPE_OTHER",
    "Dynamic": "TYPE_OTHER",
    "Other": "TYPE_OTHER",
}
"""OSI's types of stationary objects, by CARLA's labels; objects of other labels are left out."""
BIKE_M = (1.6, 0.7)
"""Length and width for boxes without any, as two-wheelers have until CARLA 0.9.14 [3]_. [m]"""
WHEELBASE_M = (0.5, 20.0)


class SnapshotError(Exception):
    """A line of a recording is not a valid snapshot.

    Parameters
    ----------
    place : str
        File and line.
    problem : str
        What is wrong.
    """

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")


def position_m(xyz: list[float]) -> NDArray[np.float64]:
    """Return a vector of CARLA in OSI's axes: y changes sign."""
    return np.array((xyz[0], -xyz[1], xyz[2]))


def turn_of(rotation: Mapping[str, float]) -> NDArray[np.float64]:
    """Return a rotation of CARLA [deg] as a matrix (3, 3): pitch and yaw change sign."""
    roll, pitch, yaw = (math.radians(rotation[each]) for each in ("roll", "pitch", "yaw"))
    return rotation_from_orientation((roll, -pitch, -yaw))


def pose_of(part: Json) -> Pose:
    """Return position [m] and rotation matrix of a transform, or of a box in its actor's frame."""
    return position_m(part["location"]), turn_of(part["rotation"])


def within(outer: Pose, inner: Pose) -> Pose:
    """Return a pose in the outer frame, given the pose ``inner`` in the frame of ``outer``."""
    return outer[0] + outer[1] @ inner[0], outer[1] @ inner[1]


def fill(base: BaseMoving | BaseStationary, pose: Pose, box: Json) -> None:
    """Write the position, orientation and dimension of a box to an OSI object."""
    (x, y, z), turn = pose
    base.position.x, base.position.y, base.position.z = x, y, z
    base.orientation.roll = math.atan2(turn[2, 1], turn[2, 2])
    base.orientation.pitch = -math.asin(max(-1.0, min(1.0, turn[2, 0])))
    base.orientation.yaw = math.atan2(turn[1, 0], turn[0, 0])
    length, width, height = (2.0 * each for each in box["extent"])
    size = base.dimension
    size.length, size.width, size.height = length or BIKE_M[0], width or BIKE_M[1], height


def add_moving(truth: GroundTruth, actor: Json) -> None:
    """Add a vehicle or a pedestrian to a message."""
    one = truth.moving_object.add()
    one.id.value = actor["id"]
    fill(one.base, within(pose_of(actor["transform"]), pose_of(actor["box"])), actor["box"])
    speed = one.base.velocity
    speed.x, speed.y, speed.z = position_m(actor["velocity"])
    if actor["type_id"].startswith("walker."):
        one.type = MovingObject.TYPE_PEDESTRIAN
        return
    one.type = MovingObject.TYPE_VEHICLE
    name = VEHICLES.get(actor.get("base_type", ""), "TYPE_CAR")
    one.vehicle_classification.type = MovingObject.VehicleClassification.Type.Value(name)


def add_stationary(truth: GroundTruth, object_id: int, pose: Pose, box: Json, name: str) -> None:
    """Add a stationary object to a message; ``name`` is its type in OSI."""
    one = truth.stationary_object.add()
    one.id.value = object_id
    fill(one.base, pose, box)
    one.classification.type = StationaryObject.Classification.Type.Value(name)


def rear_axle_m(wheels: list[list[float]], transform: Json) -> NDArray[np.float64] | None:
    """Return the mean of the rear-most wheels in the frame of the actor [m], None if unknown.

    CARLA 0.9 states the positions of wheels in the world, in centimetres. The unit, centimetres or
    metres, is the one that gives a plausible wheelbase. CARLA 0.10 states 0 for all wheels: then
    the axle is unknown.
    """
    origin_m, turn = pose_of(transform)
    for scale in (0.01, 1.0):
        places = np.array([position_m(each) * scale for each in wheels]).reshape(-1, 3)
        own = (places - origin_m) @ turn
        length_m = float(np.ptp(own[:, 0])) if len(own) else 0.0
        if WHEELBASE_M[0] <= length_m <= WHEELBASE_M[1]:
            rear = own[:, 0] <= own[:, 0].min() + 0.1
            return np.asarray(own[rear].mean(axis=0))
    return None


def ground_truth(head: Json, snapshot: Json) -> GroundTruth:
    """Return a snapshot as OSI GroundTruth.

    Parameters
    ----------
    head : dict
        The first line of a recording.
    snapshot : dict
        One of the further lines.
    """
    truth = GroundTruth()
    time_ns = round(1e9 * snapshot["elapsed_s"])
    truth.timestamp.seconds, truth.timestamp.nanos = divmod(time_ns, 1_000_000_000)
    truth.host_vehicle_id.value = head["host"]
    for actor in snapshot["actors"]:
        kind = actor["type_id"].partition(".")[0]
        if kind in {"vehicle", "walker"}:
            add_moving(truth, actor)
        elif kind == "static":
            pose = within(pose_of(actor["transform"]), pose_of(actor["box"]))
            add_stationary(truth, actor["id"], pose, actor["box"], "TYPE_OTHER")
        if actor["id"] == head["host"] and "wheels" in actor:
            state_axle(truth.moving_object[-1], actor)
    for each in head["level"]:
        if each["label"] in LEVEL:
            box = each["box"]
            add_stationary(truth, each["id"], pose_of(box), box, LEVEL[each["label"]])
    return truth


def state_axle(host: MovingObject, actor: Json) -> None:
    """Write the position of the host's rear axle, which is the origin of mountings in OSI."""
    axle_m = rear_axle_m(actor["wheels"], actor["transform"])
    if axle_m is not None:
        place, turn = pose_of(actor["box"])
        of_box = host.vehicle_attributes.bbcenter_to_rear
        of_box.x, of_box.y, of_box.z = turn.T @ (axle_m - place)


def read(file: Path) -> Iterator[GroundTruth]:
    """Yield the messages of a recording, or raise SnapshotError."""
    head: Json = None
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            place = f"{file}, line {number}"
            try:
                part = json.loads(line)
                if head is None:
                    head = part
                    if head.get("format") != FORMAT:
                        raise SnapshotError(place, f"expected the format {FORMAT!r}")
                    continue
                yield ground_truth(head, part)
            except (ArithmeticError, ValueError, LookupError, TypeError, AttributeError) as error:
                problem = f"no snapshot of CARLA ({type(error).__name__}: {error})"
                raise SnapshotError(place, problem) from error
    if head is None:
        raise SnapshotError(str(file), "is empty")


def main(recording: str, trace: str) -> None:
    """Write the trace of a recording."""
    messages = [each.SerializeToString() for each in read(Path(recording))]
    Path(trace).write_bytes(b"".join(framed(each) for each in messages))
    print(f"{trace}: {len(messages)} messages")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except (OSError, SnapshotError) as problem:
        sys.exit(str(problem))
    except TypeError:
        sys.exit(__doc__)

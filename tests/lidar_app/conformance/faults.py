# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Eleven faults of a sensor model, each as a change of what it is told or of what it says."""

import math
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

from lidar_app.conformance.asking import Question
from lidar_app.conformance.scenes import SCENES

EVERY = frozenset(each.name for each in SCENES)
EXACT = {"wall", "tilted_wall", "plates_by_range", "grazing_road", "sphere"}
"""Scenes that ask for the accuracy of ranges."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A fault, the scenes that must find it, and those that may.

    Attributes
    ----------
    answer, question : callable, optional
        Change SensorData or SensorView in place.
    config : dict
        Keys of the sensor that make the fault.
    late : bool
        Whether each answer is that to the message before.
    found_by, may_find : set of str
        Scenes that fail, and more that may.
    """

    found_by: set
    may_find: set = field(default_factory=set)
    answer: object = None
    question: object = None
    config: dict = field(default_factory=dict)
    late: bool = False

    def questions(self, questions):
        """Return what the faulty model hears."""
        if self.question is None:
            return questions
        return [
            Question(each.time_ns, _changed(SensorView, each.data, self.question))
            for each in questions
        ]

    def answers(self, answers):
        """Return what it says."""
        if self.late:
            return [answers[0], *answers[:-1]]
        if self.answer is None:
            return answers
        return [each and _changed(SensorData, each, self.answer) for each in answers]


def _changed(kind, data, change):
    try:
        message = kind.FromString(data)
    except DecodeError:
        return data
    change(message)
    return message.SerializeToString()


def _detections(message):
    return (each for sensor in message.feature_data.lidar_sensor for each in sensor.detection)


def _degrees(message):
    for each in _detections(message):
        each.position.azimuth = math.degrees(each.position.azimuth)
        each.position.elevation = math.degrees(each.position.elevation)


def _flipped(message):
    for each in _detections(message):
        each.position.azimuth = -each.position.azimuth


def _wrong_ids(message):
    for each in _detections(message):
        each.object_id.value = (each.object_id.value + 1) % 2**64


def _longer(message):
    for each in _detections(message):
        each.position.distance += 0.02


def _receding(message):
    for each in _detections(message):
        each.radial_velocity = -each.radial_velocity


def _flat(message):
    for each in _detections(message):
        each.intensity = 50.0


def _doubled(message):
    for sensor in message.feature_data.lidar_sensor:
        sensor.detection.extend([*sensor.detection])
        sensor.header.number_of_valid_detections *= 2


def _no_axle(message):
    for each in message.global_ground_truth.moving_object:
        each.vehicle_attributes.ClearField("bbcenter_to_rear")


def _claimed_mounting(message):
    for sensor in message.feature_data.lidar_sensor:
        place, turn = (
            sensor.header.mounting_position.position,
            sensor.header.mounting_position.orientation,
        )
        place.x, place.y, place.z = 1.5, 0.3, 1.6
        turn.roll, turn.pitch, turn.yaw = (math.radians(each) for each in (1.0, 2.0, 5.0))


INTENSITY = {"intensity_by_range", "intensity_by_incidence"}
FAULTS = {
    "degrees for radians": Fault(
        answer=_degrees, found_by={"fields", "tunnel", "wall", "mounting"}, may_find=set(EVERY)
    ),
    "y flipped": Fault(
        answer=_flipped,
        found_by={"mounting", "object_ids", "step_edge", "occlusion"},
        may_find=EVERY - {"fields", "repeated", "beyond_range"},
    ),
    "scan not skewed": Fault(
        config={"rolling_shutter": False, "motion_blur": False},
        found_by={"mover", "crossing", "driving_host", "turning_host"},
        may_find={"irregular_times", "late_message", "radial_velocity"},
    ),
    "stale message": Fault(
        late=True,
        found_by={"mover", "crossing", "driving_host", "turning_host", "fields"},
        may_find={"irregular_times", "late_message", "radial_velocity"},
    ),
    "wrong ids": Fault(
        answer=_wrong_ids,
        found_by={"object_ids"},
    ),
    "range + 2 cm": Fault(
        answer=_longer,
        found_by={"wall", "tilted_wall"},
        may_find=EXACT,
    ),
    "velocities away from the sensor": Fault(answer=_receding, found_by={"radial_velocity"}),
    "intensity without incidence": Fault(
        answer=_flat,
        found_by={"intensity_by_incidence", "known_targets", "retroreflector"},
    ),
    "mounting ignored": Fault(
        config={"mounting": {"x_m": 0.0, "y_m": 0.0, "z_m": 0.0}},
        answer=_claimed_mounting,
        found_by={"mounting", "host_attitude", "wall"},
        may_find=EVERY - {"fields", "repeated", "beyond_range"},
    ),
    "rear axle ignored": Fault(
        question=_no_axle,
        found_by={"rear_axle"},
    ),
    "beams doubled": Fault(
        answer=_doubled,
        found_by={"wall", "tunnel", "poles", "two_in_a_beam"},
        may_find=EVERY - {"fields", "repeated", "beyond_range", *INTENSITY},
    ),
}

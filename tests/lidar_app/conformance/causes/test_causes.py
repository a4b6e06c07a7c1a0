# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The causes of faults are named, each once for all the scenes that share it."""

import copy
import math

import numpy as np
import pytest

from lidar_app.conformance.bench import chosen, run_bench
from lidar_app.conformance.causes import causes_of
from lidar_app.conformance.causes.evidence import directions_of
from lidar_app.conformance.oracle import unit_vectors
from osi_bridge import rotation_from_orientation
from tests.lidar_app.conformance.faults import FAULTS, Fault
from tests.lidar_app.conformance.recorded import Recorded
from tests.lidar_app.conformance.test_faults import subject_with

SEEDED = {
    "degrees for radians": "angles are in degrees",
    "y flipped": "the y axis is mirrored",
    "scan not skewed": "the scan takes no time",
    "stale message": "each answer is that to the message before",
    "wrong ids": "object ids are +1 from the ids of the objects",
    "range + 2 cm": "all ranges are 0.020 m too long",
    "velocities away from the sensor": "radial velocities have the other sign",
    "intensity without incidence": "all detections have the same intensity, 50 %",
    "mounting ignored": "the mounting is not applied",
    "rear axle ignored": "bbcenter_to_rear of the message is not followed",
    "beams doubled": "each detection comes 2 times",
}
PLACED = ("wall", "step_edge", "poles", "mounting", "host_attitude")
DRAW = np.random.default_rng(5)


def causes(subject, sheet, names):
    """Return the causes of what fails in these scenes."""
    return causes_of(run_bench(subject, sheet, chosen(names)))


def of_answers(change, replied, sheet, names=PLACED):
    """Return the causes that are named if a function changes all answers."""
    fault = Fault(answer=change, found_by=set())
    return causes(Recorded(replied, fault.answers), sheet, names)


def detections(message):
    return (each for sensor in message.feature_data.lidar_sensor for each in sensor.detection)


def moved(change):
    """Return a fault that changes the places (x, y, z) of detections, float64 (n, 3)."""

    def fault(message):
        places = [each.position for each in detections(message)]
        told = np.array([(each.azimuth, each.elevation, each.distance) for each in places])
        came_m = change(unit_vectors(*told.T[:2]) * told[:, 2:])
        for each, azimuth, elevation, distance in zip(places, *directions_of(came_m), strict=True):
            each.azimuth, each.elevation, each.distance = azimuth, elevation, distance

    return fault


def kept(is_kept):
    """Return a fault that drops detections, by their number and themselves."""

    def fault(message):
        for sensor in message.feature_data.lidar_sensor:
            rest = [copy.deepcopy(e) for n, e in enumerate(sensor.detection) if is_kept(n, e)]
            del sensor.detection[:]
            sensor.detection.extend(rest)
            sensor.header.number_of_valid_detections = len(rest)

    return fault


def both(*faults):
    def fault(message):
        for each in faults:
            each(message)

    return fault


@pytest.mark.parametrize("name", FAULTS)
def test_the_cause_of_each_seeded_fault_comes_first(name, replied, sheet, tmp_path):
    fault = FAULTS[name]
    told = causes(subject_with(fault, replied, tmp_path), sheet, {"wall", *fault.found_by})
    assert told[0].text.startswith(SEEDED[name]) or SEEDED[name] in told[0].text, told


SHIFT_M = np.array((1.36, 0.0, 0.0))
TURN = rotation_from_orientation((0.0, 0.0, math.radians(2.0)))
PITCH = rotation_from_orientation((0.0, math.radians(-3.0), 0.0))
OWN = rotation_from_orientation([math.radians(each) for each in (1.0, 2.0, 5.0)])
THIRD = kept(lambda n, _: n % 3 == 0)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (moved(lambda p: p + SHIFT_M), "shifted by (+1.36, +0.00, +0.00) m"),
        (both(moved(lambda p: p + SHIFT_M), THIRD), "shifted by (+1.36, +0.00, +0.00) m"),
        (moved(lambda p: p + SHIFT_M + DRAW.normal(0.0, 0.02, p.shape)), "shifted by (+1.3"),
        (moved(lambda p: p @ TURN.T), "turned by +2.00 deg about the vertical axis"),
        (moved(lambda p: p @ PITCH.T), "turned by roll +0.00, pitch -3.00, yaw +0.00 deg"),
        (moved(lambda p: 1000.0 * p), "ranges are in millimetres"),
        (moved(lambda p: 1.03 * p), "all ranges are 1.03 times as large"),
        (moved(lambda p: p[:, [1, 0, 2]]), "the x and the y axis are swapped"),
        (moved(lambda p: p * (1.0, 1.0, -1.0)), "the z axis is mirrored"),
        (moved(lambda p: p @ OWN.T + (1.5, 0.3, 1.6)), "positions are in the frame of the vehicle"),
        (moved(lambda p: p * DRAW.normal(1.0, 0.004, (len(p), 1))), "ranges scatter by 0.0"),
    ],
    ids=[
        "shift", "shift of a third of the beams", "shift in noise", "yaw", "pitch", "millimetres",
        "scale", "swapped axes", "elevations down", "vehicle frame", "noise",
    ],
)  # fmt: skip
def test_one_cause_is_named_for_all_scenes(change, words, replied, sheet):
    told = of_answers(change, replied, sheet)
    assert words in told[0].text, told
    assert len(told[0].scenes) >= len(PLACED) - 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (THIRD, "67% of the beams that meet a surface have no detection"),
        (
            kept(lambda _, e: e.position.elevation < math.radians(8.0)),
            "4 rows of beams have no detection: elevations 9, 11, 13, 15 deg",
        ),
        (
            kept(lambda _, e: not 0.2 < e.position.azimuth < 0.4),
            "no beam has a detection at azimuths from 1",
        ),
        (kept(lambda n, _: n < 600), "an answer has at most 600 detections"),
    ],
)
def test_beams_without_a_detection_are_named(change, words, replied, sheet):
    assert words in of_answers(change, replied, sheet)[0].text


def _no_version(message):
    message.ClearField("version")


def _ahead(message):
    message.timestamp.seconds += 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_no_version, "answers state no version of OSI"),
        (_ahead, "timestamp is 1.000 s after its message"),
    ],
)
def test_fields_are_named(change, words, replied, sheet):
    assert words in of_answers(change, replied, sheet, ["fields", "wall"])[0].text


def _behind(message):
    """Put moving things where they were 37 ms before."""
    for each in message.global_ground_truth.moving_object:
        if each.id.value != 1:
            each.base.position.x -= 0.037 * each.base.velocity.x
            each.base.position.y -= 0.037 * each.base.velocity.y


def _ahead_of_time(message):
    """Put moving things where they will be 100 ms later."""
    for each in message.global_ground_truth.moving_object:
        if each.id.value != 1:
            each.base.position.x += 0.1 * each.base.velocity.x
            each.base.position.y += 0.1 * each.base.velocity.y


def _unturned(message):
    for each in message.global_ground_truth.stationary_object:
        each.base.orientation.yaw = 0.0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (
            Fault(question=_behind, found_by={"mover", "crossing"}),
            "is 0.037 s older than its message",
        ),
        (
            Fault(question=_unturned, found_by={"wall", "tilted_wall"}),
            "the orientation of objects is not applied",
        ),
    ],
)
def test_a_world_that_is_misread_is_named(fault, words, replied, sheet, tmp_path):
    told = causes(subject_with(fault, replied, tmp_path), sheet, fault.found_by)
    assert words in told[0].text, told


def test_objects_that_are_newer_than_the_host_are_named(replied, sheet, tmp_path):
    fault = Fault(question=_ahead_of_time, found_by={"mover", "crossing"})
    told = causes(subject_with(fault, replied, tmp_path), sheet, {*fault.found_by, "driving_host"})
    assert "moving objects, and not the host, are 0.100 s newer" in told[0].text, told


def _scattered(message):
    for each in detections(message):
        each.position.distance += DRAW.normal(0.0, 0.14)


@pytest.mark.long
def test_what_only_one_scene_scatters_by_is_no_noise(replied, sheet):
    scenes, fault = (
        ["host_attitude", "wall", "tilted_wall"],
        Fault(answer=_scattered, found_by=set()),
    )
    (told,) = causes(Recorded(replied, fault.answers), sheet, scenes)
    sigma_m = float(told.text.removeprefix("ranges scatter by ").partition(" m ")[0])
    assert sigma_m == pytest.approx(0.14, rel=0.15)
    one = {**replied, "host_attitude": fault.answers(replied["host_attitude"])}
    told = causes(Recorded(one), sheet, scenes)
    assert not any("scatter" in each.text for each in told), told


def test_a_subject_without_a_fault_has_no_cause(replied, sheet):
    assert causes(Recorded(replied), sheet, PLACED) == []


def test_scenes_without_an_answer_share_one_cause(sheet):
    class Silent:
        is_live = True

        def ask(self, _scene, questions):
            return [None] * len(questions)

    (told,) = causes(Silent(), sheet, PLACED)
    assert told.text == "a message has no answer with lidar detections"
    assert told.scenes == tuple(each.name for each in chosen(PLACED))

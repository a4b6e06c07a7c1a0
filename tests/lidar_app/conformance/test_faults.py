# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Eleven faults, one at a time: each is found, by scenes that ask for it."""

import pytest
import yaml

from lidar_app.conformance.bench import Verdict, chosen, judge_scene
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.config import load_config
from tests.lidar_app.conformance.faults import EVERY, FAULTS, Fault
from tests.lidar_app.conformance.recorded import CONFIG, Recorded, exact

OTHERS = {"beyond_range", "fields", "repeated", "turning_host", "sphere"}
OTHERS |= {"fog", "rain", "thousand_objects", "intensity_by_range", "intensity_by_incidence"}
OF_RANGES = EVERY - OTHERS
"""Scenes that ask for each range; that of a thousand objects does, too, but takes seconds."""
OF_BEAMS = OF_RANGES - {
    "grazing_road", "two_in_a_beam", "empty_world", "appearing", "retroreflector"
}  # fmt: skip
"""Those that count the beams that meet the first of their boxes."""


class Faulty:
    """Our model with a fault that changes what it is, or what it hears."""

    is_live = True

    def __init__(self, fault, file):
        self._fault, self._subject = fault, ModelSubject(load_config(file))

    def ask(self, scene, questions):
        answers = self._subject.ask(scene, self._fault.questions(questions))
        return self._fault.answers(answers)


def subject_with(fault, replied, folder):
    """Return our model with a fault; where that only changes answers, those that are known."""
    if not fault.config and fault.question is None:
        return Recorded(replied, fault.answers)
    content = yaml.safe_load(CONFIG)
    content["sensors"][0].update(fault.config)
    (folder / "faulty.yaml").write_text(yaml.safe_dump(content))
    return Faulty(fault, folder / "faulty.yaml")


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_found_by_the_scenes_that_ask_for_it(name, replied, sheet, tmp_path):
    fault = FAULTS[name]
    subject = subject_with(fault, replied, tmp_path)
    asked = [each for each in chosen() if each.name in fault.found_by]
    results = [judge_scene(subject, sheet, each) for each in asked]
    assert {each.scene.name for each in results if each.verdict is Verdict.FAILED} == fault.found_by


def _a_tenth_of_a_millimetre(message):
    for sensor in message.feature_data.lidar_sensor:
        for each in sensor.detection:
            each.position.distance += 1e-4


def _one_beam_less(message):
    for sensor in message.feature_data.lidar_sensor:
        on_boxes = [n for n, each in enumerate(sensor.detection) if each.object_id.value < 2**63]
        for n in on_boxes[:1]:
            del sensor.detection[n]


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "found_by"), [(_a_tenth_of_a_millimetre, OF_RANGES), (_one_beam_less, OF_BEAMS)]
)
def test_exact_sheets_find_what_is_hardly_wrong(change, found_by, replied, sheet):
    fault = Fault(answer=change, found_by=set())
    subject = Recorded(replied, lambda answers: [*answers[:-1], *fault.answers(answers[-1:])])
    failed = {
        each.name
        for each in chosen(found_by)
        if judge_scene(subject, exact(sheet, each.name), each).verdict is Verdict.FAILED
    }
    assert failed == found_by


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_no_other_scene_fails(name, replied, sheet, tmp_path):
    fault = FAULTS[name]
    subject = subject_with(fault, replied, tmp_path)
    asked = [each for each in chosen() if each.name not in fault.found_by | set(fault.may_find)]
    failed = [
        each
        for each in (judge_scene(subject, sheet, one) for one in asked)
        if each.verdict is Verdict.FAILED
    ]
    assert not failed, [(each.scene.name, each.findings) for each in failed]

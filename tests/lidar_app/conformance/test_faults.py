# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ten faults, one at a time: each is found, by scenes that ask for it."""

import pytest
import yaml

from lidar_app.conformance.bench import Verdict, chosen, judge_scene
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.config import load_config
from tests.lidar_app.conformance.faults import FAULTS
from tests.lidar_app.conformance.recorded import CONFIG, Recorded


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

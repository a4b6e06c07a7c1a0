# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A short session: the same few cases of every target each time; `make fuzz` has the long ones."""

import random

import pytest

from tests.fuzz.session import Worker
from tests.fuzz.targets import TARGETS
from tests.fuzz.values import TEXTS

N_CASES = 25


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_what_is_nearly_valid_is_taken_or_refused_in_one_line(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    worker = Worker([name], "1", tmp_path, tmp_path / "findings")
    worker.start()
    for _ in range(N_CASES):
        found = worker.try_one(TARGETS[name])
        assert found is None, found.story


@pytest.mark.parametrize("name", ["mesh-other", "jobs", "weather-xosc"])
def test_the_cases_of_a_seed_are_the_same_each_time(name, tmp_path):
    seeds = TARGETS[name].seeds(tmp_path)
    files = next(iter(seeds.values()))

    def cases():
        draw = random.Random("a seed")  # noqa: S311  nothing is secret
        return [TARGETS[name].change(files, draw) for _ in range(50)]

    first = cases()
    assert first == cases()
    assert len({str(each) for each in first}) > 40  # they differ from each other


def test_texts_in_the_place_of_others_hold_lines_escapes_and_paths():
    whole = "".join(TEXTS)
    assert all(each in whole for each in ("\n", "\x1b", "../", "\0"))

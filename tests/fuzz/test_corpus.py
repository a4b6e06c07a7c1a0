# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What fuzzing found is tried again: TARGET/SEED/KIND holds the files that differ from the seed."""

from functools import cache
from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS
from tests.fuzz.trial import LONGEST_S, Finding, tried

CORPUS = Path(__file__).with_name("corpus")
FOUND = sorted(each for each in CORPUS.glob("*/*/*") if each.is_dir())


@cache
def seeds_of(name, folder):
    folder.mkdir()
    return TARGETS[name].seeds(folder)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    home = tmp_path_factory.mktemp("seeds")
    return lambda name: seeds_of(name, home / name)


@pytest.mark.parametrize("found", FOUND, ids=lambda each: each.relative_to(CORPUS).as_posix())
def test_what_was_found_is_taken_or_refused_in_one_line(found, seeds, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, seed = found.parts[-3:-1]
    changed = {
        each.relative_to(found).as_posix(): each.read_bytes()
        for each in found.rglob("*")
        if each.is_file()
    }
    case = {**seeds(name)[seed], **changed}
    done = tried(TARGETS[name], tmp_path / "case", case, longest_s=60 * LONGEST_S)
    assert not isinstance(done, Finding), done.story

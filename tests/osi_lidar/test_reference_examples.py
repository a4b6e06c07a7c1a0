# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Each public name has an example in its docstring, and all examples run."""

import doctest
import inspect
import re
import shutil
from pathlib import Path

import pytest

import osi_lidar
from osi_lidar.run.example_scene import street

NAMES = [name for name in osi_lidar.__all__ if name != "__version__"]
ELSEWHERE = re.compile(r"``(\w+)`` has an example")


def example_of(name):
    """Return the public name whose docstring has the example of a name."""
    text = inspect.getdoc(getattr(osi_lidar, name)) or ""
    there = ELSEWHERE.search(text)
    return there[1] if there else name


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a trace, a configuration with its meshes, and a run."""
    folder = tmp_path_factory.mktemp("examples")
    scenario = street()
    for file in scenario.trace.parent.iterdir():
        if file.is_file():
            shutil.copy(file, folder)
    shutil.copy(scenario.trace, folder / "drive.osi")
    source = osi_lidar.FrameSource(folder / "drive.osi", frames=slice(2))
    osi_lidar.replay(source, osi_lidar.load_config(folder / "config.yaml"), folder / "run")
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_each_public_name_has_an_example(name):
    assert ">>>" in (inspect.getdoc(getattr(osi_lidar, example_of(name))) or "")


@pytest.mark.parametrize("name", sorted({*map(example_of, NAMES)}))
def test_examples_of_the_reference_run(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    shutil.rmtree("out", ignore_errors=True)
    names = {"osi_lidar": osi_lidar, "Path": Path}
    text = inspect.getdoc(getattr(osi_lidar, name))
    test = doctest.DocTestParser().get_doctest(text, names, name, None, 0)
    said = []
    doctest.DocTestRunner(verbose=False).run(test, out=said.append)
    assert not said, "".join(said)

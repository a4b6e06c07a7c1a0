# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs that most tests drive, each built once."""

import shutil

import pytest

from osi_lidar.run.example_scene import street
from tests.builders.files import written
from tests.builders.worlds import SENSOR
from tests.fmu.chain.build import build_ends
from tests.fmu.ways import FMI2, ways_of


def pytest_generate_tests(metafunc):
    """Run every test that drives an FMU with each way to build it."""
    if "way" in metafunc.fixturenames:
        metafunc.parametrize("way", ways_of(metafunc.definition), indirect=True, scope="session")


@pytest.fixture(scope="session")
def way(request):
    """Return the way to build FMUs; FMI 2.0 with the native wrapper where a test has no choice."""
    return getattr(request, "param", FMI2)


@pytest.fixture(scope="session")
def default_fmu(way, tmp_path_factory):
    return way.build(out=tmp_path_factory.mktemp("default"))


@pytest.fixture(scope="session")
def street_fmu(way, tmp_path_factory):
    return way.build(config=street().config, out=tmp_path_factory.mktemp("street"))


@pytest.fixture(scope="session")
def small_fmu(way, tmp_path_factory):
    """Build an FMU of four beams: azimuths of 0 and 5 degrees, elevations of 0 and -5."""
    folder = tmp_path_factory.mktemp("small")
    config = written(folder / "small.yaml", SENSOR)
    return way.build(config=config, out=folder)


@pytest.fixture(scope="session")
def chain_fmus(tmp_path_factory):
    """Build a player of traces and a recorder, to put before and behind the lidar of FMI 2.0."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler cc, which builds player and recorder")
    folder = tmp_path_factory.mktemp("chain")
    return {"lidar": FMI2.build(config=street().config, out=folder), **build_ends(folder)}


@pytest.fixture
def home(tmp_path):
    """Return the folder of everything that a test writes, which is moved away before the run."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder

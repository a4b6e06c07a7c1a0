# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs that most tests drive, each built once."""

import sys
from pathlib import Path

import pytest
from pythonfmu import FmuBuilder

from fmu_src.exporter import build_fmu
from osi_lidar.run.bundled import street
from tests.builders.messages import framed, moving
from tests.builders.worlds import SENSOR


@pytest.fixture(scope="session")
def default_fmu(tmp_path_factory):
    return build_fmu(out=tmp_path_factory.mktemp("default")).path


@pytest.fixture(scope="session")
def street_fmu(tmp_path_factory):
    return build_fmu(config=street().config, out=tmp_path_factory.mktemp("street")).path


@pytest.fixture(scope="session")
def small_fmu(tmp_path_factory):
    """Build an FMU of four beams: azimuths of 0 and 5 degrees, elevations of 0 and -5."""
    folder = tmp_path_factory.mktemp("small")
    config = folder / "small.yaml"
    config.write_text(SENSOR)
    return build_fmu(config=config, out=folder).path


@pytest.fixture(scope="session")
def chain_fmus(street_fmu, tmp_path_factory):
    """Build a player of traces and a recorder, to put before and behind the lidar."""
    folder, before = tmp_path_factory.mktemp("chain"), list(sys.path)
    fmus = {"lidar": street_fmu}
    for name in ("player", "recorder"):
        script = Path(__file__).parent / "chain" / f"{name}.py"
        fmus[name] = Path(FmuBuilder.build_FMU(script, dest=folder / f"{name}.fmu"))
    sys.path[:] = before
    return fmus


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.osi"
    path.write_bytes(framed(moving()))
    return path


@pytest.fixture
def home(tmp_path):
    """Return the folder of everything that a test writes, which is moved away before the run."""
    folder = tmp_path / "home"
    folder.mkdir()
    return folder

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The master in C, and FMUs for it."""

import pytest

from fmu_src.exporter import build_fmu
from tests.builders.worlds import SENSOR
from tests.fmu.native.c_master import BUILDS, Master, compiled


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """Compile the master."""
    return compiled(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="session")
def fmu_of(tmp_path_factory):
    """Give a function that builds an FMU of a configuration, by default of four beams."""

    def build(kind, config=None):
        folder = tmp_path_factory.mktemp("build")
        if config is None:
            config = folder / "small.yaml"
            config.write_text(SENSOR)
        (built,) = build_fmu(config=config, out=folder, **BUILDS[kind])
        return built.path

    return build


@pytest.fixture(scope="session")
def small_fmus(fmu_of):
    """Build FMUs of four beams when they are asked for, each once."""
    built = {}
    return lambda kind: built.get(kind) or built.setdefault(kind, fmu_of(kind))


@pytest.fixture
def small_master(program, small_fmus, request, tmp_path):
    """Unpack an FMU of the kind that the test asks for."""
    return Master(program, small_fmus(request.param), tmp_path)

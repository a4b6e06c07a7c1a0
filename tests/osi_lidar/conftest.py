# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files that most tests of the commands are given."""

import pytest

from tests.builders.messages import framed, moving
from tests.builders.worlds import SENSOR


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "config.yaml"
    path.write_text(SENSOR)
    return path


@pytest.fixture
def trace(tmp_path):
    path = tmp_path / "trace.osi"
    path.write_bytes(framed(moving()))
    return path

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The runs that others are compared with."""

import pytest

from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.osi_lidar.run.cluster_helpers import few_config, run_config, write_run


@pytest.fixture(scope="session")
def drive_trace(tmp_path_factory):
    """Return the trace of these runs."""
    return write_run(tmp_path_factory.mktemp("drive"))


@pytest.fixture(scope="session")
def whole(drive_trace, tmp_path_factory):
    """Return the trace, and the folder of its replay in one go."""
    out = tmp_path_factory.mktemp("whole") / "out"
    replay(FrameSource(drive_trace), run_config(), out)
    return drive_trace, out


@pytest.fixture(scope="session")
def few(drive_trace, tmp_path_factory):
    """Return the trace, and the folder of its replay in one go by a few of the sensors."""
    out = tmp_path_factory.mktemp("few") / "out"
    replay(FrameSource(drive_trace), few_config(), out)
    return drive_trace, out

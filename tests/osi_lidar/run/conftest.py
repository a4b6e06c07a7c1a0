# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The run that others are compared with."""

import pytest

from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.osi_lidar.run.cluster_helpers import run_config, write_run


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """Return a trace, and the folder of its replay in one go."""
    folder = tmp_path_factory.mktemp("whole")
    trace = write_run(folder)
    replay(FrameSource(trace), run_config(), folder / "out")
    return trace, folder / "out"

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The moving picture of the README."""

from pathlib import Path

from osi_lidar import open_run
from tests.builders.extras import needs
from tests.builders.runs import make_run
from tests.scenarios.scripts import script

TOOL = Path(__file__).resolve().parents[2] / "tools" / "draw_motion.py"


@needs("PIL", "matplotlib")
def test_a_moving_picture_has_a_frame_for_each_cloud_of_a_run(tmp_path):
    from PIL import Image

    run = make_run(tmp_path)
    script(TOOL).draw(run, tmp_path / "motion.webp")
    with Image.open(tmp_path / "motion.webp") as motion:
        assert motion.n_frames == len({scan.path for scan in open_run(run).scans})
        assert motion.size == (960, 420)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Through how many rooms one walks to follow a scan."""

from pathlib import Path

import pytest

from tests.scenarios.scripts import script

count_calls = script(Path(__file__).resolve().parents[2] / "tools" / "count_calls.py")
MOST = {"ideal": 40, "physical, dry": 110, "physical, rain, fog and wet road": 135}
"""Changes of file: a little more than there are. A stage that is off is not entered."""


@pytest.mark.long
@pytest.mark.parametrize("name", count_calls.SCANS)
def test_a_scan_enters_few_files(name):
    calls, changes = count_calls.counted(name)
    assert calls > changes > 20
    assert changes <= MOST[name]

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What real recordings differ by, measured anew in a folder of fetched recordings.

`osi-lidar gap reality fetch --out DIR`, then OSI_LIDAR_REALITY=DIR.
"""

import os
from pathlib import Path

import pytest

from lidar_gap.reality.fetching import check_whole
from lidar_gap.reality.recordings import catalogue
from lidar_gap.reality.scenes import read_recorded
from lidar_gap.reality.scoring import real_against_real, spreads

PACK = os.environ.get("OSI_LIDAR_REALITY")


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.skipif(PACK is None, reason="OSI_LIDAR_REALITY names no folder of recordings")
def test_what_two_recordings_differ_by_is_what_the_package_says():
    known = real_against_real()
    wanted = {name for each in known.values() for pair in each.pairs for name in pair}
    measured = []
    for each in catalogue():
        if each.name in wanted:
            check_whole(each, Path(PACK))
            measured.append((each, read_recorded(each, Path(PACK)).figures()))
    found = spreads(measured)
    assert found.keys() == known.keys()
    for name, each in found.items():
        assert each.rms == pytest.approx(known[name].rms, abs=1e-4), name
        assert each.pairs == known[name].pairs, name

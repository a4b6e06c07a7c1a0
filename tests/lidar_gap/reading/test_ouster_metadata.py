# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Metadata of Ouster sensors that put points nowhere end in one line."""

import json

import pytest

from lidar_gap.reading import read_clouds
from osi_lidar.errors import InputError
from tests.builders.extras import needs
from tests.builders.runs import make_run
from tests.commands import run


@needs("ouster")
def test_metadata_whose_angles_are_beyond_all_numbers_are_refused(tmp_path):
    sensor = {"name": "top", "preset": "OS1-32", "columns": 512, "mounting": {"z_m": 1.5}}
    folder = make_run(tmp_path, sensors=[sensor])
    assert run("export", "ouster", folder, "--out", tmp_path / "out").exit_code == 0
    capture, file = tmp_path / "out/top.pcap", tmp_path / "out/top.json"
    assert read_clouds(capture, metadata=file)
    metadata = json.loads(file.read_text())
    metadata["beam_intrinsics"]["beam_azimuth_angles"][19] = 1.7976931348623157e308
    file.write_text(json.dumps(metadata))
    with pytest.raises(InputError, match="its metadata give points that are not finite"):
        read_clouds(capture, metadata=file)

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


@pytest.fixture
def capture(tmp_path):
    sensor = {"name": "top", "preset": "OS1-32", "columns": 512, "mounting": {"z_m": 1.5}}
    folder = make_run(tmp_path, sensors=[sensor])
    assert run("export", "ouster", folder, "--out", tmp_path / "out").exit_code == 0
    assert read_clouds(tmp_path / "out/top.pcap")
    return tmp_path / "out/top.pcap"


def changed(capture, section, key, change):
    """Change a value of the metadata beside a capture; return their file."""
    file = capture.with_suffix(".json")
    metadata = json.loads(file.read_text())
    metadata[section][key] = change(metadata[section][key])
    file.write_text(json.dumps(metadata))
    return file


@needs("ouster")
def test_metadata_whose_angles_are_beyond_all_numbers_are_refused(capture):
    def far(angles):
        return [*angles[:-1], 1.7976931348623157e308]

    file = changed(capture, "beam_intrinsics", "beam_azimuth_angles", far)
    with pytest.raises(InputError, match="its metadata lead to points that are not finite"):
        read_clouds(capture, metadata=file)


@needs("ouster")
@pytest.mark.parametrize("count", [False, 0, 0.0, -16, "16"])
@pytest.mark.parametrize("given", [True, False], ids=["named", "beside"])
def test_counts_by_which_the_library_divides_are_looked_at_before_it_does(capture, count, given):
    file = changed(capture, "lidar_data_format", "columns_per_packet", lambda _: count)
    expected = r"lidar_data_format.columns_per_packet: got .*, expected 1, 2, \.\."
    with pytest.raises(InputError, match=expected):
        read_clouds(capture, metadata=file if given else None)

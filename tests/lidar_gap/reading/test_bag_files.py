# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The order of the files of a recording that was split."""

from pathlib import Path

import numpy as np
import pytest

from lidar_gap.reading import read_clouds
from osi_lidar.errors import InputError
from tests.builders.extras import needs
from tests.builders.ros_bags import CLOUD, cloud_message, database, ros_mcap

pytestmark = needs("rosbags")


def rows(x_m: float) -> np.ndarray:
    found = np.zeros(1, [(axis, "<f4") for axis in "xyz"])
    found["x"] = x_m
    return found


def split(folder: Path, names: list[str]) -> Path:
    """Write a bag whose file k holds one cloud at 1 + k metres, recorded at k seconds."""
    folder.mkdir()
    for number, name in enumerate(names):
        message = cloud_message(rows(1.0 + number))
        if name.endswith(".db3"):
            database(folder / name, "/points", CLOUD, [(number * 10**9, message)])
        else:
            ros_mcap(folder / name, {"/points": [(number * 10**9, message)]})
    return folder


def metadata(folder: Path, names: list[str]) -> None:
    lines = "".join(f"    - {name}\n" for name in names)
    (folder / "metadata.yaml").write_text(
        "rosbag2_bagfile_information:\n  version: 5\n  relative_file_paths:\n" + lines
    )


def ranges(path: Path) -> list[float]:
    return [cloud.range_m.item() for cloud in read_clouds(path)]


TWELVE = [f"drive_{number}.db3" for number in range(12)]
IN_ORDER = [1.0 + number for number in range(12)]


def test_files_are_read_in_the_order_of_the_metadata(tmp_path: Path) -> None:
    names = ["b_7.db3", "a_9.db3", "c_1.db3"]
    folder = split(tmp_path / "bag", names)
    metadata(folder, [f"bag/{name}" for name in names])
    assert ranges(folder) == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("told", [True, False])
def test_the_eleventh_file_is_not_read_after_the_second(tmp_path: Path, told: object) -> None:
    folder = split(tmp_path / "bag", TWELVE)
    if told:
        metadata(folder, TWELVE)
    assert ranges(folder) == IN_ORDER


def test_metadata_of_other_files_leave_the_order_of_numbers(tmp_path: Path) -> None:
    folder = split(tmp_path / "bag", TWELVE)
    metadata(folder, [f"before_renaming_{number}.db3" for number in range(12)])
    assert ranges(folder) == IN_ORDER


def test_files_without_numbers_are_in_the_order_of_their_first_messages(tmp_path: Path) -> None:
    assert ranges(split(tmp_path / "bag", ["tunnel.db3", "bridge.db3"])) == [1.0, 2.0]


@pytest.mark.long
def test_parts_of_mcap_without_metadata_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    folder = split(tmp_path / "bag", [f"drive_{number}.mcap" for number in range(11)])
    assert ranges(folder) == IN_ORDER[:11]


def test_metadata_that_are_no_yaml_are_one_line(tmp_path: Path) -> None:
    folder = split(tmp_path / "bag", TWELVE[:2])
    (folder / "metadata.yaml").write_text("a: [1")
    with pytest.raises(InputError, match=r"metadata\.yaml"):
        read_clouds(folder)

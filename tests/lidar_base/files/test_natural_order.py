# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The natural order of names."""

from pathlib import Path

from lidar_base.files.natural_order import in_natural_order, natural_key


def test_numbers_in_names_count_as_numbers() -> None:
    names = ["a10.pcd", "a9.pcd", "A1.pcd", "b.pcd", "a"]
    assert sorted(names, key=natural_key) == ["a", "A1.pcd", "a9.pcd", "a10.pcd", "b.pcd"]


def test_folders_come_before_names_and_equal_numbers_have_an_order() -> None:
    paths = [Path("10/1"), Path("9/2"), Path("9/01"), Path("9/1")]
    assert in_natural_order(paths) == [Path("9/01"), Path("9/1"), Path("9/2"), Path("10/1")]
    assert in_natural_order(reversed(paths)) == in_natural_order(paths)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a ROS 2 bag in the order in which they were recorded."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lidar_base.errors import YamlFileError
from lidar_base.files.natural_order import in_natural_order
from lidar_base.files.yaml_files import read_yaml
from lidar_gap.reading.bag_bounds import check_tables
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METADATA = "metadata.yaml"
_DIGITS = re.compile(r"[0-9]+")


def bag_files(folder: Path, suffix: str = ".db3") -> list[Path]:
    """Return the files in a bag's folder whose names end in ``suffix``, in the order of recording.

    The order comes from the bag's metadata.yaml. If it is absent, or does not name exactly the
    existing files, files are sorted by the numbers in their names. Databases (.db3) whose names
    differ in more than numbers are sorted by the times of their first messages.

    Raises
    ------
    InputError
        If the metadata cannot be read.
    """
    found = in_natural_order(each for each in folder.iterdir() if each.name.endswith(suffix))
    by_name = {each.name: each for each in found}
    listed = [name for name in _listed(folder / METADATA) if name.endswith(suffix)]
    if set(listed) == set(by_name):
        return [by_name[name] for name in dict.fromkeys(listed)]
    if suffix == ".db3" and len({_DIGITS.sub("", name) for name in by_name}) > 1:
        return sorted(found, key=_first_ns)
    return found


def _listed(metadata: Path) -> list[str]:
    """Return the file names in the metadata of a bag, without folders that old recorders write."""
    if not metadata.is_file():
        return []
    try:
        content = read_yaml(metadata).get("rosbag2_bagfile_information")
    except YamlFileError as error:
        raise InputError(str(error)) from None
    paths = content.get("relative_file_paths") if isinstance(content, dict) else None
    names = paths if isinstance(paths, list) else []
    return [str(name).replace("\\", "/").rpartition("/")[2] for name in names]


def _first_ns(file: Path) -> int:
    """Return the time of the first message of a database [ns]."""
    (first,) = next(rows_of(file, "SELECT min(timestamp) FROM messages"))
    return int(first or 0)


def rows_of(file: Path, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
    """Yield the result rows of an SQL query to a bag's database file, which is opened read-only.

    ``values`` take the places of the question marks in the query.

    Raises
    ------
    BoundError
        If the topics or messages of the bag are not stored rows, see `check_tables`.
    """
    with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as base:
        check_tables(base)
        yield from base.execute(query, values)

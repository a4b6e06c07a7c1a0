# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a data set for training."""

from __future__ import annotations

import csv
from itertools import islice
from typing import TYPE_CHECKING

from lidar_app.exports.export_run import MANIFEST
from lidar_app.show.info.record import Info
from lidar_base.errors import BoundError, SmallFileError
from lidar_base.files.bounds import MOST_TEXT_BYTES
from lidar_base.files.json_files import check_json, finite_json
from lidar_base.files.small_files import read_small_file
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TABLE = "scenes.csv"
_MOST_LISTED = 40
_COLUMNS = ("scene", "split", "trace", "seed", "rain_mm_h", "snow_mm_h", "visibility_m", "light",
            "host_mean_m_s", "scans", "points", "boxes")  # fmt: skip


def data_set_info(folder: Path) -> Info | None:
    """Return layout, splits, boxes by class and the first 40 scenes of a data set.

    The result is None if the manifest lists no splits: the folder is then an export of one run.

    Raises
    ------
    InputError
        If the manifest or the table of scenes cannot be read.
    """
    told = _manifest(folder / MANIFEST)
    if "splits" not in told:  # an export of one run
        return None
    files = told.get("files")
    names = [str(each) for each in files] if isinstance(files, list) else []
    facts: dict[str, object] = {
        "layout": told.get("format"),
        "made_by": f"osi-lidar {told.get('version')}",
        "sha256": told.get("sha256"),
        **{key: told.get(key) for key in ("scenes", "scans", "points", "splits", "boxes")},
        "files": len(names),
        "files_missing": sum(not (folder / name).is_file() for name in names) or None,
    }
    lists = {"scenes_of_it": list(islice(_scenes(folder / _TABLE), _MOST_LISTED))}
    return Info(path=folder, kind="Data set", facts=facts, lists=lists)


def _manifest(path: Path) -> dict[str, object]:
    try:
        check_json(text := read_small_file(path, MOST_TEXT_BYTES))
        found = finite_json(text)
    except (SmallFileError, BoundError, ValueError, RecursionError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    return found if isinstance(found, dict) else {}


def _scenes(path: Path) -> Iterator[dict[str, object]]:
    """Yield rows of the table of scenes."""
    try:
        with path.open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                yield {name: row.get(name) or "" for name in _COLUMNS}
    except (OSError, ValueError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None

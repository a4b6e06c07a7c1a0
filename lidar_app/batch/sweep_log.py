# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Log of an unfinished sweep: one line of JSON for each variant that has finished."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from lidar_app.batch.contents import InputHashes, hash_of, hash_of_words
from lidar_app.batch.sweep_records import Row
from lidar_base.files.json_files import finite_json
from lidar_base.files.whole_files import cause_of, make_folder, remove, replacing
from osi_lidar.config import load_config
from osi_lidar.errors import OutputError
from osi_lidar.output.folder_check import check_folder
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.batch.sweep_records import SweepPlan

LOG_NAME = ".sweep.part"
_LONGEST = 200  # characters of its first line


class SweepLog:
    """Log file of a sweep's finished variants, with which an interrupted sweep can continue.

    The list `rows` has the rows of the file, one `Row` for each finished variant. If the folder
    holds the log of an interrupted sweep with the same identity, `rows` begins with its rows, else
    it is empty. The file is created at once.

    Parameters
    ----------
    folder : Path
        Folder of the sweep's outputs.
    identity : str
        Hash of all that the rows depend on, see `sweep_identity`.
    overwrite : bool
        Whether rows of an interrupted sweep are dropped, and files of an earlier one replaced.

    Raises
    ------
    OutputError
        If the folder holds something else, or cannot be written to.
    """

    def __init__(self, folder: Path, identity: str, *, overwrite: bool) -> None:
        self._path = folder / LOG_NAME
        earlier = None if overwrite else self._earlier(identity)
        check_folder(folder, overwrite=overwrite or earlier is not None)
        if os.path.lexists(self._path) and not _is_log(self._path):
            raise OutputError(
                f"{self._path}: exists, and no sweep wrote it, so it is not replaced; choose "
                "another --out"
            )
        self.rows: list[Row] = earlier or []
        make_folder(folder)
        with replacing(self._path) as temporary:  # drops a last line that a killed process has cut
            lines = [json.dumps({"identity": identity}), *map(_line, self.rows)]
            temporary.write_text("".join(f"{each}\n" for each in lines), encoding="utf-8")

    def add(self, row: Row) -> None:
        """Append a row to `rows` and to the file; raise OutputError if it cannot be written."""
        self.rows.append(row)
        try:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(f"{_line(row)}\n")
        except OSError as error:
            raise OutputError(f"{self._path}: cannot be written: {cause_of(error)}") from error

    def close(self) -> None:
        """Remove the file of the log, once the sweep is complete."""
        remove(self._path)

    def _earlier(self, identity: str) -> list[Row] | None:
        """Return the rows of an earlier start of the same sweep, None if there was none."""
        try:
            first, *lines = self._path.read_text(encoding="utf-8").splitlines(keepends=True)
            if finite_json(first) != {"identity": identity}:
                return None
            found = [json.loads(each) for each in lines if each.endswith("\n")]
            return [
                Row(values=tuple(values), objective=objective, error=error)
                for values, objective, error in found
            ]
        except (OSError, ValueError, TypeError, RecursionError):
            return None


def sweep_identity(plan: SweepPlan) -> str:
    """Return a hash of all that the results of a sweep depend on, except the varied values.

    An interrupted sweep may continue only if the hash is unchanged. It covers the version of
    osi-lidar, the configuration with the content of its files, the names of the varied keys, the
    objective, and the content of the trace with the options for reading it.

    Parameters
    ----------
    plan : SweepPlan
        Configuration, varied keys, objective and trace of the sweep. The files are read.

    Returns
    -------
    str
        SHA-256 in hexadecimal digits.

    Raises
    ------
    ConfigurationError, InputError
        If the configuration or the trace cannot be read.
    """
    base, source = plan.config, plan.source
    config = load_config(base.file, changes=base.changes)
    content = {
        "version": __version__,
        "config": InputHashes("").of_config(config),
        "keys": [each.name for each in plan.variations],
        "objective": plan.objective.text,
        "trace": None if source is None else [hash_of(source.path), source.described],
    }
    return hash_of_words(content)


def _is_log(path: Path) -> bool:
    """Return whether a file is the log of a sweep."""
    with suppress(OSError, ValueError), path.open(encoding="utf-8") as file:
        found = finite_json(file.readline(_LONGEST))
        return not path.is_symlink() and isinstance(found, dict) and list(found) == ["identity"]
    return False


def _line(row: Row) -> str:
    return json.dumps([row.values, row.objective, row.error], ensure_ascii=False)

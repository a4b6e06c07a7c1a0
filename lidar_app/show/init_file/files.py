# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a starter: the configuration, and beside it the schema for editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.init_file.document import starter
from lidar_base.files.whole_files import check_apart, make_folder, replacing
from osi_lidar.config.schema import schema_text
from osi_lidar.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from osi_bridge import TraceContents

SUFFIX = ".schema.json"


def write_starter(
    path: Path, sensor: str, contents: TraceContents | None = None, *, overwrite: bool = False
) -> list[Path]:
    """Write a starter configuration, and beside it its schema NAME.schema.json; return both paths.

    Parameters
    ----------
    path : Path
        The configuration to write; NAME is its name without suffix.
    sensor : str
        Name of a known sensor.
    contents : TraceContents, optional
        Content of a trace, whose objects get rules in the starter; default: no trace.
    overwrite : bool
        Whether existing files may be replaced.

    Raises
    ------
    ConfigurationError
        If the sensor is not known.
    OutputError
        If a file exists and may not be replaced, or cannot be written.
    """
    if not path.name:
        raise OutputError(f"{path}: is a folder, expected the name of a file")
    schema = path.with_name(path.stem + SUFFIX)
    files = {path: starter(sensor, contents, schema=schema.name), schema: schema_text()}
    check_apart(files, [] if contents is None else [contents.path])
    taken = next((file for file in files if file.exists()), None)
    if taken is not None and not overwrite:
        raise OutputError(f"{taken}: exists; choose another name, or give --overwrite")
    make_folder(path.parent)
    for file, text in files.items():
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8")
    return list(files)

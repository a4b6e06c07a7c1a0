# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of material files: errors of lidar_base become errors of material_mapping."""

from pathlib import Path
from typing import Any

from lidar_base.errors import SmallFileError, YamlFileError
from lidar_base.files.small_files import read_small_file
from lidar_base.files.yaml_files import read_yaml
from material_mapping.errors import DatabaseError, UnreadableYamlError


def read_material_yaml(file: Path, *, own: bool = False) -> dict[str, Any]:
    """Return the content of a mapping table or material file (YAML) as keys and values.

    Set `own` only for a file of this package. The file is then read faster, but without protection
    against a malicious file, which could end the process.

    Raises
    ------
    UnreadableYamlError
        If the file cannot be read, or is not YAML with keys at its top.
    """
    try:
        return read_yaml(file, own=own)
    except YamlFileError as error:
        raise UnreadableYamlError(error) from None


def read_database_file(file: Path, most_bytes: int) -> bytes:
    """Return the bytes of a file of a measured database, if it has at most `most_bytes`.

    Raises
    ------
    DatabaseError
        If the file cannot be read, or is larger than `most_bytes`.
    """
    try:
        return read_small_file(file, most_bytes)
    except SmallFileError as error:
        raise DatabaseError(file, str(error)) from None

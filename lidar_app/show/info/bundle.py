# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a bundle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.bundle.opening import read_manifest
from lidar_app.bundle.trust import code_in, sensors_in
from lidar_app.show.info.record import Info
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def bundle_info(path: Path) -> Info:
    """Return the content of a bundle, from its manifest: trace, sensors, files, author's run.

    `path` is the bundle, a file that holds all inputs of a run. The list ``packed_files`` of the
    result has a row for each file in it.

    Raises
    ------
    InputError
        If the bundle is damaged, has a newer format, or differs from its manifest.
    """
    manifest, config = read_manifest(path)
    run = manifest.run
    try:
        sensors = sensors_in(config)
        code = code_in(config)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    facts: dict[str, object] = {
        "written_by": f"osi-lidar {manifest.version}",
        "trace": manifest.trace,
        "sensors": [*map(_words, sensors)],
        "read_as": dict(manifest.reads),
        "files": len(manifest.members),
        "unpacked_bytes": sum(each.size for each in manifest.members),
        "python_code": code,
        "clouds_of_the_author": None if run is None else len(run.clouds),
        "made_with": None if run is None else dict(run.made_with),
    }
    files = [
        {"name": each.name, "bytes": each.size, "from": each.origin} for each in manifest.members
    ]
    return Info(path=path, kind="Bundle of osi-lidar", facts=facts, lists={"packed_files": files})


def _words(sensor: Mapping[str, object]) -> str:
    """Return the name of a sensor, with its preset if it has one."""
    preset = sensor.get("preset")
    return f"{sensor.get('name')} {preset}" if preset else str(sensor.get("name"))

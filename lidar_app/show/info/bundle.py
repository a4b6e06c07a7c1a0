# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a bundle holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.bundle.opening import read_manifest
from lidar_app.show.info.record import Info
from lidar_base.errors import YamlFileError
from lidar_base.files.yaml_files import read_yaml_text
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def bundle_info(path: Path) -> Info:
    """Return trace, sensors, files and the author's run of a bundle, from its manifest.

    Raises
    ------
    InputError
        It is damaged, of a newer format, or not what its manifest says.
    """
    manifest, config = read_manifest(path)
    run = manifest.run
    facts: dict[str, object] = {
        "written_by": f"osi-lidar {manifest.version}",
        "trace": manifest.trace,
        "sensors": list(_sensors(path, config)),
        "read_as": dict(manifest.reads),
        "files": len(manifest.members),
        "unpacked_bytes": sum(each.size for each in manifest.members),
        "python_code": [each.name for each in manifest.members if each.name.endswith(".py")],
        "clouds_of_the_author": None if run is None else len(run.clouds),
        "made_with": None if run is None else dict(run.made_with),
    }
    files = [
        {"name": each.name, "bytes": each.size, "from": each.origin} for each in manifest.members
    ]
    return Info(path=path, kind="Bundle of osi-lidar", facts=facts, lists={"packed_files": files})


def _sensors(path: Path, config: bytes) -> Iterator[str]:
    """Yield what the sensors of a configuration are; the configuration itself is not checked."""
    try:
        data = read_yaml_text(config.decode(), f"{path}: configuration")
    except (YamlFileError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: its configuration is damaged: {error}") from None
    sensors = data.get("sensors") if isinstance(data, dict) else None
    for each in sensors if isinstance(sensors, list) else ():
        if isinstance(each, dict):
            preset = each.get("preset")
            yield f"{each.get('name')} {preset}" if preset else str(each.get("name"))

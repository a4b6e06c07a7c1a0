# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a configuration or a mapping table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from material_mapping import load_mapping
from osi_lidar.config import check_files, load_config

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.config import Sensor


def config_info(path: Path) -> Info:
    """Return sensors, meshes, outputs and number of rules of a configuration, and missing files.

    `path` is the configuration (YAML). The list ``sensors`` of the result has a row for each
    sensor. A missing file is a fact, not an error.

    Raises
    ------
    ConfigurationError
        If the file is not valid.
    """
    config = load_config(path, check=False)
    scene, output = config.scene, config.output
    defaults = type(output)()
    chosen = {key: value for key, value in output if value != getattr(defaults, key)}
    facts: dict[str, object] = {
        "environment": [each.mesh.name for each in scene.environment],
        "map": None if scene.map is None else scene.map.name,
        "object_rules": len(scene.objects),
        "search": [str(each) for each in scene.search],
        "mapping": None if config.materials.mapping is None else config.materials.mapping.name,
        "default_material": config.materials.default,
        "outputs_that_are_not_default": chosen or None,
        "seed": config.seed,
        "missing": list(check_files(config)),
    }
    sensors = [_row(sensor) for sensor in config.sensors]
    return Info(
        path=path, kind="Configuration of osi-lidar", facts=facts, lists={"sensors": sensors}
    )


def _row(sensor: Sensor) -> dict[str, object]:
    source = sensor.preset or (sensor.pattern and f"pattern {sensor.pattern.kind}") or "calibration"
    place = sensor.mounting
    return {
        "name": sensor.name,
        "is": source,
        "fidelity": "physical" if sensor.is_physical else "ideal",
        "mounting": f"{place.x_m:g} {place.y_m:g} {place.z_m:g} m, "
        f"{place.roll_deg:g} {place.pitch_deg:g} {place.yaw_deg:g} deg",
        "range": f"{sensor.min_range_m:g} to {sensor.max_range_m:g} m",
    }


def mapping_info(path: Path) -> Info:
    """Return the number of rules of a mapping table, and the names of materials that it defines.

    `path` is the table, a YAML file that maps visual materials to infrared materials.

    Raises
    ------
    MaterialError
        If the file is not valid.
    """
    mapping = load_mapping(path)
    facts: dict[str, object] = {
        "rules": len(mapping.rules),
        "defined_materials": list(mapping.defined),
    }
    return Info(path=path, kind="Mapping table of materials", facts=facts)

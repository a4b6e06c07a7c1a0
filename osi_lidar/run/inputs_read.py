# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The inputs of a model: the files that were read, and the contents that the model ignores."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from osi_lidar.config.calibration import calibration_file
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors import calibration as files
from osi_lidar.world.mesh_library import meshes_by_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from lidar_base.unfollowed import NotFollowed
    from material_mapping.mapping.resolver import Source
    from osi_lidar.config import Config
    from osi_lidar.model import LidarModel


def files_read(model: LidarModel) -> tuple[Path, ...]:
    """Return the files of a model's map, meshes, weather scenario and calibrations, in this order.

    There may be no map and no scenario. Each calibration file is listed once.
    """
    world = model.world
    drawn = world.roads.map_read
    scenario = model.config.weather.scenario
    given = [each.calibration for each in model.config.sensors if each.calibration is not None]
    return (
        *([] if drawn is None else [drawn[0]]),
        *meshes_by_file(world.library),
        *([] if scenario is None else [scenario]),
        *dict.fromkeys(calibration_file(each)[0] for each in given),
    )


def material_files(model: LidarModel) -> Iterator[Path]:
    """Yield the OpenMATERIAL assets of a model, and the files of infrared materials it has read."""
    yield from model.world.library.asset_materials
    for database in _databases(model):
        yield from database.not_followed


def not_followed(model: LidarModel) -> dict[str, tuple[NotFollowed, ...]]:
    """Return the contents that the model ignores, by input; its name is such as "mesh van.glb".

    Inputs without ignored contents are left out.
    """
    found = {name: kinds for name, kinds in _inputs(model) if kinds}
    return {**found, **dict(_calibrations(model.config))}


def _inputs(model: LidarModel) -> Iterator[tuple[str, tuple[NotFollowed, ...]]]:
    world = model.world
    if world.roads.map_read is not None:
        yield f"map {world.roads.map_read[0].name}", world.roads.map_read[2].not_followed
    for path, mesh in meshes_by_file(world.library).items():
        yield f"mesh {path.name}", mesh.not_followed
    if model.config.weather.scenario is not None:
        name = model.config.weather.scenario.name
        yield f"scenario {name}", world.sky.weather.not_followed
    fields = world.fields
    yield f"OSI messages ({fields.n_searched} looked at)", fields.not_followed
    for database in _databases(model):
        for path, kinds in database.not_followed.items():
            yield f"material file {path.name}", kinds


def _databases(model: LidarModel) -> Iterator[Source]:
    """Yield the sources of materials: sources that come with assets, and configured folders."""
    for source, _ in model.world.library.asset_materials.values():
        if source is not None:
            yield source
    yield from model.materials.databases


def _calibrations(config: Config) -> Iterator[tuple[str, tuple[NotFollowed, ...]]]:
    """Yield the ignored contents of the sensors' calibration and firetime files, with a name."""
    for sensor in config.sensors:
        if sensor.firetime is not None:
            with suppress(ConfigurationError):
                if kinds := files.firetime_not_followed(sensor.firetime):
                    yield f"firetime {sensor.firetime.name}", kinds
        if sensor.calibration is None:
            continue
        file, scanner = calibration_file(sensor.calibration)
        with suppress(ConfigurationError):  # gone since its beams were made
            kinds = files.read_calibration(file, scanner).not_followed
            name = file.name if scanner is None else f"{file.name}, {scanner}"
            if kinds:
                yield f"calibration {name}", kinds

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Packing of a scenario into an FMU: a configuration and every file that it names.

`osi_lidar.run.packing` says which files these are. Scan patterns that a master may select are
packed beside the configuration.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fmu_src.contents import PACKED_CONFIG
from fmu_src.errors import BuildError
from material_mapping import MaterialError
from osi_lidar.config import Config, load_config, named_paths
from osi_lidar.config.patterns.texts import load_pattern, source_of
from osi_lidar.errors import InputError
from osi_lidar.model import LidarModel
from osi_lidar.run.packing import (
    TREES,
    Packing,
    check_name,
    materials_by_database,
    real_folder,
)
from osi_lidar.scan.from_config import scan_pattern
from raycore.errors import RayCoreError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from osi_lidar.config import WeatherSection
    from osi_lidar.config.patterns.section import PatternSection


def pack_scenario(
    config_file: Path,
    resources: Path,
    patterns: Sequence[Path] = (),
    *,
    weather: WeatherSection | None = None,
) -> tuple[Config, tuple[Path, ...]]:
    """Copy a configuration, and the files that it names, into an FMU's folder of resources.

    Parameters
    ----------
    config_file : Path
        The configuration.
    resources : Path
        The folder of resources. It must not have a subfolder ``scenario`` yet.
    patterns : sequence of Path
        Scan pattern files to copy, too. They are put beside the packed configuration and keep
        their names.
    weather : WeatherSection, optional
        Weather that replaces the weather of the configuration.

    Returns
    -------
    Config
        The packed configuration; it names the copies.
    tuple of Path
        Paths of the original files (not of the copies), without the configuration: first those
        that the configuration and the patterns name, then ``patterns``.

    Raises
    ------
    ConfigurationError
        The configuration, or a scan pattern file, cannot be used.
    BuildError
        Another file cannot be used, a pattern makes unusable beams, or a file cannot be packed.
    """
    config = load_config(config_file)
    if weather is not None:
        config = config.model_copy(update={"weather": weather})
    target = resources / PACKED_CONFIG
    target.parent.mkdir(parents=True)
    try:
        pattern_at = _patterns_by_name(patterns, scan_pattern(config.sensors[0]).period_s)
        names = materials_by_database(LidarModel(config).materials)
        packing = Packing(config)
        packing.add_databases(names)
        _write(packing, pattern_at, target)
    except (InputError, MaterialError, RayCoreError) as error:
        raise BuildError(str(error)) from error
    return load_config(target), (*packing.layout.files, *patterns)


def _write(packing: Packing, pattern_at: Mapping[str, PatternSection], target: Path) -> None:
    """Write the configuration, the patterns beside it, and all files that they name."""
    for pattern in pattern_at.values():
        for _, path in named_paths(pattern):
            packing.layout.add(real_folder(path))
    packing.layout.copy(target.parent)
    packing.write_config(target)
    for name, pattern in pattern_at.items():
        packing.write(pattern, pattern.model_dump(mode="json"), target.parent / name)


def _patterns_by_name(files: Sequence[Path], period_s: float) -> dict[str, PatternSection]:
    """Return the scan patterns by their file names in the FMU.

    The beams of each pattern are checked for a scan of `period_s` seconds.
    """
    found: dict[str, PatternSection] = {}
    for file in files:
        if file.name in found or file.name in (Path(PACKED_CONFIG).name, TREES):
            raise BuildError(
                f"{file}: the FMU already contains another file of this name in the same folder; "
                "rename it"
            )
        check_name(file, file.name, "an FMU")
        found[file.name] = load_pattern(file)
        source_of(found[file.name], period_s=period_s, name=str(file))
    return found

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``twin``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import tell
from lidar_app.cli.parts.options import CalibrationOption, ColumnsOption, MetadataOption
from lidar_app.cli.parts.parameters import OUTPUT, SENSOR
from osi_lidar.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lidar_gap.twin.building import TwinSettings


def twin(
    clouds: Annotated[
        Path, typer.Argument(metavar="CLOUDS", help="Clouds of one sensor: a folder or a file.")
    ],
    poses: Annotated[
        Path,
        typer.Argument(
            metavar="POSES", help="Pose of the sensor in each cloud (CSV, TUM, KITTI, 4x4)."
        ),
    ],
    out_file: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Mesh to write (GLB, PLY); more files beside it.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("twin.glb"),
    *,
    sensor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Known sensor that made the clouds. Default: OS1-128, without --calibration.",
            autocompletion=known_sensors,
            rich_help_panel=SENSOR,
        ),
    ] = None,
    calibration: CalibrationOption = None,
    columns: ColumnsOption = None,
    metadata: MetadataOption = None,
    leave_out: Annotated[
        str | None,
        typer.Option(
            metavar="ROWS",
            help="Clouds that only get a pose, not part in the mesh: 0:24,30:177:5. Default: none.",
        ),
    ] = None,
    max_range: Annotated[
        float, typer.Option(metavar="METRES", min=1.0, help="Farthest returns to use.")
    ] = 30.0,
    voxel: Annotated[
        float, typer.Option(metavar="METRES", min=1e-3, max=1.0, help="Voxels of the map.")
    ] = 0.02,
    depth: Annotated[
        int, typer.Option(metavar="N", min=4, max=13, help="Depth of the octree of the surface.")
    ] = 11,
    refine: Annotated[bool, typer.Option(help="Register each cloud to all.")] = True,
    carve: Annotated[bool, typer.Option(help="Remove what beams have passed.")] = True,
    signal: Annotated[
        bool,
        typer.Option(
            "--signal",
            help="Intensities fall with the square of the range. Default: the maker corrects that.",
        ),
    ] = False,
    white: Annotated[
        float | None,
        typer.Option(
            metavar="VALUE",
            help="Intensity of a white target (with --signal: at 1 m). Default: a guess.",
        ),
    ] = None,
    null: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Build a twin of the twin, too, and write scans of both for compare --null. "
            "Default: no null test.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
) -> None:
    """Build a mesh with materials from recorded clouds and poses, to scan it anew."""
    from lidar_gap.reading import cloud_files, read_clouds
    from lidar_gap.twin.albedo import ROUGH, SignalLaw
    from lidar_gap.twin.building import TwinSettings, build
    from lidar_gap.twin.files import Product, check_name, write_product
    from lidar_gap.twin.null import make_folders
    from osi_lidar.run.pose_files import read_poses

    for option, value in (("--max-range", max_range), ("--voxel", voxel), ("--white", white)):
        if value is not None and not 0.0 < value < math.inf:
            raise InputError(f"{option}: got {value:g}, expected a finite number above 0")
    beside = [each for each in (calibration, metadata) if each is not None]
    check_name(out_file, [poses, *beside])
    keys = _sensor_keys(sensor, calibration, columns)
    if null is not None:
        make_folders(null)
    start, recorded = read_poses(poses), read_clouds(clouds, metadata=metadata)
    check_name(out_file, cloud_files(clouds))
    settings = _without(
        TwinSettings(
            max_range_m=max_range,
            voxel_m=voxel,
            albedo_voxel_m=3 * voxel,
            depth=depth,
            law=SignalLaw(incidence=ROUGH, range_exponent=2.0 if signal else 0.0),
        ),
        refine=refine,
        carve=carve,
    )
    in_map = ~_rows(leave_out, len(recorded))
    made = build(recorded, start.world_from_sensor, settings, in_map=in_map)
    product = Product(white=white, law=settings.law.incidence, sensor=keys)
    config = write_product(out_file, made, product)
    for what, number in made.counts.items():
        tell(f"{what}: {number:,}")
    tell(f"osi-lidar scan --config {config}")
    if null is not None:
        _null_test(config, made.world_from_sensor, in_map, settings, null)


def _null_test(
    config: Path,
    poses: NDArray[np.float64],
    in_map: NDArray[np.bool_],
    settings: TwinSettings,
    folder: Path,
) -> None:
    """Make the null test of a twin at the clouds beside its map, or at all if none is beside it."""
    from lidar_gap.twin.null import AGAIN, FIRST, null_test
    from osi_lidar.config import load_config

    seen = poses if in_map.all() else poses[~in_map]
    found = null_test(load_config(config), poses[in_map], seen, settings, folder)
    tell(
        f"null test: median {1e3 * found.median_m:.1f} mm, IoU {found.iou:.3f}\n"
        f"osi-lidar compare REAL SIM --null {folder / FIRST} {folder / AGAIN}"
    )


def _sensor_keys(
    sensor: str | None, calibration: Path | None, columns: int | None
) -> dict[str, object]:
    """Return the keys of the sensor in the configuration; errors are told before all the work."""
    from pydantic import ValidationError

    from osi_lidar.config import Sensor
    from osi_lidar.config.models import DEFAULT_SENSOR
    from osi_lidar.scan.build import scan_pattern

    keys: dict[str, object] = {}
    if calibration is not None:
        keys["calibration"] = str(calibration.absolute())
    if sensor is not None or calibration is None:
        keys["preset"] = sensor or DEFAULT_SENSOR
    if columns is not None:
        keys["columns"] = columns
    try:
        scan_pattern(Sensor.model_validate(keys))
    except ValidationError as error:
        raise ConfigurationError(error.errors()[0]["msg"]) from None
    return keys


def _without(settings: TwinSettings, *, refine: bool, carve: bool) -> TwinSettings:
    """Return settings without the stages that are switched off."""
    from dataclasses import replace

    return replace(
        settings,
        rounds=settings.rounds if refine else None,
        carving=settings.carving if carve else None,
    )


def _rows(text: str | None, n: int) -> NDArray[np.bool_]:
    """Return which of n clouds a text such as ``0:24,30:177:5,180`` names, bool (n,)."""
    import numpy as np  # imported here to keep --help fast

    chosen = np.zeros(n, dtype=bool)
    for part in (text or "").split(","):
        if not part.strip():
            continue
        try:
            numbers = [int(word) if word.strip() else None for word in part.split(":")]
            span = slice(*numbers) if len(numbers) > 1 else numbers[0]
            chosen[span] = True
        except (ValueError, TypeError, IndexError):
            raise InputError(
                f"--leave-out: got {part.strip()!r}, expected rows of the {n} clouds, such as "
                "5, 0:24 or 30:177:5"
            ) from None
    return chosen

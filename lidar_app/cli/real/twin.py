# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``gap twin``."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import known_sensors
from lidar_app.cli.parts.console import tell
from lidar_app.cli.parts.options import (
    CalibrationOption,
    ColumnsOption,
    MetadataOption,
    SourceOption,
)
from lidar_app.cli.parts.parameters import OUT, OUTPUT, SENSOR, argument, option, switch
from osi_lidar.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from lidar_gap.layout import Layout
    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.actors.labelled import Labelled
    from lidar_gap.twin.building import Twin, TwinSettings
    from lidar_gap.twin.files import Product


NullTestOption = Annotated[
    Path | None,
    option(
        "DIR",
        "Build a twin of the twin, too, and write scans of both for compare --null. "
        "Default: no null test.",
        OUTPUT,
    ),
]


@dataclass(frozen=True)
class UnitOptions:
    """Values of options of ``osi-lidar gap twin`` for the sensor that recorded the clouds.

    Attributes
    ----------
    sensor : str or None
        Name of the known sensor; None: the sensor of `calibration`, or without it an OS1-128.
    calibration : Path or None
        The maker's calibration file of the unit; None: the angles of the known sensor.
    columns : int or None
        Columns per turn, where the sensor offers a choice; None: the sensor's own number.
    metadata : Path or None
        The maker's file that is needed to decode packets; None: none.
    source : str or None
        Sender, topic or sensor to read from a recording of several; None: the only one.
    """

    sensor: str | None = option(
        "NAME",
        "Known sensor that made the clouds. Default: the sensor of --calibration, else OS1-128.",
        SENSOR,
        complete=known_sensors,
    )
    calibration: CalibrationOption = None
    columns: ColumnsOption = None
    metadata: MetadataOption = None
    source: SourceOption = None

    @property
    def preset(self) -> str | None:
        """Name of the known sensor, whose figures (preset) are used.

        It is `sensor` if given; else None with `calibration`, or the default sensor without it.
        """
        from osi_lidar.config.models import DEFAULT_SENSOR

        return self.sensor or (DEFAULT_SENSOR if self.calibration is None else None)

    def keys(self) -> dict[str, object]:
        """Return the options as keys and values of a sensor in a configuration.

        Keys are "calibration" (an absolute path), "preset" and "columns"; options that are not
        given have no key. Raise ConfigurationError if a value is invalid, and PatternError if
        the columns make too many beams.
        """
        from pydantic import ValidationError

        from osi_lidar.config import Sensor
        from osi_lidar.scan.from_config import scan_pattern

        keys: dict[str, object] = {}
        if self.calibration is not None:
            keys["calibration"] = str(self.calibration.absolute())
        if self.preset is not None:
            keys["preset"] = self.preset
        if self.columns is not None:
            keys["columns"] = self.columns
        try:
            scan_pattern(Sensor.model_validate(keys))
        except ValidationError as error:
            raise ConfigurationError(error.errors()[0]["msg"]) from None
        return keys

    def layout(self) -> Layout:
        """Return the rings (lasers) and columns of the sensor, as of a range image.

        Errors are raised as by `keys`.
        """
        from lidar_gap.layout import sensor_layout
        from osi_lidar.config import Sensor

        return sensor_layout(Sensor.model_validate(self.keys()))


@dataclass(frozen=True)
class TwinOptions:
    """Values of options of ``osi-lidar gap twin``, which builds a mesh from recorded clouds.

    Attributes
    ----------
    leave_out : str or None
        Clouds that get a pose but do not shape the mesh, by their indices from 0, such as
        "0:24,30:177:5"; None: none.
    actors : Path or None
        Table of labelled boxes with track ids; each tracked object gets a moving mesh. None: none.
    max_range : float
        Greatest range of the returns that are used. [m]
    voxel : float
        Edge of the voxels in which points of the map are averaged. [m]
    depth : int
        Depth of the octree of the surface's reconstruction, 4 to 13.
    refine : bool
        Whether the poses are refined by registering each cloud to the map of all clouds that are
        not left out.
    carve : bool
        Whether surfaces that beams have passed through are removed.
    signal : bool
        True: intensities fall with the square of the range. False: the maker has corrected that.
    white : float or None
        Intensity of a white target, with `signal` at a range of 1 m; None: a guess.
    """

    leave_out: str | None = option(
        "ROWS",
        "Clouds that get a pose but do not shape the mesh, such as 0:24,30:177:5. Default: none.",
    )
    actors: Path | None = option(
        "BOXES",
        "Labelled boxes with track ids; each tracked object gets a moving mesh. Default: none.",
    )
    max_range: float = option(
        "METRES", "Farthest returns to use.", default=30.0, limits=(1.0, None)
    )
    voxel: float = option("METRES", "Size of the map's voxels.", default=0.02, limits=(1e-3, 1.0))
    depth: int = option("N", "Depth of the octree of the surface.", default=11, limits=(4, 13))
    refine: bool = switch("Refine the poses: register each cloud to all others.", default=True)
    carve: bool = switch("Remove surfaces that beams have passed through.", default=True)
    signal: bool = switch(
        "Intensities fall with the square of the range. Default: the maker corrects that."
    )
    white: float | None = option(
        "VALUE", "Intensity of a white target (with --signal: at 1 m). Default: a guess."
    )

    def settings(self, unit: UnitOptions) -> TwinSettings:
        """Return the settings for building a mesh that these options state.

        Without `refine`, `TwinSettings.rounds` is None; without `carve`, `TwinSettings.carving` is
        None.

        Parameters
        ----------
        unit : UnitOptions
            The sensor; with `signal`, its law of the signal is used.

        Raises
        ------
        InputError
            If `max_range`, `voxel` or `white` is not a finite number above 0.
        ConfigurationError
            If `signal` is given, and the sensor is unknown, or it counts photons and its options
            are invalid.
        """
        from lidar_gap.twin.building import TwinSettings
        from lidar_gap.twin.reflectivity.albedo import ROUGH, SignalLaw
        from lidar_gap.twin.reflectivity.known_law import law_of

        given = {"--max-range": self.max_range, "--voxel": self.voxel, "--white": self.white}
        for name, value in given.items():
            if value is not None and not 0.0 < value < math.inf:
                raise InputError(f"{name}: got {value:g}, expected a finite number above 0")
        law = SignalLaw(incidence=ROUGH, range_exponent=0.0)
        if self.signal:
            law = law_of(unit.preset)
        settings = TwinSettings(
            max_range_m=self.max_range,
            voxel_m=self.voxel,
            albedo_voxel_m=3 * self.voxel,
            depth=self.depth,
            law=law,
            beams=None if law.counts is None else unit.layout(),
        )
        return replace(
            settings,
            rounds=settings.rounds if self.refine else None,
            carving=settings.carving if self.carve else None,
        )


def twin(
    clouds: Annotated[Path, argument("CLOUDS", "Clouds of one sensor: a folder or a file.")],
    poses: Annotated[
        Path, argument("POSES", "Pose of the sensor in each cloud (CSV, TUM, KITTI, 4x4).")
    ],
    out_file: Path = option(
        "FILE", "Mesh to write (GLB, PLY); more files beside it.", *OUT, default=Path("twin.glb")
    ),
    null: NullTestOption = None,
    *,
    unit: UnitOptions,
    options: TwinOptions,
) -> None:
    """Build a mesh with materials from recorded clouds and poses; simulated sensors can scan it."""
    from lidar_base.files.own_files import check_claim
    from lidar_gap.reading import cloud_files, read_clouds
    from lidar_gap.twin.building import build
    from lidar_gap.twin.files import Product, check_name, product_files
    from lidar_gap.twin.null_test import make_folders
    from osi_lidar.run.pose_files import read_poses

    keys = unit.keys()
    settings = options.settings(unit)
    beside = (poses, unit.calibration, unit.metadata, options.actors)
    check_name(out_file, [each for each in beside if each is not None])
    check_claim(*product_files(out_file))
    if null is not None:
        make_folders(null)
    start = read_poses(poses)
    recorded = read_clouds(clouds, metadata=unit.metadata, source=unit.source)
    check_name(out_file, cloud_files(clouds))
    in_map = ~_rows(options.leave_out, len(recorded))
    labelled = _labelled(options.actors, recorded, in_map, start.time_s, out_file)
    aside = None if labelled is None else labelled.aside()
    made = build(recorded, start.world_from_sensor, settings, in_map=in_map, aside=aside)
    product = Product(white=options.white, law=settings.law.incidence, sensor=keys)
    config = _write(out_file, made, product, labelled, settings)
    if null is not None:
        _null_test(config, made.world_from_sensor, in_map, settings, null)


def _labelled(
    table: Path | None,
    recorded: Sequence[ScanCloud],
    in_map: NDArray[np.bool_],
    time_s: NDArray[np.float64] | None,
    out_file: Path,
) -> Labelled | None:
    """Return the labelled objects of the clouds, None without a table; check their output files.

    ``in_map`` marks the clouds from which the bodies of objects are built, bool (n,).
    """
    if table is None:
        return None
    from lidar_gap.twin.actors.labelled import Labelled

    labelled = Labelled.read(table, recorded, in_map, time_s)
    labelled.check(out_file)
    return labelled


def _write(
    out_file: Path, made: Twin, product: Product, labelled: Labelled | None, settings: TwinSettings
) -> Path:
    """Write static scene and moving objects, print counts, and return the configuration file."""
    from lidar_gap.twin.files import white_of, write_product

    if labelled is None:
        config = write_product(out_file, made, product)
    else:
        white = white_of(made) if product.white is None else product.white
        actors = labelled.actors(settings.law, white)
        values = {each.reflectivity for each in actors if math.isfinite(each.reflectivity)}
        product = replace(product, white=white, bodies=tuple(sorted(values)))
        config = write_product(out_file, made, product)
        trace = labelled.write(out_file, actors, made.world_from_sensor)
    for what, number in made.counts.items():
        tell(f"{what}: {number:,}")
    tell(f"osi-lidar scan --config {config}")
    if labelled is not None:
        tell(f"actors: {len(actors):,}, with a body: {sum(a.body is not None for a in actors):,}")
        tell(f"osi-lidar replay {trace} --config {config}")
    return config


def _null_test(
    config: Path,
    poses: NDArray[np.float64],
    in_map: NDArray[np.bool_],
    settings: TwinSettings,
    folder: Path,
) -> None:
    """Run the null test at the poses of clouds outside of the mesh, or at all poses if none is."""
    from lidar_gap.twin.null_test import AGAIN, FIRST, null_test
    from osi_lidar.config import load_config

    seen = poses if in_map.all() else poses[~in_map]
    found = null_test(load_config(config), poses[in_map], seen, settings, folder)
    tell(
        f"null test: median {1e3 * found.median_m:.1f} mm, IoU {found.iou:.3f}\n"
        f"osi-lidar gap compare REAL SIM --null {folder / FIRST} {folder / AGAIN}"
    )


def _rows(text: str | None, n: int) -> NDArray[np.bool_]:
    """Return a mask of the clouds that a text such as ``0:24,30:177:5,180`` names, bool (n,)."""
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

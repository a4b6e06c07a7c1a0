# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The folder of a run that has ended, as a record."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from lidar_base.files.json_files import finite_json
from lidar_base.files.shown_paths import actual_values
from lidar_base.files.whole_files import check_regular
from lidar_base.near_match import near_match
from osi_lidar.clouds.cloud import NEAR_IR, point_type, with_near_ir
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.config import Mounting
from osi_lidar.config.values import FolderName
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import TABLE_NAME, FrameRow, read_frame_table
from osi_lidar.output.run_folder import REPORT_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

_NAME = TypeAdapter(FolderName)
_FIELDS = with_near_ir(
    np.empty(0, point_type(timed=True, several=True, received=True, moving=True))
).dtype
_MEASURED = ("x", "y", "z", "intensity", "reflectivity", "range", *(f"normal_{a}" for a in "xyz"))
_OPTIONAL = set(_FIELDS.names or ()) - set(point_type().names or ())


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSensor:
    """A sensor of a run.

    Attributes
    ----------
    name : str
        Name of the sensor, and of the folder of its clouds.
    settings : mapping
        The sensor's entry in the configuration in run.json.
    """

    name: str
    settings: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredScan:
    """A scan of a run: the row of frames.csv, and the cloud that it has or repeats.

    Attributes
    ----------
    row : FrameRow
        Frame, sensor, times and poses.
    path : Path
        The cloud (PCD); scans that repeat a cloud name the same file.
    """

    row: FrameRow
    path: Path

    def __repr__(self) -> str:
        row = self.row
        return f"StoredScan({row.sensor} {row.frame} at {row.end_ns / 1e9:.3f} s: {self.path.name})"

    def points(self) -> NDArray[Any]:
        """Read the cloud.

        Returns
        -------
        structured (n_point,)
            Rows with the fields of the file.

        Raises
        ------
        InputError
            If the file is absent or damaged, its number of points is not as in frames.csv, or
            `check_fields` refuses its fields.
        """
        points = read_pcd(self.path)
        if len(points) != self.row.points:
            raise InputError(
                f"{self.path}: got {len(points)} points, expected {self.row.points} as in "
                f"{TABLE_NAME}"
            )
        check_fields(self.path, points)
        return points


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """The content of the folder of a run.

    Attributes
    ----------
    folder : Path
        The folder.
    report : mapping
        The content of run.json.
    sensors : tuple of StoredSensor
        In the order of the configuration.
    materials : tuple of str
        Names of the infrared materials; a point's ``material_id`` is an index into them.
    rows : tuple of FrameRow
        The rows of frames.csv, also rows without a cloud.

    Examples
    --------
    >>> for scan in osi_lidar.open_run("run").chosen(sensors=["roof"]).scans:
    ...     print(scan.row.sensor, len(scan.points()) == scan.row.points)
    roof True
    roof True
    """

    folder: Path
    report: Mapping[str, Any]
    sensors: tuple[StoredSensor, ...]
    materials: tuple[str, ...]
    rows: tuple[FrameRow, ...]

    def __repr__(self) -> str:
        sensors = ", ".join(each.name for each in self.sensors)
        n_frames = len({row.frame for row in self.rows})
        return f"StoredRun({self.folder}: {sensors}, frames: {n_frames})"

    @property
    def scans(self) -> Iterator[StoredScan]:
        """The scans that have a cloud, in the order of frames.csv: by frame, then by sensor."""
        return (StoredScan(row=row, path=self.folder / row.file) for row in self.rows if row.file)

    @property
    def host_object_id(self) -> int | None:
        """OSI id of the vehicle that carries the sensors; None if there is none."""
        host = self.report.get("host_object_id")
        return host if isinstance(host, int) else None

    @property
    def trace(self) -> Path | None:
        """Path of the replayed trace, which may be gone; None if the run was not a replay."""
        described = self.report.get("input")
        name = described.get("file") if isinstance(described, dict) else None
        return Path(name) if isinstance(name, str) else None

    @property
    def sensor_data(self) -> Path | None:
        """Path of the SensorData trace; None if the run did not write one."""
        name = self.report.get("sensor_data")
        return self.folder / name if isinstance(name, str) else None

    @property
    def files(self) -> list[Path]:
        """Files of the run that are read; an output made from the run must not replace them."""
        own = [self.folder / name for name in (REPORT_NAME, TABLE_NAME)]
        traces = [path for path in (self.trace, self.sensor_data) if path is not None]
        return [*own, *traces, *(scan.path for scan in self.scans)]

    def check_clouds(self) -> None:
        """Check that the run has at least one cloud.

        Raises
        ------
        InputError
            If no scan has a cloud.
        """
        if not any(self.scans):
            raise InputError(f"{self.folder}: has no clouds (was it run with output.pcd: none?)")

    def sensor(self, name: str) -> StoredSensor:
        """Return a sensor by its name.

        Raises
        ------
        InputError
            If the run has no such sensor; the text lists near names.
        """
        names = [each.name for each in self.sensors]
        if name not in names:
            raise InputError(
                f"{self.folder}: got sensor {name!r}, expected one of {', '.join(names)}"
                f"{near_match(name, names)}"
            )
        return self.sensors[names.index(name)]

    def mounting(self, sensor: StoredSensor) -> Mounting:
        """Return the mounting of one of the sensors.

        Raises
        ------
        InputError
            If run.json has no mounting of the sensor, or a mounting that is not valid.
        """
        try:
            return Mounting.model_validate(sensor.settings.get("mounting"))
        except ValidationError as error:
            raise InputError(
                f"{self.folder / REPORT_NAME}: sensor {sensor.name} has no usable mounting, "
                "the run is damaged"
            ) from error

    def chosen(
        self, *, sensors: Sequence[str] | None = None, frames: slice = slice(None)
    ) -> StoredRun:
        """Return a copy of this record with only some sensors and frames; no file is changed.

        Parameters
        ----------
        sensors : sequence of str, optional
            Names of the sensors; default: all.
        frames : slice
            Numbers of the frames, as in frames.csv.

        Raises
        ------
        InputError
            If the run has no such sensor, or none of these frames.
        """
        kept = self.sensors if sensors is None else tuple(self.sensor(name) for name in sensors)
        names = {each.name for each in kept}
        wanted = range(*frames.indices(max((row.frame for row in self.rows), default=-1) + 1))
        rows = tuple(row for row in self.rows if row.sensor in names and row.frame in wanted)
        if self.rows and not rows:
            raise InputError(f"{self.folder}: has no frames in the chosen range")
        return replace(self, sensors=kept, rows=rows)


def open_run(folder: str | Path) -> StoredRun:
    """Open the folder of a run, as written by replay, scan or stream.

    Raises
    ------
    InputError
        If the folder holds no run that has ended, or a run that is damaged or too old.

    Examples
    --------
    >>> [scan.row.frame for scan in osi_lidar.open_run("run").scans]
    [0, 1]
    """
    folder = Path(folder)
    report = _report(folder)
    materials = report.get("materials")
    path = folder / REPORT_NAME
    if not (isinstance(materials, list) and all(isinstance(name, str) for name in materials)):
        raise InputError(
            f"{path}: has no list `materials`, as an older version of osi-lidar wrote it; run again"
        )
    sensors, rows = _sensors(path, report), read_frame_table(folder)
    names = [each.name for each in sensors]
    unknown = next((row.sensor for row in rows if row.sensor not in names), None)
    if unknown is not None:
        raise InputError(
            f"{folder / TABLE_NAME}: got sensor {unknown!r}, expected one of {', '.join(names)}"
        )
    return StoredRun(
        folder=folder,
        report=report,
        sensors=sensors,
        materials=tuple(materials),
        rows=tuple(rows),
    )


def check_fields(path: Path, points: NDArray[Any]) -> None:
    """Check that points have the fields of a run's clouds.

    Parameters
    ----------
    path : Path
        File of the points, for error messages.
    points : structured (n_point,)
        The points; other fields are allowed, too. Each field must have the kind that it has in a
        cloud (such as float), but may have another number of bytes.

    Raises
    ------
    InputError
        If a field is absent that every cloud has, or a field is of another kind; if coordinates,
        intensity, reflectivity, range, normal or near infrared are not finite; or if an origin is
        unknown.
    """
    kinds = {name: points.dtype[name].kind for name in points.dtype.names or ()}
    for name in _FIELDS.names or ():
        if name not in kinds and name not in _OPTIONAL:
            raise InputError(f"{path}: has no field {name}, expected a cloud of a run")
        if name in kinds and kinds[name] != _FIELDS[name].kind:
            raise InputError(
                f"{path}: field {name} has the type {points.dtype[name]}, the run is damaged"
            )
    for name in (*_MEASURED, *({NEAR_IR} & {*kinds})):
        if not np.isfinite(points[name]).all():
            raise InputError(
                f"{path}: field {name} has values that are not finite, the run is damaged"
            )
    if len(points) and "origin" in kinds and points["origin"].max() >= len(ORIGINS):
        last = len(ORIGINS) - 1
        got = points["origin"].max()
        raise InputError(
            f"{path}: field origin: got {got}, expected 0 to {last}; the run is damaged"
        )


def _report(folder: Path) -> dict[str, Any]:
    path = folder / REPORT_NAME
    expected = "expected the folder of a run that has ended"
    try:
        check_regular(path)
        content = finite_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder, {expected}") from None
        raise InputError(f"{folder}: has no {REPORT_NAME}, {expected}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not a JSON file, or is damaged: {error}") from error
    actual = actual_values(content)
    return actual if isinstance(actual, dict) else {}


def _sensors(path: Path, report: Mapping[str, Any]) -> tuple[StoredSensor, ...]:
    config = report.get("config")
    entries: Any = config.get("sensors") if isinstance(config, dict) else None
    names: list[str] = []
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        with suppress(ValidationError):
            names = [_NAME.validate_python(entry.get("name")) for entry in entries]
    if not names or len(set(names)) < len(names):
        raise InputError(f"{path}: has no list `config.sensors` with names, the run is damaged")
    return tuple(
        StoredSensor(name=name, settings=entry) for name, entry in zip(names, entries, strict=True)
    )

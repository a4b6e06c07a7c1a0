# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds from any source on a page: alone, or beside the scans of a run."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.page.cloud_chunk import cloud_chunk
from lidar_app.show.page.contents import Contents, PageScans
from lidar_gap.reading import PATH_ALONE, cloud_files, file_columns, read_clouds
from osi_lidar.clouds.npy import read_points
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import FrameRow
from osi_lidar.output.stored import open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.show.page.cloud_chunk import CloudChunk, Rows
    from lidar_gap.reading import Given
    from lidar_gap.records import ScanCloud

FRAME_NS = 100_000_000
"""Assumed time from one cloud to the next, because readers of recordings give no times. [ns]"""
_ONE_CLOUD = "cloud"  # sensor name of clouds without a run
_TOLD = ("intensity", "signal", "ring", "column", "echo", "n_echoes")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedClouds:
    """Clouds that were read from a file or a folder, of any source.

    Attributes
    ----------
    path : Path
        The file or the folder.
    files : list of Path
        Files that the clouds were read from.
    clouds : list of structured (n_point,)
        Clouds with fields x, y and z, in the order of the frames.
    materials : tuple of str
        Names of infrared materials, indexed by ``material_id``; empty if not from a run.
    """

    path: Path
    files: list[Path]
    clouds: list[Rows]
    materials: tuple[str, ...]

    def chosen(self, frames: slice) -> RecordedClouds:
        """Return a copy of the recording with only some of its clouds.

        `frames` is a slice of the indices of the clouds, from 0.

        Raises
        ------
        InputError
            If no cloud is chosen.
        """
        if not (clouds := self.clouds[frames]):
            raise InputError(
                f"{self.path}: has no frames in the chosen range, expected some of its "
                f"{len(self.clouds)} frames, numbered from 0"
            )
        return replace(self, clouds=clouds)

    def contents(self) -> tuple[Contents, PageScans]:
        """Return the contents of a page, without frames, and the sources of its frames.

        Each cloud is a frame. Call `contents.fill` with both to encode the clouds.
        """
        contents = Contents(title=self.path.name, sensors=(_ONE_CLOUD,), materials=self.materials)
        if len(self.clouds) > 1:
            contents.notes.append("plays ten clouds a second, whatever the time between them")
        rows = [
            FrameRow(k, FRAME_NS * k, _ONE_CLOUD, len(cloud), f"cloud {k}", 0, 0, None, None)
            for k, cloud in enumerate(self.clouds)
        ]
        scans = PageScans(groups=[[row] for row in rows], chunk=lambda row: self.chunk(row.frame))
        return contents, scans

    def chunk(self, number: int) -> CloudChunk:
        """Return one of the clouds, encoded for a page; `number` is its index in `clouds`."""
        name = str(self.path) if len(self.clouds) == 1 else f"{self.path}, cloud {number}"
        return cloud_chunk(self.clouds[number], name=name, materials=self.materials)


def with_beside(
    shown: tuple[Contents, PageScans], recording: RecordedClouds, sides: tuple[str, str]
) -> tuple[Contents, PageScans]:
    """Add the clouds of a recording as a second sensor, which the page can show for comparison.

    The recorded clouds and the clouds of the scans are paired in their order: the first with the
    first, and so on. A recorded cloud gets the times and poses of its partner's scans; they may be
    several, because frames can repeat a cloud.

    Parameters
    ----------
    shown : (Contents, PageScans)
        Contents and scans of one sensor. The contents are modified: a note states what has no pair.
    recording : RecordedClouds
        The recording to add.
    sides : (str, str)
        Names for the scans and for the recording.

    Returns
    -------
    (Contents, PageScans)
        The same contents, and scans that include the recorded clouds.

    Raises
    ------
    InputError
        If there are several sensors.
    """
    contents, scans = shown
    name = _name_beside(contents.sensors)
    order = dict.fromkeys(row.file for rows in scans.groups for row in rows)
    numbers = {file: n for n, file in enumerate(order) if n < len(recording.clouds)}
    keys = {f"{name} {number}": number for number in numbers.values()}

    def chunk(row: FrameRow) -> CloudChunk:
        return recording.chunk(keys[row.file]) if row.file in keys else scans.chunk(row)

    def beside(row: FrameRow) -> FrameRow:
        return row._replace(sensor=name, file=f"{name} {numbers[row.file]}")

    groups = [
        [*rows, *(beside(row) for row in rows if row.file in numbers)] for rows in scans.groups
    ]
    contents.notes += _unpaired(len(order), recording)
    contents.sensors, contents.sides = (*contents.sensors, name), sides
    contents.materials = tuple(dict.fromkeys((*contents.materials, *recording.materials)))
    return contents, replace(scans, groups=groups, chunk=chunk)


def _name_beside(sensors: tuple[str, ...]) -> str:
    """Return a name for the recording; raise InputError if there are several sensors."""
    if len(sensors) > 1:
        names = ", ".join(sensors)
        raise InputError(
            f"--beside: the run has the sensors {names}; choose the one to compare with the "
            "recording by --sensor"
        )
    return "recorded" if sensors != ("recorded",) else "recorded beside"


def _unpaired(n_scan: int, recording: RecordedClouds) -> list[str]:
    """Return a note if not all scans and clouds are paired."""
    n_cloud = len(recording.clouds)
    if n_scan == n_cloud:
        return []
    last = "scans have nothing beside them" if n_scan > n_cloud else "ones are out"
    clouds = f"the clouds of {recording.path.name} ({n_cloud})"
    return [f"pairs scans ({n_scan}) with {clouds} in their order: the last {last}"]


def read_recording(path: Path, given: Given = PATH_ALONE) -> RecordedClouds:
    """Read the clouds of a file or a folder, of all formats of `lidar_gap.reading`.

    Tables of points, such as PCD and LAS, keep all columns, and may be in coordinates of a map.

    Parameters
    ----------
    path : Path
        The file or the folder.
    given : Given, optional
        Metadata that a recording of packets needs, and which source to read; see `read_clouds`.

    Raises
    ------
    InputError
        If the file or folder cannot be read.
    """
    try:
        files = cloud_files(path)
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    clouds = [cloud for file in files for cloud in _clouds(file, given)]
    return RecordedClouds(path=path, files=files, clouds=clouds, materials=_materials_of(path))


def _materials_of(path: Path) -> tuple[str, ...]:
    """Return the materials of the run that clouds belong to; empty without a run."""
    absolute = path.absolute()
    for folder in (absolute, *absolute.parents[:2]):
        with suppress(InputError):
            return open_run(folder).materials
    return ()


def _clouds(file: Path, given: Given) -> list[Rows]:
    suffix = file.suffix.lower()
    if suffix == ".pcd":
        return [read_points(file)]
    if suffix == ".npy":
        return [_numpy_rows(file)]
    columns = file_columns(file) if file.is_file() else None
    if columns is not None:
        return [_rows(columns)]
    return [
        _rows(_columns(cloud))
        for cloud in read_clouds(file, metadata=given.metadata, source=given.source)
    ]


def _numpy_rows(file: Path) -> Rows:
    """Return structured rows of a NumPy file; plain arrays are x y z and perhaps intensity."""
    try:
        return read_points(file)
    except InputError:
        with suppress(InputError):
            if columns := file_columns(file):
                return _rows(columns)
        raise


def _columns(cloud: ScanCloud) -> Mapping[str, NDArray[np.generic]]:
    """Return the known columns of a cloud, named as in osi-lidar's clouds."""
    columns = dict(zip("xyz", cloud.points_m.T, strict=True))
    if cloud.states_range:
        columns["range"] = cloud.range_m
    told = {name: getattr(cloud, name) for name in _TOLD}
    if cloud.time_s is not None:
        told["time_ns"] = np.rint(cloud.time_s * 1e9).astype(np.int64)
    return columns | {name: values for name, values in told.items() if values is not None}


def _rows(columns: Mapping[str, NDArray[np.generic]]) -> Rows:
    """Return columns as structured rows; names in lower case, as LAS has X Y Z."""
    by_name = {name.lower(): values for name, values in columns.items()}
    n_point = len(next(iter(by_name.values()), ()))
    rows = np.zeros(n_point, [(name, values.dtype) for name, values in by_name.items()])
    for name, values in by_name.items():
        rows[name] = values
    return rows

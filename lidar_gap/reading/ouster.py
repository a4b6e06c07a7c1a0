# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds from recordings of Ouster sensors (pcap with metadata, OSF), by the maker's library."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lidar_base.files.bounds import MOST_TEXT_BYTES
from lidar_base.files.json_files import finite_json
from lidar_base.files.small_files import read_small_file
from lidar_gap.reading.columns import number_echoes, with_columns
from lidar_gap.reading.sources import PATH_ALONE, RecordedSource, chosen_source
from lidar_gap.reading.tables import damage_as_input_error
from lidar_gap.records import ScanCloud
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    from lidar_gap.reading.sources import Given

NO_OUSTER = "ouster-sdk is not installed: pip install 'osi-lidar[recordings]'"
_EXPECTED = "a recording of an Ouster sensor with its metadata (JSON)"
_COUNTS = ("columns_per_frame", "columns_per_packet", "pixels_per_column")
_RETURNS = (("RANGE", "SIGNAL", "REFLECTIVITY"), ("RANGE2", "SIGNAL2", "REFLECTIVITY2"))


class _Sensor(Protocol):
    """The attributes used here of the Ouster library's sensor information."""

    sn: int
    prod_line: str
    format: Any


class _Recording(Protocol):
    """An open recording of the Ouster library: yields a frame or None for each sensor."""

    sensor_info: list[_Sensor]

    def __iter__(self) -> Iterator[Mapping[int, object]]: ...

    def close(self) -> None:
        """Close the files of the recording."""


def read_ouster(path: Path, given: Given = PATH_ALONE) -> list[ScanCloud]:
    """Read a capture (pcap) or an OSF file into one cloud per frame.

    Rings are the maker's rows, counted from the top. A column holds the points that were fired at
    the same time; their azimuths differ (a "staggered" image). Points are in the sensor frame.
    Ranges are as reported; they count from a point before the beam leaves the optics.

    Parameters
    ----------
    path : Path
        The recording.
    given : Given
        ``metadata``: metadata (JSON) of a capture; by default, files whose names begin like the
        recording's. ``source``: sensor to read, by serial number or index.

    Raises
    ------
    InputError
        If the library is not installed, the recording has no frame, or it has several sensors and
        none is chosen.
    """
    core = _library(path, "ouster.sdk.core")
    clouds: list[ScanCloud] = []
    with damage_as_input_error(path, _EXPECTED):
        source = _opened(path, given.metadata)
        try:
            number = chosen_source(path, _sensors(source), given.source)
            table = core.XYZLut(source.sensor_info[number], use_extrinsics=False)
            frames = (each for frames in source if (each := frames[number]) is not None)
            for frame in frames:
                clouds.append(_cloud(f"{path.stem}-{len(clouds):06d}", frame, table))
        finally:
            source.close()
    if not clouds:
        raise InputError(f"{path}: has no complete frame of an Ouster sensor")
    return clouds


def check_senders(path: Path, metadata: Path | None, twins: Sequence[RecordedSource]) -> None:
    """Check that packets of several Ouster sensors are not decoded as if one sensor sent them.

    Packets of the profile LEGACY do not state which sensor sent them. So metadata of a single
    sensor would decode the packets of all senders.

    Parameters
    ----------
    path : Path
        The capture (pcap).
    metadata : Path or None
        Metadata (JSON) of the sensor; None for the files beside the capture.
    twins : sequence of RecordedSource
        Senders of packets of the same largest size, from `Capture.twins`. If there are none,
        nothing is read or checked.

    Raises
    ------
    InputError
        If there are several senders, but the metadata describes only one sensor, of the profile
        LEGACY. Also if the library is not installed, or the capture is damaged.
    """
    if not twins:
        return
    with damage_as_input_error(path, _EXPECTED):
        source = _opened(path, metadata)
        try:
            (first, *others) = source.sensor_info
            if not others and str(first.format.udp_profile_lidar) == "LEGACY":
                raise InputError(
                    f"{path}: has {len(twins)} senders, but metadata of one Ouster sensor, "
                    f"expected a capture of one sender: {'; '.join(map(str, twins))}"
                )
        finally:
            source.close()


def ouster_sensors(path: Path, metadata: Path | None = None) -> list[RecordedSource]:
    """Return the sensors of an Ouster recording: serial number, product line and index.

    Parameters
    ----------
    path : Path
        A capture (pcap) or an OSF file.
    metadata : Path, optional
        Metadata (JSON) of a capture; by default, files whose names begin like the recording's.

    Raises
    ------
    InputError
        If the library is not installed, or the recording or its metadata is missing or damaged.
    """
    with damage_as_input_error(path, _EXPECTED):
        source = _opened(path, metadata)
        try:
            return _sensors(source)
        finally:
            source.close()


def _library(path: Path, name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise InputError(f"{path}: {NO_OUSTER}") from error


def _opened(path: Path, metadata: Path | None) -> _Recording:
    """Return the recording, opened by the Ouster library."""
    if path.suffix.lower() != ".osf":  # OSF files contain their metadata
        known = _library(path, "ouster.sdk.util.metadata").resolve_metadata_multi
        for file in known(str(path)) if metadata is None else [str(metadata)]:
            _check_layout(Path(file))
    given = {} if metadata is None else {"meta": [str(metadata)]}
    opened: _Recording = _library(path, "ouster.sdk").open_source(str(path), **given)
    return opened


def _check_layout(metadata: Path) -> None:
    """Check numbers of the metadata by which the library divides without a check."""
    try:
        data = finite_json(read_small_file(metadata, MOST_TEXT_BYTES))
    except ValueError as error:
        raise InputError(f"{metadata}: {error}") from None
    sections = data if isinstance(data, dict) else {}
    for section in ("lidar_data_format", "data_format"):
        layout = sections.get(section)
        for key in _COUNTS:
            count = layout.get(key, 1) if isinstance(layout, dict) else 1
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                raise InputError(
                    f"{metadata}: {section}.{key}: got {count!r:.20}, expected 1, 2, .."
                )


def _sensors(source: _Recording) -> list[RecordedSource]:
    """Return the sensors of a recording: serial number, product line, index."""
    return [
        RecordedSource(str(info.sn), f"Ouster {info.prod_line}", also=(str(number),))
        for number, info in enumerate(source.sensor_info)
    ]


def _cloud(name: str, frame: Any, table: Any) -> ScanCloud:  # noqa: ANN401
    """Return the first and second returns of a frame as a cloud."""
    present = [names for names in _RETURNS if frame.has_field(names[0])]
    valid = (np.asarray(frame.status) & 1).astype(bool)
    parts = [_one_return(frame, table, names, valid) for names in present]
    columns = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
    if not np.isfinite(columns["points_m"]).all():
        raise ValueError("its metadata lead to points that are not finite")
    beam = columns["ring"].astype(np.int64) * frame.w + columns["column"]
    kept, echo, n_echoes = number_echoes(beam, columns["range_m"])
    turned = columns["column"] / frame.w
    cloud = ScanCloud(
        name=name,
        points_m=columns["points_m"],
        range_m=columns["range_m"],
        states_range=True,
        ring=columns["ring"],
        column=columns["column"],
        azimuth_deg=180.0 - 360.0 * turned,
        time_s=columns["time_s"],
    )
    optional = {key: columns[key] for key in ("intensity", "signal") if key in columns}
    return with_columns(cloud, echo=echo, n_echoes=n_echoes, **optional).rows(kept)


def _one_return(
    frame: Any,  # noqa: ANN401
    table: Any,  # noqa: ANN401
    names: tuple[str, str, str],
    valid: NDArray[np.bool_],
) -> dict[str, NDArray[Any]]:
    """Return the columns of the first or the second return of each beam."""
    range_name, signal_name, reflectivity_name = names
    range_mm = np.asarray(frame.field(range_name))
    row, column = np.nonzero(range_mm * valid[np.newaxis, :])
    stamp_ns = np.asarray(frame.timestamp).astype(np.int64)
    first_ns = stamp_ns[valid].min() if valid.any() else 0
    found: dict[str, NDArray[Any]] = {
        "points_m": np.asarray(table(range_mm))[row, column].astype(np.float64),
        "range_m": range_mm[row, column] * 1e-3,
        "ring": row.astype(np.int32),
        "column": column.astype(np.int32),
        "time_s": (stamp_ns[column] - first_ns) * 1e-9,
    }
    for key, name in (("signal", signal_name), ("intensity", reflectivity_name)):
        if frame.has_field(name):
            found[key] = np.asarray(frame.field(name))[row, column].astype(np.float32)
    return found

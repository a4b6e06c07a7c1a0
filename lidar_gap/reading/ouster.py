# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Clouds from recordings of Ouster sensors (pcap with metadata, OSF), by the maker's library."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_gap.reading.columns import number_echoes, with_columns
from lidar_gap.reading.tables import damage_told
from lidar_gap.records import ScanCloud
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

NO_OUSTER = "ouster-sdk is not installed: pip install 'osi-lidar[recordings]'"
_RETURNS = (("RANGE", "SIGNAL", "REFLECTIVITY"), ("RANGE2", "SIGNAL2", "REFLECTIVITY2"))


def read_ouster(path: Path, metadata: Path | None = None) -> list[ScanCloud]:
    """Read a capture (pcap) or an OSF file, a cloud for each frame.

    Rows are the maker's, counted from the top; a column is a measurement, and its points are those
    that were fired then: the image is staggered. Points are in the sensor frame, and the range is
    as reported, which counts from before the beam leaves the optics.

    Parameters
    ----------
    path : Path
        The recording.
    metadata : Path or None
        Metadata (JSON) of a capture; None for the file that begins with the same name.

    Raises
    ------
    InputError
        If the library is not installed, or the recording has no frame or not one sensor.
    """
    try:
        sdk, core = import_module("ouster.sdk"), import_module("ouster.sdk.core")
    except ImportError as error:
        raise InputError(f"{path}: {NO_OUSTER}") from error
    given: dict[str, Any] = {} if metadata is None else {"meta": [str(metadata)]}
    clouds: list[ScanCloud] = []
    with damage_told(path, "a recording of an Ouster sensor with its metadata (JSON)"):
        source: Any = sdk.open_source(str(path), **given)
        try:
            infos = source.sensor_info
            if len(infos) != 1:
                raise InputError(f"{path}: has {len(infos)} sensors, expected one")
            table = core.XYZLut(infos[0], use_extrinsics=False)
            for frame in (each for frames in source for each in frames if each is not None):
                clouds.append(_cloud(f"{path.stem}-{len(clouds):06d}", frame, table))
        finally:
            source.close()
    if not clouds:
        raise InputError(f"{path}: has no frame of an Ouster sensor")
    return clouds


def _cloud(name: str, frame: Any, table: Any) -> ScanCloud:  # noqa: ANN401
    """Return the points of a frame, of both returns."""
    present = [names for names in _RETURNS if frame.has_field(names[0])]
    valid = (np.asarray(frame.status) & 1).astype(bool)
    parts = [_one_return(frame, table, names, valid) for names in present]
    columns = {key: np.concatenate([part[key] for part in parts]) for key in parts[0]}
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

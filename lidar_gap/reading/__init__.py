# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of point clouds from files of many formats into `ScanCloud` records."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from lidar_base.files.natural_order import in_natural_order
from lidar_base.files.sources import ONE_SOURCE
from lidar_base.files.whole_files import check_regular
from lidar_base.unfollowed import Unfollowed
from lidar_gap.reading import las, ouster, tables
from lidar_gap.reading.bag_files import METADATA
from lidar_gap.reading.captures import CAPTURES, read_capture
from lidar_gap.reading.columns import with_columns
from lidar_gap.reading.hesai import hesai_clouds, hesai_name, is_hesai
from lidar_gap.reading.mcap_files import viewer_clouds
from lidar_gap.reading.packets import (
    MCAP,
    ROS_1,
    SQLITE,
    Packets,
    bag_content,
    bag_types,
    topics_of,
)
from lidar_gap.reading.pcd import read_pcd_cloud
from lidar_gap.reading.sources import PATH_ALONE, Given, RecordedSource, chosen_source
from lidar_gap.reading.velodyne import velodyne_clouds, velodyne_name
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from lidar_gap.reading.columns import Columns
    from lidar_gap.records import ScanCloud

__all__ = [
    "FORMATS",
    "PATH_ALONE",
    "Format",
    "Given",
    "RecordedSource",
    "cloud_files",
    "file_columns",
    "read_clouds",
    "recording_sources",
]

_HEAD_BYTES = 16
_OF_BAGS = (".db3", ".mcap")  # files of bags; a bag is read as a whole


def read_clouds(
    path: Path, *, metadata: Path | None = None, source: str | None = None
) -> list[ScanCloud]:
    """Read the clouds of a file, or of the files of a folder in natural order.

    Parameters
    ----------
    path : Path
        A file of one of `FORMATS`, a folder of such files, the folder of a ROS bag, or the folder
        of a run of osi-lidar with one sensor.
    metadata : Path, optional
        File that a recording of packets needs: Ouster metadata (JSON), Hesai angle correction
        (CSV), or calibration of a Velodyne unit (YAML).
    source : str, optional
        Source to read if a recording has several: ADDRESS[:PORT] in a capture, topic of a bag or an
        MCAP file, serial number or index of an Ouster sensor. Default: the only source; sources are
        never mixed.

    Returns
    -------
    list of ScanCloud
        At least one, in the order of the frames.

    Raises
    ------
    InputError
        If there are no clouds, a file is damaged or needs a library that is not installed, or the
        source is not clear. The message is one line: file, what is wrong, what was expected.
    """
    with _readable(path, metadata):
        given = Given(metadata, source)
        return [cloud for file in cloud_files(path) for cloud in _read_file(file, given)]


@contextmanager
def _readable(path: Path, metadata: Path | None = None) -> Iterator[None]:
    """Raise InputError in place of OSError in a block that reads a path, and if it is absent."""
    try:
        check_regular(path)
        if not path.exists():
            raise InputError(f"{path}: no such file or folder")
        if metadata is not None and not metadata.is_file():
            raise InputError(f"{metadata}: no such file")
        yield
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error


def cloud_files(path: Path) -> list[Path]:
    """Return the files that `read_clouds` reads, in natural order; for a file, only this file.

    In a folder, these are the clouds of one format: the first of `FORMATS` that occurs. A folder
    without clouds may contain a folder with clouds; then that folder's files are returned. If there
    is none either, the MCAP files are returned. For the folder of a ROS bag, the result is the path
    of this folder.

    Raises
    ------
    InputError
        If a folder holds no clouds, or several folders of clouds.
    """
    return _files(path) if path.is_dir() and not _is_bag(path) else [path]


def file_columns(path: Path) -> Columns | None:
    """Return all numeric columns of a PLY, LAS, LAZ or npy file, by their names in the file.

    In contrast to `read_clouds`, the coordinates may be map coordinates, with numbers too large for
    a sensor frame.

    Parameters
    ----------
    path : Path
        The file. Its first bytes decide on its format, or else the ending of its name.

    Returns
    -------
    dict of str to ndarray (n_point,), or None
        None for folders, recordings, and all other formats.

    Raises
    ------
    InputError
        If the file does not exist, cannot be read, is empty or damaged, or needs a library that is
        not installed.
    """
    with _readable(path):
        found = None if path.is_dir() else _format(path)
        return None if found is None or found.columns is None else found.columns(path)


def recording_sources(path: Path, *, metadata: Path | None = None) -> list[RecordedSource]:
    """Return the senders, topics or sensors in a recording, even those that yield no clouds.

    Parameters
    ----------
    path : Path
        A capture, a bag or its folder, an MCAP file, or a recording of Ouster sensors.
    metadata : Path, optional
        Metadata (JSON) of Ouster sensors, if the capture needs it; by default, the files beside
        the recording.

    Returns
    -------
    list of RecordedSource
        Name and description of each source. Empty for a file that is not a recording.

    Raises
    ------
    InputError
        If the recording or the metadata does not exist, the recording cannot be read or is damaged,
        or it needs a library that is not installed.
    """
    with _readable(path, metadata):
        return _sources(path, metadata)


def _sources(path: Path, metadata: Path | None) -> list[RecordedSource]:
    """Return the sources in a path that exists."""
    if path.is_dir():
        return topics_of(bag_types(path), all_kinds=True) if _is_bag(path) else []
    head = _head(path)
    if head.startswith(CAPTURES):
        senders = read_capture(path).sources
        with suppress(InputError):
            if not any(each.is_usable for each in senders):
                return [*senders, *ouster.ouster_sensors(path, metadata)]
        return senders
    if head.startswith((ROS_1, SQLITE, MCAP)):
        return topics_of(bag_types(path), all_kinds=True)
    if path.suffix.lower() == ".osf":
        return ouster.ouster_sensors(path, metadata)
    return []


class Format(NamedTuple):
    """A file format: how it is recognised, which function reads it, and the extra it needs.

    Attributes
    ----------
    name : str
        Name for tables and messages.
    suffixes : tuple of str
        Endings of file names, lower case.
    magic : tuple of bytes
        Possible first bytes of such files. They take precedence over the ending. Empty for a format
        that has none.
    read : callable
        Takes the path of a file and the user's options (`Given`), and returns the clouds.
    extra : str
        Extra of osi-lidar that reading needs; empty for none.
    columns : callable or None
        Takes the path of a file, and returns its columns by name. None if the format is not a table
        of points.
    has_sources : bool
        Whether a file may contain several sensors.
    """

    name: str
    suffixes: tuple[str, ...]
    magic: tuple[bytes, ...]
    read: Callable[[Path, Given], list[ScanCloud]]
    extra: str = ""
    columns: Callable[[Path], Columns] | None = None
    has_sources: bool = False


def _read_bag(path: Path, given: Given) -> list[ScanCloud]:
    """Read a ROS bag with packets or clouds, or an MCAP file with clouds for viewers."""
    if path.is_file() and _head(path).startswith(MCAP):
        clouds = viewer_clouds(path, given.source)
        if clouds is not None:
            return clouds
    content = bag_content(path, given.source)
    return _decoded(path, content, given.metadata) if isinstance(content, Packets) else content


def _read_capture(path: Path, given: Given) -> list[ScanCloud]:
    """Read a network capture of a Velodyne, Hesai or Ouster sensor."""
    capture = read_capture(path)
    if any(each.is_usable for each in capture.sources):
        number = chosen_source(path, capture.sources, given.source)
        return _decoded(path, capture.packets[number], given.metadata)
    ouster.check_senders(path, given.metadata, capture.twins())
    return ouster.read_ouster(path, given)


def _decoded(path: Path, packets: Packets, metadata: Path | None) -> list[ScanCloud]:
    """Return the clouds of Velodyne or Hesai packets."""
    of_hesai = any(map(is_hesai, packets.payload))
    clouds = (hesai_clouds if of_hesai else velodyne_clouds)(path, packets, metadata)
    name_of = hesai_name if of_hesai else velodyne_name
    unknown = Unfollowed()
    for number, each in enumerate(packets.payload):
        if not name_of(each):
            unknown.add(f"packets of {len(each)} bytes", f"packet {number}")
    return [with_columns(each, not_followed=unknown.kinds) for each in clouds[:1]] + clouds[1:]


FORMATS = (
    Format("PCD", (".pcd",), (b"# .PCD", b"#.PCD", b"VERSION"), read_pcd_cloud),
    Format("PLY", (".ply",), (b"ply",), tables.read_ply, columns=tables.ply_columns),
    Format("nuScenes", (".pcd.bin",), (), tables.read_nuscenes),
    Format("KITTI", (".bin",), (), tables.read_kitti),
    Format("LAS, LAZ", (".las", ".laz"), (b"LASF",), las.read_las, "recordings", las.las_columns),
    Format(
        "numpy points of a run", (".points.npy",), (), tables.read_npy, columns=tables.npy_columns
    ),
    Format("numpy", (".npy",), (b"\x93NUMPY",), tables.read_npy, columns=tables.npy_columns),
    Format("numpy archive", (".npz",), (b"PK\x03\x04",), tables.read_npz),
    Format("Arrow (Argoverse 2)", (".feather",), (b"ARROW1",), tables.read_feather, "parquet"),
    Format("Ouster OSF", (".osf",), (), ouster.read_ouster, "recordings", has_sources=True),
    Format(
        "capture of packets",
        (".pcap",),
        CAPTURES,
        _read_capture,
        "recordings",
        has_sources=True,
    ),
    Format(
        "ROS bag, MCAP of clouds",
        (".bag", ".db3", ".mcap"),
        (ROS_1, SQLITE, MCAP),
        _read_bag,
        "recordings",
        has_sources=True,
    ),
)
"""Formats that can be read, in the order in which name endings are tried."""


def _read_file(path: Path, given: Given) -> list[ScanCloud]:
    """Read one file, or the folder of a ROS bag."""
    if path.is_dir():
        return _read_bag(path, given)
    found = _format(path)
    if found is None:
        raise InputError(
            f"{path}: has no known format, expected "
            + ", ".join(suffix for each in FORMATS for suffix in each.suffixes)
        )
    if given.source is not None and not found.has_sources:
        raise InputError(f"{path}: {found.name} {ONE_SOURCE}")
    return found.read(path, given)


def _format(path: Path) -> Format | None:
    """Return the format of a file, by its first bytes, or else by the ending of its name."""
    check_regular(path)
    head = _head(path)
    if not head:
        raise InputError(f"{path}: is empty, expected a cloud or a recording")
    for each in FORMATS:
        if any(head.startswith(magic) for magic in each.magic):
            return each
    return _by_name(path)


def _head(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_HEAD_BYTES)


def _by_name(path: Path) -> Format | None:
    name = path.name.lower()
    return next((each for each in FORMATS if name.endswith(each.suffixes)), None)


def _is_bag(folder: Path) -> bool:
    """Return whether a folder is a bag of ROS 2."""
    return (folder / METADATA).is_file() or any(folder.glob("*.db3"))


def _files(folder: Path) -> list[Path]:
    """Return the cloud files of a folder; in a folder of a run, the files of its only sensor."""
    files = _clouds_in(folder)
    if files:
        return files
    within = [
        each for each in in_natural_order(folder.iterdir()) if each.is_dir() and _clouds_in(each)
    ]
    if len(within) > 1:
        raise InputError(
            f"{folder}: contains several folders of clouds, expected one of them: "
            + ", ".join(each.name for each in within)
        )
    if not within and (recorded := in_natural_order(folder.glob("*.mcap"))):
        return recorded
    if not within:
        raise InputError(f"{folder}: contains no file of a known format")
    return _clouds_in(within[0])


def _clouds_in(folder: Path) -> list[Path]:
    """Return the cloud files of a folder in natural order, all of one format; PCD is preferred.

    Files of other formats may be no clouds: a run may write depth images (.npy) beside its clouds
    (.pcd, .points.npy).
    """
    files = [each for each in folder.iterdir() if each.is_file() and _is_cloud(each)]
    first = min((FORMATS.index(found) for file in files if (found := _by_name(file))), default=0)
    return in_natural_order(each for each in files if _by_name(each) == FORMATS[first])


def _is_cloud(path: Path) -> bool:
    """Return whether a file in a folder is a cloud; traces of OSI messages (.mcap) are not."""
    hidden = path.name.startswith(".")
    return not hidden and path.suffix.lower() not in _OF_BAGS and _by_name(path) is not None

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recognition of files: by their first bytes, then by their name."""

from __future__ import annotations

import json
import re
import zipfile
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from lidar_app.bundle import SUFFIX
from lidar_app.exports.export_run import MANIFEST
from lidar_app.show.info.record import Info
from lidar_base.errors import BoundError, SmallFileError, YamlFileError
from lidar_base.files.bounds import MOST_TEXT_BYTES
from lidar_base.files.json_files import check_json
from lidar_base.files.small_files import read_small_file
from lidar_base.files.unpacking import open_archive
from lidar_base.files.whole_files import check_regular
from lidar_base.files.yaml_files import read_yaml
from lidar_base.xml_tree import start_as_utf8
from osi_bridge import OsiError, TraceError
from osi_lidar.config.models import Config
from osi_lidar.errors import ConfigurationError, InputError
from osi_lidar.output.run_folder import REPORT_NAME
from raycore.errors import MeshError
from raycore.mesh.mesh_names import names_mesh

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_HEAD_BYTES = 4096
_MOST_KEYS = 100  # greatest number of listed keys of an unknown file
_TRACE = re.compile(r"\.(osi|txth|mcap)(\.gz|\.xz)?$", re.IGNORECASE)
_MAPPING_KEYS = {"materials", "define", "textures", "meshes"}
_CAPTURES = (b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\xc3\xd4", b"\x4d\x3c\xb2\xa1", b"\xa1\xb2\x3c\x4d")
_HESAI_BINARY = b"\xee\xff"
_OUSTER_KEYS = {
    *("beam_intrinsics", "beam_altitude_angles", "beam_azimuth_angles", "lidar_intrinsics"),
    *("lidar_data_format", "lidar_mode", "sensor_info", "prod_line", "config_params"),
}
_ROS_BAGS = (b"#ROSBAG V2.0\n", b"SQLite format 3\0")
_PCD = (b"# .PCD", b"#.PCD", b"VERSION", b"FIELDS")
KNOWN = (
    "expected a trace, the folder of a run or data set, a batch's index, a cloud, a mesh, an "
    "OpenDRIVE map, an OpenSCENARIO file, an OpenMATERIAL file, an FMU, a bundle, a configuration "
    "or the maker's file of a sensor"
)
FMU = "FMU"
"""Value of `Info.kind` for FMUs; another part of the program describes their content."""


def describe(path: Path, source: str | None = None) -> Info:
    """Return the content of a file or folder of any kind that osi-lidar knows.

    The first bytes decide the kind, then the name. An FMU is only recognised: the result has the
    kind `FMU`, and no facts.

    Parameters
    ----------
    path : Path
        The file or folder.
    source : str, optional
        Topic of the channel of an MCAP trace; it is an error for other files. Folders ignore it.

    Raises
    ------
    OsiLidarError, OsiError, MeshError, MaterialError
        If the file does not exist, or is damaged. For a file of an unknown kind, an InputError with
        its size and whether it is text.
    """
    if path.is_dir():
        return _folder(path)
    check_regular(path)
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file or folder") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not head:
        raise InputError(f"{path}: is empty, {KNOWN}")
    if source is not None:
        return _trace_of(path, source, head)
    found = _by_beginning(path, head) or _by_name(path, head)
    if found is None:
        raise InputError(f"{path}: {summary_of(path, head)}, {KNOWN}")
    return found


def _trace_of(path: Path, source: str, head: bytes) -> Info:
    from lidar_app.show.info.trace import trace_info

    if not head.startswith(b"\x89MCAP0") and not _TRACE.search(path.name):
        raise InputError(
            f"{path}: --source: got {source!r:.60}, but the file is not an MCAP trace; leave out "
            "--source"
        )
    return trace_info(path, source)


def summary_of(path: Path, head: bytes) -> str:
    """Return a phrase with the size of a file of an unknown kind, and whether it is text.

    `path` is the file, and `head` has its first bytes, which decide whether it is text: in UTF-8,
    or in an encoding that a byte order mark or an XML declaration states.
    """
    head = start_as_utf8(head)
    is_text = b"\0" not in head
    with suppress(UnicodeDecodeError):
        head[: max(len(head) - 4, 1)].decode("utf-8")
        kind = "text" if is_text else "bytes"
        return f"{kind} of an unknown kind, {path.stat().st_size:,} bytes"
    return f"bytes of an unknown kind, {path.stat().st_size:,} bytes"


def _folder(path: Path) -> Info:
    from lidar_app.show.info import recording
    from lidar_app.show.info.data_set import data_set_info
    from lidar_app.show.info.run import run_info

    if (path / REPORT_NAME).exists():
        return run_info(path)
    if (path / MANIFEST).is_file() and (found := data_set_info(path)) is not None:
        return found
    try:
        if (path / "metadata.yaml").is_file() or any(path.glob("*.db3")):
            return recording.recording_info(path, recording.BAG)
        names = [each.suffix.lower() for each in path.iterdir() if each.is_file()]
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}") from error
    held = {suffix or "none": names.count(suffix) for suffix in sorted(set(names))}
    return Info(path=path, kind="Folder", facts={"files": len(names), "suffixes": held})


def _by_beginning(path: Path, head: bytes) -> Info | None:
    from lidar_app.show.info import recording

    if head.startswith(_PCD) or path.suffix.lower() == ".pcd":
        from lidar_app.show.info.cloud import pcd_info

        return pcd_info(path)
    if head.startswith(b"\x89MCAP0"):
        return _mcap(path)
    if head.startswith(b"PK\x03\x04") and _is_fmu(path):
        return Info(path=path, kind=FMU)
    if kind := _kind_of_recording(path, head):
        return recording.recording_info(path, kind)
    return _xml(path, start_as_utf8(head))


def _xml(path: Path, head: bytes) -> Info | None:
    if b"<OpenDRIVE" in head:
        from lidar_app.show.info.road_map import map_info

        return map_info(path)
    if b"<OpenSCENARIO" in head:
        from lidar_app.show.info.weather import scenario_info

        return scenario_info(path)
    return None


def _kind_of_recording(path: Path, head: bytes) -> str | None:
    from lidar_app.show.info import recording

    suffix = path.suffix.lower()
    if head.startswith(_CAPTURES):
        return recording.CAPTURE
    if head.startswith(_ROS_BAGS) and suffix in (".bag", ".db3"):
        return recording.BAG
    return recording.OUSTER if suffix == ".osf" else None


def _by_name(path: Path, head: bytes) -> Info | None:
    if _TRACE.search(path.name):
        from lidar_app.show.info.trace import trace_info

        return trace_info(path)
    suffix = path.suffix.lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix](path)
    if names_mesh(path.name):
        return _mesh(path)
    if suffix in (".yaml", ".yml"):
        found = _yaml(path)
        if found is not None:
            return found
    if suffix == ".xodr":
        raise InputError(f"{path}: has no element <OpenDRIVE> at its beginning")
    return (
        _json(path)
        if head.lstrip()[:1] == b"{" and suffix == ".json"
        else _calibration(path, makers=_is_makers(start_as_utf8(head)))
    )


def _cloud(path: Path) -> Info:
    from lidar_app.show.info.cloud import las_info, npy_info

    return npy_info(path) if path.suffix.lower().startswith(".np") else las_info(path)


def _index(path: Path) -> Info:
    from lidar_app.show.info.batch_index import parquet_info

    return parquet_info(path)


def _open_material(path: Path) -> Info:
    from lidar_app.show.info.open_material import open_material_info

    return open_material_info(path)


def _bundle(path: Path) -> Info:
    from lidar_app.show.info.bundle import bundle_info

    return bundle_info(path)


_BY_SUFFIX: Mapping[str, Callable[[Path], Info]] = {
    **dict.fromkeys((".npy", ".npz", ".las", ".laz"), _cloud),
    **dict.fromkeys((".xoma", ".xomm", ".xomp"), _open_material),
    ".parquet": _index,
    SUFFIX: _bundle,
}


def _mcap(path: Path) -> Info:
    from lidar_app.show.info.trace import mcap_info, trace_info

    try:
        return trace_info(path)
    except TraceError as error:
        with suppress(OsiError):
            found = mcap_info(path)
            if not any(each["encoding"] == "protobuf" for each in found.lists["channels"]):
                return found
        raise error from None


def _mesh(path: Path) -> Info:
    from lidar_app.show.info.cloud import ply_info
    from lidar_app.show.info.mesh import mesh_info

    try:
        return mesh_info(path)
    except MeshError:
        if path.suffix.lower() == ".ply" and (cloud := ply_info(path)) is not None:
            return cloud
        raise


def _is_fmu(path: Path) -> bool:
    try:
        with open_archive(path) as archive:
            return "modelDescription.xml" in archive.namelist()
    except BoundError as error:
        raise InputError(f"{path}: {error}") from None
    except (zipfile.BadZipFile, OSError):
        return False


def _yaml(path: Path) -> Info | None:
    from lidar_app.show.info import configuration

    try:
        keys = set(read_yaml(path))
    except YamlFileError as error:
        raise ConfigurationError(str(error)) from None
    if "sensors" in keys or (keys - {"materials"} and keys <= set(Config.model_fields)):
        return configuration.config_info(path)
    return configuration.mapping_info(path) if keys and keys <= _MAPPING_KEYS else None


def _json(path: Path) -> Info | None:
    """Return the content of a JSON file: of a maker's file, else the keys. None if not JSON."""
    try:
        check_json(text := read_small_file(path, MOST_TEXT_BYTES // 2))
        content: Any = json.loads(text)
    except BoundError as error:
        raise InputError(f"{path}: {error}") from None
    except (ValueError, RecursionError, SmallFileError):
        return None
    if path.name == REPORT_NAME:
        return _folder(path.parent)
    makers = isinstance(content, dict) and bool(_OUSTER_KEYS & content.keys())
    return _calibration(path, makers=makers) or Info(
        path=path, kind="JSON of an unknown kind", facts={"keys": [*islice(content, _MOST_KEYS)]}
    )


def _is_makers(head: bytes) -> bool:
    """Return whether a file begins like a maker's file: Hesai, Livox, Velodyne, HELIOS++."""
    first = [word.strip().lower() for word in head.partition(b"\n")[0].split(b",")]
    return (
        head.startswith(_HESAI_BINARY)
        or (first[0] in (b"channel", b"laserid") and b"elevation" in first)
        or (first[0] == b"eeff" and len(first) > 1)
        or [word.partition(b"/")[0] for word in first[:3]] == [b"time", b"azimuth", b"zenith"]
        or re.search(rb"^lasers:", head, re.MULTILINE) is not None
        or b"<scannerSettings" in head
        or re.search(rb"<scanner\s", head) is not None
    )


def _calibration(path: Path, *, makers: bool) -> Info | None:
    """Return the content of a maker's file, None for other files.

    If `makers` says that the file looks like a maker's file, an unusable one raises an error.
    """
    from lidar_app.show.info.calibration import calibration_info, firetime_info

    try:
        return calibration_info(path)
    except ConfigurationError:
        if found := firetime_info(path):
            return found
        if makers:
            raise
        return None

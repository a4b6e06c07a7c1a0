# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings: clouds and packets of real sensors."""

import io
import tempfile
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from lidar_gap.reading import read_clouds
from osi_lidar.clouds.cloud import point_type
from osi_lidar.clouds.pcd import write_pcd
from tests.builders.packets import capture, correction, hesai_packets, velodyne_packets
from tests.builders.ros_bags import (
    CLOUD,
    cloud_message,
    database,
    ros1_bag,
    ros_mcap,
    ros_types,
)
from tests.builders.runs import make_run
from tests.fuzz.containers import within
from tests.fuzz.target import Target, command
from tests.fuzz.values import changed_bytes

N = 40
XYZ = np.random.default_rng(1).normal(0, 9, (N, 3)).astype(np.float32)
SCAN = "velodyne_msgs/msg/VelodyneScan"
XT32 = b"\xee\xff\x06\x01\x00\x00\x20\x08\x00\x04\x02\x00"


def rows():
    """Return points with fields that clouds of other programs have."""
    kind = [(name, "<f4") for name in ("x", "y", "z", "intensity")]
    table = np.zeros(N, np.dtype([*kind, ("ring", "<u2"), ("t", "<u4")]))
    table["x"], table["y"], table["z"] = XYZ.T
    table["ring"] = np.arange(N) % 8
    table["t"] = np.arange(N) * 1000
    return table


def _clouds(folder):
    table = rows()
    found = {}
    for kind in ("ascii", "binary", "binary_compressed"):
        write_pcd(folder / "a.pcd", table, kind)
        found[f"pcd-{kind}"] = {"a.pcd": (folder / "a.pcd").read_bytes()}
    own = np.zeros(N, point_type(timed=True, several=True, received=True))
    own["x"], own["y"], own["z"] = XYZ.T
    own["range"] = np.linalg.norm(XYZ, axis=1)
    write_pcd(folder / "own.pcd", own)
    found["pcd-own"] = {"a.pcd": (folder / "own.pcd").read_bytes()}
    properties = "".join(f"property float {name}\n" for name in ("x", "y", "z", "intensity"))
    four = np.column_stack([XYZ, np.arange(N)]).astype("<f4")
    lines = "\n".join(" ".join(map(str, row)) for row in four.tolist()).encode()
    for name, body in (("ascii", lines), ("binary_little_endian", four.tobytes())):
        head = f"ply\nformat {name} 1.0\nelement vertex {N}\n{properties}end_header\n"
        found[f"ply-{name}"] = {"a.ply": head.encode() + body}
    for name, array in (("columns", four), ("names", table)):
        buffer = io.BytesIO()
        np.save(buffer, array)
        found[f"npy-{name}"] = {"a.npy": buffer.getvalue()}
    buffer = io.BytesIO()
    np.savez(buffer, x=XYZ[:, 0], y=XYZ[:, 1], z=XYZ[:, 2])
    found["npz"] = {"a.npz": buffer.getvalue()}
    found["kitti"] = {"a.bin": four.tobytes()}
    found["nuscenes"] = {
        "a.pcd.bin": np.column_stack([four, np.arange(N) % 8]).astype("<f4").tobytes()
    }
    return {**found, **_of_libraries(folder)}


def _of_libraries(folder):
    """Return clouds that other libraries write."""
    import laspy
    import pyarrow as pa
    from pyarrow import feather

    found = {}
    for kind, point_format in (("las", 1), ("laz", 1), ("laz-layers", 6)):
        las = laspy.create(point_format=point_format)
        las.header.scales = np.full(3, 1e-3)
        las.x, las.y, las.z = XYZ.T.astype(np.float64)
        las.return_number = las.number_of_returns = np.ones(N, np.uint8)
        name = f"a.{kind[:3]}"
        las.write(folder / name)
        found[kind] = {name: (folder / name).read_bytes()}
    columns = {name: XYZ[:, number].astype(np.float16) for number, name in enumerate("xyz")}
    columns |= {
        "laser_number": np.arange(N, dtype=np.uint8),
        "offset_ns": np.arange(N, dtype=np.int32),
    }
    feather.write_feather(pa.table(columns), str(folder / "1.feather"), compression="uncompressed")
    found["feather"] = {"1.feather": (folder / "1.feather").read_bytes()}
    return found


def _packets(folder):
    hesai = capture(folder / "h.pcap", hesai_packets(XT32, 8, 32, b"\0")[:12]).read_bytes()
    angles = correction(folder / "angles.csv", 32).read_bytes()
    velodyne = capture(folder / "v.pcap", velodyne_packets(1)[:76]).read_bytes()
    return {
        "hesai": {"a.pcap": hesai, "angles.csv": angles},
        "velodyne": {"a.pcap": velodyne},
        "bag": {"a.db3": _bag(folder / "a.db3", velodyne_packets(1)[:76])},
    }


def _bag(path, packets):
    """Return a bag of ROS 2 of one message."""
    types = ros_types()
    kinds = types.types
    stamp = kinds["builtin_interfaces/msg/Time"](sec=1, nanosec=0)
    header = kinds["std_msgs/msg/Header"](stamp=stamp, frame_id="a")
    packet = kinds["velodyne_msgs/msg/VelodynePacket"]
    scan = kinds[SCAN](
        header=header,
        packets=[packet(stamp=stamp, data=np.frombuffer(each, np.uint8)) for each in packets],
    )
    raw = bytes(types.serialize_cdr(scan, SCAN))
    return database(path, "/packets", SCAN, [(5, raw)]).read_bytes()


def _bags(folder):
    """Return bags of clouds: databases and MCAP files of ROS 2, and one of ROS 1."""
    base = database(folder / "a.db3", "/points", CLOUD, [(5, _cloud())])
    mcap = ros_mcap(folder / "a.mcap", {"/points": [(5, _cloud())]})
    return {
        "database": {"a.db3": base.read_bytes()},
        "mcap": {"a.mcap": mcap.read_bytes()},
        "ros1": {"a.bag": ros1_bag(folder / "a.bag", _cloud()).read_bytes()},
    }


@cache
def _cloud():
    return cloud_message(rows(), stamp_ns=10**9)


def _packed(name, write):
    """Return a change of a bag: another message in a valid file."""

    def pack(message):
        with tempfile.TemporaryDirectory() as folder:
            return write(Path(folder) / name, message).read_bytes()

    return within(pack, lambda _: _cloud(), changed_bytes)


BAGS = {
    "*.db3": _packed("a.db3", lambda path, each: database(path, "/points", CLOUD, [(5, each)])),
    "*.mcap": _packed("a.mcap", lambda path, each: ros_mcap(path, {"/points": [(5, each)]})),
}


def _ouster(folder):
    """Return the packets of a turn of an Ouster sensor, with its metadata."""
    sensor = {"name": "front", "preset": "OS1-32", "columns": 512, "mounting": {"z_m": 1.5}}
    run = make_run(folder, sensors=[sensor])
    command("export", "ouster", run, "--out", folder / "packets")
    kinds = ("pcap", "json")
    return {"os1": {f"a.{kind}": (folder / f"packets/front.{kind}").read_bytes() for kind in kinds}}


def _path(folder):
    beside = ("angles.csv", "a.json")
    return next(each for each in sorted(folder.iterdir()) if each.name not in beside)


def _read(folder):
    beside = [each for each in (folder / "angles.csv", folder / "a.json") if each.exists()]
    clouds = read_clouds(_path(folder), metadata=beside[0] if beside else None)
    unknown = {"intensity": None, "signal": None}  # NaN where the file has no number
    return [replace(each, **unknown) for each in clouds]


def _info(folder):
    return command("info", _path(folder), "--json")


def _known(folder):
    """Return the clouds that `info` looks into."""
    kinds = ("pcd-", "ply-", "np")
    return {name: files for name, files in _clouds(folder).items() if name.startswith(kinds)}


def _view(folder):
    return command("view", _path(folder), "--no-open", "--out", folder / "page.html")


TARGETS = [
    Target(name="cloud", seeds=_clouds, call=_read),
    Target(name="cloud-info", seeds=_known, call=_info),
    Target(name="cloud-view", seeds=_clouds, call=_view),
    Target(name="packets", seeds=_packets, call=_read),
    Target(name="bag", seeds=_bags, call=_read, changes=BAGS),
    Target(name="bag-view", seeds=_bags, call=_view, changes=BAGS),
]
if find_spec("ouster"):
    TARGETS.append(Target(name="packets-ouster", seeds=_ouster, call=_read))

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every format of point files, with small files written here."""

from pathlib import Path

import numpy as np
import pytest

from lidar_gap.reading import FORMATS, read_clouds
from osi_lidar.clouds.cloud import point_type
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.errors import InputError
from tests.builders.refusals import one_line

XYZ = np.array([[1.0, 2.0, 3.0], [-4.0, 5.5, 0.25], [0.5, -0.5, 8.0]], np.float32)
INTENSITY = np.array([7.0, 0.0, 200.0], np.float32)


def rows(*extra: tuple[str, str]) -> np.ndarray:
    """Return the three points as rows, with further fields of 0."""
    kind = np.dtype([(name, "<f4") for name in ("x", "y", "z", "intensity")] + list(extra))
    table = np.zeros(3, kind)
    table["x"], table["y"], table["z"] = XYZ.T
    table["intensity"] = INTENSITY
    return table


def check_points(path: Path) -> None:
    (cloud,) = read_clouds(path)
    np.testing.assert_allclose(cloud.points_m, XYZ, atol=1e-3)
    np.testing.assert_allclose(cloud.range_m, np.sqrt((XYZ**2).sum(axis=1)), atol=1e-3)


@pytest.mark.parametrize("encoding", ["binary", "binary_compressed", "ascii"])
def test_pcd_of_other_programs(tmp_path: Path, encoding: str) -> None:
    table = rows(("ring", "<u2"), ("t", "<u4"))
    table["ring"], table["t"] = [4, 5, 6], [2000, 1000, 4000]
    write_pcd(tmp_path / "a.pcd", table, encoding)
    check_points(tmp_path / "a.pcd")
    (cloud,) = read_clouds(tmp_path / "a.pcd")
    assert cloud.ring is not None
    assert cloud.time_s is not None
    assert cloud.intensity is not None
    assert cloud.ring.tolist() == [4, 5, 6]
    np.testing.assert_allclose(cloud.time_s, [1e-6, 0.0, 3e-6])
    assert cloud.intensity.tolist() == INTENSITY.tolist()


def test_our_own_pcd_keeps_ring_column_signal_and_echoes(tmp_path: Path) -> None:
    table = np.zeros(3, point_type(timed=True, several=True, received=True))
    table["x"], table["y"], table["z"] = XYZ.T
    table["range"], table["ring"], table["column"] = [9.0, 8.0, 7.0], [0, 1, 2], [5, 5, 6]
    table["snr"], table["echo"], table["n_echoes"] = [3.0, 4.0, 5.0], [0, 1, 0], [2, 2, 1]
    write_pcd(tmp_path / "000000.pcd", table)
    (cloud,) = read_clouds(tmp_path / "000000.pcd")
    assert cloud.range_m.tolist() == [9.0, 8.0, 7.0]
    for name, expected in (
        ("ring", [0, 1, 2]),
        ("column", [5, 5, 6]),
        ("signal", [3.0, 4.0, 5.0]),
        ("echo", [0, 1, 0]),
        ("n_echoes", [2, 2, 1]),
    ):
        assert getattr(cloud, name).tolist() == expected


def test_organised_pcd_has_its_rows_as_rings(tmp_path: Path) -> None:
    body = "".join(f"{x} 1 {z}\n" for z in (1, 2) for x in (1, 2, 3))
    header = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 3\nHEIGHT 2\n"
    path = tmp_path / "a.pcd"
    path.write_text(header + "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 6\nDATA ascii\n" + body)
    (cloud,) = read_clouds(path)
    assert cloud.ring is not None
    assert cloud.ring.tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("field", ["ring", "channel", "laser_id", "Ring"])
def test_laser_numbers_of_an_organised_pcd_stay(tmp_path: Path, field: str) -> None:
    body = "".join(f"{x} 1 {z} {9 - z}\n" for z in (1, 2) for x in (1, 2, 3))
    header = (
        f"VERSION 0.7\nFIELDS x y z {field}\nSIZE 4 4 4 2\nTYPE F F F U\nCOUNT 1 1 1 1\nWIDTH 3\n"
        "HEIGHT 2\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 6\nDATA ascii\n"
    )
    (tmp_path / "a.pcd").write_text(header + body)
    (cloud,) = read_clouds(tmp_path / "a.pcd")
    assert cloud.ring is not None
    assert cloud.ring.tolist() == [8, 8, 8, 7, 7, 7]


def test_points_that_are_no_returns_are_left_out(tmp_path: Path) -> None:
    table = rows()
    table["x"][0] = np.nan
    for name in "xyz":
        table[name][1] = 0.0
    write_pcd(tmp_path / "a.pcd", table)
    (cloud,) = read_clouds(tmp_path / "a.pcd")
    np.testing.assert_allclose(cloud.points_m, XYZ[2:])


@pytest.mark.parametrize("encoding", ["ascii 1.0", "binary_little_endian 1.0"])
def test_ply(tmp_path: Path, encoding: str) -> None:
    table = rows()
    properties = "".join(f"property float {name}\n" for name in table.dtype.names or ())
    header = f"ply\nformat {encoding}\nelement vertex 3\n{properties}end_header\n"
    lines = "".join(" ".join(map(str, row.tolist())) + "\n" for row in table)
    body = lines.encode() if encoding.startswith("ascii") else table.tobytes()
    (tmp_path / "a.ply").write_bytes(header.encode() + body)
    check_points(tmp_path / "a.ply")
    assert read_clouds(tmp_path / "a.ply")[0].intensity is not None


def test_numpy_columns_and_named_columns(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.column_stack([XYZ, INTENSITY]))
    np.save(tmp_path / "b.npy", XYZ.astype(np.float64))
    np.save(tmp_path / "c.npy", rows(("ring", "<u2")))
    np.savez(tmp_path / "d.npz", x=XYZ[:, 0], y=XYZ[:, 1], z=XYZ[:, 2])
    np.savez(tmp_path / "e.npz", cloud=XYZ)
    for name in ("a.npy", "b.npy", "c.npy", "d.npz", "e.npz"):
        check_points(tmp_path / name)


def test_kitti_rings_end_where_the_azimuth_wraps(tmp_path: Path) -> None:
    azimuth = np.radians(np.arange(0.1, 360.0, 2.0))
    elevation = np.radians(np.array([2.0, 1.0, -1.0, -3.0, -8.0]))
    flat = np.cos(elevation)[:, np.newaxis]
    up = np.broadcast_to(np.sin(elevation)[:, np.newaxis], (5, azimuth.size))
    points = 10.0 * np.stack([flat * np.cos(azimuth), flat * np.sin(azimuth), up], axis=-1)
    table = np.zeros((points.shape[0] * points.shape[1], 4), np.float32)
    table[:, :3] = points.reshape(-1, 3)
    table.tofile(tmp_path / "000000.bin")
    (cloud,) = read_clouds(tmp_path / "000000.bin")
    assert cloud.ring is not None
    assert cloud.ring.tolist() == np.repeat(np.arange(5), azimuth.size).tolist()


def test_nuscenes_points_turn_from_right_to_forward(tmp_path: Path) -> None:
    np.array([[3.0, 10.0, 1.0, 5.0, 7.0]], np.float32).tofile(tmp_path / "a.pcd.bin")
    (cloud,) = read_clouds(tmp_path / "a.pcd.bin")
    assert cloud.points_m.tolist() == [[10.0, -3.0, 1.0]]
    assert cloud.ring is not None
    assert cloud.ring.tolist() == [7]


@pytest.mark.parametrize("suffix", [".las", ".laz"])
def test_las(tmp_path: Path, suffix: str) -> None:
    laspy = pytest.importorskip("laspy")
    las = laspy.create(point_format=1)
    las.header.scales = np.full(3, 1e-3)
    las.x, las.y, las.z = XYZ.T.astype(np.float64)
    las.return_number, las.number_of_returns = [1, 2, 1], [2, 2, 1]
    las.write(tmp_path / f"a{suffix}")
    check_points(tmp_path / f"a{suffix}")
    (cloud,) = read_clouds(tmp_path / f"a{suffix}")
    assert cloud.echo is not None
    assert cloud.echo.tolist() == [0, 1, 0]


def test_argoverse_sweep(tmp_path: Path) -> None:
    feather = pytest.importorskip("pyarrow.feather")
    import pyarrow as pa

    columns = {name: XYZ[:, number].astype(np.float16) for number, name in enumerate("xyz")}
    offset_ns = np.array([10, 20, 30], np.int32)
    laser = np.array([3, 1, 2], np.uint8)
    table = pa.table({**columns, "laser_number": laser, "offset_ns": offset_ns})
    feather.write_feather(table, str(tmp_path / "1.feather"))
    check_points(tmp_path / "1.feather")
    (cloud,) = read_clouds(tmp_path / "1.feather")
    assert cloud.ring is not None
    assert cloud.ring.tolist() == [3, 1, 2]


def test_a_folder_is_read_in_natural_order(tmp_path: Path) -> None:
    for number in (10, 9, 1):
        np.save(tmp_path / f"{number}.npy", XYZ)
    assert [cloud.name for cloud in read_clouds(tmp_path)] == ["1", "9", "10"]


def test_the_run_of_one_sensor_is_read_and_of_two_refused(tmp_path: Path) -> None:
    for sensor in ("front", "rear"):
        (tmp_path / sensor).mkdir()
        write_pcd(tmp_path / sensor / "000000.pcd", rows())
        if sensor == "front":
            assert len(read_clouds(tmp_path)) == 1
            np.save(tmp_path / sensor / "000000.npy", np.zeros((2, 2)))  # a depth image
            (tmp_path / "sensor_data.mcap").write_bytes(b"a trace of OSI messages")
            assert len(read_clouds(tmp_path)) == 1
    with pytest.raises(InputError, match="front, rear"):
        read_clouds(tmp_path)


HOSTILE = {
    "empty": b"",
    "text": b"this is a shopping list, and no cloud of points",
    "bytes": bytes(range(256)) * 4 + b"x",
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("suffix", sorted({suffix for each in FORMATS for suffix in each.suffixes}))
def test_hostile_files_give_one_line(tmp_path: Path, suffix: str, content: bytes) -> None:
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_clouds(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value) or str(path.parent) in str(caught.value)


@pytest.mark.parametrize("each", FORMATS, ids=[each.name for each in FORMATS])
def test_beginnings_of_files_without_the_rest_give_one_line(tmp_path: Path, each) -> None:
    for number, magic in enumerate(each.magic):
        path = tmp_path / f"a{number}{each.suffixes[0]}"
        path.write_bytes(magic + b"\n")
        with one_line(InputError):
            read_clouds(path)


def test_truncated_files_give_one_line(tmp_path: Path) -> None:
    write_pcd(tmp_path / "a.pcd", rows())
    np.save(tmp_path / "a.npy", XYZ)
    np.savez(tmp_path / "a.npz", x=XYZ[:, 0], y=XYZ[:, 1], z=XYZ[:, 2])
    rows().tofile(tmp_path / "a.bin")
    for path in sorted(tmp_path.iterdir()):
        path.write_bytes(path.read_bytes()[:-5])
        with one_line(InputError):
            read_clouds(path)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_clouds(tmp_path / "missing.pcd")
    with pytest.raises(InputError, match="no file of a known format"):
        read_clouds(tmp_path)
    np.savez(tmp_path / "a.npz", x=XYZ[:, 0], y=XYZ[:, 1])
    with pytest.raises(InputError, match="no field z"):
        read_clouds(tmp_path / "a.npz")


def test_columns_of_texts_are_left_out(tmp_path: Path) -> None:
    texts = np.array(["a", "b", "c"])
    np.savez(tmp_path / "a.npz", x=XYZ[:, 0], y=XYZ[:, 1], z=XYZ[:, 2], ring=texts)
    (cloud,) = read_clouds(tmp_path / "a.npz")
    assert cloud.ring is None
    np.savez(tmp_path / "b.npz", x=texts, y=XYZ[:, 1], z=XYZ[:, 2])
    with pytest.raises(InputError, match=r"b\.npz: has no field x: got y, z"):
        read_clouds(tmp_path / "b.npz")


def test_numbers_that_cannot_be_used_are_unknown(tmp_path: Path) -> None:
    """Ranges that are not finite are no returns; numbers too large for their column are none."""
    table = rows(("range", "<f4"), ("ring", "<f4"), *((f"normal_{a}", "<f4") for a in "xyz"))
    table["range"], table["ring"] = [1.0, np.nan, np.inf], 1e30
    table["intensity"], table["normal_x"] = np.inf, np.inf
    write_pcd(tmp_path / "a.pcd", table)
    (cloud,) = read_clouds(tmp_path / "a.pcd")
    assert cloud.range_m.tolist() == [1.0]
    assert cloud.ring is not None
    assert cloud.intensity is not None
    assert cloud.normal is not None
    assert (cloud.ring.tolist(), cloud.normal.tolist()) == ([0], [[0.0, 0.0, 0.0]])
    assert np.isnan(cloud.intensity).all()


def test_coordinates_that_no_lidar_has_are_told(tmp_path: Path) -> None:
    table = rows()
    table["x"] = 4.5e5  # UTM
    write_pcd(tmp_path / "a.pcd", table)
    with pytest.raises(InputError, match=r"a\.pcd: a coordinate is 4\.5e\+05, .* up to 100000$"):
        read_clouds(tmp_path / "a.pcd")

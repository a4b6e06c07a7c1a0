# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Recordings of real sensors, against what other decoders made of them."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree

from lidar_gap.reading import read_clouds
from lidar_gap.rings import found_layout, range_image, sensor_layout
from osi_lidar.config import Sensor
from osi_lidar.errors import InputError

PACKETS = "scans/nebula/packets"
ANGLES = "lidar_calib"


def distances_m(real_data: Path, name: str, angles: str, *, turned: bool) -> np.ndarray:
    """Return how far Nebula's points are from ours; its Hesai frame has x to the right."""
    pytest.importorskip("rosbags")
    clouds = read_clouds(real_data / PACKETS / name, metadata=real_data / ANGLES / angles)
    (file,) = (real_data / "scans/nebula" / name).glob("*.pcd")
    expected = read_clouds(file)[0].points_m
    if turned:
        expected = expected[:, [1, 0, 2]] * [1.0, -1.0, 1.0]
    points = np.concatenate([cloud.points_m for cloud in clouds])
    return cKDTree(points).query(expected)[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "angles"),
    [
        ("64", "nebula_hesai/Pandar64.csv"),
        ("40p", "nebula_hesai/Pandar40P.csv"),
        ("qt128", "nebula_hesai/PandarQT128.csv"),
    ],
)
def test_hesai_points_are_those_of_nebula(real_data: Path, name: str, angles: str) -> None:
    assert distances_m(real_data, name, angles, turned=True).max() < 0.005


def test_velodyne_points_are_those_of_nebula(real_data: Path) -> None:
    pytest.importorskip("velodyne_decoder")
    # azimuths between two blocks are interpolated in another way in a few places
    apart = distances_m(real_data, "vlp16", "nebula_velodyne/VLP16.yaml", turned=False)
    assert np.median(apart) < 1e-4
    assert np.percentile(apart, 90) < 0.005


# T5 of validation.md: share of the firings whose second return differs
@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "angles", "share"),
    [
        ("vlp16", "nebula_velodyne/VLP16.yaml", 0.012),
        ("64", "nebula_hesai/Pandar64.csv", 0.041),
        ("40p", "nebula_hesai/Pandar40P.csv", 0.042),
        ("qt128", "nebula_hesai/PandarQT128.csv", 0.050),
    ],
)
def test_second_returns(real_data: Path, name: str, angles: str, share: float) -> None:
    pytest.importorskip("rosbags")
    pytest.importorskip("velodyne_decoder")
    clouds = read_clouds(real_data / PACKETS / name, metadata=real_data / ANGLES / angles)
    second = sum(int((cloud.echo == 1).sum()) for cloud in clouds)
    firings = sum(int((cloud.echo == 0).sum()) for cloud in clouds)
    assert second / firings == pytest.approx(share, abs=0.001)


def test_ouster_frames_have_columns_and_reported_ranges(real_data: Path) -> None:
    pytest.importorskip("ouster.sdk")
    scans = real_data / "scans/ouster"
    metadata = scans / "OS-1-128_v2.3.0_1024x10.json"
    clouds = read_clouds(scans / "OS-1-128_v2.3.0_1024x10_lb_n3.pcap", metadata=metadata)
    assert len(clouds) == 3
    for cloud in clouds:
        assert cloud.ring is not None
        assert cloud.column is not None
        assert cloud.ring.max() == 127
        assert cloud.column.max() == 1023
        # a beam leaves 15.8 mm from the axis, 36.18 mm up (metadata), and its range counts from
        # the axis: the distance from the origin differs by less than both
        apart = np.sqrt((cloud.points_m**2).sum(axis=1)) - cloud.range_m
        assert np.abs(apart).max() < 0.05


def test_the_origin_of_an_ouster_is_found_in_its_clouds(real_data: Path) -> None:
    pytest.importorskip("ouster.sdk")
    clouds = read_clouds(real_data / "scans/ouster/OS-0-128-U1_v2.3.0_1024x10.pcap")
    layout = found_layout(clouds, origin_m=None)
    assert (layout.n_ring, layout.n_column) == (128, 1024)
    # its metadata: 27.67 mm from the axis, 36.18 mm up
    np.testing.assert_allclose(layout.origin_m[0], [0.02767, 0.0, 0.03618], atol=5e-4)


def test_firings_of_recordings_have_pixels_of_their_own(real_data: Path) -> None:
    pytest.importorskip("rosbags")
    angles = real_data / ANGLES / "nebula_hesai/Pandar64.csv"
    cloud = read_clouds(real_data / PACKETS / "64", metadata=angles)[1]
    sensor = Sensor(name="lidar", preset="Pandar64", calibration=angles)
    layout = sensor_layout(sensor)
    image = range_image(cloud, layout)
    assert cloud.echo is not None
    first = image.pixel_of_point[cloud.echo == 0]
    assert first.min() >= 0
    assert np.unique(first).size == first.size


def test_two_ouster_sensors_with_metadata_of_one_are_not_mixed(
    tmp_path: Path, real_data: Path
) -> None:
    pytest.importorskip("ouster.sdk")
    dpkt = pytest.importorskip("dpkt")
    of_one = real_data / "scans/ouster/OS-1-32-G_v2.1.1_1024x10.pcap"
    with of_one.open("rb") as source, (tmp_path / "two.pcap").open("wb") as target:
        reader = dpkt.pcap.Reader(source)
        writer = dpkt.pcap.Writer(target, linktype=reader.datalink())
        for stamp_s, packet in reader:
            writer.writepkt(packet, ts=stamp_s)
            other = packet.replace(bytes((127, 0, 0, 1)), bytes((127, 0, 0, 2)), 1)
            writer.writepkt(other, ts=stamp_s)
    with pytest.raises(InputError, match=r"2 senders, .*127\.0\.0\.1:7502.*127\.0\.0\.2:7502"):
        read_clouds(tmp_path / "two.pcap", metadata=of_one.with_suffix(".json"))

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Range images: pixels by ring and firing (M1)."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lidar_gap.layout import Layout
from lidar_gap.records import NO_POINT, ScanCloud, kept_points
from lidar_gap.rings import found_layout, range_image, sensor_layout
from osi_lidar.config import Sensor
from osi_lidar.errors import InputError
from osi_lidar.scan.from_config import scan_pattern

SENSORS = ("VLP-16", "OS1-128", "HDL-64E", "XT32")


def turned(elevation_deg: np.ndarray, azimuth_deg: np.ndarray, range_m: float = 10.0) -> np.ndarray:
    elevation, azimuth = np.broadcast_arrays(np.radians(elevation_deg), np.radians(azimuth_deg))
    flat = np.cos(elevation)
    return range_m * np.stack(
        [flat * np.cos(azimuth), flat * np.sin(azimuth), np.sin(elevation)], axis=-1
    )


def cloud_of(points: np.ndarray, **columns: object) -> ScanCloud:
    points = points.reshape(-1, 3).astype(np.float64)
    distance = np.sqrt((points**2).sum(axis=1))
    return replace(ScanCloud(name="cloud", points_m=points, range_m=distance), **columns)


def simple_layout(elevation_deg: list[float], n_column: int) -> Layout:
    n_ring = len(elevation_deg)
    return Layout(
        elevation_deg=np.array(elevation_deg),
        azimuth_offset_deg=np.zeros(n_ring),
        phase=np.zeros(n_ring),
        origin_m=np.zeros((n_ring, 3)),
        n_column=n_column,
        step_deg=360.0 / n_column,
        first_azimuth_deg=180.0,
        ring_number=np.arange(n_ring, dtype=np.int32),
    )


def scanned(
    name: str, *, known: tuple[str, ...], share: float = 0.7
) -> tuple[ScanCloud, np.ndarray]:
    """Return returns of a sensor of ours at random ranges, and the pixel of each."""
    rng = np.random.default_rng(7)
    pattern = scan_pattern(Sensor(name="lidar", preset=name))
    range_m = rng.uniform(2.0, 60.0, pattern.n_beams)
    kept = rng.random(pattern.n_beams) < share
    n_column = int(pattern.column.max()) + 1
    columns = {key: getattr(pattern, key).astype(np.int32)[kept] for key in known}
    points = (pattern.origin_m + pattern.direction * range_m[:, np.newaxis])[kept]
    pixel = pattern.ring.astype(np.int64) * n_column + pattern.column
    return cloud_of(points, **columns), pixel[kept]


# M1's oracle
def test_unsorted_elevations_map_onto_distinct_pixels() -> None:
    laser_deg = np.array([7.0, -25.0, 1.0, -3.0])
    azimuth_deg = np.arange(360.0) - 180.0
    points = turned(laser_deg[:, np.newaxis], azimuth_deg[np.newaxis, :])
    ring = np.repeat(np.arange(4, dtype=np.int32), 360)
    image = range_image(cloud_of(points, ring=ring), simple_layout([7.0, 1.0, -3.0, -25.0], 360))
    assert np.unique(image.pixel_of_point).size == 1440
    assert image.returned.all()
    # laser 1 looks lowest, so it is the last row
    assert set(image.pixel_of_point[ring == 1] // 360) == {3}


def test_both_ends_of_the_azimuth_share_a_pixel() -> None:
    layout = simple_layout([5.0, 0.0], 360)
    just = np.array([179.9999, -179.9999, 180.0, -180.0])
    image = range_image(cloud_of(turned(np.zeros(4), just)), layout)
    assert len(set(image.pixel_of_point.tolist())) == 1
    assert image.n_points.max() == 4


def test_the_nearest_point_of_a_pixel_is_taken() -> None:
    points = np.array([[12.0, 0.0, 0.0], [4.0, 0.0, 0.0], [9.0, 0.0, 0.0]])
    image = range_image(cloud_of(points), simple_layout([5.0, 0.0, -5.0], 360))
    (pixel,) = set(image.pixel_of_point.tolist())
    assert image.range_m.flat[pixel] == 4.0
    assert image.point.flat[pixel] == 1
    assert np.isnan(image.range_m).sum() == image.range_m.size - 1
    assert (image.point == NO_POINT).sum() == image.point.size - 1


@pytest.mark.long
@pytest.mark.parametrize("known", [("ring", "column"), ("ring",), ()])
@pytest.mark.parametrize("name", SENSORS)
def test_a_scan_of_ours_maps_onto_itself(name: str, known: tuple[str, ...]) -> None:
    cloud, pixel = scanned(name, known=known)
    image = range_image(cloud, sensor_layout(Sensor(name="lidar", preset=name)))
    np.testing.assert_array_equal(image.pixel_of_point, pixel)


@pytest.mark.parametrize("count", ["from the bottom", "from one", "in the order of firing"])
def test_rings_are_found_however_lasers_are_counted(count: str) -> None:
    cloud, pixel = scanned("VLP-16", known=("ring",))
    assert cloud.ring is not None
    order = np.random.default_rng(1).permutation(16).astype(np.int32)
    ring = {
        "from the bottom": 15 - cloud.ring,
        "from one": 1 + cloud.ring,
        "in the order of firing": order[cloud.ring],
    }[count]
    layout = sensor_layout(Sensor(name="lidar", preset="VLP-16"))
    image = range_image(replace(cloud, ring=ring), layout)
    np.testing.assert_array_equal(image.pixel_of_point, pixel)


def test_origins_of_beams_are_taken_into_account() -> None:
    """An Ouster's beams leave from a circle, 36.18 mm above its origin."""
    layout = replace(
        simple_layout([10.0, 9.6, 9.2, 8.8], 512),
        origin_m=np.tile([0.02767, 0.0, 0.03618], (4, 1)),
        azimuth_offset_deg=np.array([3.0, 1.0, -1.0, -3.0]),
    )
    origin, direction = layout.beams()
    range_m = np.random.default_rng(3).uniform(0.4, 5.0, (4, 512, 1))
    image = range_image(cloud_of(origin + range_m * direction), layout)
    np.testing.assert_array_equal(image.pixel_of_point, np.arange(4 * 512))
    naive = replace(layout, origin_m=np.zeros((4, 3)))
    assert (
        range_image(cloud_of(origin + range_m * direction), naive).pixel_of_point
        != np.arange(4 * 512)
    ).mean() > 0.3


# the HDL-64E of KITTI: an encoder of 0.09 deg at a step of 0.168 deg
def test_an_encoder_leaves_no_columns_empty() -> None:
    n_column = 2144
    true_deg = 180.0 - 360.0 / n_column * (np.arange(n_column) + 0.3)
    read_deg = np.round(true_deg / 0.09) * 0.09
    layout = simple_layout([1.0, 0.0, -1.0], n_column)
    image = range_image(cloud_of(turned(np.zeros(n_column), read_deg)), layout)
    naive = np.unique(np.round((180.0 - read_deg) * n_column / 360.0)).size
    assert naive < 0.97 * n_column
    assert image.returned.sum() > 0.998 * n_column
    moved = image.pixel_of_point % n_column - np.arange(n_column)
    assert set(moved.tolist()) <= {-1, 0, 1, 1 - n_column, n_column - 1}


def test_rows_ring_after_ring_keep_their_rings_though_the_unit_points_elsewhere() -> None:
    elevation_deg = np.linspace(2.0, -22.0, 8)
    azimuth_deg = np.arange(0.2, 360.0, 1.0)
    points = turned(elevation_deg[:, np.newaxis] - 2.0, azimuth_deg[np.newaxis, :])
    image = range_image(cloud_of(points), simple_layout(elevation_deg.tolist(), 360))
    assert (image.pixel_of_point // 360).tolist() == np.repeat(np.arange(8), 360).tolist()
    assert image.returned.all()


def test_points_beyond_the_rings_are_outside() -> None:
    points = turned(np.array([40.0, 0.0, -40.0]), np.zeros(3))
    image = range_image(cloud_of(points), simple_layout([1.0, 0.0, -1.0], 360))
    assert (image.pixel_of_point[[0, 2]] == -1).all()
    assert image.pixel_of_point[1] >= 0


def test_an_empty_cloud_has_an_empty_image() -> None:
    image = range_image(cloud_of(np.zeros((0, 3))), simple_layout([1.0, 0.0], 360))
    assert not image.returned.any()


@pytest.mark.parametrize("known", [("ring", "column"), ()])
@pytest.mark.parametrize("name", ["VLP-16", "OS1-128"])
def test_layouts_are_found_in_clouds(name: str, known: tuple[str, ...]) -> None:
    cloud, _ = scanned(name, known=known)
    expected = sensor_layout(Sensor(name="lidar", preset=name))
    found = found_layout([cloud])
    assert (found.n_ring, found.n_column) == (expected.n_ring, expected.n_column)
    np.testing.assert_allclose(found.elevation_deg, expected.elevation_deg, atol=0.02)
    image = range_image(cloud, found)
    assert np.unique(image.pixel_of_point).size == len(cloud)


def test_rings_are_found_by_elevation_in_any_order_of_rows() -> None:
    cloud, _ = scanned("VLP-16", known=())
    shuffled = cloud.rows(np.random.default_rng(2).permutation(len(cloud)))
    found = found_layout([shuffled])
    assert (found.n_ring, found.n_column) == (16, 1808)


def test_points_outside_the_image_stay_whichever_pixels_are_left_out() -> None:
    layout = simple_layout([5.0, -5.0], 3)
    azimuth = np.array([150.0, 0.0, -90.0, 30.0, -90.0, 150.0, 0.0, 30.0])
    elevation = np.array([5.0, 70.0, 5.0, -5.0, -5.0, -5.0, -70.0, 5.0])
    cloud = cloud_of(turned(elevation, azimuth))
    image = range_image(cloud, layout)
    pixel = image.pixel_of_point.tolist()
    assert sorted(pixel) == [-1, -1, *range(6)]
    for flags in product([False, True], repeat=6):
        rows = [row for row, one in enumerate(pixel) if one < 0 or flags[one]]
        found = kept_points(cloud, image, np.reshape(flags, (2, 3)))
        np.testing.assert_array_equal(found.points_m, cloud.points_m[rows])


def test_the_origin_of_beams_is_fitted() -> None:
    n_column, elevation = 512, np.linspace(20.0, -20.0, 32)
    layout = replace(
        simple_layout(elevation.tolist(), n_column),
        origin_m=np.tile([0.02767, 0.0, 0.03618], (32, 1)),
    )
    origin, direction = layout.beams()
    range_m = np.random.default_rng(3).uniform(1.0, 9.0, (32, n_column, 1))
    ring = np.repeat(np.arange(32, dtype=np.int32), n_column)
    cloud = cloud_of(origin + range_m * direction, ring=ring)
    found = found_layout([cloud], origin_m=None)
    np.testing.assert_allclose(found.origin_m, layout.origin_m, atol=1e-4)
    np.testing.assert_allclose(found.elevation_deg, elevation, atol=0.01)


def test_clouds_without_rings_are_refused() -> None:
    with pytest.raises(InputError, match="no rings"):
        found_layout([])
    with pytest.raises(InputError, match="no rings"):
        found_layout([cloud_of(np.array([[1.0, 2.0, 3.0]] * 5))])


def test_a_sensor_without_rings_is_refused() -> None:
    with pytest.raises(InputError, match="no rings and columns"):
        sensor_layout(Sensor(name="lidar", preset="Livox-Avia"))

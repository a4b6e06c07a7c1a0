# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Chunks of the page: what is decoded is what was encoded, to within the step that it states."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lidar_app.show.page.cloud_chunk import MOST_COLUMNS, cloud_chunk
from lidar_app.show.page.encoding import encode_chunk, number_codes, rounded_step, table_codes
from osi_lidar.clouds.cloud import point_type
from osi_lidar.errors import InputError
from osi_lidar.scan.records import NO_MATERIAL
from tests.lidar_app.show.page.decoding import chunk_of, places_of, values_of

WHOLE = ("i1", "u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8")


def returned(codes):
    """Encode a column as a chunk, and return its values."""
    _, columns = chunk_of(encode_chunk([codes], {}))
    return values_of(columns[codes.name])


def cloud(n=400, *, ring=True, extent_m=80.0, **more):
    """Return points of a turning sensor, in random order, as our own clouds have them."""
    rng = np.random.default_rng(3)
    points = np.zeros(n, point_type(timed=True, several=True, received=True))
    range_m = rng.uniform(1.0, extent_m, n)
    azimuth, elevation = rng.uniform(-np.pi, np.pi, n), rng.uniform(-0.4, 0.2, n)
    points["x"] = range_m * np.cos(elevation) * np.cos(azimuth)
    points["y"] = range_m * np.cos(elevation) * np.sin(azimuth)
    points["z"] = range_m * np.sin(elevation)
    points["range"] = range_m
    points["reflectivity"] = rng.uniform(0.01, 2.0, n)
    points["intensity"] = np.minimum(100 * points["reflectivity"], 100)
    points["ring"], points["column"] = rng.integers(0, 16, n), np.arange(n)
    points["material_id"] = rng.choice([0, 1, NO_MATERIAL], n)
    points["object_id"] = rng.choice([7, 2**32 - 1], n)
    for name, values in more.items():
        points[name] = values
    names = [name for name in points.dtype.names if ring or name != "ring"]
    return points[names].copy()


@given(hnp.arrays(st.sampled_from(WHOLE).map(np.dtype), st.integers(0, 40)))
def test_integers_return_as_they_were(values):
    assert [int(each) for each in returned(number_codes("a", values))] == values.tolist()


@given(
    hnp.arrays(np.float64, st.integers(1, 40), elements=st.floats(-1e6, 1e6) | st.just(np.nan)),
    st.sampled_from([None, 0.001, 0.1, 4.0]),
)
def test_floats_return_to_within_half_a_step(values, step):
    codes = number_codes("a", values, step=step)
    tolerance = 0.5 * codes.header["step"] + 1e-9
    np.testing.assert_allclose(returned(codes), values, rtol=0, atol=tolerance)


def test_infinite_numbers_are_none():
    values = np.array([1.0, np.inf, -np.inf, 2.0])
    assert np.isnan(returned(number_codes("a", values))).tolist() == [False, True, True, False]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.0, 2e-319], [0.0, 0.0]),
        ([-1e300, 0.0, 1e300], [-1e300, 0.0, 1e300]),
        ([-1.7e308, 5.0, 1.7e308], [np.nan, 5.0, np.nan]),
    ],
)
def test_numbers_at_the_ends_of_doubles_have_finite_steps(values, expected):
    found = returned(number_codes("time", np.array(values)))
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-3)


def test_large_floats_keep_their_differences():
    """Seconds since 1970 as doubles, 1 us apart."""
    values = 1.7e9 + 1e-3 * np.arange(100)
    codes = number_codes("timestamp", values)
    np.testing.assert_allclose(returned(codes), values, rtol=0, atol=1e-5)


def test_a_table_keeps_ids_of_64_bits_and_names_the_absent_one():
    values = np.array([2**64 - 1, 2**63 + 1, 5], np.uint64)
    codes = table_codes("object_id", values, absent=2**64 - 1)
    assert returned(codes).tolist() == ["none", str(2**63 + 1), "5"]


@pytest.mark.parametrize(
    ("least", "expected"), [(0.00234, 0.004), (0.001, 0.001), (0.0041, 0.01), (3.0, 4.0), (0, 1.0)]
)
def test_steps_are_1_2_or_4_times_a_power_of_ten(least, expected):
    assert rounded_step(least) == expected


@pytest.mark.parametrize("ring", [True, False])
def test_places_return_to_within_a_step_and_columns_to_theirs(ring):
    points = cloud(ring=ring)
    chunk = cloud_chunk(points, materials=["asphalt", "paint"])
    header, columns = chunk_of(chunk.data)
    # with rings, points come ring by ring; without, as they are in the file
    points = points[np.lexsort((points["column"], points["ring"]))] if ring else points
    xyz = np.stack([points[axis] for axis in "xyz"], axis=1)
    assert np.abs(places_of(columns) - xyz).max() <= chunk.step_m
    assert header["step_m"] == chunk.step_m == 0.004  # 160 m in 65 533 steps are 2.4 mm each
    for name in ("reflectivity", "snr", "normal_x", "width_m"):
        apart = np.abs(values_of(columns[name]) - points[name])
        assert apart.max() <= 0.5 * columns[name]["step"] + 1e-6, name
    for name in ("column", "time_ns", "echo", "n_echoes"):
        assert [int(each) for each in values_of(columns[name])] == points[name].tolist()
    assert columns["range"]["derived"] == "distance"
    assert columns["intensity"]["derived"] == "percent"


def test_materials_and_objects_have_their_names():
    _, columns = chunk_of(cloud_chunk(cloud(), materials=["asphalt", "paint"]).data)
    assert columns["material_id"]["names"] == ["asphalt", "paint", "none"]
    assert columns["object_id"]["table"] == ["7", "none"]
    assert columns["origin"]["names"] == ["surface"]


def test_a_material_beyond_the_list_keeps_its_number():
    _, columns = chunk_of(cloud_chunk(cloud(), materials=["asphalt"]).data)
    assert columns["material_id"]["names"] == ["asphalt", "1", "none"]


def test_a_range_that_is_not_the_distance_keeps_its_own_column():
    """The sensor has a start of its beams beside its origin: ranges are 3 cm shorter."""
    points = cloud()
    points["range"] -= 0.03
    _, columns = chunk_of(cloud_chunk(points).data)
    order = np.lexsort((points["column"], points["ring"]))
    np.testing.assert_allclose(values_of(columns["range"]), points["range"][order], atol=0.0006)


def test_the_step_grows_so_that_the_farthest_point_fits():
    """400 m to both sides are 12.2 mm for each of 65 533 steps, so 20 mm."""
    points = np.zeros(2, [(axis, "<f4") for axis in "xyz"])
    points["x"] = -400.0, 400.0
    chunk = cloud_chunk(points)
    assert chunk.step_m == 0.02
    _, columns = chunk_of(chunk.data)
    assert max(columns[axis]["bytes"] for axis in "xyz") <= 3
    np.testing.assert_allclose(places_of(columns)[:, 0], points["x"], atol=0.0101)


def test_places_in_a_map_grid_keep_their_millimetres():
    """UTM coordinates in doubles: the page draws them relative to the least."""
    points = np.zeros(100, [(axis, "<f8") for axis in "xyz"])
    rng = np.random.default_rng(0)
    points["x"], points["y"] = 691_000 + rng.uniform(0, 50, 100), 5_334_000.123
    chunk = cloud_chunk(points)
    header, columns = chunk_of(chunk.data)
    np.testing.assert_allclose(
        places_of(columns)[:, 0], points["x"], atol=0.5 * chunk.step_m + 1e-6
    )
    assert chunk.step_m == 0.001
    assert "image" not in header  # 0 is far away: nothing is seen from there


def test_rows_without_a_return_are_no_points():
    points = cloud(20)
    for axis in "xyz":
        points[axis][:3] = 0.0, np.nan, 5.0
    points["y"][0] = points["z"][0] = 0.0
    assert cloud_chunk(points).n_point == 18


def test_every_point_has_a_pixel_of_the_range_image():
    header, columns = chunk_of(cloud_chunk(cloud()).data)
    rows, across = (values_of(columns[name]) for name in ("@row", "@column"))
    assert 0 <= min(rows) <= max(rows) < header["image"]["rows"] == 16
    assert 0 <= min(across) <= max(across) < header["image"]["columns"]


def test_an_empty_cloud_is_a_chunk_without_rows():
    header, columns = chunk_of(cloud_chunk(cloud(0)).data)
    assert header["rows"] == 0
    assert "image" not in header
    assert len(places_of(columns)) == 0


def test_of_many_columns_some_are_left_out_and_counted():
    points = np.ones(3, [(name, "<f4") for name in ("x", "y", "z", *map(str, range(50)))])
    header, columns = chunk_of(cloud_chunk(points).data)
    assert header["left_out"] == 50 - MOST_COLUMNS
    assert sum(name.isdecimal() for name in columns) == MOST_COLUMNS


def test_a_cloud_without_z_is_refused_in_one_line():
    with pytest.raises(InputError, match=r"^a\.pcd has no field z; it has x, y$"):
        cloud_chunk(np.zeros(1, [("x", "<f4"), ("y", "<f4")]), name="a.pcd")

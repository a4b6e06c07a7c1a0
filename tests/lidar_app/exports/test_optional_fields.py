# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Fields that a sensor has on request reach every format that has room for them."""

import laspy
import numpy as np
import pyarrow.parquet as pq
import pytest
from mcap.reader import make_reader
from numpy.testing import assert_array_equal

from lidar_scenery.weather.sunlight import white_radiance
from osi_lidar.clouds.pcd import read_pcd
from tests.builders.runs import SENSORS, make_run
from tests.commands import run
from tests.lidar_app.exports.test_ros2 import messages, table

FIELDS = {"radial_velocity": {"velocity": True}, "near_ir": {"near_ir": True}}


@pytest.fixture(scope="module", params=FIELDS)
def field(request):
    """Return a field that the first of two sensors has."""
    return request.param


@pytest.fixture(scope="module")
def moving(field, tmp_path_factory):
    """Return a run in which the first of two sensors has the field."""
    front, left = SENSORS
    return make_run(tmp_path_factory.mktemp(field), sensors=[{**front, **FIELDS[field]}, left])


@pytest.fixture(scope="module")
def expected(field, moving):
    """Return the values of the last cloud, in which the car has moved by 0.5 m in 0.1 s."""
    points = read_pcd(moving / "front" / "000002.pcd")
    assert points.dtype.names[-1] == field
    values = points[field]
    assert field != "radial_velocity" or 4.0 < values.max() <= 5.0
    assert field != "near_ir" or 0.0 < values.max() < white_radiance(905.0)
    assert field not in read_pcd(moving / "left" / "000002.pcd").dtype.names
    return values


def exported(form, moving, out, *options):
    """Export a run; return where it is."""
    result = run("export", form, moving, "--out", out, *options)
    assert result.exit_code == 0, result.output
    return out


def test_npy_has_them(field, moving, expected, tmp_path):
    cloud = np.load(exported("npy", moving, tmp_path / "npy") / "front" / "000002.npy")
    assert_array_equal(cloud[field], expected)


def test_parquet_has_them_and_none_for_the_other_sensor(field, moving, expected, tmp_path):
    rows = pq.read_table(exported("parquet", moving, tmp_path / "points.parquet"))
    found = rows.select(["frame", "sensor", field]).to_pandas()
    last = found[found["frame"] == 2]
    assert_array_equal(last[field][last["sensor"] == "front"].astype(np.float32), expected)
    assert last[field][last["sensor"] == "left"].isna().all()


@pytest.mark.parametrize("layout", ["xyzirt", "autoware"])
def test_bags_have_them_after_the_fields_of_the_layout(layout, field, moving, expected, tmp_path):
    bag = exported("ros2", moving, tmp_path / "bag", "--layout", layout)
    clouds = [table(each) for name, _, each in messages(bag) if "front" in name]
    assert clouds[-1].dtype.names[-1] == field
    assert_array_equal(clouds[-1][field], expected)


def test_laz_has_them(field, moving, expected, tmp_path):
    file = laspy.read(exported("laz", moving, tmp_path / "laz") / "front" / "000002.laz")
    assert_array_equal(np.asarray(file[field]), expected)


def test_mcap_has_them(field, moving, tmp_path):
    path = exported("mcap", moving, tmp_path / "run.mcap")
    with path.open("rb") as file:
        data = [
            each.data
            for _, channel, each in make_reader(file).iter_messages()
            if "front" in channel.topic
        ]
    assert any(field.encode() in each for each in data)

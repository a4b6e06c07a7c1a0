# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Types of messages: their definitions, hashes and bytes, held against rosbags."""

import hashlib
import sys
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from lidar_app.exports.ros2_layouts import XYZIRCAEDT, XYZIRT
from lidar_app.exports.ros2_messages import (
    CLOCK,
    CLOUD,
    TRANSFORMS,
    cloud_message,
    stamp,
    transforms_message,
)
from lidar_app.ros2.dds_types import DEFINITIONS, TYPE_HASHES, message_classes
from osi_lidar.errors import OutputError

TYPES = get_typestore(Stores.ROS2_HUMBLE)
NAMES = st.text("abc_/", max_size=9)
TIMES_NS = st.integers(0, 2**31 * 10**9 - 1)


def as_idl(message, classes, kind):
    """Return a message of rosbags as one of Cyclone DDS, which serialises by itself."""
    values = {}
    for field, name in DEFINITIONS[kind].items():
        value, one = getattr(message, field), name.removesuffix("[]")
        if one in DEFINITIONS:
            each = [as_idl(item, classes, one) for item in (value if one != name else [value])]
            value = each if one != name else each[0]
        elif one != name:
            value = bytes(value)
        values[field] = value
    return classes[kind](**values)


@pytest.fixture(scope="module")
def classes():
    pytest.importorskip("cyclonedds")
    return message_classes()


def test_definitions_are_those_of_ros():
    for name, expected in DEFINITIONS.items():
        names = [each.name for each in fields(TYPES.types[name])]
        assert list(expected) == [each for each in names if each.islower() and "__" not in each]


def test_hashes_are_those_of_the_definitions():
    """Rosbags hashes them as REP 2011 says; the text of a type is in its bags, too."""
    assert {name: TYPES.hash_rihs01(name) for name in TYPE_HASHES} == TYPE_HASHES
    assert all(len(each) == len("RIHS01_") + hashlib.sha256().digest_size * 2
               for each in TYPE_HASHES.values())  # fmt: skip


@given(
    time_ns=TIMES_NS,
    frame=NAMES,
    n_point=st.integers(0, 9),
    row=st.sampled_from([XYZIRT, XYZIRCAEDT]),
)
def test_clouds_have_the_bytes_that_cyclone_dds_writes(classes, time_ns, frame, n_point, row):
    """Odd lengths of names and clouds move what stands behind them, which CDR aligns."""
    data = np.random.default_rng(n_point).bytes(n_point * row.itemsize)
    rows = np.frombuffer(data, row)
    message = cloud_message(TYPES, rows, time_ns=time_ns, frame=frame)
    written = bytes(TYPES.serialize_cdr(message, CLOUD))
    assert as_idl(message, classes, CLOUD).serialize() == written
    assert data in written


@given(time_ns=TIMES_NS, names=st.lists(NAMES, max_size=3), seed=st.integers(0, 99))
def test_transforms_have_the_bytes_that_cyclone_dds_writes(classes, time_ns, names, seed):
    poses = np.tile(np.eye(4), (len(names), 1, 1))
    poses[:, :3, 3] = np.random.default_rng(seed).normal(size=(len(names), 3))
    placed = [(time_ns, name, pose) for name, pose in zip(names, poses, strict=True)]
    message = transforms_message(TYPES, "map", placed)
    written = bytes(TYPES.serialize_cdr(message, TRANSFORMS))
    assert as_idl(message, classes, TRANSFORMS).serialize() == written


def test_a_time_has_the_bytes_that_cyclone_dds_writes(classes):
    message = TYPES.types[CLOCK](clock=stamp(TYPES, 3_000_000_005))
    # CDR, little-endian: the header, 3 s as int32, 5 ns as uint32
    expected = bytes([0, 1, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0])
    assert bytes(TYPES.serialize_cdr(message, CLOCK)) == expected
    assert as_idl(message, classes, CLOCK).serialize() == expected


def test_types_have_the_names_that_ros_gives_them_in_dds(classes):
    name = classes[CLOUD].__idl_typename__
    assert name.replace(".", "::") == "sensor_msgs::msg::dds_::PointCloud2_"


def test_without_cyclone_dds_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "cyclonedds.idl", None)
    with pytest.raises(
        OutputError, match=r"cyclonedds is not installed: pip install 'osi-lidar\[ros2-live\]'"
    ):
        message_classes()

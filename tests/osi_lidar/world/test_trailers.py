# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Trailers: points lie on the pose that messages state for them, and move as it does."""

import math

import numpy as np
import pytest
from osi3.osi_object_pb2 import MovingObject
from osi3.osi_sensorview_pb2 import SensorView

from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from tests.builders.messages import Thing, host, message
from tests.builders.worlds import config

MESSAGE_S, SCAN_S, N_MESSAGES = 0.02, 0.1, 11
TRACTOR, TRAILER = 20, 21
TRAILER_M, HITCH_M = (6.0, 2.5, 3.2), 4.2
KINDS = MovingObject.VehicleClassification


def tractor_at(time_s):
    """Return the place of a tractor that weaves, and its heading."""
    yaw = 0.3 * math.sin(7.0 * time_s)
    return np.array([14.0 + 8.0 * time_s, -3.5 + 0.4 * math.sin(9.0 * time_s), 1.5]), yaw


def trailer_at(time_s):
    """Return the place and the heading of a trailer that swings about the tractor's hitch."""
    place, yaw = tractor_at(time_s)
    own = 0.35 - 0.2 * math.cos(11.0 * time_s)
    hitch = place + np.array([-3.0 * math.cos(yaw), -3.0 * math.sin(yaw), 0.1])
    return hitch - HITCH_M * np.array([math.cos(own), math.sin(own), 0.0]), own


def said(index, kind):
    """Return the message of a time."""
    time_s = MESSAGE_S * index
    (place, yaw), (behind, own) = tractor_at(time_s), trailer_at(time_s)
    things = [
        host(),
        Thing(TRACTOR, tuple(place), yaw_rad=yaw, dimension_m=(5.0, 2.5, 3.0)),
        Thing(TRAILER, tuple(behind), yaw_rad=own, dimension_m=TRAILER_M),
    ]
    view = SensorView.FromString(message(things, time_s=time_s))
    tractor, trailer = view.global_ground_truth.moving_object[1:]
    tractor.vehicle_classification.type = KINDS.TYPE_HEAVY_TRUCK
    tractor.vehicle_classification.has_trailer = True
    tractor.vehicle_classification.trailer_id.value = TRAILER
    trailer.vehicle_classification.type = kind
    return view.SerializeToString()


def last_scan(folder, kind):
    """Return a model, and a scan of it in which five messages bend the way of the trailer."""
    times = np.linspace(0.0, 0.999 * SCAN_S, 3000)
    random = np.random.default_rng(1)
    angles = random.uniform((-30.0, -8.0), (10.0, 12.0), (len(times), 2))
    np.savetxt(folder / "beams.csv", np.c_[times, angles], fmt="%.9f", delimiter=",")
    sensor = {
        "name": "front",
        "pattern": {"kind": "table", "file": str(folder / "beams.csv")},
        "rotation_rate_hz": 1.0 / SCAN_S,
        "mounting": {"x_m": 1.2, "z_m": 0.45},  # over the centre of the host
        "max_range_m": 200.0,
        "range_limit": None,
        "velocity": True,
    }
    model = LidarModel(config(sensors=[sensor], scene={"ground": "none"}))
    decoder = FrameDecoder("SensorView")
    steps = [model.step(decoder.decode(said(k, kind), k)) for k in range(N_MESSAGES)]
    return model, [step.scans[0] for step in steps if step.scans][-1]


@pytest.mark.parametrize("kind", [KINDS.TYPE_TRAILER, KINDS.TYPE_SEMITRAILER])
def test_points_of_a_trailer_lie_on_its_own_pose_at_their_time(tmp_path, kind):
    """Between messages places go evenly and headings turn evenly; a point moves at v + w x r."""
    model, scan = last_scan(tmp_path, kind)
    points, pattern = scan.cloud.points, model.lidars[0].pattern
    mine = np.flatnonzero(points["object_id"] == TRAILER)
    assert len(mine) > 300
    begin_s = MESSAGE_S * (N_MESSAGES - 1) - SCAN_S
    for row in mine.tolist():
        beam = scan.cloud.beam[row]
        way = pattern.direction[beam].astype(float)
        time_s = begin_s + pattern.time_s[beam]
        key = min(int(time_s / MESSAGE_S + 1e-9), N_MESSAGES - 2)
        (first, yaw), (last, end) = (trailer_at(MESSAGE_S * k) for k in (key, key + 1))
        share = time_s / MESSAGE_S - key
        arm = way * points["range"][row] + (0.0, 0.0, 0.75) - first - share * (last - first)
        heading = yaw + share * (end - yaw)
        c, s = math.cos(heading), math.sin(heading)
        local = np.array([c * arm[0] + s * arm[1], c * arm[1] - s * arm[0], arm[2]])
        beyond_m = np.abs(local) - np.array(TRAILER_M) / 2.0
        assert abs(beyond_m.max()) < 1e-5  # on the nearest face
        turns = (end - yaw) / MESSAGE_S
        velocity = (last - first) / MESSAGE_S + turns * np.array([-arm[1], arm[0], 0.0])
        assert points["radial_velocity"][row] == pytest.approx(-velocity @ way, abs=1e-4)

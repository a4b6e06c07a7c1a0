# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The example for CARLA: the recorder writes what the mapping reads, and points are in place."""

import json
import math
import runpy
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace as Part

import numpy as np
import pytest

from osi_bridge import open_trace
from osi_bridge.bench import decode_answer
from osi_lidar.config import load_config
from tests.osi_lidar.live.streams import answers

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "carla"
BY_HAND = FOLDER / "by_hand.jsonl"
HEAD, *SNAPSHOTS = map(json.loads, BY_HAND.read_text(encoding="utf-8").splitlines())
TO_OSI = Part(**runpy.run_path(str(FOLDER / "to_osi.py")))
TRUCK, BICYCLE, WALKER = 31, 40, 52


@contextmanager
def modules(**named):
    """Let scripts import these modules."""
    sys.modules.update(named)
    try:
        yield
    finally:
        for name in named:
            del sys.modules[name]


def first_scan(trace):
    """Return what the lidar of the example sees in the first message."""
    data = [each.data for each in open_trace(trace, message_type="GroundTruth")]
    said = answers(load_config(FOLDER / "lidar.yaml"), data, "GroundTruth")
    return decode_answer(said[-1]).scans[0], data


@pytest.mark.long
def test_points_are_where_the_snapshots_have_the_actors(tmp_path):
    trace = tmp_path / "drive.osi"
    subprocess.run([sys.executable, FOLDER / "to_osi.py", BY_HAND, trace], check=True)
    scan, data = first_scan(trace)
    assert len(data) == len(SNAPSHOTS)
    # Host at (100, 46), ahead is -y of CARLA, to the left is -x. The sensor is above its origin.
    # The tail of the truck is at y = 28.8 + 4.2, and goes on at 2 m/s less than the host.
    on_truck = scan.object_id == TRUCK
    ahead_m = (scan.range_m * np.cos(scan.azimuth_rad) * np.cos(scan.elevation_rad))[on_truck]
    assert ahead_m.min() == pytest.approx(46.0 - 33.0, abs=0.25)
    for object_id, left_m, ahead_m in ((WALKER, 4.0, 8.0), (BICYCLE, -3.5, 9.0)):
        azimuth = scan.azimuth_rad[scan.object_id == object_id]
        assert np.median(azimuth) == pytest.approx(math.atan2(left_m, ahead_m), abs=0.05)


def test_each_field_changes_hands():
    truth = TO_OSI.ground_truth(HEAD, SNAPSHOTS[0])
    assert (truth.timestamp.seconds, truth.timestamp.nanos) == (12, 500_000_000)
    host, truck = truth.moving_object[:2]
    assert truth.host_vehicle_id.value == host.id.value == HEAD["host"]
    assert host.base.orientation.yaw == pytest.approx(math.pi / 2.0)
    assert (truck.base.position.x, truck.base.position.y) == pytest.approx((100.0, -32.0))
    assert (truck.base.velocity.x, truck.base.velocity.y) == pytest.approx((0.0, 8.0))
    assert truck.base.dimension.length == pytest.approx(8.4)
    # The rear wheels are 1.45 m behind the origin and 0.35 m above it, the box is 0.03 m before it.
    axle = host.vehicle_attributes.bbcenter_to_rear
    assert (axle.x, axle.y, axle.z) == pytest.approx((-1.48, 0.0, 0.35 - 0.75), abs=1e-6)
    assert [each.id.value for each in truth.stationary_object] == [
        60,
        17 * 10**18 + 1,
        17 * 10**18 + 2,
    ]


@pytest.mark.parametrize(("roll", "pitch", "yaw"), [(10.0, 20.0, 30.0), (-50.0, -35.0, 120.0)])
def test_a_rotation_is_that_of_the_mirrored_world(roll, pitch, yaw):
    """CARLA's matrix (LibCarla, Transform::GetMatrix), with y mirrored on both sides."""
    (cr, cp, cy), (sr, sp, sy) = (
        [f(math.radians(each)) for each in (roll, pitch, yaw)] for f in (math.cos, math.sin)
    )
    carla = np.array(
        [
            [cp * cy, cy * sp * sr - sy * cr, -cy * sp * cr - sy * sr],
            [cp * sy, sy * sp * sr + cy * cr, -sy * sp * cr + cy * sr],
            [sp, -cp * sr, cp * cr],
        ]
    )
    mirror = np.diag([1.0, -1.0, 1.0])
    ours = TO_OSI.turn_of({"roll": roll, "pitch": pitch, "yaw": yaw})
    np.testing.assert_allclose(ours, mirror @ carla @ mirror, atol=1e-12)


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda lines: ["{}\n", *lines[1:]], "line 1: expected the format"),
        (lambda lines: [*lines[:2], "[1]\n"], "line 3: no snapshot of CARLA"),
        (lambda lines: [*lines[:1], lines[1][:50]], "line 2: no snapshot of CARLA"),
        (lambda lines: [lines[0], lines[1].replace("12.5", "Infinity")], "line 2: no snapshot of"),
        (lambda _: [], "drive.jsonl: is empty"),
    ],
)
def test_what_is_no_recording_is_one_line_and_no_trace(change, told, tmp_path):
    file = tmp_path / "drive.jsonl"
    file.write_text("".join(change(BY_HAND.read_text().splitlines(keepends=True))))
    words = [sys.executable, FOLDER / "to_osi.py", file, tmp_path / "drive.osi"]
    ended = subprocess.run(words, check=False, capture_output=True, text=True)
    assert ended.returncode == 1
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not (tmp_path / "drive.osi").exists()


def xyz(values):
    return Part(**dict(zip("xyz", values, strict=True)))


def of_box(part):
    names = {"location": xyz, "extent": xyz, "rotation": lambda angles: Part(**angles)}
    return Part(**{name: kind(part[name]) for name, kind in names.items()})


class World:
    """A world of CARLA that ticks through the snapshots made by hand."""

    def __init__(self):
        self._ticks = iter(SNAPSHOTS)
        self.now = SNAPSHOTS[0]

    def get_map(self):
        return Part(name=HEAD["map"], to_opendrive=lambda: "<OpenDRIVE/>")

    def get_environment_objects(self, _kind):
        return [
            Part(id=each["id"], type=each["label"], bounding_box=of_box(each["box"]))
            for each in HEAD["level"]
        ]

    def get_actors(self):
        return Actors(
            Part(
                id=each["id"],
                type_id=each["type_id"],
                attributes={"base_type": each["base_type"], "role_name": str(each["type_id"])},
                bounding_box=of_box(each["box"]),
                get_physics_control=lambda one=each: Part(
                    wheels=[Part(position=xyz(wheel)) for wheel in one["wheels"]]
                ),
            )
            for each in self.now["actors"]
        )

    def wait_for_tick(self, _seconds):
        self.now = next(self._ticks)
        known = {each["id"]: each for each in self.now["actors"]}
        return Part(
            frame=self.now["frame"],
            timestamp=Part(elapsed_seconds=self.now["elapsed_s"]),
            find=lambda one: state_of(known[one]),
        )


class Actors(list):
    def filter(self, pattern):
        return [each for each in self if each.type_id.startswith(pattern.rstrip("*"))]


def state_of(actor):
    place = actor["transform"]
    where = Part(location=xyz(place["location"]), rotation=Part(**place["rotation"]))
    return Part(get_transform=lambda: where, get_velocity=lambda: xyz(actor["velocity"]))


def test_the_recorder_writes_what_the_mapping_reads(tmp_path, monkeypatch):
    world = World()
    types = dict.fromkeys(
        ("Actor", "ActorSnapshot", "BoundingBox", "Rotation", "Vector3D", "World", "WorldSnapshot")
    )
    client = Part(get_world=lambda: world)
    carla = Part(CityObjectLabel=Part(Any=None), Client=lambda *_: client, **types)
    recording = tmp_path / "drive.jsonl"
    monkeypatch.setattr(
        sys, "argv", ["record.py", str(recording), "--host", "24", "--seconds", "0.4"]
    )
    monkeypatch.syspath_prepend(str(FOLDER))
    with modules(carla=carla, to_osi=TO_OSI):
        runpy.run_path(str(FOLDER / "record.py"), run_name="__main__")
    head, *snapshots = map(json.loads, recording.read_text().splitlines())
    assert {**head, "made_by": "hand"} == HEAD
    assert snapshots == SNAPSHOTS[:-1]
    assert recording.with_suffix(".xodr").read_text() == "<OpenDRIVE/>"

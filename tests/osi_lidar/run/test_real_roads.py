# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Real traces without any mesh: roads with markings, and shapes within the boxes of objects."""

from itertools import pairwise

import numpy as np
import pytest

from osi_bridge import rotation_from_orientation
from osi_lidar import LidarModel
from osi_lidar.config import Config
from osi_lidar.run.frame_source import FrameSource

AT_AN_INSTANT = {"rolling_shutter": False, "motion_blur": False, "range_limit": None}
MARKING = "road_marking_white_beads"
LEAST_CONTRAST = 3.0
BESIDE_M = 0.02
"""Points this close to the edge of a marking may be on either side of it."""

STEERED_OUT_M = 0.05
"""A wheel of 0.33 m that steers by 9 deg reaches so far out of its place. [m]"""


def _seen(path, sensor, frames=(0,)):
    """Yield frame, model, points in the world and their records, of some messages."""
    one = {"name": "front", **AT_AN_INSTANT, **sensor}
    model = LidarModel(Config.model_validate({"sensors": [one]}), trace_folder=path.parent)
    for message in FrameSource(path, frames=slice(0, max(frames) + 1)).messages():
        if message.frame.index not in frames:
            continue
        (scan,) = model.step(message.frame).scans
        points = scan.cloud.points
        local = np.stack([points["x"], points["y"], points["z"]], axis=1).astype(np.float64)
        pose = scan.world_from_sensor
        yield message.frame, model, local @ pose[:3, :3].T + pose[:3, 3], points


def _materials(model, points):
    names = np.array(list(model.materials.entries))
    return names[points["material_id"]]


def test_the_dashes_of_a_real_trace_are_found_at_their_stations(real_data):
    trace = real_data / "osi" / "omega-prime" / "acc-test.osi"
    down_deg = np.arange(-40.0, -8.0, 0.02).round(3).tolist()
    beams = {"kind": "angles", "horizontal_deg": [0.0], "vertical_deg": down_deg}
    over_the_line = {"x_m": 0.0, "y_m": 1.535, "z_m": 2.0}  # the host drives 1.535 m beside it
    sensor = {"pattern": beams, "mounting": over_the_line}
    ((_, model, seen_m, points),) = _seen(trace, sensor)
    order = np.argsort(seen_m[:, 0])
    x_m = seen_m[order, 0]
    painted = _materials(model, points)[order] == MARKING
    assert np.abs(seen_m[:, 1]).max() < 0.01
    changes = [
        0.5 * (a + b)
        for (a, b), (p, q) in zip(pairwise(x_m), pairwise(painted), strict=True)
        if p != q
    ]
    ends = sorted(x for k in range(42) for x in (12.0 * k, 12.0 * k + 4.0))  # of this map's dashes
    wanted = [x for x in ends if x_m[0] < x < x_m[-1]]
    assert len(wanted) >= 2
    np.testing.assert_allclose(changes, wanted, atol=0.05)


def _painted_segments(network):
    """Yield begin, end and width of what is painted, as the message has it."""
    for line in network.boundaries.values():
        if line.type_name == "SOLID_LINE":
            pairs = pairwise(line.points_m)
        elif line.type_name == "DASHED_LINE":  # this tool gives the two ends of each dash
            pairs = zip(line.points_m[0::2], line.points_m[1::2], strict=False)
        else:
            continue
        for a, b in pairs:
            yield a[:2], b[:2], float(line.width_m[0])


def _inside_by_m(points_m, network):
    """Return how far points lie inside of the nearest marking [m], negative outside."""
    inside_m = np.full(len(points_m), -np.inf)
    for a, b, width_m in _painted_segments(network):
        along = b - a
        length = np.linalg.norm(along)
        station = (points_m - a) @ along / length
        aside = (points_m - a) @ np.array([-along[1], along[0]]) / length
        here = np.minimum(0.5 * width_m - np.abs(aside), np.minimum(station, length - station))
        inside_m = np.maximum(inside_m, here)
    return inside_m


@pytest.mark.parametrize(("name", "frame"), [("highway_merge", 150), ("acc-test", 0)])
def test_points_on_markings_are_bright_and_those_beside_them_are_not(real_data, name, frame):
    trace = real_data / "osi" / "omega-prime" / f"{name}.osi"
    sensor = {"preset": "HDL-64E", "mounting": {"z_m": 1.7}}  # 905 nm
    ((_, model, seen_m, points),) = _seen(trace, sensor, (frame,))
    network = next(FrameSource(trace, frames=slice(0, 1)).messages()).frame.lanes
    inside_m, material = _inside_by_m(seen_m[:, :2], network), _materials(model, points)
    on_road = np.isin(material, [MARKING, "asphalt_worn"])
    on_road &= points["object_id"] == points["object_id"].max()  # of no object
    near = seen_m[:, :2] - seen_m[:, :2].mean(axis=0)
    on_road &= np.linalg.norm(near, axis=1) < 30.0
    marked, bare = on_road & (inside_m > BESIDE_M), on_road & (inside_m < -BESIDE_M)
    assert marked.sum() > 50
    assert set(material[marked]) == {MARKING}
    assert set(material[bare]) == {"asphalt_worn"}
    up = np.abs(points["normal_z"])
    assert up[on_road].min() > 0.99
    slant = np.round(np.log2(points["range"]) * 4)  # alike in range is alike in incidence
    both = [s for s in np.unique(slant[marked]) if (bare & (slant == s)).any()]
    contrast = [
        points["reflectivity"][marked & (slant == s)].mean()
        / points["reflectivity"][bare & (slant == s)].mean()
        for s in both
    ]
    assert min(contrast) > LEAST_CONTRAST


@pytest.mark.parametrize(
    ("name", "frames"),
    [
        ("omega-prime/highway_merge.osi", range(0, 400, 80)),
        ("omega-prime/pedestrian.osi", range(0, 400, 80)),
        ("omega-prime/acc-test.osi", range(0, 1000, 200)),
        ("lichtblick/testBrakeAndIndicatorLights.mcap", range(0, 400, 100)),
        ("openmsl/20230621T111704Z_sv_350_32112_100.osi", range(0, 100, 25)),
    ],
)
def test_no_point_of_a_real_trace_lies_outside_the_box_of_its_object(real_data, name, frames):
    n_on_objects = 0
    sensor = {"preset": "OS1-128", "columns": 1024, "mounting": {"z_m": 1.9}}
    for frame, model, seen_m, points in _seen(real_data / "osi" / name, sensor, frames):
        objects, steers = frame.objects, np.char.startswith(_materials(model, points), "rubber")
        for row, object_id in enumerate(objects.object_id.tolist()):
            is_mine = points["object_id"] == object_id
            mine = seen_m[is_mine]
            n_on_objects += len(mine)
            turn = rotation_from_orientation(objects.orientation_rad[row])
            inside = np.abs((mine - objects.position_m[row]) @ turn)
            out_m = inside - 0.5 * objects.dimension_m[row]
            assert (out_m[~steers[is_mine]] <= 0.005).all()
            assert (out_m <= STEERED_OUT_M).all()
    assert n_on_objects > 0

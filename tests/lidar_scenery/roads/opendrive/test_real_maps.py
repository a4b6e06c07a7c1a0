# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Maps of esmini and the traces that it made of them."""

import numpy as np
import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from lidar_scenery.roads.opendrive import read_map
from lidar_scenery.roads.opendrive.parse import under
from lidar_scenery.roads.opendrive.sections import NOT_DRAWN
from osi_bridge.traces.reader import open_trace
from tests.lidar_scenery.roads.opendrive.surfaces import roads_of, surfaces_of

PAIRS = "osi/omega-prime"


def to_chains_m(points, chains):
    """Return the distance of each point (n, 3) from the nearest of some lines of points."""
    least = np.full(len(points), np.inf)
    for chain in chains:
        start, along = chain[:-1], np.diff(chain, axis=0)
        size = np.maximum(np.einsum("ij,ij->i", along, along), 1e-12)
        away = points[:, None] - start
        share = np.clip(np.einsum("nij,ij->ni", away, along) / size, 0.0, 1.0)
        rest = away - share[..., None] * along
        least = np.minimum(least, np.linalg.norm(rest, axis=2).min(axis=1))
    return least


@pytest.mark.parametrize(
    ("trace", "name"),
    [
        ("acc-test", "straight_500m"),
        ("pedestrian", "fabriksgatan"),
        ("highway_merge", "soderleden"),
    ],
)
def test_boundary_points_of_a_trace_lie_on_edges_of_lanes(real_data, trace, name):
    folder = real_data / PAIRS
    truth = GroundTruth.FromString(next(iter(open_trace(folder / f"{trace}.osi"))).data)
    points = np.array(
        [
            (point.position.x, point.position.y, point.position.z)
            for boundary in truth.lane_boundary
            for point in boundary.boundary_line
        ]
    )
    edges = [
        edge
        for surfaces in surfaces_of(folder / f"{name}.xodr").values()
        for surface in surfaces
        for column in surface.columns
        for edge in (column.left_m, column.right_m)
    ]
    assert len(points) > 20
    # in the plane: esmini leaves out the heights of lanes, such as 0.12 m of a sidewalk
    away = to_chains_m(points[:, :2], [edge[:, :2] for edge in edges])
    assert away.max() < 0.02


# areas of libOpenDRIVE for soderleden and fabriksgatan; for straight_500m of its numbers
@pytest.mark.parametrize(
    ("name", "roads", "marks"),
    [
        ("straight_500m", 500.0 * 21.5, 2 * 60.0 + 42 * 4.0 * 0.12),
        ("soderleden", 21234.5, 76.8),
        ("fabriksgatan", 6736.0, None),
    ],
)
def test_areas_of_maps(real_data, name, roads, marks):
    parts = read_map(real_data / PAIRS / f"{name}.xodr")
    assert parts.area_m2("road_") == pytest.approx(roads, rel=1e-4)
    if marks:
        assert parts.area_m2("marking_") == pytest.approx(marks, rel=1e-3)


def all_maps(real_data):
    maps = [*(real_data / "maps").glob("*.xodr"), *(real_data / PAIRS).glob("*.xodr")]
    assert len(maps) >= 18
    return sorted(maps)


@pytest.mark.long
def test_all_maps_open(real_data):
    for path in all_maps(real_data):
        parts = read_map(path)
        counts = dict(parts.counts)
        assert counts["roads"] == len(roads_of(path)), path
        left_out = {note.reason for note in parts.notes if note.used == "nothing"}
        assert left_out <= {
            "its width is 0",
            "they lie beyond the reference line of their road",
            "of painted signals, arrows and symbols are not drawn",
            "it states no markings, as a parkingSpace",
            "walls and roofs of tunnels are not made",
        }, path
        points = [line for strip in parts.strips for line in (strip.left_m, strip.right_m)]
        assert np.isfinite(np.concatenate(points)).all()
        assert all(min(shape.dimension_m) > 0.0 for shape in parts.standing)


def ends_of(surface, number, *, at_start):
    """Return the ends (2, 2) of both edges of a drawn lane in the plane, or None."""
    own = [column for column in surface.columns if column.lane.number == number]
    if not own or own[0].lane.kind in NOT_DRAWN:
        return None
    row = 0 if at_start else -1
    ends = np.array([own[-1].right_m[row, :2], own[0].left_m[row, :2]])
    return ends if np.linalg.norm(ends[1] - ends[0]) > 0.01 else None


def lane_links(section, which):
    """Yield the numbers of the lanes of a section and of the lanes that they are linked with."""
    for side in ("left", "right"):
        for lane in under(section, f"{side}/lane"):
            for link in under(lane, f"link/{which}"):
                yield int(lane.attributes["id"]), int(link.attributes["id"])


def seams(path):
    """Yield each pair of linked lanes as two surfaces, two numbers, and whether each starts."""
    surfaces = surfaces_of(path)
    for road in roads_of(path):
        own, sections = surfaces[road.attributes["id"]], under(road, "lanes/laneSection")
        for place, section in enumerate(sections[:-1]):
            for lanes in lane_links(section, "successor"):
                yield (own[place], own[place + 1]), lanes, (False, True)
        for which, place in (("predecessor", 0), ("successor", -1)):
            for link in under(road, f"link/{which}"):
                other = surfaces.get(link.attributes["elementId"])
                if link.attributes["elementType"] == "road" and other:
                    starts = link.attributes["contactPoint"] == "start"
                    pair = own[place], other[0 if starts else -1]
                    for lanes in lane_links(sections[place], which):
                        yield pair, lanes, (place == 0, starts)


def test_edges_of_linked_lanes_meet(real_data):
    """In the plane: in multi_intersections some walks are raised up to the seam, others not."""
    count = 0
    for path in all_maps(real_data):
        for pair, lanes, starts in seams(path):
            first, second = (
                ends_of(surface, lane, at_start=start)
                for surface, lane, start in zip(pair, lanes, starts, strict=True)
            )
            if first is None or second is None:
                continue  # a lane that begins or ends with no width
            if starts[0] == starts[1]:
                second = second[::-1]
            assert np.linalg.norm(first - second, axis=1).max() < 0.01, (path.name, lanes)
            count += 1
    assert count > 300

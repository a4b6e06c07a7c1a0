# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Cost of worlds without assets: shapes in place of boxes, roads in place of a plane, a map.

python benchmarks/world.py [--runs N]
"""

import sys
import tempfile
from pathlib import Path

from measure import alternate, main, ratio_row, time_row
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_object_pb2 import MovingObject

from lidar_scenery.roads.meshing import road_meshes
from lidar_scenery.roads.opendrive import read_map
from osi_bridge import FrameDecoder
from osi_lidar import LidarModel
from osi_lidar.config import Config

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.lidar_scenery.roads.opendrive.town import town

TITLE = "Worlds without assets"
ABOUT = """\
Cars of 40 sizes in rows, without mesh files. Each drives 10 cm from message to message. They are
shapes on a road of three lanes, or boxes on a plane. A first step makes all shapes and roads;
kernels are compiled before. A town on a grid, as an OpenDRIVE map of 1.4 MB, is read and meshed."""
SENSOR = {
    "name": "roof",
    "preset": "OS1-128",
    "mounting": {"z_m": 1.9},
    "rolling_shutter": False,
    "motion_blur": False,
}
BARE = {"shapes": "box", "roads": False}
TOWN = 6, 7


def message(number, n_car):
    """Return GroundTruth number ``number``, with a host, ``n_car`` cars, and lanes."""
    truth = GroundTruth()
    truth.timestamp.seconds, tenths = divmod(number, 10)
    truth.timestamp.nanos = 100_000_000 * tenths
    for row in range(n_car + 1):
        car = truth.moving_object.add()
        car.id.value = row
        car.type = MovingObject.TYPE_VEHICLE
        car.vehicle_classification.type = MovingObject.VehicleClassification.TYPE_CAR
        base = car.base
        base.position.x, base.position.y = 8.0 * (row // 5) + 0.1 * number, 3.5 * (row % 5) - 7.0
        base.position.z = 0.75
        base.dimension.length, base.dimension.width = 3.8 + 0.03 * (row % 40), 1.8
        base.dimension.height = 1.5
    for side in range(4):
        line = truth.lane_boundary.add()
        line.id.value = 100_000 + side
        line.classification.type = LaneBoundary.Classification.TYPE_DASHED_LINE
        for x_m in range(-100, 2001, 20):
            line.boundary_line.add(width=0.12).position.CopyFrom(_point(x_m, 3.5 * side - 5.25))
    for side in range(3):
        lane = truth.lane.add()
        lane.id.value = 200_000 + side
        lane.classification.type = Lane.Classification.TYPE_DRIVING
        lane.classification.right_lane_boundary_id.add().value = 100_000 + side
        lane.classification.left_lane_boundary_id.add().value = 100_001 + side
    return truth.SerializeToString()


def _point(x_m, y_m):
    point = GroundTruth().stationary_object.add().base.position
    point.x, point.y = x_m, y_m
    return point


class Drive:
    """A model that answers one message after the other."""

    def __init__(self, n_car, scene):
        self._n_car, self._scene = n_car, scene
        self.restart()

    def restart(self):
        """Begin a new run with a new model."""
        config = Config.model_validate({"sensors": [SENSOR], "scene": self._scene})
        self._model, self._decoder, self._next = LidarModel(config), FrameDecoder("GroundTruth"), 0

    def step(self, *_):
        """Run a step with the next message; return the time of the model. [ms]"""
        data = message(self._next, self._n_car)
        frame = self._decoder.decode(data, self._next)
        before = self._model.clock.seconds()["total"]
        self._model.step(frame)
        self._next += 1
        return 1e3 * (self._model.clock.seconds()["total"] - before)

    def first(self, *_):
        """Begin a new run, and run its first step; return the time of the model. [ms]"""
        self.restart()
        return self.step()


def measure(runs):
    """Return the rows of this topic's table."""
    rows = []
    for n_car in (100, 1000):
        made, bare = Drive(n_car, {}), Drive(n_car, BARE)
        steps = alternate({"shapes on a road": made.step, "boxes on a plane": bare.step}, runs=runs)
        firsts = alternate({"shapes": made.first, "boxes": bare.first}, runs=5, warm_up=1)
        name = f"{n_car} cars: step with shapes on a road / boxes on a plane"
        rows.append(ratio_row(name, steps, "shapes on a road", "boxes on a plane"))
        extra = [a - b for a, b in zip(firsts["shapes"], firsts["boxes"], strict=True)]
        rows.append(time_row(f"{n_car} cars: first step, more than boxes", extra, goal=1000.0))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "town.xodr")
        path.write_text(f"<OpenDRIVE><header/>{town(*TOWN)}</OpenDRIVE>", encoding="utf-8")
        parts = read_map(path)
        times = alternate({"read": lambda _: _meshed(path)}, runs=5, warm_up=1)["read"]
    roads = dict(parts.counts)["roads"]
    n_triangle = sum(len(mesh.faces) for mesh in road_meshes(parts))
    detail = f"{n_triangle:,} triangles".replace(",", " ")
    rows.append(
        time_row(f"map of {roads} roads: read and meshed", times, goal=3000.0, detail=detail)
    )
    return rows


def _meshed(path):
    road_meshes(read_map(path))


if __name__ == "__main__":
    main(TITLE, ABOUT, measure)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Messages with lanes side by side along x, each with a film of water."""

from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_sensorview_pb2 import SensorView

WIDTH_M = 4.0


def with_films(data, films_mm, *, z_m=0.0, right_m=-WIDTH_M, length_m=(-20.0, 100.0)):
    """Return a SensorView with lanes from right to left, the first from a place along y on.

    A film of None is not stated.
    """
    view = SensorView.FromString(data)
    truth = view.global_ground_truth
    for number in range(len(films_mm) + 1):
        line = truth.lane_boundary.add()
        line.id.value = 100 + number
        line.classification.type = LaneBoundary.Classification.TYPE_NO_LINE
        for x_m in length_m:
            point = line.boundary_line.add()
            point.position.x, point.position.z = x_m, z_m
            point.position.y = right_m + WIDTH_M * number
    for number, film_mm in enumerate(films_mm):
        lane = truth.lane.add()
        lane.id.value = 200 + number
        lane.classification.type = Lane.Classification.TYPE_DRIVING
        lane.classification.right_lane_boundary_id.add().value = 100 + number
        lane.classification.left_lane_boundary_id.add().value = 101 + number
        if film_mm is not None:
            lane.classification.road_condition.surface_water_film = film_mm
    return view.SerializeToString()

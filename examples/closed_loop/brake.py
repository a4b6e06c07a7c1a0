# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An emergency brake that sees nothing but lidar points.

Points above the ground in the vehicle's path form clusters. A cluster that was found in three scans
is confirmed; its distance over time gives the closing speed. The brake is fully applied, until the
vehicle stands, when the time to collision is less than the time that a full brake needs, plus a
margin:

    distance / v < v / (2 a) + margin        v: closing speed, a: deceleration

It is a simple example: its path is straight and it knows no lanes, it does not predict who will
step into the path, and it takes the sensor's nominal mounting for true.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from osi3.osi_sensordata_pb2 import SensorData
from scipy.ndimage import label

__all__ = ["DECELERATION_M_S2", "HALF_PATH_M", "Brake", "Sighting", "points_of"]

Floats = NDArray[np.float64]

DECELERATION_M_S2 = 8.0
"""Full brake on a dry road; the same in all weather, so that results differ by points alone."""
MARGIN_S = 0.6
"""Added to the time that a full brake needs."""
HALF_PATH_M = 1.75
"""Half of the path's width; the path is as wide as a lane. [m]"""
LOWEST_M, HIGHEST_M = 0.3, 2.5
"""Range of heights above the ground in which points count, by the nominal mounting. [m]"""
NEAREST_M, FARTHEST_M = 1.0, 100.0
"""Range of distances from the bumper in which points count. Nearer points are mostly rain. [m]"""
CELL_M = 0.5
"""Occupied cells that touch, seen from above, are one cluster."""
LEAST_POINTS = 5
"""Least number of points of a cluster; smaller clusters are ignored."""
LEAST_SCANS, MOST_SCANS = 3, 6
"""Number of scans after which a track is confirmed; number of last scans that give its speed."""
GATE_M = 1.5
"""A cluster continues a track if it is that near to where the track should be."""
MISSES_S = 0.25
"""A track that is not seen for longer ends."""
LEAST_CLOSING_M_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """What the brake detects in a scan.

    Attributes
    ----------
    confirmed_m : tuple of float
        Distances of the confirmed clusters in this scan, from the bumper. [m]
    cause_m : float or None
        Distance of the cluster for which the brake is applied; None if it is not applied. [m]
    """

    confirmed_m: tuple[float, ...]
    cause_m: float | None


@dataclass(slots=True)
class _Track:
    """Times and distances at which a cluster was seen. [s], [m]."""

    times_s: list[float]
    distances_m: list[float]

    def closing_m_s(self, most_m_s: float) -> float:
        """Return the closing speed: the median over all pairs of the last scans [m/s].

        It is at most ``most_m_s``, the speed of the vehicle.
        """
        time_s = np.array(self.times_s[-MOST_SCANS:])
        distance_m = np.array(self.distances_m[-MOST_SCANS:])
        first, second = np.triu_indices(len(time_s), 1)
        speeds = (distance_m[first] - distance_m[second]) / (time_s[second] - time_s[first])
        return min(float(np.median(speeds)), most_m_s)


class Brake:
    """The brake, which follows clusters from scan to scan as tracks.

    Parameters
    ----------
    sensor_m : (float, float, float)
        Nominal position of the sensor: before the rear axle, left of it, above the ground. [m]
    bumper_m : float
        Distance of the front bumper before the rear axle. [m]
    """

    def __init__(self, sensor_m: tuple[float, float, float], bumper_m: float) -> None:
        self._sensor_m = np.array(sensor_m)
        self._bumper_m = bumper_m
        self._tracks: list[_Track] = []

    def look(self, points_m: Floats, speed_m_s: float, time_s: float) -> Sighting:
        """Evaluate a scan, and decide whether to brake.

        Parameters
        ----------
        points_m : float64 (n, 3)
            Points in the frame of the sensor. [m]
        speed_m_s : float
            Speed of the vehicle. [m/s]
        time_s : float
            Time of the scan. [s]
        """
        in_vehicle = points_m + self._sensor_m
        in_vehicle[:, 0] -= self._bumper_m
        self._follow(cluster_distances(in_vehicle), speed_m_s, time_s)
        confirmed = [
            each
            for each in self._tracks
            if len(each.times_s) >= LEAST_SCANS and each.times_s[-1] == time_s
        ]
        causes = [
            each.distances_m[-1]
            for each in confirmed
            if _is_near(each.distances_m[-1], each.closing_m_s(speed_m_s))
        ]
        return Sighting(
            confirmed_m=tuple(sorted(each.distances_m[-1] for each in confirmed)),
            cause_m=min(causes, default=None),
        )

    def _follow(self, distances_m: list[float], speed_m_s: float, time_s: float) -> None:
        """Assign to each track the nearest cluster within `GATE_M` of its predicted distance.

        Clusters that no track takes become new tracks.
        """
        self._tracks = [each for each in self._tracks if time_s - each.times_s[-1] <= MISSES_S]
        left = list(distances_m)
        for track in self._tracks:
            closing_m_s = track.closing_m_s(speed_m_s) if len(track.times_s) > 1 else speed_m_s
            due_m = track.distances_m[-1] - closing_m_s * (time_s - track.times_s[-1])
            off_m = [abs(each - due_m) for each in left]
            if off_m and min(off_m) <= GATE_M:
                track.times_s.append(time_s)
                track.distances_m.append(left.pop(off_m.index(min(off_m))))
        self._tracks += [_Track([time_s], [each]) for each in left]


def _is_near(distance_m: float, closing_m_s: float) -> bool:
    if closing_m_s < LEAST_CLOSING_M_S:
        return False
    return distance_m / closing_m_s < closing_m_s / (2.0 * DECELERATION_M_S2) + MARGIN_S


def cluster_distances(points_m: Floats) -> list[float]:
    """Return the distance of the nearest point of each cluster in the path, nearest first [m].

    Parameters
    ----------
    points_m : float64 (n, 3)
        Position of each point: before the bumper, left of its middle, above the ground. [m]
    """
    ahead_m, left_m, height_m = points_m.T
    in_path = (ahead_m > NEAREST_M) & (ahead_m < FARTHEST_M) & (np.abs(left_m) < HALF_PATH_M)
    in_path &= (height_m > LOWEST_M) & (height_m < HIGHEST_M)
    if not in_path.any():
        return []
    ahead_m, left_m = ahead_m[in_path], left_m[in_path]
    cells = np.stack([ahead_m, left_m + HALF_PATH_M], axis=1) // CELL_M
    taken = np.zeros((int(FARTHEST_M / CELL_M), int(2.0 * HALF_PATH_M / CELL_M)), bool)
    row, column = cells.astype(np.int64).T
    taken[row, column] = True
    numbers = label(taken, np.ones((3, 3)))[0][row, column]
    groups = [ahead_m[numbers == number] for number in range(1, numbers.max() + 1)]
    return sorted(float(each.min()) for each in groups if len(each) >= LEAST_POINTS)


def points_of(sensor_data: bytes) -> Floats:
    """Return the points of the first lidar of a SensorData message, float64 (n, 3) [m].

    They are in the frame of the sensor: x forward, y left, z up.
    """
    sensors: Any = SensorData.FromString(sensor_data).feature_data.lidar_sensor
    places = [each.position for each in sensors[0].detection] if sensors else []
    range_m = np.array([each.distance for each in places], np.float64)
    azimuth_rad = np.array([each.azimuth for each in places], np.float64)
    elevation_rad = np.array([each.elevation for each in places], np.float64)
    level_m = range_m * np.cos(elevation_rad)
    return np.stack(
        [
            level_m * np.cos(azimuth_rad),
            level_m * np.sin(azimuth_rad),
            range_m * np.sin(elevation_rad),
        ],
        axis=1,
    )

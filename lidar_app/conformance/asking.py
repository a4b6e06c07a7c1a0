# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The messages to a tested model (subject): moments of a small world, and motion between them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_app.conformance.boxes import BoxAtTimes
from osi_bridge import rotation_from_orientation
from osi_bridge.bench import BoxObject, StatedWeather, ViewHead, sensor_view_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.sheet import DataSheet

    Vector = tuple[float, float, float]

HOST_ID, FIRST_ID = 1, 10
"""Id of the host, and the first id of other objects."""
REAR_AXLE_M = (-1.2, 0.0, -0.45)
"""Vector from the centre of the host's box to its rear axle. [m]"""
HOST_SIZE_M = (4.0, 2.0, 1.5)


class HostPose(NamedTuple):
    """Pose of the host, the vehicle that carries the sensor, in the world.

    Attributes
    ----------
    position_m : (float, float, float)
        Centre of the rear axle: x, y, z. [m]
    orientation_rad : (float, float, float)
        Roll, pitch and yaw of the vehicle frame in the world. [rad]
    """

    position_m: Vector
    orientation_rad: Vector = (0.0, 0.0, 0.0)


class Question(NamedTuple):
    """An OSI message that a scene sends to the tested model (the subject).

    Attributes
    ----------
    time_ns : int
        Time of the message. [ns]
    data : bytes
        The encoded SensorView message.
    may_be_silent : bool
        Whether the subject may leave the message unanswered, because it is late or damaged.
    """

    time_ns: int
    data: bytes
    may_be_silent: bool = False


@dataclass(frozen=True, kw_only=True)
class BenchMoment:
    """The world at the time of a message.

    Attributes
    ----------
    time_ns : int
        Time of the message. [ns]
    things : tuple of BoxObject
        All objects except the host.
    host : HostPose
        Pose of the host's rear axle.
    host_id, sensor_id : int
        Ids of host and sensor, as the message states them.
    rear_axle_m : tuple of float
        Vector from the centre of the host's box to its rear axle, as the message states it. [m]
    weather : StatedWeather or None
        Weather, as the message states it.
    raw : bytes or None
        Bytes to send in place of the encoded message; None: the encoded message is sent.
    may_be_silent : bool
        Whether the subject may leave the message unanswered.
    """

    time_ns: int
    things: tuple[BoxObject, ...]
    host: HostPose
    host_id: int = HOST_ID
    sensor_id: int = 7
    rear_axle_m: Vector = REAR_AXLE_M
    weather: StatedWeather | None = None
    raw: bytes | None = None
    may_be_silent: bool = False

    def question(self, sheet: DataSheet) -> Question:
        """Return the message that tells the tested model (the subject) of the world at this time.

        It is an encoded SensorView with host, objects, weather, and the mounting of the sensor.

        Parameters
        ----------
        sheet : DataSheet
            Data sheet of the subject, from which the mounting is taken. If `raw` is set, the
            message holds these bytes instead, and the sheet is not used.
        """
        if self.raw is not None:
            return Question(self.time_ns, self.raw, self.may_be_silent)
        turn = rotation_from_orientation(self.host.orientation_rad)
        x_m, y_m, z_m = self.host.position_m - turn @ np.asarray(self.rear_axle_m)
        roll, pitch, yaw = self.host.orientation_rad
        host = BoxObject(
            self.host_id,
            (float(x_m), float(y_m), float(z_m)),
            yaw,
            HOST_SIZE_M,
            pitch_rad=pitch,
            roll_rad=roll,
            rear_axle_m=self.rear_axle_m,
        )
        head = ViewHead(self.host_id, self.sensor_id, mounting=sheet.pose, air=self.weather)
        data = sensor_view_message((host, *self.things), self.time_ns, head)
        return Question(self.time_ns, data, self.may_be_silent)

    def at(self, time_ns: int) -> BenchMoment:
        """Return a copy of this moment with the time `time_ns` [ns] in place of its own."""
        return replace(self, time_ns=time_ns)


@dataclass(frozen=True)
class Track:
    """Poses of host and objects during a scene, by linear interpolation between its moments.

    Parameters
    ----------
    moments : sequence of BenchMoment
        Moments in the order of their times; the last one is judged.
    late_s : float
        Delay of the world: at a time t, it is as it was at t - `late_s`. If the delay is negative,
        motion is extrapolated. [s]
    things_late_s : float
        Additional delay of all objects except the host. [s]
    """

    moments: Sequence[BenchMoment]
    late_s: float = 0.0
    things_late_s: float = 0.0

    @cached_property
    def _times_s(self) -> NDArray[np.float64]:
        end_ns = self.moments[-1].time_ns
        return np.array([1e-9 * (each.time_ns - end_ns) for each in self.moments]) + self.late_s

    def sensor(
        self, sheet: DataSheet, time_s: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the poses of the sensor in the world at n times.

        The delay `late_s` is included. Before the first moment, the host is as in the first moment.
        After the last one, its motion goes on as between the last two.

        Parameters
        ----------
        sheet : DataSheet
            Data sheet of the tested model, from which the mounting is taken.
        time_s : float64 (n,)
            Times, counted from the last moment. [s]

        Returns
        -------
        position_m : float64 (n, 3) or (1, 3)
            Positions; a single row if the host rests. [m]
        turn : float64 (n, 3, 3) or (1, 3, 3)
            Rotations from the sensor frame to the world; a single one if the host does not turn.
        """
        hosts = [each.host for each in self.moments]
        places = self._between(time_s, [each.position_m for each in hosts])
        angles = self._between(time_s, [each.orientation_rad for each in hosts], turns=True)
        turn = rotation_from_orientation(angles)
        mounted = rotation_from_orientation(sheet.orientation_rad)
        return places + turn @ np.asarray(sheet.position_m), turn @ mounted

    def boxes(self, time_s: NDArray[np.float64]) -> list[BoxAtTimes]:
        """Return the objects of the last moment except the host, with their poses at some times.

        Parameters
        ----------
        time_s : float64 (n,)
            Times, counted from the last moment. [s]

        Returns
        -------
        list of BoxAtTimes
            One for each object, with n poses, or a single pose if the object is at rest.
        """
        return [self._box(each, time_s - self.things_late_s) for each in self.moments[-1].things]

    @cached_property
    def _by_id(self) -> list[dict[int, BoxObject]]:
        return [{each.object_id: each for each in moment.things} for moment in self.moments]

    def _box(self, thing: BoxObject, time_s: NDArray[np.float64]) -> BoxAtTimes:
        states = [known.get(thing.object_id, thing) for known in self._by_id]
        if all(each == thing for each in states):
            time_s, states = time_s[:1], states[-1:]
        angles = [(each.roll_rad, each.pitch_rad, each.yaw_rad) for each in states]
        return BoxAtTimes(
            object_id=thing.object_id,
            dimension_m=thing.dimension_m,
            centre_m=self._between(time_s, [each.position_m for each in states]),
            orientation_rad=self._between(time_s, angles, turns=True),
            velocity_m_s=np.asarray(thing.velocity_m_s or (0.0, 0.0, 0.0)),
        )

    def _between(
        self, time_s: NDArray[np.float64], values: Sequence[Vector], *, turns: bool = False
    ) -> NDArray[np.float64]:
        columns = np.asarray(values, np.float64)
        if (columns == columns[-1]).all():
            return columns[-1:]
        if turns:
            columns = np.unwrap(columns, axis=0)
        known = np.stack([np.interp(time_s, self._times_s, each) for each in columns.T], axis=1)
        beyond_s, step_s = time_s - self._times_s[-1], self._times_s[-1] - self._times_s[-2]
        if step_s > 0.0 and (beyond_s > 0.0).any():
            known += np.maximum(beyond_s, 0.0)[:, None] * (columns[-1] - columns[-2]) / step_s
        return known

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The sensors of a configuration on their vehicle, in a world with at most one target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.coverage.solid_angle import winding_number
from lidar_base.process.stopwatch import Stopwatch
from osi_bridge import FrameDecoder, MovingBox, encode_ground_truth
from osi_lidar.errors import InputError
from osi_lidar.model import LidarModel
from osi_lidar.run.replay import at_each_message
from raycore.mesh.parts import vertices_m
from raycore.records import ALL_OF_IT, NOTHING, Shots
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_app.coverage.vehicle import CarryingVehicle
    from osi_lidar.config import Config
    from osi_lidar.config.scene import ObjectRule
    from osi_lidar.scan.lidar import Lidar
    from osi_lidar.world.world import World


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MountedBeams:
    """The beams of one scan of a sensor, in the vehicle frame.

    Attributes
    ----------
    sensor : str
        Name of the sensor.
    position_m : float64 (3,)
        Position of the sensor. [m]
    origin_m : float64 (n_beam, 3)
        Point of each beam from which its range is measured. [m]
    direction : float64 (n_beam, 3)
        Unit vector of each beam. [1]
    hidden_m : float64 (n_beam,)
        Range at which a beam meets the vehicle or its glass; infinite if it does not. [m]
    min_range_m, max_range_m : float
        Range limits of the sensor. [m]
    """

    sensor: str
    position_m: NDArray[np.float64]
    origin_m: NDArray[np.float64]
    direction: NDArray[np.float64]
    hidden_m: NDArray[np.float64]
    min_range_m: float
    max_range_m: float

    @property
    def hidden_share(self) -> float:
        """Share of the beams that meet the vehicle, from 0 to 1."""
        return float(np.isfinite(self.hidden_m).mean())


class MountedSensors:
    """The sensors of a configuration on a vehicle, in a world with at most one other object.

    The vehicle frame is the frame of the world. The configuration's static scene and the ground
    are left out. Its rules for objects apply only to the vehicle, its rules for materials to all.

    Parameters
    ----------
    config : Config
        The configuration of the sensors.
    vehicle : CarryingVehicle
        The vehicle that carries the sensors.
    trace_folder : Path, optional
        Folder to search first for the mesh of the vehicle.

    Attributes
    ----------
    vehicle : CarryingVehicle
        The vehicle.
    names : tuple of str
        Names of the sensors, in the order of the configuration.
    max_range_m : float
        Greatest of the sensors' maximum ranges. [m]

    Raises
    ------
    InputError
        If a sensor is inside the vehicle or below the ground.
    ConfigurationError, MeshError, PatternError
        If a file or value of the configuration cannot be used.
    """

    def __init__(
        self, config: Config, vehicle: CarryingVehicle, trace_folder: Path | None = None
    ) -> None:
        self.vehicle = vehicle
        self._min_range_m = [each.min_range_m for each in config.sensors]
        self._decoder = FrameDecoder("GroundTruth")
        self._clock = Stopwatch()
        self._model = LidarModel(_alone(config, vehicle), trace_folder=trace_folder)
        self.names = tuple(lidar.name for lidar in self._model.lidars)
        self.max_range_m = max(lidar.max_range_m for lidar in self._model.lidars)
        self._show(None)
        missing = _missing_mesh(self._model.world, vehicle)
        if missing and vehicle.needs_mesh:
            raise InputError(f"--model: {missing}")
        for lidar in self._model.lidars:
            self._check(lidar)
        self._model.step(self._decoder.decode(_message(vehicle, None), 0))

    @property
    def positions_m(self) -> NDArray[np.float64]:
        """Positions of the sensors in the vehicle frame, float64 (n_sensor, 3) [m]."""
        return np.array([each.vehicle_from_sensor[:3, 3] for each in self._model.lidars])

    @property
    def body(self) -> str:
        """Name of the vehicle's mesh or shape, in words; empty if the vehicle has no body."""
        placed = self._model.world.objects.placed.get(self.vehicle.object_id)
        missing = _missing_mesh(self._model.world, self.vehicle)
        words = "" if placed is None else placed.shape.name
        return f"{words}; {missing}" if missing else words

    def beams(self) -> tuple[MountedBeams, ...]:
        """Return one record for each sensor: its beams, and where the vehicle blocks them."""
        self._show(None)
        return tuple(
            self._beams_of(lidar, min_range_m)
            for lidar, min_range_m in zip(self._model.lidars, self._min_range_m, strict=True)
        )

    def points_on(self, target: MovingBox) -> NDArray[np.int64]:
        """Scan a world with the vehicle and a target; return each sensor's points on the target.

        The result has a number of points for each sensor, int64 (n_sensor,).
        """
        world, target_id = self._model.world, np.uint64(target.object_id)
        self._show(target)
        counts = []
        for lidar in self._model.lidars:
            last = self._model.last_scans[lidar.name]
            scanned = lidar.scan(world, last.poses, last.shutter, self._clock)
            counts.append(np.count_nonzero(scanned.cloud.object_id == target_id))
        return np.array(counts, np.int64)

    def _show(self, target: MovingBox | None) -> None:
        world = self._model.world
        world.update(self._decoder.decode(_message(self.vehicle, target), 0))
        world.commit(self._model.lidars[0].vehicle_from_sensor[:3, 3])

    def _check(self, lidar: Lidar) -> None:
        """Raise InputError if a sensor is below the ground or inside the vehicle."""
        position_m = lidar.vehicle_from_sensor[:3, 3]
        place = "x {:g}, y {:g}, z {:g} m".format(*np.round(position_m, 3))
        ground_m = self.vehicle.ground_m
        if position_m[2] <= ground_m:
            raise InputError(
                f"sensor {lidar.name}: is at {place}, expected z above the ground at "
                f"{ground_m:.2f} m"
            )
        if abs(winding_number(position_m, self.body_corners_m())) > 0.5:
            raise InputError(
                f"sensor {lidar.name}: is at {place}, inside the vehicle ({self.body}), expected "
                "outside; --vehicle none leaves it out"
            )

    def body_corners_m(self) -> NDArray[np.float64]:
        """Return the three corners of each triangle of the vehicle, in the vehicle frame [m].

        The shape is (n, 3, 3), float64: triangle, corner, coordinate; n is 0 without a body.
        """
        scene = self._model.world.scene
        placed = self._model.world.objects.placed.get(self.vehicle.object_id)
        if placed is None:
            return np.zeros((0, 3, 3))
        corners = [
            vertices_m(scene.mesh_of(each), scene.pose(each))[scene.mesh_of(each).faces]
            for each in placed.instances
        ]
        return np.concatenate(corners)

    def _beams_of(self, lidar: Lidar, min_range_m: float) -> MountedBeams:
        pattern, vehicle_from_sensor = lidar.pattern, lidar.vehicle_from_sensor
        turn = vehicle_from_sensor[:3, :3]
        level = np.cos(pattern.elevation_rad)
        direction = np.stack(
            [
                level * np.cos(pattern.azimuth_rad),
                level * np.sin(pattern.azimuth_rad),
                np.sin(pattern.elevation_rad),
            ],
            axis=1,
        )
        origin_m = pattern.origin_m.astype(np.float64) @ turn.T + vehicle_from_sensor[:3, 3]
        return MountedBeams(
            sensor=lidar.name,
            position_m=vehicle_from_sensor[:3, 3],
            origin_m=np.broadcast_to(origin_m, (pattern.n_beams, 3)),
            direction=direction @ turn.T,
            hidden_m=self._hidden_m(lidar),
            min_range_m=min_range_m,
            max_range_m=lidar.max_range_m,
        )

    def _hidden_m(self, lidar: Lidar) -> NDArray[np.float64]:
        """Return the range at which each beam meets the vehicle, infinite if it does not."""
        pattern = lidar.pattern
        if not self._model.world.objects.placed:
            return np.full(pattern.n_beams, np.inf)
        shots = Shots(
            origin_m=pattern.origin_m,
            direction=np.ascontiguousarray(pattern.direction.T),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=ALL_OF_IT,
            max_range_m=lidar.max_range_m,
            coherent=pattern.coherent,
        )
        tracer = new_tracer(incremental=False)
        hits = tracer.trace(self._model.world.scene, shots, lidar.vehicle_from_sensor)
        return np.where(hits.instance == NOTHING, np.inf, hits.range_m.astype(np.float64))


def _message(vehicle: CarryingVehicle, target: MovingBox | None) -> bytes:
    """Return a message with the vehicle, and with a target if given; vehicle frame = world."""
    host = MovingBox(
        object_id=vehicle.object_id,
        type_name=vehicle.type_name,
        subtype_name=vehicle.subtype_name,
        position_m=vehicle.center_m,
        orientation_rad=(0.0, 0.0, 0.0),
        dimension_m=vehicle.dimension_m or (0.0, 0.0, 0.0),
        model_reference=vehicle.model_reference,
        rear_axle_from_center_m=vehicle.rear_axle_from_center_m,
    )
    return encode_ground_truth(0, host, [] if target is None else [target])


def _missing_mesh(world: World, vehicle: CarryingVehicle) -> str:
    """Return why the named mesh of the vehicle is not used; empty if it is used or not named."""
    placed = world.objects.placed.get(vehicle.object_id)
    if placed is None or not vehicle.model_reference:
        return ""
    asset = world.assets.resolve(
        model_reference=vehicle.model_reference,
        type_name=vehicle.type_name,
        subtype_name=vehicle.subtype_name,
        object_id=vehicle.object_id,
    )
    is_used = asset.path is not None and asset.path.name == placed.shape.name
    return "" if is_used else placed.shape.reason


def _rules_of(config: Config, object_id: int) -> tuple[ObjectRule, ...]:
    """Return the rules for objects, restricted to a single object."""
    rules = []
    for rule in config.scene.objects:
        if rule.match.id is None or object_id in rule.match.id:
            match = rule.match.model_copy(update={"id": (object_id,)})
            rules.append(rule.model_copy(update={"match": match}))
    return tuple(rules)


def _alone(config: Config, vehicle: CarryingVehicle) -> Config:
    """Return the configuration without a static scene; a vehicle with a body is visible."""
    scene = config.scene.model_copy(
        update={
            "environment": (),
            "map": None,
            "objects": _rules_of(config, vehicle.object_id),
            "surroundings": False,
            "ground": "none",
            "articulation": "none",
            "host_visible": vehicle.dimension_m is not None,
        }
    )
    return at_each_message(config.model_copy(update={"scene": scene}))

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A survey of sensors on a vehicle: blind zones, and detection ranges of road users."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from lidar_app.coverage.blind_zones import CellGrid, plane_coverage
from lidar_app.coverage.mounted import MountedSensors
from lidar_app.coverage.targets import ROAD_USERS, road_user_coverage
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from lidar_app.coverage.blind_zones import PlaneCoverage
    from lidar_app.coverage.mounted import MountedBeams
    from lidar_app.coverage.targets import RoadUserCoverage
    from lidar_app.coverage.vehicle import CarryingVehicle
    from osi_lidar.config import Config

QUARTERS = ("front", "left", "rear", "right")
"""Names of the directions at 0, 90, 180 and 270 degrees."""
CELL_M, EXTENT_M = 0.5, 20.0
"""Side of a cell, about the width of a person; and extent of the cells. [m]"""
HEIGHTS_M = (0.0, 0.3, 1.0)
"""Heights of planes: the ground, a kerb or a toy, the chest of a child. [m]"""
WITHIN_M = (5.0, 10.0, 20.0)
"""Distances from the vehicle up to which the area of blind zones is summed. [m]"""
N_DIRECTIONS, ENOUGH_POINTS = 12, 5
"""Number of directions; and least number of points at which a road user counts as seen."""


FARTHEST_M = 10_000.0
"""Upper limit for the settings `cell_m` and `extent_m` of a survey. [m]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SurveySettings:
    """Settings of a survey of blind zones and detection ranges.

    Attributes
    ----------
    cell_m, extent_m : float
        Side of a cell, and how far the cells reach beyond the vehicle. [m]
    heights_m : tuple of float
        Heights above the ground of the horizontal planes that are searched for blind zones. [m]
    within_m : tuple of float
        Distances from the vehicle up to which the area of blind zones is summed. [m]
    n_directions : int
        Number of evenly spaced directions around the vehicle, a multiple of 4.
    n_points : int
        Least number of points at which a road user counts as seen.
    road_users : tuple of str
        Road users to place around the vehicle, keys of `ROAD_USERS`.

    Raises
    ------
    InputError
        If a value is out of range.
    """

    cell_m: float = CELL_M
    extent_m: float = EXTENT_M
    heights_m: tuple[float, ...] = HEIGHTS_M
    within_m: tuple[float, ...] = WITHIN_M
    n_directions: int = N_DIRECTIONS
    n_points: int = ENOUGH_POINTS
    road_users: tuple[str, ...] = tuple(ROAD_USERS)

    def __post_init__(self) -> None:
        """Check the values."""
        for name, value in (("--cell", self.cell_m), ("--extent", self.extent_m)):
            if not 0.0 < value <= FARTHEST_M:
                raise InputError(
                    f"{name}: got {value:g}, expected metres above 0, up to {FARTHEST_M:g}"
                )
        for height_m in self.heights_m:
            if not 0.0 <= height_m < math.inf:
                raise InputError(f"--height: got {height_m:g}, expected metres from 0 on")
        for within_m in self.within_m:
            if not 0.0 < within_m <= self.extent_m:
                raise InputError(
                    f"--within: got {within_m:g}, expected above 0 and up to --extent "
                    f"{self.extent_m:g}"
                )
        if self.n_directions < 4 or self.n_directions % 4:
            raise InputError(
                f"--directions: got {self.n_directions}, expected a multiple of 4, such as 12"
            )

    @property
    def directions_deg(self) -> list[float]:
        """All directions around the vehicle [deg], counter-clockwise from 0, which is forward."""
        return [360.0 * n / self.n_directions for n in range(self.n_directions)]

    @property
    def bearings_rad(self) -> list[float]:
        """All directions around the vehicle [rad], counter-clockwise from 0, which is forward."""
        return [math.radians(each) for each in self.directions_deg]

    @property
    def direction_names(self) -> list[str]:
        """Name of each of `directions_deg`: `QUARTERS`, such as "front", else degrees as text."""
        quarter = self.n_directions // 4
        return [
            f"{each:g}" if n % quarter else QUARTERS[n // quarter]
            for n, each in enumerate(self.directions_deg)
        ]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Result of a survey: points around the vehicle, and detection ranges of road users.

    Attributes
    ----------
    settings : SurveySettings
        Settings of the survey.
    vehicle : CarryingVehicle
        The vehicle.
    body : str
        Name of the vehicle's mesh or shape, in words; empty if the vehicle has no body.
    sensors : tuple of MountedBeams
        The beams of each sensor.
    grid : CellGrid
        The cells, the same for all planes.
    planes : tuple of PlaneCoverage
        Points in each horizontal plane, in the order of `SurveySettings.heights_m`.
    road_users : tuple of RoadUserCoverage
        One for each road user and direction: the distances at which it is seen.
    """

    settings: SurveySettings
    vehicle: CarryingVehicle
    body: str
    sensors: tuple[MountedBeams, ...]
    grid: CellGrid
    planes: tuple[PlaneCoverage, ...]
    road_users: tuple[RoadUserCoverage, ...] = ()

    @property
    def notes(self) -> list[str]:
        """One text for each note: sizes and shapes in use, and beams that the vehicle blocks."""
        notes = [f"vehicle: {self.vehicle.words}"]
        if self.body:
            notes.append(f"body that hides: {self.body}")
        for each in self.sensors:
            if each.hidden_share:
                share = 100.0 * each.hidden_share
                notes.append(f"sensor {each.sensor}: {share:.3g} % of its beams meet the vehicle")
        users = self.settings.road_users
        return [*notes, *(f"{user}: {ROAD_USERS[user].words}" for user in users)]

    def coverage_of(self, user: str) -> list[RoadUserCoverage]:
        """Return the detection ranges of a road user, one for each direction."""
        return [each for each in self.road_users if each.user.name == user]


def survey(
    config: Config,
    vehicle: CarryingVehicle,
    settings: SurveySettings,
    *,
    trace_folder: Path | None = None,
    on_progress: Callable[[int], bool] = lambda _: True,
) -> Survey | None:
    """Compute blind zones, and detection ranges of road users, for sensors on a vehicle.

    Parameters
    ----------
    config : Config
        The configuration of the sensors.
    vehicle : CarryingVehicle
        The vehicle that carries them.
    settings : SurveySettings
        Settings of the survey.
    trace_folder : Path, optional
        Folder to search first for the mesh of the vehicle.
    on_progress : callable
        Called for each finished pair of road user and direction, with their number so far. If it
        returns False, the survey ends, and its result is None.

    Raises
    ------
    InputError
        If a sensor is inside the vehicle or below the ground, or there are too many cells.
    ConfigurationError, MeshError, PatternError
        If a file or value of the configuration cannot be used.
    """
    mounted = MountedSensors(config, vehicle, trace_folder)
    users = [ROAD_USERS[name] for name in settings.road_users]
    outcome = _zones(mounted, settings)
    seen = road_user_coverage(mounted, users, settings.bearings_rad, settings.n_points)
    going_on = takewhile(lambda pair: on_progress(pair[0]), enumerate(seen, start=1))
    road_users = tuple(each for _, each in going_on)
    if len(road_users) < len(users) * settings.n_directions:
        return None
    return replace(outcome, road_users=road_users)


def _zones(mounted: MountedSensors, settings: SurveySettings) -> Survey:
    """Return a survey without road users."""
    vehicle, beams = mounted.vehicle, mounted.beams()
    grid = CellGrid.around(vehicle.outline, cell_m=settings.cell_m, extent_m=settings.extent_m)
    planes = tuple(
        plane_coverage(
            beams,
            grid,
            height_m=height_m,
            ground_m=vehicle.ground_m,
            n_directions=settings.n_directions,
        )
        for height_m in settings.heights_m
    )
    return Survey(
        settings=settings,
        vehicle=vehicle,
        body=mounted.body,
        sensors=beams,
        grid=grid,
        planes=planes,
    )

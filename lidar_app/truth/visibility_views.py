# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Directions in which a sensor sees boxes, as intervals of azimuth and elevation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.scan.echoes.second_look import NEAREST_M, REACH_OF_TAILS
from osi_lidar.scan.from_config import footprint_of
from raycore.pattern.neighbours import MOST_PIXELS
from raycore.trace.cones import some_poses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from raycore.pattern.scan_pattern import ScanPattern

_WIDEST_SIGMA = 8.0  # greatest offset of a sub-ray from its beam's axis
_FARTHEST_NEIGHBOUR = 3.0  # see neighbours.BeamNeighbours
_LEAST_PAD_RAD = 1e-3  # far above rounding errors of float32
_PAIRS = np.array(list(combinations(range(8), 2)))
_CORNERS = np.array([[n >> 2 & 1, n >> 1 & 1, n & 1] for n in range(8)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Margin:
    """How far the rays of a beam may be from the line from the sensor's origin along its axis.

    Intervals of directions in which boxes are seen (`Views`) are widened by this margin.

    Attributes
    ----------
    beside_m : float
        Greatest distance between the sensor's origin and the start of a ray. [m]
    angle_rad : float
        Greatest angle between a beam's axis and its rays, including neighbouring beams that are
        traced again with it; 0 for ideal beams. [rad]
    """

    beside_m: float
    angle_rad: float

    @classmethod
    def of(cls, config: Sensor, pattern: ScanPattern) -> Margin:
        """Return the margin of a sensor.

        Parameters
        ----------
        config : Sensor
            Section of the sensor in the configuration, for the width of its beams.
        pattern : ScanPattern
            Its beams, for the starts of the rays.
        """
        beside_m = float(np.linalg.norm(pattern.origin_m, axis=1).max())
        footprint = footprint_of(config)
        if footprint is None:
            return cls(beside_m=beside_m, angle_rad=0.0)
        window_m = max(footprint.window_sigma_m)
        width_rad = math.hypot(max(footprint.sigma_rad), window_m / NEAREST_M)
        pixel_rad = math.pi * math.sqrt(2.0 / MOST_PIXELS)  # upper bound for any field of view
        reach_rad = max(REACH_OF_TAILS * width_rad, 2.0 * pixel_rad)
        angle_rad = _WIDEST_SIGMA * width_rad + _FARTHEST_NEIGHBOUR * reach_rad
        return cls(beside_m=beside_m + _WIDEST_SIGMA * window_m, angle_rad=angle_rad)


@dataclass(frozen=True, slots=True, kw_only=True)
class Views:
    """Intervals of directions in which a sensor may see each of n boxes, in the sensor frame.

    Attributes
    ----------
    azimuth_rad, half_rad : float64 (n,)
        Middle and half-width of the box's azimuths; a half-width of pi or more is a full turn.
        [rad]
    low_rad, high_rad : float64 (n,)
        Lowest and highest elevation of the box. [rad]
    nearest_m : float64 (n,)
        Lower bound of the distance from the sensor to the box. [m]
    """

    azimuth_rad: NDArray[np.float64]
    half_rad: NDArray[np.float64]
    low_rad: NDArray[np.float64]
    high_rad: NDArray[np.float64]
    nearest_m: NDArray[np.float64]

    def overlaps(self) -> NDArray[np.bool_]:
        """Return for each pair of boxes whether their intervals of directions overlap, bool (n, n).

        The mask is symmetric, and True on its diagonal.
        """
        apart_rad = np.abs(_wrapped(self.azimuth_rad[:, None] - self.azimuth_rad))
        aside = apart_rad <= self.half_rad[:, None] + self.half_rad
        above = self.low_rad[:, None] <= self.high_rad
        both: NDArray[np.bool_] = aside & above & above.T
        return both


def views_of(bounds_m: NDArray[np.float64], poses: NDArray[np.float64], margin: Margin) -> Views:
    """Return the directions in which a sensor may see boxes at any time of a scan.

    Parameters
    ----------
    bounds_m : float64 (n, 2, 3)
        Lower and upper corner of each box; boxes are aligned with the axes of the world. [m]
    poses : float64 (n_pose, 4, 4)
        Poses of the sensor in the world (world_from_sensor) at all times of the scan. [m]
    margin : Margin
        Margin by which the directions are widened.
    """
    some, way_m, turn_rad = some_poses(poses)
    beside_m = margin.beside_m + way_m
    wide_m = bounds_m + beside_m * np.array([-1.0, 1.0])[:, None]
    origin_m, rotation = some[:, None, :3, 3], some[:, :3, :3]
    outside_m = np.maximum(bounds_m[:, 0] - origin_m, origin_m - bounds_m[:, 1])
    nearest_m = np.linalg.norm(np.maximum(outside_m, 0.0), axis=2).min(axis=0) - beside_m
    corners_m = np.take_along_axis(wide_m, _CORNERS[None], axis=1)
    seen_m = np.einsum("pnci,pij->pncj", corners_m - origin_m[:, :, None], rotation)
    low_rad, high_rad = _elevations(seen_m)
    middle_rad, half_rad = _azimuths(seen_m)
    pad_rad = margin.angle_rad + turn_rad + _LEAST_PAD_RAD
    low_rad, high_rad = low_rad - pad_rad, high_rad + pad_rad
    level = np.cos(np.minimum(np.maximum(np.abs(low_rad), np.abs(high_rad)), math.pi / 2))
    sine = math.sin(min(pad_rad, math.pi / 2))
    aside_rad = np.arcsin(np.minimum(sine / np.maximum(level, 1e-9), 1.0))
    half_rad = np.where(sine >= level, math.pi, half_rad + aside_rad)
    return Views(
        azimuth_rad=middle_rad,
        half_rad=half_rad,
        low_rad=low_rad,
        high_rad=high_rad,
        nearest_m=nearest_m,
    )


def _elevations(
    seen_m: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return lowest and highest elevation of boxes, from corners (n_pose, n, 8, 3) [rad]."""
    flat_m = seen_m[..., :2]
    start_m, along_m = flat_m[..., _PAIRS[:, 0], :], np.diff(flat_m[..., _PAIRS, :], axis=-2)
    along_m = along_m[..., 0, :]
    length2 = np.maximum((along_m**2).sum(axis=-1), 1e-30)
    share = np.clip(-(start_m * along_m).sum(axis=-1) / length2, 0.0, 1.0)
    near_m = np.linalg.norm(start_m + share[..., None] * along_m, axis=-1).min(axis=-1)
    near_m = np.where(_holds_axis(flat_m), 0.0, near_m)
    far_m = np.linalg.norm(flat_m, axis=-1).max(axis=-1)
    lowest_m, highest_m = seen_m[..., 2].min(axis=-1), seen_m[..., 2].max(axis=-1)
    low_rad = np.arctan2(lowest_m, np.where(lowest_m < 0.0, near_m, far_m))
    high_rad = np.arctan2(highest_m, np.where(highest_m > 0.0, near_m, far_m))
    return low_rad.min(axis=0), high_rad.max(axis=0)


def _azimuths(seen_m: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return middle and half-width of the azimuths of boxes, from corners (n_pose, n, 8, 3)."""
    flat_m = seen_m[..., :2]
    centre_rad, aside_rad = _about_centre(flat_m)
    first_rad = centre_rad[0]
    aside_rad = aside_rad + _wrapped(centre_rad - first_rad)[..., None]
    low_rad, high_rad = aside_rad.min(axis=(0, 2)), aside_rad.max(axis=(0, 2))
    half_rad = np.where(_holds_axis(flat_m).any(axis=0), math.pi, 0.5 * (high_rad - low_rad))
    return _wrapped(first_rad + 0.5 * (low_rad + high_rad)), half_rad


def _about_centre(
    flat_m: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return azimuths of the middles of boxes, and of corners relative to them [rad]."""
    middle_m = flat_m.mean(axis=-2)
    centre_rad = np.arctan2(middle_m[..., 1], middle_m[..., 0])
    azimuth_rad = np.arctan2(flat_m[..., 1], flat_m[..., 0])
    return centre_rad, _wrapped(azimuth_rad - centre_rad[..., None])


def _holds_axis(flat_m: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return for each box whether the vertical through the sensor may pass through it."""
    aside_rad = _about_centre(flat_m)[1]
    holds: NDArray[np.bool_] = np.ptp(aside_rad, axis=-1) > math.pi - 1e-6
    return holds


def _wrapped(angle_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return angles [rad] wrapped to -pi to pi."""
    turned: NDArray[np.float64] = (angle_rad + math.pi) % (2.0 * math.pi) - math.pi
    return turned

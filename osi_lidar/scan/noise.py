# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a sensor measures wrongly: ranges, directions, points that are missing (docs/errors.md)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.buffers import Buffers
from osi_lidar.config.noise import Noise
from osi_lidar.scan.detection import is_detected
from osi_lidar.scan.direction_kernels import aim
from osi_lidar.scan.draws import Draws
from osi_lidar.scan.noise_kernels import ErrorSettings, lose, report_points
from osi_lidar.scan.random_kernels import LASER_BIAS
from osi_lidar.scan.response import NONE_LOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.response import Cloud
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.records import Rays, Traced

_ONE = np.ones(1, np.float32)


def error_settings(noise: Noise, *, folds_at_m: float = math.inf) -> ErrorSettings:
    """Return a section of the configuration as kernels take it.

    Parameters
    ----------
    noise : Noise
        Section ``noise`` of a sensor.
    folds_at_m : float
        The maximum range of a sensor that folds ranges back. [m]
    """
    return ErrorSettings(
        range_sigma_m=noise.range_sigma_m,
        sigma_per_range=noise.sigma_per_range,
        sigma_incidence_m=noise.sigma_incidence_m,
        sigma_dark_m=noise.sigma_dark_m,
        is_laplace=noise.distribution == "laplace",
        depth_offset_m=noise.depth_offset_m,
        depth_scale=noise.depth_scale,
        quantisation_m=noise.quantisation_m,
        folds_at_m=folds_at_m,
        drop_probability=noise.drop_probability,
        azimuth_sigma_rad=math.radians(noise.azimuth_sigma_deg),
        elevation_sigma_rad=math.radians(noise.elevation_sigma_deg),
        is_shot_wrong=noise.line_of_sight == "ray",
    )


def depth_table(noise: Noise) -> NDArray[np.float64]:
    """Return the rows of (range, mean, sigma) as float64 (n_row, 3). [m]."""
    return np.array(noise.depth_table, np.float64).reshape(-1, 3)


class SensorErrors:
    """The errors of one sensor, as configured.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    seed : int
        Of the configuration.
    """

    def __init__(self, config: Sensor, seed: int) -> None:
        self._noise = config.noise or Noise()
        self._detection = config.detection
        folds_at_m = config.max_range_m if config.backfolding else math.inf
        self._settings = error_settings(self._noise, folds_at_m=folds_at_m)
        self._table = depth_table(self._noise)
        self._seed, self._sensor = seed, config.name
        self.is_exact = self._noise == Noise() and not config.backfolding
        self._shot = np.empty((0, 3), np.float32)  # directions of the last scan's beams
        self._pattern: ScanPattern | None = None  # whose angles and laser errors these are:
        self._angles = np.empty((4, 0))
        self._bias_m = np.empty(0)
        self._buffers = Buffers()

    @property
    def differ_by_scan(self) -> bool:
        """Whether two scans of a world at rest are not alike."""
        one = self._settings
        of_range = (one.range_sigma_m, one.sigma_per_range, one.sigma_incidence_m, one.sigma_dark_m)
        others = (one.drop_probability, self._aims_wrong, self._table[:, 2].any())
        return any((*of_range, *others))

    def aimed(self, rays: Rays, pattern: ScanPattern, time_ns: int) -> Rays:
        """Return the rays that are shot, in directions with their errors where so configured.

        Parameters
        ----------
        rays : Rays
            One for each beam, as they should be.
        pattern : ScanPattern
            The beams.
        time_ns : int
            Time of the scan. [ns]
        """
        self._shot = rays.direction
        if not (self._aims_wrong and self._settings.is_shot_wrong):
            return rays
        self._know(pattern)
        columns = self._buffers.empty(3 * pattern.n_beams, np.float32).reshape(3, -1)
        stream = self._draws(time_ns).stream
        aim(self._settings, self._angles, stream, workers(), columns)
        self._shot = columns.T
        return replace(rays, direction=self._shot)

    def lost(self, pattern: ScanPattern, time_ns: int) -> NDArray[np.bool_]:
        """Return of which beams nothing is reported, whatever they meet.

        Parameters
        ----------
        pattern : ScanPattern
            The beams.
        time_ns : int
            Time of the scan. [ns]

        Returns
        -------
        bool (n_beam,) or (1,)
            One for all if none is lost.
        """
        probability = self._settings.drop_probability
        if probability == 0.0:
            return NONE_LOST
        lost = self._buffers.empty(pattern.n_beams, np.bool_)
        lose(probability, self._draws(time_ns).stream, workers(), lost)
        return lost

    def applied(
        self, cloud: Cloud, traced: Traced, rays: Rays, pattern: ScanPattern, time_ns: int
    ) -> Cloud:
        """Return what the sensor reports of its points, with the true values beside it.

        Parameters
        ----------
        cloud : Cloud
            Points with true ranges, none of a beam that is lost; they are overwritten.
        traced : Traced
            What the beams met.
        rays : Rays
            As they should be; `aimed` has told how they were shot.
        pattern : ScanPattern
            The beams.
        time_ns : int
            Time of the scan. [ns]

        Returns
        -------
        Cloud
            Without the points that are not detected, or whose range would be negative. The cloud
            itself if the sensor has no errors.
        """
        if self._detection is not None:
            cloud = cloud.rows(is_detected(self._detection, cloud.points))
        if self.is_exact:
            return cloud
        self._know(pattern)
        n_points = len(cloud.points)
        true_range_m = self._buffers.empty(n_points, np.float32)
        true_xyz_m = self._buffers.empty(3 * n_points, np.float32).reshape(-1, 3)
        is_reported = self._buffers.empty(n_points, np.bool_)
        report_points(
            self._settings,
            self._table,
            self._bias_m,
            self._angles,
            self._shot,
            rays.origin_m,
            self._draws(time_ns).stream,
            cloud.beam,
            self._cos_incidence(cloud, traced),
            workers(),
            cloud.points,
            true_range_m,
            true_xyz_m,
            is_reported,
        )
        noisy = replace(
            cloud,
            true_range_m=true_range_m,
            true_xyz_m=true_xyz_m,
            along_beams=cloud.along_beams and not self._aims_wrong,
            renewal=None,
            start_of_block=None,
        )
        return noisy.rows(is_reported)

    @property
    def _aims_wrong(self) -> bool:
        return bool(self._settings.azimuth_sigma_rad or self._settings.elevation_sigma_rad)

    def _know(self, pattern: ScanPattern) -> None:
        """Keep what depends on the beams alone, until others are asked for."""
        if self._pattern is pattern:
            return
        self._pattern = pattern
        if self._aims_wrong:
            azimuth, elevation = pattern.azimuth_rad, pattern.elevation_rad
            functions = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
            self._angles = np.stack(functions)
        n_rings = int(pattern.ring.max()) + 1
        if n_rings > len(self._bias_m):
            self._bias_m = self._laser_errors_m(n_rings)

    def _draws(self, time_ns: int) -> Draws:
        return Draws.of(seed=self._seed, sensor=self._sensor, time_ns=time_ns)

    def _laser_errors_m(self, n_rings: int) -> NDArray[np.float64]:
        """Return the error of each laser, which no scan changes, float64 (n_ring,)."""
        sigma_m = self._noise.range_bias_sigma_m
        if sigma_m == 0.0:
            return np.zeros(n_rings)
        rings = np.arange(n_rings, dtype=np.uint32)
        drawn = self._draws(0).normal(LASER_BIAS, rings, self._noise.distribution)
        return sigma_m * drawn

    def _cos_incidence(self, cloud: Cloud, traced: Traced) -> NDArray[np.float32]:
        """Return the cosine of each point's angle of incidence, if it matters."""
        if self._settings.sigma_incidence_m == 0.0:
            return _ONE
        return traced.cos_incidence[cloud.beam]

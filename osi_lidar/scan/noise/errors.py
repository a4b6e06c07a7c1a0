# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of measurement: ranges, directions and missing points (docs/explanation/errors.md)."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import workers
from lidar_base.buffers import Buffers
from lidar_base.compiled import read_only
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import LASER_BIAS
from osi_lidar.clouds.cloud import with_columns
from osi_lidar.clouds.row_kernels import row_bytes
from osi_lidar.config.noise import Noise
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.executor import NONE_LOST
from osi_lidar.scan.noise.direction_kernels import aim
from osi_lidar.scan.noise.loss_kernels import lose
from osi_lidar.scan.noise.noise_kernels import (
    ErrorArrays,
    NoiseSettings,
    TruthArrays,
    report_points,
)
from osi_lidar.scan.noise.range_formulas import errors_by_formula
from osi_lidar.scan.noise.range_kernels import ErrorTables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Sensor
    from osi_lidar.scan.noise.point_rows import PointRows
    from osi_lidar.scan.records import Exposure
    from raycore.pattern.scan_pattern import ScanPattern

_ONE = np.ones(1, np.float32)


def error_settings(
    noise: Noise, *, folds_at_m: float = math.inf, max_range_m: float = math.inf
) -> NoiseSettings:
    """Return the single values of a sensor's section ``noise`` for kernels.

    These are all but its tables, its formulas, and the constant errors of lasers.

    Parameters
    ----------
    noise : Noise
        Section ``noise`` of a sensor.
    folds_at_m : float
        The maximum range of a sensor that folds ranges back; infinite for other sensors. [m]
    max_range_m : float
        The farthest range that the sensor reports. [m]
    """
    return NoiseSettings(
        range_sigma_m=noise.range_sigma_m,
        sigma_per_range=noise.sigma_per_range,
        sigma_incidence_m=noise.sigma_incidence_m,
        sigma_dark_m=noise.sigma_dark_m,
        is_laplace=noise.distribution == "laplace",
        tails=noise.tails,
        depth_offset_m=noise.depth_offset_m,
        depth_scale=noise.depth_scale,
        quantisation_m=noise.quantisation_m,
        folds_at_m=folds_at_m,
        max_range_m=max_range_m,
        drop_probability=noise.drop_probability,
        azimuth_sigma_rad=math.radians(noise.azimuth_sigma_deg),
        elevation_sigma_rad=math.radians(noise.elevation_sigma_deg),
        is_shot_wrong=noise.line_of_sight == "ray",
    )


def error_tables(noise: Noise) -> ErrorTables:
    """Return the tables of a sensor's section ``noise`` as arrays for kernels.

    ``noise`` is that section. Its ``depth_table`` becomes ``by_range``, its ``reflectivity_table``
    becomes ``by_reflectivity``. Reflectivities, the first column of ``by_reflectivity``, are
    replaced by their natural logarithms. A table that is not configured has no rows.
    """
    by_reflectivity = np.array(noise.reflectivity_table, np.float64).reshape(-1, 2)
    by_reflectivity[:, 0] = np.log(by_reflectivity[:, 0])
    return ErrorTables(
        by_range=np.array(noise.depth_table, np.float64).reshape(-1, 3),
        by_reflectivity=by_reflectivity,
    )


class MeasurementErrors:
    """The configured measurement errors of one sensor: of range and direction, and missing points.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    seed : int
        Seed of the configuration.

    Attributes
    ----------
    is_exact : bool
        Whether no errors are configured, and ranges are not folded back.
    """

    def __init__(self, config: Sensor, seed: int) -> None:
        self._noise = (config.noise or Noise()).times(config.drawn_unit.noise_factor)
        self._settings = error_settings(
            self._noise,
            folds_at_m=config.max_range_m if config.backfolding else math.inf,
            max_range_m=config.max_range_m,
        )
        one = self._settings
        self._aims_wrong = bool(one.azimuth_sigma_rad or one.elevation_sigma_rad)
        self._tables = error_tables(self._noise)
        self._formulas = self._noise.depth_formulas()
        self._sensor = config.name
        self._draws = partial(Draws.of, seed=seed, sensor=config.name)
        self.is_exact = self._noise == Noise() and not config.backfolding
        self._pattern: ScanPattern | None = None  # whose angles and laser errors these are:
        self._angles = np.empty((4, 0))
        self._bias_m = np.empty(0)
        self._buffers = Buffers()

    @property
    def differ_by_scan(self) -> bool:
        """Whether some errors are drawn anew for each scan: two scans of a scene then differ."""
        one = self._settings
        of_range = (one.range_sigma_m, one.sigma_per_range, one.sigma_incidence_m, one.sigma_dark_m)
        in_tables = (self._tables.by_range[:, 2], self._tables.by_reflectivity[:, 1])
        others = (one.drop_probability, self._aims_wrong, *(sigma.any() for sigma in in_tables))
        return any((*of_range, *others)) or "depth_sigma_m" in self._formulas

    def aim(
        self, pattern: ScanPattern, axis: NDArray[np.float32], time_ns: int
    ) -> NDArray[np.float32]:
        """Return the directions in which the beams are shot, with errors if so configured.

        Parameters
        ----------
        pattern : ScanPattern
            The beams.
        axis : float32 (3, n_beam)
            Directions of the beams without errors.
        time_ns : int
            Time of the scan. [ns]

        Returns
        -------
        float32 (3, n_beam)
            The directions; the input itself if there are no such errors.
        """
        if not (self._aims_wrong and self._settings.is_shot_wrong):
            return axis
        return self._wrong_directions(pattern, time_ns)

    def drop_outs(self, pattern: ScanPattern, time_ns: int) -> NDArray[np.bool_]:
        """Return which beams are dropouts: they report nothing, whatever they meet.

        Parameters
        ----------
        pattern : ScanPattern
            The beams.
        time_ns : int
            Time of the scan. [ns]

        Returns
        -------
        bool (n_beam,) or (1,)
            A single False if the drop probability is 0.
        """
        probability = self._settings.drop_probability
        if probability == 0.0:
            return NONE_LOST
        lost = self._buffers.empty(pattern.n_beams, np.bool_)
        lose(probability, self._draws(time_ns=time_ns).stream, workers(), lost)
        return lost

    def add_to(self, cloud: Cloud, exposure: Exposure, rows: PointRows) -> Cloud:
        """Return the cloud with errors of range and direction, and with the true values.

        Parameters
        ----------
        cloud : Cloud
            Points with true ranges; their positions and ranges are overwritten.
        exposure : Exposure
            The scan.
        rows : PointRows
            For each point, indices of its random numbers and of its cosine of incidence.

        Returns
        -------
        Cloud
            Points at a negative range, or beyond the maximum range, are left out. ``true_range_m``
            and ``true_xyz_m`` hold the true values, unless they were already set. If `is_exact`
            is True, this is the input cloud itself.
        """
        if self.is_exact:
            return cloud
        self.prepare(exposure.pattern)
        n_points = len(cloud.points)
        true_range_m, xyz_m, is_reported = self._buffers.several(
            (n_points, np.float32), (3 * n_points, np.float32), (n_points, np.bool_)
        )
        true_xyz_m = xyz_m.reshape(-1, 3)
        report_points(
            self._settings,
            ErrorArrays(
                *self._tables,
                errors_by_formula(self._sensor, self._formulas, cloud.points["range"]),
                self._bias_m,
                self._angles,
                read_only(exposure.axis),
                read_only(exposure.pattern.origin_m),
            ),
            self._draws(time_ns=exposure.end_ns).stream,
            cloud.beam,
            rows.draw,
            rows.cos_incidence[rows.hit] if self._settings.sigma_incidence_m else _ONE,
            workers(),
            row_bytes(cloud.points),
            TruthArrays(true_range_m, true_xyz_m, is_reported),
        )
        return with_columns(
            cloud,
            is_reported,
            true_range_m=true_range_m if cloud.true_range_m is None else cloud.true_range_m,
            true_xyz_m=true_xyz_m if cloud.true_xyz_m is None else cloud.true_xyz_m,
            along_beams=cloud.along_beams and not self._aims_wrong,
        )

    @property
    def are_along_beams(self) -> bool:
        """Whether points lie on the beams of the pattern: there are no errors of direction."""
        return not self._aims_wrong

    def _wrong_directions(self, pattern: ScanPattern, time_ns: int) -> NDArray[np.float32]:
        """Return the beams' directions with their errors, float32 (3, n_beam)."""
        self.prepare(pattern)
        columns = self._buffers.empty(3 * pattern.n_beams, np.float32).reshape(3, -1)
        stream = self._draws(time_ns=time_ns).stream
        aim(self._settings, self._angles, stream, workers(), columns)
        return columns

    def prepare(self, pattern: ScanPattern) -> None:
        """Compute the angles and constant laser errors of a pattern's beams, and keep them here.

        ``pattern`` holds the beams. Angles are computed only if there are errors of direction.
        Nothing is done if it is the pattern of the last call, or if `is_exact` is True.

        Raises
        ------
        ConfigurationError
            If ``range_bias_m`` has other than one error for each laser. It is not checked again for
            a pattern that has no more lasers than an earlier one.
        """
        if self.is_exact or self._pattern is pattern:
            return
        if self._aims_wrong:
            azimuth, elevation = pattern.azimuth_rad, pattern.elevation_rad
            functions = np.cos(azimuth), np.sin(azimuth), np.cos(elevation), np.sin(elevation)
            self._angles = np.stack(functions)
        n_rings = int(pattern.ring.max()) + 1
        if n_rings > len(self._bias_m):
            self._bias_m = _laser_errors_m(
                self._noise, self._sensor, self._draws(time_ns=0), n_rings
            )
        self._pattern = pattern


def _laser_errors_m(noise: Noise, sensor: str, draws: Draws, n_rings: int) -> NDArray[np.float64]:
    """Return the range error of each laser, the same in all scans, float64 (n_ring,) [m]."""
    given_m = np.array(noise.range_bias_m or [0.0] * n_rings)
    if len(given_m) != n_rings:
        raise ConfigurationError(
            f"sensor {sensor}: noise.range_bias_m: has length {len(given_m)}, expected "
            f"{n_rings}, an error for each laser (ring)"
        )
    sigma_m = noise.range_bias_sigma_m
    if sigma_m == 0.0:
        return given_m
    rings = np.arange(n_rings, dtype=np.uint32)
    drawn = draws.normal(LASER_BIAS, rings, noise.distribution)
    return given_m + sigma_m * drawn

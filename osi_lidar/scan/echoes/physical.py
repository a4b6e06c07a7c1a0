# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The physical executor: beams with a footprint, echoes in their waveform, and a receiver."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from material_mapping.detection_range.signal_scale import DATA_SHEET_LUX
from osi_lidar.config.beam import Pulse
from osi_lidar.config.receiver import Reception, ReturnSelection
from osi_lidar.scan.build import footprint_of, signal_scale_of
from osi_lidar.scan.cloud import Cloud, point_type
from osi_lidar.scan.echoes import point_kernels as kernels
from osi_lidar.scan.echoes import receiver_kernels as codes
from osi_lidar.scan.echoes.waveform import Waveform, waveform_of
from osi_lidar.scan.echoes.waveform_kernels import (
    SubRayArrays,
    WaveformSettings,
    strength_of,
)
from osi_lidar.scan.executor import first_of_block
from osi_lidar.scan.fused_kernels import SurfaceArrays
from osi_lidar.scan.noise.draws import Draws
from osi_lidar.scan.noise.errors import PointRows
from osi_lidar.scan.records import SURFACE, Returns
from osi_lidar.scan.threshold import is_detected
from raycore.records import NOTHING
from raycore.trace.tracer import Tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from material_mapping.detection_range.signal_scale import SignalScale
    from osi_lidar.config import Sensor
    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Hits, Shots

_MODES = {
    "strongest": codes.STRONGEST,
    "last": codes.LAST,
    "first": codes.FIRST,
    "last_strongest": codes.LAST_STRONGEST,
    "last_first": codes.LAST_FIRST,
    "first_strongest": codes.FIRST_STRONGEST,
    "all": codes.ALL,
}
_METHODS = {
    "peak": codes.PEAK,
    "centroid": codes.CENTROID,
    "leading_edge": codes.LEADING_EDGE,
    "fraction": codes.FRACTION,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubRayReturns:
    """The paths of all sub-rays, and the arrays that kernels make echoes of."""

    paths: Paths
    rays: SubRayArrays
    surfaces: SurfaceArrays


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEchoes:
    """What the receiver reports.

    Attributes
    ----------
    returns : SubRayReturns
        Of which the echoes were made.
    echo : structured (n_beam * n_most,)
        Rows of ``receiver_kernels.ECHO``; those of a block of beams are its first ones.
    start_of_block : int64 (n_block + 1,)
        Echoes of all blocks before each one, and of all.
    """

    returns: SubRayReturns
    echo: NDArray[Any]
    start_of_block: NDArray[np.int64]


class PhysicalExecutor:
    """Makes echoes of the sub-rays of each beam, and receives them.

    Parameters
    ----------
    config : Sensor
        The sensor.
    seed : int
        Seed of the configuration.
    receiver : Receiver
        Its range limit and threshold.
    errors : MeasurementErrors
        Its errors besides those of the receiver.

    Raises
    ------
    RangeLimitError
        If the range limit gives no scale of the signal.
    """

    def __init__(
        self, config: Sensor, seed: int, receiver: Receiver, errors: MeasurementErrors
    ) -> None:
        self._seed, self._sensor = seed, config.name
        self._threshold, self._errors = receiver.threshold, errors
        self._has_receiver = config.receiver is not None
        configured = config.receiver or Reception()
        self._follows_light = configured.ambient_lux is None
        self._scale = signal_scale_of(config)
        step_m, root = self._scale.kernel_table()
        self._waveform = _waveform_settings(config, step_m, root)
        self._settings = _receiver_settings(config, self._scale)
        self._scale_arrays = codes.ScaleArrays(
            step_m,
            root,
            _log_table(configured.precision),
            *receiver.range_limit.kernel_arguments(),
            receiver.range_limit.kernel_bounds(),
        )
        self._tracer, self._tracer_onwards = Tracer(), Tracer()
        self._buffers = Buffers()
        self._shots: Shots

    @property
    def differs_by_scan(self) -> bool:
        """Whether two scans of a world at rest differ."""
        return self._settings.is_noisy

    @property
    def n_traced(self) -> int:
        """Rays traced in the last scan; others kept their hits."""
        return self._tracer.n_traced

    def trace(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the first surface that each sub-ray meets."""
        self._shots = shots
        return self._tracer.trace(exposure.scene, shots, exposure.poses)

    def trace_on(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the next surface of rays that go on after a surface."""
        return self._tracer_onwards.trace(exposure.scene, shots, exposure.poses)

    def reflect(self, exposure: Exposure, paths: Paths) -> SubRayReturns:
        """Return the paths: what comes back is computed with the echoes, block by block."""
        shots = self._shots
        return SubRayReturns(
            paths=paths,
            rays=SubRayArrays(
                *shots.ray_arrays, shots.weight, *paths.hits.arrays, paths.share
            ),
            surfaces=SurfaceArrays.of(exposure.surfaces, exposure.table),
        )

    def receive(self, exposure: Exposure, returns: SubRayReturns) -> ReceivedEchoes:
        """Return the echoes that the receiver detects, with its errors of range."""
        if self._follows_light:
            self._use_light(exposure.ambient_lux)
        n_beams = exposure.pattern.n_beams
        echo = self._buffers.empty(n_beams * self._settings.n_most, codes.ECHO)
        count = np.zeros(-(-n_beams // BLOCK), np.int64)
        start = np.empty(len(count) + 1, np.int64)
        kernels.find_and_receive(
            self._waveform,
            self._settings,
            self._scale_arrays,
            returns.surfaces,
            returns.rays,
            self._errors.drop_outs(exposure.pattern, exposure.end_ns),
            Draws.of(seed=self._seed, sensor=self._sensor, time_ns=exposure.end_ns).stream,
            n_beams,
            workers(),
            count,
            start,
            echo,
        )
        return ReceivedEchoes(returns=returns, echo=echo, start_of_block=start)

    def measure(self, exposure: Exposure, shots: Shots, echoes: ReceivedEchoes) -> ReceivedEchoes:  # noqa: ARG002
        """Return the same record: other errors are applied to the points."""
        return echoes

    def report(self, exposure: Exposure, shots: Shots, echoes: ReceivedEchoes) -> Cloud:  # noqa: ARG002
        """Return the points of the echoes, with the sensor's other errors."""
        cloud, rows = self._points(exposure, echoes)
        if self._threshold is not None:
            points = cloud.points
            seen = is_detected(self._threshold, points["range"], points["reflectivity"])
            cloud = cloud.rows(seen)
            rows = rows._replace(draw=rows.draw[seen], hit=rows.hit[seen])
        return self._errors.add_to(cloud, exposure, rows)

    def returns_of(self, returns: SubRayReturns) -> Returns:
        """Return one row for each sub-ray that something comes back on."""
        rays, surfaces = returns.rays, returns.surfaces
        strength = np.empty(len(rays.instance))
        strength_of(surfaces, rays, strength)
        ray = np.flatnonzero(strength > 0.0).astype(np.uint32)
        n_sub = len(rays.weight)
        beam = (ray // n_sub).astype(np.uint32)
        return Returns(
            beam=beam,
            range_m=rays.range_m[ray],
            strength=strength[ray],
            shot=ray,
            kind=np.full(len(ray), SURFACE, np.uint8),
            first_of_block=first_of_block(beam, len(rays.instance) // n_sub, BLOCK),
        )

    def waveform(self, returns: SubRayReturns, beam: int) -> Waveform:
        """Return the waveform of one beam, without noise."""
        settings = self._settings
        seen = settings.threshold if settings.is_noisy else self._scale.snr_at_limit
        surfaces, rays = returns.surfaces, returns.rays
        return waveform_of(self._waveform, surfaces, rays, beam=beam, threshold=seen)

    def _use_light(self, lux: float | None) -> None:
        """Take the noise of another ambient light, from this scan on; None is a data sheet's."""
        lux = DATA_SHEET_LUX if lux is None else lux
        if lux != self._scale.ambient_lux:
            self._scale = replace(self._scale, ambient_lux=lux)
            _, root = self._scale.kernel_table()
            self._waveform = self._waveform._replace(root=root)
            self._scale_arrays = self._scale_arrays._replace(root=root)

    def _points(self, exposure: Exposure, echoes: ReceivedEchoes) -> tuple[Cloud, PointRows]:
        """Return the points of the echoes, and where their errors depend on."""
        pattern, returns = exposure.pattern, echoes.returns
        n, timed = int(echoes.start_of_block[-1]), exposure.time_ns is not None
        several, received = self._settings.n_most > 1, self._has_receiver
        row_type = point_type(
            "<u8" if exposure.surfaces.wide_ids else "<u4",
            timed=timed,
            several=several,
            received=received,
        )
        points = np.empty(n, row_type)
        optional = {
            name: points[name] if name in (row_type.names or ()) else np.empty(0, kind)
            for name, kind in kernels.OPTIONAL_COLUMNS
        }
        arrays = kernels.PointArrays(
            points=points,
            **optional,
            beam=np.empty(n, np.uint32),
            object_id=np.empty(n, np.uint64),
            draw=np.empty(n, np.uint32),
            ray=np.empty(n, np.uint32),
            rmse_m=np.empty(n, np.float32),
            existence=np.empty(n, np.float32),
            true_range_m=np.empty(n, np.float32),
            true_xyz_m=np.empty((n, 3), np.float32),
        )
        kernels.write_echo_points(
            returns.surfaces,
            exposure.surfaces.object_of_instance,
            kernels.BeamArrays(
                pattern.origin_m,
                exposure.axis,
                pattern.ring,
                pattern.column,
                np.empty(0, np.uint32) if exposure.time_ns is None else exposure.time_ns,
            ),
            self._settings.n_most,
            returns.rays,
            returns.paths.ghost,
            echoes.echo,
            echoes.start_of_block,
            workers(),
            arrays,
        )
        cloud = Cloud(
            points=points,
            beam=arrays.beam,
            object_id=arrays.object_id,
            true_range_m=arrays.true_range_m,
            true_xyz_m=arrays.true_xyz_m,
            along_beams=pattern.has_one_origin and self._errors.are_along_beams,
            existence=arrays.existence if received else None,
            rmse_m=arrays.rmse_m if received else None,
        )
        hit = np.where(arrays.ray == NOTHING, 0, arrays.ray)
        return cloud, PointRows(arrays.draw, hit, returns.paths.hits.cos_incidence)


def _waveform_settings(
    config: Sensor, step_m: float, root: NDArray[np.float64]
) -> WaveformSettings:
    """Return pulse and footprint as kernels take them."""
    footprint = footprint_of(config)
    sigma_rad = (0.0, 0.0) if footprint is None else footprint.sigma_rad
    return WaveformSettings(
        (config.pulse or Pulse()).sigma_m,
        *sigma_rad,
        0.0 if footprint is None else footprint.cell_variance,
        1.0 if footprint is None else footprint.point_scale,
        step_m,
        root,
    )


def _receiver_settings(config: Sensor, scale: SignalScale) -> codes.ReceiverSettings:
    """Return the receiver as kernels take it; without one, the sharp range limit decides."""
    receiver = config.receiver or Reception(amplitude_noise=False)
    returns = config.returns or ReturnSelection()
    error = codes.NO_ERROR
    if receiver.amplitude_noise and receiver.precision != ():
        error = codes.OF_PULSE if receiver.precision is None else codes.OF_TABLE
    saturation = receiver.saturation
    return codes.ReceiverSettings(
        is_noisy=receiver.amplitude_noise,
        threshold=scale.threshold,
        n_0=scale.n_0,
        min_range_m=config.min_range_m,
        max_range_m=config.max_range_m,
        alarm_probability=receiver.false_alarm_probability,
        saturation=math.inf if saturation is None else saturation * scale.threshold,
        mode=_MODES[returns.mode],
        n_most=returns.n_most,
        min_separation_m=returns.min_separation_m,
        by_reflectivity=returns.strongest_by == "reflectivity",
        method=_METHODS[returns.method],
        by_strength=returns.order == "strength",
        duplicates=returns.duplicates,
        walk_residual=receiver.walk_residual,
        error=error,
        sigma_r_m=scale.sigma_m,
    )


def _log_table(table: tuple[tuple[float, float], ...] | None) -> NDArray[np.float64]:
    """Return logarithms of a precision table's columns, float64 (2, n | 1)."""
    logarithms: NDArray[np.float64] = np.log(np.array(table or [(1.0, 1.0)], np.float64).T)
    return logarithms

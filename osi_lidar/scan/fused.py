# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The fused executor: one ray and one echo per beam, with several stages in one kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from lidar_base.dirty_blocks import DirtyBlocks
from osi_lidar.clouds.block_cloud import BlockCloud
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.clouds.row_kernels import places_in, row_bytes
from osi_lidar.scan import fused_kernels as kernels
from osi_lidar.scan.executor import first_of_block
from osi_lidar.scan.noise.point_rows import PointRows
from osi_lidar.scan.records import SURFACE, Returns, ScanHits, TracedRays
from raycore.records import NOTHING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Shots
    from raycore.trace.tracer import Tracer

_NO_TIME = np.empty(0, np.uint32)


@dataclass(frozen=True, slots=True, kw_only=True)
class BeamEchoes:
    """The echoes of a sensor with one ray for each beam: arrays with a row for each beam.

    Attributes
    ----------
    paths : Paths
        The surface that each ray met.
    rows : ReturnArrays
        Strength of the light that comes back, material, and whether there is an echo.
    start_of_block : int64 (n_block + 1,)
        Number of echoes before each block of `BLOCK` beams, then the number of all echoes.
    dirty : DirtyBlocks
        Blocks that may differ from the last scan.
    """

    paths: Paths
    rows: kernels.ReturnArrays
    start_of_block: NDArray[np.int64]
    dirty: DirtyBlocks


class FusedExecutor:
    """Makes echoes and points of single rays, only in blocks of beams that may have changed.

    Parameters
    ----------
    receiver : Receiver
        Range limits of the sensor.
    errors : MeasurementErrors
        The sensor's errors.
    tracer : Tracer
        Tracer of the first hits; it knows which hits are the same as in the last scan.
    tells_velocity : bool
        Whether points have a column for their radial velocity.
    """

    def __init__(
        self,
        receiver: Receiver,
        errors: MeasurementErrors,
        tracer: Tracer,
        *,
        tells_velocity: bool = False,
    ) -> None:
        limit = receiver.range_limit
        self._receiver = kernels.ReceiverArrays(
            receiver.min_range_m, *limit.kernel_arguments(), limit.kernel_bounds()
        )
        self._errors = errors
        self._tracer, self._tells_velocity = tracer, tells_velocity
        self._buffers = Buffers()
        self._count = np.empty(0, np.int64)
        self._rows = _new_rows(0)
        self._cloud: BlockCloud | None = None
        self._answered: int | None = None
        self._made_of: tuple[object, ...] = (None,) * 5

    differs_by_scan = False

    def echoes(self, exposure: Exposure, shots: Shots, paths: Paths) -> BeamEchoes:
        """Return the echoes of single rays; light is reflected and received in one pass.

        Blocks of beams that have not changed keep the values of the last call, in the same memory.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots : Shots
            The rays, one for each beam.
        paths : Paths
            The surface at which each ray ends, and how much of its light comes back.
        """
        hits, table = paths.hits, exposure.table
        if len(self._rows.strength) != len(hits):
            self._rows = _new_rows(len(hits))
            self._count = np.zeros(-(-len(hits) // BLOCK), np.int64)
        dirty = self._dirty(exposure, paths)
        start = np.empty(len(self._count) + 1, np.int64)
        kernels.reflect_and_receive(
            kernels.SurfaceArrays.of(exposure.surfaces, table),
            exposure.texture.arrays_for(shots),
            self._receiver,
            dirty.changed,
            hits.arrays,
            paths.share,
            self._errors.drop_outs(exposure.pattern, exposure.end_ns),
            workers(),
            self._count,
            start,
            self._rows,
        )
        return BeamEchoes(paths=paths, rows=self._rows, start_of_block=start, dirty=dirty)

    def points(self, exposure: Exposure, echoes: BeamEchoes) -> tuple[Cloud, PointRows]:
        """Return a point for each echo, without errors, and what its errors are computed from.

        ``exposure`` is the scan, and ``echoes`` a result of `echoes` for it. The second result has
        the index of each point's beam, and the cosine of incidence of every beam's hit, also of
        beams without a point.
        """
        cloud = self._points(exposure, echoes)
        if self._errors.is_exact:
            self._cloud = cloud
        return cloud, PointRows(cloud.beam, cloud.beam, echoes.paths.hits.cos_incidence)

    def scan_hits(self, shots: Shots, echoes: BeamEchoes) -> ScanHits:
        """Return the surfaces that the rays of the beams have met.

        ``shots`` has the rays, one for each beam, and ``echoes`` is a result of `echoes` for them.
        """
        paths = echoes.paths
        first = TracedRays(
            rays=shots.ray_arrays,
            range_m=paths.hits.range_m,
            instance=paths.hits.instance,
            legs=paths.legs,
            n_sub=shots.n_sub,
        )
        return ScanHits(first)

    def returns_of(self, echoes: BeamEchoes) -> Returns:
        """Return the light before the receiver: a row for each beam on which light comes back.

        ``echoes`` is a result of `echoes`.
        """
        hits, strength = echoes.paths.hits, echoes.rows.strength
        met = np.flatnonzero(hits.instance != NOTHING)
        beam = met[strength[met] > 0.0].astype(np.uint32)
        return Returns(
            beam=beam,
            range_m=hits.range_m[beam],
            strength=strength[beam].astype(np.float64),
            shot=beam,
            kind=np.full(len(beam), SURFACE, np.uint8),
            first_of_block=first_of_block(beam, len(hits), BLOCK),
        )

    def _points(self, exposure: Exposure, echoes: BeamEchoes) -> BlockCloud:
        """Return the points of the echoes without errors; unchanged blocks are copied."""
        pattern, start = exposure.pattern, echoes.start_of_block
        object_id = "<u8" if exposure.surfaces.wide_ids else "<u4"
        timed = exposure.time_ns is not None
        empty, n_points = self._buffers.empty, int(start[-1])
        cloud = BlockCloud(
            points=empty(n_points, point_type(object_id, timed=timed, moving=self._tells_velocity)),
            beam=empty(n_points, np.uint32),
            object_id=empty(n_points, np.uint64),
            along_beams=pattern.has_one_origin,
            dirty=echoes.dirty,
            start_of_block=start,
        )
        last = self._cloud
        old = cloud if last is None or echoes.dirty.after is None else last
        kernels.write_points(
            exposure.surfaces.object_of_instance,
            kernels.BeamArrays(
                pattern.origin_m,
                pattern.direction,
                pattern.ring,
                pattern.column,
                _NO_TIME if exposure.time_ns is None else exposure.time_ns,
            ),
            echoes.paths.hits.arrays,
            echoes.rows,
            start,
            echoes.dirty.changed,
            old.start_of_block,
            _point_arrays(old),
            workers(),
            _point_arrays(cloud),
        )
        return cloud

    def _dirty(self, exposure: Exposure, paths: Paths) -> DirtyBlocks:
        """Return which blocks of echoes and points have to be made anew."""
        made_of = (
            paths.share,
            exposure.surfaces,
            exposure.table,
            exposure.pattern,
            exposure.time_ns,
        )
        same = all(one is other for one, other in zip(made_of, self._made_of, strict=True))
        self._made_of = made_of
        of_hits = self._tracer.dirty
        if len(paths.share):  # glazing or mirrors have changed some
            of_hits = DirtyBlocks.of(np.ones_like(of_hits.changed))
        known, self._answered = self._answered, of_hits.number
        if not (same and self._errors.is_exact) or of_hits.after is None or of_hits.after != known:
            changed = of_hits.changed
            return DirtyBlocks.of(changed if of_hits.after is None else np.ones_like(changed))
        last = self._cloud
        return DirtyBlocks.of(of_hits.changed, after=None if last is None else last.dirty.number)


def _new_rows(n_beams: int) -> kernels.ReturnArrays:
    return kernels.ReturnArrays(
        np.zeros(n_beams, np.float32), np.zeros(n_beams, np.uint16), np.zeros(n_beams, np.bool_)
    )


def _point_arrays(cloud: Cloud) -> kernels.PointArrays:
    places = places_in(cloud.points.dtype)
    return kernels.PointArrays(row_bytes(cloud.points), places, cloud.beam, cloud.object_id)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The physical executor: beams with a footprint, echoes in their waveform, and a receiver."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.clouds.row_kernels import places_in
from osi_lidar.scan.echoes import point_kernels as kernels
from osi_lidar.scan.echoes.echo_receiver import EchoReceiver
from osi_lidar.scan.echoes.second_look import SecondLook
from osi_lidar.scan.echoes.stray_light import StrayLightFinder
from osi_lidar.scan.echoes.waveform import Waveform, waveform_of
from osi_lidar.scan.echoes.waveform_kernels import SEVERAL, strength_of
from osi_lidar.scan.executor import first_of_block
from osi_lidar.scan.from_config import footprint_of
from osi_lidar.scan.media.ghosts.gloss import GlossMirror
from osi_lidar.scan.media.ghosts.road import RoadMirror
from osi_lidar.scan.media.lanes import on_lanes
from osi_lidar.scan.noise.point_rows import PointRows
from osi_lidar.scan.records import SURFACE, Returns, ScanHits, TracedRays
from raycore.records import RayArrays

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.echoes.received import BeamHits, ReceivedEchoes
    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Shots


class PhysicalExecutor:
    """Makes echoes from beams with a footprint, and points from the echoes.

    Parameters
    ----------
    config : Sensor
        The sensor.
    seed : int
        Seed of the configuration.
    receiver : Receiver
        Range limits of the sensor.
    errors : MeasurementErrors
        Errors of the sensor besides the errors of its receiver.

    Raises
    ------
    RangeLimitError
        If no signal-to-noise ratio follows from the range limit, see `signal_scale_of`.
    """

    def __init__(
        self, config: Sensor, seed: int, receiver: Receiver, errors: MeasurementErrors
    ) -> None:
        footprint = footprint_of(config)
        self._receiver = EchoReceiver(config, seed, receiver, errors)
        self._settings, self._errors = self._receiver.settings, errors
        self._road, self._gloss = RoadMirror(), GlossMirror.of(config, footprint)
        self._stray_light, self._second_look = (
            StrayLightFinder.of(config),
            SecondLook.of(config, footprint),
        )
        self._has_receiver = config.receiver is not None
        self._tells_velocity = bool(config.velocity)
        self._buffers = Buffers()

    @property
    def differs_by_scan(self) -> bool:
        """Whether two scans of the same scene differ even in clear air, by noise."""
        return self._settings.is_noisy

    def echoes(self, exposure: Exposure, shots: Shots, paths: Paths) -> ReceivedEchoes:
        """Return the echoes that the receiver detects, with its range errors.

        This runs all stages: ghosts, first look at all beams, stray light, and second look: some
        beams are traced again with other sub-rays.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots : Shots
            The sub-rays of all beams.
        paths : Paths
            The surfaces at which these sub-rays end.
        """
        receiver, rays = self._receiver, (exposure, shots, paths)
        media = receiver.media(exposure)  # air, window, spray and dust
        if exposure.ground is not None:
            media = media.with_ghosts(self._road.ghosts(*rays, exposure.ground))
        if self._gloss is not None:
            media = media.with_ghosts(self._gloss.ghosts(*rays, media.notices))
        echoes = receiver.first_look(*rays, media)
        if self._stray_light is not None:
            stray = self._stray_light.ghosts(exposure, echoes)
            echoes = echoes if stray is None else receiver.with_ghosts(*rays, echoes, stray)
        beams = self._second_look.beams(exposure.axis, echoes.seen, paths)
        if beams.size:  # at edges, near retroreflectors, behind panes, off mirrors
            again = self._second_look.look(exposure, shots, beams)
            again = replace(again, paths=on_lanes(exposure, again.shots, again.paths))
            echoes = receiver.with_second_look(exposure, echoes, again)
        return echoes

    def scan_hits(self, _: Shots, echoes: ReceivedEchoes) -> ScanHits:
        """Return the hits of all beams, and the hits of beams that were traced a second time.

        ``echoes`` is a result of `echoes`, which holds these hits; the first argument is not used.
        """
        again = None if echoes.again is None else _traced_rays(echoes.again)
        several = (echoes.seen & SEVERAL) != 0
        return ScanHits(_traced_rays(echoes.first), again, several)

    def returns_of(self, echoes: ReceivedEchoes) -> Returns:
        """Return the light that arrives at the receiver, with a row for each sub-ray that returns.

        A row has the index of the beam, the range [m], the strength relative to a white target that
        fills the beam, and the index of the sub-ray. All beams count with the sub-rays that were
        traced first, even if they were traced again with others. ``echoes`` is a result of
        `echoes`.
        """
        rays = echoes.first.rays
        strength = np.empty(len(rays.instance))
        strength_of(
            echoes.first.surfaces, echoes.first.texture, rays, np.arange(len(strength)), strength
        )
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

    def waveform(self, echoes: ReceivedEchoes, beam: int) -> Waveform:
        """Return the waveform of one beam, without noise.

        Parameters
        ----------
        echoes : ReceivedEchoes
            A result of `echoes`.
        beam : int
            Index of the beam in the scan pattern. If it was traced again, its new sub-rays count.
        """
        settings, look, row = self._settings, echoes.first, beam
        if echoes.again is not None and beam in echoes.again.beams:
            look, row = echoes.again, int(np.searchsorted(echoes.again.beams, beam))
        scale = look.media.light.scale
        seen = settings.threshold if settings.is_noisy else scale.snr_at_limit
        parts, found = self._receiver.components(look, row)
        return waveform_of(parts, found, sigma_r_m=look.waveform.sigma_r_m, threshold=seen)

    def points(self, exposure: Exposure, echoes: ReceivedEchoes) -> tuple[Cloud, PointRows]:
        """Return a point for each echo, and what later errors of the points are computed from.

        Parameters
        ----------
        exposure : Exposure
            The scan: its pattern, directions of the beams, firing times and surfaces are used.
        echoes : ReceivedEchoes
            A result of `echoes` for this scan.

        Returns
        -------
        cloud : Cloud
            The points, in the order of beams; their ranges have the errors of the receiver.
        rows : PointRows
            For each point, index of its random numbers, and its cosine of incidence.
        """
        pattern, timed = exposure.pattern, exposure.time_ns is not None
        several, received = self._settings.n_most > 1, self._has_receiver
        row_type = point_type(
            "<u8" if exposure.surfaces.wide_ids else "<u4",
            timed=timed,
            several=several,
            received=received,
            moving=self._tells_velocity,
        )
        points, arrays = _empty_points(int(echoes.start_of_block[-1]), row_type, self._buffers)
        beams = kernels.EchoBeamArrays(
            pattern.origin_m,
            exposure.axis,
            pattern.ring,
            pattern.column,
            np.empty(0, np.uint32) if exposure.time_ns is None else exposure.time_ns,
        )
        kernels.write_echo_points(
            beams,
            self._settings.n_most,
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
        place_m = arrays.place_m if self._tells_velocity else None
        return cloud, PointRows(arrays.draw, slice(None), arrays.cos_incidence, place_m)


def _traced_rays(look: BeamHits) -> TracedRays:
    """Return the rays of a look with their hits."""
    rays = look.rays

    def power_of(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        power = np.empty(len(chosen))
        strength_of(look.surfaces, look.texture, rays, chosen, power)
        return power

    return TracedRays(
        rays=RayArrays(*rays[:4]),
        range_m=rays.range_m,
        instance=rays.instance,
        legs=look.paths.legs,
        n_sub=rays.fan.shape[2],
        beams=look.beams,
        power_of=power_of,
    )


def _empty_points(
    n: int, row_type: np.dtype[Any], memory: Buffers
) -> tuple[NDArray[Any], kernels.EchoPointArrays]:
    """Return points, and the arrays in which the kernel writes them."""
    kinds: dict[str, tuple[int, DTypeLike]] = {
        "points": (n * row_type.itemsize, np.uint8),
        "beam": (n, np.uint32),
        "object_id": (n, np.uint64),
        "draw": (n, np.uint32),
        "cos_incidence": (n, np.float32),
        "rmse_m": (n, np.float32),
        "existence": (n, np.float32),
        "true_range_m": (n, np.float32),
        "true_xyz_m": (3 * n, np.float32),
        "place_m": (n if "radial_velocity" in (row_type.names or ()) else 0, np.float32),
    }
    arrays = dict(zip(kinds, memory.several(*kinds.values()), strict=True))
    arrays["true_xyz_m"] = arrays["true_xyz_m"].reshape(n, 3)
    rows = arrays.pop("points").reshape(n, row_type.itemsize)
    points = rows.view(row_type).reshape(n)
    return points, kernels.EchoPointArrays(rows, places_in(row_type), **arrays)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The physical executor: beams with a footprint, echoes in their waveform, and a receiver."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from lidar_base.random.draws import Draws
from material_mapping.detection_range.signal_scale import DATA_SHEET_LUX
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.config.receiver import Reception
from osi_lidar.scan.echoes import point_kernels as kernels
from osi_lidar.scan.echoes import receiver_kernels as codes
from osi_lidar.scan.echoes.media import NO_MEDIA, MediaLook
from osi_lidar.scan.echoes.received import BeamsMet, ReceivedEchoes
from osi_lidar.scan.echoes.second_look_kernels import take_over
from osi_lidar.scan.echoes.settings import log_table, receiver_settings, waveform_settings
from osi_lidar.scan.echoes.stray_light import StrayLook
from osi_lidar.scan.echoes.waveform import Waveform, waveform_of
from osi_lidar.scan.echoes.waveform_kernels import (
    SEVERAL,
    SubRayArrays,
    WaveformSettings,
    strength_of,
)
from osi_lidar.scan.executor import first_of_block
from osi_lidar.scan.from_config import footprint_of, signal_scale_of
from osi_lidar.scan.fused_kernels import SurfaceArrays
from osi_lidar.scan.media.ghosts.seen import Sensitivity
from osi_lidar.scan.media.glare_kernels import PER_LUX, GlareArrays
from osi_lidar.scan.noise.point_rows import PointRows
from osi_lidar.scan.records import SURFACE, BeamsSeen, RaysMet, Returns
from raycore.records import RayArrays
from raycore.trace.return_path import ReturnPath

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.echoes.media_kernels import MediaArrays
    from osi_lidar.scan.echoes.second_look import LookAgain
    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Shots


_NO_GLARE = GlareArrays(
    0.0, NO_MEDIA.window, np.zeros((1, 3)), np.zeros((3, 1), np.float32), np.zeros(1, np.uint32)
)


class PhysicalExecutor:
    """Makes echoes of the sub-rays of each beam, and receives them.

    Parameters
    ----------
    config : Sensor
        The sensor.
    seed : int
        Seed of the configuration.
    receiver : Receiver
        Its range limit.
    errors : MeasurementErrors
        Its errors besides those of the receiver.

    Raises
    ------
    RangeLimitError
        If the range limit gives no scale of the signal.
    """

    def __init__(
        self,
        config: Sensor,
        seed: int,
        receiver: Receiver,
        errors: MeasurementErrors,
    ) -> None:
        self._seed, self._sensor = seed, config.name
        self._errors = errors
        self._has_receiver = config.receiver is not None
        self._tells_velocity = bool(config.velocity)
        configured = config.receiver or Reception()
        self._follows_light = configured.ambient_lux is None
        self._has_glare = configured.sun_glare
        self._scale = signal_scale_of(config)
        self._clear = step_m, root = self._scale.kernel_table()
        self._waveform = waveform_settings(config, footprint_of(config), step_m, root)
        self._settings = receiver_settings(config, self._scale)
        self._scale_arrays = codes.ScaleArrays(
            step_m,
            root,
            log_table(configured.precision),
            *receiver.range_limit.kernel_arguments(),
            receiver.range_limit.kernel_bounds(),
        )
        self._media_look = MediaLook(config, is_noisy=self._settings.is_noisy, seed=seed)
        self._media, self._stray_light = NO_MEDIA, StrayLook(configured.stray_light)
        self._buffers, self._return_path = Buffers(), ReturnPath(*configured.offset_m)
        self._all_beams = np.empty(0, np.uint32)

    @property
    def differs_by_scan(self) -> bool:
        """Whether two scans of a world at rest differ in clear air."""
        return self._settings.is_noisy

    def echoes(self, exposure: Exposure, shots: Shots, paths: Paths) -> ReceivedEchoes:
        """Return the echoes that the receiver detects, with its errors of range."""
        if self._follows_light:
            self._use_light(exposure.ambient_lux)
        root, self._media = self._media_look.of(exposure, shots, paths, self._scale, self._clear)
        if self._waveform.air_root is not root:
            self._waveform = self._waveform._replace(root=self._clear[1], air_root=root)
        if len(self._all_beams) != exposure.pattern.n_beams:
            self._all_beams = np.arange(exposure.pattern.n_beams, dtype=np.uint32)
        first = self._look(exposure, self._all_beams, shots, paths, self._waveform)
        lost = self._errors.drop_outs(exposure.pattern, exposure.end_ns)
        echo = self._buffers.empty(len(self._all_beams) * self._settings.n_most, codes.ECHO)
        start, seen = self._receive_look(exposure, first, lost, echo)
        notices = Sensitivity(self._clear[0], root, self._media.least_snr)
        halo = self._stray_light.look(exposure, first, seen, notices)
        if halo is not None:
            self._media = self._media_look.with_ghosts(self._media, halo)
            first = replace(first, media=self._media)
            start, seen = self._receive_look(exposure, first, lost, echo)
        return ReceivedEchoes(
            first=first, again=None, lost=lost, seen=seen, echo=echo, start_of_block=start
        )

    def with_second_look(
        self, exposure: Exposure, echoes: ReceivedEchoes, look: LookAgain
    ) -> ReceivedEchoes:
        """Return the echoes, with those of a second look in the place of the same beams' first.

        The arrays of ``echoes`` are overwritten.
        """
        waveform, lost, n_most = self._waveform, echoes.lost, self._settings.n_most
        if look.footprint is not None:
            waveform = waveform._replace(
                cell_variance=look.footprint.cell_variance, point_scale=look.footprint.point_scale
            )
        again = self._look(exposure, look.beams, look.shots, look.paths, waveform)
        echo = np.empty(len(look.beams) * n_most, codes.ECHO)
        of_beams = lost[look.beams] if len(lost) > 1 else lost
        start, _ = self._receive_look(exposure, again, of_beams, echo)
        rows = [echo[BLOCK * n_most * i :][:n] for i, n in enumerate(np.diff(start))]
        before = np.empty(BLOCK * n_most, codes.ECHO)
        take_over(
            look.beams, np.concatenate(rows), n_most, before, echoes.start_of_block, echoes.echo
        )
        return replace(echoes, again=again)

    def _receive_look(
        self,
        exposure: Exposure,
        look: BeamsMet,
        lost: NDArray[np.bool_],
        echo_out: NDArray[Any],
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Write the echoes of a look; return where blocks start, and what its beams have met."""
        count = np.zeros(-(-len(look.beams) // BLOCK), np.int64)
        start = np.empty(len(count) + 1, np.int64)
        seen = np.empty(len(look.beams), np.uint8)
        kernels.find_and_receive(
            look.waveform,
            self._settings,
            self._scale_arrays,
            _glare(exposure, look.media) if self._has_glare else _NO_GLARE,
            look.media,
            look.surfaces,
            look.texture,
            exposure.surfaces.object_of_instance,
            look.rays,
            look.paths.ghost,
            lost,
            look.draws.stream,
            look.beams,
            workers(),
            seen,
            count,
            start,
            echo_out,
        )
        return start, seen

    def _look(
        self,
        exposure: Exposure,
        beams: NDArray[np.uint32],
        shots: Shots,
        paths: Paths,
        waveform: WaveformSettings,
    ) -> BeamsMet:
        """Return what some beams have met, for kernels."""
        draws = Draws.of(seed=self._seed, sensor=self._sensor, time_ns=exposure.end_ns)
        scene = exposure.scene, exposure.poses
        hits = self._return_path.seen(*scene, shots, paths.hits, paths.straight())
        paths = replace(paths, hits=hits)
        return BeamsMet(
            beams=beams,
            paths=paths,
            rays=SubRayArrays(*shots.ray_arrays, shots.weight, *paths.hits.arrays, paths.share),
            surfaces=SurfaceArrays.of(exposure.surfaces, exposure.table),
            texture=exposure.texture.seen_by(shots),
            waveform=waveform,
            media=self._media,
            draws=draws,
        )

    def seen(self, _: Shots, echoes: ReceivedEchoes) -> BeamsSeen:
        """Return what the beams have met, of which the echoes are."""
        again = None if echoes.again is None else _rays_met(echoes.again)
        several = (echoes.seen & SEVERAL) != 0
        return BeamsSeen(_rays_met(echoes.first), again, several)

    def returns_of(self, echoes: ReceivedEchoes) -> Returns:
        """Return one row for each sub-ray of the first look that something comes back on."""
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
        """Return the waveform of one beam, without noise."""
        settings, look, row = self._settings, echoes.first, beam
        if echoes.again is not None and beam in echoes.again.beams:
            look, row = echoes.again, int(np.searchsorted(echoes.again.beams, beam))
        seen = settings.threshold if settings.is_noisy else self._scale.snr_at_limit
        return waveform_of(look, row=row, threshold=seen)

    def _use_light(self, lux: float | None) -> None:
        """Take the noise of another ambient light, from this scan on; None is a data sheet's."""
        lux = DATA_SHEET_LUX if lux is None else lux
        if lux != self._scale.ambient_lux:
            self._scale = replace(self._scale, ambient_lux=lux)
            self._clear = self._scale.kernel_table()
            self._scale_arrays = self._scale_arrays._replace(root=self._clear[1])

    def points(self, exposure: Exposure, echoes: ReceivedEchoes) -> tuple[Cloud, PointRows]:
        """Return the points of the echoes, and what their other errors depend on."""
        pattern, timed = exposure.pattern, exposure.time_ns is not None
        several, received = self._settings.n_most > 1, self._has_receiver
        row_type = point_type(
            "<u8" if exposure.surfaces.wide_ids else "<u4",
            timed=timed,
            several=several,
            received=received,
            moving=self._tells_velocity,
        )
        arrays = _empty_points(int(echoes.start_of_block[-1]), row_type, self._buffers)
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
            points=arrays.points,
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


def _rays_met(look: BeamsMet) -> RaysMet:
    """Return what the rays of a look have met."""
    rays = look.rays

    def power_of(chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        power = np.empty(len(chosen))
        strength_of(look.surfaces, look.texture, rays, chosen, power)
        return power

    return RaysMet(
        rays=RayArrays(*rays[:4]),
        range_m=rays.range_m,
        instance=rays.instance,
        legs=look.paths.legs,
        n_sub=rays.fan.shape[2],
        beams=look.beams,
        power_of=power_of,
    )


def _empty_points(n: int, row_type: np.dtype[Any], memory: Buffers) -> kernels.EchoPointArrays:
    """Return the arrays that the kernel writes points to."""
    empty = memory.empty
    points = empty(n, row_type)
    optional = {
        name: points[name] if name in (row_type.names or ()) else np.empty(0, kind)
        for name, kind in kernels.OPTIONAL_COLUMNS
    }
    return kernels.EchoPointArrays(
        points=points,
        **optional,
        beam=empty(n, np.uint32),
        object_id=empty(n, np.uint64),
        draw=empty(n, np.uint32),
        cos_incidence=empty(n, np.float32),
        rmse_m=empty(n, np.float32),
        existence=empty(n, np.float32),
        true_range_m=empty(n, np.float32),
        true_xyz_m=empty(3 * n, np.float32).reshape(n, 3),
        place_m=empty(n if "radial_velocity" in (row_type.names or ()) else 0, np.float32),
    )


def _glare(exposure: Exposure, media: MediaArrays) -> GlareArrays:
    """Return the sun as the beams see it; a sun below the horizon makes no glare."""
    sun = exposure.sun
    if sun is None or sun.direction[2] <= 0.0:
        return _NO_GLARE
    return GlareArrays(
        PER_LUX * sun.lux,
        media.window,
        np.array(sun.direction) @ exposure.poses[:, :3, :3],
        exposure.axis,
        exposure.shots.moment,
    )

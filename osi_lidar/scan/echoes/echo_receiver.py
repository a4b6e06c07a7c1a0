# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The receiver of a physical sensor: it finds the echoes in the light from the hits of beams."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK, workers
from lidar_base.buffers import Buffers
from lidar_base.compiled import read_only
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import LASER_THRESHOLD
from material_mapping.detection_range.signal_scale import DATA_SHEET_LUX
from osi_lidar.config.receiver import Reception
from osi_lidar.scan.echoes import point_kernels as kernels
from osi_lidar.scan.echoes import receiver_kernels as codes
from osi_lidar.scan.echoes.component_kernels import VARIANCE
from osi_lidar.scan.echoes.maxima_kernels import FOUND, MOST_ECHOES
from osi_lidar.scan.echoes.media import NO_MEDIA, MediaBuilder
from osi_lidar.scan.echoes.origin_kernels import MOST_IN_AIR
from osi_lidar.scan.echoes.received import BeamHits, ReceivedEchoes
from osi_lidar.scan.echoes.second_look import BeamLook
from osi_lidar.scan.echoes.second_look_kernels import take_over
from osi_lidar.scan.echoes.settings import (
    LightOf,
    receiver_settings,
    waveform_in,
    waveform_settings,
)
from osi_lidar.scan.echoes.waveform_kernels import SubRayArrays
from osi_lidar.scan.from_config import footprint_of, signal_scale_of
from osi_lidar.scan.fused_kernels import SurfaceArrays
from osi_lidar.scan.media.glare_kernels import PER_LUX, GlareArrays
from raycore.trace.return_path import ReturnPath

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.echoes.media import Media
    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.media.ghosts.seen import Ghosts
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.pattern.scan_pattern import ScanPattern
    from raycore.records import Shots

_NO_GLARE = GlareArrays(
    0.0,
    NO_MEDIA.window,
    np.zeros((1, 3)),
    read_only(np.zeros((3, 1), np.float32)),
    np.zeros(1, np.uint32),
)

_ALIKE = np.ones(1)  # thresholds of lasers
_ALL_THERE = np.zeros(1, np.bool_)  # no beam is lost
_NO_OBJECTS = np.empty(0, np.uint64)


class EchoReceiver:
    """Finds the echoes in the light from the sub-rays of each beam, and detects them.

    Parameters
    ----------
    config : Sensor
        The sensor.
    seed : int
        Seed of the configuration.
    receiver : Receiver
        Range limits of the sensor.
    errors : MeasurementErrors
        Errors of the sensor besides the errors of its receiver; its dropouts are used.

    Attributes
    ----------
    settings : ReceiverSettings
        Settings of the receiver for kernels.
    """

    def __init__(
        self, config: Sensor, seed: int, receiver: Receiver, errors: MeasurementErrors
    ) -> None:
        configured, scale = config.receiver or Reception(), signal_scale_of(config)
        self.settings = receiver_settings(config, scale)
        self._errors = errors
        self._draws = lru_cache(maxsize=1)(partial(Draws.of, seed=seed, sensor=config.name))
        self._has_glare = configured.sun_glare
        self._follows_light = configured.ambient_lux is None
        self._configured_lux = scale.ambient_lux
        self._light_of = lru_cache(maxsize=1)(
            LightOf(scale, receiver.range_limit, _precision(config))
        )
        self._waveform = waveform_settings(config, footprint_of(config))
        self._media_builder = MediaBuilder(config, is_noisy=self.settings.is_noisy, seed=seed)
        self._buffers, self._return_path = Buffers(), ReturnPath(*configured.offset_m)
        self._every = lru_cache(maxsize=1)(partial(np.arange, dtype=np.uint32))
        lasers = partial(_lasers, configured.laser_spread, Draws.of(seed=seed, sensor=config.name))
        self._lasers = lru_cache(maxsize=1)(lasers)

    def media(self, exposure: Exposure) -> Media:
        """Return air and window between the sensor and its targets in one scan, without ghosts.

        The record also has the scale of signals, which depends on the ambient light. This light is
        the sensor's ``ambient_lux`` if configured, else the scan's, else `DATA_SHEET_LUX`.

        Parameters
        ----------
        exposure : Exposure
            The scan: weather, window, poses, and bodies of dust and spray are used.
        """
        lux = exposure.ambient_lux if self._follows_light else self._configured_lux
        light = self._light_of(DATA_SHEET_LUX if lux is None else lux)
        return self._media_builder.of(exposure, light)

    def first_look(
        self, exposure: Exposure, shots: Shots, paths: Paths, media: Media
    ) -> ReceivedEchoes:
        """Return the echoes that the receiver detects with the first sub-rays of all beams.

        Ranges have the errors of the receiver. Beams that are dropouts have no echoes.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots : Shots
            The sub-rays of all beams.
        paths : Paths
            The surfaces at which these sub-rays end.
        media : Media
            Air, window and ghosts of the scan.
        """
        beams = self._every(exposure.pattern.n_beams)
        look = BeamLook(beams=beams, footprint=None, shots=shots, paths=paths)
        first = self._beam_hits(exposure, look, media)
        lost = self._errors.drop_outs(exposure.pattern, exposure.end_ns)
        echo = self._buffers.empty(len(beams) * self.settings.n_most, codes.ECHO)
        start, seen = self._receive(exposure, first, lost, echo)
        return ReceivedEchoes(
            first=first, again=None, lost=lost, seen=seen, echo=echo, start_of_block=start
        )

    def with_ghosts(
        self,
        exposure: Exposure,
        shots: Shots,
        paths: Paths,
        echoes: ReceivedEchoes,
        ghosts: Ghosts,
    ) -> ReceivedEchoes:
        """Return the echoes of a scan after adding ghosts to some beams.

        Beams in which ``ghosts`` has a ghost are received again, from the same sub-rays.

        Parameters
        ----------
        exposure : Exposure
            The scan: world, beams and poses of the sensor.
        shots, paths : Shots, Paths
            The sub-rays of all beams, and the surfaces at which they end.
        echoes : ReceivedEchoes
            Result of `first_look`; its arrays of echoes are overwritten.
        ghosts : Ghosts
            The ghost of each beam; strength 0 for beams without one.
        """
        media = echoes.first.media.with_ghosts(ghosts)
        beams = np.flatnonzero(ghosts.strength).astype(np.uint32)
        look = BeamLook(
            beams=beams,
            footprint=None,
            shots=shots.of_beams(beams),
            paths=paths.of_beams(beams, shots.n_sub),
        )
        self._take_over(exposure, echoes, self._beam_hits(exposure, look, media))
        return replace(echoes, first=replace(echoes.first, media=media))

    def with_second_look(
        self, exposure: Exposure, echoes: ReceivedEchoes, look: BeamLook
    ) -> ReceivedEchoes:
        """Return the echoes of a scan after some beams were traced again, with other sub-rays.

        Parameters
        ----------
        exposure : Exposure
            The scan.
        echoes : ReceivedEchoes
            Echoes of all beams so far; its arrays of echoes are overwritten.
        look : BeamLook
            The new sub-rays of some beams, and the surfaces they meet. The echoes found with them
            replace the beams' first echoes.
        """
        again = self._beam_hits(exposure, look, echoes.first.media)
        self._take_over(exposure, echoes, again)
        return replace(echoes, again=again)

    def _take_over(self, exposure: Exposure, echoes: ReceivedEchoes, look: BeamHits) -> None:
        """Receive some beams again, and overwrite their earlier echoes."""
        lost, n_most = echoes.lost, self.settings.n_most
        echo = np.empty(len(look.beams) * n_most, codes.ECHO)
        of_beams = lost[look.beams] if len(lost) > 1 else lost
        start, _ = self._receive(exposure, look, of_beams, echo)
        rows = [echo[BLOCK * n_most * i :][:n] for i, n in enumerate(np.diff(start))]
        before = np.empty(BLOCK * n_most, codes.ECHO)
        take_over(
            look.beams, np.concatenate(rows), n_most, before, echoes.start_of_block, echoes.echo
        )

    def components(self, look: BeamHits, row: int) -> tuple[NDArray[np.float64], NDArray[np.void]]:
        """Return the Gaussians of one beam's waveform, and the maxima of their sum, without noise.

        A Gaussian, or component, is the light from surfaces near each other, or from the air.

        Parameters
        ----------
        look : BeamHits
            Hits of some beams.
        row : int
            Row of the beam in ``look``.

        Returns
        -------
        parts : float64 (8, n_component)
            A column for each component, in the order of range: the rows `PART_BACK` to `FALL` of
            `component_kernels`.
        found : structured (n_maximum,)
            The maxima in the order of range, of the type `maxima_kernels.FOUND`.
        """
        part = np.full((8, len(look.rays.weight) + MOST_IN_AIR), np.nan)
        found = np.zeros(MOST_ECHOES, FOUND)
        deaf = self.settings._replace(is_noisy=False, threshold=np.inf)  # no echo has an object
        kernels.find_and_receive(
            *(look.waveform, deaf, look.media.light.arrays, _NO_GLARE, look.media.arrays),
            *(look.surfaces, look.texture, _NO_OBJECTS, look.rays, look.paths.ghost),
            *(_ALL_THERE, _ALIKE, look.draws.stream, look.beams[row : row + 1]),
            *(kernels.Probe(row, part, found), 1, np.empty(1, np.uint8)),
            *(np.empty(1, np.int64), np.empty(2, np.int64), np.empty(deaf.n_most, codes.ECHO)),
        )
        return (
            part[:, : int(np.isfinite(part[VARIANCE]).sum())],
            found[found["snr"] > 0.0],
        )

    def _receive(
        self,
        exposure: Exposure,
        look: BeamHits,
        lost: NDArray[np.bool_],
        echo_out: NDArray[Any],
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Write the echoes of some beams; return where blocks start, and the bits of each beam."""
        count = np.zeros(-(-len(look.beams) // BLOCK), np.int64)
        start = np.empty(len(count) + 1, np.int64)
        seen = np.empty(len(look.beams), np.uint8)
        kernels.find_and_receive(
            look.waveform,
            self.settings,
            look.media.light.arrays,
            _glare(exposure) if self._has_glare else _NO_GLARE,
            look.media.arrays,
            look.surfaces,
            look.texture,
            exposure.surfaces.object_of_instance,
            look.rays,
            look.paths.ghost,
            lost,
            self._lasers(exposure.pattern),
            look.draws.stream,
            look.beams,
            kernels.NO_PROBE,
            workers(),
            seen,
            count,
            start,
            echo_out,
        )
        return start, seen

    def _beam_hits(self, exposure: Exposure, look: BeamLook, media: Media) -> BeamHits:
        """Return the hits of some beams, in the arrays that kernels take."""
        settings, shots, paths = self._waveform, look.shots, look.paths
        if look.footprint is not None:
            settings = settings._replace(
                cell_variance=look.footprint.cell_variance, point_scale=look.footprint.point_scale
            )
        draws = self._draws(time_ns=exposure.end_ns)
        scene = exposure.scene, exposure.poses
        hits = self._return_path.received(*scene, shots, paths.hits, paths.straight())
        paths = replace(paths, hits=hits)
        return BeamHits(
            beams=look.beams,
            paths=paths,
            rays=SubRayArrays(*shots.ray_arrays, shots.weight, *paths.hits.arrays, paths.share),
            surfaces=SurfaceArrays.of(exposure.surfaces, exposure.table),
            texture=exposure.texture.arrays_for(shots),
            waveform=waveform_in(settings, media.light, media.root),
            media=media,
            draws=draws,
        )


def _precision(config: Sensor) -> tuple[tuple[float, float], ...] | None:
    """Return the table of the receiver's precision, adapted to the drawn unit."""
    rows, factor = (config.receiver or Reception()).precision, config.drawn_unit.noise_factor
    return rows and tuple((ratio, factor * sigma_m) for ratio, sigma_m in rows)


def _lasers(spread: float, draws: Draws, pattern: ScanPattern) -> NDArray[np.float64]:
    """Return each laser's threshold relative to the sensor's, by beam, float64 (n_beam | 1,)."""
    if spread == 0.0:
        return _ALIKE
    rings = np.arange(int(pattern.ring.max()) + 1, dtype=np.uint32)
    of_ring = np.exp(spread * draws.normal(LASER_THRESHOLD, rings))
    return np.asarray(of_ring[pattern.ring], np.float64)


def _glare(exposure: Exposure) -> GlareArrays:
    """Return the sun as the beams see it; a sun below the horizon makes no glare."""
    sun, window = exposure.sun_in_sensor_frame(), exposure.window
    if sun is None:
        return _NO_GLARE
    return GlareArrays(
        PER_LUX * sun.lux,  # the gains of lasers do not change the sun's light
        NO_MEDIA.window if window is None else window.passed(exposure.pattern.direction),
        sun.to_sun,
        read_only(exposure.axis),
        exposure.shots.moment,
    )

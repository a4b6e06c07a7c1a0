# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Air and window between a physical sensor and its targets in one scan."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.config.beam import Pulse
from osi_lidar.scan.echoes.media_kernels import MediaArrays
from osi_lidar.scan.echoes.origin_kernels import DUST, SPRAY
from osi_lidar.scan.from_config import footprint_of
from osi_lidar.scan.media.air import BeamOptics, SensorAir
from osi_lidar.scan.media.chords.passed_kernels import PassedArrays
from osi_lidar.scan.media.chords.search import BeamDirections, SensorMotion
from osi_lidar.scan.media.drop_kernels import DropArrays
from osi_lidar.scan.media.fog_kernels import FogArrays
from osi_lidar.scan.media.ghosts.seen import Ghosts, Sensitivity
from osi_lidar.scan.media.patches.field import NO_PATCHES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.config import Sensor
    from osi_lidar.scan.echoes.settings import Light
    from osi_lidar.scan.records import Exposure
    from raycore.pattern.scan_pattern import ScanPattern

_NO_GHOST, _CLEAR_WINDOW = Ghosts.none(0), np.ones(1, np.float32)
_NO_ROWS, _NO_PAIRS = np.empty(0, np.int64), np.empty(0, np.float32)
NO_MEDIA = MediaArrays(
    is_there=False,
    extinction=0.0,
    window=_CLEAR_WINDOW,
    fog=FogArrays(0.0, 1.0, np.empty((2, 0))),
    ghost_m=_NO_GHOST.range_m,
    ghost=_NO_GHOST.strength,
    ghost_object=_NO_GHOST.object_id,
    drops=DropArrays(
        np.zeros(2), 1.0, np.zeros((2, 2)), np.zeros((2, 2)), 1.0, 0.0, 1.0, np.zeros((2, 2))
    ),
    bodies=PassedArrays(
        _NO_ROWS, _NO_ROWS, np.empty(0), np.empty(0), _NO_PAIRS, _NO_PAIRS, _NO_PAIRS,
        np.empty(0, np.uint32),
        _NO_PAIRS, _NO_PAIRS, np.empty(0, np.uint8),
    ),
    patches=NO_PATCHES,
    least_snr=0.0,
    rising_m=0.0,
)  # fmt: skip
"""Arrays for clear air, a clear window, laser gains of 1, and no ghosts."""
_ORIGIN = np.array([SPRAY, DUST], np.uint8)  # by BodyKind


def beam_optics(config: Sensor, *, is_noisy: bool) -> BeamOptics:
    """Return pulse, beam widths, wavelength and largest laser gain of a sensor, to compute its air.

    The gain is 1 if all gains of lasers are smaller.

    Parameters
    ----------
    config : Sensor
        An entry of the configuration's ``sensors``.
    is_noisy : bool
        Whether noise decides what is detected, and not the range limit.
    """
    optics = BeamOptics(
        (config.pulse or Pulse()).sigma_m,
        config.min_range_m,
        config.wavelength_nm,
        is_noisy=is_noisy,
        most_gain=max((1.0, *config.laser_gains)),
    )
    footprint = footprint_of(config)
    if footprint is None:
        return optics
    return optics._replace(sigma_rad=footprint.sigma_rad, window_sigma_m=footprint.window_sigma_m)


class Media(NamedTuple):
    """Air, window and ghosts between a sensor and its targets in one scan.

    Attributes
    ----------
    light : Light
        The scale of signals, in clear air.
    root : float64 (n,)
        q(r) in the air of the scan, in range steps of ``light.clear[0]``: a target of reflectivity
        R that fills the beam has the signal-to-noise ratio R / q^2. [1]
    arrays : MediaArrays
        The contents of the air and the state of the window, for kernels.
    ghosts : Ghosts or None
        The ghosts that ``arrays`` includes.
    """

    light: Light
    root: NDArray[np.float64]
    arrays: MediaArrays
    ghosts: Ghosts | None = None

    @property
    def notices(self) -> Sensitivity:
        """The weakest ghosts that the receiver may notice through this air, at any range."""
        return Sensitivity(self.light.clear[0], self.root, self.arrays.least_snr)

    def with_ghosts(self, seen: Ghosts | None) -> Media:
        """Return the media with further ghosts; if a beam then has two, the stronger one stays.

        ``seen`` has a further ghost for each beam, with strength 0 for beams without one. If it is
        None, there are no further ghosts, and the media are returned as they are.
        """
        if seen is None:
            return self
        ghosts = seen if self.ghosts is None else seen.or_stronger(self.ghosts)
        range_m, strength, object_id = ghosts
        arrays = self.arrays._replace(
            is_there=True, ghost_m=range_m, ghost=strength, ghost_object=object_id
        )
        return self._replace(arrays=arrays, ghosts=ghosts)


class MediaBuilder:
    """Makes the `Media` between a sensor and its targets for each scan.

    Parameters
    ----------
    config : Sensor
        The sensor.
    is_noisy : bool
        Whether noise decides what is detected.
    seed : int
        Seed of the configuration, for patches of fog.
    """

    def __init__(self, config: Sensor, *, is_noisy: bool, seed: int) -> None:
        self._sensor_air = SensorAir(beam_optics(config, is_noisy=is_noisy), seed)
        self._passed = _BodiesPassed(config.wavelength_nm)
        self._gains = lru_cache(maxsize=1)(
            partial(_gains, np.array(config.laser_gains, np.float32))
        )

    def of(self, exposure: Exposure, light: Light) -> Media:
        """Return air and window of a scan, without ghosts.

        Parameters
        ----------
        exposure : Exposure
            The scan: weather, window, beams, poses, end, and bodies of dust and spray are used.
        light : Light
            The scale of signals in the ambient light of the scan.
        """
        air = self._sensor_air.of(exposure.weather, light.scale, light.clear)
        media = NO_MEDIA._replace(
            is_there=air.extinction > 0.0,
            extinction=air.extinction,
            least_snr=self._sensor_air.least_snr(light.scale),
        )
        if air.fog is not None:
            media = media._replace(fog=FogArrays(*air.fog[:3]))
        passed = self._window(exposure)
        if passed is not None:
            media = media._replace(
                is_there=media.is_there or bool((passed != 1.0).any()), window=passed
            )
        if air.drops is not None:
            media = media._replace(drops=air.drops)
        if air.patches is not None:
            wind_m_s, motion = exposure.weather.wind_m_s, (exposure.poses, exposure.shots.moment)
            media = media._replace(
                patches=air.patches.seen_from(*motion, wind_m_s, exposure.end_ns)
            )
        if len(exposure.bodies):
            rising_m = light.clear[0] * _last_fall(air.root)
            media = media._replace(
                is_there=True, bodies=self._passed.of(exposure), rising_m=rising_m
            )
        return Media(light, air.root, media)

    def _window(self, exposure: Exposure) -> NDArray[np.float32] | None:
        """Return the window's transmission times the laser's gain, by beam; None: 1 for all."""
        gains = self._gains(exposure.pattern)
        if exposure.window is None:
            return gains
        passed = exposure.window.passed(exposure.pattern.direction)
        return passed if gains is None else passed * gains


def _gains(of_ring: NDArray[np.float32], pattern: ScanPattern) -> NDArray[np.float32] | None:
    """Return the gain of each beam's laser, float32 (n_beam,); None: 1 for all."""
    return of_ring[pattern.ring] if of_ring.size else None


def _last_fall(root: NDArray[np.float64]) -> int:
    """Return the row from which on the root of the signal's scale never falls again."""
    falls = np.flatnonzero(np.diff(root) < 0.0)
    return int(falls[-1]) + 1 if falls.size else 0


class _BodiesPassed:
    """Finds the chords of a sensor's beams through bodies of dust and spray."""

    def __init__(self, wavelength_nm: float) -> None:
        self._wavelength_nm = wavelength_nm
        self._directions: BeamDirections | None = None

    def of(self, exposure: Exposure) -> PassedArrays:
        """Return the chords of the beams, without their errors of direction."""
        shots, bodies = exposure.shots, exposure.bodies
        if self._directions is None or self._directions.axis is not shots.direction:
            self._directions = BeamDirections(shots.direction)
        backscatter = bodies.backscatter(self._wavelength_nm).astype(np.float32)
        chords = self._directions.chords(
            bodies,
            SensorMotion(exposure.poses, shots.moment),
            origin_m=shots.origin_m,
            max_range_m=shots.max_range_m,
            backscatter=backscatter,
        )
        return PassedArrays(
            chords.first_of_beam,
            chords.end_of_beam,
            chords.depth,
            chords.back,
            chords.end_m,
            chords.near_m,
            chords.far_m,
            chords.body,
            bodies.extinction_per_m.astype(np.float32),
            backscatter,
            _ORIGIN[bodies.kind],
        )

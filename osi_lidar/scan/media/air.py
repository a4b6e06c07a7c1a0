# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The air that a sensor sees through: its extinction, its own echo, and the drops in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.compiled import read_only
from lidar_scenery.weather.drops import flake_backscatter, rain, rain_backscatter, snow
from lidar_scenery.weather.fog import extinction_per_m, lidar_ratio_sr
from osi_lidar.scan.media.drop_tables import DropOptics, Falling, drop_arrays
from osi_lidar.scan.media.patches.field import PatchyFog, PatchyFogMaker, echo_ranges
from osi_lidar.scan.media.soft_echo import SoftEcho, soft_echo

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.drops import FallingDrops
    from lidar_scenery.weather.state import DropSizes, FogPatches, Weather
    from material_mapping.detection_range.signal_scale import SignalScale
    from osi_lidar.scan.media.drop_kernels import DropArrays

_BELOW = 2.5
"""Drops are drawn down to this far below the threshold, in rms of the noise: noise may lift them
above it. Fainter drops would give 0.3 to 4 % of the echoes in rain and snow of 1 to 10 mm/h. [1]"""
_NEVER_SEEN = 1e-6
"""Probability of detection below which the echo of the air itself is left out."""
_THICKEST = 60.0
"""Optical depth from which on nothing comes back, which keeps numbers finite. [1]"""


class Air(NamedTuple):
    """The air of a scan.

    Attributes
    ----------
    root : float64 (n,)
        q(r) through the air: a target of reflectivity R that fills the beam has the SNR R / q^2.
    extinction : float
        Extinction of the air. [1/m]
    fog : SoftEcho or None
        The echo of the air itself; None if the sensor never sees it.
    drops : DropArrays or None
        Drops and flakes, which differ from scan to scan; None if nothing falls.
    patches : PatchyFog or None
        Where the fog is denser or thinner; None if it is even.
    """

    root: NDArray[np.float64]
    extinction: float = 0.0
    fog: SoftEcho | None = None
    drops: DropArrays | None = None
    patches: PatchyFog | None = None


class BeamOptics(NamedTuple):
    """The properties of a sensor that decide how its beams see the air.

    Attributes
    ----------
    sigma_m : float
        Rms width of the pulse in range. [m]
    min_range_m : float
        Range from which on the receiver listens. [m]
    wavelength_nm : float
        Wavelength of the light. [nm]
    sigma_rad, window_sigma_m : (float, float)
        Standard deviations of the beam over angle [rad] and at the window [m]; 0, a line, sees no
        drops.
    is_noisy : bool
        Whether noise decides what is detected.
    most_gain : float
        Largest gain of a laser, at least 1. [1]
    """

    sigma_m: float
    min_range_m: float
    wavelength_nm: float
    sigma_rad: tuple[float, float] = (0.0, 0.0)
    window_sigma_m: tuple[float, float] = (0.0, 0.0)
    is_noisy: bool = True
    most_gain: float = 1.0


class _InAir(NamedTuple):
    """The part of the weather that fills the air everywhere: drops, flakes and fog."""

    rain_mm_h: float
    snow_mm_h: float
    drop_sizes: DropSizes
    snow_density: float
    visibility_m: float
    fog_patches: FogPatches

    @classmethod
    def of(cls, weather: Weather) -> _InAir:
        """Return this part of a weather, without its wind, light and roads."""
        return cls(*(getattr(weather, name) for name in cls._fields))


class SensorAir:
    """Makes the `Air` of each scan for one sensor; tables are kept until weather or light change.

    Parameters
    ----------
    optics : BeamOptics
        The sensor.
    seed : int
        Seed of the configuration, for patches of fog.
    """

    def __init__(self, optics: BeamOptics, seed: int = 0) -> None:
        self._optics, self._fog_maker = optics, PatchyFogMaker(seed)
        self._known: tuple[_InAir, SignalScale, Air] | None = None

    def of(
        self, weather: Weather, scale: SignalScale, clear: tuple[float, NDArray[np.float64]]
    ) -> Air:
        """Return the air of a scan.

        Parameters
        ----------
        weather : Weather
            The current weather.
        scale : SignalScale
            Scale of the sensor's signal in the current light.
        clear : tuple of (float, float64 (n,))
            Range step of a table [m], and its rows, q(r) in clear air: the signal of a target of
            reflectivity R that fills the beam is R / q^2, in multiples of the rms noise.
        """
        known, held = self._known, _InAir.of(weather)
        if known is None or known[0] != held or known[1] is not scale:
            air = Air(clear[1])
            if not weather.is_clear:
                air = self._hazy(weather, scale, *clear)
            self._known = known = held, scale, air
        return known[2]

    def _hazy(
        self, weather: Weather, scale: SignalScale, step_m: float, root: NDArray[np.float64]
    ) -> Air:
        optics = self._optics
        fog = extinction_per_m(weather.visibility_m, wavelength_nm=optics.wavelength_nm)
        falling_rain = rain(weather.rain_mm_h, weather.drop_sizes)
        falling_snow = snow(
            weather.snow_mm_h, weather.drop_sizes, relative_density=weather.snow_density
        )
        extinction = fog
        for falling in (falling_rain, falling_snow):
            extinction += 0.0 if falling is None else falling.extinction_per_m()
        depth = extinction * step_m * np.arange(len(root))
        through = read_only(root * np.exp(np.minimum(depth, _THICKEST)))
        patches = self._fog_maker.of(weather.fog_patches, fog)
        densest = 1.0 if patches is None else float(patches.relative.max())
        backscatter = fog / lidar_ratio_sr(optics.wavelength_nm)
        echo = self._soft_echo(backscatter, scale, (step_m, through), densest)
        if echo is not None and patches is not None:
            patches = self._with_echo(patches, echo, scale)
        drops = None
        if falling_rain is not None or falling_snow is not None:
            drops = drop_arrays(
                DropOptics(
                    step_m=step_m,
                    root=through,
                    least_snr=self.least_snr(scale),
                    min_range_m=optics.min_range_m,
                    sigma_rad=optics.sigma_rad,
                    window_sigma_m=optics.window_sigma_m,
                ),
                _falling(falling_rain, rain_backscatter(optics.wavelength_nm)),
                _falling(falling_snow, flake_backscatter(optics.wavelength_nm)),
            )
        return Air(through, extinction, echo, drops, patches)

    def least_snr(self, scale: SignalScale) -> float:
        """Return the SNR below which drops, bodies and ghosts are too faint to count.

        ``scale`` is the scale of the sensor's signal in the current light. With noise, the limit
        lies below the detection threshold, because noise may lift a faint echo above it.
        """
        noisy = self._optics.is_noisy
        least = scale.threshold - _BELOW if noisy else scale.snr_at_limit
        return max(least, 0.1 * scale.threshold) / self._optics.most_gain

    def _with_echo(self, patches: PatchyFog, echo: SoftEcho, scale: SignalScale) -> PatchyFog:
        """Return patches with the echo of the fog, up to the farthest range that a sensor sees.

        That is the range at which it still sees the densest patch, if all fog before that patch has
        half of the mean extinction; few beams have so little fog on their way.
        """
        thin = np.exp(np.minimum(patches.extinction * echo.range_m, _THICKEST))
        highest = float(patches.relative.max()) * thin * echo.signal
        seen = echo.range_m[highest >= self.least_snr(scale)]
        if not seen.size:
            return patches
        top_m = float(echo.rows[1, -1])
        ranges_m = echo_ranges(echo.begin_m, top_m, float(seen[-1]), patches.size_m)
        rows = np.interp(ranges_m, echo.range_m, echo.signal)
        return patches._replace(echo_m=ranges_m, echo=rows)

    def _soft_echo(
        self,
        backscatter: float,
        scale: SignalScale,
        seen: tuple[float, NDArray[np.float64]],
        densest: float,
    ) -> SoftEcho | None:
        """Return the echo of what fills the air evenly; None if it is never seen in the noise.

        ``backscatter`` is its coefficient [1/(m sr)], and ``seen`` the kernel table in this air:
        step and q(r). ``densest`` is the extinction of the densest patch, divided by the mean.
        """
        if not backscatter > 0.0:
            return None
        (step_m, through), optics = seen, self._optics
        echo = soft_echo(
            step_m=step_m,
            root=through,
            sigma_m=optics.sigma_m,
            backscatter=backscatter,
            begin_m=optics.min_range_m,
        )
        detected = float(scale.detection_probability(densest * echo.rows[0, -1]))
        return None if optics.is_noisy and detected <= _NEVER_SEEN else echo


def _falling(drops: FallingDrops | None, backscatter: float) -> Falling | None:
    return None if drops is None else Falling(drops, backscatter)

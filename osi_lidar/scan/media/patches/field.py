# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Patches of fog: the density of fog at each place of the world, relative to its mean.

The logarithm of the extinction has a Gaussian random field g, with the standard deviation s, the
contrast, and the correlation length l, the size of patches::

    alpha(x) = alpha exp(g(x) - s^2 / 2)    mean of g(x) g(x + d): s^2 exp(-|d|^2 / (2 l^2))

so that alpha is the mean over the world. The field is white noise on a grid of cells of l / 4, of
which the Fourier transform is multiplied by the root of the spectrum, exp(-|k|^2 l^2 / 4), and
which is then transformed to its distribution, as in [1]_. It repeats after 32 l along x and y and
after 8 l along z, and drifts with the wind w: at the time t it is g(x - w t).

References
----------
.. [1] H. T. Yura, S. G. Hanson, Digital simulation of an arbitrary stationary stochastic process by
   spectral representation, Journal of the Optical Society of America A 28(4), 675-685, 2011,
   doi:10.1364/JOSAA.28.000675
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_base.compiled import read_only
from lidar_base.random.draws import Draws
from lidar_base.random.random_kernels import FOG_PATCHES
from osi_lidar.scan.media.patches.sight_kernels import MOST_STEPS, PatchArrays

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_scenery.weather.state import FogPatches

SHAPE = (128, 128, 32)
"""Number of cells of the fog's periodic grid along x, y and z; powers of 2.

A cell is a quarter of the size of a patch, so a whole number of patches fits into the grid."""
CELLS_PER_SIZE = 4
_STEPS_PER_SIZE, _ECHO_STEPS_PER_SIZE = 3, 6
_GROWTH = 1.5  # factor from step to step, beyond the maximum for even fog


class PatchyFog(NamedTuple):
    """Fog of changing density, and its echo for one sensor at any place.

    Attributes
    ----------
    relative : float32 (n, n, n_up)
        Extinction divided by its mean, in the cells of a grid that repeats. [1]
    size_m : float
        Correlation length. [m]
    extinction : float
        Mean extinction. [1/m]
    echo_m, echo : float64 (n,)
        Ranges at which the fog's echo is looked for, ascending [m], and the signal of even fog
        there [rms of the noise].
    """

    relative: NDArray[np.float32]
    size_m: float
    extinction: float
    echo_m: NDArray[np.float64] = np.empty(0)
    echo: NDArray[np.float64] = np.empty(0)

    def seen_from(
        self,
        poses: NDArray[np.float64],
        moment: NDArray[np.uint32],
        wind_m_s: tuple[float, float],
        time_ns: int,
    ) -> PatchArrays:
        """Return the fog as the beams of a scan see it.

        Parameters
        ----------
        poses : float64 (n_pose, 4, 4)
            world_from_sensor. [m]
        moment : uint32 (n_beam,) or (1,)
            Row of the pose from which each beam is fired; a single row for all beams.
        wind_m_s : (float, float)
            Velocity of the air along x and y of the world. [m/s]
        time_ns : int
            Time of the scan; the fog does not move during the scan. [ns]
        """
        per_m = CELLS_PER_SIZE / self.size_m
        cells_from_sensor = poses[:, :3] * per_m
        drift = np.array([*wind_m_s, 0.0]) * (1e-9 * time_ns * per_m)
        cells_from_sensor[:, :, 3] = (cells_from_sensor[:, :, 3] - drift) % SHAPE
        return PatchArrays(
            extinction=self.extinction,
            relative=read_only(self.relative),
            cells_from_sensor=read_only(np.ascontiguousarray(cells_from_sensor)),
            moment=read_only(np.ascontiguousarray(moment)),
            step_m=self.size_m / _STEPS_PER_SIZE,
            echo_m=read_only(self.echo_m),
            echo=read_only(self.echo),
        )


NO_PATCHES = PatchyFog(np.ones((1, 1, 1), np.float32), 1.0, 0.0).seen_from(
    np.eye(4)[None], np.zeros(1, np.uint32), (0.0, 0.0), 0
)
"""`PatchArrays` of a scan whose fog is even, or that has no fog: the extinction in it is 0."""


def relative_extinction(contrast: float, seed: int) -> NDArray[np.float32]:
    """Return the extinction of each cell of the grid, divided by its mean.

    Parameters
    ----------
    contrast : float
        s, the standard deviation of the extinction's logarithm. [1]
    seed : int
        Seed of the configuration: all sensors see the same fog.

    Returns
    -------
    float32 `SHAPE`
        The mean is 1; the logarithm has exactly the standard deviation ``contrast``. [1]
    """
    index = np.arange(math.prod(SHAPE), dtype=np.uint32)
    white = Draws.of(seed=seed, sensor="fog").normal(FOG_PATCHES, index).reshape(SHAPE)
    waves = [np.fft.fftfreq(n, 1.0 / CELLS_PER_SIZE) for n in SHAPE[:2]]
    waves.append(np.fft.rfftfreq(SHAPE[2], 1.0 / CELLS_PER_SIZE))
    x, y, z = (np.exp(-np.square(2.0 * np.pi * each) / 4.0) for each in waves)
    amplitude = x[:, None, None] * y[:, None] * z
    amplitude[0, 0, 0] = 0.0
    field = np.fft.irfftn(np.fft.rfftn(white) * amplitude, SHAPE, axes=(0, 1, 2))
    relative = np.exp(contrast / field.std() * field)
    return np.asarray(relative / relative.mean(), np.float32)


class PatchyFogMaker:
    """Makes patchy fog; its random field is kept until the contrast changes.

    Parameters
    ----------
    seed : int
        Seed of the configuration.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._known: tuple[float, NDArray[np.float32]] | None = None

    def of(self, patches: FogPatches, extinction: float) -> PatchyFog | None:
        """Return patchy fog of a mean extinction [1/m], without an echo yet; None if fog is even.

        ``patches`` states the contrast and the size of patches. Fog is even if the contrast is 0,
        or if there is no fog.
        """
        if patches.contrast == 0.0 or extinction == 0.0:
            return None
        if self._known is None or self._known[0] != patches.contrast:
            contrast = patches.contrast
            self._known = contrast, relative_extinction(contrast, self._seed)
        return PatchyFog(self._known[1], patches.size_m, extinction)


def echo_ranges(begin_m: float, top_m: float, end_m: float, size_m: float) -> NDArray[np.float64]:
    """Return the ranges at which the echo of fog in patches is looked for.

    Parameters
    ----------
    begin_m : float
        Range from which on fog is seen. [m]
    top_m : float
        Range at which even fog is brightest; it is among the returned ranges. [m]
    end_m : float
        Last range; beyond it no patch is seen. [m]
    size_m : float
        Size of patches. [m]

    Returns
    -------
    float64 (n,)
        Ascending. Steps grow from an eighth of the way from ``begin_m`` to ``top_m``, up to a sixth
        of ``size_m``, or more if about `MOST_STEPS` ranges would not reach ``end_m``. [m]
    """
    step_m = max((top_m - begin_m) / 8.0, 1e-3)
    ranges_m = [top_m - 3.0 * step_m, top_m - step_m, top_m]
    longest_m = max(size_m / _ECHO_STEPS_PER_SIZE, (end_m - top_m) / (MOST_STEPS - 14))
    while ranges_m[-1] < end_m:
        ranges_m.append(ranges_m[-1] + step_m)
        step_m = min(step_m * _GROWTH, max(longest_m, step_m))
    return np.array(ranges_m)

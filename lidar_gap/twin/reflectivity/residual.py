# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Deviations of single beams from the albedo of their place, as a random texture for scans.

Views of a place differ, because of its fine shape, of details smaller than a place, and of errors
of the map. For a sensor at rest, these deviations are constant, and neighbouring beams share them.
Their covariance is measured on bright returns, over the distance of two beams of the same frame and
ring. It is described by a sum of Gaussians with three fixed correlation lengths (`Texture`).
Deviations that no two beams share have the shortest length. The error of a place's albedo has the
middle length.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from lidar_gap.twin.reflectivity.all_beams import BRIGHT
from material_mapping.texture import MOST_SPREAD, Texture

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.twin.reflectivity.all_beams import SentBeams
    from lidar_gap.twin.reflectivity.censored import PlaceAlbedos

_LENGTHS = (1 / 3, 2.0, 10.0)  # correlation lengths, in widths of a place
# distances of the compared beams of a ring, in beams
_LAGS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120)
_FEWEST_PAIRS = 1000  # fewest pairs of beams for the covariance at a distance
_LEAST_VARIANCE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Residual:
    """Spatial correlation of the deviations of single beams from the albedo of their place.

    Attributes
    ----------
    shares : tuple of float
        Share of the variance for each of three correlation lengths.
    lengths_m : tuple of float
        The three correlation lengths, ascending. [m]
    """

    shares: tuple[float, ...]
    lengths_m: tuple[float, ...]


def residual(
    beams: SentBeams,
    log_expected: NDArray[np.float64],
    points_m: NDArray[np.float64],
    wide_m: float,
) -> Residual:
    """Measure the spatial correlation of deviations from the expected signal, on bright beams.

    Parameters
    ----------
    beams : SentBeams
        Beams and their returns, ordered by frame, then by ring.
    log_expected : float64 (n_beam,)
        Logarithm of the expected signal of each beam.
    points_m : float64 (n_point, 3)
        Points of the map. [m]
    wide_m : float
        Width of a place (a voxel with one albedo). [m]
    """
    bright = (beams.counted > 0.0) & (log_expected > np.log(BRIGHT))
    off = np.log(beams.counted[bright]) - log_expected[bright]
    at_m, line = points_m[beams.point[bright]], np.stack([beams.frame, beams.ring])[:, bright]
    edges_m = wide_m * np.geomspace(0.1, 2.0 * _LENGTHS[-1], 13)
    total, count = np.zeros(len(edges_m) + 1), np.zeros(len(edges_m) + 1)
    for lag in _LAGS:
        beside = (line[:, lag:] == line[:, :-lag]).all(axis=0)
        apart_m = np.linalg.norm((at_m[lag:] - at_m[:-lag])[beside], axis=1)
        of_bin = np.digitize(apart_m, edges_m)
        total += np.bincount(of_bin, (off[lag:] * off[:-lag])[beside], len(total))
        count += np.bincount(of_bin, minlength=len(total))
    told = np.flatnonzero(count[1:-1] > _FEWEST_PAIRS) + 1
    shares = (1.0, 0.0, 0.0)
    lengths_m = wide_m * np.array(_LENGTHS)
    if told.size:
        apart_m = np.sqrt(edges_m[told] * edges_m[told - 1])
        found = nnls(np.exp(-((apart_m[:, None] / lengths_m) ** 2)), total[told] / count[told])[0]
        variance = float(np.mean(off**2 - np.exp(-log_expected[bright])))
        longer = found[1:] / max(variance, float(found.sum()), _LEAST_VARIANCE)
        shares = (float(1.0 - longer.sum()), *longer.tolist())
    return Residual(shares=shares, lengths_m=tuple(lengths_m.tolist()))


def class_textures(
    places: PlaceAlbedos, residual: Residual, albedos: NDArray[np.float64]
) -> tuple[Texture, ...]:
    """Return one texture (random variation of the reflectivity) for each class of albedos.

    The variance of a texture is the variance of single beams about the albedo of their place, plus
    the variance of the albedos of the places in the class, from their standard errors. The standard
    deviation is at most `MOST_SPREAD`.

    Parameters
    ----------
    places : PlaceAlbedos
        Albedos of places, with uncertainties.
    residual : Residual
        Spatial correlation of the deviations of single beams.
    albedos : float64 (n_class,)
        Albedo of each class, ascending. [unit of the signal x m^2]
    """
    of_place = np.searchsorted(np.sqrt(albedos[1:] * albedos[:-1]), places.albedo)
    beams = np.bincount(of_place, places.n_beams, len(albedos))
    unsure = np.bincount(of_place, places.n_beams * places.log_sigma**2, len(albedos))
    of_views = places.scatter**2 * np.array(residual.shares)
    own = unsure / np.maximum(beams, 1.0)
    return tuple(
        _texture(of_views + np.array([0.0, each, 0.0]), residual.lengths_m) for each in own.tolist()
    )


def _texture(variance: NDArray[np.float64], lengths_m: tuple[float, ...]) -> Texture:
    """Return a texture with the given variance of ln g for each correlation length."""
    shares = np.round(variance / variance.sum(), 3)
    shares[0] += 1.0 - shares.sum()
    scales = zip(np.round(shares, 3).tolist(), lengths_m, strict=True)
    return Texture(
        spread=min(round(math.sqrt(variance.sum()), 3), MOST_SPREAD),
        scales=tuple((share, round(length_m, 4)) for share, length_m in scales if share > 0.0),
        source="covariance of what single beams of a frame said beyond the places' albedos",
    )

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Texture of a material: how its reflectivity varies over a surface, fixed to it.

A texture multiplies the reflectivity by g = exp(s n - s^2 / 2), of mean 1, or by exp(s n), of
median 1. The field n has mean 0, variance 1 and a normal distribution at every place, and falls off
in correlation as a sum of Gaussians of the distance d:

    corr(d) = sum_k share_k exp(-(d / length_k)^2)          ln g: variance s^2, variogram

    gamma(d) = s^2 (1 - corr(d))
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from material_mapping.errors import MaterialError
from material_mapping.texture_kernels import CELLS_PER_LENGTH, MOST_SCALES, texture_gains

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from material_mapping.texture_section import TextureSection

MOST_SPREAD = 2.0
"""Largest standard deviation of the logarithm: g then often varies by a factor of 7 up or down."""
LENGTHS_M = 0.001, 1000.0
"""Shortest and longest correlation length. [m]"""
_NEAR_ONE = 1e-6
_SCALES = "texture.correlation_m"  # key of shares and lengths in YAML files


@dataclass(frozen=True, slots=True, kw_only=True)
class Texture:
    """Variation of the reflectivity over a surface: a random factor g at each place.

    Attributes
    ----------
    spread : float
        Standard deviation of the logarithm of g. [1]
    scales : tuple of (share, length_m)
        For each scale its share of the variance (the shares add up to 1), and the distance at
        which its correlation has fallen to 1/e. [1], [m]
    source : str
        Origin of the values.
    keeps : {"mean", "median"}
        Whether the mean or the median of g is 1.

    Raises
    ------
    MaterialError
        If a value is out of bounds, or there are no scales or more than three.
    """

    spread: float
    scales: tuple[tuple[float, float], ...]
    source: str = "not stated"
    keeps: Literal["mean", "median"] = "mean"

    @classmethod
    def of(cls, section: TextureSection) -> Texture:
        """Return the texture that the section `section` of a YAML file describes.

        Raises
        ------
        MaterialError
            If a value is out of bounds.
        """
        return cls(
            spread=section.spread,
            scales=section.correlation_m,
            source=section.source,
            keeps=section.keeps,
        )

    def __post_init__(self) -> None:
        if not 0.0 <= self.spread <= MOST_SPREAD:
            raise MaterialError(
                f"texture.spread: got {self.spread:g}, expected 0 to {MOST_SPREAD:g}"
            )
        if not 1 <= len(self.scales) <= MOST_SCALES:
            raise MaterialError(
                f"{_SCALES}: got {len(self.scales)} lengths, expected 1 to {MOST_SCALES}"
            )
        low, high = LENGTHS_M
        for share, length_m in self.scales:
            if not low <= length_m <= high:
                raise MaterialError(
                    f"{_SCALES}: got a length of {length_m:g} m, expected {low:g} to {high:g}"
                )
            if not 0.0 < share <= 1.0:
                raise MaterialError(
                    f"{_SCALES}: got a share of {share:g}, expected above 0, at most 1"
                )
        total = math.fsum(share for share, _ in self.scales)
        if abs(total - 1.0) > _NEAR_ONE:
            raise MaterialError(f"{_SCALES}: shares sum to {total:.9g}, expected 1")

    def correlation(self, distance_m: ArrayLike) -> NDArray[np.float64]:
        """Return the correlation of ln g between two places of a surface, by their distance [1].

        `distance_m` has distances [m]; the result has their shape.
        """
        distance = np.asarray(distance_m, np.float64)
        parts = [share * np.exp(-((distance / length) ** 2)) for share, length in self.scales]
        return np.asarray(np.sum(parts, axis=0))

    def gains(self, place_m: NDArray[np.float64], key: int = 0) -> NDArray[np.float64]:
        """Return the factor g at places of a surface, float64 (n,); 1 if the spread is 0.

        Parameters
        ----------
        place_m : float64 (n, 3)
            Places in the frame of the object, or of the world for surfaces without one. [m]
        key : int
            Key of the random field, 0 to 2**64 - 1; another key gives another pattern.
        """
        found = np.ones(len(place_m))
        if self.spread > 0.0:
            texture_gains(texture_rows([self]), 0, np.uint64(key), place_m, found)
        return found

    @property
    def words(self) -> str:
        """Spread and correlation lengths as text."""
        lengths = [f"{length:g} m" for _, length in self.scales]
        if len(self.scales) > 1:
            shares = (f"{100 * share:g} %" for share, _ in self.scales)
            lengths = [" at ".join(pair) for pair in zip(shares, lengths, strict=True)]
        kept = "" if self.keeps == "mean" else ", keeps the median"
        return f"spread {self.spread:g}, correlation length {', '.join(lengths)}{kept}"


def texture_rows(textures: Sequence[Texture | None]) -> NDArray[np.float64]:
    """Return a row of numbers for each texture, for kernels, float64 (n, 2 + 2 MOST_SCALES).

    `textures` are n textures; None, for a material without texture, becomes a row of zeros. If no
    texture has a spread above 0, the result has no rows.

    The columns are: spread; for each scale, the square root of its share and the lattice cells per
    metre; last, the number subtracted from the logarithm of g (0 if g keeps its median).
    """
    rows = np.zeros((len(textures), 2 + 2 * MOST_SCALES))
    for row, texture in zip(rows, textures, strict=True):
        if texture is None:
            continue
        row[0] = texture.spread
        row[-1] = 0.5 * texture.spread * texture.spread if texture.keeps == "mean" else 0.0
        for number, (share, length_m) in enumerate(texture.scales):
            row[1 + 2 * number] = math.sqrt(share)
            row[2 + 2 * number] = CELLS_PER_LENGTH / length_m
    return rows if rows[:, 0].any() else rows[:0]

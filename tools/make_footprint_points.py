# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Make raycore/pattern/footprint_points.csv: sample points of the cross-section of a Gaussian beam.

python tools/make_footprint_points.py    (needs scipy, which nothing else in this project does)

The points minimise the energy distance to the standard normal distribution in two dimensions [1]_,

    D = 2/n sum_i E|x_i - Y| - 1/n^2 sum_ij |x_i - x_j|,    Y ~ N(0, I),

for all 128 points, their halves, quarters and eighths at once, so that a beam may take 16, 32, 64
or 128 of them. Each set of 16 consists of 8 points and their negatives.

References
----------
.. [1] Mak, Joseph, Support points, Annals of Statistics 46(6A), 2018, doi:10.1214/17-AOS1629
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import i0e, i1e

Array = NDArray[np.float64]
FILE = Path(__file__).parent.parent / "raycore" / "pattern" / "footprint_points.csv"
HEAD = """\
# Half of 128 support points of the standard normal distribution in two dimensions; the others
# are their negatives. Eight sets of 16, one behind the other; tools/make_footprint_points.py.
"""
N_SET, N_HALF, N_TRIAL, SEED = 8, 8, 6, 7
WEIGHT_OF_SIZE = {16: 1.0, 32: 2.0, 64: 5.0, 128: 12.0}
"""Weight of the energy distance of sets of each size: larger sets have smaller distances."""


def mean_distance(radius: Array) -> tuple[Array, Array]:
    """Return E|x - Y| of the module's equation at |x| = radius, and its derivative.

    It is the mean of a Rice distribution.
    """
    t = radius * radius / 4.0
    mean = np.sqrt(np.pi / 2.0) * ((1.0 + 2.0 * t) * i0e(t) + 2.0 * t * i1e(t))
    return mean, np.sqrt(np.pi / 8.0) * radius * (i0e(t) + i1e(t))


def energy_distance(points: Array) -> tuple[float, Array]:
    """Return D of a set of points (n, 2), and the gradient of D, (n, 2)."""
    n, radius = len(points), np.hypot(*points.T)
    apart = points[:, None] - points[None]
    distance = np.sqrt((apart**2).sum(axis=-1) + 1e-12)
    mean, slope = mean_distance(radius)
    gradient = 2.0 / n * (slope / np.maximum(radius, 1e-9))[:, None] * points
    gradient -= 2.0 / n**2 * (apart / distance[..., None]).sum(axis=1)
    return 2.0 * mean.mean() - distance.mean(), gradient


def objective(numbers: Array) -> tuple[float, Array]:
    """Return the weighted sum of D over all sets of all sizes, and the gradient of the sum."""
    half = numbers.reshape(N_SET, N_HALF, 2)
    sets = np.concatenate([half, -half], axis=1)
    total, gradient = 0.0, np.zeros_like(sets)
    for size, weight in WEIGHT_OF_SIZE.items():
        joined = size // 16
        for first in range(0, N_SET, joined):
            rows = slice(first, first + joined)
            distance, slope = energy_distance(sets[rows].reshape(-1, 2))
            total += weight * joined / N_SET * distance
            gradient[rows] += weight * joined / N_SET * slope.reshape(joined, 16, 2)
    return total, (gradient[:, :N_HALF] - gradient[:, N_HALF:]).ravel()


def main() -> None:
    """Search some local minima, and write the points of the best one."""
    random = np.random.default_rng(SEED)
    found = [
        minimize(objective, random.normal(size=2 * N_SET * N_HALF), jac=True, method="L-BFGS-B")
        for _ in range(N_TRIAL)
    ]
    points = min(found, key=lambda one: one.fun).x.reshape(-1, 2)
    lines = [f"{x:.5f},{y:.5f}\n" for x, y in points]
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()

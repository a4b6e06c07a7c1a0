# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Dropouts of clouds at rest: how they cluster, and how likely a point is there again."""

import numpy as np

DIM = (3.0, 20.0)  # photons of pixels that return at times
CLASSES = np.geomspace(*DIM, 12)
ASIDE = (1, 2, 5, 10, 20)  # columns
AGAIN = np.array([3, 5, 6, 7, 8, 10, 13, 17, 25])  # photons that are reported


def clumps(returned: np.ndarray, expected: np.ndarray, kept: np.ndarray) -> tuple[float, ...]:
    """Return the correlation of returns with those some columns aside, for each of `ASIDE`.

    What is correlated are residuals: 1 or 0 for a return, less the share of returns among all
    pixels with about as many expected photons.

    Parameters
    ----------
    returned : bool (n_frame, n_ring, n_column)
        Pixels that return.
    expected : float (n_frame, n_ring, n_column)
        Photons that the twin predicts.
    kept : bool (n_ring, n_column)
        Pixels that count.
    """
    used = kept & (expected >= DIM[0]) & (expected < DIM[1])
    of_class = np.digitize(expected, CLASSES)
    residual = np.zeros(returned.shape)
    for number in range(len(CLASSES) + 1):
        chosen = used & (of_class == number)
        residual[chosen] = returned[chosen] - returned[chosen].mean() if chosen.any() else 0.0
    variance = np.mean(residual[used] ** 2)
    found = []
    for aside in ASIDE:
        both = used & np.roll(used, aside, axis=-1)
        found.append(float(np.mean((residual * np.roll(residual, aside, -1))[both]) / variance))
    return tuple(found)


def again(returned: np.ndarray, photons: np.ndarray, kept: np.ndarray) -> np.ndarray:
    """Return the share of points that the next frame has, too, by class of photons (`AGAIN`)."""
    before, after = (returned & kept)[:-1], returned[1:]
    of_class = np.digitize(np.rint(photons[:-1]), AGAIN)
    return np.array([after[before & (of_class == n)].mean() for n in range(1, len(AGAIN))])

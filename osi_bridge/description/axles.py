# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Check of vehicles' axles against the bounding box: some tools write them with the wrong sign."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["FRONT", "REAR", "axle_fault", "axles_are_wrong"]

REAR, FRONT = -1.0, 1.0
"""Sign of the direction from the centre of a vehicle to an axle."""
# share of the length: the single axle of a trailer may lie slightly before the centre
_PAST_CENTRE = 0.05
_ROUNDED_M = 0.05
_OUTSIDE_M = 0.5  # wheels may protrude if the box encloses only the body


def axles_are_wrong(
    axle_m: NDArray[np.float64], dimension_m: NDArray[np.float64], side: float
) -> NDArray[np.bool_]:
    """Return for each vehicle whether the stated vector from its box's centre to its axle is wrong.

    A vector is wrong if it ends outside of the box, or not on the given side of its centre. Small
    deviations are accepted.

    Parameters
    ----------
    axle_m : float64 (n, 3)
        The vectors: x forward, y to the left, z up; NaN where not stated. [m]
    dimension_m : float64 (n, 3)
        Length, width and height of the boxes; 0 where not stated. [m]
    side : {REAR, FRONT}
        Side of the centre on which the axles must be.

    Returns
    -------
    bool (n,)
        True for a wrong vector; False for a possible vector, or one that is not stated.
    """
    outside = (dimension_m > 0.0) & (np.abs(axle_m) > 0.5 * dimension_m + _OUTSIDE_M)
    wrong: NDArray[np.bool_] = _are_past(axle_m, dimension_m, side) | outside.any(axis=1)
    return wrong


def axle_fault(axle_m: ArrayLike, dimension_m: ArrayLike, side: float) -> str:
    """Return in words why the vector to one vehicle's axle is wrong; "" if it is not.

    A vector is wrong if it ends outside of the box, or not on the given side of its centre. Small
    deviations are accepted.

    Parameters
    ----------
    axle_m : array_like (3,)
        Vector from the centre of the bounding box to the axle: x forward, y to the left, z up; NaN
        if not stated. [m]
    dimension_m : array_like (3,)
        Length, width and height of the box; 0 where not stated. [m]
    side : {REAR, FRONT}
        Side of the centre on which the axle must be.
    """
    axle, box = np.atleast_2d(np.asarray(axle_m)), np.atleast_2d(np.asarray(dimension_m))
    if not axles_are_wrong(axle, box, side)[0]:
        return ""
    name = "bbcenter_to_rear" if side == REAR else "bbcenter_to_front"
    words = f"{name} is ({', '.join(f'{each:g}' for each in axle[0])}) m"
    if not _are_past(axle, box, side)[0]:
        return f"{words}, outside of its box of {' x '.join(f'{each:g}' for each in box[0])} m"
    there, end = ("ahead of", "rear") if side == REAR else ("behind", "front")
    return f"{words}, {there} the centre of its box, where no {end} axle is"


def _are_past(
    axle_m: NDArray[np.float64], dimension_m: NDArray[np.float64], side: float
) -> NDArray[np.bool_]:
    past: NDArray[np.bool_] = -side * axle_m[:, 0] > _PAST_CENTRE * dimension_m[:, 0] + _ROUNDED_M
    return past

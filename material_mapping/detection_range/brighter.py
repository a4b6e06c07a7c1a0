# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The range limit of a sensor whose signals are scaled by a factor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from material_mapping import kernels

if TYPE_CHECKING:
    from material_mapping.detection_range.range_limit import Piece, RangeLimit

_ROOTS = {
    kernels.EQUATION2: kernels.ROOT2,
    kernels.EQUATION3: kernels.ROOT3,
    kernels.EQUATION4: kernels.ROOT4,
}


def with_signal(limit: RangeLimit, factor: float) -> RangeLimit:
    """Return the range limit of a sensor after its signals are multiplied by a factor.

    The new limit at reflectivity R is the old limit at ``factor`` times R. The cap ``cap_m`` stays
    the same, because the sensor's clock or memory sets it.

    Parameters
    ----------
    limit : RangeLimit
        The limit with a factor of 1.
    factor : float
        New signal over old signal, above 0. [1]
    """
    if factor == 1.0:
        return limit
    pieces = tuple(_with_signal(piece, factor) for piece in limit.pieces)
    return replace(limit, pieces=pieces, darkest=limit.darkest / factor)


def _with_signal(piece: Piece, factor: float) -> Piece:
    """Return the piece whose range at R is the range of the given piece at R times the factor."""
    until = replace(piece, until_percent=piece.until_percent / factor)
    if piece.kind == kernels.CONSTANT:
        return until
    if piece.kind == kernels.SEGMENT:
        start, width = piece.from_percent / factor, piece.width_percent / factor
        return replace(until, from_percent=start, width_percent=width)
    scale = kernels.fit_basis(_ROOTS.get(piece.kind, piece.kind), factor)
    if piece.kind == kernels.LOG:
        return replace(until, a=piece.a + piece.b * scale)
    return replace(until, b=piece.b * scale)

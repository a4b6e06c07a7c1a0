# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Origins of the beams of a pattern: their checks, and their rotation with the head."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from raycore.errors import PatternError


def checked_origins(values: ArrayLike, *, n_row: int) -> NDArray[np.float64]:
    """Return one point for each row, float64 (n_row, 3); raise PatternError for anything else."""
    try:
        origins = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise PatternError("beam_origin_m: expected a list of points") from None
    if origins.shape != (n_row, 3) or not np.isfinite(origins).all():
        raise PatternError(
            f"beam_origin_m: expected {n_row} points of 3 finite numbers, got shape {origins.shape}"
        )
    return origins


def turned(points_m: NDArray[np.float64], heading_rad: NDArray[np.float64]) -> NDArray[np.float32]:
    """Turn points (n, 3) about z, each by its heading."""
    x, y, z = points_m.T
    cos, sin = np.cos(heading_rad), np.sin(heading_rad)
    return np.stack((x * cos - y * sin, x * sin + y * cos, z), axis=1).astype(np.float32)


def check_origin(origin_m: object, *, n_beam: int) -> None:
    """Raise PatternError unless this is a column of points: one for all beams, or one for each."""
    if (
        not isinstance(origin_m, np.ndarray)
        or origin_m.dtype != np.float32
        or origin_m.shape not in ((1, 3), (n_beam, 3))
        or not np.isfinite(origin_m).all()
    ):
        raise PatternError(
            f"scan pattern: origin_m must be finite float32 (1, 3) or ({n_beam}, 3), "
            f"got {getattr(origin_m, 'dtype', type(origin_m).__name__)} "
            f"{getattr(origin_m, 'shape', '')}"
        )

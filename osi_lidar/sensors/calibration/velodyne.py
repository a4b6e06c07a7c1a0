# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Calibrations (YAML) of Velodyne, as in the ROS driver velodyne_pointcloud and velodyne_decoder.

The driver (rawdata.cc) computes a point from a corrected range r, with the encoder a turning
clockwise, h = rot_correction - a, v = vert_correction::

    x = (r cos v - V sin v) cos h - H sin h        V = vert_offset_correction
    y = (r cos v - V sin v) sin h + H cos h        H = horiz_offset_correction
    z =  r sin v + V cos v

So a laser points along (h, v) from a point beside the axis: V above its own beam and H to the left
of it, both at right angles to the beam.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.unfollowed import NotFollowed, Unfollowed
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.record import Calibration, numbers
from raycore.pattern.origins import beside_beams

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_MOST_OFFSET_M = 10.0  # beyond that, lengths are not in metres
_KEYS = frozenset({"lasers", "num_lasers", "distance_resolution"})
_FOLLOWED = "laser_id rot_correction vert_correction vert_offset_correction horiz_offset_correction"
_OF_NO_BEAM = (
    "dist_correction dist_correction_x dist_correction_y two_pt_correction_available "
    "focal_distance focal_slope min_intensity max_intensity"
)
"""Keys by which a driver corrects ranges and intensities; they do not change directions."""


def is_velodyne(data: object) -> bool:
    """Return whether ``data``, a parsed YAML document, looks like a Velodyne calibration."""
    return isinstance(data, dict) and "lasers" in data


def read_velodyne(file: Path, data: dict[str, Any]) -> Calibration:
    """Return the calibration in a Velodyne file, with lasers in the order of their laser_id.

    ``data`` is the parsed YAML document, ``file`` its path for error messages. ``dist_correction``
    corrects the measured distance, not the direction, so it has no effect here, and is not listed
    in ``not_followed``.

    Raises
    ------
    ConfigurationError
        If keys are missing or wrong.
    """
    lasers = data["lasers"]
    if not isinstance(lasers, list) or not all(isinstance(laser, dict) for laser in lasers):
        raise ConfigurationError(
            f"{file}: lasers: expected a list with the keys and values of each laser"
        )
    if data.get("num_lasers", len(lasers)) != len(lasers):
        raise ConfigurationError(
            f"{file}: lasers: got {len(lasers)} entries, expected {data['num_lasers']!r:.40} as "
            "num_lasers says"
        )
    order = _column(file, lasers, "laser_id")
    if sorted(order) != list(range(len(lasers))):
        raise ConfigurationError(f"{file}: laser_id: expected each of 0 to {len(lasers) - 1} once")
    lasers = [lasers[index] for index in np.argsort(order)]
    elevation = _column(file, lasers, "vert_correction")
    offset = _column(file, lasers, "rot_correction")
    if (np.abs(elevation) > math.pi / 2).any():
        raise ConfigurationError(f"{file}: vert_correction: beyond pi / 2, expected radians")
    if (np.abs(offset) > 2.0 * math.pi).any():
        raise ConfigurationError(f"{file}: rot_correction: beyond 2 pi, expected radians")
    return Calibration(
        maker="Velodyne",
        model="",
        elevation_rad=elevation,
        azimuth_offset_rad=offset,
        beam_origin_m=_origins(file, lasers, elevation, offset),
        not_followed=_not_followed(data, lasers),
    )


def _not_followed(
    data: Mapping[str, object], lasers: Sequence[Mapping[str, object]]
) -> tuple[NotFollowed, ...]:
    unfollowed = Unfollowed()
    for key in (each for each in data if each not in _KEYS):
        unfollowed.add(f"key {key!s:.40}")
    known = {*_FOLLOWED.split(), *_OF_NO_BEAM.split()}
    for laser in lasers:
        for key in laser:
            if key not in known:
                unfollowed.add(f"key {key!s:.40} of lasers", f"laser {laser['laser_id']!s:.10}")
    return unfollowed.kinds


def _column(
    file: Path, lasers: list[dict[str, Any]], key: str, *, default: float | None = None
) -> NDArray[np.float64]:
    """Return the values of one key for all lasers."""
    missing = [number for number, laser in enumerate(lasers) if key not in laser]
    if missing and default is None:
        raise ConfigurationError(f"{file}: lasers[{missing[0]}]: {key} is missing")
    return numbers(file, f"lasers: {key}", [laser.get(key, default) for laser in lasers])


def _origins(
    file: Path,
    lasers: list[dict[str, Any]],
    elevation_rad: NDArray[np.float64],
    offset_rad: NDArray[np.float64],
) -> NDArray[np.float64]:
    up_m = _column(file, lasers, "vert_offset_correction", default=0.0)
    left_m = _column(file, lasers, "horiz_offset_correction", default=0.0)
    if max(np.abs(up_m).max(), np.abs(left_m).max()) > _MOST_OFFSET_M:
        raise ConfigurationError(
            f"{file}: vert_offset_correction or horiz_offset_correction: beyond "
            f"{_MOST_OFFSET_M:g} m, expected metres"
        )
    return beside_beams(
        up_m=up_m, left_m=left_m, elevation_rad=elevation_rad, azimuth_rad=offset_rad
    )

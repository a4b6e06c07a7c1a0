# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the calibrated lasers in a sensor maker's file format, to be set as ``calibration``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linear_sum_assignment

from lidar_base.given import given
from lidar_gap.calibrate.beams import LEAST_POINTS
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate import Calibrated

_MOST_OFF_DEG = 3.0  # a laser farther from its preset angle belongs to another sensor


@dataclass(frozen=True, kw_only=True)
class Lasers:
    """The lasers as a calibration file lists them: arrays with one value for each laser.

    They are in the order of the preset's channels; without a preset, in the order of their numbers.
    A channel of the preset whose laser was not found in the recording has the preset's angles, and
    the median offsets of the found lasers.

    Attributes
    ----------
    ring : intp (n,)
        Number of the laser in the recording; -1 if it was not found.
    elevation_deg, azimuth_offset_deg : float64 (n,)
        Direction of the beam: angle upwards, and angle to the left of the head's heading. [deg]
    up_m, left_m : float64 (n,)
        Distance by which the beam passes the origin of the sensor frame, upwards and to the left;
        both are at right angles to the beam. Without headings, ``left_m`` is 0. [m]
    """

    ring: NDArray[np.intp]
    elevation_deg: NDArray[np.float64]
    azimuth_offset_deg: NDArray[np.float64]
    up_m: NDArray[np.float64]
    left_m: NDArray[np.float64]


def lasers_of(calibrated: Calibrated) -> Lasers:
    """Return the lasers of a calibration; lasers that were not found come from the preset, if any.

    Parameters
    ----------
    calibrated : Calibrated
        The calibration, with its beams and its preset (the known sensor). Without a preset, the
        result has only the lasers that were found.

    Raises
    ------
    InputError
        If more lasers were found than the preset has, or the elevation of one of them differs by
        more than 3 degrees from its channel of the preset; or if none was found without a preset.
    """
    beams, preset = calibrated.beams, calibrated.preset
    rings = np.flatnonzero(beams.known)
    if preset is None:
        if not len(rings):
            raise InputError(
                f"calibrate: got none of {len(beams.n)} lasers, expected one with {LEAST_POINTS} "
                "points or more at several ranges; --sensor gives the lasers that are not found"
            )
        order, elevation_deg = rings, beams.elevation_deg[rings]
        offset_deg = beams.azimuth_offset_deg[rings]
    else:
        elevation_deg = np.array(preset.channels.elevation_deg, np.float64)
        offset_rad = preset.channels.azimuth_offset_rad()
        offset_deg = np.degrees(np.broadcast_to(offset_rad, elevation_deg.shape))
        order = _channels(preset.name, beams.elevation_deg, rings, elevation_deg)
    found = order >= 0
    elevation_deg = np.where(found, beams.elevation_deg[order], elevation_deg)
    if beams.has_headings:
        offset_deg = np.where(found, beams.azimuth_offset_deg[order], offset_deg)
    return Lasers(
        ring=order,
        elevation_deg=elevation_deg,
        azimuth_offset_deg=offset_deg,
        up_m=_filled(beams.up_m[order], found),
        left_m=_filled(beams.left_m[order], found) if beams.has_headings else 0.0 * elevation_deg,
    )


def _channels(
    name: str,
    found_deg: NDArray[np.float64],
    rings: NDArray[np.intp],
    elevation_deg: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Return the ring of each channel of the preset, by nearest elevation; -1 if there is none."""
    if len(rings) > len(elevation_deg):
        raise InputError(
            f"--sensor: got {len(rings)} lasers in the recording, expected {len(elevation_deg)} as "
            f"{name} has"
        )
    order = np.full(len(elevation_deg), -1, np.intp)
    if not len(rings):
        return order
    off_deg = np.abs(found_deg[rings][:, None] - elevation_deg[None])
    which, channel = linear_sum_assignment(off_deg**2)
    worst = int(np.argmax(off_deg[which, channel]))
    ring = rings[which[worst]]
    if off_deg[which, channel][worst] > _MOST_OFF_DEG:
        raise InputError(
            f"--sensor: laser {ring} of the recording points to {found_deg[ring]:.2f} deg, "
            f"expected {elevation_deg[channel[worst]]:.2f} deg of the {name}"
        )
    order[channel] = rings[which]
    return order


def _filled(values: NDArray[np.float64], found: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Replace the values of lasers that were not found by the median of the found ones."""
    return np.where(found, values, np.median(values[found]) if found.any() else 0.0)


def velodyne_text(lasers: Lasers) -> str:
    """Return the content of a calibration file (YAML) in the format of Velodyne's ROS driver.

    ``lasers`` (`Lasers`) has the angles and offsets to write. The file numbers the lasers from 0,
    in the order of these arrays. Angles are in radians, offsets in metres, and range corrections 0.
    """
    lines = [f"num_lasers: {len(lasers.ring)}", "lasers:"]
    rows = zip(
        np.radians(lasers.elevation_deg),
        np.radians(lasers.azimuth_offset_deg),
        lasers.up_m,
        lasers.left_m,
        strict=True,
    )
    for number, (elevation, offset, up_m, left_m) in enumerate(rows):
        values = {
            "laser_id": number,
            "vert_correction": round(float(elevation), 9),
            "rot_correction": round(float(offset), 9),
            "vert_offset_correction": round(float(up_m), 6),
            "horiz_offset_correction": round(float(left_m), 6),
            "dist_correction": 0.0,
        }
        text = ", ".join(f"{key}: {value!r}" for key, value in values.items())
        lines.append(f"  - {{{text}}}")
    return "\n".join(lines) + "\n"


def ouster_text(lasers: Lasers, calibrated: Calibrated, mode: str) -> str:
    """Return the content of a metadata file (JSON) in Ouster's format.

    Parameters
    ----------
    lasers : Lasers
        Angles of the lasers; the file has them in the same order.
    calibrated : Calibrated
        The calibration. Its beams must have a common origin (``radius_m`` and ``height_m``).
    mode : str
        Columns per turn x rotation rate [Hz], such as "1024x10".
    """
    beams = calibrated.beams
    up_mm = round(1e3 * given(beams.height_m), 3)
    content = {
        "prod_line": "",
        "lidar_mode": mode,
        "beam_altitude_angles": [round(float(each), 6) for each in lasers.elevation_deg],
        "beam_azimuth_angles": [round(-float(each), 6) for each in lasers.azimuth_offset_deg],
        "lidar_origin_to_beam_origin_mm": round(1e3 * given(beams.radius_m), 3),
        "lidar_to_sensor_transform": [-1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1, up_mm, 0, 0, 0, 1],
    }
    return json.dumps(content, indent=1) + "\n"


def is_like_ouster(calibrated: Calibrated) -> bool:
    """Return whether Ouster's file format fits the lasers of a calibration (``calibrated``).

    The format fits if ranges count from a common radius behind the beam origin, as
    `Beams.counts_from_radius` says. If the recording has no ranges besides the points, the result
    is True if the preset's maker is Ouster and the radius of the beam origins was found.
    """
    beams, preset = calibrated.beams, calibrated.preset
    if beams.radius_m is None:
        return False
    by_maker = preset is not None and preset.maker == "Ouster"
    return beams.counts_from_radius or (by_maker and not beams.has_ranges)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ranges and objects from the closed forms, for directions and the width of a beam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import HOST_SIZE_M
from lidar_app.conformance.boxes import NOTHING, first_hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment, Track
    from lidar_app.conformance.boxes import BoxHits
    from lidar_app.conformance.sheet import DataSheet

_AROUND = np.array([(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)])
"""Offsets of the tried directions: none, and four to the edges of the beam."""
_ANYWHEN = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Fractions of the scan time to try if the sheet does not say when a beam fires."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Expected:
    """Surfaces that beams may meet, one row for each beam.

    For each beam, several rays are tried: its axis and rays at its edges, at possible firing times.

    Attributes
    ----------
    low_m, high_m : float64 (n,)
        Least and greatest range of the beam's rays. The greatest is infinite if one ray meets
        nothing, and both are if no ray meets anything. [m]
    hits : tuple of BoxHits
        Hits of the tried rays. Each `BoxHits` has one ray of every beam; the first one has the axes
        of the beams.
    """

    low_m: NDArray[np.float64]
    high_m: NDArray[np.float64]
    hits: tuple[BoxHits, ...]

    def off_m(self, range_m: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return how far ranges are outside of the ranges that the beams may have.

        Parameters
        ----------
        range_m : float64 (n,)
            Range of each beam in an answer. [m]

        Returns
        -------
        float64 (n,)
            Distance from the interval `low_m` to `high_m`, 0 inside. Infinite if no ray of the beam
            meets anything, else NaN if the range is NaN. [m]
        """
        over = np.maximum(range_m - self.high_m, self.low_m - range_m)
        return np.where(np.isfinite(self.low_m), np.maximum(over, 0.0), np.inf)

    def may_be(self, object_id: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return for each beam whether one of its rays meets the object with this id, bool (n,).

        Parameters
        ----------
        object_id : uint64 (n,)
            OSI id of an object for each beam.
        """
        may: NDArray[np.bool_] = np.zeros(len(self.low_m), np.bool_)
        for each in self.hits:
            may |= each.object_id == object_id
        return may

    def is_sure(self) -> NDArray[np.bool_]:
        """Return for each beam whether all its rays meet the same object, bool (n,).

        It is also True if all of them meet nothing, or all of them the ground.
        """
        sure: NDArray[np.bool_] = np.ones(len(self.low_m), np.bool_)
        for each in self.hits:
            sure &= each.row == self.hits[0].row
        return sure

    def is_hit(self) -> NDArray[np.bool_]:
        """Return for each beam whether its axis meets an object or the ground, bool (n,)."""
        hit: NDArray[np.bool_] = self.hits[0].row != NOTHING
        return hit


def expected(
    sheet: DataSheet,
    track: Track,
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
) -> Expected:
    """Return the surfaces that beams in some directions may meet, by the closed forms.

    If the sheet claims the timing of a scan ("skew"), each beam has one firing time; else any time
    during the scan is accepted.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the subject.
    track : Track
        The moments of the scene up to the one that is judged.
    azimuth_rad, elevation_rad : float64 (n,)
        Directions in the frame of the sensor. [rad]
    """
    ground_m = ground_height_m(track.moments[-1]) if sheet.ground else None
    hits, (aside, above) = [], sheet.guard_rad * _AROUND.T
    azimuth = (azimuth_rad + aside[:, None]).ravel()
    elevation = (elevation_rad + above[:, None]).ravel()
    own = unit_vectors(azimuth, elevation)
    for ahead_s in firing_times_s(sheet, azimuth_rad):
        every_s = np.tile(ahead_s, len(_AROUND))
        origin_m, turn = track.sensor(sheet, every_s)
        along = np.einsum("nij,nj->ni", turn, own)
        hits += first_hits(track.boxes(every_s), origin_m, along, ground_m).split(len(_AROUND))
    ranges_m = [each.range_m for each in hits]
    return Expected(low_m=np.min(ranges_m, 0), high_m=np.max(ranges_m, 0), hits=tuple(hits))


def sensor_rays(
    sheet: DataSheet,
    track: Track,
    azimuth_rad: NDArray[np.float64],
    elevation_rad: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return rays in the world for n directions in the sensor frame.

    The host moves during a scan. If the sheet does not claim the timing of a scan ("skew"), all
    rays start where the sensor is at the beginning of the scan.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the tested model, with mounting and timing of the sensor.
    track : Track
        Poses of the host during the scene.
    azimuth_rad, elevation_rad : float64 (n,)
        Directions: azimuth from x (forward) to the left, elevation upwards. [rad]

    Returns
    -------
    origin_m : float64 (n, 3) or (1, 3)
        Origins; a single row if the host rests. [m]
    along : float64 (n, 3)
        Unit vectors.
    """
    *_, ahead_s = firing_times_s(sheet, azimuth_rad)
    origin_m, turn = track.sensor(sheet, ahead_s)
    return origin_m, np.einsum("nij,nj->ni", turn, unit_vectors(azimuth_rad, elevation_rad))


def unit_vectors(
    azimuth_rad: NDArray[np.float64], elevation_rad: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return unit vectors (cos el cos az, cos el sin az, sin el) of directions, float64 (n, 3).

    Parameters
    ----------
    azimuth_rad, elevation_rad : float64 (n,)
        Azimuth from x to y, and elevation, positive towards z (up). [rad]
    """
    across = np.cos(elevation_rad)
    columns = across * np.cos(azimuth_rad), across * np.sin(azimuth_rad), np.sin(elevation_rad)
    return np.stack(columns, axis=1)


def ground_height_m(moment: BenchMoment) -> float:
    """Return the height of the ground in the world [m]: the lowest bottom of all objects.

    Parameters
    ----------
    moment : BenchMoment
        The world at one time. Objects and host count as upright boxes.
    """
    host_m = moment.host.position_m[2] - moment.rear_axle_m[2] - 0.5 * HOST_SIZE_M[2]
    bottoms = [each.position_m[2] - 0.5 * each.dimension_m[2] for each in moment.things]
    return min([host_m, *bottoms])


def firing_times_s(sheet: DataSheet, azimuth_rad: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Return the possible firing times of beams, relative to the end of the scan.

    Parameters
    ----------
    sheet : DataSheet
        Data sheet of the tested model, with its rate and the timing of a scan.
    azimuth_rad : float64 (n,)
        Azimuth of each beam in the frame of the sensor. [rad]

    Returns
    -------
    list of float64 (n,)
        Times of 0 or less; each array has one time for every beam. There is one array if the sheet
        claims the timing of a scan ("skew"), else five: each is one time for all beams, from the
        end of the scan to its beginning. [s]
    """
    if sheet.scan.kind == "instant" and sheet.claims("skew"):
        return [np.zeros(len(azimuth_rad))]
    period_s = 1.0 / sheet.rate_hz
    if not sheet.claims("skew"):
        return [np.full(len(azimuth_rad), -period_s * share) for share in _ANYWHEN]
    turned = azimuth_rad - np.radians(sheet.scan.start_deg)
    if sheet.scan.turn == "clockwise":
        turned = -turned
    return [-period_s * (1.0 - np.mod(turned, 2.0 * np.pi) / (2.0 * np.pi))]


def beam_grid(sheet: DataSheet) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return azimuths and elevations of all beams, (n,) each [rad]; None if the sheet has no beams.

    Beams are listed column by column, each column with all rows in the order of the sheet. The
    azimuth of a column is the middle of its azimuth step. If the sheet states azimuth offsets, the
    offset of each row is added to the azimuths of its beams.
    """
    if sheet.beams is None:
        return None
    low, high = sheet.field_of_view.azimuth_deg
    step = sheet.beams.azimuth_step_deg
    n_columns = max(1, round((high - low) / step))
    elevation = np.radians(sheet.beams.elevation_deg)
    offset = np.radians(sheet.beams.azimuth_offset_deg or np.zeros(len(elevation)))
    azimuth = np.radians(low + step * (np.arange(n_columns) + 0.5))[:, None] + offset
    return azimuth.ravel(), np.tile(elevation, n_columns)

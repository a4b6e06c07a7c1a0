# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sampled detections of a scene, and the share of them that an assumed error explains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import Track
from lidar_app.conformance.boxes import GROUND, NOTHING, first_hits
from lidar_app.conformance.judged import spherical
from lidar_app.conformance.oracle import (
    expected,
    firing_times_s,
    ground_height_m,
    sensor_rays,
    unit_vectors,
)
from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.boxes import BoxAtTimes, BoxHits
    from lidar_app.conformance.oracle import Expected
    from lidar_app.conformance.sheet import DataSheet

    Values = NDArray[np.float64]
    Directions = tuple[Values, Values, Values]

MOST_DETECTIONS, FEW_DETECTIONS, MOST_BOXES = 150, 20, 20
"""Most detections of a scene to sample, from wrong ones and from others each: fewer if the scene
has more than `MOST_BOXES` boxes."""
SLACK_SHARE, LEAST_COSINE = 0.002, 1e-3
FINE_M, COARSE_M = 0.01, 0.1
"""Slack of a range in addition to the tolerance of the sheet. Fine: fitted numbers are not exact.
Coarse: for noise that the sheet does not state. [m]"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Evidence:
    """Detections that were sampled evenly from the answer to a scene.

    Attributes
    ----------
    scene : str
        Name of the scene.
    sheet : DataSheet
        Data sheet of the subject.
    moments : sequence of BenchMoment
        Moments up to the judged one, in the order of their times.
    azimuth_rad, elevation_rad, range_m : float64 (n,)
        Directions and ranges of the detections in the frame of the sensor. [rad], [m]
    weight : float64 (n,)
        Number of judged detections (`Judged.kept`) that each sampled one represents. Wrong ones and
        all others are sampled separately.
    """

    scene: str
    sheet: DataSheet
    moments: Sequence[BenchMoment]
    azimuth_rad: Values
    elevation_rad: Values
    range_m: Values
    weight: Values

    @property
    def is_small(self) -> bool:
        """Whether there are at most `MOST_BOXES` boxes, so that trying a `BenchReading` is fast."""
        return len(self.moments[-1].things) <= MOST_BOXES

    @property
    def is_at_rest(self) -> bool:
        """Whether neither the objects nor the host move during the scene."""
        last = self.moments[-1]
        return all(each.things == last.things and each.host == last.host for each in self.moments)

    def points_m(self) -> Values:
        """Return the positions of the detections in the sensor frame, float64 (n, 3) [m]."""
        return unit_vectors(self.azimuth_rad, self.elevation_rad) * self.range_m[:, None]

    def closed_forms(self) -> Expected:
        """Return the surfaces that the beams of the detections should meet, by exact geometry.

        The `Expected` has a row for each of the n sampled detections, in the same order.
        """
        return expected(self.sheet, Track(self.moments), self.azimuth_rad, self.elevation_rad)


@dataclass(frozen=True, kw_only=True, eq=False)
class BenchReading:
    """An assumed error of a tested model (subject), such as a wrong sign, frame or delay.

    It is called a reading, because the answers are read as if the subject made this error.

    Attributes
    ----------
    text : str
        The assumed error in words.
    undone : callable
        Takes an `Evidence` of n detections; returns their azimuths, elevations [rad] and ranges [m]
        without the error, a tuple of three float64 (n,).
    sheet : callable
        Takes the data sheet; returns the sheet that the subject seems to have used.
    moments : callable
        Takes the moments of a scene; returns the ones that the subject seems to have used.
    late_s : float
        Delay of the world in the answer, relative to the message. [s]
    things_late_s : float
        Additional delay of all objects except the host. [s]
    """

    text: str
    undone: Callable[[Evidence], Directions] = field(
        default=lambda of: (of.azimuth_rad, of.elevation_rad, of.range_m)
    )
    sheet: Callable[[DataSheet], DataSheet] = field(default=lambda sheet: sheet)
    moments: Callable[[Sequence[BenchMoment]], Sequence[BenchMoment]] = field(
        default=lambda asked: asked
    )
    late_s: float = 0.0
    things_late_s: float = 0.0

    def off_m(self, of: Evidence) -> Values:
        """Return how far detections are from the surfaces that this assumed error expects.

        Parameters
        ----------
        of : Evidence
            The n detections of a scene.

        Returns
        -------
        float64 (n,)
            Distances normal to the surfaces, because under grazing incidence, noise of directions
            causes large errors along the beam. Infinite where a beam meets nothing. [m]
        """
        azimuth, elevation, range_m = self.undone(of)
        track = Track(self.moments(of.moments), self.late_s, self.things_late_s)
        told = expected(self.sheet(of.sheet), track, azimuth, elevation)
        cosine = np.where(told.is_hit(), np.maximum(told.hits[0].cos_incidence, LEAST_COSINE), 1.0)
        return np.asarray(told.off_m(range_m) * cosine)

    def share_off(self, of: Evidence, slack_m: float = FINE_M) -> float:
        """Return the share of the sampled detections that are off under this assumed error, 0 to 1.

        A detection is off if `off_m` exceeds the sum of the sheet's `tolerance_m`, `slack_m` and
        0.2 % of the range. Each sampled detection counts once, whatever its `weight`.

        Parameters
        ----------
        of : Evidence
            The sampled detections of a scene.
        slack_m : float
            Allowed error in addition to the tolerance of the sheet. [m]
        """
        return float(np.mean(_is_off(self.off_m(of), of.range_m, of.sheet, slack_m)))


def _is_off(
    off_m: Values, range_m: Values, sheet: DataSheet, slack_m: float = FINE_M
) -> NDArray[np.bool_]:
    limit_m = sheet.tolerance_m + slack_m + SLACK_SHARE * np.abs(range_m)
    return np.asarray(~(off_m <= limit_m), np.bool_)


AS_ASKED = BenchReading(text="as asked")


def evidence_of(result: SceneResult) -> Evidence | None:
    """Sample detections of the answer in a scene's result.

    Wrong detections and all others are sampled separately, evenly and at most `MOST_DETECTIONS` of
    each. In scenes with more than `MOST_BOXES` objects, it is `FEW_DETECTIONS`.

    Parameters
    ----------
    result : SceneResult
        Result of a scene; only the judged detections (`Judged.kept`) are sampled.

    Returns
    -------
    Evidence or None
        None if there is no answer, or no detection has a finite range.
    """
    judged = result.judged
    if judged is None or not len(judged.scan):
        return None
    azimuth, elevation, range_m = (
        each[judged.kept] for each in spherical(judged.scan, judged.sheet)
    )
    off = _is_off(judged.off_m, range_m, judged.sheet)
    known = np.isfinite(range_m)
    many = len(judged.moments[-1].things) > MOST_BOXES
    most = FEW_DETECTIONS if many else MOST_DETECTIONS
    kinds = np.flatnonzero(off & known), np.flatnonzero(~off & known)
    parts = [_some(each, most) for each in kinds]
    kept = np.concatenate(parts)
    if not len(kept):
        return None
    stands_for = [len(each) / max(len(part), 1) for each, part in zip(kinds, parts, strict=True)]
    return Evidence(
        scene=result.scene.name,
        sheet=judged.sheet,
        moments=judged.moments,
        azimuth_rad=azimuth[kept],
        elevation_rad=elevation[kept],
        range_m=range_m[kept],
        weight=np.repeat(stands_for, [len(part) for part in parts]),
    )


def _some(found: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return at most `most` of the indices, evenly spread."""
    return found[:: max(1, -(-len(found) // most))]


def directions_of(points_m: Values) -> Directions:
    """Return the directions and ranges of points, in the frame of the points.

    Parameters
    ----------
    points_m : float64 (n, 3)
        Points, in x (forward), y (left), z (up). [m]

    Returns
    -------
    azimuth_rad, elevation_rad, range_m : float64 (n,)
        Azimuth from x towards y, elevation towards z, and distance from the origin. [rad], [m]
    """
    x, y, z = points_m.T
    flat = np.hypot(x, y)
    return np.arctan2(y, x), np.arctan2(z, flat), np.hypot(flat, z)


def planes_hit(of: Evidence, points_m: Values) -> tuple[Values, Values]:
    """Return the plane of the face that the beam through each point meets, by exact geometry.

    Parameters
    ----------
    of : Evidence
        Scene and data sheet; its detections are not used.
    points_m : float64 (n, 3)
        Points in the frame of the sensor; each gives the direction of a beam. [m]

    Returns
    -------
    normal : float64 (n, 3)
        Unit normals in the frame of the sensor; NaN where a beam meets nothing.
    distance_m : float64 (n,)
        Signed distance from the sensor to the plane, along the normal; NaN as well. [m]
    """
    azimuth, elevation, _ = directions_of(points_m)
    *_, ahead_s = firing_times_s(of.sheet, azimuth)
    track = Track(of.moments)
    origin_m, along = sensor_rays(of.sheet, track, azimuth, elevation)
    ground_m = ground_height_m(of.moments[-1]) if of.sheet.ground else None
    boxes = track.boxes(ahead_s)
    met = first_hits(boxes, origin_m, along, ground_m)
    hit_m = origin_m + along * np.where(met.row == NOTHING, np.nan, met.range_m)[:, None]
    normal = _normals(boxes, met, hit_m)
    _, turn = track.sensor(of.sheet, ahead_s)
    own = np.einsum("...ji,...j->...i", turn, normal)
    return own, np.einsum("ni,ni->n", normal, hit_m - origin_m)


def _normals(boxes: Sequence[BoxAtTimes], met: BoxHits, hit_m: Values) -> Values:
    """Return the normals of the hit faces, in the world, float64 (n, 3)."""
    normal = np.full_like(hit_m, np.nan)
    normal[met.row == GROUND] = (0.0, 0.0, 1.0)
    for row, box in enumerate(boxes):
        on = np.flatnonzero(met.row == row)
        if not len(on):
            continue
        turn = rotation_from_orientation(_rows(box.orientation_rad, on))
        own = np.einsum("...ji,...j->...i", turn, hit_m[on] - _rows(box.centre_m, on))
        share = own / (0.5 * np.asarray(box.dimension_m))
        axis = np.argmax(np.abs(share), axis=1)
        face = np.zeros_like(own)
        face[np.arange(len(on)), axis] = np.sign(share[np.arange(len(on)), axis])
        normal[on] = np.einsum("...ij,...j->...i", turn, face)
    return normal


def _rows(values: Values, on: NDArray[np.intp]) -> Values:
    return values if len(values) == 1 else values[on]

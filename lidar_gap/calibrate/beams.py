# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Angles and origins of the beams, from the positions of their points.

In the frame that turns with the head, all points of a laser lie on one line, q = o + r d. The line
is found by total least squares: its direction d is the largest principal axis of the points. With
the reported range r, the point o from which r counts is known, too; without it, o is only known at
right angles to the beam. If a recording has no headings, the line is found in the plane of distance
from the axis and height. This gives elevation and vertical offset, but no azimuth offset.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.given import given
from lidar_gap.calibrate.bootstrap import draws, interval
from lidar_gap.calibrate.findings import Absent, Series, figure

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.calibrate.recording import Recording

LEAST_POINTS = 30
"""Fewest points of a laser whose line is fitted."""
_ROUNDS, _CLIP, _LEAST_CLIP_M = 3, 4.0, 2e-4
_SAME_RANGE_M = 2e-4
_RADIUS_FITS_M, _RADIUS_FITS, _RADIUS_SEEN_M = 1e-3, 3.0, 5e-3
# width of a 95 % interval, in standard deviations of a normal distribution
_WIDTH_OF_INTERVAL = 3.92
_MOST_UNSURE_DEG = 0.25  # of an interval; it is wide for a laser that sees only one range
# of coordinates, relative; it is the same in all scans at rest
_ROUNDING = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, kw_only=True)
class Beams:
    """Angles and origins of the lasers of a recording; each array has one value for each laser.

    A laser that was not found, because it has too few points or its angle is too uncertain, has
    NaN. The headings are angles of the turning sensor head at each firing.

    Attributes
    ----------
    elevation_deg, azimuth_offset_deg : float64
        Direction of the beam: angle upwards, and angle to the left of the head's heading. Azimuth
        offsets are 0 if the recording has no headings. [deg]
    up_m, left_m : float64
        Distance by which the beam passes the origin of the sensor frame, upwards and to the left;
        both directions are at right angles to the beam. Without headings, ``left_m`` is 0. [m]
    along_m : float64
        Position on the beam at which its ranges are 0, measured along the beam from its point
        nearest to the frame's origin. 0 if the recording has no ranges besides the points. [m]
    radius_m, height_m : float or None
        Beam origin that all lasers share: its distance from the axis of rotation and its height.
        None if no common origin fits the lasers. [m]
    has_headings, has_ranges : bool
        Whether the recording has headings, and ranges that differ from the distances of the points.
    n : int64
        Number of points that each laser's line was fitted to.
    """

    elevation_deg: NDArray[np.float64]
    azimuth_offset_deg: NDArray[np.float64]
    up_m: NDArray[np.float64]
    left_m: NDArray[np.float64]
    along_m: NDArray[np.float64]
    radius_m: float | None
    height_m: float | None
    has_headings: bool
    has_ranges: bool
    n: NDArray[np.int64]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Whether each laser has angles (True) or NaN (False), (n_ring,)."""
        return np.isfinite(self.elevation_deg)

    @property
    def counts_from_radius(self) -> bool:
        """Whether ranges count from `radius_m` behind the beam origin, as in Ouster sensors.

        False if no common beam origin was found, or the recording has no ranges of its own.
        """
        return self.radius_m is not None and self.has_ranges and self._along_misfit_m() < 1e-3

    def _along_misfit_m(self) -> float:
        elevation, offset = np.radians(self.elevation_deg), np.radians(self.azimuth_offset_deg)
        forward_m = given(self.radius_m) * (np.cos(elevation) * np.cos(offset) - 1.0)
        misfit_m = self.along_m - forward_m - given(self.height_m) * np.sin(elevation)
        return float(np.median(np.abs(misfit_m[self.known])))


def along_beams_m(recording: Recording, beams: Beams) -> NDArray[np.float64]:
    """Return the position of each point of ``recording`` along its beam, float64 (n_point,) [m].

    ``beams`` has the lasers of the recording, from `find_beams`. Positions count from the beam's
    point nearest to the frame's origin, or without headings from its point on the axis of rotation.
    So they differ from the ranges by a constant for each laser. NaN for points of lasers that were
    not found.
    """
    elevation = np.radians(beams.elevation_deg)[recording.ring]
    if not beams.has_headings:
        offset_m = beams.up_m[recording.ring] / np.cos(elevation)
        flat_m = np.hypot(recording.points_m[:, 0], recording.points_m[:, 1])
        up_m = recording.points_m[:, 2] - offset_m
        flat: NDArray[np.float64] = flat_m * np.cos(elevation) + up_m * np.sin(elevation)
        return flat
    direction = _direction(elevation, np.radians(beams.azimuth_offset_deg)[recording.ring])
    along: NDArray[np.float64] = np.einsum("ij,ij->i", _in_head(recording), direction)
    return along


def directions(recording: Recording, beams: Beams) -> NDArray[np.float64]:
    """Return the unit direction of each point's beam in the sensor frame, float64 (n_point, 3).

    ``recording`` has the points, and ``beams`` has its lasers, from `find_beams`. For points of
    lasers that were not found, the direction is from the frame's origin to the point.
    """
    elevation = np.radians(beams.elevation_deg)[recording.ring]
    azimuth_deg = recording.bearing_deg
    if recording.heading_deg is not None:
        azimuth_deg = recording.heading_deg + beams.azimuth_offset_deg[recording.ring]
    from_origin = recording.points_m / np.linalg.norm(recording.points_m, axis=1)[:, None]
    along = _direction(elevation, np.radians(azimuth_deg))
    return np.where(np.isfinite(elevation)[:, None], along, from_origin)


def find_beams(recording: Recording) -> tuple[Beams, list[Finding]]:
    """Return the lasers of ``recording``, and the same angles and origins as report findings.

    A finding that needs headings, ranges or a common beam origin is `Absent` without them; but
    without headings, ``left_m`` is left out.
    """
    q_m = _in_head(recording)
    has_ranges = bool(
        np.median(np.abs(np.linalg.norm(recording.points_m, axis=1) - recording.range_m))
        > _SAME_RANGE_M
    )
    sums = _clean_sums(recording, q_m)
    lines = _lines(sums.sum(axis=0)[None], has_ranges=has_ranges)
    drawn = _lines(np.einsum("bk,krs->brs", draws(recording.n_block), sums), has_ranges=has_ranges)
    low_deg, high_deg = interval(drawn["elevation_deg"])
    unsure = high_deg - low_deg + 2 * _rounding(recording, angle=True) > _MOST_UNSURE_DEG
    for each in (*lines.values(), *drawn.values()):
        each[:, unsure] = np.nan
    ends_m = interval(np.concatenate((drawn["up_m"], drawn["left_m"]), axis=1))
    spread_m = (ends_m[1] - ends_m[0]) / _WIDTH_OF_INTERVAL
    error_m = np.hypot(spread_m, np.tile(_rounding(recording, angle=False), 2))
    radius, radii = _radius(lines, error_m), _radius(drawn, error_m)
    values = {name: each[0] for name, each in lines.items()}
    fits = radius["misfit_m"][0] < _RADIUS_FITS_M or radius["misfit"][0] < _RADIUS_FITS
    fits &= radius["radius_m"][0] > _RADIUS_SEEN_M
    beams = Beams(
        **values,
        radius_m=float(radius["radius_m"][0]) if fits else None,
        height_m=float(radius["height_m"][0]) if fits else None,
        has_headings=recording.heading_deg is not None,
        has_ranges=has_ranges,
        n=sums.sum(axis=0)[:, 0].astype(np.int64),
    )
    return beams, _findings(recording, beams, drawn, radii)


def _in_head(recording: Recording) -> NDArray[np.float64]:
    """Return points in the frame that turns with the head, (n_point, 3).

    Without headings, x is the distance from the axis, and y is 0.
    """
    x_m, y_m, z_m = recording.points_m.T
    if recording.heading_deg is None:
        return np.stack((np.hypot(x_m, y_m), np.zeros_like(x_m), z_m), axis=1)
    heading = np.radians(recording.heading_deg)
    cos, sin = np.cos(heading), np.sin(heading)
    return np.stack((x_m * cos + y_m * sin, y_m * cos - x_m * sin, z_m), axis=1)


def _clean_sums(recording: Recording, q_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return sums over the points near the laser's line, for each block and laser.

    Returns
    -------
    float64 (n_block, n_ring, 14)
        Sums of 1, q (3 values), q qᵀ (9 values) and r.
    """
    n_ring = recording.n_ring
    rows = np.concatenate(
        (
            np.ones((len(q_m), 1)),
            q_m,
            np.einsum("ij,ik->ijk", q_m, q_m).reshape(-1, 9),
            recording.range_m[:, None],
        ),
        axis=1,
    )
    cell = recording.block * n_ring + recording.ring
    kept = np.ones(len(q_m), np.bool_)
    for _ in range(_ROUNDS - 1):
        kept = _near_line(recording, q_m, _cell_sums(recording, rows, cell, kept).sum(axis=0))
    return _cell_sums(recording, rows, cell, kept)


def _cell_sums(
    recording: Recording,
    rows: NDArray[np.float64],
    cell: NDArray[np.intp],
    kept: NDArray[np.bool_],
) -> NDArray[np.float64]:
    """Return the sums of the kept rows over each block and laser, (n_block, n_ring, n_column)."""
    n_cell = recording.n_block * recording.n_ring
    columns = [np.bincount(cell[kept], weights=each[kept], minlength=n_cell) for each in rows.T]
    sums: NDArray[np.float64] = np.stack(columns, axis=1)
    return sums.reshape(recording.n_block, recording.n_ring, len(columns))


def _near_line(
    recording: Recording, q_m: NDArray[np.float64], sums: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which points are near their laser's line, relative to their range."""
    mean_m, direction, _ = _principal(sums[None])
    from_mean_m = q_m - mean_m[0][recording.ring]
    along = np.einsum("ij,ij->i", from_mean_m, direction[0][recording.ring])
    aside_m = np.linalg.norm(from_mean_m - along[:, None] * direction[0][recording.ring], axis=1)
    per_range = aside_m / np.maximum(recording.range_m, 1.0)
    limit = np.full(recording.n_ring, _LEAST_CLIP_M)
    for ring in range(recording.n_ring):
        of_ring = per_range[recording.ring == ring]
        if len(of_ring):
            limit[ring] = max(_LEAST_CLIP_M, _CLIP * float(np.median(of_ring)))
    near: NDArray[np.bool_] = per_range <= limit[recording.ring]
    return near


def _principal(
    sums: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return mean (.., 3), outward direction (.., 3) and number (..) of the summed points."""
    n = np.maximum(sums[..., 0], 1.0)
    mean_m = sums[..., 1:4] / n[..., None]
    square = sums[..., 4:13].reshape(*n.shape, 3, 3) / n[..., None, None]
    _, vectors = np.linalg.eigh(square - mean_m[..., :, None] * mean_m[..., None, :])
    direction = vectors[..., 2]
    outward = np.where(np.einsum("...i,...i->...", direction, mean_m) < 0, -1.0, 1.0)
    return mean_m, direction * outward[..., None], sums[..., 0]


def _lines(sums: NDArray[np.float64], *, has_ranges: bool) -> dict[str, NDArray[np.float64]]:
    """Return angles and offsets of the lasers, from sums (n_draw, n_ring, 14) of `_clean_sums`."""
    mean_m, direction, n = _principal(sums)
    few = n < LEAST_POINTS
    elevation = np.arcsin(direction[..., 2].clip(-1.0, 1.0))
    offset = np.arctan2(direction[..., 1], direction[..., 0])
    up = np.stack(
        (
            -np.sin(elevation) * np.cos(offset),
            -np.sin(elevation) * np.sin(offset),
            np.cos(elevation),
        ),
        axis=-1,
    )
    left = np.stack((-np.sin(offset), np.cos(offset), np.zeros_like(offset)), axis=-1)
    along_m = np.einsum("...i,...i->...", mean_m, direction) - sums[..., 13] / np.maximum(n, 1.0)
    found = {
        "elevation_deg": np.degrees(elevation),
        "azimuth_offset_deg": np.degrees(offset),
        "up_m": np.einsum("...i,...i->...", mean_m, up),
        "left_m": np.einsum("...i,...i->...", mean_m, left),
        "along_m": along_m if has_ranges else np.zeros_like(along_m),
    }
    return {name: np.where(few, np.nan, value) for name, value in found.items()}


def _direction(elevation: NDArray[np.float64], offset: NDArray[np.float64]) -> NDArray[np.float64]:
    flat = np.cos(elevation)
    return np.stack((flat * np.cos(offset), flat * np.sin(offset), np.sin(elevation)), axis=-1)


def _radius(
    lines: dict[str, NDArray[np.float64]], error_m: NDArray[np.float64]
) -> dict[str, NDArray[np.float64]]:
    """Fit one beam origin to all lasers, and return its misfit.

    The origin is a radius n in front of the axis and a height z. A beam from it, with elevation e
    and azimuth offset a, passes the axis at up = z cos e - n sin e cos a and left = -n sin a
    (Ouster sensor documentation, "Lidar range to XYZ").

    Parameters
    ----------
    lines : dict
        Angles and offsets, float64 (n_draw, n_ring).
    error_m : float64 (2 n_ring,)
        Standard deviations of all ``up``, then of all ``left``. [m]

    Returns
    -------
    dict of float64 (n_draw,)
        Radius and height of the origin; 90th percentile of the misfits, in metres (``misfit_m``)
        and in standard deviations (``misfit``).
    """
    elevation, offset = np.radians(lines["elevation_deg"]), np.radians(lines["azimuth_offset_deg"])
    zero = np.zeros_like(elevation)
    design = np.stack(
        (
            np.concatenate((-np.sin(elevation) * np.cos(offset), -np.sin(offset)), axis=1),
            np.concatenate((np.cos(elevation), zero), axis=1),
        ),
        axis=-1,
    )
    wanted = np.concatenate((lines["up_m"], lines["left_m"]), axis=1)
    known = np.isfinite(wanted) & np.isfinite(error_m)
    weight = np.where(known, 1.0 / np.where(known, error_m, 1.0), 0.0)
    design, wanted = np.where(known[..., None], design, 0.0), np.where(known, wanted, 0.0)
    inverse = np.linalg.pinv(design * weight[..., None])
    solution = np.einsum("bij,bj->bi", inverse, wanted * weight)
    misfit_m = np.abs(wanted - np.einsum("bij,bj->bi", design, solution))
    most = [
        [
            np.percentile(one[of], 90) if of.any() else np.inf
            for one, of in zip(each, known, strict=True)
        ]
        for each in (misfit_m, misfit_m * weight)
    ]
    return {
        "radius_m": solution[:, 0],
        "height_m": solution[:, 1],
        "misfit_m": np.array(most[0]),
        "misfit": np.array(most[1]),
    }


def _rounding(recording: Recording, *, angle: bool) -> NDArray[np.float64]:
    """Return how far rounded points can shift each laser's line, float64 (n_ring,) [deg or m].

    Rounding tilts a line more if all its points are at nearly the same range.
    """
    n = np.maximum(np.bincount(recording.ring, minlength=recording.n_ring), 1)
    sums = [
        np.bincount(recording.ring, weights=each, minlength=recording.n_ring) / n
        for each in (recording.range_m, recording.range_m**2)
    ]
    spread_m = np.sqrt(np.maximum(sums[1] - sums[0] ** 2, 1e-6))
    tilt: NDArray[np.float64] = _ROUNDING * sums[0] / spread_m
    return np.degrees(tilt) if angle else tilt * sums[0]


def _findings(
    recording: Recording,
    beams: Beams,
    drawn: dict[str, NDArray[np.float64]],
    radii: dict[str, NDArray[np.float64]],
) -> list[Finding]:
    names = ["elevation_deg", "up_m"]
    if beams.has_headings:
        names[1:1] = ["azimuth_offset_deg"]
        names += ["left_m"]
    found: list[Finding] = [
        _series(recording, beams, name, drawn[name])
        for name in names + (["along_m"] if beams.has_ranges else [])
    ]
    if not beams.has_headings:
        found.append(Absent(name="azimuth_offset_deg", reason="needs the head's heading per point"))
    if not beams.has_ranges:
        found.append(Absent(name="along_m", reason="ranges are distances from the origin"))
    n_known = int(beams.known.sum())
    for name, value in (("radius_m", beams.radius_m), ("height_m", beams.height_m)):
        if value is None:
            found.append(Absent(name=f"beam_origin_{name}", reason="lasers share no beam origin"))
            continue
        low, high = interval(radii[name])
        found.append(
            figure(f"beam_origin_{name}", (value, low, high), n_known, f"lines of {n_known} lasers")
        )
    return found


def _series(recording: Recording, beams: Beams, name: str, drawn: NDArray[np.float64]) -> Series:
    low, high = interval(drawn)
    rounding = _rounding(recording, angle=name.endswith("_deg"))
    return Series(
        name=name,
        labels=tuple(map(str, range(recording.n_ring))),
        values=getattr(beams, name),
        low=low - rounding,
        high=high + rounding,
        n=beams.n,
        fitted_on=f"lines through the points of each laser, {recording.what}",
    )

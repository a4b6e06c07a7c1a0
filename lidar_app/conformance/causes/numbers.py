# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes of wrong numbers of detections, if their positions are right."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import cKDTree

from lidar_app.conformance.causes.geometry import Explained
from lidar_app.conformance.judged import spherical
from lidar_app.conformance.oracle import beam_grid, expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judged import Judged

_MOSTLY = 0.9
_LEAST = 20
"""Least number of beams or detections for which a share means something."""
_MIDDLE = 0.04, 0.96
_NEAR = 0.51
"""Greatest distance between a beam and its detection, in steps of the grid."""


def causes_of_numbers(failed: Sequence[SceneResult]) -> list[Explained]:
    """Return the one cause of too many or too few detections.

    Parameters
    ----------
    failed : sequence of SceneResult
        Results of failed scenes with right positions. Only scenes that failed a judgement of the
        number of detections or of echoes are used.

    Returns
    -------
    list of Explained
        One entry with the cause and its scenes; empty if none is found.
    """
    counted = [
        each
        for each in failed
        if each.judged is not None
        and any(not f.holds and f.check.startswith(("number", "echoes")) for f in each.findings)
    ]
    for cause in (_repeated, _capped, _missing):
        told = cause(counted)
        if told is not None:
            return [told]
    return []


def _explained(text: str, results: Sequence[SceneResult]) -> Explained:
    return Explained(text, tuple(each.scene.name for each in results))


def _judged(results: Sequence[SceneResult]) -> list[Judged]:
    return [each.judged for each in results if each.judged is not None]


def _repeated(results: Sequence[SceneResult]) -> Explained | None:
    """Return a cause if each detection comes several times, else None."""
    times = []
    for each in _judged(results):
        if len(each.scan):
            place = np.stack([each.scan.azimuth_rad, each.scan.elevation_rad, each.scan.range_m], 1)
            times.append(len(place) / len(np.unique(place, axis=0)))
    often = float(np.median(times)) if times else 1.0
    return _explained(f"each detection comes {often:.2g} times", results) if often > 1.5 else None


def _capped(results: Sequence[SceneResult]) -> Explained | None:
    """Return a cause if answers have at most a certain number of detections, else None."""
    counts = np.array([len(each.scan) for each in _judged(results)])
    if len(counts) < 3 or counts.max() < _LEAST:
        return None
    at_most = counts == counts.max()
    if np.count_nonzero(at_most) < max(3, len(counts) / 2):
        return None
    kept = [each for each, is_capped in zip(results, at_most, strict=True) if is_capped]
    return _explained(f"an answer has at most {counts.max()} detections", kept)


def _missing(results: Sequence[SceneResult]) -> Explained | None:
    """Return which beams lack detections as a cause: by object, range, row, azimuth or evenly."""
    told = [_beams(each) for each in _judged(results)]
    kept = [each for each in told if each is not None]
    if not kept:
        return None
    beams = _Beams(*(np.concatenate(each) for each in zip(*kept, strict=True)))
    n_lost = int(np.count_nonzero(~beams.has))
    if n_lost < _LEAST or n_lost < 0.01 * len(beams.has):
        return None
    for words in (_all_lost, _of_kind, _of_rows, _of_range, _of_sector):
        text = words(beams)
        if text:
            return _explained(text, results)
    share = n_lost / len(beams.has)
    return _explained(f"{share:.0%} of the beams that meet a surface have no detection", results)


class _Beams(NamedTuple):
    """Beams that meet a surface within range, and whether each has a detection."""

    azimuth: NDArray[np.float64]
    elevation: NDArray[np.float64]
    range_m: NDArray[np.float64]
    is_moving: NDArray[np.bool_]
    has: NDArray[np.bool_]


def _beams(judged: Judged) -> _Beams | None:
    grid = beam_grid(judged.sheet)
    if grid is None:
        return None
    told = expected(judged.sheet, judged.track, *grid)
    (low_m, high_m), met = judged.sheet.range_m, told.hits[0]
    wanted = told.is_sure() & (met.row >= 0) & (met.range_m >= low_m) & (met.range_m <= high_m)
    azimuth, elevation = (each[wanted] for each in grid)
    moving = np.array([each.kind == "moving_object" for each in judged.moments[-1].things], bool)
    has = _has(judged, azimuth, elevation)
    return _Beams(azimuth, elevation, met.range_m[wanted], moving[met.row[wanted]], has)


def _has(
    judged: Judged, azimuth: NDArray[np.float64], elevation: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return a mask of beams with a detection within half a step of the grid."""
    beams = judged.sheet.beams
    came_az, came_el, range_m = spherical(judged.scan, judged.sheet)
    known = np.isfinite(range_m)
    if beams is None or not known.any():
        return np.zeros(len(azimuth), np.bool_)
    rows = np.radians(np.sort(beams.elevation_deg))
    high = float(np.min(np.diff(rows))) if len(rows) > 1 else 1.0
    wide = float(np.radians(beams.azimuth_step_deg))
    tree = cKDTree(np.stack([_wrapped(came_az[known]) / wide, came_el[known] / high], 1))
    away, _ = tree.query(np.stack([_wrapped(azimuth) / wide, elevation / high], 1), p=np.inf)
    return np.asarray(away <= _NEAR, np.bool_)


def _wrapped(angle_rad: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.mod(angle_rad + np.pi, 2.0 * np.pi) - np.pi)


def _all_lost(beams: _Beams) -> str:
    return "" if beams.has.any() else "no beam that meets a surface has a detection"


def _of_kind(beams: _Beams) -> str:
    for is_moving, name in ((True, "moving"), (False, "stationary")):
        if _are_lost(beams, beams.is_moving == is_moving):
            return f"{name} objects have no detections"
    return ""


def _of_rows(beams: _Beams) -> str:
    degrees = np.round(np.degrees(beams.elevation), 3)
    rows = [row for row in np.unique(degrees) if not beams.has[degrees == row].any()]
    if not rows or not _are_lost(beams, np.isin(degrees, rows)):
        return ""
    names = ", ".join(f"{row:g}" for row in rows[:8]) + (", .." if len(rows) > 8 else "")
    return f"{len(rows)} rows of beams have no detection: elevations {names} deg"


def _of_range(beams: _Beams) -> str:
    """Return in words the range above or below which no beam has a detection, or ""."""
    seen = beams.range_m[beams.has]
    for is_out, text in (
        (beams.range_m > seen.max(), f"nothing is seen beyond {seen.max():.1f} m"),
        (beams.range_m < seen.min(), f"nothing is seen nearer than {seen.min():.1f} m"),
    ):
        if _are_lost(beams, is_out):
            return text
    return ""


def _of_sector(beams: _Beams) -> str:
    """Return in words the single azimuth sector without detections, or ""."""
    degrees = np.degrees(beams.azimuth)
    lost = degrees[~beams.has]
    low, high = np.quantile(lost, _MIDDLE)  # drops outliers: beams that are lost for another reason
    if _are_lost(beams, (degrees >= low) & (degrees <= high)):
        return f"no beam has a detection at azimuths from {low:.1f} to {high:.1f} deg"
    return ""


def _are_lost(beams: _Beams, of: NDArray[np.bool_]) -> bool:
    """Return whether nearly all of these beams have no detection, and nearly all others do."""
    n, n_lost = int(np.count_nonzero(of)), int(np.count_nonzero(~beams.has))
    n_both = int(np.count_nonzero(of & ~beams.has))
    return n >= _LEAST and n_both >= _MOSTLY * n and n_both >= _MOSTLY * n_lost

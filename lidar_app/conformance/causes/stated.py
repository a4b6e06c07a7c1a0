# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Causes in other fields of answers: version, times, ids, velocities, intensities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.causes.geometry import Explained

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judged import Judged

_MOSTLY = 0.9
"""Least share of the most frequent value to count as common to all."""


def causes_of_fields(failed: Sequence[SceneResult]) -> Iterator[Explained]:
    """Yield causes of failed scenes that lie in a single field of the answers, such as the ids."""
    for words in (_version, _times, _ids, _velocity, _strength, _angles):
        told: dict[str, list[str]] = {}
        for each in failed:
            text = words(each)
            if text:
                told.setdefault(text, []).append(each.scene.name)
        yield from (Explained(text, tuple(scenes)) for text, scenes in told.items())


def _broken(result: SceneResult, *checks: str) -> Judged | None:
    """Return the answer of a scene if one of the named judgements fails, else None."""
    broken = any(not each.holds and each.check in checks for each in result.findings)
    return result.judged if broken else None


def _version(result: SceneResult) -> str:
    judged = _broken(result, "version")
    if judged is None:
        return ""
    major = judged.answer.osi_major
    return (
        "answers state no version of OSI"
        if major is None
        else f"answers state version {major} of OSI"
    )


def _times(result: SceneResult) -> str:
    """Return in words the error of the timestamps in a scene, or ""."""
    judged = _broken(result, "timestamp", "last_measurement_time", "measurement_time")
    if judged is None:
        return ""
    asked_ns = result.moments[-1].time_ns
    stated = {
        "timestamp": judged.answer.time_ns,
        "last_measurement_time": judged.answer.last_measurement_ns,
        "measurement_time": judged.scan.measured_ns,
    }
    missing = [name for name, time_ns in stated.items() if time_ns is None]
    if missing:
        return f"answers state no {', '.join(missing)}"
    off = {name: 1e-9 * ((time_ns or 0) - asked_ns) for name, time_ns in stated.items()}
    broken = [each.check for each in result.findings if not each.holds and each.check in stated]
    words = ", ".join(
        f"{name} is {abs(off[name]):.3f} s {'after' if off[name] > 0 else 'before'} its message"
        for name in broken
    )
    return f"times of answers are off: {words}"


def _ids(result: SceneResult) -> str:
    judged = _broken(result, "object ids")
    if judged is None:
        return ""
    if not judged.scan.has_object_id.any():
        return "detections state no object id"
    told = judged.expected
    sure = told.is_sure() & (told.hits[0].row >= 0)
    off = (judged.object_id[sure] - told.hits[0].object_id[sure]).astype(np.int64)
    value, share = _common(off)
    if share >= _MOSTLY:
        return f"object ids are {value:+d} from the ids of the objects"
    seen, share = _common(judged.object_id[sure].astype(np.int64))
    if share >= _MOSTLY:
        return f"all detections state one object id, {np.uint64(seen & (2**64 - 1))}"
    for bits in (8, 16, 32):
        if np.array_equal(judged.object_id[sure], told.hits[0].object_id[sure] % 2**bits):
            return f"object ids are cut to {bits} bits"
    return "object ids do not belong to the objects in the directions of their detections"


def _common(values: NDArray[np.int64]) -> tuple[int, float]:
    """Return the most frequent value, and its share."""
    if not len(values):
        return 0, 0.0
    each, counts = np.unique(values, return_counts=True)
    return int(each[np.argmax(counts)]), float(counts.max() / len(values))


def _velocity(result: SceneResult) -> str:
    judged = _broken(result, "radial velocity")
    if judged is None:
        return ""
    on = judged.expected.is_sure() & (judged.expected.hits[0].row >= 0)
    came = judged.scan.radial_velocity_m_s[judged.kept][on]
    told = judged.expected.hits[0].radial_m_s[on]
    known = np.isfinite(came) & (np.abs(told) > 1.0)
    if not known.any():
        return "" if np.isfinite(came).any() else "detections state no radial velocity"
    factors = came[known] / told[known]
    factor = float(np.median(factors))
    if np.median(np.abs(factors - factor)) > 0.05 * abs(factor):
        return "radial velocities do not fit the objects along the beams"
    if abs(factor + 1.0) < 0.02:
        return "radial velocities have the other sign: OSI's are positive for what comes nearer"
    return f"radial velocities are {factor:.3g} times as large as they are"


def _strength(result: SceneResult) -> str:
    """Return in words the error of the intensities in a scene, or ""."""
    judged = _broken(result, "intensity")
    if judged is None:
        return ""
    strength = judged.scan.intensity_percent
    known = strength[np.isfinite(strength)]
    if not len(known):
        return "detections state no intensity"
    if float(np.ptp(known)) <= 1e-6 * max(1.0, abs(float(known[0]))):
        return f"all detections have the same intensity, {float(known[0]):g} %"
    if result.scene.name not in {"intensity_by_range", "intensity_by_incidence"}:
        return ""
    return _law(judged)


def _law(judged: Judged) -> str:
    """Return in words the law of two plates' intensities if it is not the sheet's, or ""."""
    met, kept = judged.expected.hits[0], judged.kept
    sure = judged.expected.is_sure() & (met.row >= 0)
    parts = [sure & (met.row == row) for row in (0, 1)]
    if not all(part.any() for part in parts):
        return ""
    strength = judged.scan.intensity_percent[kept]
    (near, far), (near_m, far_m), (flat, tilted) = (
        [float(np.median(values[part])) for part in parts]
        for values in (strength, met.range_m, met.cos_incidence)
    )
    law = judged.sheet.intensity
    if min(near, far) <= 0.0:
        return "intensities of a plate are 0"
    if abs(far_m / near_m - 1.0) > 0.5:
        power = -np.log((far / near) * (flat / tilted)) / np.log(far_m / near_m)
        told = f"intensities fall with the range to the power of {_tenths(power)}"
        return f"{told}, where the sheet says {law.range_exponent:g}"
    by_range = (near_m / far_m) ** law.range_exponent
    power = np.log(far / near / by_range) / np.log(tilted / flat)
    told = f"intensities fall with the cosine of the incidence to the power of {_tenths(power)}"
    return f"{told}, where the sheet says {1 if law.incidence == 'lambertian' else 0}"


def _tenths(value: float) -> str:
    """Format a number with one decimal, and zero without a sign."""
    return f"{round(float(value), 1) + 0.0:.1f}"


def _angles(result: SceneResult) -> str:
    """Return in words that angles are in degrees, if they exceed a full turn in radians, or ""."""
    judged = _broken(result, "units")
    if judged is None or not len(judged.scan):
        return ""
    angles = np.concatenate([judged.scan.azimuth_rad, judged.scan.elevation_rad])
    if np.nanmax(np.abs(angles)) > 2.0 * np.pi:
        return "angles are in degrees, where OSI has radians"
    return ""

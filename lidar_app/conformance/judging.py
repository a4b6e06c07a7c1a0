# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Judgements that scenes share: on ranges, numbers of detections, and object ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lidar_app.conformance.judged import spherical
from lidar_app.conformance.oracle import beam_grid, expected
from osi_bridge import NO_OBJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_app.conformance.judged import Judged

_SIGMAS = 4.0


class Finding(NamedTuple):
    """The judgement of one property of an answer of a tested model.

    Attributes
    ----------
    check : str
        Name of the judgement, such as "range".
    expected, came : str
        Value by exact geometry (closed form), and value in the answer, in words.
    holds : bool
        Whether both agree.
    """

    check: str
    expected: str
    came: str
    holds: bool


def ranges(judged: Judged, *, coarse: bool = True) -> Finding:
    """Judge whether the ranges of an answer agree with exact geometry in their directions.

    A share `margins.share` of the ranges, as in the data sheet, may exceed the limit of the error.
    Without detections, the judgement does not hold.

    Parameters
    ----------
    judged : Judged
        The answer.
    coarse : bool
        Whether the limit is the sheet's `coarse_m`; if False, it is the sheet's `tolerance_m`.
    """
    limit_m = judged.sheet.coarse_m if coarse else judged.sheet.tolerance_m
    n, off_m = len(judged.off_m), judged.off_m[~(judged.off_m <= limit_m)]
    n_off = len(off_m)
    came = _words_of_off(judged.off_m, off_m) if n else "no detection"
    told = f"each within {_metres(limit_m)} of the closed form"
    return Finding("range", told, came, n > 0 and n_off <= judged.sheet.margins.share * n)


def _words_of_off(all_m: NDArray[np.float64], off_m: NDArray[np.float64]) -> str:
    """Return in words how many detections are off, and by how much."""
    if not len(off_m):
        return f"all {len(all_m)} fit, the worst is {_metres(float(np.max(all_m)))} off"
    told = [f"{len(off_m)} of {len(all_m)} are off"]
    for number, words in (
        (np.count_nonzero(np.isinf(off_m)), "meet nothing"),
        (np.count_nonzero(np.isnan(off_m)), "are no numbers"),
    ):
        if number:
            told.append(f"{number} {words}")
    known = off_m[np.isfinite(off_m)]
    if len(known):
        by = f"{_metres(float(np.median(known)))} in the median"
        told.append(f"off by {by}" if len(told) == 1 else f"the others are off by {by}")
    return f"{told[0]}: {', '.join(told[1:])}"


def trueness(judged: Judged) -> Finding:
    """Judge the mean range error (trueness) of all beams that meet only one surface.

    Its absolute value may be at most the sheet's `range_trueness_m` plus four standard deviations
    of the mean. Without detections on surfaces, the judgement does not hold.

    Parameters
    ----------
    judged : Judged
        The answer.
    """
    error_m = (judged.range_m - judged.expected.hits[0].range_m)[judged.expected.is_sure()]
    error_m = error_m[np.isfinite(error_m)]
    if not len(error_m):
        return Finding("trueness", "detections on surfaces", "none", holds=False)
    of = judged.sheet.errors
    limit_m = of.range_trueness_m + _SIGMAS * of.range_sigma_m / np.sqrt(len(error_m))
    mean_m = float(np.mean(error_m))
    told = f"mean error within {_metres(limit_m)} (4 sigma of the mean)"
    return Finding("trueness", told, _metres(mean_m), abs(mean_m) <= limit_m)


def numbers(judged: Judged, *object_ids: int) -> Finding | None:
    """Judge the number of detections on some objects.

    The expected number is the number of beams whose axis meets these objects within the sheet's
    range limits. The tolerance has two parts: a share `margins.number` of the expected number, and
    `margins.edges` beams for each place in a row of beams where an object begins or ends. A beam
    that meets the objects only in part may have a detection or none.

    Parameters
    ----------
    judged : Judged
        The answer.
    *object_ids : int
        OSI ids of the objects; without any, all boxes count.

    Returns
    -------
    Finding or None
        None if the data sheet states no beams.
    """
    grid = beam_grid(judged.sheet)
    if grid is None:
        return None
    told = expected(judged.sheet, judged.track, *grid)
    low_m, high_m = judged.sheet.range_m
    parts = np.stack(
        [
            _is_one_of(each.object_id, object_ids)
            & (low_m <= each.range_m)
            & (each.range_m <= high_m)
            for each in told.hits
        ]
    )
    n, n_all, n_any = map(np.count_nonzero, (parts[0], parts.all(axis=0), parts.any(axis=0)))
    n_edge = _n_edge(parts[0], len(judged.sheet.beams.elevation_deg) if judged.sheet.beams else 1)
    came = int(np.count_nonzero(_on(judged, object_ids)))
    of = judged.sheet.margins
    slack = of.edges * n_edge + of.number * n
    on = "boxes" if not object_ids else f"objects {', '.join(map(str, object_ids))}"
    text = f"{n} beams meet {on}, within {slack:.0f}"
    holds = min(n - slack, n_all) <= came <= max(n + slack, n_any)
    return Finding(
        "number", text, f"{came} of {len(judged.scan)} detections lie there", bool(holds)
    )


def _on(judged: Judged, object_ids: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of all detections that lie on these objects, by their positions."""
    azimuth, elevation, range_m = spherical(judged.scan, judged.sheet)
    told = expected(judged.sheet, judged.track, azimuth, elevation)
    limit_m = judged.sheet.coarse_m
    near = (range_m >= told.low_m - limit_m) & (range_m <= told.high_m + limit_m)
    return near & _is_one_of(told.hits[0].object_id, object_ids)


def objects(judged: Judged) -> Finding | None:
    """Judge whether detections state the id of the object that they lie on.

    Only detections whose whole beam meets one object, or the ground, count. A share `margins.share`
    of them may be wrong. Without such detections, the judgement does not hold.

    Parameters
    ----------
    judged : Judged
        The answer.

    Returns
    -------
    Finding or None
        None if the data sheet does not claim `object_ids`.
    """
    if not judged.sheet.claims("object_ids"):
        return None
    sure = judged.expected.is_sure() & judged.expected.is_hit()
    wrong = sure & ~judged.expected.may_be(judged.object_id)
    seen = ", ".join(map(str, np.unique(judged.object_id[wrong])[:3]))
    came = f"{np.count_nonzero(wrong)} of {np.count_nonzero(sure)} wrong"
    came += f": {seen}" if seen else ""
    n_sure = np.count_nonzero(sure)
    holds = n_sure > 0 and np.count_nonzero(wrong) <= judged.sheet.margins.share * n_sure
    return Finding("object ids", "the id of the box in each direction", came, bool(holds))


def _is_one_of(found: NDArray[np.uint64], object_ids: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of ids that are in `object_ids`; if that is empty, of ids of any box."""
    if not object_ids:
        box: NDArray[np.bool_] = found != np.uint64(NO_OBJECT)
        return box
    return np.isin(found, np.array(object_ids, np.uint64))


def _n_edge(wanted: NDArray[np.bool_], n_rows: int) -> int:
    """Count horizontal neighbours with different values in a grid, stored column by column."""
    grid = wanted.reshape(-1, n_rows)
    return int(np.count_nonzero(grid[1:] != grid[:-1]) + np.count_nonzero(grid[0] != grid[-1]))


def _metres(value: float) -> str:
    return f"{1e3 * value:.1f} mm" if abs(value) < 1.0 else f"{value:.2f} m"

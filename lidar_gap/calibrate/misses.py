# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Dropouts, false alarms, and pixels that return in some scans only (flicker)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.given import given
from lidar_gap.calibrate.bootstrap import share
from lidar_gap.calibrate.findings import Absent, figure
from lidar_gap.layout import wrapped_deg

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_gap.calibrate.findings import Figure, Finding
    from lidar_gap.calibrate.recording import Recording

_SMOOTH_M, _SMOOTH_SHARE = 0.15, 0.03
_ALONE_M, _ALONE_SHARE = 0.5, 0.05
_LEAST_FRAMES = 3


@dataclass(frozen=True, kw_only=True)
class _Images:
    """Range images of all frames: rings from top to bottom, and columns; NaN without a return.

    ``point`` holds the row of each pixel's point in the recording, -1 without a return.
    """

    range_m: NDArray[np.float64]
    point: NDArray[np.intp]


def find_misses(recording: Recording) -> list[Finding]:
    """Return the shares of dropouts, of false alarms, and of pixels that return in some scans only.

    A pixel is one firing of one laser; it returns if it has a point. The points come from
    ``recording`` (`Recording`). The result is a list of four findings, and a share that cannot be
    found is `Absent`:

    - ``drop_probability``: of the pixels within smooth surfaces, the share without a return;
    - ``false_alarm_share``: of the nearest points of all pixels, the share without a point at about
      the same range in the surrounding pixels. This point may be in the same scan, or in the scan
      before or after;
    - ``flicker_share``: of the pixels that return in any scan, the share that does not return in
      all scans;
    - ``change_share``: of the same pixels, the mean share that returns in just one of two
      successive scans.

    All of them need the firing numbers of the points. False alarms also need three scans at rest,
    the last two shares need two.
    """
    names = ("drop_probability", "false_alarm_share", "flicker_share", "change_share")
    if recording.column is None:
        return [Absent(name=name, reason="needs the firing of each point") for name in names]
    images = _images(recording)
    found = [_drops(recording, images)]
    if not recording.at_rest or recording.n_frame < _LEAST_FRAMES:
        reason = f"needs {_LEAST_FRAMES} scans at rest"
        found.append(Absent(name=names[1], reason=reason))
    else:
        found.append(_false_alarms(recording, images))
    return [*found, *_flicker(recording, images)]


def _images(recording: Recording) -> _Images:
    """Return the range images; a column is a firing. Columns of scans at rest are aligned."""
    column = given(recording.column)
    column = column - column.min()
    if recording.at_rest:
        column = _aligned(recording, column)
    n_column = int(column.max()) + 1
    row = _rank_by_elevation(recording)[recording.ring]
    shape = (recording.n_frame, recording.n_ring, n_column)
    flat = (recording.frame * recording.n_ring + row) * n_column + column
    far_first = np.argsort(-recording.range_m, kind="stable")
    point = np.full(int(np.prod(shape)), -1, np.intp)
    point[flat[far_first]] = far_first
    range_m = np.where(point >= 0, recording.range_m[point], np.nan)
    return _Images(range_m=range_m.reshape(shape), point=point.reshape(shape))


def _rank_by_elevation(recording: Recording) -> NDArray[np.intp]:
    """Return the image row of each laser, 0 for the highest elevation."""
    z_m = recording.points_m[:, 2] / np.linalg.norm(recording.points_m, axis=1)
    n = np.maximum(np.bincount(recording.ring, minlength=recording.n_ring), 1)
    mean = np.bincount(recording.ring, weights=z_m, minlength=recording.n_ring) / n
    rank = np.empty(recording.n_ring, np.intp)
    rank[np.argsort(-mean)] = np.arange(recording.n_ring)
    return rank


def _aligned(recording: Recording, column: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return column numbers such that each column has the same heading in all frames at rest."""
    angle_deg = recording.bearing_deg if recording.heading_deg is None else recording.heading_deg
    of_laser = recording.ring == np.argmax(np.bincount(recording.ring))
    lines: list[tuple[float, float] | None] = []
    for frame in range(recording.n_frame):
        rows = np.flatnonzero(of_laser & (recording.frame == frame))
        rows = rows[np.argsort(column[rows], kind="stable")]
        lines.append(_straight(column[rows], angle_deg[rows]) if len(rows) > 1 else None)
    step_deg, usual_deg = np.median([each for each in lines if each] or [(1.0, 0.0)], axis=0)
    # a frame with hardly any point of the laser takes the usual line
    own_step, start_deg = np.array([each or (step_deg, usual_deg) for each in lines]).T
    turned = wrapped_deg(start_deg - start_deg[0])
    place = (turned[recording.frame] + own_step[recording.frame] * column) / step_deg
    aligned: NDArray[np.intp] = np.rint(place).astype(np.intp) % round(360.0 / abs(step_deg))
    return aligned


def _straight(column: NDArray[np.intp], angle_deg: NDArray[np.float64]) -> tuple[float, float]:
    """Fit a frame's headings by a straight line over columns; return step and start [deg]."""
    after = np.diff(column)
    turn_deg = wrapped_deg(np.diff(angle_deg))[after == 1]
    step_deg = float(np.median(turn_deg)) if len(turn_deg) else 1.0
    left_deg = wrapped_deg(angle_deg - angle_deg[0] - step_deg * (column - column[0]))
    slope, offset = np.polyfit(column - column[0], left_deg, 1)
    return step_deg + slope, angle_deg[0] + offset - (step_deg + slope) * column[0]


def _drops(recording: Recording, images: _Images) -> Finding:
    """Return the share of dropouts among pixels on smooth surfaces.

    The two neighbours on each side of such a pixel return at nearly the same range.
    """
    range_m = images.range_m
    around = [range_m[..., 0:-4], range_m[..., 1:-3], range_m[..., 3:-1], range_m[..., 4:]]
    stack = np.stack(around)
    with np.errstate(invalid="ignore"):
        spread_m = stack.max(axis=0) - stack.min(axis=0)  # NaN where a scan has no return
        smooth = spread_m < _SMOOTH_M + _SMOOTH_SHARE * around[1]
    hole = np.isnan(range_m[..., 2:-2])[smooth]
    block = recording.block[images.point[..., 1:-3][smooth]]
    if not len(hole):
        return Absent(name="drop_probability", reason="no smooth surface")
    found = share(hole, block, recording.n_block)
    what = f"holes inside smooth surfaces, {recording.what}"
    return figure("drop_probability", found, len(hole), what)


def _false_alarms(recording: Recording, images: _Images) -> Figure:
    """Return the share of points without a near point in the surrounding pixels.

    The pixels of the same scan, of the previous scan and of the next scan count.
    """
    range_m = images.range_m
    limit_m = _ALONE_M + _ALONE_SHARE * range_m
    supported = np.zeros(range_m.shape, np.bool_)
    n_frame = len(range_m)
    frames = np.arange(n_frame)
    for after in (-1, 0, 1):
        other = range_m[(frames + after).clip(0, n_frame - 1)]
        same_scan = (frames + after).clip(0, n_frame - 1) == frames
        for down in (-1, 0, 1):
            for aside in (-2, -1, 0, 1, 2):
                moved = np.roll(other, aside, axis=2)
                moved = _moved_rows(moved, down)
                with np.errstate(invalid="ignore"):
                    near = np.abs(moved - range_m) < limit_m
                if down == aside == 0:
                    near[same_scan] = False
                supported |= near
    there = np.isfinite(range_m)
    alone = ~supported[there]
    found = share(alone, recording.block[images.point[there]], recording.n_block)
    what = f"points without a neighbour in space and time, {recording.what}"
    return figure("false_alarm_share", found, int(there.sum()), what)


def _moved_rows(image: NDArray[np.float64], down: int) -> NDArray[np.float64]:
    """Return images moved down (1) or up (-1) by one row; the row that becomes free is NaN."""
    if down == 0:
        return image
    moved = np.full_like(image, np.nan)
    if down > 0:
        moved[:, 1:] = image[:, :-1]
    else:
        moved[:, :-1] = image[:, 1:]
    return moved


def _flicker(recording: Recording, images: _Images) -> list[Finding]:
    """Return the share of pixels that return in some scans only, and the share of changes.

    A change is a pixel that returns in only one of two successive scans.
    """
    if not recording.at_rest:
        reason = "needs scans at rest"
        return [Absent(name=name, reason=reason) for name in ("flicker_share", "change_share")]
    there = np.isfinite(images.range_m)
    seen = there.any(axis=0)
    block = recording.block[images.point.max(axis=0)[seen]]
    sometimes = np.asarray(~there.all(axis=0))[seen]
    changes = (there[1:] != there[:-1]).mean(axis=0)[seen]
    n, what = int(seen.sum()), f"pixels that return at all, {recording.what}"
    return [
        figure("flicker_share", share(sometimes, block, recording.n_block), n, what),
        figure("change_share", share(changes, block, recording.n_block), n, what),
    ]

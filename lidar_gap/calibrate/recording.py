# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A recording as arrays over the points of all frames, with blocks for bootstrap intervals."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.found_layout import MOST_KNOWN_COLUMNS, MOST_RINGS, found_layout
from lidar_gap.ring_order import rings_in_order
from lidar_gap.rings import ring_ranks
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud

logger = logging.getLogger(__name__)

_SECTORS_AT_REST, _SECTORS_MOVING = 36, 12
_LEAST_POINTS = 1000
_LEAST_RANGE_M = 0.05
_REST_M, _REST_SHARE = 0.1, 0.7


@dataclass(frozen=True, kw_only=True)
class Recording:
    """All points of a recording: arrays with one value for each point, frame after frame.

    Attributes
    ----------
    frame, ring : intp
        Number of the frame; number of the laser, in the maker's order. Both count from 0.
    points_m : float64 (n_point, 3)
        Points in the sensor frame. [m]
    range_m : float64
        Range as reported by the sensor. [m]
    bearing_deg : float64
        Azimuth of the point, 0 to 360, counter-clockwise from x. [deg]
    heading_deg : float64 or None
        Heading of the sensor's head at the firing, counter-clockwise from x. [deg]
    column, echo : intp or None
        Number of the firing in its frame; number of the echo, 0 for the nearest echo of its beam.
    time_s : float64 or None
        Time since the first firing of the point's frame. [s]
    intensity, signal : float64 or None
        Intensity as in the file, in the maker's unit; strength of the echo: photons for Ouster
        sensors, signal-to-noise ratio for simulated ones. An attribute that may be None is None if
        any frame lacks it.
    n_frame, n_ring : int
        Number of frames; largest laser number plus one.
    """

    frame: NDArray[np.intp]
    ring: NDArray[np.intp]
    points_m: NDArray[np.float64]
    range_m: NDArray[np.float64]
    bearing_deg: NDArray[np.float64]
    heading_deg: NDArray[np.float64] | None
    column: NDArray[np.intp] | None
    echo: NDArray[np.intp] | None
    time_s: NDArray[np.float64] | None
    intensity: NDArray[np.float64] | None
    signal: NDArray[np.float64] | None
    n_frame: int
    n_ring: int

    @cached_property
    def step_deg(self) -> float:
        """Median azimuth difference between neighbouring points of a ring [deg]."""
        order = np.lexsort((self.bearing_deg, self.ring, self.frame))
        gap = np.diff(self.bearing_deg[order])
        same = (np.diff(self.ring[order]) == 0) & (np.diff(self.frame[order]) == 0)
        return float(np.median(gap[same & (gap > 1e-3)]))

    @cached_property
    def at_rest(self) -> bool:
        """Whether neither the sensor nor most of the scene moves between the frames.

        Each frame is compared with the next: the share of points whose range differs by less than
        0.1 m from the point at the same azimuth. The result is True if the median of these shares
        is above 70 %. A single frame gives False.
        """
        if self.n_frame < 2:
            return False
        shares = []
        for frame in range(self.n_frame - 1):
            here, there = self.ordered(frame), self.ordered(frame + 1)
            if not len(here) or not len(there):  # no point is a nearest echo
                continue
            key = self.key[there]
            nearest = np.searchsorted(key, self.key[here]).clip(0, len(there) - 1)
            change_m = np.abs(self.range_m[there[nearest]] - self.range_m[here])
            shares.append(np.mean(change_m < _REST_M))
        return bool(shares) and float(np.median(shares)) > _REST_SHARE

    @cached_property
    def key(self) -> NDArray[np.float64]:
        """Key that sorts points by ring, then azimuth, (n_point,): 1000 ring + ``bearing_deg``."""
        return 1000.0 * self.ring + self.bearing_deg

    def ordered(self, frame: int) -> NDArray[np.intp]:
        """Return indices of one frame's points, sorted by ring, then azimuth.

        Only the nearest echo of each beam counts. The indices are into this recording's arrays.
        """
        chosen = self.frame == frame
        if self.echo is not None:
            chosen &= self.echo == 0
        rows = np.flatnonzero(chosen)
        return rows[np.argsort(self.key[rows], kind="stable")]

    @cached_property
    def block(self) -> NDArray[np.intp]:
        """Number of each point's block, from 0, (n_point,); the bootstrap resamples blocks.

        A block holds the points in one sector of azimuth: from all frames if the recording is at
        rest, otherwise from one frame.
        """
        if self.at_rest:
            return (self.bearing_deg / 360.0 * _SECTORS_AT_REST).astype(np.intp) % _SECTORS_AT_REST
        sector = (self.bearing_deg / 360.0 * _SECTORS_MOVING).astype(np.intp) % _SECTORS_MOVING
        return self.frame * _SECTORS_MOVING + sector

    @property
    def n_block(self) -> int:
        """Number of blocks of points that the bootstrap resamples."""
        return _SECTORS_AT_REST if self.at_rest else self.n_frame * _SECTORS_MOVING

    @property
    def what(self) -> str:
        """Number of frames, and whether they are at rest, in words: "12 frames at rest"."""
        frames = "1 frame" if self.n_frame == 1 else f"{self.n_frame} frames"
        return f"{frames}{' at rest' if self.at_rest else ''}"


def record(clouds: Sequence[ScanCloud]) -> Recording:
    """Return the points of all clouds of one sensor as one recording.

    Points nearer than 5 cm are left out. With a warning, so are clouds without other points, and
    clouds without ring numbers whose order of points gives another number of rings than most do.

    Raises
    ------
    InputError
        If the clouds have fewer than 1000 points, no rings are found in them, all points have the
        same azimuth, or numbers of rings or columns are outside the possible range.
    """
    clouds = [each.rows(each.range_m > _LEAST_RANGE_M) for each in clouds]
    n_point = sum(map(len, clouds))
    if n_point < _LEAST_POINTS:
        raise InputError(f"calibrate: got {n_point} points, expected at least {_LEAST_POINTS}")
    clouds = _with_points(_with_rings(_of_one_order(_with_points(clouds))))
    for each in clouds:
        _check_numbers(each.name, "lasers", each.ring, MOST_RINGS)
        _check_numbers(each.name, "firings", each.column, MOST_KNOWN_COLUMNS)
    points_m = np.concatenate([each.points_m for each in clouds])
    ring = np.concatenate([each.ring for each in clouds if each.ring is not None]).astype(np.intp)
    bearing_deg = np.degrees(np.arctan2(points_m[:, 1], points_m[:, 0])) % 360.0
    if not np.ptp(bearing_deg):
        raise InputError("calibrate: all points have the same azimuth, expected points all around")
    return Recording(
        frame=np.repeat(np.arange(len(clouds)), [len(each) for each in clouds]),
        ring=ring,
        points_m=points_m,
        range_m=np.concatenate([each.range_m for each in clouds]),
        bearing_deg=bearing_deg,
        heading_deg=_floats(clouds, "azimuth_deg"),
        column=_numbers(clouds, "column"),
        echo=_numbers(clouds, "echo"),
        time_s=_floats(clouds, "time_s"),
        intensity=_floats(clouds, "intensity"),
        signal=_floats(clouds, "signal"),
        n_frame=len(clouds),
        n_ring=int(ring.max()) + 1,
    )


def _check_numbers(name: str, what: str, numbers: NDArray[np.int32] | None, most: int) -> None:
    """Raise InputError if numbers of a cloud are out of range for lasers or firings."""
    if numbers is None or not len(numbers):
        return
    low, high = int(numbers.min()), int(numbers.max())
    if low < 0 or high >= most:
        raise InputError(
            f"calibrate: {name}: numbers of {what} from {low} to {high}, expected 0 to {most - 1}"
        )


def _with_points(clouds: Sequence[ScanCloud]) -> list[ScanCloud]:
    """Return the clouds that have points; warn of the others."""
    empty = [each.name for each in clouds if not len(each)]
    if empty:
        logger.warning(
            "left out, because they have no usable point: %d of %d clouds, the first is %s",
            len(empty), len(clouds), empty[0],
        )  # fmt: skip
    return [each for each in clouds if len(each)]


def _of_one_order(clouds: Sequence[ScanCloud]) -> list[ScanCloud]:
    """Return the clouds whose rows form the usual number of rings; leave out the others.

    Rings are counted where the azimuth of the rows has gone once around. A point that jitters at
    the seam can end a ring too early, and a cloud may be cut off. This affects one cloud among
    hundreds, and the others contain the same information.
    """
    orders = [None if each.ring is not None else rings_in_order(each.points_m) for each in clouds]
    counts = [0 if order is None else int(order[-1]) + 1 for order in orders]
    usual, n_usual = Counter(counts).most_common(1)[0]
    if not usual or 2 * n_usual <= len(clouds):
        return list(clouds)
    other = [cloud.name for cloud, count in zip(clouds, counts, strict=True) if count != usual]
    if other:
        logger.warning(
            "left out, because they do not have %d rings as most clouds have: %d of %d clouds, the "
            "first is %s", usual, len(other), len(clouds), other[0],
        )  # fmt: skip
    return [cloud for cloud, count in zip(clouds, counts, strict=True) if count == usual]


def _with_rings(clouds: Sequence[ScanCloud]) -> list[ScanCloud]:
    """Return clouds with a laser number for each point; if missing, it is found from the points."""
    if all(each.ring is not None for each in clouds):
        return list(clouds)
    layout = found_layout(clouds, origin_m=None)
    numbered = []
    for cloud in clouds:
        rank = ring_ranks(cloud, layout)
        inside = rank >= 0
        ring = layout.ring_number[rank[inside]].astype(np.int32)
        numbered.append(replace(cloud.rows(inside), ring=ring))
    return numbered


def on_grid(recording: Recording, n_column: int) -> Recording:
    """Return a copy of a recording whose ``column`` is computed from the azimuths of the points.

    The azimuths of each ring in each frame are rounded to a grid of ``n_column`` steps per turn;
    the grid is shifted to fit them best.
    """
    turns = -recording.bearing_deg / 360.0 * n_column  # heads turn clockwise
    group = recording.frame * recording.n_ring + recording.ring
    wave = np.exp(2j * np.pi * turns)
    sums = [
        np.bincount(group, weights=each, minlength=recording.n_frame * recording.n_ring)
        for each in (wave.real, wave.imag)
    ]
    phase = np.arctan2(sums[1], sums[0])[group] / (2.0 * np.pi)
    return replace(recording, column=np.rint(turns - phase).astype(np.intp) % n_column)


def _floats(clouds: Sequence[ScanCloud], name: str) -> NDArray[np.float64] | None:
    """Return a column of all clouds, or None if one of them lacks it."""
    values = [getattr(each, name) for each in clouds]
    if any(value is None for value in values):
        return None
    return np.concatenate(values).astype(np.float64)


def _numbers(clouds: Sequence[ScanCloud], name: str) -> NDArray[np.intp] | None:
    """Return a column of whole numbers of all clouds, or None if one of them lacks it."""
    values = _floats(clouds, name)
    return None if values is None else values.astype(np.intp)

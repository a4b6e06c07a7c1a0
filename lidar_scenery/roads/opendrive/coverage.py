# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Checks of reference lines: where a road has one, and where it is missing, doubled, displaced."""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice, pairwise
from typing import TYPE_CHECKING

import numpy as np

from lidar_scenery.roads.opendrive.cubics import SEAM_M
from lidar_scenery.roads.opendrive.reference_line import Polynomial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lidar_scenery.roads.opendrive.records import LaneSection, Road, Span
    from lidar_scenery.roads.opendrive.reference_line import LinePiece
    from lidar_scenery.roads.opendrive.remarks import MapRemarks

GAP_M = 0.01
"""Pieces with a smaller gap count as joined: maps round their numbers. [m]"""
STRETCH = 0.01
"""Largest relative difference between the length of a polynomial and the length that the map states
for it; a larger difference is noted. [-]"""

_LEAST_SPAN_M = 1.1 * SEAM_M  # pieces without a length are one seam long


def spans_of(pieces: Sequence[LinePiece], length_m: float) -> tuple[Span, ...]:
    """Return the stretches (start, end) of stations along which a road has a reference line [m].

    Gaps of up to `GAP_M` between pieces of the line, and at both ends of the road, are closed.

    Parameters
    ----------
    pieces : sequence of LinePiece
        Pieces of the reference line, in the order of their stations.
    length_m : float
        Length of the road. [m]
    """
    spans = [(0.0, 0.0)]
    for piece in pieces:
        start, end = piece.start_m, piece.start_m + piece.length_m
        if start <= spans[-1][1] + GAP_M:
            spans[-1] = spans[-1][0], max(spans[-1][1], end)
        else:
            spans.append((start, end))
    held = ((start, length_m if end >= length_m - GAP_M else end) for start, end in spans)
    return tuple((start, end) for start, end in held if end - start > _LEAST_SPAN_M)


def within(section: LaneSection, spans: Sequence[Span]) -> Iterator[LaneSection]:
    """Yield the part of a lane section within each span of stations, if it is longer than 2 mm.

    `spans` has the stretches with a reference line, from `spans_of`. Each result is the section
    with its start and end station moved to the span.
    """
    first = bisect_right(spans, section.start_m, key=lambda span: span[1])
    for low, high in islice(spans, first, None):
        if low >= section.end_m:
            return
        start, end = max(section.start_m, low), min(section.end_m, high)
        if end - start > 2.0 * SEAM_M:
            yield section._replace(start_m=start, end_m=end)


def note_course(road: Road, remarks: MapRemarks) -> None:
    """Add notes on faults in the course of a road to `remarks`.

    Faults are gaps, overlaps and jumps of the reference line; a length that differs from the stated
    one; profiles (such as the elevation) and lane sections that begin after the start of the road;
    and lane widths that begin after the start of their lane.
    """
    name = f"road {road.name:.40}"
    ends = [0.0, *(end for span in road.spans for end in span), road.length_m]
    for start, stop in zip(ends[0::2], ends[1::2], strict=True):
        if stop > start:
            remarks.add(
                name,
                "the road without them",
                f"{stop - start:g} m of it, from s = {start:g} to {stop:g} m, have no reference "
                "line in its planView",
            )
    for place_m, used, reason in (*_faults(road), *_late(road)):
        remarks.add(f"{name} ({place_m})", used, reason)


def _faults(road: Road) -> Iterator[tuple[str, str, str]]:
    """Yield (place, what was used, reason) where pieces of a reference line do not fit."""
    pieces = [piece for piece in road.geometries if piece.length_m > SEAM_M]
    if not pieces:
        return
    longer = max(piece.start_m + piece.length_m for piece in pieces) - road.length_m
    if longer > GAP_M:
        yield (
            f"{longer:g} m",
            "the length of the road",
            "its reference line is longer than the road",
        )
    for piece, after in pairwise(pieces):
        ahead = after.start_m - piece.start_m
        doubled = piece.length_m - ahead
        if doubled > GAP_M:
            reason = "pieces of its reference line overlap"
            place = f"{doubled:g} m at s = {after.start_m:g} m"
            yield place, "the later one from its start", reason
        if doubled > -GAP_M:
            end = piece.plan(np.array([ahead]))
            jump = float(np.hypot(end.x_m[0] - after.x_m, end.y_m[0] - after.y_m))
            if jump > GAP_M:
                reason = "its reference line jumps between pieces"
                yield f"{jump:.3g} m at s = {after.start_m:g} m", "both, joined straight", reason
    for piece in pieces:
        if isinstance(piece.curve, Polynomial):
            length = float(piece.curve.arc_lengths()[1][-1])
            if abs(length - piece.length_m) > max(GAP_M, STRETCH * piece.length_m):
                used = "the curve, stretched or shortened to the length that is stated"
                reason = "a polynomial of its reference line has another length than is stated"
                yield f"{length:g} m for {piece.length_m:g} m", used, reason


def _late(road: Road) -> Iterator[tuple[str, str, str]]:
    """Yield (place, what was used, reason) for profiles and lanes that begin after the road."""
    profiles = {
        "elevation": road.elevation,
        "superelevation": road.roll,
        "crossfall": road.left_fall or road.right_fall,
        "lane offset": road.lane_offset,
    }
    for words, curve in profiles.items():
        if len(curve.starts_m) and curve.starts_m[0] > GAP_M:
            step = abs(float(curve.coefficients[0, 0]))
            if step > SEAM_M:
                place = f"{step:g} at s = {curve.starts_m[0]:g} m"
                yield place, "0 up to there", f"its {words} does not begin with the road"
    if road.sections and road.sections[0].start_m > road.spans[0][0] + GAP_M:
        place = f"s = {road.sections[0].start_m:g} m"
        yield place, "no lanes up to there", "its lane sections do not begin with the road"
    for section in road.sections:
        for lane in (*section.left, *section.right):
            starts, rows = lane.widths.starts_m, lane.widths.coefficients
            if len(starts) and starts[0] > GAP_M and rows[0, 0] > SEAM_M:
                place = f"lane {lane.number}, s = {lane.start_m + starts[0]:g} m"
                yield place, "0 m up to there", "a width of it does not begin with its lane"

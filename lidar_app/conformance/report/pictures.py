# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A small SVG of a scene from above: boxes, sensor, detections, and a scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_app.conformance.asking import BenchMoment
    from lidar_app.conformance.bench import SceneResult
    from osi_bridge.bench import BoxObject

STYLE = """svg{background:#f3f5f8}polygon{fill:#b9c4d0;stroke:#5f6b78}
.hit{fill:#0a5aa8}.bad{fill:#a8201a}.sensor{fill:#1c2430}
.scale{stroke:#1c2430;stroke-width:2}.words{font:11px system-ui,sans-serif;fill:#1c2430}"""
"""CSS of a picture."""
WIDTH, HEIGHT = 320, 200
LEGEND = 48
"""Height of the legend below a picture. [pixel]"""
MOST_POINTS = 600
_MARGIN = 1.1
_LEAST_M, _REACH = 8.0, 2.0
"""Least half-width of a picture [m]; greatest half-width in multiples of the farthest box."""
_SCALE_WIDTH = 90.0


class _Frame(NamedTuple):
    """The centre of a picture [m], and its pixels per metre."""

    middle_m: NDArray[np.float64]
    scale: float


def picture(result: SceneResult, most_points: int = MOST_POINTS, *, has_legend: bool = True) -> str:
    """Return a picture of a scene from above as the text of an SVG element.

    The x axis of the world points up, y to the left. The picture shows the objects of the last
    message, the sensor, and the detections of the answer; detections far outside are left out.

    Parameters
    ----------
    result : SceneResult
        Result of the scene. If no message was sent, the text is empty.
    most_points : int
        Greatest number of detections to draw; of more, every n-th is drawn.
    has_legend : bool
        Whether a legend is drawn below the picture.
    """
    if not result.moments:
        return ""
    moment = result.moments[-1]
    origin = np.asarray(moment.host.position_m)
    points, off = _points(result, origin)
    boxes = [_corners(each, origin) for each in moment.things]
    sensor = _sensor(result, moment)
    inside = _inside(points, boxes)
    frame = _frame([sensor[None], *boxes, points[inside]])
    every = slice(None, None, max(1, -(-len(points) // most_points)))
    drawn = [_polygon(each, frame) for each in boxes]
    drawn += [
        _dot(point, frame, "bad" if bad else "hit")
        for point, bad, is_in in zip(points[every], off[every], inside[every], strict=True)
        if is_in
    ]
    drawn.append(f'<circle class="sensor" {_at(sensor, frame)} r="4"/>')
    drawn.append(_scale_bar(frame))
    height = HEIGHT
    if has_legend:
        height += LEGEND
        drawn.append(_legend(result, every.step, int(np.count_nonzero(~inside))))
    view = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img"'
    return f"<svg {view}>{''.join(drawn)}</svg>"


def _points(
    result: SceneResult, origin: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return x and y of detections (n, 2) [m], and a mask of those that are off."""
    judged = result.judged
    if judged is None or not len(judged.scan):
        return np.empty((0, 2)), np.empty(0, np.bool_)
    points = (judged.points_m() - origin)[:, :2]
    known = np.isfinite(points).all(axis=1)
    off: NDArray[np.bool_] = ~(judged.off_m <= judged.sheet.coarse_m)
    return points[known], off[known]


def _sensor(result: SceneResult, moment: BenchMoment) -> NDArray[np.float64]:
    """Return x and y of the sensor relative to the rear axle of its host [m]."""
    if result.judged is None:
        return np.zeros(2)
    turn = rotation_from_orientation(moment.host.orientation_rad)
    return np.asarray(turn @ np.asarray(result.judged.sheet.position_m))[:2]


def _corners(thing: BoxObject, origin: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four corners of a box from above [m]."""
    length, width, _ = thing.dimension_m
    square = np.array([(1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0)]) * (length, width, 0.0) / 2
    turn = rotation_from_orientation((thing.roll_rad, thing.pitch_rad, thing.yaw_rad))
    return np.asarray(square @ turn.T + thing.position_m - origin)[:, :2]


def _inside(points: NDArray[np.float64], boxes: list[NDArray[np.float64]]) -> NDArray[np.bool_]:
    """Return a mask of points near enough to show, so that boxes are drawn large enough."""
    farthest_m = max([_LEAST_M, *(float(np.abs(each).max()) for each in boxes)])
    return np.asarray(np.abs(points).max(axis=1, initial=0.0) <= _REACH * farthest_m, np.bool_)


def _frame(shapes: list[NDArray[np.float64]]) -> _Frame:
    """Return the frame that fits all of these shapes."""
    places = np.concatenate(shapes)
    low, high = places.min(axis=0), places.max(axis=0)
    up_m, aside_m = (max(float(each), 2.0 * _LEAST_M) for each in high - low)
    return _Frame((low + high) / 2.0, min(HEIGHT / up_m, WIDTH / aside_m) / _MARGIN)


def _at(point: NDArray[np.float64], frame: _Frame) -> str:
    x, y = _pixel(point, frame)
    return f'cx="{x}" cy="{y}"'


def _pixel(point: NDArray[np.float64], frame: _Frame) -> tuple[str, str]:
    up, aside = frame.scale * (point - frame.middle_m)
    return f"{WIDTH / 2 - aside:.1f}", f"{HEIGHT / 2 - up:.1f}"


def _dot(point: NDArray[np.float64], frame: _Frame, kind: str) -> str:
    return f'<circle class="{kind}" {_at(point, frame)} r="{2.5 if kind == "bad" else 1.2}"/>'


def _polygon(corners: NDArray[np.float64], frame: _Frame) -> str:
    places = " ".join(",".join(_pixel(each, frame)) for each in corners)
    return f'<polygon points="{places}"/>'


def _scale_bar(frame: _Frame) -> str:
    """Return a bar of 1, 2 or 5 times a power of ten, with its length in words."""
    most_m = _SCALE_WIDTH / frame.scale
    power = 10.0 ** math.floor(math.log10(most_m))
    length_m = max(each * power for each in (1.0, 2.0, 5.0) if each * power <= most_m)
    end, y = 8.0 + frame.scale * length_m, HEIGHT - 8
    return (
        f'<line class="scale" x1="8" y1="{y}" x2="{end:.1f}" y2="{y}"/>'
        f'<text class="words" x="{end + 5:.1f}" y="{y + 4}">{length_m:g} m</text>'
    )


def _legend(result: SceneResult, every: int, n_outside: int) -> str:
    """Return a legend of the marks, with the points that are not drawn."""
    y = HEIGHT + 16
    limit = f" by more than {result.judged.sheet.coarse_m:.3f} m" if result.judged else ""
    marks = (
        ('<circle class="sensor" cx="{x}" cy="{y}" r="4"/>', "sensor", 0),
        ('<rect x="{x}" y="{y}" width="8" height="8" fill="#b9c4d0"/>', "box", 62),
        ('<circle class="hit" cx="{x}" cy="{y}" r="2"/>', "fits", 104),
        ('<circle class="bad" cx="{x}" cy="{y}" r="2.5"/>', f"off{limit}", 146),
    )
    drawn = [
        mark.format(x=10 + x, y=y - (8 if mark.startswith("<rect") else 4))
        + f'<text class="words" x="{21 + x}" y="{y}">{words}</text>'
        for mark, words, x in marks
    ]
    told = ["from above, x up"]
    if every > 1:
        told.append(f"1 of {every} detections is drawn")
    if n_outside:
        told.append(f"{n_outside} lie farther out")
    drawn.append(f'<text class="words" x="6" y="{y + 20}">{"; ".join(told)}</text>')
    return "".join(drawn)

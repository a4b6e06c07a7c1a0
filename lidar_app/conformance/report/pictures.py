# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A small picture of a scene from above, as SVG: its boxes, the sensor, and what came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from osi_bridge import rotation_from_orientation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lidar_app.conformance.bench import SceneResult
    from osi_bridge.bench import BoxObject

STYLE = """svg{background:#f3f5f8}polygon{fill:#b9c4d0;stroke:#5f6b78}
.hit{fill:#0a5aa8}.bad{fill:#a8201a}.sensor{fill:#1c2430}"""
"""How the parts of a picture look."""
WIDTH, HEIGHT = 320, 200
MOST_BOXES, MOST_POINTS = 150, 600
_MARGIN = 1.15
_LEAST_M = 8.0


def picture(result: SceneResult, most_points: int = MOST_POINTS) -> str:
    """Return the SVG element of a scene from above: x of the world is up, and its y to the left."""
    if not result.moments:
        return ""
    moment = result.moments[-1]
    middle = np.asarray(moment.host.position_m)
    points, off = _points(result, middle, most_points)
    boxes = [_corners(each, middle) for each in moment.things[:MOST_BOXES]]
    scale = _scale([*boxes, points])
    drawn = [_polygon(each, scale) for each in boxes]
    drawn += [
        _dot(point, scale, "bad" if bad else "hit") for point, bad in zip(points, off, strict=True)
    ]
    drawn.append(f'<circle class="sensor" {_at(np.zeros(2), scale)} r="4"/>')
    view = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" role="img"'
    return f"<svg {view}>{''.join(drawn)}</svg>"


def _points(
    result: SceneResult, middle: NDArray[np.float64], most: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return some detections from above, and which of them are off."""
    if result.judged is None or not len(result.judged.scan):
        return np.empty((0, 2)), np.empty(0, np.bool_)
    judged = result.judged
    every = slice(None, None, max(1, -(-len(judged.range_m) // most)))
    off: NDArray[np.bool_] = ~(judged.off_m <= judged.sheet.coarse_m)
    return (judged.points_m() - middle)[every, :2], off[every]


def _corners(thing: BoxObject, middle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the four corners of a box from above. [m]."""
    length, width, _ = thing.dimension_m
    square = np.array([(1, 1, 0), (1, -1, 0), (-1, -1, 0), (-1, 1, 0)]) * (length, width, 0.0) / 2
    turn = rotation_from_orientation((thing.roll_rad, thing.pitch_rad, thing.yaw_rad))
    return np.asarray(square @ turn.T + thing.position_m - middle)[:, :2]


def _scale(shapes: list[NDArray[np.float64]]) -> float:
    """Return pixels per metre, at which boxes and most points fit around the sensor."""
    places = np.abs(np.concatenate([np.empty((0, 2)), *shapes]))
    if not len(places):
        return HEIGHT / 2.0 / _LEAST_M
    up_m, aside_m = (float(np.quantile(each, 0.97)) for each in places.T)
    return float(
        min(HEIGHT / 2.0 / max(up_m, _LEAST_M), WIDTH / 2.0 / max(aside_m, _LEAST_M)) / _MARGIN
    )


def _at(point: NDArray[np.float64], scale: float) -> str:
    x, y = _pixel(point, scale)
    return f'cx="{x}" cy="{y}"'


def _pixel(point: NDArray[np.float64], scale: float) -> tuple[str, str]:
    return f"{WIDTH / 2 - scale * point[1]:.1f}", f"{HEIGHT / 2 - scale * point[0]:.1f}"


def _dot(point: NDArray[np.float64], scale: float, kind: str) -> str:
    return f'<circle class="{kind}" {_at(point, scale)} r="{2.5 if kind == "bad" else 1.2}"/>'


def _polygon(corners: NDArray[np.float64], scale: float) -> str:
    places = " ".join(",".join(_pixel(each, scale)) for each in corners)
    return f'<polygon points="{places}"/>'

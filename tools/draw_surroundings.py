# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws surroundings of a bare trace: ``python tools/draw_surroundings.py PICTURE [TRACE ..]``.

Without TRACE, a trace is generated: a curved street with lanes and four road users, without meshes.
The picture shows its scan, and below it the scan with ``--surroundings``. With TRACE, the picture
shows the first scan of each trace with surroundings, one below the other. Each row has a title, and
all rows have one scale of colours by height. PICTURE is a WebP.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_lane_pb2 import Lane, LaneBoundary
from osi3.osi_object_pb2 import MovingObject
from picture_words import Scale, draw_scale, write
from PIL import Image

from lidar_gap.pictures.cloud_image import height_colours, perspective
from lidar_gap.pictures.image_grid import image_points
from osi_bridge import write_trace
from osi_lidar import scan_trace
from osi_lidar.config import Config

SIZE_PX, GAP_PX = (1100, 410), 8
EYE_M, TARGET_M = (-26.0, -3.0, 13.0), (14.0, 3.5, -2.0)
"""The camera is behind the sensor and above it, and looks ahead. [m, sensor frame]"""
HEIGHTS_M = (-2.5, 7.5)
LOW, HIGH = (f"{each:g} m" for each in HEIGHTS_M)
SCALE = Scale("height over the sensor", LOW, HIGH, height_colours)
LETTER_PX = 28
WIDTH_M, LENGTH_M, BEND_PER_M = 3.25, 260.0, 0.0016
HOST_ID, HOST_AT_M = 1, 90.0
USERS = (
    (HOST_ID, HOST_AT_M, -1.6, (4.5, 1.8, 1.5), MovingObject.TYPE_VEHICLE),
    (2, HOST_AT_M + 13.0, 1.7, (4.3, 1.8, 1.5), MovingObject.TYPE_VEHICLE),
    (3, HOST_AT_M + 16.0, -1.6, (4.7, 1.9, 1.6), MovingObject.TYPE_VEHICLE),
    (4, HOST_AT_M + 9.0, -4.4, (0.6, 0.6, 1.75), MovingObject.TYPE_PEDESTRIAN),
)
"""Id, place along the street and to its left [m], size [m], and type."""


def place_m(along_m: float, left_m: float) -> NDArray[np.float64]:
    """Return the world position (3,) of a place on the curved street [m]."""
    turn = BEND_PER_M * along_m
    x = np.sin(turn) / BEND_PER_M - np.sin(turn) * left_m
    y = (1.0 - np.cos(turn)) / BEND_PER_M + np.cos(turn) * left_m
    return np.array([x, y, 0.0])


def message() -> GroundTruth:
    """Return the message: two lanes and the road users on them."""
    truth = GroundTruth()
    truth.timestamp.seconds = 0
    truth.version.version_major, truth.version.version_minor = 3, 7
    kind = LaneBoundary.Classification
    for own_id, left_m in enumerate((WIDTH_M, 0.0, -WIDTH_M)):
        line = truth.lane_boundary.add()
        line.id.value = 10 + own_id
        line.classification.type = kind.TYPE_SOLID_LINE if left_m else kind.TYPE_DASHED_LINE
        line.classification.color = kind.COLOR_WHITE
        for along_m in np.linspace(0.0, LENGTH_M, 105):
            point = line.boundary_line.add()
            point.position.x, point.position.y, point.position.z = place_m(along_m, left_m)
            point.width = 0.12
    for own_id in (0, 1):
        lane = truth.lane.add()
        lane.id.value = 20 + own_id
        lane.classification.type = Lane.Classification.TYPE_DRIVING
        lane.classification.left_lane_boundary_id.add().value = 10 + own_id
        lane.classification.right_lane_boundary_id.add().value = 11 + own_id
    truth.host_vehicle_id.value = HOST_ID
    for own_id, along_m, left_m, size_m, type_ in USERS:
        user = truth.moving_object.add()
        user.id.value, user.type = own_id, type_
        base = user.base
        base.position.x, base.position.y, _ = place_m(along_m, left_m)
        base.position.z = 0.5 * size_m[2]
        base.orientation.yaw = BEND_PER_M * along_m + (np.pi if left_m > 0.0 else 0.0)
        base.dimension.length, base.dimension.width, base.dimension.height = size_m
    return truth


def scanned(trace: Path, *, surroundings: bool) -> Image.Image:
    """Return a picture of the first scan of a trace, in perspective."""
    config = Config.model_validate(
        {
            "sensors": [{"preset": "OS1-128", "columns": 2048, "mounting": {"z_m": 1.9}}],
            "scene": {"surroundings": surroundings},
        }
    )
    cloud = next(scan_trace(trace, config=config))
    points = image_points(trace.name, cloud.points)
    view = {"eye_m": EYE_M, "target_m": TARGET_M, "heights_m": HEIGHTS_M}
    pixels = perspective(points, size_px=SIZE_PX, **view)
    return Image.fromarray(np.rint(255 * pixels).astype(np.uint8))


def draw(picture: Path, traces: list[Path]) -> None:
    """Draw the first scans of the traces, one below the other."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "street.osi"
        write_trace(made, [message().SerializeToString()], message_type="GroundTruth")
        chosen = [(each, True) for each in traces] or [(made, False), (made, True)]
        images = [scanned(trace, surroundings=has_them) for trace, has_them in chosen]
    step_px = SIZE_PX[1] + GAP_PX
    joined = Image.new("RGB", (SIZE_PX[0], len(images) * step_px - GAP_PX), "white")
    for row, (image, (trace, has_them)) in enumerate(zip(images, chosen, strict=True)):
        title = trace.stem if traces else "lanes and four road users"
        write(image, (12, 8), f"{title}, with surroundings" if has_them else title, LETTER_PX)
        if not row:
            draw_scale(image, (12, 46), SCALE, LETTER_PX)
        joined.paste(image, (0, row * step_px))
    joined.save(picture, quality=60, method=6)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), [Path(each) for each in sys.argv[2:]])

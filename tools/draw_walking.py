# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws people on their way, scanned from the side: ``python tools/draw_walking.py PICTURE``.

The picture shows a person who walks, a person who runs, and a cyclist, each in ten point clouds
0.1 s apart, side by side. Colours are heights, with their scale beside the first title.
"""

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_object_pb2 import MovingObject
from picture_words import Scale, draw_scale, write
from PIL import Image

from lidar_gap.pictures.cloud_image import blank, height_colours, paint, unit
from lidar_gap.pictures.figures import PANEL
from osi_bridge import write_trace
from osi_lidar import scan_trace
from osi_lidar.config import Config

N_FRAME, STEP_S = 10, 0.1
HEARD_BEFORE = 5  # messages before the first one that is drawn
AWAY_M, SENSOR_UP_M = 3.2, 1.0
WIDTH_PX, HEIGHT_M, MARGIN_M = 1200, 1.95, 0.08
TITLE_PX, LETTER_PX = 44, 30
TOP_M = 1.8
SCALE = Scale("height", "0", f"{TOP_M} m", height_colours)
HOST_ID, USER_ID = 1, 2


class Going(NamedTuple):
    """A road user that moves along y, in front of the sensor."""

    title: str
    kind: int
    subtype: int
    size_m: tuple[float, float, float]
    speed_m_s: float
    apart_m: float
    """Distance between two clouds in the picture. [m]"""


_UNKNOWN = MovingObject.VehicleClassification.TYPE_UNKNOWN
_BICYCLE = MovingObject.VehicleClassification.TYPE_BICYCLE
ROWS = (
    Going("walking", MovingObject.TYPE_PEDESTRIAN, _UNKNOWN, (1.0, 0.6, 1.75), 1.4, 1.15),
    Going("running", MovingObject.TYPE_PEDESTRIAN, _UNKNOWN, (1.0, 0.6, 1.75), 3.2, 1.15),
    Going("cycling", MovingObject.TYPE_VEHICLE, _BICYCLE, (1.8, 0.6, 1.75), 4.0, 1.95),
)


def message(going: Going, number: int) -> bytes:
    """Return message ``number``; in the middle one of the picture, the user is at y = 0."""
    truth = GroundTruth()
    time_ns = round(number * STEP_S * 1e9)
    truth.timestamp.seconds, truth.timestamp.nanos = divmod(time_ns, 10**9)
    truth.version.version_major, truth.version.version_minor = 3, 7
    truth.host_vehicle_id.value = HOST_ID
    truth.moving_object.add(type=MovingObject.TYPE_VEHICLE).id.value = HOST_ID
    user = truth.moving_object.add(type=going.kind)
    user.id.value, user.vehicle_classification.type = USER_ID, going.subtype
    base = user.base
    middle = HEARD_BEFORE + N_FRAME / 2
    base.position.x, base.position.z = AWAY_M, 0.5 * going.size_m[2]
    base.position.y = going.speed_m_s * STEP_S * (number - middle)
    base.orientation.yaw, base.velocity.y = np.pi / 2, going.speed_m_s
    base.dimension.length, base.dimension.width, base.dimension.height = going.size_m
    truth.moving_object[0].base.position.z = 0.5
    sides = truth.moving_object[0].base.dimension
    sides.length = sides.width = sides.height = 1.0
    return truth.SerializeToString()


def drawn(going: Going, folder: Path) -> Image.Image:
    """Return a picture of a road user's point clouds over time, side by side."""
    trace = folder / "trace.osi"
    n = HEARD_BEFORE + N_FRAME
    write_trace(trace, (message(going, k) for k in range(n)), message_type="GroundTruth")
    mounting = {"x_m": 0.0, "y_m": 0.0, "z_m": SENSOR_UP_M}
    sensor = {"preset": "OS1-128", "columns": 2048, "mounting": mounting}
    config = Config.model_validate({"sensors": [sensor]})
    px_per_m = WIDTH_PX / (N_FRAME * going.apart_m)
    size_px = WIDTH_PX, round(HEIGHT_M * px_per_m)
    image, frames = blank(size_px), slice(HEARD_BEFORE, None)
    for k, cloud in enumerate(scan_trace(trace, config=config, frames=frames)):
        points = cloud.points[cloud.points["object_id"] == USER_ID]
        places = np.stack([points[axis].astype(float) for axis in "xyz"], axis=1)
        places = places @ cloud.world_from_sensor[:3, :3].T + cloud.world_from_sensor[:3, 3]
        start = (k + 0.5) * going.apart_m + going.speed_m_s * STEP_S * (N_FRAME / 2 - k)
        u = (start + places[:, 1]) * px_per_m
        v = size_px[1] - (places[:, 2] + MARGIN_M) * px_per_m
        colour = height_colours(unit(places[:, 2], 0.0, TOP_M))
        dots = np.full(len(points), 2)
        paint(image, np.stack([u, v], axis=1), colour, order=-places[:, 0], dots=dots)
    return Image.fromarray(np.rint(255 * image).astype(np.uint8))


def draw(picture: Path) -> None:
    """Draw a row of clouds for each road user, one below the other."""
    with tempfile.TemporaryDirectory() as folder:
        rows = [drawn(going, Path(folder)) for going in ROWS]
    joined = Image.new("RGB", (WIDTH_PX, sum(TITLE_PX + row.height for row in rows)), PANEL)
    top = 0
    for going, row in zip(ROWS, rows, strict=True):
        words = f"{going.title} at {going.speed_m_s} m/s, scans {STEP_S} s apart"
        write(joined, (12, top + 4), words, LETTER_PX)
        joined.paste(row, (0, top + TITLE_PX))
        top += TITLE_PX + row.height
    draw_scale(joined, (740, 4), SCALE, LETTER_PX)
    joined.quantize(128).save(picture, optimize=True)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

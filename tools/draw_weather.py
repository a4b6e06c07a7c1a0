# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the street in three weathers: ``python tools/draw_weather.py PICTURE``.

The picture shows the same scan of the bundled street three times: in clear air, in fog, and in rain
on a wet road. Surfaces are coloured by the reported reflectivity, on a logarithmic scale. Points
from fog and rain have separate colours, and ghosts are white; each panel says so.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from picture_words import GAP_PX as KEY_GAP_PX
from picture_words import Scale, draw_scale, write
from PIL import Image

import osi_lidar
from lidar_gap.pictures.cloud_image import blank, paint, unit
from lidar_gap.pictures.figures import colormaps, to_rgb
from lidar_scenery.palette import WEATHER
from osi_lidar.clouds.origins import ORIGINS
from osi_lidar.run.example_scene import street

Array = NDArray[np.float64]

GHOST_COLOUR = "#ffffff"
PANELS: tuple[tuple[str, dict[str, object], dict[str, str]], ...] = (
    ("dry and clear", {}, {}),
    ("fog, visibility 100 m", {"fog": {"visibility_m": 100}}, {"fog": WEATHER["fog"]}),
    (
        "rain of 25 mm/h, 1 mm of water on the road",
        {"rain_mm_h": 25, "road_water_mm": 1.0},
        {"drops": WEATHER["rain"], "mirrored by the road": GHOST_COLOUR},
    ),
)
"""Title of each scan, its keys of ``weather`` in the configuration, and colours of its points."""
SENSOR = {"name": "roof", "preset": "OS1-128-Rev7", "fidelity": "physical"}
FRAME = 41
SIZE_PX, GAP_PX = (1100, 330), 8
EYE_M, TARGET_M = np.array((-15.0, -0.8, 9.0)), np.array((14.0, 0.6, -2.0))
"""The camera is behind the sensor and above it, and looks ahead. [m, sensor frame]"""
VIEW_DEG = 62.0
DARK, BRIGHT = 0.006, 0.8
"""Reflectivities at the ends of the scale of colours. [1]"""
LARGEST_DOT_PX, AIR_DOT_PX, POINT_M = 4, 3, 0.075
LETTER_PX, LINE_PX = 28, 38


def brightness(share: Array) -> Array:
    """Return the colours of reflectivities, which go from 0 (`DARK`) to 1 (`BRIGHT`)."""
    colour: Array = np.asarray(colormaps["inferno"](0.18 + 0.8 * share)[..., :3], np.float64)
    return colour


SCALE = Scale("reflectivity, logarithmic", f"{100 * DARK:g} %", f"{100 * BRIGHT:g} %", brightness)


def scanned(weather: dict[str, object]) -> osi_lidar.Cloud:
    """Return the scan of the street in some weather."""
    sensor = {**SENSOR, "columns": 1024, "mounting": {"x_m": 1.0, "z_m": 1.9}}
    changes = {("sensors",): [sensor], ("weather",): weather}
    config = osi_lidar.load_config(street().config, changes=changes)
    return next(osi_lidar.scan_trace(street().trace, config=config, frames=range(FRAME, FRAME + 1)))


def colours(cloud: osi_lidar.Cloud) -> Array:
    """Return the colour of each point."""
    reflectivity = np.clip(cloud.points["reflectivity"], DARK, BRIGHT).astype(np.float64)
    share = unit(np.log(reflectivity), np.log(DARK), np.log(BRIGHT))
    colour = brightness(share)
    for name, own in {"ghost": GHOST_COLOUR, **WEATHER}.items():
        colour[cloud.points["origin"] == ORIGINS.index(name)] = to_rgb(own)
    return colour


def drawn(cloud: osi_lidar.Cloud) -> Image.Image:
    """Return a picture of a scan in perspective; points from fog, rain etc. are drawn on top."""
    axis = (TARGET_M - EYE_M) / np.linalg.norm(TARGET_M - EYE_M)
    right = np.cross(axis, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    from_eye_m = np.stack([cloud.points[name] for name in "xyz"], axis=1) - EYE_M
    depth_m = from_eye_m @ axis
    seen = depth_m > 0.1
    from_eye_m, depth_m, colour = from_eye_m[seen], depth_m[seen], colours(cloud)[seen]
    is_air = cloud.points["origin"][seen] >= ORIGINS.index("fog")
    focal_px = SIZE_PX[0] / 2 / np.tan(np.deg2rad(VIEW_DEG) / 2)
    sides = np.stack([right, -np.cross(right, axis)], axis=1)
    place_px = np.array(SIZE_PX) / 2 + focal_px * (from_eye_m @ sides) / depth_m[:, np.newaxis]
    dots = np.clip(np.rint(POINT_M * focal_px / depth_m), 2, LARGEST_DOT_PX).astype(np.int64)
    dots[is_air] = AIR_DOT_PX
    image = blank(SIZE_PX)
    paint(image, place_px, colour, order=np.where(is_air, np.inf, -depth_m), dots=dots)
    return Image.fromarray(np.rint(255 * image).astype(np.uint8))


def explained(picture: Image.Image, words: str, colours: dict[str, str]) -> Image.Image:
    """Write a title on a picture, and below it what its colours mean."""
    write(picture, (12, 8), words, LETTER_PX)
    x, y = 12, 8 + LINE_PX
    for meaning, colour in colours.items():
        square = Image.new("RGB", (LETTER_PX - 8, LETTER_PX - 8), colour)
        picture.paste(square, (x, y + 8))
        x = write(picture, (x + square.width + KEY_GAP_PX, y), meaning, LETTER_PX) + 2 * KEY_GAP_PX
    if not colours:
        draw_scale(picture, (x, y), SCALE, LETTER_PX)
    return picture


def draw(picture: Path) -> None:
    """Draw the scans, one below the other."""
    step_px = SIZE_PX[1] + GAP_PX
    joined = Image.new("RGB", (SIZE_PX[0], len(PANELS) * step_px - GAP_PX), "white")
    for row, (words, weather, own_colours) in enumerate(PANELS):
        panel = explained(drawn(scanned(weather)), words, own_colours)
        joined.paste(panel, (0, row * step_px))
    joined.save(picture, quality=70, method=6)


if __name__ == "__main__":
    draw(Path(sys.argv[1]))

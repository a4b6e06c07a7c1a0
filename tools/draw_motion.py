# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draws the moving picture of the README: ``python tools/draw_motion.py RUN PICTURE``.

RUN is the folder that ``osi-lidar demo`` writes, PICTURE an animated WebP. Each cloud is one frame
of it, played at the speed of the trace, with a scale of its colours.
"""

import sys
from pathlib import Path

import numpy as np
from picture_words import Scale, draw_scale
from PIL import Image

from lidar_gap.pictures.cloud_image import height_colours, perspective
from lidar_gap.pictures.image_grid import read_cloud
from osi_lidar import open_run

SIZE_PX = (960, 420)
EYE_M, TARGET_M = (-13.0, -0.5, 8.5), (14.0, 0.6, -2.0)
"""The camera is behind the sensor and above it, and looks ahead. [m, sensor frame]"""
HEIGHTS_M = (-2.5, 6.5)
SCALE = Scale("height", f"{HEIGHTS_M[0]:g} m", f"{HEIGHTS_M[1]:g} m", height_colours)
SCALE_AT_PX, LETTER_PX = (296, 384), 26
"""Left end of the scale, in the dark below the sensor, and the size of its letters."""
FRAME_MS = 100
"""Time between two messages of the street."""
N_COLOURS = 48
"""Few colours keep the file small without loss of sharpness."""


def frame(cloud: Path) -> Image.Image:
    """Return a picture of a point cloud in perspective, seen from behind the sensor."""
    view = {"eye_m": EYE_M, "target_m": TARGET_M, "heights_m": HEIGHTS_M}
    pixels = perspective(read_cloud(cloud), size_px=SIZE_PX, **view)
    return Image.fromarray(np.rint(255 * pixels).astype(np.uint8))


def reduced(frames: list[Image.Image]) -> list[Image.Image]:
    """Return the frames in a palette of few colours, which comes from the middle frame."""
    palette = frames[len(frames) // 2].quantize(N_COLOURS)
    few = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in frames)
    return [image.convert("RGB") for image in few]


def draw(run: Path, picture: Path) -> None:
    """Draw each cloud of the run once, in the order of the scans."""
    clouds = dict.fromkeys(scan.path for scan in open_run(run).scans)
    first, *others = frames = reduced([frame(cloud) for cloud in clouds])
    for each in frames:
        draw_scale(each, SCALE_AT_PX, SCALE, LETTER_PX)
    first.save(
        picture, save_all=True, append_images=others, duration=FRAME_MS, loop=0, lossless=True
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))

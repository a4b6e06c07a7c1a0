# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw the beams of each known sensor: docs/images/sensors/NAME.svg.

    python tools/draw_sensors.py [NAME ..]

A picture has two panels: the first scan as a whole, and a part of it in which single beams can be
told apart, coloured by their firing times.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.config import default_config
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.configured_sensors import ready_names
from osi_lidar.sensors.presets import preset_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from raycore.pattern.scan_pattern import ScanPattern

PICTURES = Path(__file__).resolve().parents[1] / "docs" / "images" / "sensors"
N_POINTS, N_NEAR = 1600, 800
"""Largest number of points in the picture of the whole scan, and in that of its middle."""
COLOURS = "#440154", "#3b528b", "#21918c", "#5ec962", "#d9b400"  # dark fires first
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, MARGIN = 720, 284, 58, 28, 56, 10
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
FLAT = 0.004
"""Up to this spread of its elevations, relative to that of all rows, a row counts as a line."""


class Panel(NamedTuple):
    """A rectangle of the picture [px], and the ranges of the angles that it shows [deg]."""

    x: float
    width: float
    azimuth_deg: tuple[float, float]
    elevation_deg: tuple[float, float]

    @classmethod
    def around(
        cls, x: float, width: float, azimuth: NDArray[np.float64], elevation: NDArray[np.float64]
    ) -> Panel:
        """Return a panel whose ranges cover all of these angles."""
        return cls(x, width, ends(azimuth), ends(elevation))

    def across(self, azimuth_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the x of azimuths [px]; positive azimuths are to the left."""
        low, high = self.azimuth_deg
        share = (high - azimuth_deg) / (high - low)
        return self.x + MARGIN + (self.width - 2 * MARGIN) * share

    def down(self, elevation_deg: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the y of elevations [px]; positive elevations are up."""
        low, high = self.elevation_deg
        share = (high - elevation_deg) / (high - low)
        return TOP + MARGIN + (HEIGHT - TOP - BOTTOM - 2 * MARGIN) * share

    def frame(self, title: str, below: str) -> str:
        """Return the panel's border, title and edge angles as SVG."""
        bottom, right = HEIGHT - BOTTOM, self.x + self.width
        (low, high), (lowest, highest) = self.azimuth_deg, self.elevation_deg
        texts = [
            (self.x, TOP - 8, "start", title),
            (self.x, bottom + 18, "start", f"{high:.3g}°"),
            (right, bottom + 18, "end", f"{low:.3g}°"),
            (self.x + self.width / 2, bottom + 18, "middle", "azimuth"),
            (self.x + self.width / 2, bottom + 42, "middle", below),
            (self.x - 4, TOP + MARGIN + 5, "end", f"{highest:.3g}°"),
            (self.x - 4, bottom - MARGIN + 5, "end", f"{lowest:.3g}°"),
        ]
        middle = f"{self.x - 16:g} {(TOP + bottom) / 2:g}"
        upright = f'<text text-anchor="middle" transform="translate({middle}) rotate(-90)">'
        words = "".join(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}">{text}</text>'
            for x, y, anchor, text in texts
            if text
        )
        return (
            f'<rect x="{self.x:g}" y="{TOP}" width="{self.width:g}" height="{bottom - TOP}" '
            f'fill="none" stroke="#9aa5b1"/>{words}{upright}elevation</text>'
        )


def ends(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the least and the greatest value."""
    return float(values.min()), float(values.max())


def dots(panel: Panel, azimuth_deg: NDArray[np.float64], elevation_deg: NDArray[np.float64]) -> str:
    """Return the SVG path data of points at these angles."""
    places = zip(panel.across(azimuth_deg), panel.down(elevation_deg), strict=True)
    return "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)


def path(content: str, colour: str, width: float) -> str:
    """Return an SVG element for path data."""
    return f'<path stroke="{colour}" stroke-width="{width:g}" d="{content}"/>'


def swatches(panel: Panel, took: str) -> str:
    """Return the scale of firing times below a panel, from the first to the last, as SVG."""
    y, side = HEIGHT - BOTTOM + 31, 14
    left = panel.x + 64
    boxes = "".join(
        f'<rect x="{left + side * number:g}" y="{y}" width="{side}" height="{side}" fill="{each}"/>'
        for number, each in enumerate(COLOURS)
    )
    right = left + side * len(COLOURS) + 6
    return (
        f'<text x="{left - 6:g}" y="{y + 12}" text-anchor="end">fired at 0</text>{boxes}'
        f'<text x="{right:g}" y="{y + 12}">{took}</text>'
    )


class Beams:
    """Directions [deg], times [us] and rings of a scan's beams."""

    def __init__(self, pattern: ScanPattern) -> None:
        self.azimuth = np.degrees(pattern.azimuth_rad.astype(np.float64))
        self.elevation = np.degrees(pattern.elevation_rad.astype(np.float64))
        self.time_us = pattern.time_s.astype(np.float64) * 1e6
        self.ring = pattern.ring.astype(np.int64)

    def rows(self) -> list[tuple[float, float, float]] | None:
        """Return left end, right end, elevation of each row [deg]; None if rows are not level."""
        found = []
        spread = float(np.ptp(self.elevation))
        order = np.argsort(self.ring, kind="stable")
        first = np.flatnonzero(np.diff(self.ring[order], prepend=-1))
        for row in np.split(order, first[1:]):
            if len(row) < 2 or np.ptp(self.elevation[row]) > FLAT * spread:
                return None
            ends = self.azimuth[row]
            found.append((float(ends.max()), float(ends.min()), float(self.elevation[row].mean())))
        return found if len(found) > 2 else None

    def near_centre(self, *, is_of_rows: bool) -> NDArray[np.intp]:
        """Return the indices of the beams around the middle of the field: at most `N_NEAR`."""
        middle = (self.elevation.min() + self.elevation.max()) / 2
        ahead = (self.azimuth.min() + self.azimuth.max()) / 2
        apart = np.abs(self.azimuth - (0.0 if is_of_rows else ahead))
        if not is_of_rows:
            apart = np.maximum(apart, np.abs(self.elevation - middle))
        if len(apart) <= N_NEAR:
            return np.arange(len(apart))
        farthest = np.partition(apart, N_NEAR)[N_NEAR]
        return np.flatnonzero(apart < farthest - 1e-3)


def picture(name: str) -> str:
    """Return the picture of a sensor, as SVG."""
    beams = Beams(scan_pattern(default_config(name).sensors[0]))
    rows = beams.rows()
    whole = Panel.around(LEFT, 370, beams.azimuth, beams.elevation)
    if rows is None:
        n_beams = len(beams.azimuth)
        some = np.unique((np.arange(N_POINTS) * GOLDEN % 1.0 * n_beams).astype(np.intp))
        content = dots(whole, beams.azimuth[some], beams.elevation[some])
        drawn = path(content, COLOURS[1], 1.3)
        below = f"{len(some)} of them drawn" if len(some) < n_beams else ""
    else:
        lefts, rights, heights = (np.array(each) for each in zip(*rows, strict=True))
        lines = zip(whole.across(lefts), whole.across(rights), whole.down(heights), strict=True)
        content = "".join(f"M{left:.1f} {y:.1f}H{right:.1f}" for left, right, y in lines)
        drawn = path(content, COLOURS[1], 0.7)
        below = "a line for each row"
    near = beams.near_centre(is_of_rows=rows is not None)
    azimuth, elevation, time_us = beams.azimuth[near], beams.elevation[near], beams.time_us[near]
    part = Panel.around(498, 212, azimuth, elevation)
    began, took_us = time_us.min(), float(np.ptp(time_us))
    bins = np.minimum((time_us - began) * len(COLOURS) / max(took_us, 1e-9), len(COLOURS) - 1)
    size = 2.6 if len(near) < 400 else 1.9
    for number, colour in enumerate(COLOURS):
        chosen = bins.astype(int) == number
        if chosen.any():
            drawn += path(dots(part, azimuth[chosen], elevation[chosen]), colour, size)
    took = f"{took_us / 1000:.3g} ms" if took_us >= 1000 else f"{took_us:.3g} µs"
    times = "" if took_us else "all fire at once"
    drawn += swatches(part, took) if took_us else ""
    n_beams = f"{len(beams.azimuth):,}".replace(",", " ")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">'
        "<style>text{font:15px sans-serif;fill:#333}"
        "path{fill:none;stroke-linecap:round}</style>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
        f"{whole.frame(f'A scan: {n_beams} beams', below)}"
        f"{part.frame('A part of it', times)}{drawn}</svg>\n"
    )


def main(names: Sequence[str]) -> None:
    """Write the pictures."""
    PICTURES.mkdir(exist_ok=True)
    for name in names or [*preset_names(), *ready_names()]:
        file = PICTURES / f"{name}.svg"
        file.write_text(picture(name), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])

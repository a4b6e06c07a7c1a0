# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scans of boards, recorded and simulated, beam by beam, with the beams that did not return."""

import lzma
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lidar_gap.reading import read_clouds
from raycore.pattern.scan_pattern import ScanPattern

COLUMNS = 1024
AXIS_M, HEIGHT_M = 0.015806, 0.03618
"""Start of the beams of an OS1: distance from its axis, and height above its origin. [m]"""


class Scan(NamedTuple):
    """The beams of a scan, in the frame of the sensor.

    Attributes
    ----------
    ring : int64 (n_beam,)
        Ring of the beam, counted from the top.
    azimuth_deg : float64 (n_beam,)
        Azimuth of the beam, positive to the left. [deg]
    origin_m, direction : float64 (n_beam, 3)
        Starts of the beams [m], and unit vectors.
    range_m : float64 (n_beam,)
        Range; NaN if nothing returned. [m]
    signal : float64 (n_beam,)
        Strength of the return, in the sensor's own unit.
    step_deg : float
        Azimuth step between two columns. [deg]
    """

    ring: np.ndarray
    azimuth_deg: np.ndarray
    origin_m: np.ndarray
    direction: np.ndarray
    range_m: np.ndarray
    signal: np.ndarray
    step_deg: float

    @property
    def points_m(self) -> np.ndarray:
        """End of each beam, float64 (n_beam, 3); NaN if the beam did not return. [m]"""
        return self.origin_m + self.range_m[:, None] * self.direction

    def rows(self, chosen: np.ndarray) -> "Scan":
        """Return a scan of only the chosen beams."""
        return Scan(*(each[chosen] for each in self[:-1]), self.step_deg)


def read_pixels(path: Path) -> np.ndarray:
    """Return x, y, z [m] and photons of all pixels of an Ouster cloud, (n_ring, n_column, 4)."""
    _, _, table = lzma.decompress(path.read_bytes()).partition(b"DATA ascii\n")
    return np.array(table.split(), np.float64).reshape(-1, COLUMNS, 5)[..., :4]


def ouster_metadata(pixels: np.ndarray) -> dict:
    """Return an OS1's metadata about its beams, which are estimated from one of its clouds.

    For each laser, the height of points is a linear function of their distance from the axis, so
    the elevation of the laser is exact.
    """
    heading = np.pi - 2 * np.pi * np.arange(COLUMNS) / COLUMNS
    start = AXIS_M * np.exp(1j * heading)
    elevation, beside = [], []
    up = np.zeros((4, 4))
    up[2, 3] = 1e3 * HEIGHT_M
    for x_m, y_m, z_m, _ in np.moveaxis(pixels, 2, 1):
        there = np.hypot(x_m, y_m) > 1.0
        flat = (x_m + 1j * y_m)[there]
        elevation.append(np.arctan(np.polyfit(abs(flat), z_m[there], 1)[0]))
        from_start = (flat - start[there]) / np.exp(1j * heading[there])
        beside.append(np.median(np.angle(from_start)))
    return {
        "prod_line": f"OS-1-{len(pixels)}",
        "lidar_mode": f"{COLUMNS}x10",
        "beam_altitude_angles": np.degrees(elevation).round(3).tolist(),
        "beam_azimuth_angles": (-np.degrees(beside)).round(3).tolist(),
        "lidar_origin_to_beam_origin_mm": 1e3 * AXIS_M,
        "lidar_to_sensor_transform": (np.diag([-1.0, -1.0, 1.0, 1.0]) + up).ravel().tolist(),
    }


def scan_of_pixels(pixels: np.ndarray, pattern: ScanPattern) -> Scan:
    """Return the scan of an Ouster from its pixels, with the pattern of its metadata."""
    at = pattern.ring.astype(np.int64), pattern.column.astype(np.int64)
    xyz_m, photons = pixels[..., :3][at], pixels[..., 3][at]
    there = xyz_m.any(axis=1)
    along_m = ((xyz_m - pattern.origin_m) * pattern.direction).sum(axis=1)
    return _scan(pattern, np.where(there, along_m, np.nan), photons)


def scan_of_points(points: np.ndarray, pattern: ScanPattern) -> Scan:
    """Return the scan of a simulated sensor, with the first point of each beam."""
    beam = np.full((int(pattern.ring.max()) + 1, int(pattern.column.max()) + 1), -1)
    beam[pattern.ring, pattern.column] = np.arange(pattern.n_beams)
    points = points[::-1]
    rows = beam[points["ring"], points["column"]]
    range_m, signal = np.full(pattern.n_beams, np.nan), np.zeros(pattern.n_beams)
    range_m[rows], signal[rows] = points["range"], points["intensity"]
    return _scan(pattern, range_m, signal)


def _scan(pattern: ScanPattern, range_m: np.ndarray, signal: np.ndarray) -> Scan:
    n_column = int(pattern.column.max()) + 1
    return Scan(
        pattern.ring.astype(np.int64),
        np.degrees(pattern.azimuth_rad),
        np.broadcast_to(pattern.origin_m.astype(np.float64), (pattern.n_beams, 3)),
        pattern.direction.astype(np.float64),
        range_m,
        signal,
        360.0 / n_column,
    )


def read_returns(path: Path, step_deg: float) -> Scan:
    """Read a cloud that has returns only; return a scan in which gaps in rings are lost beams.

    A gap of n steps between two returns of a ring gets n - 1 lost beams, evenly spaced. The
    elevation of a ring is the median of its points' elevations.
    """
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / path.stem
        unpacked.write_bytes(lzma.decompress(path.read_bytes()))
        (cloud,) = read_clouds(unpacked)
    point_m = cloud.points_m
    azimuth_deg = np.degrees(np.arctan2(point_m[:, 1], point_m[:, 0]))
    elevation = np.arcsin(point_m[:, 2] / np.linalg.norm(point_m, axis=1))
    lasers = sorted(set(cloud.ring), key=lambda each: -np.median(elevation[cloud.ring == each]))
    parts = []
    for ring, laser in enumerate(lasers):
        rows = np.flatnonzero(cloud.ring == laser)
        rows = rows[np.argsort(azimuth_deg[rows])]
        up = np.median(elevation[rows])
        lost_deg = _between(azimuth_deg[rows], step_deg)
        at_deg = np.r_[azimuth_deg[rows], lost_deg]
        nothing = np.full(len(lost_deg), np.nan)
        flat = np.exp(1j * np.radians(at_deg)) * np.cos(up)
        parts.append(
            (
                np.full(len(at_deg), ring),
                at_deg,
                np.c_[flat.real, flat.imag, np.full(len(at_deg), np.sin(up))],
                np.r_[np.linalg.norm(point_m[rows], axis=1), nothing],
                np.r_[cloud.intensity[rows], 0.0 * lost_deg],
            )
        )
    columns = (np.concatenate(each) for each in zip(*parts, strict=True))
    ring, at_deg, direction, range_m, signal = columns
    return Scan(ring, at_deg, np.zeros_like(direction), direction, range_m, signal, step_deg)


def _between(azimuth_deg: np.ndarray, step_deg: float) -> np.ndarray:
    """Return the azimuths of firings that are missing in the gaps of sorted azimuths. [deg]"""
    wide = np.round(np.diff(azimuth_deg) / step_deg).astype(int)
    return np.concatenate(
        [
            np.linspace(azimuth_deg[at], azimuth_deg[at + 1], wide[at] + 1)[1:-1]
            for at in np.flatnonzero(wide > 1)
        ]
        or [np.empty(0)]
    )

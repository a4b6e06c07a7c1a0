# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small binary angle corrections as Hesai writes them, and the maker's formulas, laser by laser."""

import hashlib
import math
import struct

import numpy as np

ET25_PHI, ET25_THETA = (3.0, 2.0, -2.0), (0.4, -0.4, 0.0)
ET25_MIRRORS = (-26.0, -49.0, 0.5)
ATX_AZIMUTH, ATX_ELEVATION = ((4.0, -3.0, 0.25), (3.5, -3.0, 1.0)), (7.5, -12.25, 0.5)


def sealed(body, *, checksum=True):
    return body + (hashlib.sha256(body).digest() if checksum else bytes(32))


def integers(kind, values):
    return struct.pack(f"<{len(values)}{kind}", *(round(value) for value in values))


def ft120(*, minor=1, resolution=1, azimuth_deg=((60, 61), (90, 91), (120, 121))):
    """Return a file of columns of two channels, of which the second looks up 5 deg."""
    sizes = (len(azimuth_deg), 2)
    head = b"\xee\xff\x02" + bytes([minor]) + b"\x73\x01"
    head += struct.pack("<2H" if minor == 2 else "<2B", *sizes) + bytes([resolution])
    units = np.array(azimuth_deg).ravel() * 100 / resolution
    elevations = np.tile([-5.0, 5.0], len(azimuth_deg)) * 100 / resolution
    kind = "h" if minor == 0 else "i"
    return sealed(head + integers(kind, units) + integers(kind, elevations), checksum=False)


def et25(*, minor=2, checksum=True, steps=(20, 5), division=512, mirrors=ET25_MIRRORS):
    """Return a file of three lasers, with the corrections of `et25_adjust`."""
    head = b"\xee\xff\x03" + bytes([minor, 0, 0])
    head += struct.pack("<H" if minor == 3 else "<B", 3) + b"\0" + struct.pack("<H", division)
    head += integers("h", [512 * angle for angle in mirrors])
    body = head + integers("h", [512 * angle for angle in (*ET25_PHI, *ET25_THETA)])
    if minor != 1:
        rows, columns = 11, 13
        body += bytes(steps)
        for which in (0, 1):
            table = [et25_adjust(which, r, c) for r in range(rows) for c in range(columns)]
            body += integers("h", [512 * angle for angle in table])
    return sealed(body, checksum=checksum)


def et25_adjust(which, row, column):
    """Return a correction [deg] at 1/512 deg, which differs from place to place."""
    return round(512 * 0.03 * math.sin(1 + which + 2 * row + 0.7 * column)) / 512


def et25_direction(laser, mirror_azimuth_deg, mirror_elevation_deg, *, adjusted=True):
    """Return azimuth (clockwise from ahead) and elevation [deg], the maker's way, in degrees."""
    alpha, beta, gamma = ET25_MIRRORS
    phi, theta = (round(512 * each[laser]) / 512 for each in (ET25_PHI, ET25_THETA))
    sin, cos, tan = (lambda d, f=f: f(math.radians(d)) for f in (math.sin, math.cos, math.tan))
    an, degree = alpha + phi, math.degrees(1)
    theta_n = mirror_elevation_deg + theta / cos(an)
    up = mirror_elevation_deg + theta - tan(mirror_elevation_deg) * (1 - cos(an)) * degree
    side = sin(an) * cos(an) * theta_n**2 / 2 * 1.016 / degree
    eta = phi + side + beta + mirror_azimuth_deg / 2
    across = sin(eta) * tan(2 * gamma) * tan(up) * degree + sin(2 * eta) * gamma**2 / degree
    elevation = up + cos(eta) * 2 * gamma
    azimuth = mirror_azimuth_deg + across + side + phi
    if adjusted:
        azimuth += _bilinear(0, azimuth, elevation)
        elevation += _bilinear(1, azimuth, elevation)
    return azimuth, elevation


def _bilinear(which, azimuth_deg, elevation_deg):
    x, y = (azimuth_deg + 60) / 10, (elevation_deg + 12.5) / 2.5
    column, row = math.floor(x), math.floor(y)
    u, v = x - column, y - row
    corner = [[et25_adjust(which, row + i, column + j) for j in (0, 1)] for i in (0, 1)]
    low, high = ((1 - u) * pair[0] + u * pair[1] for pair in corner)
    return (1 - v) * low + v * high


def atx(*, minor=2, checksum=True, division=256, elevation_deg=ATX_ELEVATION):
    """Return a file of three lasers; in 4.3 they look up 0.01 deg more for each deg beyond 20."""
    body = b"\xee\xff\x04" + bytes([minor, 0, 0, 3]) + struct.pack("<H", division)
    for azimuth_deg in ATX_AZIMUTH[: 1 if minor == 1 else 2]:
        body += integers("h", [256 * angle for angle in azimuth_deg])
    body += integers("h", [256 * angle for angle in elevation_deg])
    if minor == 3:
        body += integers("h", [256 * 0.02 * place for place in range(70)])
    return sealed(body, checksum=checksum)

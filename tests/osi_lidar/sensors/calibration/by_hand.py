# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The makers' files, read as simply as can be, against the beams of the sensors that they give."""

import csv
import json
import math
import struct
from xml.etree import ElementTree as ET

import numpy as np
import yaml

from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import pattern_source, scan_pattern
from tests.osi_lidar.sensors.calibration.files import pattern_of
from tests.osi_lidar.sensors.calibration.helios_files import deflected, helios_vectors, turned

TOLERANCE_DEG = 1e-4
AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def angles_by_hand(file):
    """Return (elevation, azimuth to the left) [deg] of each laser that turns with a head."""
    if file.suffix == ".json":
        data = json.loads(file.read_text())
        beams = data.get("beam_intrinsics", data)
        pairs = np.stack([beams["beam_altitude_angles"], beams["beam_azimuth_angles"]], axis=1)
        product = data.get("sensor_info", data).get("prod_line", "")
        pairs = pairs[pairs.any(axis=1)]
        if product.startswith("OS-1-16") and len(pairs) == 64:
            pairs = pairs[3::4]  # firmware 1.12
        return pairs * [1, -1]
    if file.suffix == ".csv":
        rows = list(csv.reader(file.read_text(encoding="utf-8-sig").splitlines()))[1:]
        return np.array([[float(r[1]), -float(r[2])] for r in rows if r[0].isdigit()])
    content = yaml.load(file.read_text(), yaml.CSafeLoader)  # ten times as fast as safe_load
    lasers = sorted(content["lasers"], key=lambda one: one["laser_id"])
    return np.degrees([[one["vert_correction"], one["rot_correction"]] for one in lasers])


def around(difference_deg):
    return np.abs((difference_deg + 180) % 360 - 180)


def check_turning_head(file):
    """Compare every laser, and the headings of the columns."""
    pattern = pattern_of(file)
    expected = angles_by_hand(file)
    expected = expected[np.argsort(-expected[:, 0], kind="stable")]
    assert pattern.ring.max() + 1 == len(expected), file
    # without fire times, the beams of a column share its heading
    first = pattern.column == pattern.column[0]
    rows = np.argsort(pattern.ring[first])
    elevation_deg = np.degrees(pattern.elevation_rad[first])[rows]
    azimuth_deg = np.degrees(pattern.azimuth_rad[first])[rows]
    assert np.abs(elevation_deg - expected[:, 0]).max() < TOLERANCE_DEG, file
    relative = (azimuth_deg - azimuth_deg[0]) - (expected[:, 1] - expected[0, 1])
    assert around(relative).max() < TOLERANCE_DEG, file
    heading_deg = azimuth_deg[0] - expected[0, 1]  # of a column: 180 - 360 c / n
    columns = 2048 if file.suffix == ".json" else 1800
    step = (180 - heading_deg) % 360 / (360 / columns)
    assert abs(step - round(step)) < 1e-4, file


def check_livox(file):
    """Compare the first scans, which go on in the array."""
    angles = np.degrees(np.load(file).astype(np.float64))
    pattern = pattern_of(file)
    expected = angles[: pattern.n_beams]
    assert pattern.n_beams > 1000
    assert around(np.degrees(pattern.azimuth_rad) - expected[:, 0]).max() < TOLERANCE_DEG
    assert np.abs(np.degrees(pattern.elevation_rad) - expected[:, 1]).max() < TOLERANCE_DEG


def compare(pattern, expected, beams, file):
    """Compare azimuth (clockwise, 90 ahead) and elevation [deg] of some beams."""
    expected = np.array(expected)
    azimuth_deg = 90 - np.degrees(pattern.azimuth_rad[beams])
    elevation_deg = np.degrees(pattern.elevation_rad[beams])
    assert around(azimuth_deg - expected[:, 0]).max() < TOLERANCE_DEG, file
    assert np.abs(elevation_deg - expected[:, 1]).max() < TOLERANCE_DEG, file


def by_column(pattern):
    """Return some beams, with the column of each and its rank among the lasers from the top."""
    beams = np.linspace(0, pattern.n_beams - 1, 499).astype(int)
    return beams, pattern.column[beams].tolist(), pattern.ring[beams].tolist()


def check_at128(file):
    """Compare beams of the first face, with corrections between two encoder angles."""
    data, pattern = file.read_bytes(), pattern_of(file)
    n, unit = data[4], data[15] / 25600
    (start,) = struct.unpack_from("<I", data, 16)
    lasers = struct.unpack_from(f"<{2 * n}i", data, 16 + 8 * data[6])
    adjust = struct.unpack_from(f"<{2 * n * 180}b", data, 16 + 8 * data[6] + 8 * n)
    ranks = sorted(range(n), key=lambda laser: -lasers[n + laser])
    beams, columns, rings = by_column(pattern)
    expected = []
    for column, ring in zip(columns, rings, strict=True):
        laser, swept = ranks[ring], 30 + (column + 0.5) * 0.1
        encoder = (start * unit + swept / 2) % 360
        low, share = int(encoder // 2), encoder / 2 % 1
        moved = [
            data[15] / 100 * ((1 - share) * row[low] + share * row[(low + 1) % 180])
            for row in (adjust[180 * laser :][:180], adjust[180 * (n + laser) :][:180])
        ]
        azimuth = swept - lasers[laser] * unit + moved[0]
        expected.append((azimuth, lasers[n + laser] * unit + moved[1]))
    compare(pattern, expected, beams, file)


def check_ft120(file):
    """Compare every beam."""
    data, pattern = file.read_bytes(), pattern_of(file)
    columns, channels, resolution = data[6:9]
    count = columns * channels
    values = np.array(struct.unpack_from(f"<{2 * count}i", data, 9)) * resolution / 100
    azimuth, elevation = values.reshape(2, columns, channels)
    ranks = np.argsort(-elevation.mean(axis=0), kind="stable")
    expected = np.stack([azimuth[:, ranks].ravel(), elevation[:, ranks].ravel()], axis=1)
    assert pattern.n_beams == count
    compare(pattern, expected, np.arange(count), file)


def check_et25(file):
    """Compare beams with the maker's formula at the mirrors' positions, found from the beams."""
    data, pattern = file.read_bytes(), pattern_of(file)
    n = data[6]
    division, *mirrors = struct.unpack_from("<H3h", data, 8)
    alpha, beta, gamma = (angle / division for angle in mirrors)
    values = [value / division for value in struct.unpack_from(f"<{2 * n}h", data, 16)]
    phi, theta = values[:n], values[n:]
    table = np.array(struct.unpack_from("<286h", data, 18 + 4 * n)).reshape(2, 11, 13) / division
    ranks = sorted(range(n), key=lambda laser: -theta[laser])

    def looks(laser, across, down):
        a, sin, cos, tan = (
            alpha + phi[laser],
            *(lambda d, f=f: f(math.radians(d)) for f in (math.sin, math.cos, math.tan)),
        )
        degree = math.degrees(1)
        up = down + theta[laser] - degree * tan(down) * (1 - cos(a))
        side = sin(a) * cos(a) * (down + theta[laser] / cos(a)) ** 2 / 2 * 1.016 / degree
        eta = phi[laser] + side + beta + across / 2
        azimuth = across + side + phi[laser]
        azimuth += sin(eta) * tan(2 * gamma) * tan(up) * degree + sin(2 * eta) * gamma**2 / degree
        elevation = up + cos(eta) * 2 * gamma
        azimuth += bilinear(table[0], azimuth, elevation)
        return azimuth, elevation + bilinear(table[1], azimuth, elevation)

    # the mirrors stand at 16 x 151 places, 1.6 and 0.8 deg apart; lasers leave the field at some
    assert int(pattern.ring.max()) + 1 == 16 * n
    left_deg = -math.degrees(pattern.azimuth_rad[0])
    first = min(range(3, 9), key=lambda c: abs(looks(ranks[0], 0.8 * (c - 75), 12)[0] - left_deg))
    beams = np.arange(pattern.n_beams)[::61]
    expected = [
        looks(ranks[ring % n], 0.8 * (first + column - 75), 12 - 1.6 * (ring // n))
        for ring, column in zip(
            pattern.ring[beams].tolist(), pattern.column[beams].tolist(), strict=True
        )
    ]
    compare(pattern, np.array(expected) + [90, 0], beams, file)


def bilinear(table, azimuth, elevation):
    column, row = (azimuth + 60) / 10, (elevation + 12.5) / 2.5
    left, below = int(column), int(row)
    u, v = column - left, row - below
    low, high = ((1 - u) * each[left] + u * each[left + 1] for each in table[below : below + 2])
    return (1 - v) * low + v * high


def check_atx(file):
    """Compare beams of an even and of an odd frame."""
    data = file.read_bytes()
    n, division = struct.unpack_from("<BH", data, 6)
    even, odd, elevation = (
        np.array(struct.unpack_from(f"<{n}h", data, 9 + 2 * n * part)) / division
        for part in range(3)
    )
    ranks = np.argsort(-elevation, kind="stable")
    both = Sensor.model_validate({"calibration": str(file)})
    for frame, lasers in enumerate((even, odd)):
        pattern = pattern_source(both).at(0.1 * frame)
        beams, columns, rings = by_column(pattern)
        encoder = 30.05 + 0.1 * np.array(columns)
        laser = ranks[rings]
        compare(pattern, np.stack([encoder + lasers[laser], elevation[laser]], axis=1), beams, file)


def check_helios(file):
    """Compare beams of every scanner, at its fastest, with the formulas of its optics."""
    scanners = ET.parse(file).getroot().findall("scanner")  # noqa: S314  not from strangers
    assert len(scanners) > 10
    for element in scanners:
        sensor = Sensor.model_validate(
            {"calibration": {"file": str(file), "scanner": element.get("id")}}
        )
        pattern = scan_pattern(sensor)
        seen = helios_vectors(pattern)
        channels = element.findall("channels/channel") or [element]
        mounts = sorted((mount(element, each) for each in channels), key=height)
        assert pattern.ring.max() + 1 == len(channels)
        for beam in np.linspace(0, pattern.n_beams - 1, 97).astype(int):
            turn, axis = head(element, pattern.time_s[beam])
            about, channel = mounts[pattern.ring[beam]]
            given = {**element.attrib, **channel.attrib}
            sent = deflected(given, incident(channel), pattern.time_s[beam])
            expected = turned(axis, turn) @ about @ sent
            miss = np.linalg.norm(np.cross(expected, seen[beam]))
            assert miss < np.radians(TOLERANCE_DEG), element.get("id")
            assert expected @ seen[beam] > 0, element.get("id")
            if given["optics"] != "risley":  # not beyond what the file allows
                most = min(
                    float(given["scanAngleMax_deg"]),
                    float(given.get("scanAngleEffectiveMax_deg", 360)),
                )
                angle = np.degrees(np.arctan2(np.hypot(sent[0], sent[2]), sent[1]))
                assert angle <= most + TOLERANCE_DEG, element.get("id")


def mount(scanner, channel):
    origin = channel.find("beamOrigin")
    origin = scanner.find("beamOrigin") if origin is None else origin
    about = np.eye(3)
    for rot in [] if origin is None else origin.findall("rot"):
        about = turned(AXES[rot.get("axis")], math.radians(float(rot.get("angle_deg")))) @ about
    return about, channel


def height(mounted):
    """Return a channel's place among the rings: those that look up most come first."""
    return -round(mounted[0][2, 1], 12)


def incident(channel):
    beam = channel.find("incidentBeam")
    return (0, 1, 0) if beam is None else tuple(float(beam.get(key)) for key in "xyz")


def head(scanner, time_s):
    axis = scanner.find("headRotateAxis")
    axis = (0, 0, 1) if axis is None else tuple(float(axis.get(key)) for key in "xyz")
    return math.radians(float(scanner.get("headRotatePerSecMax_deg", 0))) * time_s, axis

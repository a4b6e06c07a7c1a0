# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small files of survey scanners as HELIOS++ has them, and its formulas, pulse by pulse."""

import math

import numpy as np

from osi_lidar.config import Sensor
from tests.osi_lidar.sensors.calibration.files import text

ROTATING = {
    "id": "tls",
    "optics": "rotating",
    "pulseFreqs_Hz": "10000,20000",
    "scanAngleMax_deg": "60",
    "scanAngleEffectiveMax_deg": "45",
    "scanFreqMin_Hz": "10",
    "scanFreqMax_Hz": "100",
    "headRotatePerSecMax_deg": "90",
    "rangeMin_m": "1.5",
    "accuracy_m": "0.005",
}
RISLEY = {
    "id": "prisms",
    "optics": "risley",
    "pulseFreqs_Hz": "10000",
    "angle1_deg": "18",
    "angle2_deg": "-17",
    "refrIndex1": "1.51",
    "refrIndex2": "1.5",
    "rotorFreq1_Hz": "-120",
    "rotorFreq2_Hz": "77",
    "wavelength_nm": "905",
    "rangeMax_m": "260",
}


def scanner(base=ROTATING, inside="", **changes):
    """Return the element of a scanner; None leaves an attribute out."""
    attributes = {key: value for key, value in {**base, **changes}.items() if value is not None}
    words = " ".join(f'{key}="{value}"' for key, value in attributes.items())
    return f"<scanner {words}>{inside}</scanner>"


def helios(folder, *scanners, name="scanners.xml"):
    elements = "\n".join(scanners)
    return text(folder, f'<?xml version="1.0"?>\n<document>\n{elements}\n</document>\n', name=name)


def sensor(file, **keys):
    return Sensor.model_validate({"calibration": {"file": str(file), **keys}})


def vectors(pattern):
    flat = np.cos(pattern.elevation_rad)
    x, y = flat * np.cos(pattern.azimuth_rad), flat * np.sin(pattern.azimuth_rad)
    return np.stack([x, y, np.sin(pattern.elevation_rad)], axis=1)


def helios_vectors(pattern):
    """Return beams in the frame of HELIOS++: x right, y forward, z up."""
    x, y, z = vectors(pattern).T
    return np.stack([-y, x, z], axis=1)


CHANNELS = """
<channels>
  <channel id="low" scanAngleMax_deg="10" scanAngleEffectiveMax_deg="10">
    <beamOrigin x="0" y="0" z="0.1"><rot axis="x" angle_deg="-20"/></beamOrigin>
  </channel>
  <channel id="high"><beamOrigin><rot axis="x" angle_deg="20"/></beamOrigin></channel>
</channels>
"""


def refracted(beam, normal, before, behind):
    """Return where a face sends a beam: its part along the face grows by the ratio of indices."""
    along = beam - (beam @ normal) * normal
    along = along * before / behind
    return along + np.sqrt(1 - along @ along) * normal


def expected_beam(given, incident, time_s):
    """Return where prisms send a beam at a time, in the frame of HELIOS++ (y forward)."""
    beam, flat = np.array(incident) / np.linalg.norm(incident), np.array([0.0, 1.0, 0.0])
    air = float(given.get("refrIndex_air", 1))
    for number in "123":
        angle = math.radians(float(given.get(f"angle{number}_deg", 0)))
        glass = float(given.get(f"refrIndex{number}", 1))
        turn = 2 * math.pi * float(given.get(f"rotorFreq{number}_Hz", 0)) * time_s
        aside = (-np.sin(turn) * np.sin(angle), np.cos(angle), -np.cos(turn) * np.sin(angle))
        faces = [flat, flat, flat]
        # a positive angle is that of the face that light enters by, a negative one of the other
        faces[0 if angle > 0 else 1] = np.array(aside)
        beam = refracted(beam, faces[0], air, glass)
        beam = refracted(beam, faces[1], glass, air)
    return beam


def turned(axis, angle_rad):
    """Return the matrix of a rotation about any axis, by its exponential series."""
    x, y, z = np.array(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle_rad) * cross + (1 - np.cos(angle_rad)) * cross @ cross


def deflected(given, incident, time_s):
    """Return where the optics of a scanner, at its fastest, send a beam at a time."""
    optics = given["optics"]
    if optics == "risley":
        return expected_beam(given, incident, time_s)
    half, rate = float(given["scanAngleMax_deg"]), float(given["scanFreqMax_Hz"])
    rate = min(rate, float(given.get("scanProduct", 1e9)) / half)
    if optics == "conic":
        turn, half = 2 * math.pi * rate * time_s, math.radians(half)
        return np.array([np.sin(half) * np.sin(turn), np.cos(half), np.sin(half) * np.cos(turn)])
    if optics == "rotating":
        angle = half * (2 * ((rate * time_s + 0.5) % 1.0) - 1)
    else:
        angle = half * (1 - 4 * abs((rate * time_s) % 1.0 - 0.5))
    return np.array([0.0, np.cos(np.radians(angle)), np.sin(np.radians(angle))])

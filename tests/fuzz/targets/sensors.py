# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Makers' files of sensors, survey scanners, and files of patterns."""

import io

import numpy as np
from pydantic import ValidationError

from lidar_base.sections import first_problem
from osi_lidar.config import Sensor
from osi_lidar.errors import ConfigurationError
from osi_lidar.scan.from_config import pattern_source
from tests.fuzz.target import Target, command
from tests.fuzz.values import changed_bytes
from tests.osi_lidar.sensors.calibration import hesai_files
from tests.osi_lidar.sensors.calibration.files import ouster, velodyne
from tests.osi_lidar.sensors.calibration.helios_files import CHANNELS, RISLEY, helios, scanner

LASERS = [
    {"vert_correction": 0.1 - 0.02 * k, "rot_correction": 0.01 * k, "vert_offset_correction": 0.2,
     "horiz_offset_correction": 0.02, "dist_correction": 0.1}
    for k in range(8)
]  # fmt: skip
ANGLES = "Laser id,Elevation,Azimuth\n" + "".join(
    f"{k + 1},{15 - k},{-0.5 * k}\n" for k in range(16)
)
LIVOX = "Time/s,Azimuth/deg,Zenith/deg\n" + "".join(
    f"{k * 1e-5:.6f},{k % 70},{85 + k % 9}\n" for k in range(2000)
)


def _binary(name):
    """Return a seed of a binary file, whose checksum is right again after each change."""
    return {f"{name}.dat": getattr(hesai_files, name)()}


def _resealed(data, draw):
    """Change a binary file of angles, mostly with a checksum that fits."""
    changed = changed_bytes(data[:-32], draw)
    return hesai_files.sealed(changed) if draw.random() < 0.8 else changed + data[-32:]


def _files(folder):
    old, new = ouster(folder), ouster(folder, layout="new", name="new.json")
    table = np.stack(
        [np.arange(20000) * 1e-4 % 1.2 - 0.6, np.arange(20000) * 3e-4 % 0.6 - 0.3], axis=1
    )
    buffer = io.BytesIO()
    np.save(buffer, table)
    return {
        "ouster": {"a.json": old.read_bytes()},
        "ouster-new": {"a.json": new.read_bytes()},
        "velodyne": {"a.yaml": velodyne(folder, LASERS).read_bytes()},
        "hesai": {"a.csv": ANGLES.encode()},
        "livox": {"a.csv": LIVOX.encode()},
        "livox-npy": {"mid40.npy": buffer.getvalue()},
        "helios": {"a.xml": helios(folder, scanner(inside=CHANNELS)).read_bytes()},
        "helios-risley": {"a.xml": helios(folder, scanner(RISLEY)).read_bytes()},
        **{name: _binary(name) for name in ("ft120", "et25", "atx")},
    }


def _pattern(folder):
    (path,) = folder.iterdir()
    return _scanned({"calibration": str(path)})


def _scanned(keys):
    """Return the beams of a sensor's first scans; a wrong key is one line."""
    try:
        source = pattern_source(Sensor.model_validate(keys))
    except ValidationError as error:
        raise ConfigurationError(first_problem(error, keys)) from None
    return [
        [beams.azimuth_rad, beams.elevation_rad, beams.time_s, beams.direction]
        for beams in (source.at(0.0), source.at(0.1))
    ]


def _info(folder):
    (path,) = folder.iterdir()
    return command("info", path, "--json")


def _patterns(_):
    pairs = "azimuth,elevation\n" + "".join(f"{k},{-k / 3}\n" for k in range(9))
    pulses = "t,a,e\n" + "".join(f"{k * 0.001},{k},{-k / 3}\n" for k in range(99))
    return {"pairs": {"pairs.csv": pairs.encode()}, "table": {"table.csv": pulses.encode()}}


def _own(folder):
    (path,) = folder.iterdir()
    return _scanned({"name": "s", "pattern": {"kind": path.stem, "file": str(path)}})


CHANGES = {"*.dat": _resealed}
TARGETS = [
    Target(name="calibration", seeds=_files, call=_pattern, changes=CHANGES),
    Target(name="calibration-info", seeds=_files, call=_info, changes=CHANGES),
    Target(name="pattern-file", seeds=_patterns, call=_own),
]

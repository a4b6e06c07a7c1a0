# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Channels and key frames of nuScenes: choose the scans of a scene that become samples."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from osi_lidar.output.stored import StoredRun, StoredScan

TOP = "LIDAR_TOP"
"""Channel of the first sensor: devkit and frameworks need a channel with this name."""
PERIOD_NS = 500_000_000
"""Time between key frames: 2 Hz. [ns]"""


class Keys(NamedTuple):
    """Key frames of a scene: the moments that become samples of nuScenes.

    Attributes
    ----------
    times_ns : list of int
        Times of the key frames: each is the end of a scan of the first sensor. [ns]
    of_cloud : dict of Path to int
        Index of the key frame by the path of a cloud; only clouds that belong to a key frame.
    """

    times_ns: list[int]
    of_cloud: dict[Path, int]

    def nearest(self, time_ns: int) -> int:
        """Return the index of the key frame that is nearest to a time, `time_ns` [ns].

        The index counts in `times_ns`. Of two equally near key frames, the earlier one is returned.
        """
        return int(np.argmin(np.abs(np.array(self.times_ns) - time_ns)))


def channels(run: StoredRun, scans: Sequence[StoredScan]) -> dict[str, str]:
    """Return the nuScenes channel of each sensor that has scans, by the name of the sensor.

    The first sensor has the channel `TOP`, each other one LIDAR_NAME with its own name in capitals.

    Parameters
    ----------
    run : StoredRun
        The run, which gives the order of its sensors.
    scans : sequence of StoredScan
        Scans of the run.

    Returns
    -------
    dict of str to str
        Channel by name of the sensor, in the order of the run's sensors.

    Raises
    ------
    InputError
        If two sensors would have the same channel.
    """
    seen = {scan.row.sensor for scan in scans}
    names = [each.name for each in run.sensors if each.name in seen]
    words = {name: re.sub(r"\W", "_", name, flags=re.ASCII).upper() for name in names}
    found = {name: TOP if name == names[0] else f"LIDAR_{words[name]}" for name in names}
    if len(set(found.values())) < len(found):
        raise InputError(
            f"{run.folder}: the sensors {', '.join(names)} would have equal names in nuScenes, "
            "which allows only letters, digits and _; rename one"
        )
    return found


def key_frames(scans: Sequence[StoredScan], top: str) -> Keys:
    """Return the key frames of a scene, two a second.

    The first scan of the first sensor sets the first key frame. Target times follow every half
    second after it. The scan of the first sensor that ends nearest to a target time sets a key
    frame at its end. Each other sensor contributes the scan that ends nearest to the key frame, if
    that is less than a quarter of a second away.

    Parameters
    ----------
    scans : sequence of StoredScan
        Scans of all sensors of a run; each sensor's scans are in the order of time.
    top : str
        Name of the first sensor, which must have scans.
    """
    of_sensor: dict[str, list[StoredScan]] = {}
    for scan in scans:
        of_sensor.setdefault(scan.row.sensor, []).append(scan)
    ends_ns = np.array([scan.row.end_ns for scan in of_sensor[top]])
    targets = np.arange(ends_ns[0], ends_ns[-1] + 1, PERIOD_NS)
    numbers = sorted({int(np.argmin(np.abs(ends_ns - target))) for target in targets})
    times_ns = ends_ns[numbers]
    of_cloud: dict[Path, int] = {}
    for each in of_sensor.values():
        own_ns = np.array([scan.row.end_ns for scan in each])
        for key, time_ns in enumerate(times_ns.tolist()):
            nearest = int(np.argmin(np.abs(own_ns - time_ns)))
            if 2 * abs(own_ns[nearest] - time_ns) < PERIOD_NS:
                of_cloud.setdefault(each[nearest].path, key)
    return Keys(times_ns=times_ns.tolist(), of_cloud=of_cloud)

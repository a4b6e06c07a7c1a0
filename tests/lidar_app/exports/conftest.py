# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs that exports read: one as the model writes it, and one with all fields that a cloud has."""

import shutil

import numpy as np
import pytest

from osi_lidar.clouds.pcd import read_pcd, write_pcd
from osi_lidar.output.stored import open_run
from tests.builders.runs import make_run

SWEEP_NS = 120_000_000
"""The second scan begins 20 ms before the first message, as the model counts."""


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Return a run of two sensors with one echo each, whose second frame repeats the first."""
    return make_run(tmp_path_factory.mktemp("exports"))


@pytest.fixture(scope="session")
def full_folder(folder, tmp_path_factory):
    """Return the same run with times, echoes and signals, and a last cloud of "left" of no point.

    Every third beam has a second echo 2 m behind the first one, and half as strong; every seventh
    has a false alarm.
    """
    full = tmp_path_factory.mktemp("full") / "run"
    shutil.copytree(folder, full)
    for path in full.glob("*/*.pcd"):
        write_pcd(path, with_echoes(read_pcd(path)))
    empty = full / "left" / "000002.pcd"
    write_pcd(empty, read_pcd(empty)[:0])
    table = full / "frames.csv"
    table.write_text(recounted(full, table.read_text().splitlines()))
    return full


def recounted(full, rows):
    """Return frames.csv with the numbers of points that the clouds have, and sweeps of 0.12 s."""
    head, *rest = rows
    names = head.split(",")
    lines = [head]
    for row in rest:
        cells = dict(zip(names, row.split(","), strict=True))
        cells["points"] = str(len(read_pcd(full / cells["file"])))
        end_ns = int(cells["scan_end_ns"])
        cells["scan_begin_ns"] = str(end_ns - SWEEP_NS if end_ns else 0)
        lines.append(",".join(cells.values()))
    return "\n".join(lines) + "\n"


def with_echoes(points):
    """Return points with the fields of a timed sensor with a receiver."""
    n = len(points)
    kinds = {name: points.dtype[name] for name in points.dtype.names}
    kinds |= {"time_ns": "<u4", "echo": "u1", "n_echoes": "u1"}
    kinds |= {"snr": "<f4", "width_m": "<f4", "origin": "u1"}
    rows = np.zeros(n, [*kinds.items()])
    for name in points.dtype.names:
        rows[name] = points[name]
    if "time_ns" not in points.dtype.names:
        rows["time_ns"] = points["column"] * (SWEEP_NS // 61)
    rows["n_echoes"] = 1
    rows["snr"] = 100.0 * points["reflectivity"] + 10.0
    rows["origin"][::7] = 2
    twice = np.arange(n) % 3 == 0
    rows["n_echoes"][twice] = 2
    second = rows[twice]
    second["echo"] = 1
    farther = 1.0 + 2.0 / second["range"]
    for name in ("x", "y", "z", "range"):
        second[name] *= farther
    second["snr"] *= 0.5
    order = np.argsort(np.concatenate([np.arange(n), np.flatnonzero(twice) + 0.5]))
    return np.concatenate([rows, second])[order]


@pytest.fixture(scope="session")
def stored(folder):
    return open_run(folder)


@pytest.fixture(scope="session")
def full(full_folder):
    return open_run(full_folder)


def times_ns(scan, points):
    """Return when points were measured: never after the end of the scan, and never before 0."""
    fired_ns = scan.row.begin_ns + points["time_ns"].astype(np.int64)
    return np.maximum(np.minimum(fired_ns, scan.row.end_ns), 0)

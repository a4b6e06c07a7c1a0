# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Counts of the points of a run by infrared material and object."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from osi_lidar.clouds.pcd import read_pcd
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import TABLE_NAME
from osi_lidar.output.run_folder import REPORT_NAME
from osi_lidar.output.stored import open_run
from osi_lidar.scan.records import NO_MATERIAL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from osi_lidar.output.stored import StoredRun

_FIELDS = ("object_id", "material_id")
NO_SURFACE = "none (false alarm)"
"""Name in place of a material, for points that are not on a surface."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialHits:
    """Counts of the points in the clouds of a run; a cloud that frames repeat counts once.

    Attributes
    ----------
    counts : Counter of (int or None, str)
        Number of points by (OSI id of the object, infrared material). The id is None for points
        that are not on an OSI object.
    sensors : Counter of str
        Number of points by name of the sensor.
    n_clouds : int
        Number of clouds.
    """

    counts: Counter[tuple[int | None, str]] = field(default_factory=Counter)
    sensors: Counter[str] = field(default_factory=Counter)
    n_clouds: int

    @property
    def total(self) -> int:
        """Number of all points."""
        return self.counts.total()

    @property
    def by_material(self) -> dict[str, int]:
        """Number of points by material; the largest number comes first."""
        found: Counter[str] = Counter()
        for (_, material), n_points in self.counts.items():
            found[material] += n_points
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    @property
    def by_object(self) -> dict[int | None, dict[str, int]]:
        """Points by OSI id (None, no object, comes first), then by material, most points first."""
        found: dict[int | None, dict[str, int]] = {}
        order = sorted(
            self.counts.items(),
            key=lambda each: (each[0][0] is not None, each[0][0] or 0, -each[1], each[0][1]),
        )
        for (object_id, material), n_points in order:
            found.setdefault(object_id, {})[material] = n_points
        return found


def count_hits(
    folder: Path, on_cloud: Callable[[int, int], object] = lambda _done, _count: None
) -> MaterialHits:
    """Count the points of a run by infrared material and object.

    Parameters
    ----------
    folder : Path
        The folder, as written by `replay`, `scan` or `stream`.
    on_cloud : callable
        Called after every cloud, with the number of clouds done, and the number of all clouds.

    Raises
    ------
    InputError
        If the folder holds no run, a damaged one or no clouds, or clouds do not match its tables.
    """
    run = open_run(folder)
    n_points = _stated_points(run)
    clouds = _clouds(run)
    if not clouds:
        why = (
            "because its clouds were not written (output.pcd: none)"
            if n_points
            else ("because no beam returned a point")
        )
        raise InputError(f"{folder}: has no points to count, {why}")
    hits = MaterialHits(n_clouds=len(clouds))
    for done, (name, (sensor, expected)) in enumerate(clouds.items(), start=1):
        object_id, material_id = _columns(folder / name, expected)
        hits.sensors[sensor] += len(object_id)
        hits.counts.update(_count(folder / name, object_id, material_id, run.materials))
        on_cloud(done, len(clouds))
    has_ended = run.report.get("status") != "failed"
    if has_ended and hits.total != n_points:
        raise InputError(
            f"{folder}: its clouds contain {hits.total} points, but run.json says {n_points}: a "
            "cloud is not from this run"
        )
    return hits


def _stated_points(run: StoredRun) -> int:
    """Return the number of points that run.json states."""
    n_points = run.report.get("points")
    if not isinstance(n_points, int):
        raise InputError(
            f"{run.folder / REPORT_NAME}: has no number of points (key `points`), expected the "
            "folder of a finished run"
        )
    return n_points


def _clouds(run: StoredRun) -> dict[str, tuple[str, int]]:
    """Return sensor and number of points of each cloud, by file name, from frames.csv."""
    clouds: dict[str, tuple[str, int]] = {}
    for line, row in enumerate(run.rows, start=2):
        known = clouds.setdefault(row.file, (row.sensor, row.points)) if row.file else None
        if known is not None and known != (row.sensor, row.points):
            raise InputError(
                f"{run.folder / TABLE_NAME}: line {line}: {row.file} has {row.points} points of "
                f"{row.sensor}, but an earlier line says {known[1]} points of {known[0]}"
            )
    return clouds


def _columns(path: Path, expected: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return object id and material id of each point of a cloud."""
    data = read_pcd(path)
    names = data.dtype.names or ()
    for name in _FIELDS:
        if name not in names or data.dtype[name].kind not in "iu":
            raise InputError(
                f"{path}: has no field {name} of whole numbers; it has {', '.join(names)}"
            )
    if len(data) != expected:
        raise InputError(f"{path}: got {len(data)} points, expected {expected} as in frames.csv")
    return data["object_id"], data["material_id"]


def _count(
    path: Path, object_id: NDArray[Any], material_id: NDArray[Any], materials: tuple[str, ...]
) -> dict[tuple[int | None, str], int]:
    if not len(object_id):
        return {}
    on_surface = material_id[material_id != NO_MATERIAL]
    if len(on_surface) and not 0 <= on_surface.min() <= on_surface.max() < len(materials):
        raise InputError(
            f"{path}: got material_id {on_surface.max()}, expected less than {len(materials)}, the "
            "number of materials in run.json"
        )
    material_id = np.where(material_id == NO_MATERIAL, len(materials), material_id)
    materials = (*materials, NO_SURFACE)
    ids, which = np.unique(object_id, return_inverse=True)
    table = np.bincount(
        which.ravel() * len(materials) + material_id, minlength=len(ids) * len(materials)
    ).reshape(len(ids), len(materials))
    none = np.iinfo(object_id.dtype).max
    return {
        (None if ids[row] == none else int(ids[row]), materials[column]): int(table[row, column])
        for row, column in np.argwhere(table)
    }

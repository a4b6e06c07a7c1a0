# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Number of points that each object of a scan would have if it were alone in the world.

By definition, this is the same scan, with the same random draws per beam, of a world with only that
object. Several objects share a scan if no beam can see two of them: their directions must be apart
by more than the width of a beam and the reach of neighbouring beams that are traced again. An
object with glass, a mirror or a wet surface redirects light, so it gets a separate scan. Only a few
objects change from one scan to the next, so most rays keep their hits.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.truth.visibility_views import Margin, Views, views_of
from lidar_base.process.stopwatch import Stopwatch
from osi_bridge import NO_OBJECT
from osi_lidar.scan.lidar import Lidar
from raycore.scene.graph import SceneGraph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Sensor
    from osi_lidar.scan.media.window import SensorWindow
    from osi_lidar.scan.records import Exposure
    from osi_lidar.scan.step import LastScan
    from osi_lidar.world.world import World


def points_by_object(cloud: Cloud) -> dict[int, int]:
    """Return the number of a cloud's points on each OSI object that has points, by OSI id."""
    found, count = np.unique(cloud.object_id, return_counts=True)
    counts = dict(zip(found.tolist(), count.tolist(), strict=True))
    counts.pop(NO_OBJECT, None)
    return counts


class AloneScans:
    """Scans objects as if each were alone in the world, with the beams of one sensor.

    Parameters
    ----------
    config : Sensor
        Configuration of the sensor.
    seed : int
        Seed of the whole configuration.
    window : SensorWindow, optional
        Window of the sensor; None if it is clear.

    Attributes
    ----------
    n_scans : int
        Number of scans of objects alone so far; one scan may serve several objects.
    """

    def __init__(self, config: Sensor, seed: int, window: SensorWindow | None = None) -> None:
        self._config = config
        self._lidar = Lidar(config, seed, window)
        self._scene = SceneGraph()
        self._clock = Stopwatch()
        self.n_scans = 0

    def points(self, world: World, last: LastScan) -> dict[int, int]:
        """Return the number of points that each object would have alone in the world, by OSI id.

        Objects without points are left out.

        Parameters
        ----------
        world : World
            The world, in the state in which `last` was scanned.
        last : LastScan
            The scan of the whole world that is repeated.

        Raises
        ------
        ValueError
            If the scan was not traced.
        """
        if last.scanned is None:
            raise ValueError("the last scan was not traced, expected a traced scan")
        self._lidar.aim(last.shutter.begin_ns)
        alone = copy(world)
        alone.scene = self._scene
        counts: dict[int, int] = {}
        for instances in self._groups(world, last, last.scanned.exposure):
            self._scene.show(world.scene, instances)
            scanned = self._lidar.scan(alone, last.poses, last.shutter, self._clock)
            counts |= points_by_object(scanned.cloud)
            self.n_scans += 1
        return counts

    def _groups(
        self, world: World, last: LastScan, exposure: Exposure
    ) -> Iterator[NDArray[np.int64]]:
        """Yield groups of instances; each group is scanned together."""
        placed = world.objects.placed
        of_object = [np.array(each.instances, np.int64) for each in placed.values()]
        if not of_object:
            return
        first = np.cumsum([0, *map(len, of_object[:-1])])
        instances = np.concatenate(of_object)
        low_m, high_m = np.swapaxes(world.scene.bounds_m(instances), 0, 1)
        boxes = np.minimum.reduceat(low_m, first), np.maximum.reduceat(high_m, first)
        margin = Margin.of(self._config, self._lidar.pattern)
        views = views_of(np.stack(boxes, axis=1), last.poses, margin)
        near = views.nearest_m <= self._config.max_range_m
        sends = np.logical_or.reduceat(_sends_light_on(world, exposure, instances), first)
        for row in np.flatnonzero(near & sends).tolist():
            yield of_object[row]
        for group in _apart(views, np.flatnonzero(near & ~sends)):
            yield np.concatenate([of_object[row] for row in group.tolist()])


def _apart(views: Views, rows: NDArray[np.intp]) -> Iterator[NDArray[np.intp]]:
    """Yield groups of boxes that do not overlap within a group, the widest first."""
    overlaps = views.overlaps()
    left = rows[np.argsort(-views.half_rad[rows], kind="stable")].tolist()
    while left:
        group: list[int] = []
        later: list[int] = []
        for row in left:
            (later if overlaps[row, group].any() else group).append(row)
        left = later
        yield np.array(group)


def _sends_light_on(
    world: World, exposure: Exposure, instances: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Return whether instances have glazing, a mirror, or a wet surface, bool (n,)."""
    sends = exposure.table.sends_some_on.copy()
    if exposure.ground is not None:
        sends |= exposure.ground.is_wet[:-1]
    if not sends.any():
        return np.zeros(len(instances), np.bool_)
    surfaces, tables = exposure.surfaces, world.scene.tables
    n_row = np.diff(np.append(tables.first_row, len(tables.slot_of_primitive)))
    first = surfaces.first_row_of_instance
    rows = ((int(first[i]), int(n_row[tables.mesh_of_instance[i]])) for i in instances)
    return np.array(
        [sends[surfaces.material_of_row[at : at + n]].any() for at, n in rows], np.bool_
    )

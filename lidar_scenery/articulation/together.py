# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Poses of the parts of many objects, those of equal ones by one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from lidar_scenery.articulation.records import Assembly, Floats, Travel


def poses_of(going: Iterable[tuple[Assembly, Travel]]) -> dict[int, Floats]:
    """Return the poses of the parts of objects, by OSI id; all at the same number of instants."""
    alike: dict[object, list[Travel]] = {}
    assemblies: dict[object, Assembly] = {}
    for assembly, travel in going:
        key: object = assembly if assembly.by_row else (assembly, travel.object_id)
        alike.setdefault(key, []).append(travel)
        assemblies[key] = assembly
    poses: dict[int, Floats] = {}
    for key, travels in alike.items():
        found = assemblies[key].poses(_joined(travels))
        each = found.reshape(len(travels), -1, *found.shape[1:])
        poses.update(zip((travel.object_id for travel in travels), each, strict=True))
    return poses


def _joined(travels: Sequence[Travel]) -> Travel:
    """Return the travels of equal objects one after another, with the id of the first."""
    first = travels[0]
    if len(travels) == 1:
        return first
    return first._replace(
        way_m=np.concatenate([travel.way_m for travel in travels]),
        speed_m_s=np.concatenate([travel.speed_m_s for travel in travels]),
        curvature_per_m=np.concatenate([travel.curvature_per_m for travel in travels]),
        state=np.concatenate([travel.state for travel in travels]),
    )

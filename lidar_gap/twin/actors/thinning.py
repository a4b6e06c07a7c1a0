# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Thinning of bodies that returned only a part of the beams in the recording.

A dark car may return half of the beams that hit it, and different beams in each frame. The surfels
of all frames together would close the gaps that each frame had. So the beams of the recording are
traced against the body again, and surfels are removed until as many beams return as in the
recording.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.spatial import KDTree

from lidar_gap.twin.actors.cells import ring_steps
from lidar_gap.twin.actors.surfels import Surfels
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.records import ALL_OF_IT, NOTHING, Shots
from raycore.scene.graph import SceneGraph
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.actors.tracks import ActorTrack, FrameBox

_HALVINGS = 7  # number of bisections in the search for the part of the surfels to keep
_ENOUGH = 0.98  # bodies whose ratio of recorded to simulated points is higher are not thinned
_LEAST = 0.03  # smallest part of the surfels to keep
_BEFORE_M = 0.3  # a beam that ends farther before a body is blocked by something
_GOLDEN = 0.5 * (math.sqrt(5.0) - 1.0)  # its multiples are spread evenly over 0 to 1


class _RingBeams(NamedTuple):
    """The beams of a cloud: its pattern of rings and azimuths, and its returns."""

    elevation: NDArray[np.float64]  # elevation of each ring, (n_ring,) [rad]
    step: float  # azimuth step [rad]
    tree: KDTree  # search tree of the directions of the returns
    range_m: NDArray[np.float64]


def thinned(
    meshes: Mapping[int, Surfels],
    tracks: Sequence[ActorTrack],
    clouds: Sequence[ScanCloud],
    used: NDArray[np.bool_],
    margin_m: float,
) -> dict[int, Surfels]:
    """Return bodies with fewer surfels, so that a simulated scan has as many points as recorded.

    The arguments are not changed. Bodies on which a simulated scan has hardly more points than
    recorded (at most 2 %), or fewer, stay as they are.

    Parameters
    ----------
    meshes : dict of int to Surfels
        Bodies by index of their track, in the frames of their boxes.
    tracks : sequence of ActorTrack
        The labelled objects.
    clouds : sequence of ScanCloud
        All clouds of the recording; clouds without known rings are not used.
    used : bool (n_cloud,)
        Whether bodies are made from each cloud.
    margin_m : float
        Enlargement of boxes, on all sides except the bottom. [m]
    """
    found = dict(meshes)
    counted = _Recounted(tracks, clouds, np.flatnonzero(used).tolist(), margin_m)
    parts = dict.fromkeys(meshes, 1.0)
    least = dict.fromkeys(parts, _LEAST)
    most = dict.fromkeys(parts, 1.0)
    for halving in range(_HALVINGS):
        share = counted.shares({number: found[number] for number in parts})
        for number in list(parts):
            if not halving and share[number] >= _ENOUGH:
                del parts[number]
                continue
            bound = most if share[number] < 1.0 else least
            bound[number] = parts[number]
            parts[number] = math.sqrt(least[number] * most[number])
            found[number] = some(meshes[number], parts[number])
    return found


class _Recounted(NamedTuple):
    """Counts the points that bodies would return to the beams of the recording."""

    tracks: Sequence[ActorTrack]
    clouds: Sequence[ScanCloud]
    rows: Sequence[int]
    margin_m: float

    def shares(self, meshes: Mapping[int, Surfels]) -> dict[int, float]:
        """Return the ratio of recorded to simulated points by track; 1 without simulated points."""
        casters = {number: _BodyCaster(mesh) for number, mesh in meshes.items()}
        real, sim = dict.fromkeys(casters, 0), dict.fromkeys(casters, 0)
        for row in self.rows:
            cloud, beams = self.clouds[row], _beams(self.clouds[row])
            for number, caster in casters.items():
                box = self.tracks[number].boxes.get(row)
                if beams is not None and box is not None:
                    own = box.inside(cloud.points_m, self.margin_m)
                    real[number] += int(own.sum())
                    sim[number] += caster.n_returns(beams, box, own, self.margin_m)
        return {number: real[number] / sim[number] if sim[number] else 1.0 for number in casters}


def some(mesh: Surfels, part: float) -> Surfels:
    """Return a body with about a given share of its surface elements (parallelograms).

    The chosen elements are spread evenly over their indices. A smaller share chooses a subset of
    the elements of a larger share.

    Parameters
    ----------
    mesh : Surfels
        The body; it is not changed.
    part : float
        Share of the elements to keep, from 0 to 1. If none would be left, the whole body is
        returned.
    """
    n = len(mesh.vertices_m) // 4
    chosen = (_GOLDEN * np.arange(1, n + 1)) % 1.0 < part
    if chosen.all() or not chosen.any():
        return mesh
    first = 4 * np.cumsum(chosen) - 4
    corners = mesh.faces[:n] - 4 * np.arange(n)[:, None], mesh.faces[n:] - 4 * np.arange(n)[:, None]
    faces = [(each + first[:, None])[chosen] for each in corners]
    vertices = mesh.vertices_m.reshape(n, 4, 3)[chosen].reshape(-1, 3)
    return Surfels(vertices_m=vertices, faces=np.concatenate(faces))


class _BodyCaster:
    """Casts beams at a body, whose mesh is in the frame of its box."""

    def __init__(self, mesh: Surfels) -> None:
        shape = Mesh(
            name="body",
            vertices_m=mesh.vertices_m.astype(np.float32),
            faces=mesh.faces.astype(np.uint32),
            slot=np.zeros(len(mesh.faces), np.uint16),
            materials=(VisualMaterial(name="surface"),),
            origin_m=np.zeros(3),
        )
        self._vertices_m = mesh.vertices_m
        self._scene, self._tracer = SceneGraph(), new_tracer(incremental=False)
        self._scene.add(self._scene.add_mesh(shape), np.eye(4))

    def n_returns(
        self, beams: _RingBeams, box: FrameBox, own: NDArray[np.bool_], margin_m: float
    ) -> int:
        """Return the number of a cloud's beams that hit the body in its box, unblocked.

        ``own`` says which points of the cloud are in the box; these points do not count as
        occluders.
        """
        pose = box.sensor_from_box
        direction = _towards(beams, self._vertices_m @ pose[:3, :3].T + pose[:3, 3])
        if not len(direction):
            return 0
        shots = Shots(
            origin_m=np.zeros((1, 3), np.float32),
            direction=np.ascontiguousarray(direction.T, np.float32),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=ALL_OF_IT,
            max_range_m=math.inf,
            coherent=True,
        )
        self._scene.commit(box.box_from_sensor[:3, 3])
        hits = self._tracer.trace(self._scene, shots, box.box_from_sensor)
        met = hits.instance != NOTHING
        range_m = hits.range_m[met].astype(np.float64)
        _, near = beams.tree.query(direction[met])
        free = own[near] | (beams.range_m[near] > range_m - _BEFORE_M)
        return int((free & box.inside(direction[met] * range_m[:, None], margin_m)).sum())


def _beams(cloud: ScanCloud) -> _RingBeams | None:
    """Return the beams of a cloud, None if its rings are not known."""
    range_m = np.maximum(np.linalg.norm(cloud.points_m, axis=1), 1e-6)
    found = ring_steps(cloud)
    if found is None:
        return None
    return _RingBeams(*found, KDTree(cloud.points_m / range_m[:, None]), range_m)


def _towards(beams: _RingBeams, points_m: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the directions of beams that may hit a body, float64 (n, 3)."""
    beam = points_m / np.maximum(np.linalg.norm(points_m, axis=1), 1e-6)[:, None]
    elevation, azimuth = np.arcsin(beam[:, 2]), np.arctan2(beam[:, 1], beam[:, 0])
    middle = math.atan2(float(beam[:, 1].sum()), float(beam[:, 0].sum()))
    off = (azimuth - middle + np.pi) % (2.0 * np.pi) - np.pi
    rings = beams.elevation[
        (beams.elevation >= elevation.min()) & (beams.elevation <= elevation.max())
    ]
    columns = middle + np.arange(off.min(), off.max(), beams.step)
    up, aside = (each.ravel() for each in np.meshgrid(rings, columns, indexing="ij"))
    level = np.cos(up)
    return np.stack([level * np.cos(aside), level * np.sin(aside), np.sin(up)], axis=1)

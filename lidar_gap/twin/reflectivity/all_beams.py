# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""All beams of a recording, traced in its twin: the surface each hits, and its return if any.

clouds as images of the sensor's rings and columns
  > direction of each beam; without a return, interpolated between neighbours
  > the point of the map that each beam hits in the mesh     (raycore.trace)
  > beams whose return, or missing return, depends on the surface

These beams are left out: beams that hit nothing; beams that hit the surface beside an edge or at
grazing incidence; beams that return from another place; and beams that somebody blocks, which shows
in neighbouring beams that do not return from bright surfaces.
"""

from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.ndimage import uniform_filter

from lidar_gap.rings import range_image
from raycore.mesh.materials import VisualMaterial
from raycore.mesh.mesh import Mesh
from raycore.records import ALL_OF_IT, NOTHING, Shots
from raycore.scene.graph import SceneGraph
from raycore.trace.tracer import new_tracer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lidar_gap.layout import Layout
    from lidar_gap.records import RangeImage, ScanCloud
    from lidar_gap.twin.reflectivity.albedo import SignalLaw
    from lidar_gap.twin.surface import MapSurface

logger = logging.getLogger(__name__)

BRIGHT = 30.0
"""Expected photons from which on a beam always returns, unless something blocks it."""
_WARPED_OVER = (5, 41)  # rings and columns over which shifts of directions are averaged
_LOOKED_AT = (7, 41)  # rings and columns around a beam in which blocked beams are counted
_LEAST_BRIGHT, _LEAST_RETURNED = 0.02, 0.8  # shares: of bright beams, and of returns among them
_FLAT_M = 0.1  # largest distance of a beam's neighbours from the plane that it hits
# largest range difference of a return from the surface: metres, and share of r
_SAME_M, _SAME_SHARE = 0.1, 0.02
_MOST_SHARED = 0.2  # if a larger share of pixels has several points, the columns do not fit
_NEIGHBOURS = ((0, 1), (0, -1), (1, 0), (-1, 0), (0, 2), (0, -2))


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoints:
    """The mesh of a map, and the points from which it was made.

    Attributes
    ----------
    mesh : MapSurface
        The mesh.
    points_m, normals : float64 (n_point, 3)
        Points of the map, and normals of its surface there. [m], 1
    """

    mesh: MapSurface
    points_m: NDArray[np.float64]
    normals: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBeams:
    """Beams that hit a surface, with or without a return; one row each.

    Attributes
    ----------
    point : int64 (n_beam,)
        Index of the point of the map that is nearest to a corner of the triangle of the mesh that
        the beam hits.
    gain : float64 (n_beam,)
        Ratio of the signal of a return to the albedo of the surface. [1/m^2]
    counted : float64 (n_beam,)
        Signal of the return, raised to 1 if it is smaller; 0 without a return.
    frame, ring : int64 (n_beam,)
        Frame of each beam, as an index of ``Recorded.clouds``, and its ring.
    n_ring : int
        Number of rings of the sensor, including rings without beams here.
    """

    point: NDArray[np.int64]
    gain: NDArray[np.float64]
    counted: NDArray[np.float64]
    frame: NDArray[np.int64]
    ring: NDArray[np.int64]
    n_ring: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _BeamImage:
    """The beams of a frame, as images (n_ring, n_column)."""

    point: NDArray[np.int32]  # -1 where nothing is hit
    gain: NDArray[np.float32]
    counted: NDArray[np.float32]  # signal of returns from the surface
    tells: NDArray[np.bool_]  # whether the beam hits a surface away from edges
    elsewhere: NDArray[np.bool_]  # whether the beam returned from another place


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """Clouds of one sensor, with signals and poses.

    Attributes
    ----------
    clouds : sequence of ScanCloud
        The clouds.
    signals : sequence of float64 (n_point,)
        Signal of each point, by cloud.
    world_from_sensor : float64 (n_cloud, 4, 4)
        Pose of each cloud.
    layout : Layout
        Rings and columns of the sensor.
    """

    clouds: Sequence[ScanCloud]
    signals: Sequence[NDArray[np.float64]]
    world_from_sensor: NDArray[np.float64]
    layout: Layout


def beams_of(
    recorded: Recorded, surface: MapPoints, law: SignalLaw, first_guess: NDArray[np.float64]
) -> SentBeams | None:
    """Return the beams of all clouds that contain information about the surface they hit.

    Parameters
    ----------
    recorded : Recorded
        The clouds.
    surface : MapPoints
        The surface for tracing the beams.
    law : SignalLaw
        Law of the sensor's signal.
    first_guess : float64 (n_point,)
        Estimated albedo of each map point, to find bright surfaces. [unit of the signal x m^2]

    Returns
    -------
    SentBeams or None
        None if no usable beam returned. Also None if the clouds do not have the columns of the
        layout, because it is then unknown which beams did not return.
    """
    images = list(_images(recorded, surface, law))
    if len(images) < len(recorded.clouds):
        logger.warning(
            "twin: the clouds have other columns than the sensor, so beams without a return are "
            "not used; set the number of columns by --columns"
        )
        return None
    found = _usable_beams(images, first_guess, _aligned(recorded.layout))
    if not found.counted.any():
        logger.warning(
            "twin: beams without a return are not used, because no beam hit the map and returned"
        )
        return None
    return found


def _usable_beams(
    images: Sequence[_BeamImage],
    first_guess: NDArray[np.float64],
    aligned: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> SentBeams:
    """Return the usable beams that nothing blocks."""
    bright_points = _bright(images, first_guess)
    parts = []
    for frame, image in enumerate(images):
        bright = image.tells & (image.gain * bright_points[image.point] > BRIGHT)
        kept = image.tells & ~image.elsewhere & ~_hidden(bright, image.counted > 0.0, aligned)
        frames = np.full(int(kept.sum()), frame)
        of_image = (image.point[kept], image.gain[kept], image.counted[kept])
        parts.append((*of_image, frames, np.nonzero(kept)[0]))
    point, gain, counted, frames, ring = (np.concatenate(each) for each in zip(*parts, strict=True))
    return SentBeams(
        point=point.astype(np.int64),
        gain=gain.astype(np.float64),
        counted=counted.astype(np.float64),
        frame=frames.astype(np.int64),
        ring=ring.astype(np.int64),
        n_ring=len(aligned[0]),
    )


def _images(recorded: Recorded, surface: MapPoints, law: SignalLaw) -> Iterator[_BeamImage]:
    """Yield the beams of each cloud; stop at a cloud whose columns do not fit the layout."""
    caster, aligned = _Caster(surface.mesh, recorded.layout), _aligned(recorded.layout)
    for cloud, signal, pose in zip(
        recorded.clouds, recorded.signals, recorded.world_from_sensor, strict=True
    ):
        image = range_image(cloud, recorded.layout)
        if (image.n_points > 1).sum() > _MOST_SHARED * image.returned.sum():
            return
        point, range_m, cosine = caster.met(_directions(cloud, image, caster), pose)
        met = point >= 0
        at_m, normal = surface.points_m[point], surface.normals[point]
        flat = met & ~_beside_edges(at_m, normal, met, aligned)
        seen_m = _ranges(cloud, image, caster)
        same = np.abs(seen_m - range_m) < _SAME_M + _SAME_SHARE * range_m
        yield _BeamImage(
            point=point.astype(np.int32),
            gain=law.gain(range_m, cosine).astype(np.float32),
            counted=np.where(same, np.maximum(image.of_points(signal), 1.0), 0.0).astype(
                np.float32
            ),
            tells=flat & (cosine > math.cos(math.radians(law.at_most_deg))),
            elsewhere=image.returned & ~same,
        )


class _Caster:
    """Casts the beams of a layout into a mesh."""

    def __init__(self, mesh: MapSurface, layout: Layout) -> None:
        self.origin_m, self.direction = layout.beams()
        self._point = mesh.nearest[mesh.faces[:, 0]]
        middle_m = mesh.vertices_m.mean(axis=0)
        shape = Mesh(
            name="twin",
            vertices_m=(mesh.vertices_m - middle_m).astype(np.float32),
            faces=mesh.faces.astype(np.uint32),
            slot=np.zeros(len(mesh.faces), np.uint16),
            materials=(VisualMaterial(name="surface"),),
            origin_m=middle_m,
        )
        self._scene, self._tracer = SceneGraph(), new_tracer(incremental=False)
        self._scene.add(self._scene.add_mesh(shape), np.eye(4))

    def met(
        self, direction: NDArray[np.float64], pose: NDArray[np.float64]
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Return for each beam the map point it hits (-1: none), range [m], cosine of incidence."""
        shape = direction.shape[:2]
        shots = Shots(
            origin_m=self.origin_m.reshape(-1, 3).astype(np.float32),
            direction=np.ascontiguousarray(direction.reshape(-1, 3).T, np.float32),
            time=np.zeros(1, np.float32),
            start_m=np.zeros(1, np.float32),
            moment=np.zeros(1, np.uint32),
            weight=ALL_OF_IT,
            max_range_m=math.inf,
            coherent=True,
        )
        self._scene.commit(pose[:3, 3])
        hits = self._tracer.trace(self._scene, shots, pose)
        met = hits.instance != NOTHING
        point = self._point[np.where(met, hits.primitive, 0)]
        point[~met] = -1
        range_m = np.where(met, hits.range_m, np.nan).astype(np.float64)
        cosine = hits.cos_incidence.astype(np.float64)
        return point.reshape(shape), range_m.reshape(shape), cosine.reshape(shape)


def _directions(cloud: ScanCloud, image: RangeImage, caster: _Caster) -> NDArray[np.float64]:
    """Return the direction of each beam, (n_ring, n_column, 3).

    Motion compensation warps the beam pattern of a cloud. So the direction of a beam without a
    return is shifted from its nominal direction by the mean shift of its neighbours with a return.
    """
    seen = image.returned
    beam = cloud.points_m[image.point[seen]] - caster.origin_m[seen]
    beam /= np.linalg.norm(beam, axis=1, keepdims=True)
    off = np.zeros((*seen.shape, 4))
    off[seen, :3], off[seen, 3] = beam - caster.direction[seen], 1.0
    mean = uniform_filter(off, (*_WARPED_OVER, 1), mode=("nearest", "wrap", "nearest"))
    direction: NDArray[np.float64] = caster.direction + mean[..., :3] / np.maximum(
        mean[..., 3:], 1e-3
    )
    direction[seen] = beam
    direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
    return direction


def _ranges(cloud: ScanCloud, image: RangeImage, caster: _Caster) -> NDArray[np.float64]:
    """Return the distance of each return from the origin of its beam [m]; NaN without a return."""
    range_m = np.full(image.point.shape, np.nan)
    seen = image.returned
    beam = cloud.points_m[image.point[seen]] - caster.origin_m[seen]
    range_m[seen] = np.linalg.norm(beam, axis=1)
    return range_m


def _beside_edges(
    at_m: NDArray[np.float64],
    normal: NDArray[np.float64],
    met: NDArray[np.bool_],
    aligned: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.bool_]:
    """Return which beams have a neighbour that does not hit the same plane."""
    at_m, normal, met = at_m[aligned], normal[aligned], met[aligned]
    beside = np.zeros(met.shape, dtype=bool)
    for rings, columns in _NEIGHBOURS:
        other_m, there = (np.roll(each, (-rings, -columns), (0, 1)) for each in (at_m, met))
        off = np.logical_not(there) | (np.abs(((other_m - at_m) * normal).sum(axis=-1)) > _FLAT_M)
        if rings:
            off[-1 if rings > 0 else 0] = False  # outer rings have no neighbour on this side
        beside |= off
    back = np.empty_like(beside)
    back[aligned] = beside
    return back


def _bright(images: Sequence[_BeamImage], first_guess: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `first_guess` for points that return to most beams, and 0 for other points."""
    met, back = np.zeros(len(first_guess)), np.zeros(len(first_guess))
    for image in images:
        told = image.tells & ~image.elsewhere
        point = image.point[told]
        met += np.bincount(point, minlength=len(met))
        back += np.bincount(point, image.counted[told] > 0.0, minlength=len(met))
    return np.where(back > 0.5 * met, first_guess, 0.0)


def _hidden(
    bright: NDArray[np.bool_],
    returned: NDArray[np.bool_],
    aligned: tuple[NDArray[np.int64], NDArray[np.int64]],
) -> NDArray[np.bool_]:
    """Return which beams are blocked: around them, bright surfaces do not return."""
    both = np.stack([bright[aligned], (bright & returned)[aligned]]).astype(np.float64)
    every, back = uniform_filter(both, (1, *_LOOKED_AT), mode=("nearest", "nearest", "wrap"))
    hidden = np.empty_like(bright)
    hidden[aligned] = (every > _LEAST_BRIGHT) & (back < _LEAST_RETURNED * every)
    return hidden


def _aligned(layout: Layout) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return indices that shift each ring so that a column has the same azimuth in all rings."""
    turned = np.rint(layout.azimuth_offset_deg / layout.step_deg).astype(np.int64)
    column = (np.arange(layout.n_column) + turned[:, None]) % layout.n_column
    return np.broadcast_to(np.arange(layout.n_ring)[:, None], column.shape), column

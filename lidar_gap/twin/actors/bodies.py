# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The body (mesh) of a track: surfels around the points that were recorded in the track's boxes."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_gap.twin.actors.cells import Cells, beam_cells, together
from lidar_gap.twin.actors.kinds import SYMMETRIC
from lidar_gap.twin.actors.mirroring import MIRROR, hidden_halves
from lidar_gap.twin.actors.surfels import plane_normals, surfels
from lidar_gap.twin.actors.thinning import thinned
from lidar_gap.twin.actors.tracks import MARGIN_M
from lidar_gap.twin.cloud_map import voxels
from lidar_gap.twin.reflectivity.albedo import SignalLaw, albedo

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from lidar_gap.records import ScanCloud
    from lidar_gap.twin.actors.surfels import Surfels
    from lidar_gap.twin.actors.tracks import ActorTrack, FrameBox

_FEWEST = 3  # fewest points that define a plane


@dataclass(frozen=True, slots=True, kw_only=True)
class BodySettings:
    """Settings for making bodies.

    Attributes
    ----------
    margin_m : float
        Enlargement of boxes, on all sides except the bottom. [m]
    voxel_m : float
        Edge of the voxels in which points are averaged. [m]
    n_least : int
        Fewest recorded points from which a body is made.
    closing : float
        Largest size of a surfel, relative to the cell of its beam, which reaches half way to the
        neighbouring beams. Above 1, surfels close gaps between irregularly spaced points. [1]
    mirrored : set of str
        Classes of objects whose hidden half is filled in by mirroring the recorded half.
    thinned : bool
        Whether surfels are removed until a simulated scan of a body has as many points as recorded.
    law : SignalLaw
        How the sensor's signal depends on range and incidence, to compute albedos from it.
    """

    margin_m: float = MARGIN_M
    voxel_m: float = 0.03
    n_least: int = 15
    closing: float = 1.5
    mirrored: frozenset[str] = SYMMETRIC
    thinned: bool = True
    law: SignalLaw = field(default_factory=SignalLaw)


@dataclass(frozen=True, slots=True, kw_only=True)
class ActorBody:
    """The surface of an actor, in the frame of its box.

    Attributes
    ----------
    mesh : Surfels
        Surfels that form the surface.
    albedo : float
        Albedo of the body: median over its recorded points of the signal, divided by the gain at
        the range and incidence of the point (`SignalLaw.gain`). A signal that counts photons is
        first turned into the expected count (`PhotonCounter.expected`). NaN if no point has a
        usable signal. [unit of the signal x m^e, with e of `SignalLaw`]
    n_points : int
        Number of recorded points that the body is made from.
    """

    mesh: Surfels
    albedo: float
    n_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _TrackPoints:
    """Recorded points of a track, in the frame of its box."""

    points_m: NDArray[np.float64]
    cells: Cells
    range_m: NDArray[np.float64]
    signal: NDArray[np.float64] | None


def bodies_of(
    tracks: Sequence[ActorTrack],
    clouds: Sequence[ScanCloud],
    used: NDArray[np.bool_],
    settings: BodySettings,
) -> list[ActorBody | None]:
    """Return the body of each track; None for a track with too few recorded points.

    Parameters
    ----------
    tracks : sequence of ActorTrack
        The labelled objects.
    clouds : sequence of ScanCloud
        All clouds of the recording.
    used : bool (n_cloud,)
        Whether bodies are made from each cloud.
    settings : BodySettings
        Settings for making bodies.
    """
    parts: list[list[_TrackPoints]] = [[] for _ in tracks]
    for row in np.flatnonzero(used).tolist():
        there = [number for number, track in enumerate(tracks) if row in track.boxes]
        boxes = [tracks[number].boxes[row] for number in there]
        for number, part in zip(there, _seen(clouds[row], boxes, settings), strict=True):
            parts[number].append(part)
    seen = [_together(each) for each in parts]
    halves = [
        each.points_m * MIRROR if track.category in settings.mirrored else None
        for each, track in zip(seen, tracks, strict=True)
    ]
    hidden = hidden_halves(halves, tracks, clouds, used)
    whole = [_body(each, half, settings) for each, half in zip(seen, hidden, strict=True)]
    if not settings.thinned:
        return whole
    meshes = {number: body.mesh for number, body in enumerate(whole) if body is not None}
    thin = thinned(meshes, tracks, clouds, used, settings.margin_m)
    return [
        None if body is None else replace(body, mesh=thin[number])
        for number, body in enumerate(whole)
    ]


def _body(
    seen: _TrackPoints, hidden: NDArray[np.bool_] | None, settings: BodySettings
) -> ActorBody | None:
    """Return the body of recorded points and of their mirrored copies where these were hidden.

    Return None if there are too few points.
    """
    n_points = len(seen.points_m)
    if n_points < max(settings.n_least, _FEWEST):
        return None
    points_m, cells = seen.points_m, seen.cells
    if hidden is not None:
        points_m = np.concatenate([points_m, points_m[hidden] * MIRROR])
        cells = together([cells, cells.rows(hidden).mirrored()])
    thin = voxels(points_m, settings.voxel_m)
    if len(thin.mean_m) < _FEWEST:
        return None
    finest = cells.rows(_finest(cells, thin.of_point, len(thin.mean_m)))
    apart_m = float(np.median(finest.half_m[:, 2:].sum(axis=1)))
    normal = plane_normals(thin.mean_m, apart_m)
    mesh = surfels(thin.mean_m, normal, finest, closing=settings.closing)
    value = _albedo(seen, normal[thin.of_point[:n_points]], settings.law)
    return ActorBody(mesh=mesh, albedo=value, n_points=n_points)


def _finest(cells: Cells, of_point: NDArray[np.int64], n: int) -> NDArray[np.intp]:
    """Return for each voxel the row of its point with the smallest cell, intp (n,)."""
    area = (cells.half_m[:, 0] + cells.half_m[:, 1]) * (cells.half_m[:, 2] + cells.half_m[:, 3])
    order = np.lexsort((area, of_point))
    return order[np.searchsorted(of_point[order], np.arange(n))]


def _seen(
    cloud: ScanCloud, boxes: Sequence[FrameBox], settings: BodySettings
) -> list[_TrackPoints]:
    """Return the points of a cloud in each box, in the frame of the box."""
    rows = [np.flatnonzero(box.inside(cloud.points_m, settings.margin_m)) for box in boxes]
    if not rows:
        return []
    cells = beam_cells(cloud, np.concatenate(rows))
    ends = np.cumsum([len(each) for each in rows])
    found = []
    for own, box, end in zip(rows, boxes, ends.tolist(), strict=True):
        chosen, cell = cloud.rows(own), cells.rows(np.arange(end - len(own), end))
        strength = _strength(chosen, settings.law)
        found.append(
            _TrackPoints(
                points_m=box.own(chosen.points_m),
                cells=cell.turned(box.box_from_sensor[:3, :3]),
                range_m=np.linalg.norm(chosen.points_m, axis=1),
                signal=strength,
            )
        )
    return found


def _strength(cloud: ScanCloud, law: SignalLaw) -> NDArray[np.float64] | None:
    """Return the strengths of a cloud: the column that fits the law, or else the other column."""
    columns = (
        (cloud.signal, cloud.intensity) if law.range_exponent else (cloud.intensity, cloud.signal)
    )
    told = next((column for column in columns if column is not None), None)
    return None if told is None else told.astype(np.float64)


def _together(parts: Sequence[_TrackPoints]) -> _TrackPoints:
    """Return the points of a track from all clouds together; empty if no cloud has any."""
    told = [part.signal for part in parts if part.signal is not None]
    return _TrackPoints(
        points_m=np.concatenate([np.zeros((0, 3)), *(part.points_m for part in parts)]),
        cells=together([part.cells for part in parts]),
        range_m=np.concatenate([np.zeros(0), *(part.range_m for part in parts)]),
        signal=np.concatenate(told) if told and len(told) == len(parts) else None,
    )


def _albedo(seen: _TrackPoints, normal: NDArray[np.float64], law: SignalLaw) -> float:
    """Return the median albedo of the points of a body, NaN if no point is usable."""
    if seen.signal is None:
        return float("nan")
    cos = np.abs(np.einsum("ij,ij->i", normal, seen.cells.beam))
    gain = law.gain(seen.range_m, cos)
    steep = cos < np.cos(np.radians(law.at_most_deg))
    if not steep.all():
        gain[steep] = 0.0
    everywhere = np.zeros(len(gain), dtype=np.int64)
    return float(albedo(seen.signal, gain, everywhere, law.counts)[0])

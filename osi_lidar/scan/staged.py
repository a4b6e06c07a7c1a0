# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The staged executor: every stage of a scan by itself, from record to record, in plain numpy.

It gives the same points as the fused executor, bit for bit, and takes longer.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lidar_base.block_kernels import BLOCK
from material_mapping.kernels import reflectivity_of
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.scan.executor import first_of_block
from osi_lidar.scan.records import SURFACE, Echoes, Returns
from osi_lidar.scan.threshold import is_detected
from raycore.records import NOTHING
from raycore.trace.tracer import Tracer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from osi_lidar.scan.executor import Receiver
    from osi_lidar.scan.noise.errors import MeasurementErrors
    from osi_lidar.scan.records import Exposure, Paths
    from raycore.records import Hits, Shots


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflected:
    """Returns, with the paths that they came by."""

    paths: Paths
    returns: Returns


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """Echoes, with the returns that they were made of."""

    reflected: Reflected
    echoes: Echoes


class StagedExecutor:
    """Runs one stage after the other over the records of `records`.

    Parameters
    ----------
    receiver : Receiver
        What the sensor detects.
    errors : MeasurementErrors
        The sensor's errors.
    """

    def __init__(self, receiver: Receiver, errors: MeasurementErrors) -> None:
        self._receiver, self._errors = receiver, errors
        self._tracer = Tracer(incremental=False)
        self._tracer_onwards = Tracer(incremental=False)

    differs_by_scan = False

    @property
    def n_traced(self) -> int:
        """Rays traced in the last scan: all."""
        return self._tracer.n_traced

    def trace(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the first surface that each ray meets."""
        return self._tracer.trace(exposure.scene, shots, exposure.poses)

    def trace_on(self, exposure: Exposure, shots: Shots) -> Hits:
        """Return the next surface of rays that go on after a surface."""
        return self._tracer_onwards.trace(exposure.scene, shots, exposure.poses)

    def reflect(self, exposure: Exposure, paths: Paths) -> Reflected:
        """Return what comes back from the surfaces, before any receiver."""
        hits, weight = paths.hits, exposure.shots.weight
        shot = np.flatnonzero(hits.instance != NOTHING).astype(np.uint32)
        strength = np.empty(len(shot), np.float64)
        reflectivity_of(
            exposure.table.reflectance,
            exposure.table.lookup,
            _materials(exposure, hits, shot),
            hits.cos_incidence[shot],
            strength,
        )
        strength *= paths.share[shot] if len(paths.share) > 1 else paths.share[0]
        strength *= weight[shot % len(weight)]
        seen = strength > 0.0
        shot, strength = shot[seen], strength[seen]
        beam = (shot // len(weight)).astype(np.uint32)
        order = np.lexsort((hits.range_m[shot], beam))
        returns = Returns(
            beam=beam[order],
            range_m=hits.range_m[shot[order]],
            strength=strength[order],
            shot=shot[order],
            kind=np.full(len(shot), SURFACE, np.uint8),
            first_of_block=first_of_block(beam, exposure.pattern.n_beams, BLOCK),
        )
        return Reflected(paths=paths, returns=returns)

    def receive(self, exposure: Exposure, returns: Reflected) -> Received:
        """Return the echoes that the receiver detects: each return within the range limit."""
        receiver, found = self._receiver, returns.returns
        lost = self._errors.drop_outs(exposure.pattern, exposure.end_ns)
        seen = ~(lost[found.beam] if len(lost) > 1 else np.repeat(lost, len(found)))
        seen &= found.range_m >= receiver.min_range_m
        seen &= found.range_m <= receiver.range_limit.max_range_m(found.strength)
        strength = found.strength.astype(np.float32)
        if receiver.threshold is not None:
            seen &= is_detected(receiver.threshold, found.range_m, strength)
        row = np.flatnonzero(seen)
        beam, range_m = found.beam[row], found.range_m[row]
        number, of = _numbered(beam)
        echoes = Echoes(
            beam=beam,
            number=number,
            of=of,
            range_m=range_m,
            true_range_m=range_m,
            direction=exposure.shots.direction[:, found.shot[row]],
            strength=strength[row],
            width_m=np.zeros(len(row), np.float32),
            row=row.astype(np.uint32),
            first_of_block=first_of_block(beam, exposure.pattern.n_beams, BLOCK),
        )
        return Received(reflected=returns, echoes=echoes)

    def measure(self, exposure: Exposure, shots: Shots, echoes: Received) -> Received:  # noqa: ARG002
        """Return the echoes with errors of range and direction, without those of no range."""
        if self._errors.is_exact:
            return echoes
        found, reflected = echoes.echoes, echoes.reflected
        shot = reflected.returns.shot[found.row]
        reported_m = self._errors.reported_range_m(
            exposure,
            beam=found.beam,
            true_range_m=found.true_range_m,
            strength=found.strength,
            cos_incidence=reflected.paths.hits.cos_incidence[shot],
        )
        direction = self._errors.reported_directions(exposure)[:, found.beam]
        kept = np.flatnonzero(np.isfinite(reported_m))
        measured = replace(
            _rows(found, kept, exposure.pattern.n_beams),
            range_m=reported_m[kept].astype(np.float32),
            direction=direction[:, kept],
        )
        return Received(reflected=reflected, echoes=measured)

    def report(self, exposure: Exposure, shots: Shots, echoes: Received) -> Cloud:
        """Return the points of the echoes."""
        found, pattern = echoes.echoes, exposure.pattern
        hits, shot = echoes.reflected.paths.hits, echoes.reflected.returns.shot[found.row]
        object_id = exposure.surfaces.object_of_instance[hits.instance[shot]]
        wide = "<u8" if exposure.surfaces.wide_ids else "<u4"
        points = np.empty(len(found), point_type(wide, timed=exposure.time_ns is not None))
        origin_m = exposure.shots.origin_m
        origin_m = origin_m[found.beam] if len(origin_m) > 1 else origin_m
        _put(points, ("x", "y", "z"), _along(origin_m, found.range_m, found.direction))
        points["intensity"] = np.minimum(np.float32(100.0) * found.strength, np.float32(100.0))
        points["reflectivity"] = found.strength
        _put(points, ("normal_x", "normal_y", "normal_z"), hits.normal[:, shot])
        points["range"] = found.range_m
        points["ring"], points["column"] = pattern.ring[found.beam], pattern.column[found.beam]
        points["object_id"] = object_id.astype(wide)
        points["material_id"] = _materials(exposure, hits, shot)
        if exposure.time_ns is not None:
            points["time_ns"] = exposure.time_ns[found.beam]
        cloud = Cloud(
            points=points,
            beam=found.beam,
            object_id=object_id,
            along_beams=pattern.has_one_origin and self._errors.are_along_beams,
        )
        if self._errors.is_exact:
            return cloud
        true_xyz_m = _along(origin_m, found.true_range_m, shots.direction[:, shot])
        return replace(
            cloud,
            true_range_m=found.true_range_m,
            true_xyz_m=np.ascontiguousarray(true_xyz_m.T),
        )

    def returns_of(self, returns: Reflected) -> Returns:
        """Return the record that `reflect` made."""
        return returns.returns


def _materials(
    exposure: Exposure, hits: Hits, shot: NDArray[np.unsignedinteger[Any]]
) -> NDArray[np.uint16]:
    """Return the material of some hits: rows of the material table."""
    first_row = exposure.surfaces.first_row_of_instance[hits.instance[shot]]
    materials: NDArray[np.uint16] = exposure.surfaces.material_of_row[
        first_row + hits.primitive[shot]
    ]
    return materials


def _numbered(beam: NDArray[np.uint32]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the number of each echo within its beam, and how many there are; beams ascend."""
    _, first, count = np.unique(beam, return_index=True, return_counts=True)
    number = np.arange(len(beam)) - np.repeat(first, count)
    return number.astype(np.uint8), np.repeat(count, count).astype(np.uint8)


def _rows(echoes: Echoes, row: NDArray[np.intp], n_beams: int) -> Echoes:
    """Return some of the echoes."""
    beam = echoes.beam[row]
    return Echoes(
        beam=beam,
        number=echoes.number[row],
        of=echoes.of[row],
        range_m=echoes.range_m[row],
        true_range_m=echoes.true_range_m[row],
        direction=echoes.direction[:, row],
        strength=echoes.strength[row],
        width_m=echoes.width_m[row],
        row=echoes.row[row],
        first_of_block=first_of_block(beam, n_beams, BLOCK),
    )


def _along(
    origin_m: NDArray[np.float32], range_m: NDArray[np.float32], direction: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the places at a range along directions (3, n), as float32 (3, n). [m]."""
    places_m: NDArray[np.float32] = origin_m.T + range_m * direction
    return places_m


def _put(points: NDArray[Any], names: tuple[str, ...], columns: NDArray[np.float32]) -> None:
    for name, column in zip(names, columns, strict=True):
        points[name] = column

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A second way to scan with an ideal sensor: stage by stage, from record to record, in plain numpy.

It gives the same points as the fused executor, bit for bit, and takes longer.
"""

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from lidar_base.block_kernels import BLOCK
from lidar_base.columns import Column
from material_mapping.kernels import reflectivity_of
from osi_lidar import LidarModel
from osi_lidar.clouds.cloud import Cloud, point_type
from osi_lidar.scan.blensor_threshold import is_detected
from osi_lidar.scan.executor import Receiver, first_of_block
from osi_lidar.scan.from_config import range_limit_of
from osi_lidar.scan.lidar import Lidar
from osi_lidar.scan.light_path import follow_light
from osi_lidar.scan.records import SURFACE, Returns, Scanned
from raycore.records import NOTHING
from raycore.trace.embree_tracer import EmbreeTracer
from tests.builders.staged_errors import reported_directions, reported_range_m


def staged_model(config, *, trace_folder=None):
    """Return a model whose ideal sensors scan stage by stage."""
    model = LidarModel(config, trace_folder=trace_folder)
    model.lidars = tuple(StagedLidar(each, config.seed) for each in config.sensors)
    model.restart()
    return model


def model_of(config, *, staged, trace_folder=None):
    """Return a model that scans in one of both ways."""
    make = staged_model if staged else LidarModel
    return make(config, trace_folder=trace_folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class Echoes:
    """What the receiver reports, in the order of beams, and of their number within a beam."""

    beam: Annotated[NDArray[np.uint32], Column("u4", ("n_echo",), "", "index of the beam")]
    number: Annotated[
        NDArray[np.uint8], Column("u1", ("n_echo",), "", "of the echo within its beam, from 0")
    ]
    of: Annotated[NDArray[np.uint8], Column("u1", ("n_echo",), "", "echoes of the beam")]
    range_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_echo",), "m", "as the sensor reports it")
    ]
    true_range_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_echo",), "m", "of the strongest return")
    ]
    direction: Annotated[
        NDArray[np.float32],
        Column("f4", (3, "n_echo"), "1", "unit vector, as the sensor reports it"),
    ]
    strength: Annotated[NDArray[np.float32], Column("f4", ("n_echo",), "1", "as of a return")]
    width_m: Annotated[
        NDArray[np.float32], Column("f4", ("n_echo",), "m", "extent of its returns in range")
    ]
    row: Annotated[NDArray[np.uint32], Column("u4", ("n_echo",), "", "row of the strongest return")]
    first_of_block: Annotated[
        NDArray[np.int64], Column("i8", ("n_row",), "", "first row of each block of beams, and n")
    ]

    def __len__(self) -> int:
        return len(self.beam)


class Reflections:
    """What a staged lidar keeps of a scan: the record that `reflect` made."""

    differs_by_scan = False

    @staticmethod
    def returns_of(echoes):
        """Return the record itself."""
        return echoes


class StagedLidar(Lidar):
    """A lidar that runs one stage after the other over records."""

    def __init__(self, config, seed):
        super().__init__(config, seed)
        self._receiver = Receiver(config.min_range_m, range_limit_of(config))
        self.tracer, self._tracer_onwards = (EmbreeTracer(incremental=False) for _ in range(2))
        self.executor = Reflections

    def scan(self, world, poses, shutter, clock):  # noqa: ARG002
        """Scan the world as shown."""
        exposure = self._exposure(world, poses, shutter)
        shots = replace(exposure.shots, direction=exposure.axis)
        hits = self.tracer.trace(exposure.scene, shots, exposure.poses)
        paths = follow_light(exposure, shots, hits, self._tracer_onwards, self._path_rules)
        returns = self.reflect(exposure, paths)
        echoes = self.receive(exposure, returns)
        measured = self.measure(exposure, paths, returns, echoes)
        cloud = self.report(exposure, shots, paths, returns, measured)
        return Scanned(exposure=exposure, shots=shots, paths=paths, echoes=returns, cloud=cloud)

    def reflect(self, exposure, paths):
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
        strength *= paths.ray_by_ray().share[shot]
        strength *= weight[shot % len(weight)]
        seen = strength > 0.0
        shot, strength = shot[seen], strength[seen]
        beam = (shot // len(weight)).astype(np.uint32)
        order = np.lexsort((hits.range_m[shot], beam))
        return Returns(
            beam=beam[order],
            range_m=hits.range_m[shot[order]],
            strength=strength[order],
            shot=shot[order],
            kind=np.full(len(shot), SURFACE, np.uint8),
            first_of_block=first_of_block(beam, exposure.pattern.n_beams, BLOCK),
        )

    def receive(self, exposure, returns):
        """Return the echoes that the receiver detects: each return within the range limit."""
        receiver, found = self._receiver, returns
        lost = self._errors.drop_outs(exposure.pattern, exposure.end_ns)
        seen = ~(lost[found.beam] if len(lost) > 1 else np.repeat(lost, len(found)))
        seen &= found.range_m >= receiver.min_range_m
        seen &= found.range_m <= receiver.range_limit.max_range_m(found.strength)
        strength = found.strength.astype(np.float32)
        if self._threshold is not None:
            seen &= is_detected(self._threshold, found.range_m, strength)
        row = np.flatnonzero(seen)
        beam, range_m = found.beam[row], found.range_m[row]
        number, of = _numbered(beam)
        return Echoes(
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

    def measure(self, exposure, paths, returns, echoes):
        """Return the echoes with errors of range and direction, without those of no range."""
        if self._errors.is_exact:
            return echoes
        found = echoes
        shot = returns.shot[found.row]
        reported_m = reported_range_m(
            self._errors,
            exposure,
            beam=found.beam,
            true_range_m=found.true_range_m,
            strength=found.strength,
            cos_incidence=paths.hits.cos_incidence[shot],
        )
        direction = reported_directions(self._errors, exposure)[:, found.beam]
        kept = np.flatnonzero(np.isfinite(reported_m))
        return replace(
            _rows(found, kept, exposure.pattern.n_beams),
            range_m=reported_m[kept].astype(np.float32),
            direction=direction[:, kept],
        )

    def report(self, exposure, shots, paths, returns, found):
        """Return the points of the echoes."""
        pattern = exposure.pattern
        hits, shot = paths.hits, returns.shot[found.row]
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


def _materials(exposure, hits, shot):
    """Return the material of some hits: rows of the material table."""
    first_row = exposure.surfaces.first_row_of_instance[hits.instance[shot]]
    return exposure.surfaces.material_of_row[first_row + hits.primitive[shot]]


def _numbered(beam):
    """Return the number of each echo within its beam, and how many there are; beams ascend."""
    _, first, count = np.unique(beam, return_index=True, return_counts=True)
    number = np.arange(len(beam)) - np.repeat(first, count)
    return number.astype(np.uint8), np.repeat(count, count).astype(np.uint8)


def _rows(echoes, row, n_beams):
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


def _along(origin_m, range_m, direction):
    """Return the places at a range along directions (3, n), as float32 (3, n) [m]."""
    return origin_m.T + range_m * direction


def _put(points, names, columns):
    for name, column in zip(names, columns, strict=True):
        points[name] = column

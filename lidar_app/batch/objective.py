# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The objective of a sweep: a number computed from the points of a variant.

hits(retro*)                points on infrared materials, or material classes, of this name
points(object=7)            points on an OSI object
coverage(sensor=roof)       fraction of the beams that give a point
minimise: points()          `maximise:` is the default
blind(within=10)            a measure of `lidar_app.coverage.objective`, without a scan
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.coverage.objective import KINDS as PLACEMENT_KINDS
from lidar_app.coverage.objective import LESS_IS_BETTER, PlacementMeasure, read_measure
from lidar_base.near_match import near_match
from osi_lidar.errors import InputError
from osi_lidar.scan.records import NO_MATERIAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from material_mapping.entry import MaterialEntry
    from osi_lidar.model import LidarModel
    from osi_lidar.scan.step import Step

_FORM = re.compile(r"\s*(?:(\w+)\s*:)?\s*(\w+)\s*\((.*)\)\s*")
_AIMS = {"maximise": 1, "maximize": 1, "minimise": -1, "minimize": -1}
_KINDS = ("hits", "points", "coverage", *PLACEMENT_KINDS)
_FILTERS = ("object", "sensor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Objective:
    """The quantity that a sweep computes of each variant, and whether more or less is better.

    Attributes
    ----------
    text : str
        The value of ``--objective`` without ``maximise:`` or ``minimise:``.
    kind : str
        "hits", "points", "coverage", or one of `PLACEMENT_KINDS`.
    sign : int
        1: maximise; -1: minimise.
    materials : tuple of str
        Glob patterns. Only points on infrared materials whose name or class matches one of them
        count; empty: all points count.
    object_id : int or None
        Only points on the object with this OSI id count; None: no such limit.
    sensor : str or None
        Only scans of the sensor with this name count; None: no such limit.
    placement : PlacementMeasure or None
        Measure of sensor placement, if the kind is in `PLACEMENT_KINDS`: no points are counted.
    """

    text: str
    kind: str
    sign: int = 1
    materials: tuple[str, ...] = ()
    object_id: int | None = None
    sensor: str | None = None
    placement: PlacementMeasure | None = None


@dataclass(slots=True)
class Tally:
    """Counts over the scans of a run, from which the value of an objective follows.

    Only scans of the objective's sensor, and points on its object, are counted.

    Attributes
    ----------
    objective : Objective
        What is counted.
    beams : int
        Number of beams of all these scans, with or without points.
    by_material : Counter of int
        Numbers of points, by material id. Empty for "coverage".
    by_beam : Counter of tuple of int
        For "coverage": numbers of beams with points, by the ascending ids of their materials.
    """

    objective: Objective
    beams: int = 0  # beams of all scans, with or without points
    by_material: Counter[int] = field(default_factory=Counter)  # points; key: material id
    by_beam: Counter[tuple[int, ...]] = field(default_factory=Counter)
    # ^ used in place of by_material for "coverage": beams with points; key: their material ids

    def add(self, model: LidarModel, step: Step) -> None:
        """Add the beams and the points of a step's scans that the objective counts.

        A step may repeat a scan because nothing has changed; the scan then counts again. Raise
        InputError if the objective names a sensor that ``model`` does not have.
        """
        wanted = self.objective
        beams = {lidar.name: lidar.pattern.n_beams for lidar in model.lidars}
        if wanted.sensor is not None and wanted.sensor not in beams:
            hint = near_match(wanted.sensor, beams)
            known = f"{hint} (known: {', '.join(beams)})"
            raise InputError(f"--objective: there is no sensor {wanted.sensor!r}{known}")
        for scan in step.scans:
            if wanted.sensor not in (None, scan.sensor):
                continue
            self.beams += beams[scan.sensor]
            material_id = scan.cloud.points["material_id"]
            counts = material_id != NO_MATERIAL
            if wanted.object_id is not None:
                counts &= scan.cloud.object_id == np.uint64(wanted.object_id)
            if wanted.kind == "coverage":
                self.by_beam += _materials_of_beams(scan.cloud.beam[counts], material_id[counts])
                continue
            for one, n in zip(*np.unique(material_id[counts], return_counts=True), strict=True):
                self.by_material[int(one)] += int(n)

    def value(self, entries: Mapping[str, MaterialEntry]) -> float | int:
        """Return the objective of the run: a number of points, or for "coverage" a fraction.

        The fraction is the number of beams with a counted point, over the number of all beams. It
        is 0.0 if there are no beams.

        Parameters
        ----------
        entries : mapping of str to MaterialEntry
            The infrared materials of the run by name, in the order of their ids.

        Raises
        ------
        InputError
            If no material of the run matches a name in the objective.
        """
        chosen = set(self._chosen(entries))
        if self.objective.kind == "coverage":
            n_beams = sum(n for of_beam, n in self.by_beam.items() if chosen.intersection(of_beam))
            return n_beams / self.beams if self.beams else 0.0
        return sum(n for one, n in self.by_material.items() if one in chosen)

    def _chosen(self, entries: Mapping[str, MaterialEntry]) -> Iterator[int]:
        """Yield the ids of the materials that are counted."""
        if not self.objective.materials:
            yield from range(len(entries))
            return
        words = [(name, entry.material_class.name) for name, entry in entries.items()]
        for glob in self.objective.materials:
            found = [n for n, both in enumerate(words) if any(_alike(w, glob) for w in both)]
            if not found:
                hint = near_match(glob, dict.fromkeys(word for both in words for word in both))
                raise InputError(
                    "--objective: no infrared material or material class of the run matches "
                    f"{glob!r}{hint}"
                )
            yield from found


def read_objective(text: str) -> Objective:
    """Return the `Objective` that a text states, such as "minimise: hits(retro*, sensor=roof)".

    Raise InputError if the text is invalid.
    """
    found = _FORM.fullmatch(text)
    expected = (
        "expected hits(MATERIAL), points() or coverage(), with object=ID and sensor=NAME, or "
        "blind(), nearest(WHO) or farthest(WHO)"
    )
    if found is None:
        raise InputError(f"--objective: got {text!r}, {expected}")
    aim, kind, inside = found.groups()
    if aim is not None and aim not in _AIMS:
        hint = near_match(aim, _AIMS)
        raise InputError(f"--objective: got {aim!r}{hint}, expected maximise: or minimise:")
    if kind not in _KINDS:
        raise InputError(f"--objective: got {kind!r}{near_match(kind, _KINDS)}, {expected}")
    told = text[found.start(2) :].strip()
    if kind in PLACEMENT_KINDS:
        usual = "minimise" if kind in LESS_IS_BETTER else "maximise"
        measure = read_measure(kind, inside)
        return Objective(text=told, kind=kind, sign=_AIMS[aim or usual], placement=measure)
    materials, filters = _arguments(inside)
    if kind == "hits" and not materials:
        raise InputError(f"--objective: hits needs a material or class, got {text!r}, {expected}")
    if kind == "points" and materials:
        raise InputError(f"--objective: points takes no material, got {text!r}; use hits(MATERIAL)")
    return Objective(
        text=told,
        kind=kind,
        sign=_AIMS[aim or "maximise"],
        materials=materials,
        object_id=_object_id(filters.get("object")),
        sensor=filters.get("sensor"),
    )


def _arguments(text: str) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the materials and the filters (name to value) from the text in parentheses."""
    materials: list[str] = []
    filters: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            materials.append(part)
        elif name not in _FILTERS or name in filters or not value:
            hint = near_match(name, _FILTERS)
            raise InputError(
                f"--objective: got {part!r}{hint}, expected object=ID or sensor=NAME, each once"
            )
        else:
            filters[name] = value
    return tuple(materials), filters


def _object_id(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or int(text) >= 2**64:
        raise InputError(
            f"--objective: got object={text}, expected the OSI id of an object, a whole number"
        )
    return int(text)


def _alike(word: str, glob: str) -> bool:
    """Return whether a name matches a glob; ignores case, spaces, dashes and underscores."""
    return fnmatchcase(_plain(word), _plain(glob))


def _plain(text: str) -> str:
    return text.casefold().replace("_", "").replace("-", "").replace(" ", "")


def _materials_of_beams(
    beam: NDArray[np.uint32], material_id: NDArray[np.uint16]
) -> Counter[tuple[int, ...]]:
    """Count beams by the set of materials of their points; points of a beam must be adjacent."""
    starts = np.flatnonzero(np.append(True, np.diff(beam) != 0)) if len(beam) else np.zeros(0, int)
    lengths = np.diff(np.append(starts, len(beam)))
    alone, n_alone = np.unique(material_id[starts[lengths == 1]], return_counts=True)
    found: Counter[tuple[int, ...]] = Counter()
    for one, n in zip(alone, n_alone, strict=True):
        found[(int(one),)] = int(n)
    for start, length in zip(starts[lengths > 1], lengths[lengths > 1], strict=True):
        found[tuple(sorted(set(material_id[start : start + length].tolist())))] += 1
    return found

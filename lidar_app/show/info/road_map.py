# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of an OpenDRIVE map."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from lidar_base.errors import ConfigurationError
from lidar_scenery.roads.opendrive import read_map
from lidar_scenery.roads.opendrive.attributes import PartError, number
from lidar_scenery.roads.opendrive.header import map_header, open_map, parts_of

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_base.xml_tree import Element


def map_info(path: Path) -> Info:
    """Return version, name, roads, length and georeference of a map, and ignored contents.

    `path` is the map (OpenDRIVE). The length is the sum over the stated lengths of all roads [m].
    If the roads cannot be drawn, the fact `not_drawn` is the reason.

    Raises
    ------
    ConfigurationError
        If the map cannot be read.
    """
    header, name = map_header(path), None
    tags: Counter[str] = Counter()
    length_m = 0.0
    with open_map(path) as stream:
        for part in (each for root in parts_of(path, stream) for each in root.children):
            tags[part.tag] += 1
            length_m += _length_m(part) if part.tag == "road" else 0.0
            if part.tag == "header" and tags["header"] == 1:
                name = part.attributes.get("name")
    facts: dict[str, object] = {
        "version": header.version,
        "name": name,
        "roads": tags["road"],
        "length_m": round(length_m, 3),
        "junctions": tags["junction"],
        "georeference": " ".join(header.geo_reference.split()) or None,
        "offset": list(header.offset_m) if any(header.offset_m) else None,
    }
    try:
        unknown = read_map(path).not_followed
    except ConfigurationError as error:
        return Info(path=path, kind="OpenDRIVE map", facts={**facts, "not_drawn": str(error)})
    lists = {"not_followed": [each._asdict() for each in unknown]}
    return Info(path=path, kind="OpenDRIVE map", facts=facts, lists=lists)


def _length_m(road: Element) -> float:
    """Return the stated length of a road [m], 0 if it states none."""
    try:
        return number(road, "length", 0.0)
    except PartError:
        return 0.0

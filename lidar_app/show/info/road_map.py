# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What an OpenDRIVE map holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lidar_app.show.info.record import Info
from lidar_base.errors import ConfigurationError
from lidar_scenery.roads.opendrive import read_map
from lidar_scenery.roads.opendrive.attributes import PartError, number
from lidar_scenery.roads.opendrive.header import content_of, map_header, root_of

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_base.xml_tree import Element


def map_info(path: Path) -> Info:
    """Return version, name, roads, length and georeference of a map, and what is not followed.

    Of a map whose roads cannot be drawn it tells the reason.

    Raises
    ------
    ConfigurationError
        If it cannot be read.
    """
    header, root = map_header(path), root_of(path, content_of(path))
    roads = [each for each in root.children if each.tag == "road"]
    stated = root.first("header")
    facts: dict[str, object] = {
        "version": header.version,
        "name": None if stated is None else stated.attributes.get("name"),
        "roads": len(roads),
        "length_m": round(sum(map(_length_m, roads)), 3),
        "junctions": sum(each.tag == "junction" for each in root.children),
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
    """Return the length that a road states, 0 where it states none."""
    try:
        return number(road, "length", 0.0)
    except PartError:
        return 0.0

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of OpenDRIVE maps that are ignored without a report, since they have no shape."""

from __future__ import annotations

from types import MappingProxyType

from lidar_base.files.xml_unasked import Meaningless

_OF_NO_SHAPE = {
    "OpenDRIVE": "/header /controller /junctionGroup /station",  # the offset is read apart
    "*": "/userData /dataQuality /validity",
    "road": "/link /railroad @name @junction @rule",
    "type": "/speed @s @name",
    "lane": "/link /speed /access /rule /visibility @direction @advisory @roadWorks "
    "@dynamicLaneDirection @dynamicLaneType",
    "roadMark": "@laneChange",
    "line": "@rule",
    "arc": "@curvature",  # these two: not asked for where a piece has no length
    "spiral": "@curvStart @curvEnd",
    "material": "@friction",
    "objects": "/objectReference",
    "object": "/parkingSpace @orientation @validLength @dynamic",
    "outline": "@laneType",
    "signals": "/signalReference",
    "signal": "/dependency /reference /semantics @countryRevision @unit",
    "junction": "/connection /priority /controller /roadSection /crossPath "
    "@id @name @type @mainRoad @sStart @sEnd @orientation",
}
"""Contents without surfaces or shapes, by element: traffic rules, links between roads, authorship
of the map."""
_NOTED = {
    "objects": "/tunnel /bridge",
    "surface": "/CRG",
    "lateralProfile": "/crossSectionSurface",
    "roadMark": "/sway",
    "object": "/skeleton /borders",
    "signal": "/positionRoad /positionInertial /staticBoard /vmsBoard /multiBoard",
}
"""Contents that are reported among the fallbacks of a map, with what is drawn in their place."""

MEANINGLESS = Meaningless(
    frozenset(
        f"{element}{name}"
        for table in (_OF_NO_SHAPE, _NOTED)
        for element, names in table.items()
        for name in names.split()
    ),
    MappingProxyType(
        {
            "roadMark@material": frozenset({"", "standard", "none"}),
            "marking@material": frozenset({"", "standard", "none"}),
            "material@roughness": frozenset({"", "0"}),
            "signal@subtype": frozenset({"", "-1", "none"}),
        }
    ),
)

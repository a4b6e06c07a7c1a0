# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small OpenDRIVE maps, written inline."""

from lidar_scenery.roads.opendrive import read_map

LINE = '<geometry s="0" x="0" y="0" hdg="0" length="100"><line/></geometry>'
ARC = '<geometry s="0" x="0" y="0" hdg="0" length="100"><arc curvature="0.02"/></geometry>'
SQUARE = [(0, 0), (2, 0), (2, 1), (0, 1)]
"""Corners (u, v) of an outline of 2 by 1 m."""


def lane(number, width=3.5, kind="driving", inside="", **attributes):
    """Return a lane; `width` may hold XML of its own."""
    if not isinstance(width, str):
        width = f'<width sOffset="0" a="{width}" b="0" c="0" d="0"/>'
    more = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f'<lane id="{number}" type="{kind}"{more}>{width}{inside}</lane>'


def section(*lanes, s=0.0, attributes=""):
    """Return a lane section of lanes that begin with their numbers."""
    sides = {"left": "", "center": "", "right": ""}
    for text in lanes:
        number = int(text.split('"')[1])
        sides["left" if number > 0 else "right" if number else "center"] += text
    inside = "".join(f"<{side}>{text}</{side}>" for side, text in sides.items())
    return f'<laneSection s="{s}" {attributes}>{inside}</laneSection>'


def road(sections, plan=LINE, *, name="1", length=100.0, more="", lane_offset="", rule="RHT"):
    """Return a road; `more` stands beside its lanes: profiles, objects, signals."""
    return (
        f'<road id="{name}" length="{length}" junction="-1" rule="{rule}">'
        f"<planView>{plan}</planView>{more}<lanes>{lane_offset}{sections}</lanes></road>"
    )


def written(folder, *roads, header='<header revMajor="1" revMinor="6"/>'):
    """Write a map of roads; return its path."""
    path = folder / "map.xodr"
    path.write_text(f"<OpenDRIVE>{header}{''.join(roads)}</OpenDRIVE>")
    return path


def read(folder, *roads, **options):
    """Read a map of roads."""
    return read_map(written(folder, *roads), **options)


TWO = section(lane(1), lane(0, ""), lane(-1))
"""A lane on each side of the reference line."""
BARE = section(lane(0, ""))
"""A road without lanes."""


def made(folder, kind, inside="", *, lanes=TWO, plan=LINE, profile="", **values):
    """Read a map of one road with one object, which `thing` describes."""
    return read(folder, road(lanes, plan, more=profile + thing(kind, inside, **values)))


def of(parts, material):
    """Return the strips of a material."""
    return [strip for strip in parts.strips if strip.material == material]


def attributes(values):
    """Return attributes as XML, those that are None left out."""
    return "".join(f' {name}="{value}"' for name, value in values.items() if value is not None)


def thing(kind, inside="", **values):
    """Return an object at s = 50 m, t = 5 m."""
    values = {"id": "7", "s": 50, "t": 5} | values
    return f'<objects><object type="{kind}"{attributes(values)}>{inside}</object></objects>'


def signal(kind="274", inside="", **values):
    """Return a sign at s = 50 m, t = -5 m, 2 m above the road."""
    values = {"id": "9", "s": 50, "t": -5, "zOffset": 2, "width": 0.6, "height": 0.6} | values
    return f'<signals><signal type="{kind}"{attributes(values)}>{inside}</signal></signals>'


def outline(*corners, tag="cornerLocal", **values):
    """Return an outline of corners of two coordinates, a height above and a height."""
    names = ("u", "v", "z", "height") if tag == "cornerLocal" else ("s", "t", "dz", "height")
    inside = "".join(
        f'<{tag} id="{i}"{attributes(dict(zip(names, corner, strict=True)))}/>'
        for i, corner in enumerate(corners)
    )
    return f"<outlines><outline{attributes(values)}>{inside}</outline></outlines>"

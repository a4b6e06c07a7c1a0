# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Bounds on how much a mesh file draws: each use of a mesh takes few bytes, but draws it again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lidar_base.errors import BaseError, ConfigurationError
from lidar_base.files.bounds import (
    BYTES_OF_PIECE,
    FREE_INSTANCES,
    FREE_PIECES,
    INSTANCE_RATIO,
    MOST_NODES_DEEP,
    check_at_most,
)
from lidar_base.xml_tree import checked_xml
from raycore.errors import MeshError
from raycore.mesh.gltf.scene import times_drawn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from lidar_base.unfollowed import Unfollowed
    from raycore.mesh.gltf.attributes import Header

_GEOMETRY = re.compile(rb"""<(?:\w+:)?geometry\s[^>]*?\bid\s*=\s*["']([^"']*)["']""")
_BYTES_OF_NUMBER = 2  # a digit and a blank
_BYTES_OF_USE = 1024  # for an element that uses a geometry: it takes as much time


def check_gltf_pieces(header: Header, n_bytes: int, source: object) -> None:
    """Check how many primitives the nodes of a glTF file draw, and how deeply nodes are nested.

    A primitive counts once for each node that draws it.

    Parameters
    ----------
    header : Header
        JSON of the file; each of its nodes has one parent at most.
    n_bytes : int
        Size of the JSON, on which the limit depends.
    source : object
        Name of the file for messages.

    Raises
    ------
    MeshError
        The nodes draw more primitives than a file of this size may, or are nested too deeply.
    """
    nodes = header.get("nodes", [])
    uses = [len(mesh["primitives"]) for mesh in header.get("meshes", [])]
    n_pieces = sum(uses[node["mesh"]] for node in nodes if "mesh" in node)
    _check_limit(n_pieces, FREE_PIECES + n_bytes // BYTES_OF_PIECE, "uses of primitives", source)
    above = {child: each for each, node in enumerate(nodes) for child in node.get("children", [])}
    depth: dict[int, int] = {}
    for number in range(len(nodes)):
        way = [number]
        while way[-1] in above and way[-1] not in depth and len(way) <= MOST_NODES_DEEP:
            way.append(above[way[-1]])
        start = depth.get(way[-1], 0)
        depth |= {each: start + steps for steps, each in enumerate(reversed(way))}
        _check_limit(depth[number], MOST_NODES_DEEP, "nodes within each other", source)


def check_gltf(header: Header, n_bytes: int, source: object) -> None:
    """Check that the nodes of a glTF file draw no more vertices and corners than its size allows.

    Parameters
    ----------
    header : Header
        JSON of the file; each of its nodes has one parent at most.
    n_bytes : int
        Size of the file and of its buffers together.
    source : object
        Name of the file for messages.

    Raises
    ------
    MeshError
        The nodes draw more, or a mesh or a node's instances state more numbers than ``n_bytes``.
    """
    nodes = header.get("nodes", [])
    accessors = header.get("accessors", [])
    drawn = []
    for mesh in header.get("meshes", []):
        used = []
        for each in mesh["primitives"]:
            numbers = (each["attributes"].get("POSITION"), each.get("indices"))
            used += [accessors[one]["count"] for one in numbers if one is not None]
        drawn.append(sum(used))
        _check_limit(max(used, default=0), n_bytes, "numbers of a mesh", source)
    n_drawn = 0
    for node in nodes:
        if "mesh" in node:
            times = times_drawn(node, header)
            _check_limit(times, n_bytes, "instances of a node", source)
            n_drawn += drawn[node["mesh"]] * times
    _check_limit(n_drawn, FREE_INSTANCES + INSTANCE_RATIO * n_bytes, "vertices and corners", source)


def _check_limit(n_stated: int, n_most: int, what: str, source: object) -> None:
    try:
        check_at_most(n_stated, n_most, what)
    except BaseError as error:
        raise MeshError(f"{source}: {error}") from None


_REFUSED = {"skew": "nodes without it", "ph": "polygons without holes"}
"""Elements that move or shape geometry and are not followed, and what is expected instead."""
_LISTED = {
    "animation", "animation_clip", "brep", "bump", "convex_mesh", "evaluate_scene",
    "index_of_refraction", "instance_camera", "instance_kinematics_scene", "instance_light",
    "instance_physics_scene", "lines", "linestrips", "morph", "profile_BRIDGE", "profile_CG",
    "profile_GLES", "profile_GLES2", "profile_GLSL", "reflective", "reflectivity", "skin", "spline",
}  # fmt: skip
"""Elements that are not followed; skins and morphs are drawn in their base pose."""


class _Nodes:
    """Collects the ids of the nodes and geometries that each node of a COLLADA file draws."""

    def __init__(self, source: str, unfollowed: Unfollowed) -> None:
        self.drawn: dict[str, list[str]] = {}
        self._source = source
        self._unfollowed = unfollowed
        self._above: list[str] = []
        self._n_scene = 0
        self._within = [""]

    def start(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        name = tag.rpartition(":")[2]
        self._list(name, attributes, f"line {line}")
        self._above.append(name)
        place = self._within[-1]
        if name in ("node", "visual_scene"):
            place = attributes.get("id") or f"line {line}, {len(self.drawn)}"
            self.drawn.setdefault(place, [])
            if name == "node":
                self.drawn.setdefault(self._within[-1], []).append(place)
        elif name == "controller":
            place = attributes.get("id") or f"line {line}, {len(self.drawn)}"
            self.drawn.setdefault(place, [])
        elif name in ("skin", "morph"):
            source = attributes.get("source", "").removeprefix("#")
            self.drawn.setdefault(place, []).append(source)
        elif name in ("instance_node", "instance_geometry", "instance_controller"):
            self.drawn.setdefault(place, []).append(attributes.get("url", "").removeprefix("#"))
        self._within.append(place)

    def end(self) -> None:
        self._within.pop()
        self._above.pop()

    def _list(self, name: str, attributes: Mapping[str, str], place: str) -> None:
        """List an element that is not followed; raise MeshError if it moves or shapes surfaces."""
        what = f"<{name}>" if name in _LISTED else ""
        if name in _REFUSED:
            raise MeshError(
                f"{self._source}: {place}: <{name}> is not supported; expected {_REFUSED[name]}"
            )
        if name == "input" and attributes.get("semantic") == "COLOR":
            what = "colours of vertices"
        elif name == "texture" and self._above[-1:] == ["transparent"]:
            what = "image of <transparent>"
        elif name == "visual_scene":
            self._n_scene += 1
            what = "<visual_scene> beside another one" if self._n_scene > 1 else ""
        if what:
            self._unfollowed.add(what, place)


def check_collada(data: bytes, path: Path, unfollowed: Unfollowed) -> bytes:
    """Check the content of a COLLADA file, and return it in UTF-8.

    Parameters
    ----------
    data : bytes
        Content of the file.
    path : Path
        Name of the file, only for messages.
    unfollowed : Unfollowed
        List to which elements are added that the reader does not support, and ignores.

    Raises
    ------
    MeshError
        The file is not XML, has a document type, or an unsupported element that moves or shapes
        geometry; or its nodes draw each other in a circle, or draw more than its size allows.
    """
    source = f"mesh file {path}"
    nodes = _Nodes(source, unfollowed)
    try:
        text = checked_xml(path, data, nodes.start, nodes.end)
    except ConfigurationError as error:
        raise MeshError(f"mesh file {error}") from None
    n_bytes = {}
    for found in _GEOMETRY.finditer(text):
        end = text.find(b"geometry>", found.end())
        n_bytes[found[1].decode()] = (end if end > 0 else len(text)) - found.start()
    most = _BYTES_OF_NUMBER * FREE_INSTANCES + INSTANCE_RATIO * len(text)
    sums: dict[str, int] = {}
    waiting = list(nodes.drawn)
    begun: set[str] = set()
    while waiting:
        name = waiting[-1]
        inner = [each for each in nodes.drawn.get(name, ()) if each not in sums]
        if name in sums or not inner:
            own = n_bytes.get(name, 0) + _BYTES_OF_USE
            sums.setdefault(name, own + sum(sums[each] for each in nodes.drawn.get(name, ())))
            waiting.pop()
            _check_limit(sums[name], most, "bytes of geometries that nodes draw", source)
        elif name in begun:
            raise MeshError(f"{source}: node {name:.40} contains itself")
        else:
            begun.add(name)
            waiting += inner
    return text

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reader of Wavefront OBJ files.

trimesh reads OBJ too, but it resolves negative indices from the end of the file instead of from
the face (wrong if vertices and faces alternate), misreads polygons beside faces of other corner
counts, takes index 0 for vertex 1, and reads only the first material library that it finds.

The OBJ file itself holds the names of materials (``usemtl``), so the MTL libraries, which give
their appearance, may be missing. trimesh's MTL reader opens the textures and forgets their names,
collapses blanks in material names, and lets the last of two materials with one name win.
"""

from __future__ import annotations

import io
import logging
import re
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import BoundError
from lidar_base.files.bounds import (
    BYTES_OF_WORD,
    FREE_WORDS,
    MOST_LIBRARY_BYTES,
    check_at_most,
)
from raycore.errors import MeshError
from raycore.mesh.materials import (
    VisualMaterial,
    file_name,
    first_of_each_name,
    fraction,
    rgb,
    visible,
)
from raycore.mesh.readers import MeshSource, Surface, materials_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

_SILENT = {
    "vn": "normals: a surface is where its corners are",
    "vt": "places in images: images of OBJ files are not opened",
    "g": "a group of faces",
    "o": "the name of an object",
    "s": "smoothing: how faces are drawn on a screen",
    "mg": "smoothing of free-form surfaces",
    "vp cstype deg bmat step parm trim hole scrv sp con end": "parts of curves and free-form "
    "surfaces, which are listed themselves",
}
"""Statements that are ignored without a report, and why; unknown statements are reported."""
_PASSED_OVER = {"", *" ".join(_SILENT).split()}
_MTL_READ = {"newmtl", "kd", "d", "tr", "pm", "pr", "illum", "tf", "map_kd"}
_MTL_SILENT = {
    "": "an empty line",
    "ka": "ambient light of a screen",
    "ks": "highlights of visible light",
    "ke": "visible light that it sends out",
    "ns": "size of highlights",
    "sharpness": "of reflections on a screen",
}
"""Keys of MTL files that are ignored without a report, and why."""
_MTL_FORMS = {"kd": ("spectral", "xyz"), "d": ("-halo",), "map_kd": ("-",)}
"""By key: values that begin with one of these have a form that is not supported."""
_MOST_LETTERS = 40  # longer words are shortened in reports
_MOST_LIBRARIES = 1000  # each is searched in the folder
_BLANKS = b"\t\n\v\f\r \x1c\x1d\x1e\x1f\x85\xa0"  # between words, as Latin-1
_CONTINUED_LINE = re.compile(r"\\[ \t]*$")
_TEXTURE_AND_NORMAL = re.compile(r"/\S*")
_AFTER_A_LIBRARY = re.compile(r"(?<=\.mtl)\s+", re.IGNORECASE)
_REFRACTS = (["6"], ["7"], ["9"])  # values of illum
_TEXTURE_OPTION = re.compile(
    r"-(?:[ost](?:\s+[-+]?[\d.]+(?:e[-+]?\d+)?){1,3}|mm\s+\S+\s+\S+"
    r"|(?:blendu|blendv|bm|boost|cc|clamp|imfchan|texres|type)\s+\S+)\s+",
    re.IGNORECASE,
)


def read_obj(data: bytes, source: MeshSource) -> Surface:
    """Read an OBJ file and its material libraries into a `Surface`.

    A library that does not exist is logged, and is no error. Polygons become fans of triangles
    about their first corner, which is right for convex ones. Statements that the reader ignores are
    added to ``source.unfollowed``, unless they do not concern surfaces. ``data`` is the content of
    the file.

    Raises
    ------
    MeshError
        A vertex has fewer than 3 numbers, a face's vertex does not exist, or there are too many
        words or bytes.
    ValueError
        A word is not a number; `load_mesh` turns this into a MeshError.
    """
    vertex_rows: list[str] = []
    face_rows: list[str] = []
    vertices_before: list[int] = []  # negative indices count back from here
    material: list[int] = []
    names, current = {"": 0}, 0
    libraries: dict[str, None] = {}  # in order, each once
    for number, line in enumerate(_lines(_checked(data, source)), 1):
        keyword, rest = (*line.split(None, 1), "", "")[:2]
        if keyword == "v":
            vertex_rows.append(rest)
        elif keyword in {"f", "fo"}:  # fo: in files from before 1995
            face_rows.append(rest.partition("#")[0])
            vertices_before.append(len(vertex_rows))
            material.append(current)
        elif keyword == "usemtl":
            current = names.setdefault(rest.strip(), len(names))
        elif keyword == "mtllib" and len(libraries) < _MOST_LIBRARIES:
            libraries[rest.strip()] = None
        elif keyword not in _PASSED_OVER and not keyword.startswith("#"):
            source.unfollowed.add(f"statement {keyword[:_MOST_LETTERS]}", f"line {number}")
    corners, counts = _corners(face_rows, np.array(vertices_before, dtype=np.int64))
    _check_corners(corners, counts, face_rows, len(vertex_rows), source)
    faces, polygon = _fans(corners, counts)
    return Surface(
        vertices=_vertices(vertex_rows, source),
        faces=faces,
        material=np.array(material, dtype=np.intp)[polygon],
        materials=materials_of(names, _looks(libraries, source)),
    )


def _looks(libraries: Iterable[str], source: MeshSource) -> dict[str, VisualMaterial]:
    n_bytes = 0
    materials = []
    for names in libraries:
        for name, data in _library_files(names, source):
            n_bytes += len(data)
            try:
                check_at_most(n_bytes, MOST_LIBRARY_BYTES, "bytes of material libraries so far")
            except BoundError as error:
                raise MeshError(f"{source}: {error}") from None
            materials += _mtl_materials(data, name, source)
    return first_of_each_name(materials)


def _checked(data: bytes, source: MeshSource) -> bytes:
    """Return the content of a file unchanged; MeshError if it has too many words for its size."""
    n_word = sum(data.count(blank) for blank in _BLANKS)
    try:
        check_at_most(n_word, FREE_WORDS + len(data) // BYTES_OF_WORD, "blanks and line ends")
    except BoundError as error:
        raise MeshError(f"{source}: {error}") from None
    return data


def library_names(data: bytes) -> list[str]:
    """Return every file name that the ``mtllib`` lines of an OBJ file may mean.

    ``data`` is the content of the OBJ file. A blank may separate two names or belong to one, so a
    line may have two readings. A name with a folder is followed by its bare file name. Names may
    occur several times.
    """
    text = _text(data)
    every = _lines(data) if "\\" in text else io.StringIO(text)
    lines = (line.split(None, 1) for line in every if "mtllib" in line)
    stated = [words[1].strip() for words in lines if words[0] == "mtllib" and len(words) == 2]
    names = [name for line in stated for way in _ways_to_part(line) for name in way]
    return [each for name in names for each in (name, file_name(name))]


def _ways_to_part(names: str) -> tuple[list[str], list[str]]:
    """Return two readings of one ``mtllib`` line: split after each .mtl, and at every blank.

    Blanks separate names, but a name may also contain blanks.
    """
    slashed = names.replace("\\", "/")
    ways = _AFTER_A_LIBRARY.split(slashed, _MOST_LIBRARIES), slashed.split(None, _MOST_LIBRARIES)
    return ways[0][:_MOST_LIBRARIES], ways[1][:_MOST_LIBRARIES]


def _library_files(names: str, source: MeshSource) -> list[tuple[str, bytes]]:
    """Return name and content of those files of one ``mtllib`` line that exist."""
    for candidates in _ways_to_part(names):
        found = [(name, _library(name, source)) for name in candidates]
        there = [(name, data) for name, data in found if data is not None]
        if there:
            return there
    source.note(logging.INFO, f"material library {names!r} not found")
    return []


def _library(name: str, source: MeshSource) -> bytes | None:
    for candidate in dict.fromkeys((name, file_name(name))):  # its folder may be of another machine
        with suppress(MeshError):
            return source.read_beside(candidate)
    return None


def _mtl_materials(data: bytes, file: str, source: MeshSource) -> list[VisualMaterial]:
    blocks: list[tuple[str, dict[str, str]]] = []
    for number, line in enumerate(_lines(data), 1):
        keyword, *rest = line.split(None, 1) or [""]
        value = rest[0].strip() if rest else ""
        what = _not_read(keyword, value)
        if what:
            source.unfollowed.add(what, f"line {number} of {file_name(file)}")
        if keyword.lower() == "newmtl":
            blocks.append((value, {}))
        elif blocks:
            blocks[-1][1].setdefault(keyword.lower(), value)
    return [_mtl_material(name, stated) for name, stated in blocks]


def _not_read(keyword: str, value: str) -> str:
    """Return a description of what is not read in a line of an MTL file; "" if all is read."""
    key = keyword.lower()
    word = keyword[:_MOST_LETTERS]
    if key not in _MTL_READ and key not in _MTL_SILENT and not key.startswith("#"):
        return f"{word} of a material"
    form = value.partition(" ")[0]
    if form.lower().startswith(_MTL_FORMS.get(key, ("\n",))):  # no value begins with a new line
        return f"{form[:_MOST_LETTERS]} of {word} of a material"
    return ""


def _mtl_material(name: str, stated: dict[str, str]) -> VisualMaterial:
    words = {key: value.partition("#")[0].split() for key, value in stated.items()}
    opacity = _last_number(words, "d")
    if opacity is None:
        transparency = _last_number(words, "tr")
        opacity = 1.0 if transparency is None else visible(1.0 - transparency)
    return VisualMaterial(
        name=name,
        base_color=_color(words, "kd"),
        opacity=opacity,
        metalness=_last_number(words, "pm"),
        roughness=_last_number(words, "pr"),
        transmission=_transmission(words),
        texture=_texture_name(stated.get("map_kd", "")),
    )


def _last_number(words: dict[str, list[str]], key: str) -> float | None:
    return fraction(next(reversed(words.get(key, [])), None))  # -halo may precede the value of d


def _color(words: dict[str, list[str]], key: str) -> tuple[float, float, float] | None:
    channels = words.get(key, [])
    return rgb(channels * 3 if len(channels) == 1 else channels)  # a single number is a grey


def _transmission(words: dict[str, list[str]]) -> float | None:
    """Return the mean of the transmission filter if refraction is switched on, else None.

    The format would take Tf or illum 4 (glass) alone as transmission. But Maya and 3ds Max write
    Tf 1 1 1 for opaque materials, and Maya writes illum 4 for every material.
    """
    if words.get("illum", [])[:1] not in _REFRACTS:
        return None
    color = _color(words, "tf")
    return 1.0 if color is None else round(sum(color) / 3.0, 6)


def _texture_name(value: str) -> str:
    """Return the file name at the end of a map's value, after any options."""
    while option := _TEXTURE_OPTION.match(value):
        value = value[option.end() :]
    return file_name(value)


def _lines(data: bytes) -> Iterator[str]:
    """Return the lines of a file, one after the other."""
    text = _text(data)
    lines = (line.rstrip("\n") for line in io.StringIO(text))
    return _joined(lines) if "\\" in text else lines


def _text(data: bytes) -> str:
    """Return the text of a file, with line feeds as the only line ends."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with continued ones joined, then empty lines, so that line numbers stay right."""
    parts: list[str] = []
    for line in lines:
        goes_on = _CONTINUED_LINE.search(line)
        parts.append(line[: goes_on.start()] if goes_on else line)
        if not goes_on:
            yield " ".join(parts)
            yield from [""] * (len(parts) - 1)
            parts = []
    if parts:
        yield " ".join(parts)


def _vertices(rows: list[str], source: MeshSource) -> NDArray[np.float64]:
    words = [row.split(None, 3) for row in rows]
    further = [i for i, row in enumerate(words) if len(row) > 3 and not row[3].startswith("#")]
    if further:
        what = "further numbers of v, weights or colours"
        source.unfollowed.add(what, f"vertex {further[0] + 1}", len(further))
    words = [row[:3] for row in words]
    short = next((i for i, row in enumerate(words) if len(row) < 3), None)
    if short is not None:
        raise MeshError(f"{source}: vertex {short + 1} is {rows[short]!r}, expected 3 numbers")
    return np.array(list(map(float, chain.from_iterable(words)))).reshape(-1, 3)


def _corners(
    rows: list[str], vertices_before: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the vertex index of each corner (from 0), and the number of corners of each face."""
    counts = np.array([len(row.split()) for row in rows], dtype=np.int64)
    text = _TEXTURE_AND_NORMAL.sub("", " ".join(rows))
    corners = np.array(list(map(int, text.split())), dtype=np.int64)
    before = np.repeat(vertices_before, counts)
    return np.where(corners < 0, before + corners, corners - 1), counts


def _check_corners(
    corners: NDArray[np.int64],
    counts: NDArray[np.int64],
    rows: list[str],
    n_vertex: int,
    source: MeshSource,
) -> None:
    bad = np.flatnonzero((corners < 0) | (corners >= n_vertex))
    if len(bad):
        face = int(np.searchsorted(np.cumsum(counts), bad[0], side="right"))
        raise MeshError(
            f"{source}: face {face + 1} is {rows[face].strip()!r}, expected vertices within "
            f"1 to {n_vertex}, or negative ones within those before the face"
        )


def _fans(
    corners: NDArray[np.int64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Return the triangles (n, 3) of polygons, and the index of each triangle's polygon, (n,)."""
    n_triangle = np.maximum(counts - 2, 0)
    polygon = np.repeat(np.arange(len(counts)), n_triangle)
    first = (np.cumsum(counts) - counts)[polygon]
    step = np.arange(len(polygon)) - (np.cumsum(n_triangle) - n_triangle)[polygon]
    faces = corners[np.stack([first, first + step + 1, first + step + 2], axis=1)]
    return faces, polygon

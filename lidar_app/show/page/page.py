# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page: its text, its program and its chunks in one file.

The page asks for nothing besides itself: its content security policy allows the program and the
style that stand in it, by their hashes, and no address at all.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lidar_app.show.page.cloud_chunk import cloud_chunk
from lidar_app.show.page.contents import Contents, PageFrame, run_contents
from lidar_app.show.page.limits import DEFAULT_LIMITS, MEGABYTE, PageLimits
from osi_lidar.clouds.npy import read_points
from osi_lidar.errors import InputError
from osi_lidar.files import check_apart, replacing
from osi_lidar.output.frame_table import FrameRow
from osi_lidar.output.stored import open_run
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

PAGE_NAME = "view.html"
PROGRAM = (
    "text.js",
    "algebra.js",
    "decode.js",
    "colours.js",
    "camera.js",
    "shaders.js",
    "mesh_shaders.js",
    "draw.js",
    "meshes.js",
    "boxes.js",
    "paths.js",
    "overlay.js",
    "pick.js",
    "range_image.js",
    "scene.js",
    "frames.js",
    "panel.js",
    "plot.js",
    "controls.js",
    "main.js",
)
"""The files of the program, in the order in which they are joined."""
_ASSETS = Path(__file__).with_name("assets")
_NOTES_BYTES = 1000  # and names of the sensors


class WrittenPage(NamedTuple):
    """A page on disk.

    Attributes
    ----------
    path : Path
        The file.
    n_byte : int
        Its size.
    n_frame : int
        Frames that it shows.
    notes : tuple of str
        Lines about what it lacks.
    """

    path: Path
    n_byte: int
    n_frame: int
    notes: tuple[str, ...]


def write_page(  # noqa: PLR0913  as many choices
    source: str | Path,
    out: str | Path | None = None,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    limits: PageLimits = DEFAULT_LIMITS,
    on_frame: Callable[[int, int], object] | None = None,
) -> WrittenPage:
    """Write the page of a run or of one cloud.

    Parameters
    ----------
    source : str or Path
        The folder of a run, or a cloud (PCD, or npy with a structured array).
    out : str or Path, optional
        The page; default: view.html in the folder of the run, or beside the cloud with its name.
    sensors : sequence of str, optional
        Names of the sensors; default: all.
    frames : slice
        Numbers of the frames, as in frames.csv.
    limits : PageLimits
        How large the page may be, and the scene in it.
    on_frame : callable, optional
        Told the number of frames that are done, and of all.

    Raises
    ------
    InputError
        If the source is absent or damaged, or one frame is too large.
    OutputError
        If the page cannot be written, or would replace its source.
    """
    source = Path(source)
    if not source.exists():
        raise InputError(
            f"{source}: no such file or folder, expected the folder of a run or a cloud"
        )
    most_bytes = limits.page_mb * MEGABYTE
    if source.is_dir():
        run = open_run(source).chosen(sensors=sensors, frames=frames)
        path = source / PAGE_NAME if out is None else Path(out)
        most_bytes -= _fixed_bytes(run.materials)
        contents = run_contents(
            run,
            most_bytes=most_bytes,
            scene_bytes=limits.scene_bytes,
            on_frame=on_frame,
        )
        read = run.files
    else:
        path = source.with_suffix(".html") if out is None else Path(out)
        points = read_points(source)
        contents = cloud_contents(points, title=source.name, materials=_materials_of(source))
        most_bytes -= _fixed_bytes(contents.materials)
        read = [source]
        if contents.n_byte(contents.frames) > most_bytes:
            raise InputError(f"{source}: its page is larger than --max-mb allows")
    check_apart([path], read)
    text = page_text(contents)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return WrittenPage(path, len(text.encode()), len(contents.frames), tuple(contents.notes))


def cloud_page(
    points: NDArray[Any], materials: Sequence[str] | None = None, *, title: str = "Cloud"
) -> str:
    """Return the page of one cloud, HTML that stands by itself.

    Parameters
    ----------
    points : structured (n_point,)
        With fields x, y and z [m]; other fields become columns.
    materials : sequence of str, optional
        Names of the infrared materials, indexed by ``material_id``.
    title : str
        Of the page.

    Raises
    ------
    InputError
        If a field x, y or z is absent.
    """
    return page_text(cloud_contents(points, title=title, materials=materials))


def cloud_contents(
    points: NDArray[Any], *, title: str, materials: Sequence[str] | None
) -> Contents:
    """Return one cloud as the only frame of a page."""
    cloud = cloud_chunk(points, name=title, materials=materials)
    row = FrameRow(0, 0, "cloud", cloud.n_point, title, 0, 0, None, None)
    frame = PageFrame(number=0, time_ns=0, scans=((row, title),), boxes=None)
    contents = Contents(
        title=title, sensors=("cloud",), frames=[frame], materials=tuple(materials or ())
    )
    contents.add_cloud(title, cloud)
    return contents


def _materials_of(cloud: Path) -> tuple[str, ...]:
    """Return the materials of the run that a cloud belongs to; none if it belongs to none."""
    with suppress(InputError):
        return open_run(cloud.absolute().parent.parent).materials
    return ()


def page_text(contents: Contents) -> str:
    """Return the page of some contents."""
    manifest, chunks = contents.manifest()
    manifest["version"] = __version__
    program, style = _program(), _asset("style.css")
    parts = {
        "policy": _policy(program, style),
        "title": html.escape(manifest["title"]),
        "style": style,
        "manifest": _json(manifest),
        "chunks": "\n".join(
            f'<script type="text/plain" id="chunk-{place}">{chunk}</script>'
            for place, chunk in enumerate(chunks)
        ),
        "program": program,
    }
    text = _asset("page.html")
    for name, part in parts.items():
        text = text.replace(f"<!-- {name} -->", part, 1)
    return text


def _json(content: object) -> str:
    """Return JSON that can stand in a script element: it cannot end it."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _policy(program: str, style: str) -> str:
    """Return a content security policy that allows this program, this style, and no address."""
    of_program, of_style = (
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (program, style)
    )
    return (
        f"default-src 'none'; script-src 'sha256-{of_program}'; style-src 'sha256-{of_style}'; "
        "img-src data: blob:"
    )


@cache
def _program() -> str:
    body = "\n".join(_asset(name) for name in PROGRAM)
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _fixed_bytes(materials: Sequence[str]) -> int:
    """Return the size of the page without frames."""
    empty = Contents(title="", sensors=(), materials=tuple(materials))
    return len(page_text(empty)) + _NOTES_BYTES

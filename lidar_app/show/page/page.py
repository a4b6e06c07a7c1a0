# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page: HTML, program, style and chunks in one file.

The page loads nothing from outside: its content security policy allows only the embedded program
and style, by their hashes, and no address.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from lidar_app.show.page.contents import Contents, PageScans, fill
from lidar_app.show.page.limits import DEFAULT_LIMITS, MEGABYTE, PageLimits
from lidar_app.show.page.recorded import RecordedClouds, read_recording, with_beside
from lidar_app.show.page.run_contents import run_contents
from lidar_base.files.whole_files import check_apart, replacing
from lidar_gap.reading import PATH_ALONE, cloud_files
from osi_lidar.errors import InputError
from osi_lidar.output.frame_table import TABLE_NAME
from osi_lidar.output.run_folder import REPORT_NAME
from osi_lidar.output.stored import open_run
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from lidar_gap.reading import Given

PAGE_NAME = "view.html"
SOURCES = "the folder of a run, a cloud or a recording"
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
"""JavaScript files of the page's program, in the order in which they are joined."""
LIVE_PROGRAM = ("live.js",)
"""JavaScript files that precede `PROGRAM` in a live page, which requests frames from a server."""
_ASSETS = Path(__file__).with_name("assets")
_NOTES_BYTES = 1000  # notes and names of sensors


class WrittenPage(NamedTuple):
    """A page (HTML file) that was written.

    Attributes
    ----------
    path : Path
        The file.
    n_byte : int
        Size of the file. [bytes]
    n_frame : int
        Number of frames that the page shows.
    notes : tuple of str
        Lines of text about what the page lacks.
    """

    path: Path
    n_byte: int
    n_frame: int
    notes: tuple[str, ...]


class Shown(NamedTuple):
    """What a page is to show, before its frames are encoded.

    Attributes
    ----------
    contents : Contents
        Contents of the page, still without frames.
    scans : PageScans
        Sources of the frames; `contents.fill` encodes them and adds the frames to ``contents``.
    files : list of Path
        Files that the content is read from.
    path : Path
        Where the page is written by default.
    """

    contents: Contents
    scans: PageScans
    files: list[Path]
    path: Path


def shown_of(
    source: Path,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    given: Given = PATH_ALONE,
    beside: RecordedClouds | None = None,
) -> Shown:
    """Return what the page of a run, a cloud or a recording shows, before frames are encoded.

    Parameters
    ----------
    source : Path
        The folder of a run, or a file or folder of clouds.
    sensors : sequence of str, optional
        Names of the sensors of a run that are shown; default: all. Not allowed for a recording.
    frames : slice
        Numbers of the frames that are shown; in a recording, indices of its clouds, from 0.
    given : Given, optional
        Only for a recording: file with its metadata, such as a calibration, and the name of the
        source in it that is read.
    beside : RecordedClouds, optional
        A recording to compare with: the page can switch between it and the source.

    Raises
    ------
    InputError
        If the source cannot be read, or has no such sensors or frames.
    """
    if not source.exists():
        raise InputError(f"{source}: no such file or folder, expected {SOURCES}")
    if source.is_dir() and _may_be_run(source):
        _check_no_source(source, given)
        run = open_run(source).chosen(sensors=sensors, frames=frames)
        shown = Shown(*run_contents(run), run.files, source / PAGE_NAME)
        return shown if beside is None else _beside(shown, beside, ("simulated", "recorded"))
    if sensors:
        raise InputError(f"{source}: is not the folder of a run, leave out --sensor")
    recording = read_recording(source, given).chosen(frames)
    path = source / PAGE_NAME if source.is_dir() else source.with_suffix(".html")
    shown = Shown(*recording.contents(), recording.files, path)
    return shown if beside is None else _beside(shown, beside, (source.name, beside.path.name))


def _check_no_source(run: Path, given: Given) -> None:
    if given.source is not None:
        raise InputError(f"{run}: --source is for recordings; choose a sensor of a run by --sensor")


def _beside(shown: Shown, recording: RecordedClouds, sides: tuple[str, str]) -> Shown:
    """Add a recording beside the content; `sides` are the names of both."""
    contents, scans = with_beside((shown.contents, shown.scans), recording, sides)
    return Shown(contents, scans, [*shown.files, *recording.files], shown.path)


def _may_be_run(folder: Path) -> bool:
    """Return whether a folder is the folder of a run, or has no other clouds to show."""
    if any((folder / name).exists() for name in (REPORT_NAME, TABLE_NAME)):
        return True
    with suppress(InputError, OSError):
        return not cloud_files(folder)
    return True


def write_page(  # noqa: PLR0913  many options
    source: str | Path,
    out: str | Path | None = None,
    *,
    sensors: Sequence[str] | None = None,
    frames: slice = slice(None),
    limits: PageLimits = DEFAULT_LIMITS,
    on_frame: Callable[[int, int], object] | None = None,
) -> WrittenPage:
    """Write the page of a run, of a cloud or of a recording, an HTML file for browsers.

    Parameters
    ----------
    source : str or Path
        The folder of a run, or a file or folder of clouds of a format of `lidar_gap.reading`.
    out : str or Path, optional
        The page; default: view.html in the folder ``source``, or the file's name with .html.
    sensors : sequence of str, optional
        Names of the sensors of a run; default: all.
    frames : slice
        Frame numbers as in frames.csv; for a recording, indices from 0.
    limits : PageLimits
        Size limits of the page, and of the scene in it.
    on_frame : callable, optional
        Called after each frame, with the number of finished frames, and the number of all frames.

    Raises
    ------
    InputError
        If the source is absent or damaged, or one frame is too large.
    OutputError
        If the page cannot be written, or would replace its source.
    """
    shown = shown_of(Path(source), sensors=sensors, frames=frames)
    return write_shown(shown, out, limits=limits, on_frame=on_frame)


def write_shown(
    shown: Shown,
    out: str | Path | None = None,
    *,
    limits: PageLimits = DEFAULT_LIMITS,
    on_frame: Callable[[int, int], object] | None = None,
) -> WrittenPage:
    """Encode the frames into ``shown.contents``, and write the page as an HTML file.

    Parameters
    ----------
    shown : Shown
        What the page shows, still without frames; its contents are changed.
    out : str or Path, optional
        The file, which is replaced if it exists; default: ``shown.path``.
    limits : PageLimits
        Size limits of the page, and of the scene in it.
    on_frame : callable, optional
        Called after each frame, with the number of finished frames, and the number of all frames.

    Raises
    ------
    InputError
        If a cloud is damaged, or one frame is too large.
    OutputError
        If the page cannot be written, or would replace one of ``shown.files``.
    """
    path = shown.path if out is None else Path(out)
    check_apart([path], shown.files)
    contents = shown.contents
    fill(
        contents,
        shown.scans,
        most_bytes=limits.page_mb * MEGABYTE - _fixed_bytes(contents.materials),
        scene_bytes=limits.scene_bytes,
        on_frame=on_frame,
    )
    text = page_text(contents)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return WrittenPage(path, len(text.encode()), len(contents.frames), tuple(contents.notes))


def cloud_page(
    points: NDArray[Any], materials: Sequence[str] | None = None, *, title: str = "Cloud"
) -> str:
    """Return the text of a self-contained HTML page that shows one cloud.

    Rows without a return are left out.

    Parameters
    ----------
    points : structured (n_point,)
        With fields x, y and z [m]. The page can colour the points by any other scalar field, and
        shows its value for a clicked point; at most 40 such fields are used.
    materials : sequence of str, optional
        Names of the infrared materials; the field ``material_id`` is an index into them.
    title : str
        Title of the page.

    Raises
    ------
    InputError
        If a field x, y or z is absent, or a coordinate is too large.
    """
    recording = RecordedClouds(
        path=Path(title), files=[], clouds=[points], materials=tuple(materials or ())
    )
    contents, scans = recording.contents()
    fill(contents, scans, most_bytes=math.inf)
    return page_text(contents)


def page_text(contents: Contents) -> str:
    """Return the HTML of the page that shows `contents`, whose frames must be encoded."""
    manifest, chunks = contents.manifest()
    manifest["version"] = __version__
    program, style = _program(is_live=contents.is_live), _asset("style.css")
    parts = {
        "policy": _policy(program, style, is_live=contents.is_live),
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
    """Return JSON that is safe in a script element, as it cannot contain an end tag."""
    return json.dumps(content, separators=(",", ":")).replace("<", "\\u003c")


def _policy(program: str, style: str, *, is_live: bool) -> str:
    """Return a content security policy that allows this program, this style, and no address.

    A live page may connect to its own server.
    """
    of_program, of_style = (
        base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()
        for each in (program, style)
    )
    return (
        f"default-src 'none'; script-src 'sha256-{of_program}'; style-src 'sha256-{of_style}'; "
        "img-src data: blob:" + ("; connect-src 'self'" if is_live else "")
    )


@cache
def _program(*, is_live: bool) -> str:
    body = "\n".join(_asset(name) for name in (*(LIVE_PROGRAM if is_live else ()), *PROGRAM))
    return f'(() => {{\n"use strict";\n{body}\n}})();\n'


@cache
def _asset(name: str) -> str:
    return (_ASSETS / name).read_text(encoding="utf-8")


@cache
def _fixed_bytes(materials: Sequence[str]) -> int:
    """Return the size of the page without frames [bytes]."""
    empty = Contents(title="", sensors=(), materials=tuple(materials))
    return len(page_text(empty)) + _NOTES_BYTES

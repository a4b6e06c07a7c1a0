# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``view``: a run, a cloud or a recording as one page for the browser."""

from __future__ import annotations

import shlex
import subprocess
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.bundle import is_bundle
from lidar_app.cli.parts.bundles import replayed
from lidar_app.cli.parts.console import progress, say, tell
from lidar_app.cli.parts.options import ChosenScans, MetadataOption, SourceOption, frame_slice
from lidar_app.cli.parts.parameters import INPUT, OUT, OUTPUT, argument, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.show.page.limits import PageLimits
    from lidar_app.show.page.page import Shown, WrittenPage
    from lidar_app.show.page.recorded import RecordedClouds
    from osi_lidar.config import Config
    from osi_lidar.run.report import Report


@dataclass(frozen=True)
class PageOptions:
    """Values of options of ``osi-lidar view`` for the page that it writes.

    Attributes
    ----------
    page : Path or None
        Page to write (HTML). None: view.html in the folder of the run, or for a file a page of its
        name beside it.
    max_mb : float
        Greatest size of the page; frames are left out to keep it. [MB]
    scene : bool
        Whether roads and meshes are shown below the points.
    scene_mb : float
        Greatest size of the scene in the page; a larger one gets coarser coordinates, or is left
        out. [MB]
    no_open : bool
        True: the browser is not opened.
    """

    page: Path | None = option(
        "PAGE",
        "Page to write (HTML). Default: view.html in the folder of the run, or for a file a page "
        "of its name beside it.",
        *OUT,
    )
    max_mb: float = option(
        "MEGABYTES",
        "Largest size of the page; frames are left out to stay below it.",
        OUTPUT,
        default=100.0,
    )
    scene: bool = switch("Show roads and meshes below the points.", OUTPUT, default=True)
    scene_mb: float = option(
        "MEGABYTES",
        "Largest scene in the page; a larger one gets coarser coordinates, or is left out.",
        OUTPUT,
        default=10.0,
    )
    no_open: bool = switch("Do not open the browser.", OUTPUT)

    def limits(self) -> PageLimits:
        """Return the limits for the size of the page and of its scene."""
        from lidar_app.show.page.limits import PageLimits

        return PageLimits(page_mb=self.max_mb, scene_mb=self.scene_mb if self.scene else 0.0)


@dataclass(frozen=True)
class BesideOptions:
    """Values of options of ``osi-lidar view`` for reading recordings of a sensor.

    A second recording may be shown beside the clouds of a run.

    Attributes
    ----------
    metadata : Path or None
        The maker's file that is needed to decode packets; None: none.
    of_source : str or None
        Sender, topic or sensor to read from the shown recording; None: the only one.
    beside : Path or None
        Second recording, a file or a folder; None: none.
    beside_frames : str or None
        Clouds of `beside` to show, as "START:STOP[:STEP]" with numbers from 0; None: all. The first
        of them is shown with the first scan of the run, and so on.
    beside_source : str or None
        Sender, topic or sensor to read from `beside`; None: the only one.
    """

    metadata: MetadataOption = None
    of_source: SourceOption = None
    beside: Path | None = option(
        "RECORDING",
        "Further clouds to show beside the run, with a switch: a file or a folder. Default: none.",
        INPUT,
    )
    beside_frames: str | None = option(
        "START:STOP[:STEP]",
        "Clouds of --beside to show, numbered from 0; the first of them is shown with the first "
        "scan of the run, and so on. Default: all.",
        INPUT,
    )

    beside_source: str | None = option(
        "SOURCE", "Sensor to read from --beside, as --source. Default: the only one.", INPUT
    )

    def recording(self) -> RecordedClouds | None:
        """Return the clouds of the second recording; None if there is none.

        Raises
        ------
        InputError
            If it cannot be read or no cloud is chosen, or its options are given without `beside`.
        """
        from lidar_app.show.page.recorded import read_recording
        from lidar_gap.reading import Given

        frames = frame_slice(self.beside_frames, "--beside-frames")
        if self.beside is not None:
            return read_recording(self.beside, Given(self.metadata, self.beside_source)).chosen(
                frames
            )
        for name, value in (
            ("--beside-frames", self.beside_frames),
            ("--beside-source", self.beside_source),
        ):
            if value is not None:
                raise InputError(f"{name}: needs --beside RECORDING, got none")
        return None


def view(
    source: Annotated[
        Path,
        argument(
            "RUN|CLOUD|RECORDING",
            "Folder of a run, a cloud (PCD, PLY, LAZ, npy, KITTI ..), a recording (pcap, MCAP, "
            "ROS bag ..) or a bundle (.osib), which is replayed.",
        ),
    ],
    to_write: PageOptions,
    scans: ChosenScans,
    recorded: BesideOptions,
) -> None:
    """Show a run, a cloud or a recording in the browser: one page that needs no network."""
    from lidar_app.show.page.page import shown_of
    from lidar_gap.reading import Given

    limits = to_write.limits()
    frames = frame_slice(scans.frames)
    with replayed(source, frames) if is_bundle(source) else nullcontext(source) as shown_source:
        shown = shown_of(
            shown_source,
            sensors=scans.sensor,
            frames=frames,
            given=Given(recorded.metadata, recorded.of_source),
            beside=recorded.recording(),
        )
        page = source.with_suffix(".html") if is_bundle(source) else None
        written = write_with_bar(shown, to_write.page or page, limits)
    for note in written.notes:
        say(f"{written.path} {note}", style="yellow")
    several = f", {written.n_frame} frames" if written.n_frame > 1 else ""
    tell(f"{written.path} ({written.n_byte / 1e6:.1f} MB{several})")
    if not to_write.no_open:
        open_browser(written.path)


def write_with_bar(
    shown: Shown, page: Path | None = None, limits: PageLimits | None = None
) -> WrittenPage:
    """Write a page for the browser, and show a progress bar meanwhile.

    Parameters
    ----------
    shown : Shown
        What the page shows.
    page : Path, optional
        File to write; default: ``shown.path``.
    limits : PageLimits, optional
        Limits for the size of the page and of its scene; default: `DEFAULT_LIMITS`.
    """
    from lidar_app.show.page.limits import DEFAULT_LIMITS
    from lidar_app.show.page.page import write_shown

    with progress() as bar:
        task = bar.add_task("view", total=None)

        def on_frame(done: int, of_all: int) -> None:
            bar.update(task, completed=done, total=of_all)

        return write_shown(shown, page, limits=limits or DEFAULT_LIMITS, on_frame=on_frame)


def open_browser(page: Path) -> None:
    """Open a page in the browser, which a separate Python process without a terminal starts.

    A text browser would take over the terminal, and some systems wait until the browser is closed.
    The process runs with the option -I, so that it does not import modules from the working folder.
    A warning on stderr says if the process cannot be started, but not if it finds no browser.

    Parameters
    ----------
    page : Path
        The HTML file.
    """
    none = subprocess.DEVNULL
    command = [sys.executable, "-I", "-m", "webbrowser", page.absolute().as_uri()]
    try:
        subprocess.Popen(  # noqa: S603  our own page
            command, stdin=none, stdout=none, stderr=none, start_new_session=True
        )
    except OSError as error:
        say(f"the browser cannot be started: {error.strerror}", style="yellow")


def offer_view(report: Report, config: Config, folder: Path) -> None:
    """Print the command that shows a run in the browser, if the run wrote clouds.

    Parameters
    ----------
    report : Report
        Report of the run; if no frame was read, nothing is printed.
    config : Config
        Configuration of the run; if its ``output.pcd`` is "none", nothing is printed.
    folder : Path
        Folder of the run, which the printed command names.
    """
    if report.record.frames_read and config.output.pcd != "none":
        tell(f"look: osi-lidar view {shlex.quote(str(folder))}")

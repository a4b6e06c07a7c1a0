# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``show waveform``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.completion import sensors_of_config
from lidar_app.cli.parts.console import tell
from lidar_app.cli.parts.options import ConfigFile, FidelityOption, Setup, TraceSourceOption
from lidar_app.cli.parts.parameters import INPUT, OUT, SENSOR, argument, option
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.model import LidarModel
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.scan.lidar import Lidar

_BEAM = re.compile(r"\s*(\d{1,9})\s*:\s*(\d{1,9})\s*")


@dataclass(frozen=True)
class WaveformInput(ConfigFile):
    """Values of options of ``osi-lidar show waveform`` for its input; others as in `ConfigFile`.

    Attributes
    ----------
    frame : int
        Number of the frame of the trace to scan.
    source : str or None
        Topic to read from an MCAP trace with several channels; None: the only one.
    earlier_trace : Path or None
        Trace in the option --trace of version 0.2, which is not shown in the help; None: not given.
    """

    frame: int = option("N", "Number of the trace's frame.", INPUT, default=0, limits=(0, None))
    source: TraceSourceOption = None
    earlier_trace: Path | None = option("TRACE", "", INPUT, "--trace")

    def frames(self, trace: Path, chosen: slice = slice(None)) -> FrameSource:
        """Return frames of a trace, read with the option `source`; the option `frame` is not used.

        Parameters
        ----------
        trace : Path
            File of the OSI trace.
        chosen : slice
            Numbers of the frames; by default all frames.
        """
        from osi_lidar.run.frame_source import FrameSource

        return FrameSource(trace, frames=chosen, source=self.source)


def waveform(
    beam: Annotated[str, option("RING:COLUMN", "Ring and column of the beam, such as 12:340.")],
    trace: Path | None = argument(
        "TRACE", "OSI trace. Default: none, the environment meshes alone."
    ),
    *,
    given: WaveformInput,
    sensor: str | None = option(
        "NAME",
        "One of the configured sensors. Default: the first.",
        SENSOR,
        complete=sensors_of_config,
    ),
    fidelity: FidelityOption = None,
    picture: Path = option(
        "FILE.png",
        "Picture to write (PNG); a table beside it (CSV).",
        *OUT,
        default=Path("waveform.png"),
    ),
) -> None:
    """Draw the waveform of one beam over range, as its receiver sees it, and the echoes."""
    from lidar_app.show.plots.waveforms import waveform_picture, write_waveform
    from osi_lidar.run.replay import at_each_message, model_of

    ring, column = _numbers(beam)
    config, trace = given.and_trace(trace, given.earlier_trace)
    chosen = at_each_message(Setup(config=config, fidelity=fidelity).configuration())
    model = model_of(chosen, None if trace is None else given.frames(trace))
    lidar = _chosen(model.lidars, sensor)
    with compilation_message():
        _scan(model, trace, given)
    last = model.last_scans.get(lidar.name)
    index = _index(lidar, ring, column)
    found = lidar.waveform(None if last is None else last.scanned, index)
    title = f"{lidar.name}, ring {ring}, column {column}"
    waveform_picture(found, title, picture)
    table = write_waveform(found, picture.with_suffix(".csv"))
    tell(f"Picture: {picture}, table: {table}")


def _numbers(beam: str) -> tuple[int, int]:
    """Return ring and column of ``RING:COLUMN``."""
    match = _BEAM.fullmatch(beam)
    if match is None:
        raise InputError(f"--beam: got {beam!r}, expected RING:COLUMN, such as 12:340")
    return int(match[1]), int(match[2])


def _chosen(lidars: tuple[Lidar, ...], name: str | None) -> Lidar:
    """Return the lidar of a name, or the first; raise InputError if it is ideal."""
    names = [lidar.name for lidar in lidars]
    if name is not None and name not in names:
        raise InputError(f"--sensor: got {name!r}, expected one of {', '.join(names)}")
    lidar = lidars[0 if name is None else names.index(name)]
    if not lidar.is_physical:
        raise InputError(
            f"sensor {lidar.name} is ideal, so its beams have no waveform; set --fidelity "
            "physical, or a section beam, pulse, returns or receiver"
        )
    return lidar


def _scan(model: LidarModel, trace: Path | None, given: WaveformInput) -> None:
    """Scan one frame of a trace, or without a trace the static scene."""
    from osi_bridge import empty_frame
    from osi_lidar.run.replay import take
    from osi_lidar.run.report import Progress

    if trace is None:
        model.step(empty_frame())
        return
    progress = Progress()
    number = given.frame
    messages = given.frames(trace, slice(number, number + 1)).messages()
    take(messages, model, lambda _: None, lambda _: True, progress)
    if not progress.frames_read:
        raise InputError(f"{trace}: has no frame {number}")


def _index(lidar: Lidar, ring: int, column: int) -> int:
    """Return the index of the beam with this ring and column."""
    import numpy as np

    pattern = lidar.pattern
    found = np.flatnonzero((pattern.ring == ring) & (pattern.column == column))
    if not len(found):
        raise InputError(
            f"--beam: sensor {lidar.name} has no beam {ring}:{column}, expected a ring of 0 to "
            f"{pattern.ring.max()} and a column of 0 to {pattern.column.max()}"
        )
    return int(found[0])

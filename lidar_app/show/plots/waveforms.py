# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The waveform of one beam as a picture and as a table."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.files.whole_files import replacing
from lidar_gap.pictures.figures import (
    COLOURS,
    FAINT,
    INK,
    dark_figure,
    dark_panel,
    grid,
    headline,
    legend,
    save,
)

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.scan.echoes.waveform import Waveform

SIZE_PX = (1300, 620)


def waveform_picture(waveform: Waveform, title: str, path: Path) -> Path:
    """Draw a waveform over range: signal, its components, threshold and echoes; return ``path``.

    Parameters
    ----------
    waveform : Waveform
        The signal of one beam over range.
    title : str
        Title of the picture.
    path : Path
        The picture (PNG) to write, which is replaced if it exists.

    Raises
    ------
    OutputError
        If the picture cannot be written, or its name does not end in ``.png``.
    """
    figure = dark_figure(SIZE_PX)
    n_seen = int((waveform.echo_snr >= waveform.threshold).sum())
    n_echo, n_component = len(waveform.echo_snr), len(waveform.component_snr)
    facts = f"{n_component} components, {n_echo} maxima, {n_seen} above the threshold"
    headline(figure, title, facts)
    axes = dark_panel(figure, (0.06, 0.11, 0.92, 0.68), "")
    grid(axes)
    for number, part in enumerate(waveform.component_snr):
        colour = COLOURS[1 + number % (len(COLOURS) - 1)]
        axes.plot(waveform.range_m, part, color=colour, lw=1.0, alpha=0.8)
    axes.plot(waveform.range_m, waveform.snr, color=COLOURS[0], lw=2.0, label="signal")
    axes.axhline(waveform.threshold, color=FAINT, ls="--", lw=1.0, label="threshold")
    axes.plot(
        waveform.echo_range_m, waveform.echo_snr, "o", color=INK, ms=6, label="maxima: echoes"
    )
    axes.set_xlabel("range [m]", color=FAINT)
    axes.set_ylabel("signal [rms of the noise]", color=FAINT)
    legend(axes)
    return save(figure, path)


def write_waveform(waveform: Waveform, path: Path) -> Path:
    """Write the samples of a waveform as CSV; return ``path``.

    Columns are the range [m], the signal-to-noise ratio, and the signal of each component, in
    multiples of the noise. `waveform` is the signal of one beam. `path` is the file, which is
    replaced if it exists.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    names = [f"component_{number}_snr" for number in range(len(waveform.component_snr))]
    rows = np.column_stack([waveform.range_m, waveform.snr, waveform.component_snr.T])
    with replacing(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["range_m", "snr", *names])
        table.writerows([f"{value:.7g}" for value in row] for row in rows)
    return path

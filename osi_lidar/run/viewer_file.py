# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Writes the file for viewers, ``viewer.mcap``, from the folder of a run that has ended."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from osi_lidar.output.sensor_data import VIEWER_NAME
from osi_lidar.output.stored import open_run

if TYPE_CHECKING:
    from pathlib import Path

    from osi_lidar.config import Config

logger = logging.getLogger(__name__)
_ENDED = {"complete", "damaged"}


def write_viewer_file(folder: Path, config: Config, status: str) -> None:
    """Write ``viewer.mcap`` into the folder of a run, unless ``output.mcap`` is "none".

    A run without scans gets no file, and a warning.

    Parameters
    ----------
    folder : Path
        The folder of the run, complete.
    config : Config
        The configuration; its section ``output`` says what the run writes.
    status : str
        How the run ended; an interrupted or failed run gets no file.

    Raises
    ------
    InputError, OutputError
        If the clouds cannot be read, or the file cannot be written.
    """
    if config.output.mcap == "none" or status not in _ENDED:
        return
    from osi_lidar.viewers.mcap import export_mcap  # noqa: PLC0415  few runs need it

    run = open_run(folder)
    if not any(run.scans):
        logger.warning("%s: no %s was written, as the run has no scan", folder, VIEWER_NAME)
        return
    for reason in export_mcap(run, folder / VIEWER_NAME).left_out:
        logger.warning("%s: %s", VIEWER_NAME, reason)

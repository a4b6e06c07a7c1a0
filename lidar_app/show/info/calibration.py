# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of a maker's file of a sensor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lidar_app.show.info.record import Info
from osi_lidar.sensors.calibration.reading import (
    firetime_not_followed,
    firetime_rows,
    read_calibration,
)
from osi_lidar.sensors.calibration.record import BeamTable, Calibration

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def calibration_info(path: Path) -> Info:
    """Return maker, model, number and angles of the beams of a calibration, and ignored contents.

    `path` is a maker's calibration file of a sensor, such as Hesai's or Velodyne's. For a scanner
    of HELIOS++, the facts are its channels and other figures. The list ``not_followed`` has the
    ignored contents.

    Raises
    ------
    ConfigurationError
        If the file is not a calibration that osi-lidar knows.
    """
    found = read_calibration(path)
    facts: dict[str, object] = {}
    if isinstance(found, Calibration):
        facts = {
            "maker": found.maker,
            "model": found.model,
            "lasers": found.n_lasers,
            "elevation_deg": _span(found.elevation_rad),
            "azimuth_offset_deg": _span(found.azimuth_offset_rad),
            "columns": found.columns,
            "rate_hz": found.rate_hz,
        }
    elif isinstance(found, BeamTable):
        facts = {
            "maker": found.maker,
            "model": found.model,
            "beams": len(found.time_s),
            "azimuth_deg": _span(found.azimuth_rad),
            "elevation_deg": _span(found.elevation_rad),
        }
    else:
        facts = {"maker": "HELIOS++", "channels": len(found.channels), **found.figures()}
    lists = {"not_followed": [each._asdict() for each in found.not_followed]}
    return Info(path=path, kind="Calibration of a sensor", facts=facts, lists=lists)


def firetime_info(path: Path) -> Info | None:
    """Return the content of a Hesai firetime correction file; None for other files.

    `path` is the file, which states when each laser fires. The result states the maker, the number
    of lines, and the columns that are ignored. Its fact ``belongs_to`` is "firetime", the key in a
    sensor's configuration that names such a file.
    """
    rows = firetime_rows(path)
    if rows is None:
        return None
    lists = {"not_followed": [each._asdict() for each in firetime_not_followed(path)]}
    facts: dict[str, object] = {"maker": "Hesai", "lines": len(rows), "belongs_to": "firetime"}
    return Info(path=path, kind="Firetime correction of a sensor", facts=facts, lists=lists)


def _span(angles_rad: NDArray[np.float64]) -> list[float]:
    """Return the least and the largest angle [deg]."""
    return [round(float(np.degrees(each)), 4) for each in (angles_rad.min(), angles_rad.max())]

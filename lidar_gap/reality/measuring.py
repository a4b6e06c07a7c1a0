# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Figures with intervals of a recording, and by the same code of simulated clouds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from lidar_gap.calibrate.echoes import find_echoes
from lidar_gap.calibrate.findings import Absent, Findings
from lidar_gap.calibrate.noise import SIGMAS_TOGETHER, find_noise, moved_by_others
from lidar_gap.calibrate.recording import record
from lidar_gap.found_layout import found_layout
from lidar_gap.layout import sensor_layout
from lidar_gap.reading import read_clouds
from lidar_gap.reality.at_rest import (
    SIGNAL_SCATTER,
    STRENGTH_SCATTER,
    find_repeats,
    find_returns,
    find_scatter,
    stacked,
)
from lidar_gap.reality.steps import find_elevations, find_mixed, find_signal
from lidar_gap.reality.targets import BY_CLASS, TARGET_ROWS
from osi_lidar.config import Sensor
from osi_lidar.sensors.presets import load_preset

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lidar_gap.calibrate.findings import Finding
    from lidar_gap.layout import Layout
    from lidar_gap.reality.recordings import Kind, PublicRecording
    from lidar_gap.records import ScanCloud

_BY_PLACE = ("temporal_sigma_m", "in_ring_sigma_m")  # these depend on the distances at the place
_TEMPORAL = "temporal_sigma"
_MOVED = (
    "scans at rest differ by more than noise: they were moved by others, as by an inertial unit"
)
# fitted to a series, and the series itself is compared
_BY_SERIES = ("range_sigma_m", "sigma_dark_m")


class ComparedRow(NamedTuple):
    """A figure of clouds: what it measures, and how recorded and simulated values are compared.

    Attributes
    ----------
    kind : str
        Kind of the figure, one of `Kind` in descriptions of recordings.
    what : str
        Description in words.
    is_ratio : bool
        Whether two values are compared by their ratio; else by their difference.
    limit : float or None
        Limit for a figure that is compared object by object: mean absolute error of the objects, as
        a share of the recorded value. None for other figures.
    """

    kind: Kind
    what: str
    is_ratio: bool = True
    limit: float | None = None


ROWS: Mapping[str, ComparedRow] = {
    "temporal_sigma_by_reflectivity_m": ComparedRow("noise", "range noise [m], by reflectivity"),
    "temporal_sigma_by_signal_m": ComparedRow("noise", "range noise [m], by signal"),
    "in_ring_sigma_by_reflectivity_m": ComparedRow(
        "noise", "range noise within rings [m], by reflectivity"
    ),
    "in_ring_sigma_by_signal_m": ComparedRow("noise", "range noise within rings [m], by signal"),
    "return_share_by_signal": ComparedRow(
        "returns", "share of scans in which a pixel returns, by signal", is_ratio=False
    ),
    "repeat_iou": ComparedRow(
        "repeats", "pixels that return in two scans, over those in either", is_ratio=False
    ),
    "repeat_change_m": ComparedRow("repeats", "mean change of a range from scan to scan [m]"),
    "repeat_strength_correlation": ComparedRow(
        "repeats", "correlation of strengths of two scans", is_ratio=False
    ),
    "second_return_share": ComparedRow("second returns", "share of firings with a second return"),
    "echo_separation_m": ComparedRow("second returns", "separation of two returns [m]"),
    "mixed_share": ComparedRow(
        "mixed", "mixed pixels among those at steps of the range", is_ratio=False
    ),
    "signal_by_range": ComparedRow("signal", "signal of a white target at 1 m, by range"),
    SIGNAL_SCATTER: ComparedRow("strength", "relative scatter of photons, by signal"),
    STRENGTH_SCATTER: ComparedRow(
        "strength", "relative scatter of reflectivities, by reflectivity"
    ),
    "elevation_deg": ComparedRow("beams", "elevations of the lasers [deg]", is_ratio=False),
    **{
        name: ComparedRow("targets", each.what, limit=each.limit)
        for name, each in TARGET_ROWS.items()
    },
    BY_CLASS: ComparedRow("targets", "mean points on an object, by class"),
}
"""The figures that are compared, as a mapping from the name of a figure in `Findings`."""
CLAUSES: Mapping[Kind, tuple[str, ...]] = {
    "noise": ("4.1.2", "4.1.3"),
    "second returns": ("4.1.12",),
    "mixed": ("4.2.2",),
    "beams": ("4.1.4", "4.1.5", "4.1.6"),
}
"""Clauses of ISO/DIS 13228:2026 that define the quantity, by kind; no conformity is claimed."""


def clouds_of(recording: PublicRecording, pack: Path) -> list[ScanCloud]:
    """Return the clouds of a recording in the folder ``pack``, which holds all recordings.

    If the description says that intensities are photons, they are moved to the column ``signal``.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    folder = recording.folder(pack)
    metadata = None if recording.metadata is None else folder / recording.metadata
    clouds = [
        cloud
        for path in recording.clouds
        for cloud in read_clouds(folder / path, metadata=metadata, source=recording.source)
    ]
    if recording.strength == "photons":
        clouds = [replace(each, signal=each.intensity, intensity=None) for each in clouds]
    return clouds


def layout_of(sensor: str, clouds: Sequence[ScanCloud]) -> Layout:
    """Return the layout of rings and columns by which clouds become images.

    If all clouds have ring and column numbers, it is the layout of the known sensor ``sensor``.
    Otherwise, rings and columns are found in the clouds.
    """
    if all(cloud.ring is not None and cloud.column is not None for cloud in clouds):
        return sensor_layout(Sensor(name="lidar", preset=sensor))
    return found_layout(clouds)


def measure(clouds: Sequence[ScanCloud], sensor: str, *, simulated: bool = False) -> Findings:
    """Return the figures found in clouds of one sensor; others are `Absent` or left out.

    Parameters
    ----------
    clouds : sequence of ScanCloud
        Real or simulated clouds, in the order of time.
    sensor : str
        The known sensor of the clouds.
    simulated : bool
        Whether the clouds are simulated. Real scans may have been moved against each other by
        motion compensation; the figures of their temporal noise are then `Absent`.

    Returns
    -------
    Findings
        Dictionary by name of the figure. A figure is a number (`Figure`) or a value for each laser
        or bin (`Series`), with 95 % intervals, or it is `Absent` with the reason. Without scans at
        rest, most figures that compare successive scans, such as "repeat_iou", are left out.

    Raises
    ------
    InputError
        If the clouds have too few points, or no rings are found in them.
    """
    preset = load_preset(sensor)
    step_m = preset.range_resolution_m or 0.0
    recording, stack = record(clouds), stacked(clouds, layout_of(sensor, clouds))
    found: list[Finding] = [*find_noise(recording, step_m), *find_echoes(recording)]
    found.append(find_elevations(recording, preset.n_channels))
    found += [*find_mixed(stack), *find_signal(recording)]
    if recording.at_rest:
        found += [*find_returns(stack), *find_repeats(stack), *find_scatter(stack)]
    if not simulated and moved_by_others(found):
        found = [
            Absent(name=each.name, reason=_MOVED) if each.name.startswith(_TEMPORAL) else each
            for each in found
        ]
    left_out = {*_BY_PLACE, *_BY_SERIES, SIGMAS_TOGETHER, "min_separation_m"}
    return Findings.of([each for each in found if each.name not in left_out])

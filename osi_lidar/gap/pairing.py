# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From files to pairs of clouds, by order, and to their images, by one layout of the sensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.errors import InputError
from osi_lidar.gap.compare import Material
from osi_lidar.gap.operators import Pair
from osi_lidar.gap.reading import read_clouds
from osi_lidar.gap.rings import found_layout, range_image, sensor_layout

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from osi_lidar.config import Sensor
    from osi_lidar.gap.records import ScanCloud
    from osi_lidar.gap.rings import Layout

MOST_OUTSIDE = 0.5
"""A cloud with a larger share of points outside the image is of another sensor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Files or folders of clouds, frames in order.

    Attributes
    ----------
    real, sim : Path
        The same frames of both.
    again : Path or None
        Real clouds of the same place, to be compared with the first ones.
    standing : bool
        The sensor stands still, so that each real cloud is compared with the next.
    null : tuple of Path, or None
        Simulated clouds in place of real ones, and what the method made of them.
    metadata : Path or None
        What recordings of packets need beside them, see `read_clouds`; of all real clouds.
    sensor : Sensor or None
        Its rings and columns make the images; otherwise they are found in the clouds.
    """

    real: Path
    sim: Path
    again: Path | None = None
    standing: bool = False
    null: tuple[Path, Path] | None = None
    metadata: Path | None = None
    sensor: Sensor | None = None


def read_material(sources: Sources) -> tuple[Material, Layout]:
    """Read the clouds and make their images, which share one layout.

    Raises
    ------
    InputError
        If files cannot be read, numbers of frames differ, or a cloud does not fit the sensor.
    """
    if sources.again is not None and sources.standing:
        raise InputError("got both --real-again and --standing, expected one of them")
    real, sim = _read(sources.real, sources.metadata), _read(sources.sim)
    _check_numbers((sources.real, real), (sources.sim, sim))
    again: Sequence[ScanCloud] = ()
    if sources.again is not None:
        again = _read(sources.again, sources.metadata)
        _check_numbers((sources.real, real), (sources.again, again))
    if sources.standing:
        if len(real) < 2:
            raise InputError(f"{sources.real}: one frame, expected two or more for --standing")
        again = real[1:]
    null_real: Sequence[ScanCloud] = ()
    null_sim: Sequence[ScanCloud] = ()
    if sources.null is not None:
        null_real, null_sim = (_read(path) for path in sources.null)
        _check_numbers((sources.null[0], null_real), (sources.null[1], null_sim))
    layout = sensor_layout(sources.sensor) if sources.sensor is not None else found_layout(real)
    material = Material(
        sim=_pairs(real, sim, layout),
        again=_pairs(real, again, layout),
        null=_pairs(null_real, null_sim, layout),
    )
    return material, layout


def _pairs(real: Sequence[ScanCloud], sim: Sequence[ScanCloud], layout: Layout) -> list[Pair]:
    """Return pairs by order, as many as the shorter sequence has, with their images."""
    pairs = [
        Pair(
            real=one,
            sim=other,
            real_image=range_image(one, layout),
            sim_image=range_image(other, layout),
        )
        for one, other in zip(real, sim, strict=False)
    ]
    for pair in pairs:
        for cloud, image in ((pair.real, pair.real_image), (pair.sim, pair.sim_image)):
            outside = int(np.count_nonzero(image.pixel_of_point < 0))
            if outside > MOST_OUTSIDE * len(cloud):
                raise InputError(
                    f"{cloud.name}: {outside} of {len(cloud)} points lie outside the rings and "
                    "columns of the sensor, expected its clouds (see --sensor)"
                )
    return pairs


def _read(path: Path, metadata: Path | None = None) -> Sequence[ScanCloud]:
    """Read clouds that have points."""
    clouds = read_clouds(path, metadata=metadata)
    for cloud in clouds:
        if not len(cloud):
            raise InputError(f"{path}: {cloud.name} has no points, expected the returns of a scan")
    return clouds


def _check_numbers(
    one: tuple[Path, Sequence[ScanCloud]], other: tuple[Path, Sequence[ScanCloud]]
) -> None:
    """Check that two sources have the same number of frames."""
    if len(one[1]) != len(other[1]):
        raise InputError(
            f"{other[0]}: got {len(other[1])} frames, expected {len(one[1])} as in {one[0]}: "
            "frames are paired by their order"
        )

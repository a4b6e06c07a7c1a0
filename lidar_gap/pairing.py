# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""From files to pairs of clouds and their images, which share one layout of the sensor."""

from __future__ import annotations

import logging
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from pydantic import ValidationError

from lidar_base.unfollowed import log_not_followed
from lidar_gap.metrics.summaries import count
from lidar_gap.reading import PATH_ALONE, Given, read_clouds
from lidar_gap.records import Pair, PairGroups, RangeImage, ScanCloud
from lidar_gap.rings import found_layout, range_image, sensor_layout
from osi_lidar.config import Sensor
from osi_lidar.errors import ConfigurationError, InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from lidar_gap.rings import Layout

_logger = logging.getLogger(__name__)

MOST_OUTSIDE = 0.5
"""A cloud is taken to be of another sensor if more than this share of its points lie outside the
range image.
"""
MOST_SHARED = 0.25
"""If more than this share of the points are in the same pixel as another point, the range image is
taken to have too few columns.
"""
MOST_OFF_DEG = 1.0
"""A cloud is taken to be of another sensor if the elevations of its points differ from their rings
by more than this, in the median. [deg]
"""


FramePair: TypeAlias = "tuple[ScanCloud, ScanCloud]"
"""Two clouds of the same frame that are compared: the real cloud, then the simulated cloud.

Instead, both may be real (a repeated recording), or both may be simulated (a null test).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Files or folders with the clouds of a comparison, and facts that are needed to read them.

    Attributes
    ----------
    real, sim : Path
        Real and simulated clouds of the same frames.
    again : Path or None
        Other real clouds of the same place, to be compared with ``real``.
    standing : bool
        Whether the sensor stands still; each real cloud is then compared with the next real cloud.
    null : tuple of (Path, Path), or None
        Clouds of the null test, which shows the error of building a digital twin: simulated clouds,
        which take the role of real ones, and clouds simulated in a twin that was built from the
        first clouds.
    metadata : Path or None
        The maker's metadata or calibration, if ``real`` and ``again`` are recordings of packets.
    source, sim_source : str or None
        Source (sender, topic or sensor) to read in the real, and in the simulated recording; None
        if it has only one.
    sensor : str or None
        Name of a known sensor; the range images have its rings and columns.
    calibration : Path or None
        The maker's calibration file of the unit, which also gives rings and columns. Without sensor
        and calibration, rings and columns are found in the real clouds.
    columns : int or None
        Columns per turn, if the sensor offers a choice.
    """

    real: Path
    sim: Path
    again: Path | None = None
    standing: bool = False
    null: tuple[Path, Path] | None = None
    metadata: Path | None = None
    source: str | None = None
    sim_source: str | None = None
    sensor: str | None = None
    calibration: Path | None = None
    columns: int | None = None


def read_pairs(sources: Sources) -> tuple[PairGroups, Layout]:
    """Read clouds and pair them; return the pairs with range images, and the layout of the images.

    Parameters
    ----------
    sources : Sources
        Files or folders of the clouds, and facts that are needed to read them.

    Returns
    -------
    groups : PairGroups
        Pairs of clouds with range images, in up to three groups: simulated against real, real
        against other real clouds, and the null test.
    layout : Layout
        Rings and columns of all range images.

    Raises
    ------
    InputError
        If files cannot be read, a cloud has no points or does not fit the sensor, the sides differ
        in their number of frames, or ``standing`` is set with one real frame or with ``again``.
    ConfigurationError
        If the sensor cannot be used.
    """
    if sources.again is not None and sources.standing:
        raise InputError("got both --real-again and --standing, expected one of them")
    given = Given(sources.metadata, sources.source)
    real = _read(sources.real, given)
    sim = _read(sources.sim, Given(source=sources.sim_source))
    pairs = _matched((sources.real, real), (sources.sim, sim))
    again: list[FramePair] = []
    if sources.again is not None:
        other = _read(sources.again, given)
        again = _matched((sources.real, real), (sources.again, other))
    if sources.standing:
        if len(real) < 2:
            raise InputError(f"{sources.real}: one frame, expected two or more for --standing")
        again = list(pairwise(real))
    null: list[FramePair] = []
    if sources.null is not None:
        one, other_path = sources.null
        null = _matched((one, _read(one)), (other_path, _read(other_path)))
    layout = chosen_layout(sources.sensor, sources.calibration, real, columns=sources.columns)
    pairs, again, null = with_one_range(pairs, again, null)
    images = _images([cloud for pair in (*pairs, *again, *null) for cloud in pair], layout)
    groups = PairGroups(
        sim=_with_images(pairs, images),
        again=_with_images(again, images),
        null=_with_images(null, images),
        rings=layout.rings,
    )
    _tell(groups, layout)
    return groups, layout


def _tell(groups: PairGroups, layout: Layout) -> None:
    """Log how the clouds were read, and warn where their first images lose points."""
    first = groups.sim[0]
    for cloud, image in ((first.real, first.real_image), (first.sim, first.sim_image)):
        _warn(cloud, image, layout)
    for name, kinds in groups.reading.not_followed.items():
        log_not_followed(name, kinds)
    for name, told in groups.reading.assumed.items():
        for each in told:
            _logger.info("%s: assumed: %s", name, each)


def frame_pairs(real: Sequence[ScanCloud], sim: Sequence[ScanCloud]) -> list[FramePair]:
    """Pair the frames of two runs: by name if both have the same names, otherwise in their order.

    Parameters
    ----------
    real, sim : sequence of ScanCloud
        Clouds of all frames of the real and of the simulated run. Names count only if no name
        occurs twice in ``sim``.

    Returns
    -------
    list of (ScanCloud, ScanCloud)
        Real and simulated cloud of each frame, in the order of the real clouds.

    Raises
    ------
    InputError
        If the runs differ in their number of frames, or have none.
    """
    if len(real) != len(sim) or not real:
        raise InputError(
            f"got {len(real)} real and {len(sim)} simulated frames, expected equal numbers"
        )
    by_name = {cloud.name: cloud for cloud in sim}
    if len(by_name) == len(sim) and by_name.keys() == {cloud.name for cloud in real}:
        return [(cloud, by_name[cloud.name]) for cloud in real]
    return list(zip(real, sim, strict=True))


def with_one_range(*groups: Sequence[FramePair]) -> list[list[FramePair]]:
    """Return the same pairs with ranges that count from the same point in all clouds.

    If every cloud in all groups has ranges as reported by its sensor, the ranges stay. Otherwise,
    each range becomes the distance of the point from the origin of the sensor frame. Reported
    ranges and distances differ by millimetres to centimetres: lasers are not at the origin, and
    Ouster sensors count from within the optics.

    Parameters
    ----------
    groups : sequence of (ScanCloud, ScanCloud)
        Pairs of clouds, one argument for each group, such as real and simulated clouds. They are
        not changed.

    Returns
    -------
    list of list of (ScanCloud, ScanCloud)
        The pairs of each group, in the same order.
    """
    if all(cloud.states_range for frames in groups for pair in frames for cloud in pair):
        return [list(frames) for frames in groups]
    known = {id(cloud): cloud for frames in groups for pair in frames for cloud in pair}
    changed = {key: cloud.from_origin() for key, cloud in known.items()}
    return [[(changed[id(one)], changed[id(other)]) for one, other in frames] for frames in groups]


def chosen_layout(
    sensor: str | None,
    calibration: Path | None,
    clouds: Sequence[ScanCloud],
    *,
    columns: int | None = None,
) -> Layout:
    """Return the layout (rings and columns) of a sensor, or else find it in clouds.

    Parameters
    ----------
    sensor : str or None
        Name of a known sensor.
    calibration : Path or None
        The maker's calibration file of the unit.
    clouds : sequence of ScanCloud
        Clouds in which rings and columns are found if sensor and calibration are None.
    columns : int or None
        Columns per turn, if the sensor offers a choice.

    Raises
    ------
    InputError
        If no rings are found, the sensor has none, or columns are given without sensor and
        calibration.
    ConfigurationError
        If there is no such sensor, or the file cannot be used.
    """
    given = {"preset": sensor, "calibration": calibration and calibration.absolute()}
    keys: dict[str, object] = {name: value for name, value in given.items() if value is not None}
    if not keys:
        if columns is not None:
            raise InputError("--columns: needs --sensor or --calibration, got neither")
        return found_layout(clouds)
    if columns is not None:
        keys["columns"] = columns
    try:
        return sensor_layout(Sensor.model_validate(keys))
    except ValidationError as error:
        raise ConfigurationError(error.errors()[0]["msg"]) from None


def _images(clouds: Sequence[ScanCloud], layout: Layout) -> dict[int, RangeImage]:
    """Return the image of each cloud by `id(cloud)`; a cloud in several pairs has one image."""
    known = {id(cloud): cloud for cloud in clouds}
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        made = pool.map(lambda cloud: range_image(cloud, layout), known.values())
        return dict(zip(known, made, strict=True))


def _with_images(frames: Sequence[FramePair], images: Mapping[int, RangeImage]) -> list[Pair]:
    """Return pairs of clouds with their images; raise InputError for clouds of another sensor."""
    pairs = [
        Pair(real=one, sim=other, real_image=images[id(one)], sim_image=images[id(other)])
        for one, other in frames
    ]
    for pair in pairs:
        for cloud, image in ((pair.real, pair.real_image), (pair.sim, pair.sim_image)):
            outside = count(image.pixel_of_point < 0)
            if outside > MOST_OUTSIDE * len(cloud):
                raise InputError(
                    f"{cloud.name}: {outside} of {len(cloud)} points lie outside the rings and "
                    "columns of the sensor; choose the sensor that made the cloud by --sensor"
                )
    return pairs


def _warn(cloud: ScanCloud, image: RangeImage, layout: Layout) -> None:
    """Warn if a cloud seems to be of another sensor, or has more columns than the image."""
    placed = image.pixel_of_point >= 0
    ring = image.pixel_of_point[placed] // layout.n_column
    elevation_deg, _ = layout.seen_from_head(cloud.points_m[placed], ring)
    off_deg = float(np.median(np.abs(elevation_deg - image.elevation_deg[ring])))
    if off_deg > MOST_OFF_DEG:
        _logger.warning(
            "%s: its rings are %.1f deg off the rings of the sensor; choose another sensor by "
            "--sensor",
            cloud.name,
            off_deg,
        )
        return
    n_first = count(placed if cloud.echo is None else placed & (cloud.echo == 0))
    shared = 1 - count(image.returned) / max(n_first, 1)
    if shared > MOST_SHARED:
        _logger.warning(
            "%s: %.0f %% of the points share a pixel with another point, in an image of %d rings x "
            "%d columns; choose the columns by --columns, or the sensor by --sensor",
            cloud.name,
            100 * shared,
            *image.point.shape,
        )


def _read(path: Path, given: Given = PATH_ALONE) -> Sequence[ScanCloud]:
    """Read clouds; raise InputError if one has no points."""
    clouds = read_clouds(path, metadata=given.metadata, source=given.source)
    for cloud in clouds:
        if not len(cloud):
            raise InputError(f"{path}: {cloud.name} has no points, expected the returns of a scan")
    return clouds


def _matched(
    one: tuple[Path, Sequence[ScanCloud]], other: tuple[Path, Sequence[ScanCloud]]
) -> list[FramePair]:
    """Return pairs of the frames of two sources; they must have equal numbers of frames."""
    if len(one[1]) != len(other[1]):
        raise InputError(
            f"{other[0]}: got {len(other[1])} frames, expected {len(one[1])} as in {one[0]}, one "
            "for each"
        )
    return frame_pairs(one[1], other[1])

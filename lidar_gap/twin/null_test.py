# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The null test: the error of rebuilding a place, without the influence of a real sensor.

The twin is scanned from the poses of the map's frames. A second twin is built from these clouds by
the same stages. Both twins are scanned from the poses of the comparison. A perfect method would
give the same ranges; the difference is the gap of the method, not of the sensor model.

configuration of the twin, poses of the map
  > clouds of the twin, and the twin of these clouds    (building)
  > clouds of both at the poses of the comparison       (folders first and again)
  > ranges by beam, or `osi-lidar gap compare --null`
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from lidar_base.errors import OutputError
from lidar_base.files.own_files import check_names, remove_own
from lidar_base.files.whole_files import make_folder
from lidar_gap.records import ScanCloud
from lidar_gap.twin.building import build
from lidar_gap.twin.files import Product, write_product
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.config import load_config
from osi_lidar.config.models import DEFAULT_SENSOR
from osi_lidar.model import LidarModel
from osi_lidar.run.pose_files import Poses
from osi_lidar.run.poses import carried, passing
from osi_lidar.run.replay import at_each_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from lidar_gap.twin.building import TwinSettings
    from osi_lidar.clouds.cloud import Cloud
    from osi_lidar.config import Config

FIRST, AGAIN = "first", "again"
"""Folders of the clouds of a twin, and of the twin of that twin."""
BY = "gap twin"
"""Mark of a twin's files in the lists of written files, see `lidar_base.files.own_files`."""
_CLOUDS = re.compile(r"\d{6,}\.pcd")


@dataclass(frozen=True, slots=True, kw_only=True)
class NullTest:
    """Ranges of the same beams in a twin and in the twin of that twin.

    Attributes
    ----------
    first_m, again_m : float64 (n_frame, n_beam)
        Range of each beam's nearest point, in the first twin and in the second; NaN without a
        return. [m]
    """

    first_m: NDArray[np.float64]
    again_m: NDArray[np.float64]

    @property
    def median_m(self) -> float:
        """Median absolute range difference of the beams that return in both twins [m]."""
        return float(np.nanmedian(np.abs(self.again_m - self.first_m)))

    @property
    def mae_m(self) -> float:
        """Mean absolute range difference of the beams that return in both twins [m]."""
        return float(np.nanmean(np.abs(self.again_m - self.first_m)))

    @property
    def iou(self) -> float:
        """Number of beams that return in both twins, over the number that return in either."""
        first, again = np.isfinite(self.first_m), np.isfinite(self.again_m)
        return float((first & again).sum() / max((first | again).sum(), 1))


def null_test(
    config: Config,
    map_poses: NDArray[np.float64],
    test_poses: NDArray[np.float64],
    settings: TwinSettings,
    folder: Path | None = None,
) -> NullTest:
    """Build a second twin from simulated clouds of a first twin, and scan both twins.

    Parameters
    ----------
    config : Config
        Configuration for scanning the first twin, with one sensor.
    map_poses : float64 (n_map, 4, 4)
        Poses world_from_sensor at which the first twin is scanned to build the second twin.
    test_poses : float64 (n_frame, 4, 4)
        Poses world_from_sensor at which both twins are scanned, to compare their ranges.
    settings : TwinSettings
        Settings with which the first twin was built.
    folder : Path, optional
        Folder for the clouds of both twins; `make_folders` must have made its folders.

    Raises
    ------
    InputError
        If no point is left for the second map, or no surface is found in it, or Open3D is not
        installed.
    OutputError
        If a cloud cannot be written.
    """
    first, again = (None, None) if folder is None else (folder / FIRST, folder / AGAIN)
    clouds = [cloud for cloud, _ in simulated(config, map_poses)]
    law = replace(settings.law, near_field=((0.0, 1.0),), range_exponent=0.0, counts=None)
    twin = build(clouds, map_poses, replace(settings, law=law))
    product = Product(white=1.0, law=law.incidence, sensor={"preset": DEFAULT_SENSOR})
    with TemporaryDirectory() as place:
        built = load_config(write_product(Path(place) / "again.glb", twin, product))
        rescanned = config.model_copy(update={"scene": built.scene, "materials": built.materials})
        return NullTest(
            first_m=_ranges(config, test_poses, first),
            again_m=_ranges(rescanned, test_poses, again),
        )


def make_folders(folder: Path) -> None:
    """Make the folders of a null test, and remove clouds that an earlier null test wrote.

    Raises
    ------
    OutputError
        If a folder cannot be made, is a link, or has a cloud that no null test wrote or that cannot
        be removed.
    """
    for each in (folder / FIRST, folder / AGAIN):
        if each.is_symlink():
            raise OutputError(f"{each}: is a link, expected a folder")
        check_names(each, _CLOUDS, BY)
        make_folder(each)
        remove_own(each, BY)


def _ranges(config: Config, poses: NDArray[np.float64], folder: Path | None) -> NDArray[np.float64]:
    """Return the ranges of all scans, float64 (n_frame, n_beam), and write their clouds."""
    ranges = []
    for name, cloud, range_m in _scans(config, poses):
        if folder is not None:
            write_pcd(folder / f"{name}.pcd", cloud.points)
        ranges.append(range_m)
    return np.stack(ranges)


def simulated(
    config: Config, world_from_sensor: NDArray[np.float64]
) -> Iterator[tuple[ScanCloud, NDArray[np.float64]]]:
    """Yield the cloud of a configuration's first sensor at each pose, and its ranges by beam.

    Parameters
    ----------
    config : Config
        The configuration; its own poses are not used.
    world_from_sensor : float64 (n, 4, 4)
        Poses of the scans; each scan is taken at an instant.

    Yields
    ------
    ScanCloud
        The points; the intensity column holds reflectivities.
    float64 (n_beam,)
        Range of the nearest point of each beam, NaN without one. [m]
    """
    for name, cloud, ranges in _scans(config, world_from_sensor):
        points = cloud.points
        found = ScanCloud(
            name=name,
            points_m=np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64),
            range_m=points["range"].astype(np.float64),
            states_range=True,
            intensity=points["reflectivity"].copy(),
            ring=points["ring"].astype(np.int32),
            column=points["column"].astype(np.int32),
            normal=np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1),
        )
        yield found, ranges


def _scans(
    config: Config, world_from_sensor: NDArray[np.float64]
) -> Iterator[tuple[str, Cloud, NDArray[np.float64]]]:
    """Yield name, cloud and ranges by beam of the first sensor at each pose."""
    model = LidarModel(carried(at_each_message(config), timed=False))
    for frame in passing(model, Poses(world_from_sensor=world_from_sensor)):
        cloud = model.step(frame).scans[0].cloud
        ranges = np.full(model.lidars[0].pattern.n_beams, np.inf)
        np.minimum.at(ranges, cloud.beam, cloud.points["range"])
        ranges[np.isinf(ranges)] = np.nan
        yield f"{frame.index:06d}", cloud, ranges

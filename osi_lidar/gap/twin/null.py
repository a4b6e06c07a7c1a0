# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The null test: what rebuilding a place alone costs, without any real sensor.

The twin is scanned where the map's frames were recorded, a second twin is built of these clouds by
the same stages, and both are scanned from the poses of the comparison. A perfect method would give
the same ranges; what differs is the method's own gap, not the sensor's.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from osi_lidar.config import load_config
from osi_lidar.config.models import DEFAULT_SENSOR
from osi_lidar.gap.records import ScanCloud
from osi_lidar.gap.twin.building import build
from osi_lidar.gap.twin.files import Product, write_product
from osi_lidar.model import LidarModel
from osi_lidar.run.pose_files import Poses
from osi_lidar.run.poses import carried, passing
from osi_lidar.run.replay import at_each_message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from osi_lidar.config import Config
    from osi_lidar.gap.twin.building import TwinSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class NullTest:
    """Ranges of the same beams in a twin and in the twin of that twin.

    Attributes
    ----------
    first_m, again_m : float64 (n_frame, n_beam)
        Range of each beam's nearest point, NaN where nothing returned. [m]
    """

    first_m: NDArray[np.float64]
    again_m: NDArray[np.float64]

    @property
    def median_m(self) -> float:
        """Median of the absolute difference where both return. [m]."""
        return float(np.nanmedian(np.abs(self.again_m - self.first_m)))

    @property
    def mae_m(self) -> float:
        """Mean of the absolute difference where both return. [m]."""
        return float(np.nanmean(np.abs(self.again_m - self.first_m)))

    @property
    def iou(self) -> float:
        """Beams that return in both, over those that return in either."""
        first, again = np.isfinite(self.first_m), np.isfinite(self.again_m)
        return float((first & again).sum() / max((first | again).sum(), 1))


def null_test(
    config: Config,
    map_poses: NDArray[np.float64],
    test_poses: NDArray[np.float64],
    settings: TwinSettings,
) -> NullTest:
    """Rebuild a twin from its own simulated clouds, and scan both.

    Parameters
    ----------
    config : Config
        Configuration that scans the twin, with one sensor.
    map_poses : float64 (n, 4, 4)
        Poses of the frames that the map is made of.
    test_poses : float64 (n_frame, 4, 4)
        Poses of the frames that are compared.
    settings : TwinSettings
        How the twin was built.
    """
    clouds = [cloud for cloud, _ in simulated(config, map_poses)]
    law = replace(settings.law, near_field=((0.0, 1.0),), range_exponent=0.0)
    twin = build(clouds, map_poses, replace(settings, law=law))
    with TemporaryDirectory() as folder:
        out = Path(folder) / "again.glb"
        product = Product(white=1.0, law=law.incidence, sensor={"preset": DEFAULT_SENSOR})
        again = load_config(write_product(out, twin, product))
        rescanned = config.model_copy(update={"scene": again.scene, "materials": again.materials})
        return NullTest(first_m=_ranges(config, test_poses), again_m=_ranges(rescanned, test_poses))


def _ranges(config: Config, poses: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.stack([range_m for _, range_m in simulated(config, poses)])


def simulated(
    config: Config, world_from_sensor: NDArray[np.float64]
) -> Iterator[tuple[ScanCloud, NDArray[np.float64]]]:
    """Yield the cloud of a configuration's first sensor at each pose, and its ranges by beam.

    Parameters
    ----------
    config : Config
        The configuration; its own poses are not used.
    world_from_sensor : float64 (n, 4, 4)
        Poses, each of a scan at an instant.

    Yields
    ------
    ScanCloud
        The points; intensity is their reflectivity.
    float64 (n_beam,)
        Range of the nearest point of each beam, NaN without one. [m]
    """
    model = LidarModel(carried(at_each_message(config), timed=False))
    for frame in passing(model, Poses(world_from_sensor=world_from_sensor)):
        cloud = model.step(frame).scans[0].cloud
        points = cloud.points
        ranges = np.full(model.lidars[0].pattern.n_beams, np.inf)
        np.minimum.at(ranges, cloud.beam, points["range"])
        ranges[np.isinf(ranges)] = np.nan
        found = ScanCloud(
            name=f"{frame.index:06d}",
            points_m=np.stack([points[axis] for axis in "xyz"], axis=1).astype(np.float64),
            range_m=points["range"].astype(np.float64),
            intensity=points["reflectivity"].copy(),
            ring=points["ring"].astype(np.int32),
            column=points["column"].astype(np.int32),
            normal=np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1),
        )
        yield found, ranges

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pairs of clouds: one definition of the range in all of them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.lib import recfunctions

from lidar_gap.compare import compare
from lidar_gap.compare.report import comparison_tables, report_dict
from lidar_gap.pairing import Sources, read_pairs
from lidar_gap.records import FROM_ORIGIN, REPORTED
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.config import Sensor
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.sensors.presets import preset_names


def scan_file(folder: Path, name: str, share: float = 0.3) -> tuple[Path, Path]:
    """Write returns of a sensor at random ranges, with the sensor's ranges and without."""
    rng = np.random.default_rng(3)
    pattern = scan_pattern(Sensor(name="lidar", preset=name))
    kept = rng.random(pattern.n_beams) < share
    range_m = rng.uniform(2.0, 60.0, pattern.n_beams)
    xyz = (pattern.origin_m + pattern.direction * range_m[:, np.newaxis])[kept].astype("<f4")
    kinds = [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("ring", "<u2"), ("column", "<u2")]
    points = np.empty(len(xyz), [*kinds, ("range", "<f4")])
    points["x"], points["y"], points["z"] = xyz.T
    for key, values in (("ring", pattern.ring), ("column", pattern.column), ("range", range_m)):
        points[key] = values[kept]
    stated, bare = folder / "stated.pcd", folder / "bare.pcd"
    write_pcd(stated, points)
    plain = recfunctions.repack_fields(points[[key for key, _ in kinds]])
    write_pcd(bare, plain)
    return stated, bare


@pytest.mark.long
@pytest.mark.parametrize("name", preset_names())
def test_a_cloud_without_its_ranges_has_those_of_itself(name: str, tmp_path: Path) -> None:
    stated, bare = scan_file(tmp_path, name)
    for real, sim in ((bare, stated), (stated, bare)):
        groups, _ = read_pairs(Sources(real=real, sim=sim, sensor=name))
        (pair,) = groups.sim
        assert groups.ranges == FROM_ORIGIN
        np.testing.assert_array_equal(pair.real_image.range_m, pair.sim_image.range_m)


def test_ranges_that_all_clouds_state_are_compared(tmp_path: Path) -> None:
    stated, bare = scan_file(tmp_path, "OS0-64")
    groups, _ = read_pairs(Sources(real=stated, sim=stated, sensor="OS0-64"))
    (pair,) = groups.sim
    assert groups.ranges == REPORTED
    seen = np.sqrt((pair.real.points_m**2).sum(axis=1))
    assert np.abs(pair.real.range_m - seen).max() > 0.005  # Ouster counts from within the optics
    groups, _ = read_pairs(Sources(real=stated, sim=stated, again=bare, sensor="OS0-64"))
    assert groups.ranges == FROM_ORIGIN
    np.testing.assert_allclose(groups.sim[0].real.range_m, seen)


def test_a_report_says_what_ranges_are_counted_from(tmp_path: Path) -> None:
    stated, bare = scan_file(tmp_path, "VLP-16")
    groups, _ = read_pairs(Sources(real=bare, sim=stated, sensor="VLP-16"))
    found = compare(groups, with_neighbours=False)
    assert report_dict(found, {})["ranges"] == FROM_ORIGIN
    assert comparison_tables(found)[0].title.startswith(f"All frames; ranges {FROM_ORIGIN}; rings")


def test_some_rows_of_a_cloud_keep_its_kind_of_range(tmp_path: Path) -> None:
    stated, _ = scan_file(tmp_path, "VLP-16")
    groups, _ = read_pairs(Sources(real=stated, sim=stated, sensor="VLP-16"))
    cloud = groups.sim[0].sim
    assert cloud.rows(np.arange(5)).states_range
    assert not cloud.from_origin().states_range
    assert not replace(cloud, states_range=False).rows(np.arange(5)).states_range

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Beams through panes: where they end, what comes back, and that nothing else changes."""

import numpy as np
import pytest
from scipy.optimize import brentq

from material_mapping import MaterialEntry, MaterialTable
from material_mapping.classes import GLASS
from osi_lidar.scan.light_path import MOST_PANES
from osi_lidar.scan.light_path_kernels import send_on
from raycore.records import HitArrays
from tests.builders.clouds import points_before, points_seen
from tests.builders.meshes import quad
from tests.builders.panes import once_through
from tests.builders.threads import kernel_threads
from tests.builders.worlds import FAN, model_before

WALL_M = 20.0
LIMIT_DEG = brentq(lambda angle_deg: once_through(angle_deg, 1.5) - 0.5, 70.0, 85.0)
"""Angle from which on a pane of n = 1.5 mirrors more than half of the light."""
CLOSE = 0.002
"""How far tables at whole degrees are from Fresnel between them, at most."""


def two_way(angle_deg, index=1.5):
    """Return the transmittance of a pane, there and back."""
    return once_through(angle_deg, index) ** 2


@pytest.mark.parametrize("turn_deg", [0.5, 30.5, 60.5, 75.5, 78.5])
def test_what_is_behind_a_pane_comes_back_with_what_passes_there_and_back(tmp_path, turn_deg):
    surfaces = [(quad(5.0, turn_deg), "Pane"), (quad(WALL_M), "Wall")]
    (point,) = points_before(tmp_path, surfaces)
    assert point["range"] == pytest.approx(WALL_M, abs=1e-5)
    assert point["reflectivity"] == pytest.approx(0.8 * two_way(turn_deg), rel=CLOSE)
    assert point["intensity"] == pytest.approx(80.0 * two_way(turn_deg), rel=CLOSE)


@pytest.mark.parametrize("turn_deg", [LIMIT_DEG + 0.5, 85.0, 89.5])
def test_a_beam_ends_at_a_pane_beyond_its_limit_angle_without_a_point(tmp_path, turn_deg):
    surfaces = [(quad(5.0, turn_deg), "Pane"), (quad(WALL_M), "Wall")]
    assert len(points_before(tmp_path, surfaces)) == 0


@pytest.mark.parametrize("index", [1.33, 1.5, 1.515, 1.9])
def test_shares_between_degrees_are_those_of_fresnel(index):
    angle_deg = np.arange(890) * 0.1
    glass = MaterialEntry(name="g", material_class=GLASS, refractive_index=lambda _nm: index)
    table = MaterialTable.build([glass])
    once = np.array([once_through(each, index) for each in angle_deg])
    np.testing.assert_allclose(shares(table.transmittance, 0.0, angle_deg), once**2, rtol=CLOSE)
    mirrored = shares(table.ghost, 0.0, angle_deg)
    np.testing.assert_allclose(mirrored, (1.0 - once) ** 2, rtol=CLOSE)
    ideal = shares(table.transmittance, table.least_passed[0], angle_deg)
    expected = np.where(once >= 0.5, once**2, 0.0)
    sure = np.abs(once - 0.5) > CLOSE
    np.testing.assert_allclose(ideal[sure], expected[sure], rtol=CLOSE)


def test_the_limit_angle_is_that_of_fresnel(tmp_path):
    surfaces = [(quad(5.0, LIMIT_DEG - 0.01), "Pane"), (quad(WALL_M), "Wall")]
    assert len(points_before(tmp_path, surfaces)) == 1
    surfaces = [(quad(5.0, LIMIT_DEG + 0.01), "Pane"), (quad(WALL_M), "Wall")]
    assert len(points_before(tmp_path, surfaces)) == 0


def shares(fraction, least, angle_deg):
    """Return what goes straight on of hits at some angles."""
    n = len(angle_deg)
    cosine, none = np.cos(np.radians(angle_deg)).astype(np.float32), np.zeros(n, np.uint32)
    hits = HitArrays(np.ones(n, np.float32), np.ones((3, n), np.float32), cosine, none, none)
    share, mirrored, both = np.empty(n, np.float32), np.empty(n, np.bool_), np.empty(n, np.bool_)
    one, least = np.zeros(1, np.int64), np.full(1, least, np.float32)
    send_on(
        one, one.astype(np.uint16), np.ones(1, np.bool_), fraction, least,
        np.zeros_like(fraction), hits, np.zeros(n, np.bool_), share, mirrored, both,
    )  # fmt: skip
    return share


def test_there_is_never_a_point_on_a_pane(tmp_path):
    assert len(points_before(tmp_path, [(quad(5.0), "Pane")], **FAN)) == 0


@pytest.mark.parametrize("n_panes", [2, 5, MOST_PANES])
def test_each_of_several_panes_takes_its_part(tmp_path, n_panes):
    panes = [(quad(5.0 + 0.3 * number), f"Pane{number}") for number in range(n_panes)]
    (point,) = points_before(tmp_path, [*panes, (quad(WALL_M), "Wall")])
    assert point["range"] == pytest.approx(WALL_M, abs=1e-5)
    assert point["reflectivity"] == pytest.approx(0.8 * two_way(0) ** n_panes, rel=1e-5)


def test_a_beam_ends_after_the_most_panes_that_it_may_pass(tmp_path):
    panes = [(quad(5.0 + 0.3 * number), "Pane") for number in range(MOST_PANES + 1)]
    assert len(points_before(tmp_path, [*panes, (quad(WALL_M), "Wall")])) == 0


def test_two_surfaces_of_a_thin_pane_are_both_passed(tmp_path):
    surfaces = [(quad(5.0), "Pane"), (quad(5.004), "Pane"), (quad(WALL_M), "Wall")]
    (point,) = points_before(tmp_path, surfaces)
    assert point["reflectivity"] == pytest.approx(0.8 * two_way(0) ** 2, rel=1e-5)


def test_what_lies_close_behind_a_pane_is_still_met(tmp_path):
    surfaces = [(quad(5.0), "Pane"), (quad(5.001), "Wall")]
    (point,) = points_before(tmp_path, surfaces)
    assert point["range"] == pytest.approx(5.001, abs=1e-5)


@pytest.mark.parametrize("pane_m", [0.2, 5.0, 150.0])
def test_beams_through_panes_have_the_ranges_that_they_have_without_them(tmp_path, pane_m):
    wall = (quad(500.0, 20.0, half_m=900.0), "Wall")
    bare = points_before(tmp_path, [wall], **FAN)
    seen = points_before(tmp_path, [(quad(pane_m, half_m=900.0), "Pane"), wall], **FAN)
    assert len(bare) == len(seen) > 5000
    for field in ("ring", "column", "material_id"):
        np.testing.assert_array_equal(seen[field], bare[field])
    for field in ("range", "x", "y", "z"):  # two steps of float32: other packets may be formed
        np.testing.assert_allclose(seen[field], bare[field], rtol=2.5e-7, atol=1e-5)
    assert (seen["reflectivity"] < bare["reflectivity"]).all()


def test_beams_beside_a_pane_are_untouched_and_all_stay_in_the_order_of_their_beams(tmp_path):
    wall = (quad(WALL_M), "Wall")
    bare = points_before(tmp_path, [wall], **FAN)
    seen = points_before(tmp_path, [(quad(5.0, half_m=1.0), "Pane"), wall], **FAN)
    np.testing.assert_array_equal(seen["column"], bare["column"])
    np.testing.assert_array_equal(seen["ring"], bare["ring"])
    behind = (np.abs(5 * bare["y"] / bare["x"]) < 1) & (np.abs(5 * bare["z"] / bare["x"]) < 1)
    assert 100 < behind.sum() < len(bare) - 1000
    np.testing.assert_array_equal(seen[~behind], bare[~behind])
    assert (seen["reflectivity"][behind] < 0.93 * bare["reflectivity"][behind]).all()


def test_panes_and_surfaces_that_are_not_there_go_together(tmp_path):
    rules = {"Pane": "pane", "Air": "transparent", "Black": "absorber", "Wall": "lambertian_80"}
    order = [(quad(3.0), "Air"), (quad(5.0), "Pane"), (quad(7.0), "Air"), (quad(9.0), "Pane")]
    (point,) = points_before(tmp_path, [*order, (quad(WALL_M), "Wall")], rules=rules)
    assert point["reflectivity"] == pytest.approx(0.8 * two_way(0) ** 2, rel=1e-5)
    end = [(quad(12.0), "Black"), (quad(WALL_M), "Wall")]
    assert len(points_before(tmp_path, [*order, *end], rules=rules)) == 0


def test_a_pane_nearer_than_the_nearest_range_is_passed(tmp_path):
    surfaces = [(quad(0.5), "Pane"), (quad(WALL_M), "Wall")]
    (point,) = points_before(tmp_path, surfaces, min_range_m=2.0)
    assert point["range"] == pytest.approx(WALL_M, abs=1e-5)


@pytest.mark.parametrize("pane_m", [0.0005, 20.0, 21.99999, 22.0])
def test_a_pane_right_before_the_sensor_or_at_its_farthest_range_does_no_harm(tmp_path, pane_m):
    surfaces = [(quad(pane_m), "Pane"), (quad(21.0), "Wall")]
    (point,) = points_before(tmp_path, surfaces, max_range_m=22.0)
    assert point["range"] == pytest.approx(21.0, abs=1e-5)


def test_a_range_limit_counts_what_the_pane_leaves(tmp_path):
    """80 % is seen to 100 m; behind a pane it counts as 80 * 0.852 = 68 %: to 94.6 m."""
    limit = {"pairs": [[10, 60], [80, 100]], "fit": "linear"}
    limit_m = 60.0 + (80.0 * two_way(0) - 10.0) * 40.0 / 70.0
    for wall_m, expected in ((limit_m - 0.01, 1), (limit_m + 0.01, 0)):
        surfaces = [(quad(5.0), "Pane"), (quad(wall_m), "Wall")]
        assert len(points_before(tmp_path, surfaces, range_limit=limit)) == expected
        assert len(points_before(tmp_path, surfaces[1:], range_limit=limit)) == 1


def test_each_sensor_has_the_pane_of_its_own_wavelength(tmp_path):
    define = {
        "pane": {"class": "glass", "refractive_index": {905: 1.5, 1550: 2.5}},
    }
    beam = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0]]}}
    sensors = [{"name": f"s{nm}", "wavelength_nm": nm, **beam} for nm in (905, 1550)]
    surfaces = [(quad(5.0), "Pane"), (quad(WALL_M), "Wall")]
    found = points_seen(model_before(tmp_path, surfaces, define=define, sensors=sensors))
    expected = [0.8 * two_way(0, index) for index in (1.5, 2.5)]
    assert [float(points["reflectivity"][0]) for points in found] == pytest.approx(expected)


def test_threads_do_not_change_a_bit_behind_panes(tmp_path):
    surfaces = [
        (quad(4.0, 40.0, half_m=2.0), "Pane"),
        (quad(6.0, -30.0, half_m=3.0), "Pane"),
        (quad(WALL_M), "Wall"),
    ]
    with kernel_threads(2):
        many = points_before(tmp_path, surfaces, **FAN)
    with kernel_threads(1):
        one = points_before(tmp_path, surfaces, **FAN)
    assert len(many) > 5000
    np.testing.assert_array_equal(one, many)


def test_a_step_without_a_pane_has_no_second_tracing(tmp_path):
    model = model_before(tmp_path, [(quad(WALL_M), "Wall")])
    assert not model.world.library.slots.has_panes
    assert len(points_seen(model)[0]) == 1

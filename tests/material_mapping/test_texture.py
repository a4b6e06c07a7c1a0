# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Texture of materials: distribution, variogram, reproducibility, and what a file may state."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from material_mapping import MappingError, MaterialTable, builtin_materials, load_mapping
from material_mapping.texture import Texture, texture_rows

N = 60_000
TWO_SCALES = Texture(spread=0.5, scales=((0.4, 0.2), (0.6, 1.0)))


@pytest.fixture
def places_m():
    return np.random.default_rng(1).uniform(-500.0, 500.0, (N, 3))


def beside(places_m, distance_m, seed=2):
    """Places at a distance from others, in all directions."""
    way = np.random.default_rng(seed).normal(size=places_m.shape)
    return places_m + distance_m * way / np.linalg.norm(way, axis=1, keepdims=True)


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0])
def test_gains_are_lognormal_with_mean_1(places_m, spread):
    texture = Texture(spread=spread, scales=((1.0, 0.3),))
    logarithm = np.log(texture.gains(places_m))
    assert logarithm.std() == pytest.approx(spread, rel=0.02)
    assert logarithm.mean() == pytest.approx(-0.5 * spread**2, abs=4 * spread / np.sqrt(N))
    assert np.exp(logarithm).mean() == pytest.approx(1.0, abs=0.02 * max(spread, 0.3))
    centred = (logarithm - logarithm.mean()) / logarithm.std()
    share = [(centred < limit).mean() for limit in (-2.0, -1.0, 0.0, 1.0, 2.0)]
    assert_allclose(share, (0.0228, 0.1587, 0.5, 0.8413, 0.9772), atol=0.006)


@pytest.mark.parametrize("distance_m", [0.02, 0.1, 0.2, 0.4, 0.7, 1.0, 1.5, 3.0])
def test_the_variogram_is_the_stated_one(places_m, distance_m):
    here = np.log(TWO_SCALES.gains(places_m))
    there = np.log(TWO_SCALES.gains(beside(places_m, distance_m)))
    found = 0.5 * np.mean((here - there) ** 2)
    stated = TWO_SCALES.spread**2 * (1.0 - TWO_SCALES.correlation(distance_m))
    assert found == pytest.approx(stated, abs=0.02 * TWO_SCALES.spread**2)


@pytest.mark.parametrize("axis", range(3))
def test_along_the_axes_of_the_lattice_it_is_nearly_so(places_m, axis):
    texture, step = Texture(spread=1.0, scales=((1.0, 1.0),)), np.zeros(3)
    here = np.log(texture.gains(places_m))
    for distance_m in (0.3, 0.7, 1.0, 1.4, 2.0):
        step[axis] = distance_m
        there = np.log(texture.gains(places_m + step))
        found = np.corrcoef(here, there)[0, 1]
        assert found == pytest.approx(texture.correlation(distance_m), abs=0.045)


def test_keys_and_places_far_away_are_independent(places_m):
    logarithm = np.log(TWO_SCALES.gains(places_m, key=1))
    for other in (TWO_SCALES.gains(places_m, key=2), TWO_SCALES.gains(places_m + 50.0, key=1)):
        assert abs(np.corrcoef(logarithm, np.log(other))[0, 1]) < 0.02


def test_the_field_is_continuous_and_the_same_far_from_the_origin():
    """In a map of UTM coordinates too: a millimetre further on, the texture is the same."""
    for origin_m in (0.0, 5.4e6):
        row = np.zeros((20_000, 3))
        row[:, 0] = origin_m + np.arange(20_000) * 1e-3
        logarithm = np.log(TWO_SCALES.gains(row))
        assert np.abs(np.diff(logarithm)).max() < 0.02
        assert logarithm.std() > 0.2


def test_the_digits_are_the_same_on_every_machine():
    places_m = np.array([[0.1, 0.2, 0.3], [-7.5, 3.25, 0.0], [1234.5, -987.25, 12.125]])
    expected = [0.9253433638688497, 0.25455331434136835, 1.1231189336033016]
    assert_array_equal(TWO_SCALES.gains(places_m, key=12345), expected)


def test_a_table_has_rows_of_textures_only_where_a_material_has_one():
    plain = builtin_materials()["lambertian_50"]
    assert MaterialTable.build([plain]).texture.shape == (0, 8)
    assert texture_rows([None, TWO_SCALES]).shape == (2, 8)
    assert_array_equal(texture_rows([None, TWO_SCALES])[0], np.zeros(8))


def test_a_texture_may_keep_the_median(places_m):
    """The same field, brighter by exp(s^2 / 2)."""
    median = replace(TWO_SCALES, keeps="median")
    assert np.median(median.gains(places_m)) == pytest.approx(1.0, abs=0.02)
    brighter = median.gains(places_m) / TWO_SCALES.gains(places_m)
    assert_allclose(brighter, np.exp(0.5 * TWO_SCALES.spread**2), rtol=1e-9)
    assert median.words.endswith("keeps the median")


def test_materials_that_state_no_texture_take_the_given_one():
    """But for those of other classes, and for `concrete`, which has its own."""
    known = builtin_materials()
    names = ("concrete", "lambertian_50", "mirror", "transparent")
    table = MaterialTable.build([known[name] for name in names], texture=TWO_SCALES)
    own, given, *others = table.texture
    assert own[0] == known["concrete"].texture.spread
    assert_array_equal(given, texture_rows([TWO_SCALES])[0])
    assert not np.any(others)


@pytest.mark.parametrize(
    ("texture", "problem"),
    [
        ("{spread: 3, correlation_m: 1}", "define.a: texture.spread: got 3, expected 0 to 2"),
        ("{spread: 0.4}", "define.a.texture.correlation_m: is missing"),
        ("{spread: much, correlation_m: 1}", "define.a.texture.spread: got 'much', expected a"),
        (
            "{spread: 1, correlation_m: 0}",
            "define.a: texture.correlation_m: got a length of 0 m, expected 0.001 to 1000",
        ),
        (
            "{spread: 1, correlation_m: [[0.4, 1], [0.5, 2]]}",
            "define.a: texture.correlation_m: shares sum to 0.9, expected 1",
        ),
        (
            "{spread: 1, correlation_m: [[0.5, 1], [0.500002, 2]]}",
            "define.a: texture.correlation_m: shares sum to 1.000002, expected 1",
        ),
        (
            "{spread: 1, correlation_m: [[-0.5, 1], [1.5, 2]]}",
            "define.a: texture.correlation_m: got a share of -0.5, expected above 0, at most 1",
        ),
        (
            "{spread: 1, correlation_m: [1, 2]}",
            r"define.a.texture.correlation_m\[0\]: got 1, expected \[share, correlation length",
        ),
        ("{spread: 1, correlation_m: []}", "texture.correlation_m: got 0 lengths, expected 1 to 3"),
        ("rough", "define.a.texture: expected keys and values, got 'rough'"),
        ("{spread: 1, correlation_m: 1, keeps: mode}", "define.a.texture.keeps: "),
        ("{spread: 1, correlation_m: 1, seed: 4}", "define.a.texture.seed: unknown key"),
    ],
)
def test_a_problem_of_a_texture_is_told_with_its_key(tmp_path, texture, problem):
    file = tmp_path / "mapping.yaml"
    file.write_text(f"define:\n  a: {{reflectance: 0.3, texture: {texture}}}\n")
    with pytest.raises(MappingError, match=problem):
        load_mapping(file)


def test_a_material_that_reflects_nothing_has_no_texture(tmp_path):
    file = tmp_path / "mapping.yaml"
    file.write_text("define:\n  a: {class: transparent, texture: {spread: 1, correlation_m: 1}}\n")
    with pytest.raises(MappingError, match="a material of class transparent takes no texture"):
        load_mapping(file)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection models: reciprocity, energy, limits, and values that are known by hand.

Every model is reciprocal as a function of two directions; an angle table knows only one direction,
so reciprocity says nothing of it.
"""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from material_mapping import MaterialError
from material_mapping.optics.microfacet import coated, ggx, ggx_albedo
from material_mapping.optics.reflection import (
    angle_table,
    lambert,
    oren_nayar,
    phong,
    reflectivity,
    retroreflective,
)
from tests.builders.strategies import REFRACTIVE_INDICES

DEG = math.pi / 180
MIRROR, BACK = -1, 1

fractions = st.floats(0.0, 1.0)
steep = st.floats(0.0, 89.9 * DEG)
indices = {"n": REFRACTIVE_INDICES, "k": st.one_of(st.just(0.0), st.floats(0.0, 10.0))}


@st.composite
def models(draw):
    """Return a model with its parameters, and where its lobe points and how wide it is."""
    name = draw(st.sampled_from(["lambert", "phong", "oren_nayar", "ggx", "coated", "retro"]))
    reflectance = draw(fractions)
    if name == "lambert":
        return partial(lambert, reflectance=reflectance), BACK, 0.5
    if name == "oren_nayar":
        reflectance = min(reflectance, 0.985)
        roughness = draw(st.floats(0.0, 2.0))
        return partial(oren_nayar, reflectance=reflectance, roughness_rad=roughness), BACK, 0.5
    if name == "phong":
        exponent = draw(st.floats(1.0, 300.0))
        parameters = {"specularity": draw(fractions), "back_lobe": draw(st.booleans())}
        model = partial(phong, reflectance=reflectance, specular_exponent=exponent, **parameters)
        return model, MIRROR, 1.0 / math.sqrt(exponent)
    if name == "retro":
        lobe = draw(st.floats(0.1, 5.0)) * DEG
        coefficient = 0.999 * draw(fractions) / (math.pi * lobe**2)
        fall_off = draw(st.floats(20.0, 60.0)) * DEG
        parameters = {"coefficient_cd_lx_m2": coefficient, "fall_off_rad": fall_off}
        return partial(retroreflective, lobe_rad=lobe, **parameters), BACK, lobe
    parameters = {"roughness": draw(st.floats(0.02, 1.0))}
    parameters |= {key: draw(values) for key, values in indices.items()}
    if name == "ggx":
        return partial(ggx, **parameters), MIRROR, parameters["roughness"]
    # few boundaries, as the albedo of each is integrated once
    parameters = {"roughness": draw(st.sampled_from([0.05, 0.4, 1.0])), "n": 1.5}
    return partial(coated, reflectance=reflectance, **parameters), MIRROR, parameters["roughness"]


def albedo(brdf, theta, side, width, nodes=24):
    """Return the integral of f cos(theta_o), in polar coordinates about the lobe's axis."""
    edges = [0.0]
    while edges[-1] < math.pi:
        edges.append(min(math.pi, max(width, 2.0 * edges[-1]), edges[-1] + 0.3))
    node, weight = np.polynomial.legendre.leggauss(nodes)
    low, high = np.array(edges[:-1])[:, None], np.array(edges[1:])[:, None]
    away = (0.5 * (high + low) + 0.5 * (high - low) * node).ravel()[:, None]
    share = (0.5 * (high - low) * weight).ravel()
    turn = (np.arange(4 * nodes) + 0.5) * 2.0 * math.pi / (4 * nodes)
    across, aside, along = np.sin(away) * np.cos(turn), np.sin(away) * np.sin(turn), np.cos(away)
    x = along * side * math.sin(theta) + across * math.cos(theta)
    z = along * math.cos(theta) - across * side * math.sin(theta)
    f = brdf(theta, np.arccos(np.clip(z, -1.0, 1.0)), np.arctan2(aside, x))
    inner = (f * np.maximum(z, 0.0)).mean(axis=1) * 2.0 * math.pi
    return float(np.sum(inner * np.sin(away[:, 0]) * share))


@settings(deadline=None, max_examples=200)
@given(models(), steep, steep, st.floats(-math.pi, math.pi))
def test_light_takes_both_ways_alike(model, theta_i, theta_o, azimuth):
    there = model[0](theta_i, theta_o, azimuth)
    assert model[0](theta_o, theta_i, -azimuth) == pytest.approx(there, rel=1e-12, abs=1e-300)
    assert there >= 0.0


@settings(deadline=None, max_examples=100)
@given(models(), steep)
def test_no_more_light_is_sent_back_than_came(model, theta):
    assert albedo(model[0], theta, *model[1:]) <= 1.0 + 1e-3


@pytest.mark.parametrize(
    ("model", "side", "width"),
    [
        (partial(phong, reflectance=1.0, specularity=1.0, specular_exponent=1.0), MIRROR, 0.5),
        (partial(phong, reflectance=1.0, specularity=1.0, specular_exponent=100.0), MIRROR, 0.1),
        (partial(oren_nayar, reflectance=0.985, roughness_rad=12 * DEG), BACK, 0.5),
        (partial(ggx, roughness=0.02, n=0.2, k=10.0), MIRROR, 0.02),
        (partial(ggx, roughness=1.0, n=0.2, k=10.0), MIRROR, 0.5),
        (partial(coated, reflectance=1.0, roughness=0.05, n=2.0), MIRROR, 0.05),
        (partial(retroreflective, coefficient_cd_lx_m2=4177.0), BACK, 0.5 * DEG),
    ],
    ids=lambda value: value.func.__name__ if isinstance(value, partial) else "",
)
def test_the_brightest_surface_of_each_kind_sends_back_no_more_than_came(model, side, width):
    sent = [albedo(model, theta * DEG, side, width) for theta in (0, 30, 60, 80, 89, 89.9)]
    assert max(sent) <= 1.0 + 1e-3


def test_a_white_lambertian_surface_sends_all_light_back_and_its_reflectivity_is_the_cosine():
    assert albedo(partial(lambert, reflectance=1.0), 0.7, BACK, 0.5) == pytest.approx(1, abs=1e-4)
    theta = np.radians([0.0, 30.0, 60.0, 80.0])
    assert reflectivity(lambert, theta, reflectance=0.8) == pytest.approx(0.8 * np.cos(theta))


@pytest.mark.parametrize(
    "model",
    [
        partial(lambert, reflectance=0.5),
        partial(phong, reflectance=0.5, specularity=0.5),
        partial(oren_nayar, reflectance=0.5, roughness_rad=0.3),
        partial(ggx, roughness=0.3, n=1.5),
        partial(coated, reflectance=0.5, roughness=0.4),
        partial(retroreflective, coefficient_cd_lx_m2=70.0),
    ],
    ids=lambda model: model.func.__name__,
)
def test_a_surface_sends_nothing_back_from_behind_and_shapes_are_kept(model):
    behind = np.radians([[91.0, 120.0, 180.0], [-95.0, math.nan, math.inf]])
    assert not model(behind, 0.3, 0.0).any()
    assert not model(0.3, behind, 0.0).any()
    assert not model(0.3, 0.3, math.nan)
    assert not reflectivity(model, behind).any()
    assert reflectivity(model, behind).shape == (2, 3)
    assert np.isfinite(reflectivity(model, np.radians([0.0, 89.999, 90.0]))).all()


def test_phong_gives_what_helios_computes():
    parameters = {"reflectance": 0.8, "specularity": 0.5, "specular_exponent": 10.0}
    theta = np.radians([0.0, 30.0, 60.0, 90.0])
    # 0.8 (0.5 cos(theta) + 0.5 |cos(2 theta)|^10), as EnergyMaths.cpp has it; |cos(60 deg)| = 0.5
    small = 0.5 * 0.5**10
    expected = 0.8 * np.array([1.0, 0.5 * math.cos(theta[1]) + small, 0.25 + small, 0.5])
    assert reflectivity(phong, theta, **parameters) == pytest.approx(expected)
    forward = reflectivity(phong, theta, **parameters, back_lobe=False)
    assert forward == pytest.approx([expected[0], expected[1], 0.2, 0.0], abs=1e-15)


def test_phong_sends_into_the_mirrored_direction():
    mirror = {"reflectance": 0.8, "specularity": 1.0, "specular_exponent": 2.0}
    # the lobe's axis is 0 deg away, or 30 deg; the longer cosine is that of 60 deg, or 30 deg
    there = phong(60 * DEG, [60 * DEG, 30 * DEG], math.pi, **mirror)
    assert there == pytest.approx(0.8 / math.pi * np.array([1 / 0.5, 0.75 / math.sqrt(0.75)]))


def test_phong_without_specularity_is_lambert():
    there = phong(0.3, [0.0, 1.0, 1.5], 2.0, reflectance=0.7, specularity=0.0)
    assert there == pytest.approx(np.full(3, 0.7 / math.pi))


def test_oren_nayar_without_roughness_is_lambert():
    there = oren_nayar([0.0, 0.7, 1.5], 1.2, 0.5, reflectance=0.7, roughness_rad=0.0)
    assert there == pytest.approx(np.full(3, 0.7 / math.pi))


def test_oren_nayar_has_the_values_worked_out_by_hand():
    rough = {"reflectance": 0.9, "roughness_rad": 30 * DEG}
    # s^2 = 0.274156, A = 1 - 0.5 s^2 / 0.604156 = 0.773109, B = 0.45 s^2 / 0.364156 = 0.338784
    expected = 0.9 * np.array([0.773109, 0.773109 * 0.5 + 0.338784 * 0.75])
    assert reflectivity(oren_nayar, [0.0, 60 * DEG], **rough) == pytest.approx(expected, abs=2e-6)
    beside = oren_nayar(50 * DEG, 70 * DEG, 90 * DEG, **rough)
    assert beside == pytest.approx(0.9 * 0.773109 / math.pi, abs=2e-6)
    # sin(70 deg) tan(50 deg) cos(60 deg) = 0.559935
    oblique = oren_nayar(50 * DEG, 70 * DEG, 60 * DEG, **rough)
    expected = 0.9 / math.pi * (0.773109 + 0.338784 * 0.559935)
    assert oblique == pytest.approx(expected, abs=2e-6)


def test_oren_nayar_sends_back_at_most_1_5_percent_more_than_its_reflectance():
    grazing = [
        albedo(partial(oren_nayar, reflectance=0.98, roughness_rad=s * DEG), 89.99 * DEG, BACK, 0.5)
        for s in (5, 12, 30)
    ]
    # A + B/2 of the docstring
    assert grazing == pytest.approx([0.98 * a for a in (1.0063, 1.0151, 0.9425)], abs=1e-3)


def test_ggx_at_the_normal_is_fresnel_over_four_roughness_squared():
    back = reflectivity(ggx, 0.0, roughness=0.25, n=1.5)
    assert back == pytest.approx(0.04 / (4 * 0.25**2), rel=1e-12)
    # at 45 deg: tan = 1, D = a^2 / (pi cos^4 (a^2 + 1)^2), G = 2 / (1 + sqrt(1 + a^2)), a = 0.5
    d = 0.25 / (math.pi * 0.25 * 1.25**2)
    g = 2 / (1 + math.sqrt(1.25))
    expected = 0.04 * d * g**2 * math.pi / (4 * math.cos(math.pi / 4))
    assert reflectivity(ggx, math.pi / 4, roughness=0.5, n=1.5) == pytest.approx(expected)


@pytest.mark.parametrize("roughness", [0.02, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("index", [{"n": 1.5}, {"n": 1.37, "k": 7.6}])
def test_albedo_of_ggx_by_visible_facets_is_that_by_directions(roughness, index):
    model = partial(ggx, roughness=roughness, **index)
    theta = np.radians([0.0, 20.0, 50.0, 75.0])
    expected = [albedo(model, angle, MIRROR, roughness, nodes=40) for angle in theta]
    assert ggx_albedo(theta, roughness=roughness, **index) == pytest.approx(expected, abs=1e-3)


def test_albedo_of_a_nearly_smooth_boundary_is_fresnels():
    # glass at 0 and at Brewster's angle: 0.04 and ((1 - n^2) / (1 + n^2))^2 / 2
    smooth = ggx_albedo([0.0, math.atan(1.5)], roughness=0.002, n=1.5)
    assert smooth == pytest.approx([0.04, 0.5 * (1.25 / 3.25) ** 2], abs=1e-4)


@settings(deadline=None, max_examples=12)
@given(fractions, steep, st.sampled_from([0.05, 0.4, 1.0]))
def test_a_coated_base_sends_back_its_part_of_what_the_coat_lets_in(reflectance, theta, roughness):
    model = partial(coated, reflectance=reflectance, roughness=roughness)
    mirrored = float(ggx_albedo(theta, roughness=roughness, n=1.5))
    expected = mirrored + (1.0 - mirrored) * reflectance
    assert albedo(model, theta, MIRROR, roughness, nodes=48) == pytest.approx(expected, abs=1e-3)


def test_a_coat_of_air_is_no_coat():
    there = coated([0.0, 1.0], [0.5, 1.5], 0.3, reflectance=0.6, roughness=0.2, n=1.0)
    assert there == pytest.approx(np.full(2, 0.6 / math.pi), rel=1e-12)


def test_a_black_coated_base_leaves_the_glint():
    theta = np.radians([0.0, 10.0, 40.0])
    paint = reflectivity(coated, theta, reflectance=0.0, roughness=0.1)
    assert paint.tolist() == reflectivity(ggx, theta, roughness=0.1, n=1.5).tolist()


def test_sheeting_falls_off_with_the_entrance_angle_as_its_law_says():
    sheet = {"coefficient_cd_lx_m2": 70.0}
    theta = np.radians([0.0, 30.0, 60.0, 75.0, 90.0])
    at_30 = math.pi * 70 * math.exp(-900 / 2220) / math.cos(30 * DEG)
    at_60 = math.pi * 70 * math.exp(-3600 / 2220) / 0.5
    expected = [math.pi * 70, at_30, at_60, 0.5 * at_60, 0.0]
    assert reflectivity(retroreflective, theta, **sheet) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("fall_off_deg", "lobe_deg", "entrance", "observation"),
    [
        (32.3, 0.50, (70, 30), (70, 30)),  # ASTM D4956 type I, white
        (41.6, 0.47, (250, 150), (250, 95)),  # type III
    ],
    ids=["type I", "type III"],
)
def test_sheeting_has_the_ratios_of_the_standard(fall_off_deg, lobe_deg, entrance, observation):
    sheet = {"fall_off_rad": fall_off_deg * DEG, "lobe_rad": lobe_deg * DEG}
    model = partial(retroreflective, coefficient_cd_lx_m2=100.0, **sheet)
    # R_A = f cos(theta_i) cos(theta_o), at 4 and 30 deg, straight back
    at_4, at_30 = (float(model(b * DEG, b * DEG, 0.0)) * math.cos(b * DEG) ** 2 for b in (4, 30))
    assert at_30 / at_4 == pytest.approx(entrance[1] / entrance[0], rel=0.01)
    near, far = (float(model(4 * DEG, (4 + g) * DEG, 0.0)) for g in (0.2, 0.5))
    assert far / near == pytest.approx(observation[1] / observation[0], rel=0.02)


NINE = {"table_deg": np.arange(0, 90, 10), "table_reflectivity": np.arange(9.0, 0.0, -1.0)}
ANGLES = [0.0, 9.99, 10.0, 79.9, 80.0, 89.9, 90.0]


@pytest.mark.parametrize(
    ("lookup", "expected"),
    [
        ("floor", [9, 9, 8, 2, 1, 1, 1]),
        ("nearest", [9, 8, 8, 1, 1, 1, 1]),
        ("linear", [9, 8.001, 8, 1.01, 1, 0.01, 0]),  # from 1 at 80 deg to 0 at 90
    ],
)
def test_nine_bins_cover_0_to_90_degrees(lookup, expected):
    assert angle_table(ANGLES, **NINE, lookup=lookup) == pytest.approx(expected)


def test_half_way_between_two_angles_the_larger_one_is_nearest():
    assert angle_table([4.99, 5.0, 5.01], **NINE, lookup="nearest").tolist() == [9, 8, 8]


def test_a_table_holds_its_first_value_below_its_first_angle_and_nothing_beyond_90_degrees():
    table = {"table_deg": [20.0, 90.0], "table_reflectivity": [0.6, 0.2]}
    for lookup in ("floor", "nearest", "linear"):
        found = angle_table([0.0, 19.9, 90.0, 90.1, -1.0, math.nan], **table, lookup=lookup)
        assert found.tolist() == [0.6, 0.6, 0.2, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (partial(lambert, reflectance=1.1), "lambert: reflectance is 1.1, expected 0 to 1"),
        (partial(lambert, reflectance=math.nan), "reflectance is nan"),
        (partial(phong, reflectance=0.5, specularity=-1), "specularity is -1, expected 0 to 1"),
        (
            partial(phong, reflectance=0.5, specularity=1, specular_exponent=0.5),
            "specular_exponent is 0.5, expected 1 or more",
        ),
        (
            partial(oren_nayar, reflectance=1.0, roughness_rad=0.2),
            (
                "reflectance 1 with roughness_rad 0.2 reflects more light than it receives,"
                " expected at"
            ),
        ),
        (partial(oren_nayar, reflectance=0.5, roughness_rad=-1), "roughness_rad is -1, expected 0"),
        (partial(ggx, roughness=0.0, n=1.5), "ggx: roughness is 0, expected 0.001 to 1"),
        (partial(ggx, roughness=0.1, n=0.0), "refractive index: n is 0, expected a number above 0"),
        (partial(ggx, roughness=0.1, n=1.5, k=-1.0), "refractive index: k is -1, expected 0"),
        (partial(coated, reflectance=2.0, roughness=0.1), "coated: reflectance is 2, expected 0"),
        (
            partial(retroreflective, coefficient_cd_lx_m2=1e4),
            (
                "coefficient_cd_lx_m2 10000 with lobe_rad 0.00872665 reflects more light than it"
                " receives,"
            ),
        ),
        (partial(retroreflective, coefficient_cd_lx_m2=-1), "coefficient_cd_lx_m2 is -1, expected"),
    ],
)
def test_parameters_that_no_surface_has_are_refused_in_one_line(make, words):
    with pytest.raises(MaterialError) as caught:
        make(0.0, 0.0, 0.0)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"lookup": "flor"}, "unknown lookup 'flor', expected one of floor, nearest, linear, did"),
        (
            {"table_deg": [], "table_reflectivity": []},
            "0 angle(s) and 0 value(s), expected the same",
        ),
        ({"table_deg": [0.0, 10.0]}, "2 angle(s) and 9 value(s)"),
        ({"table_deg": NINE["table_deg"][::-1]}, "expected increasing angles from 0 to 90 deg"),
        ({"table_deg": NINE["table_deg"] + 15}, "expected increasing angles from 0 to 90 deg"),
        ({"table_reflectivity": np.full(9, -0.1)}, "expected reflectivities of 0 or more"),
        ({"table_reflectivity": np.full(9, math.nan)}, "expected reflectivities of 0 or more"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused_in_one_line(changes, words):
    with pytest.raises(MaterialError) as caught:
        angle_table(0.0, **{**NINE, **changes})
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The lobe of gloss beside sums over all directions, and what comes back over it."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import k1

from material_mapping.errors import MappingError
from material_mapping.optics.gloss import ggx_lobe, returned_share
from material_mapping.optics.microfacet import ggx
from material_mapping.table import MaterialTable, builtin_materials
from material_mapping.yaml_entries import read_entries
from tests.builders.refusals import one_line


@pytest.mark.parametrize("incidence_deg", [0.0, 45.0, 80.0])
def test_share_and_width_of_a_lobe_are_sums_over_all_directions(incidence_deg):
    cosine, turn = (np.arange(3000) + 0.5) / 3000, (np.arange(400) + 0.5) / 400 * np.pi
    theta = np.arccos(cosine)[:, None]
    density = ggx(np.radians(incidence_deg), theta, turn, roughness=0.2, n=1.5) * cosine[:, None]
    each_sr = 2.0 * np.pi / density.size
    share, square = density.sum() * each_sr, (density**2).sum() * each_sr
    lobe = ggx_lobe(np.radians([incidence_deg]), roughness=0.2, n=1.5)
    assert lobe.share[0] == pytest.approx(share, rel=1e-3)
    assert lobe.width_sr[0] == pytest.approx(share**2 / square, rel=1e-3)


def test_at_the_normal_a_narrow_lobe_is_that_of_small_slopes():
    lobe = ggx_lobe(np.zeros(1), roughness=0.002, n=1.5)
    assert lobe.share[0] == pytest.approx(0.04, rel=1e-4)
    assert lobe.width_sr[0] == pytest.approx(12.0 * np.pi * 0.002**2, rel=1e-4)


def test_what_comes_back_over_a_lobe_is_the_integral():
    def integral(ratio):
        a = np.sqrt(4.0 * ratio / 3.0)
        value = quad(lambda k: np.exp(-k * k) * (a * k * k1(a * k)) ** 2 * 2.0 * k, 1e-9, 6.0)
        return value[0]

    ratio = np.geomspace(1e-3, 30.0, 23)
    assert returned_share(ratio) == pytest.approx([integral(each) for each in ratio], rel=3e-3)
    assert returned_share([0.0, 1e-9, 1e6]) == pytest.approx([1.0, 1.0, 1e-6], rel=1e-3)


def test_a_boundary_of_the_index_of_air_mirrors_nothing():
    lobe = ggx_lobe(np.array([0.0, 1.0]), roughness=0.01, n=1.0)
    assert not lobe.share.any()
    assert not lobe.width_sr.any()


def test_no_surface_sends_more_light_on_than_falls_on_it():
    lobes = MaterialTable.build(builtin_materials().values()).lobes
    assert lobes.share.any(axis=1).sum() > 10
    assert (lobes.share >= 0.0).all()
    assert (lobes.share <= 1.0).all()


@pytest.mark.parametrize(
    ("material", "problem"),
    [
        ("{reflectance: 0.2, gloss: {roughness: 0.0001}}", "got 0.0001, expected 0.001 to 1"),
        ("{class: transparent, gloss: {roughness: 0.1}}", "takes no gloss, leave it out"),
        (
            "{model: {kind: ggx, roughness: 0.1, n: 1.5}, gloss: {roughness: 0.1}}",
            "is not allowed beside a model with a boundary",
        ),
    ],
)
def test_gloss_that_cannot_be_is_refused_in_one_line(tmp_path, material, problem):
    path = tmp_path / "materials.yaml"
    path.write_text(f"materials: {{lack: {material}}}\n")
    with one_line(MappingError, problem):
        read_entries(path)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The colours of materials: each has one, they are apart, and the documentation lists them."""

import re
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import material_mapping
from lidar_scenery.palette import FAMILIES, WEATHER, family_of, material_colour

VIEW = Path(__file__).parents[2] / "docs" / "reference" / "view.md"
STREET = ("asphalt", "white marking", "yellow marking", "concrete", "paving", "brick", "plaster",
          "glass", "metal", "leaves", "grass", "bark", "soil", "retroreflector", "red paint",
          "blue paint", "green paint", "rubber")  # fmt: skip
# OKLab (Ottosson 2020)
TO_CONES = np.array([
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
])  # fmt: skip
TO_LAB = np.array([
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
])  # fmt: skip
# Machado, Oliveira and Fernandes 2009, severity 1, on linear light
SEEN_AS = {
    "all colours": np.eye(3),
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
}  # fmt: skip


def light(colour):
    step = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255.0
    return np.where(step <= 0.04045, step / 12.92, ((step + 0.055) / 1.055) ** 2.4)


def lab(colour, eye):
    seen = np.clip(SEEN_AS[eye] @ light(colour), 0.0, 1.0)
    return 100.0 * TO_LAB @ np.cbrt(TO_CONES @ seen)


def test_every_built_in_material_has_a_family():
    assert [name for name in material_mapping.builtin_materials() if family_of(name) is None] == []


def test_every_family_has_a_material():
    used = {family_of(name) for name in material_mapping.builtin_materials()}
    assert used == set(FAMILIES)


@pytest.mark.parametrize(
    ("eye", "families", "least"),
    [
        ("all colours", [each.name for each in FAMILIES], 7.0),
        ("deuteranopia", STREET, 5.0),
        ("protanopia", STREET, 5.0),
        ("deuteranopia", [each.name for each in FAMILIES], 3.0),
        ("protanopia", [each.name for each in FAMILIES], 3.0),
    ],
)
def test_colours_are_told_apart(eye, families, least):
    of_name = {each.name: each.colour for each in FAMILIES}
    near = {
        (one, other): apart
        for one, other in combinations(families, 2)
        if (apart := np.linalg.norm(lab(of_name[one], eye) - lab(of_name[other], eye))) < least
    }
    assert near == {}


def test_colours_of_weather_are_told_apart():
    colours = {name: lab(colour, "all colours") for name, colour in WEATHER.items()}
    apart = {
        (one, other): np.linalg.norm(colours[one] - colours[other])
        for one, other in combinations(colours, 2)
    }
    assert {pair: found for pair, found in apart.items() if found < 7.0} == {}


def test_colours_are_seen_on_a_dark_page():
    """The page darkens those that a light one would hide."""
    dark = light("#12161c") @ [0.2126, 0.7152, 0.0722]
    for family in FAMILIES:
        contrast = (light(family.colour) @ [0.2126, 0.7152, 0.0722] + 0.05) / (dark + 0.05)
        assert contrast > 2.2, family.name


def test_things_have_their_own_colours():
    red, green, blue = light(material_colour("leaves"))
    assert green > 2 * max(red, blue)
    assert np.ptp(light(material_colour("asphalt_worn"))) < 0.1
    assert light(material_colour("road_marking_white_beads")).min() > 0.85
    red, green, blue = light(material_colour("brick"))
    assert red > 4 * max(green, blue)


def test_a_material_of_ones_own_has_a_colour_by_its_name():
    mine = material_colour("my_wall")
    assert re.fullmatch("#[0-9a-f]{6}", mine)
    assert material_colour("my_wall") == mine != material_colour("my_floor")


def test_the_documentation_lists_them():
    page = VIEW.read_text(encoding="utf-8")
    for family in FAMILIES:
        materials = ", ".join(f"`{each}`" for each in family.patterns)
        assert f"| {family.name} | `{family.colour}` | {materials} |" in page

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The colours of infrared materials in the page, in pictures and in tables: fixed, and by family.

Colours resemble the real thing: leaves are green, asphalt is grey, markings are white. Materials of
one family share a colour, which is the same in all runs and all pictures. A material without a
family has a colour that follows from its name.

The lightness of the colours was chosen so that any two families differ by at least 7 in OKLab (of
100). The families of a street differ by at least 5 also for colour-blind readers (deuteranopia,
protanopia; Machado et al. 2009).
"""

from __future__ import annotations

import colorsys
import hashlib
from fnmatch import fnmatchcase
from typing import NamedTuple


class Family(NamedTuple):
    """A group of materials that share a colour in pictures.

    Attributes
    ----------
    name : str
        Name of the family, such as "asphalt".
    colour : str
        Colour as #rrggbb.
    patterns : tuple of str
        Names of materials; ``*`` stands for any characters.
    """

    name: str
    colour: str  # #rrggbb
    patterns: tuple[str, ...]  # material names; * stands for any characters


FAMILIES = (
    Family("asphalt", "#5d6c72", ("asphalt_*", "tar")),
    Family("white marking", "#f4f6f8", ("road_marking_white*",)),
    Family("yellow marking", "#f1ab00", ("road_marking_yellow*",)),
    Family("concrete", "#d1c1b7", ("concrete", "cinder_block")),
    Family("paving", "#848a64", ("paving_stone", "kerb_stone")),
    Family("stone", "#b490a3", ("stone", "granite", "basalt", "limestone", "sandstone", "marble",
                                "gravel")),
    Family("brick", "#b04503", ("brick",)),
    Family("plaster", "#fad7a5", ("plaster*",)),
    Family("roof", "#843e61", ("roof*",)),
    Family("glass", "#18bbf0", ("glass*", "lamp_lens_*")),
    Family("mirror", "#93cee6", ("mirror", "chrome")),
    Family("metal", "#4a74ad", ("steel*", "aluminium*", "copper*", "metal_painted")),
    Family("wood", "#d1865b", ("wood*",)),
    Family("leaves", "#32d36f", ("leaves*", "needles*", "vegetation")),
    Family("grass", "#8ef544", ("grass*",)),
    Family("bark", "#853e10", ("bark*", "twigs", "leaf_litter", "lichen")),
    Family("soil", "#ac6e02", ("soil*",)),
    Family("sand", "#b8a85b", ("sand", "sand_white")),
    Family("snow", "#b9eff4", ("snow*", "frost", "ice")),
    Family("water", "#0248c4", ("water",)),
    Family("retroreflector", "#fe6aab", ("sign_sheeting*", "retro_reflector", "vest_retro",
                                         "licence_plate")),
    Family("red paint", "#fd283c", ("car_paint_red",)),
    Family("orange paint", "#ff7501", ("car_paint_orange", "cloth_fluorescent")),
    Family("yellow paint", "#fdda04", ("car_paint_yellow",)),
    Family("green paint", "#03a99a", ("car_paint_green", "paint_olive")),
    Family("blue paint", "#5161ff", ("car_paint_blue",)),
    Family("brown paint", "#9b625a", ("car_paint_brown",)),
    Family("white paint", "#ddcffd", ("car_paint_white",)),
    Family("silver paint", "#98adc2", ("car_paint_silver", "car_paint_grey")),
    Family("black paint", "#3f517d", ("car_paint_black*",)),
    Family("rubber", "#52534b", ("rubber_*", "foam_black", "leather_dark")),
    Family("cloth", "#9f53cf", ("cloth_*",)),
    Family("skin", "#ffa18f", ("skin", "hair_dark")),
    Family("plastic", "#d69af5", ("plastic_*", "cardboard", "paper_white")),
    Family("test target", "#9187d5", ("lambertian_*",)),
    Family("no light", "#7d8092", ("absorber", "transparent")),
)  # fmt: skip
"""Families in the order in which names are looked up."""
WEATHER = {
    "fog": "#c9ccd6",
    "rain": "#2f7fd8",
    "snow": "#e8fbff",
    "spray": "#7fd0d8",
    "dust": "#c6a06a",
}
"""Colours (#rrggbb) of echoes from the air, by their source."""


def family_of(material: str) -> Family | None:
    """Return the first of `FAMILIES` with a pattern that fits a material's name, or None."""
    for family in FAMILIES:
        if any(fnmatchcase(material, pattern) for pattern in family.patterns):
            return family
    return None


def material_colour(material: str) -> str:
    """Return the colour of a material as #rrggbb: its family's, else a hash of its name."""
    family = family_of(material)
    if family is not None:
        return family.colour
    share = int.from_bytes(hashlib.sha256(material.encode(errors="replace")).digest()[:4], "big")
    red, green, blue = colorsys.hls_to_rgb(share / 2**32, 0.6, 0.5)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of materials: a spectrum, and assets of OpenMATERIAL 3D."""

import math

from tests.builders.meshes import write_cube
from tests.material_mapping.databases.openmaterial.helpers import brdf, in_plane, write_json

SPECTRUM = """\
Name: Painted board
Type: manmade
Class: Road
Subclass: Paint
Particle Size: Solid
Sample No.: 0001
Owner: nobody
Wavelength Range: All
Origin: a test
Collection Date: N/A
Description: flat
Measurement: near normal
First Column: X
Second Column: Y
X Units: Wavelength (micrometers)
Y Units: Reflectance (percent)
First X Value: 0.8
Last X Value: 1.0
Number of X Values: 2
Additional Information: none

0.8\t10.0
1.0\t30.0
"""
"""A spectrum as ECOSTRESS writes it."""


def write_lambertian(folder, name, rho):
    """Write a material that is equally bright at all angles."""
    angles = dict.fromkeys(range(0, 81, 10), rho / math.pi)
    write_json(folder, f"{name}.xompt", brdf(in_plane(angles)))
    write_json(folder, f"{name}.xomp", {"materialProperties": {"brdfUris": [f"{name}.xompt"]}})


def write_asset(folder, rho, material="card", name="car", mapping="map.xomm"):
    """Write a mesh with an asset, a mapping of its own and one Lambertian material."""
    write_cube(folder / f"{name}.obj")
    write_lambertian(folder, material, rho)
    write_json(folder, "map.xomm", {"materialMapping": [["Paint", f"{material}.xomp", ""]]})
    return write_json(folder, f"{name}.xoma", {"materialMappingUri": mapping})


def write_shared_mapping(folder, rho):
    """Write a mapping for assets in other folders, and its one Lambertian material."""
    write_lambertian(folder / "materials", "card", rho)
    write_json(folder, "map.xomm", {"materialMapping": [["Paint", "materials/card.xomp", ""]]})

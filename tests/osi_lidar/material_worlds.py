# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small worlds whose surfaces have materials of databases and assets."""

import json
import math

import numpy as np

from tests.material_mapping.databases.openmaterial.helpers import brdf, in_plane, write_json
from tests.osi_lidar.commands import CUBE
from tests.osi_lidar.worlds import Thing

FRONT = {"pattern": {"kind": "pairs", "azimuth_elevation_deg": [[0, 0], [45, 0], [-45, 0]]}}
MOUNTING = {"mounting": {"z_m": 0.1, "x_m": 0.0}}

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


def write_config(folder, *, sensors=None, name="config.yaml", **sections):
    path = folder / name
    sensors = sensors or [{"name": "front", **FRONT, **MOUNTING}]
    path.write_text(json.dumps({"sensors": sensors, **sections}))
    return path


def write_mesh(path, material="Paint"):
    """Write a cube of 2 m edges."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"usemtl {material}\n{CUBE}")
    return path


def write_lambertian(folder, name, rho):
    angles = dict.fromkeys(range(0, 81, 10), rho / math.pi)
    write_json(folder, f"{name}.xompt", brdf(in_plane(angles)))
    write_json(folder, f"{name}.xomp", {"materialProperties": {"brdfUris": [f"{name}.xompt"]}})


def write_asset(folder, rho, material="card", name="car", mapping="map.xomm"):
    """Write a mesh with an asset, a mapping of its own and one Lambertian material."""
    write_mesh(folder / f"{name}.obj")
    write_lambertian(folder, material, rho)
    write_json(folder, "map.xomm", {"materialMapping": [["Paint", f"{material}.xomp", ""]]})
    return write_json(folder, f"{name}.xoma", {"materialMappingUri": mapping})


def write_shared_mapping(folder, rho):
    """Write a mapping for assets in other folders, and its one Lambertian material."""
    write_lambertian(folder / "materials", "card", rho)
    write_json(folder, "map.xomm", {"materialMapping": [["Paint", "materials/card.xomp", ""]]})


def ahead(object_id=2, reference="", y_m=0.0, x_m=10.0):
    size_m = (2.0, 2.0, 2.0)
    return Thing(object_id, (x_m, y_m, 0.75), dimension_m=size_m, model_reference=reference)


def reflectance(points):
    """Return the reflectance at the normal of Lambertian points, one value."""
    beam = np.stack([points[axis] for axis in "xyz"], axis=1) / points["range"][:, None]
    normal = np.stack([points[f"normal_{axis}"] for axis in "xyz"], axis=1)
    values = points["reflectivity"] / -(beam * normal).sum(axis=1)
    assert len(values)
    np.testing.assert_allclose(values, values[0], rtol=1e-5)
    return float(values[0])

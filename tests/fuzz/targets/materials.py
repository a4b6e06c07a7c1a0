# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials: measured spectra and curves, OpenMATERIAL 3D, tables of materials and rules."""

from material_mapping import OpenMaterials, load_mapping, open_database
from tests.builders.materials import write_asset, write_lambertian
from tests.builders.meshes import CUBE
from tests.fuzz.target import Refused, Target, command
from tests.material_mapping.databases.database_files import write_curve, write_spectrum
from tests.material_mapping.databases.openmaterial.helpers import (
    brdf,
    in_plane,
    optical,
    write_json,
)

WAVELENGTHS_NM = (865.0, 905.0, 945.0, 1550.0)
TABLE = """
define:
  flat: {reflectance: [[0, 0.5], [60, 0.4], [90, 0.1]], wavelength_nm: 905}
  two: {reflectance: {905: 0.3, 1550: [[0, 0.2], [90, 0.1]]}}
  pane: {class: glass, refractive_index: 1.5}
  shiny: {class: mirror, reflectance: 0.9}
  sign: {class: retroreflective, reflectance: [[0, 30], [45, 5]], wavelength_nm: 905}
  wall: {reflectance: 0.62, texture: {spread: 0.3, correlation_m: [[0.4, 0.7], [0.6, 2.0]]}}
  coat: {model: {kind: coated, reflectance: 0.2, roughness: 0.3}}
  rough: {model: {kind: oren_nayar, reflectance: 0.2, roughness_deg: 20}}
materials: {Paint*: flat, Glass: pane, W: wall, C: coat, R: rough, S: sign, "*": two}
"""


def _spectra(folder):
    write_spectrum(folder / "s.spectrum.txt", {0.4: 5.0, 0.8: 10.0, 0.9: 12.0, 1.6: 40.0, 2.5: 1.0})
    write_curve(folder / "c.txt")
    spectrum, curve = ((folder / name).read_bytes() for name in ("s.spectrum.txt", "c.txt"))
    lines = spectrum.split(b"\r\n")
    return {
        "spectrum": {"s.spectrum.txt": spectrum},
        "falling": {"s.spectrum.txt": b"\r\n".join([*lines[:21], *lines[21:-1][::-1], b""])},
        "curve": {"c.txt": curve},
    }


def _open_materials(folder):
    write_asset(folder, 0.3)
    rows = [[9e-7, 297, 1.5, 3.0], [1e-6, 297, 1.4, 3.1]]
    write_json(folder, "m_optical.xompt", optical(rows))
    write_json(folder, "m_brdf.xompt", brdf(in_plane({0: 0.1, 40: 0.1, 80: 0.1})))
    uris = {"opticalPropertiesUri": "m_optical.xompt", "brdfUris": ["m_brdf.xompt"]}
    write_json(folder, "card.xomp", {"materialProperties": uris})
    write_lambertian(folder, "plain", 0.4)
    rules = [["Paint", "card.xomp", ""], ["Pa*", "plain.xomp", ""]]
    write_json(folder, "map.xomm", {"materialMapping": rules})
    names = [each.name for each in folder.iterdir()]
    return {"asset": {name: (folder / name).read_bytes() for name in names}}


def _all_of(folder):
    """Return what all materials of a folder reflect, at wavelengths that they have."""
    database = open_database(folder)
    return [
        entry.reflectivity(each)
        for entry in map(database.get, database.names)
        for each in WAVELENGTHS_NM
        if entry.wavelength_range_nm[0] <= each <= entry.wavelength_range_nm[1]
    ]


def _asset(folder):
    found = OpenMaterials.of_asset(folder / "car.xoma", [folder])
    if found is None:
        raise Refused
    return [
        list(found.problems),
        [each.reflectivity() for each in map(found.get, found.names) if each],
        _all_of(folder),
    ]


def _listed(folder):
    (folder / "c.yaml").write_text(
        "sensors: [{preset: VLP-16}]\nscene: {environment: [{mesh: car.obj}]}\n"
        "materials: {databases: [.], default: grass}\n"
    )
    if not (folder / "car.obj").exists():
        (folder / "car.obj").write_text(CUBE)
    command("check", "--config", folder / "c.yaml")
    return command("materials", "list", "--config", folder / "c.yaml")


def _tables(_):
    beside = {"cube.obj": f"usemtl Paint_1\n{CUBE}".encode()}
    return {"table": {"m.yaml": TABLE.encode(), **beside}}


def _table(folder):
    table = load_mapping(folder / "m.yaml")
    (folder / "c.yaml").write_text(
        "sensors: [{preset: VLP-16}]\nscene: {environment: [{mesh: cube.obj}]}\n"
        "materials: {mapping: m.yaml, default: grass}\n"
    )
    command("check", "--config", folder / "c.yaml")
    command("materials", "list", "--config", folder / "c.yaml")
    return [str(table)]


TARGETS = [
    Target(name="spectrum", seeds=_spectra, call=_all_of),
    Target(name="spectrum-list", seeds=_spectra, call=_listed),
    Target(name="openmaterial", seeds=_open_materials, call=_asset, changed=("*.x*",)),
    Target(name="openmaterial-list", seeds=_open_materials, call=_listed, changed=("*.x*",)),
    Target(name="material-table", seeds=_tables, call=_table, changed=("*.yaml",)),
]

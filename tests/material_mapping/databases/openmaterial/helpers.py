# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write OpenMATERIAL 3D files, and catch the errors that reading them gives."""

import json
import math

import pytest

from material_mapping.errors import DatabaseError

METADATA = {
    "name": "Grey card",
    "description": "A card.",
    "openMaterial3dVersion": "1.1.0",
    "copyrights": ["(C) A", "(C) B"],
    "license": "MPL-2.0",
    "authors": ["A"],
    "sources": "measured",
}
WAVELENGTH_M = 905e-9


def write_json(folder, name, content, **metadata):
    """Write a file and return its path: metadata in line 2, rows from line 4 on."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    everything = {"metadata": METADATA | metadata} | content
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in everything.items()]
    text = ",\n".join(lines).replace("[[", "[\n[").replace("], [", "],\n[")
    path.write_text(f"{{\n{text}\n}}", encoding="utf-8")
    return path


def brdf(rows):
    return {"brdf": {"wavelengths": [WAVELENGTH_M], "lookupTable": rows}}


def optical(rows):
    return {"opticalProperties": rows}


def in_plane(values, wavelength_m=WAVELENGTH_M, azimuth_rad=0.0):
    """Return rows for {incident angle in deg: value}, exit zenith = incident zenith."""
    angles = {round(math.radians(angle), 6): value for angle, value in values.items()}
    return [[wavelength_m, angle, angle, azimuth_rad, value] for angle, value in angles.items()]


def message(path, read, *args):
    """Return the one line that reading a file fails with, without the file's name."""
    with pytest.raises(DatabaseError) as caught:
        read(path, *args)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(f"{path}: ")
    return text.removeprefix(f"{path}: ")

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs of every kind that a build makes, and what is in their files."""

import os
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from fmu_src.exporter import build_fmu

KINDS = {
    "native-2": {"fmi": "2", "wrapper": "native"},
    "native-3": {"fmi": "3", "wrapper": "native"},
    "pythonfmu-2": {"fmi": "2", "wrapper": "pythonfmu"},
}
OF_FMI2 = tuple(kind for kind in KINDS if kind.endswith("2"))
OF_FMI3 = tuple(kind for kind in KINDS if kind.endswith("3"))


def built(kind, **options):
    """Build an FMU of a kind."""
    (one,) = build_fmu(**KINDS[kind], **options)
    return one


def contents(path):
    """Return the files of an FMU by their names."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def description(path):
    """Return the root of the model description."""
    with zipfile.ZipFile(path) as archive:
        return ET.fromstring(archive.read("modelDescription.xml"))  # noqa: S314  our own


def schema(name):
    """Return a schema of others, which the repository does not hold; skip where it is absent."""
    folder = os.environ.get("OSI_LIDAR_SCHEMAS", "")
    file = Path(folder, name)
    if not folder or not file.is_file():
        pytest.skip(f"no {name} (set OSI_LIDAR_SCHEMAS to its folder)")
    return etree.XMLSchema(etree.parse(file))

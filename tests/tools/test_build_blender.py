# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The zip of the extension: complete, text alone, and the same each time."""

import ast
import re
import sys
import zipfile

import pytest

from tests.builders.blender_extension import FOLDER, build_zip

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

GIVEN = {"bpy", "mathutils", "numpy"}
"""Packages that Blender brings along."""


@pytest.fixture
def archive(tmp_path):
    return build_zip(tmp_path / "build")


def test_the_zip_has_the_same_bytes_each_time(archive, tmp_path):
    assert archive.read_bytes() == build_zip(tmp_path / "again").read_bytes()


def test_the_zip_holds_text_alone(archive):
    with zipfile.ZipFile(archive) as packed:
        names = packed.namelist()
        for name in names:
            assert "\0" not in packed.read(name).decode()
    written = {file.name for file in FOLDER.iterdir() if file.name != "__pycache__"}
    assert set(names) == written | {"LICENSE"}
    assert {"__init__.py", "blender_manifest.toml", "README.md"} <= set(names)


def test_the_manifest_says_what_blender_asks_for(archive):
    """https://docs.blender.org/manual/en/latest/advanced/extensions/getting_started.html"""
    with zipfile.ZipFile(archive) as packed:
        manifest = tomllib.loads(packed.read("blender_manifest.toml").decode())
    assert manifest["schema_version"] == "1.0.0"
    assert re.fullmatch(r"[a-z][a-z0-9_]*", manifest["id"])
    assert manifest["type"] == "add-on"
    assert manifest["license"] == ["SPDX:Apache-2.0"]
    for line in (manifest["tagline"], *manifest["permissions"].values()):
        assert len(line) <= 64
        assert line[-1].isalnum()


def test_modules_import_what_blender_has_and_nothing_of_ours():
    for file in FOLDER.glob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        named = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                named |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                named.add(node.module.partition(".")[0])
        assert named <= GIVEN | sys.stdlib_module_names, file.name

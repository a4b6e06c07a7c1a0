# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers of a stage belong to its mesh file: in the cache, and where meshes are copied."""

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh import cache as mesh_cache
from raycore.mesh import loading
from raycore.mesh.cache import MeshCache
from raycore.mesh.companions import companion_files
from raycore.mesh.loading import load_mesh
from tests.builders.extras import needs
from tests.builders.refusals import one_line
from tests.builders.usd import square, write_layers, write_stage

pytestmark = needs("pxr")

OF_TOWN = ["parts/a.usda", "parts/under.usda"]


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setattr(mesh_cache, "SMALLEST_BYTES", 0)
    return MeshCache(tmp_path / "cache")


@pytest.fixture
def not_parsed(monkeypatch):
    """Let every reader fail from now on."""

    def refuse():
        monkeypatch.setattr(loading, "_READERS", dict.fromkeys(loading._READERS, ("", None)))

    return refuse


def assert_same(one, other):
    for name in ("vertices_m", "faces", "slot", "origin_m"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
    assert (one.materials, one.not_followed) == (other.materials, other.not_followed)


def test_a_stage_is_composed_once(tmp_path, cache, not_parsed, caplog):
    path = write_stage(tmp_path / "a.usda", square() + 'def Camera "C" {\n}\n', up="")
    first = load_mesh(path, cache=cache)
    caplog.clear()
    not_parsed()
    assert_same(load_mesh(path, cache=cache), first)
    assert "states no metersPerUnit" in caplog.text  # messages are repeated


@pytest.mark.parametrize("name", OF_TOWN)
def test_a_change_of_any_layer_is_noticed(tmp_path, cache, name):
    path = write_layers(tmp_path)
    before = load_mesh(path, cache=cache)
    layer = tmp_path / name
    layer.write_text(layer.read_text().replace("(1, 1, 0)", "(1, 3, 0)"))
    after = load_mesh(path, cache=cache)
    assert_same(after, load_mesh(path))
    assert after.bounds_m[1, 1] == 3.0
    assert before.bounds_m[1, 1] == 1.0
    layer.unlink()
    with one_line(MeshError, "which does not exist"):
        load_mesh(path, cache=cache)


def test_a_confined_mesh_is_not_read_from_the_cache_with_layers_outside(tmp_path, cache):
    write_stage(tmp_path / "b.usda", square())
    (tmp_path / "in").mkdir()
    path = write_stage(tmp_path / "in" / "a.usda", "", more="    subLayers = [@../b.usda@]\n")
    load_mesh(path, cache=cache)
    with one_line(MeshError, "b.usda, which lies outside the allowed folders"):
        load_mesh(path, cache=cache, roots=[tmp_path / "in"])


def test_companions_are_the_layers_that_exist_of_all_variants(tmp_path):
    path = write_layers(tmp_path)
    assert companion_files(path) == {name: tmp_path / name for name in sorted(OF_TOWN)}
    assert companion_files(path, roots=[tmp_path]).keys() == set(OF_TOWN)
    assert companion_files(tmp_path / "parts" / "under.usda") == {}
    write_stage(path, "def {")
    assert companion_files(path) == {}


def test_a_copy_of_a_stage_and_its_companions_is_the_same_mesh(tmp_path):
    path = write_layers(tmp_path)
    copy = tmp_path / "copy"
    for name, file in {path.name: path, **companion_files(path)}.items():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_bytes(file.read_bytes())
    assert_same(load_mesh(copy / path.name), load_mesh(path))

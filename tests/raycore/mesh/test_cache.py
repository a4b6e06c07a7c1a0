# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Parsed meshes that are kept: the same as parsed, of the right file, and never a reason to fail.

That a mesh came from the cache is told by readers that fail.
"""

import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from raycore.errors import MeshError
from raycore.mesh import cache as mesh_cache
from raycore.mesh import loading
from raycore.mesh.cache import MeshCache
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh import Mesh
from tests.builders.files import written
from tests.raycore.mesh.gltf.test_reading import BINARY, glb, square
from tests.raycore.mesh.test_formats import (
    COLLADA,
    CORNERS,
    PLY_ASCII,
    UNIT_SQUARE,
    broken_collada,
    ply_binary,
    stl_binary,
)

MTL = "newmtl Paint\nKd 0.1 0.2 0.30000000000000004\nd 0.5\nmap_Kd a/b.png\nnewmtl Glass\nPr 0.25\n"
OBJ = """mtllib x.mtl
v 500000.125 5400000.25 0.1
v 500001 5400000 0
v 500001 5400001 0
v 500000 5400001 0
v 9 9 9
usemtl Paint
f 1 2 3
usemtl Glass
f 1 3 4
"""


@pytest.fixture(autouse=True)
def _keep_small_files(monkeypatch):
    monkeypatch.setattr(mesh_cache, "SMALLEST_BYTES", 0)


@pytest.fixture
def cache(tmp_path):
    return MeshCache(tmp_path / "cache")


@pytest.fixture
def obj(tmp_path):
    (tmp_path / "x.mtl").write_text(MTL)
    (tmp_path / "x.obj").write_text(OBJ)
    return tmp_path / "x.obj"


@pytest.fixture
def no_readers(monkeypatch):
    def refuse(_data, _source):
        raise AssertionError("it was parsed")

    def switch_off():
        for suffix, (label, _) in loading._READERS.items():
            monkeypatch.setitem(loading._READERS, suffix, (label, refuse))

    return switch_off


def assert_same(one: Mesh, other: Mesh) -> None:
    for column in ("vertices_m", "faces", "slot", "origin_m"):
        expected, got = getattr(one, column), getattr(other, column)
        assert (expected.dtype, expected.shape) == (got.dtype, got.shape), column
        assert expected.tobytes() == got.tobytes(), column
        assert not got.flags.writeable
    assert one.materials == other.materials
    assert one.not_followed == other.not_followed
    assert one.name == other.name


def is_parsed(path, cache, **options) -> bool:
    """Return whether a mesh is not taken from the cache; it is, the second time."""
    before = {file: file.stat().st_ino for file, _ in cache.entries()}
    load_mesh(path, cache=cache, **options)
    return before != {file: file.stat().st_ino for file, _ in cache.entries()}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.obj", OBJ.encode()),
        ("X.OBJ", OBJ.encode()),
        ("x.gltf", json.dumps(square()).encode()),
        ("x.glb", glb({**square(), "buffers": [{"byteLength": 60}]})),
        ("x.stl", stl_binary(UNIT_SQUARE)),
        ("x.ply", PLY_ASCII.encode()),
        ("y.ply", ply_binary(CORNERS)),
        ("x.dae", COLLADA.encode()),
    ],
)
def test_a_kept_mesh_is_the_parsed_one(tmp_path, cache, no_readers, name, content):
    (tmp_path / name).write_bytes(content)
    (tmp_path / "x.mtl").write_text(MTL)
    (tmp_path / "square.bin").write_bytes(BINARY)
    plain = load_mesh(tmp_path / name)
    assert_same(load_mesh(tmp_path / name, cache=cache), plain)
    no_readers()
    assert_same(load_mesh(tmp_path / name, cache=cache), plain)


def test_a_copy_elsewhere_is_the_same_mesh_under_its_own_name(tmp_path, obj, cache, no_readers):
    first = load_mesh(obj, cache=cache)
    (tmp_path / "elsewhere").mkdir()
    copy = written(tmp_path / "elsewhere" / "copy.obj", OBJ)
    (tmp_path / "elsewhere" / "x.mtl").write_text(MTL)
    no_readers()
    got = load_mesh(copy, cache=cache)
    assert got.name == "copy.obj"
    assert got.materials == first.materials


def test_a_file_that_changed_is_read_whatever_its_time_says(obj, cache):
    load_mesh(obj, cache=cache)
    stat = obj.stat()
    obj.write_text(OBJ.replace("500001 5400000 0", "500002 5400000 0"))
    os.utime(obj, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert_same(load_mesh(obj, cache=cache), load_mesh(obj))


@pytest.mark.parametrize("before", [MTL, None])
@pytest.mark.parametrize("after", [MTL.replace("0.5", "0.75"), None])
def test_a_library_that_changed_or_comes_or_goes_counts(tmp_path, obj, cache, before, after):
    for content in (before, after):
        (tmp_path / "x.mtl").unlink(missing_ok=True)
        if content is not None:
            (tmp_path / "x.mtl").write_text(content)
        assert_same(load_mesh(obj, cache=cache), load_mesh(obj))
        assert not is_parsed(obj, cache)


def test_a_buffer_that_changed_counts(tmp_path, cache):
    path = written(tmp_path / "a.gltf", json.dumps(square()))
    for scale in (1.0, 2.0):
        points = scale * np.frombuffer(BINARY, "<f4", 12)
        (tmp_path / "square.bin").write_bytes(points.astype("<f4").tobytes() + BINARY[48:])
        assert_same(load_mesh(path, cache=cache), load_mesh(path))
    (tmp_path / "square.bin").unlink()
    with pytest.raises(MeshError, match="does not exist"):
        load_mesh(path, cache=cache)


def test_what_a_file_may_not_read_is_not_read_from_the_cache_either(tmp_path, cache):
    (tmp_path / "in").mkdir()
    path = written(tmp_path / "in" / "x.obj", OBJ.replace("x.mtl", "../x.mtl"))
    (tmp_path / "x.mtl").write_text(MTL)
    assert load_mesh(path, cache=cache).materials[0].opacity == 0.5
    confined = load_mesh(path, cache=cache, roots=[tmp_path / "in"])
    assert_same(confined, load_mesh(path, roots=[tmp_path / "in"]))
    assert confined.materials[0].opacity == 1.0
    with pytest.raises(MeshError, match="outside"):
        load_mesh(path, cache=cache, roots=[tmp_path / "other"])


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("x.obj", OBJ, "material library 'x.mtl' not found"),
        ("x.gltf", json.dumps(square() | {"animations": [{}]}), "not followed: animation (anim"),
        ("x.dae", broken_collada(), "parts of it are left out"),
    ],
)
def test_what_was_said_of_a_file_is_said_again(cache, caplog, name, content, words):
    tmp_path = cache.folder.parent
    (tmp_path / name).write_text(content)
    (tmp_path / "square.bin").write_bytes(BINARY)
    caplog.set_level(logging.INFO, logger="raycore")
    caplog.set_level(logging.INFO, logger="lidar_base")
    load_mesh(tmp_path / name, cache=cache)
    said = [(record.levelno, record.getMessage()) for record in caplog.records]
    assert any(words in text and str(tmp_path / name) in text for _, text in said)
    caplog.clear()
    assert not is_parsed(tmp_path / name, cache)
    assert [(record.levelno, record.getMessage()) for record in caplog.records] == said


def damaged(entry: bytes) -> list[bytes]:
    flipped = bytearray(entry)
    flipped[-3] ^= 1
    return [b"", b"x", entry[:20], entry[:-1], entry + b"x", bytes(flipped), bytes(len(entry))]


@pytest.mark.parametrize("number", range(7))
def test_a_damaged_entry_is_written_again(obj, cache, number):
    plain = load_mesh(obj, cache=cache)
    ((file, _),) = cache.entries()
    whole = file.read_bytes()
    file.write_bytes(damaged(whole)[number])
    assert_same(load_mesh(obj, cache=cache), plain)
    assert file.read_bytes() == whole


def test_without_a_usable_folder_nothing_is_kept_and_nothing_fails(tmp_path, obj, monkeypatch):
    plain = load_mesh(obj)
    (tmp_path / "file").write_text("no folder")
    cache = MeshCache(tmp_path / "file")
    assert_same(load_mesh(obj, cache=cache), plain)
    assert cache.entries() == []

    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    cache = MeshCache(tmp_path / "full")
    assert_same(load_mesh(obj, cache=cache), plain)
    assert list((tmp_path / "full").iterdir()) == []


def test_a_folder_in_the_place_of_an_entry_is_no_error(obj, cache):
    plain = load_mesh(obj, cache=cache)
    ((file, _),) = cache.entries()
    file.unlink()
    (file / "x").mkdir(parents=True)
    assert_same(load_mesh(obj, cache=cache), plain)


def test_what_was_not_used_for_longest_goes_first(tmp_path):
    names = [f"{letter}.obj" for letter in "abc"]
    for name in names:
        (tmp_path / name).write_text(OBJ.replace("v 9 9 9", f"v 9 9 9 # {name}"))
    probe = MeshCache(tmp_path / "probe")
    load_mesh(tmp_path / "a.obj", cache=probe)
    ((_, n_bytes),) = probe.entries()
    cache = MeshCache(tmp_path / "cache", limit_bytes=2 * n_bytes + 10)

    def age():
        for file, _ in cache.entries():
            stat = file.stat()
            os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns - 10**10))

    for name in ("a.obj", "b.obj", "a.obj", "c.obj"):
        age()
        load_mesh(tmp_path / name, cache=cache)
    assert len(cache.entries()) == 2
    assert not is_parsed(tmp_path / "a.obj", cache)
    assert not is_parsed(tmp_path / "c.obj", cache)
    assert is_parsed(tmp_path / "b.obj", cache)


def test_a_mesh_beyond_the_limit_is_not_kept(tmp_path, obj):
    cache = MeshCache(tmp_path / "cache", limit_bytes=100)
    load_mesh(obj, cache=cache)
    assert cache.entries() == []


def test_small_files_are_not_kept(obj, cache, monkeypatch):
    monkeypatch.setattr(mesh_cache, "SMALLEST_BYTES", len(OBJ) + len(MTL) + 1)
    load_mesh(obj, cache=cache)
    assert cache.entries() == []
    monkeypatch.setattr(mesh_cache, "SMALLEST_BYTES", len(OBJ) + len(MTL))
    load_mesh(obj, cache=cache)
    assert len(cache.entries()) == 1


def test_many_at_once_give_the_same_mesh_and_one_entry(obj, cache):
    plain = load_mesh(obj)
    with ThreadPoolExecutor(8) as pool:
        for got in pool.map(lambda _: load_mesh(obj, cache=cache), range(40)):
            assert_same(got, plain)
    assert [file.suffix for file in cache.folder.iterdir()] == [".mesh"]


def test_a_cleared_cache_is_empty_and_goes_on(obj, cache):
    load_mesh(obj, cache=cache)
    cache.clear()
    assert cache.entries() == []
    assert is_parsed(obj, cache)


def test_all_readers_count_for_what_a_file_means(obj, cache, monkeypatch):
    folder = Path(mesh_cache.__file__).parent
    sources = {file.relative_to(folder).as_posix() for file in folder.rglob("*.py")}
    others = "axes cache companions finder joint_names mesh_names parts suffixes __init__"
    packages = ("gltf/__init__", "usd/__init__", "usd/limits")
    no_readers = {f"{name}.py" for name in (*others.split(), *packages)}
    assert sources - no_readers == set(mesh_cache.READERS)
    load_mesh(obj, cache=cache)
    monkeypatch.setattr(mesh_cache, "READERS", (*mesh_cache.READERS, "companions.py"))
    mesh_cache._readers.cache_clear()
    assert is_parsed(obj, cache)
    mesh_cache._readers.cache_clear()

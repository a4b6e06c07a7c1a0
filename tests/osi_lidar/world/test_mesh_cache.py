# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Where parsed meshes are kept, the switch, and the command that shows and clears them."""

import sys
from pathlib import Path

import pytest

from fmu_src import vendored
from lidar_base.caches.folder import cache_folder
from osi_lidar.world.mesh_cache import mesh_cache
from raycore.mesh import cache as entries
from tests.builders.meshes import CUBE
from tests.builders.worlds import SENSOR
from tests.commands import assert_one_line, report, run


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setattr(entries, "SMALLEST_BYTES", 0)
    monkeypatch.setenv("OSI_LIDAR_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def world(tmp_path):
    (tmp_path / "cube.obj").write_text(CUBE)

    def configured(scene=""):
        path = tmp_path / "config.yaml"
        path.write_text(f"{SENSOR}scene: {{environment: [{{mesh: cube.obj, scale: 10}}]{scene}}}\n")
        return path

    return configured


def scan(config):
    return run("scan", "--config", config, "--overwrite", "--out", config.parent / "out")


def test_a_run_keeps_its_meshes_and_the_next_one_is_the_same(world, folder):
    config = world()
    clouds = []
    for _ in range(2):
        assert scan(config).exit_code == 0
        (cloud,) = (config.parent / "out" / "s").iterdir()
        clouds.append(cloud.read_bytes())
        assert len([*(folder / "meshes").iterdir()]) == 1
    assert clouds[0] == clouds[1]
    assert report(config)["points"] > 0


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes there")
def test_meshes_that_others_may_have_written_are_parsed_anew(world, folder, caplog):
    config = world()
    assert scan(config).exit_code == 0
    points = report(config)["points"]
    (entry,) = (folder / "meshes").iterdir()
    entry.write_bytes(b"another mesh")
    folder.chmod(0o775)
    assert scan(config).exit_code == 0
    assert report(config)["points"] == points
    assert entry.read_bytes() == b"another mesh"
    assert caplog.text.count(f"chmod go-w {folder.resolve()}") == 1
    folder.chmod(0o700)


def test_the_configuration_switches_the_cache_off(world, folder):
    assert scan(world(", mesh_cache: false")).exit_code == 0
    assert not folder.exists()


def test_the_environment_switches_the_cache_off(world, folder, monkeypatch):
    monkeypatch.setenv("OSI_LIDAR_CACHE", "off")
    assert scan(world()).exit_code == 0
    assert not folder.exists()
    result = run("cache")
    assert result.exit_code == 0
    assert "OSI_LIDAR_CACHE is off" in result.stdout


def test_the_command_shows_and_clears_what_is_kept(world, folder):
    scan(world())
    shown = run("cache")
    assert f"{folder / 'meshes'}: 1 meshes, 0.0 MB" in shown.stdout
    assert "removed" in run("cache", "--clear").stdout
    assert [*(folder / "meshes").iterdir()] == []
    assert "0 meshes" in run("cache").stdout


def test_what_cannot_be_removed_is_one_line(world, monkeypatch):
    scan(world())

    def refuse(*_args, **_options):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    assert_one_line(run("cache", "--clear"), 2, "cannot be cleared: Permission denied")


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "~/.cache"),
        ("linux", {"XDG_CACHE_HOME": "/x"}, "/x"),
        ("darwin", {"XDG_CACHE_HOME": "/x"}, "~/Library/Caches"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
        ("win32", {}, "~/AppData/Local"),
    ],
)
def test_each_system_has_its_folder_for_caches(monkeypatch, platform, variables, expected):
    for name in ("OSI_LIDAR_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA", vendored.CACHE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "platform", platform)
    assert cache_folder() == Path(expected).expanduser() / "osi-lidar"
    assert vendored.cache_folder() == cache_folder() / "fmu"


def test_a_user_without_a_home_has_no_cache(monkeypatch):
    def homeless(_path):
        raise RuntimeError("Could not determine home directory.")

    for name in ("OSI_LIDAR_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "expanduser", homeless)
    assert cache_folder() is None
    assert mesh_cache() is None

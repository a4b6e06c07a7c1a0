# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A bundle that is damaged, or made up by an enemy, is refused in one line, and leaves no file."""

import hashlib
import json
import stat
import tempfile
import zipfile
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lidar_app.bundle import opening
from lidar_app.bundle.manifest import CONFIG, FORMAT_VERSION, MANIFEST
from lidar_app.bundle.opening import open_bundle, read_manifest
from lidar_app.bundle.scratch import scratch_folder
from lidar_base.files import bounds
from osi_lidar.errors import InputError
from tests.builders.bombs import memory_bound
from tests.lidar_app.bundle.scenarios import bundled, plain

LEFT = ".osi-lidar-bundle-"


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """Return a bundle."""
    folder = tmp_path_factory.mktemp("good")
    return bundled(plain(folder / "home"), folder / "scene.osib")


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """Give the bundles a temporary folder of their own; nothing may stay in it."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert not [*folder.iterdir()]


def content_of(file):
    """Return the files of an archive by their names."""
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(file, content, **more):
    """Write an archive; in a manifest that is a mapping, more keys are replaced."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            if name == MANIFEST and more:
                text = json.dumps({**json.loads(text), **more}).encode()  # noqa: PLW2901
            archive.writestr(name, text)
    return file


def refused(file, *words):
    """Assert that a bundle is refused in one line with these words."""
    with pytest.raises(InputError) as caught, open_bundle(file):
        pass
    told = str(caught.value)
    assert told.startswith(f"{file}: "), told
    assert "\n" not in told
    for word in words:
        assert word in told


def test_what_is_unpacked_is_what_was_packed_and_goes_afterwards(good, temporary):
    with open_bundle(good) as bundle:
        assert bundle.folder.stat().st_mode & 0o777 == stat.S_IRWXU
        assert bundle.folder.parent == temporary
        files = [each for each in bundle.folder.rglob("*") if each.is_file()]
        found = {each.relative_to(bundle.folder).as_posix(): each.read_bytes() for each in files}
        assert found == content_of(good)
        assert bundle.config.read_bytes() == found[CONFIG]
        assert bundle.trace.name == "drive.osi"
    assert not [*temporary.iterdir()]


def test_the_folder_goes_after_an_error_too(good):
    with pytest.raises(ZeroDivisionError), open_bundle(good):
        raise ZeroDivisionError


def test_what_a_killed_process_has_left_goes_with_the_next_bundle(
    good, temporary, of_a_dead_process
):
    left = temporary / f"{LEFT}1.{of_a_dead_process}.part"
    left.mkdir()
    (left / "big").write_bytes(b"x")
    with open_bundle(good):
        assert not left.exists()


@pytest.mark.long
@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_a_flipped_bit_is_refused_or_changes_nothing(good, tmp_path, place, bit):
    """A bit of the time of a file, say, is no content: then all that is read is the same."""
    data = bytearray(good.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    file = tmp_path / "flipped.osib"
    file.write_bytes(data)
    found = content_of(good)
    try:
        with open_bundle(file) as bundle:
            names = [MANIFEST, *(each.name for each in bundle.manifest.members)]
            found = {name: (bundle.folder / name).read_bytes() for name in names}
    except InputError:
        refused(file)
    assert found == content_of(good)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0, 1, exclude_max=True))
def test_a_truncated_bundle_is_refused(good, tmp_path, share):
    data = good.read_bytes()
    file = tmp_path / "cut.osib"
    file.write_bytes(data[: int(share * len(data))])
    refused(file, "is damaged or cut short")


def test_files_that_are_no_bundles_are_told(tmp_path):
    refused(tmp_path / "absent.osib", "no such file")
    (tmp_path / "text.osib").write_text("no archive at all")
    refused(tmp_path / "text.osib", "is damaged or cut short", "expected a bundle (.osib)")
    refused(write(tmp_path / "zip.osib", {"a.txt": b"a"}), "contains no manifest.json")
    other = write(tmp_path / "other.osib", {MANIFEST: b"{}"})
    refused(other, "manifest.json does not belong to a bundle")
    refused(write(tmp_path / "not.osib", {MANIFEST: b"{"}), "is not JSON")
    refused(tmp_path, "cannot be unpacked")


def test_a_newer_format_is_told_with_the_version_that_wrote_it(good, tmp_path):
    newer = {"format_version": FORMAT_VERSION + 1, "osi_lidar": "9.1.0", "files": "as it likes"}
    file = write(tmp_path / "new.osib", content_of(good), **newer)
    refused(file, f"is of format {FORMAT_VERSION + 1}", "reads formats up to 1", "9.1.0")


def test_a_missing_and_an_extra_file_are_told(good, tmp_path):
    content = content_of(good)
    name = next(name for name in content if name.endswith("car.obj"))
    fewer = {key: text for key, text in content.items() if key != name}
    refused(write(tmp_path / "fewer.osib", fewer), f"lacks '{name}', which manifest.json lists")
    more = {**content, "files/0/more.obj": b"o"}
    refused(
        write(tmp_path / "more.osib", more), "contains 'files/0/more.obj', which manifest.json does"
    )


def test_another_content_is_told(good, tmp_path):
    content = content_of(good)
    name = next(name for name in content if name.endswith("car.obj"))
    longer = {**content, name: content[name] + b" "}
    refused(write(tmp_path / "longer.osib", longer), name, "bytes, manifest.json says")
    other = {**content, name: content[name][:-1] + b"?"}
    refused(write(tmp_path / "other.osib", other), name, "SHA-256")


@pytest.mark.parametrize(
    "name",
    [
        "../up.obj",
        "files/../../up.obj",
        "/etc/passwd",
        "a//b",
        "./a",
        "C:/a",
        "a\\b",
        "files/",
        "a\nb",
    ],
)
def test_a_path_that_leaves_the_folder_is_refused(good, tmp_path, name):
    file = write(tmp_path / "evil.osib", content_of(good))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"evil")
    refused(file, "expected relative paths without")
    files = json.loads(content_of(good)[MANIFEST])["files"]
    listed = [*files, {**files[0], "name": name}]
    named = write(tmp_path / "named.osib", content_of(good), files=listed)
    refused(named, "expected relative paths without")


def test_links_and_devices_are_refused(good, tmp_path):
    for kind in (stat.S_IFLNK, stat.S_IFCHR, stat.S_IFDIR):
        file = write(tmp_path / "link.osib", content_of(good))
        with zipfile.ZipFile(file, "a") as archive:
            entry = zipfile.ZipInfo("files/0/link")
            entry.create_system = 3
            entry.external_attr = (kind | 0o777) << 16
            archive.writestr(entry, "/etc/passwd")
        refused(file, "contains 'files/0/link', which is a link or another special file")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_files_of_one_name_are_refused(good, tmp_path):
    file = write(tmp_path / "twice.osib", content_of(good))
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(CONFIG, b"sensors: []")
    refused(file, f"contains '{CONFIG}' twice")
    files = json.loads(content_of(good)[MANIFEST])["files"]
    file = write(tmp_path / "listed.osib", content_of(good), files=[*files, files[0]])
    refused(file, f"lists '{files[0]['name']}' twice")


def test_a_name_that_is_file_and_folder_is_refused(good, tmp_path):
    files = json.loads(content_of(good)[MANIFEST])["files"]
    both = {**content_of(good), "files/0": b""}
    digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"  # of no bytes
    listed = [*files, {"name": "files/0", "size": 0, "sha256": digest, "origin": None}]
    refused(write(tmp_path / "both.osib", both, files=listed), "as a file and as a folder")
    name = f"{MANIFEST}/x"
    below = {**content_of(good), name: b""}
    listed = [*files, {"name": name, "size": 0, "sha256": digest, "origin": None}]
    words = f"contains '{MANIFEST}' as a file and as a folder"
    refused(write(tmp_path / "below.osib", below, files=listed), words)


def test_a_long_version_is_cut(good, tmp_path):
    file = write(tmp_path / "long.osib", content_of(good), format_version=10**4000)
    refused(file, f"is of format 1{'0' * 39}, osi-lidar")


def test_a_bomb_is_refused_before_it_is_unpacked(good, tmp_path):
    zeros = bytes(64 * 2**20)  # deflate packs them to a thousandth: 500 are allowed beside 16 MiB
    content = {**content_of(good), "files/0/zeros": zeros}
    files = json.loads(content[MANIFEST])["files"]
    listed = [*files, {**files[0], "name": "files/0/zeros", "size": len(zeros)}]
    file = write(tmp_path / "bomb.osib", content, files=listed)
    with memory_bound(24):
        refused(file, "expected at most")


def test_too_many_files_and_bytes_are_refused(good, monkeypatch):
    monkeypatch.setattr(opening, "MOST_FILES", 3)
    refused(good, "files: got", "expected at most 3")
    monkeypatch.undo()
    monkeypatch.setattr(opening, "MOST_BUNDLE_BYTES", 100)
    refused(good, "bytes of all files: got", "expected at most 100")
    assert bounds.MOST_BUNDLE_BYTES > 100


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("files", {}), ("files", [1]), ("files", [{"name": "a"}]), ("trace", 3), ("trace", "gone"),
        ("reads", []), ("reads", {"host_id": "1"}), ("reads", {"what": 1}), ("format_version", "1"),
        ("reads", {"message_type": 1}), ("run", 1), ("run", {"made_with": {}, "clouds": [{}]}),
        ("run", {"made_with": {"a": 1}, "clouds": []}), ("osi_lidar", None),
    ],
)  # fmt: skip
def test_a_manifest_with_other_values_is_refused(good, tmp_path, key, value):
    refused(write(tmp_path / "odd.osib", content_of(good), **{key: value}), MANIFEST)


def test_packing_that_cannot_be_bounded_is_refused(good, tmp_path):
    file = tmp_path / "lzma.osib"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as archive:
        for name, text in content_of(good).items():
            archive.writestr(name, text)
    refused(file, "has an unknown compression, expected deflate or none")


def configured(good, target, change):
    """Write a bundle with another configuration, of which its manifest is right."""
    content = content_of(good)
    config = yaml.safe_load(content[CONFIG])
    change(config)
    text = yaml.safe_dump(config).encode()
    files = json.loads(content[MANIFEST])["files"]
    for each in files:
        if each["name"] == CONFIG:
            each.update(size=len(text), sha256=hashlib.sha256(text).hexdigest())
    return write(target, {**content, CONFIG: text}, files=files)


OUTSIDE = [
    ("scene.search[0]", lambda it: it["scene"].update(search=["/etc"]), "/etc"),
    ("scene.search[1]", lambda it: it["scene"].update(search=["files/0", ".."]), "temporary"),
    ("materials.databases[0].folder", lambda it: it["materials"].update(databases=["~"]), ""),
    ("scene.map", lambda it: it["scene"].update(map="files/../../a.xodr"), "a.xodr"),
    (
        "sensors[0].pattern.file",
        lambda it: it["sensors"][0].update(
            pattern={"kind": "python", "file": "/etc/code.txt", "function": "curve"}
        ),
        "/etc/code.txt",
    ),
]
"""Key, change of a configuration, and the path that is told."""


@pytest.mark.parametrize(("key", "change", "path"), OUTSIDE)
def test_a_configuration_that_names_files_outside_is_refused(good, tmp_path, key, change, path):
    file = configured(good, tmp_path / "outside.osib", change)
    refused(file, f"{CONFIG}: {key}: got '", f"{path}', expected a path inside the bundle")


def test_a_configuration_that_is_not_valid_is_refused(good, tmp_path):
    file = configured(good, tmp_path / "odd.osib", lambda it: it.update(what=1))
    refused(file, f"{CONFIG}: what: unknown key")


def test_a_plugin_is_told_as_python_code(good, tmp_path, caplog):
    pattern = {"kind": "plugin", "name": "spiral"}
    file = configured(
        good, tmp_path / "plugin.osib", lambda it: it["sensors"][0].update(pattern=pattern)
    )
    with open_bundle(file):
        assert f"{file}: its configuration runs Python code: plugin spiral" in caplog.messages


def test_a_full_disk_is_told(good, monkeypatch):
    monkeypatch.setattr(opening.shutil, "disk_usage", lambda _: type("Usage", (), {"free": 10})())
    refused(good, "bytes to be unpacked", "has 10 bytes free")


def test_the_manifest_is_read_without_unpacking(good, temporary):
    manifest, config = read_manifest(good)
    assert config == content_of(good)[CONFIG]
    assert manifest.trace.endswith("drive.osi")
    assert not [*temporary.iterdir()]


def test_a_temporary_folder_that_cannot_be_written_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    with pytest.raises(Exception, match="absent: cannot be written"), scratch_folder():
        pass
    assert not Path(tmp_path / "absent").exists()

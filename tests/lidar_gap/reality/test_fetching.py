# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of recordings, fetched from repositories on this machine."""

import hashlib
import shutil
import subprocess

import pytest

from lidar_gap.reality import fetching
from lidar_gap.reality.fetching import check_whole, fetch, states
from lidar_gap.reality.recordings import PublicRecording
from osi_lidar.errors import InputError, OutputError

CONTENT = {"a.pcd": b"points", "deep/b.json": b"{}", "pointer.bag": b"version https://git-lfs ..."}
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(folder, *arguments):
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main")
    command = ["git", *names, "-C", str(folder), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def clone(tmp_path):
    """Return a repository with recordings; a server may send parts of it."""
    folder = tmp_path / "site" / "somebody" / "recordings"
    for name, content in CONTENT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "-m", "Recordings")
    git(folder, "config", "uploadpack.allowAnySHA1InWant", "true")
    git(folder, "config", "uploadpack.allowFilter", "true")
    return folder


def recording(clone, *names, commit=None, **digests):
    files = {name: hashlib.sha256(CONTENT[name]).hexdigest() for name in names}
    return PublicRecording(
        name="mine", title="t", sensor="VLP-16", unit="u", place="p", licence="MIT",
        repository="somebody/recordings", commit=commit or git(clone, "rev-parse", "HEAD"),
        files={**files, **digests}, clouds=names[:1],
    )  # fmt: skip


@pytest.mark.parametrize("place", ["somebody/recordings", "somebody+recordings", "recordings"])
def test_files_come_from_a_mirror_wherever_it_lies(tmp_path, clone, place):
    mirrors = tmp_path / "mirrors"
    (mirrors / place).parent.mkdir(parents=True)
    clone.rename(mirrors / place)
    wanted = recording(mirrors / place, "a.pcd", "deep/b.json")
    found = list(fetch([wanted], tmp_path / "pack", mirrors))
    assert [each.state for each in found] == ["fetched", "fetched"]
    assert [each.path.read_bytes() for each in found] == [b"points", b"{}"]
    check_whole(wanted, tmp_path / "pack")
    assert [each.state for each in fetch([wanted], tmp_path / "pack", mirrors)] == ["there"] * 2


def test_files_come_over_the_network_without_the_rest(tmp_path, clone, monkeypatch):
    monkeypatch.setattr(fetching, "SITE", f"file://{tmp_path / 'site'}")
    (found,) = fetch([recording(clone, "deep/b.json")], tmp_path / "pack")
    assert found.state == "fetched"
    assert sorted(each.name for each in (tmp_path / "pack").rglob("*") if each.is_file()) == [
        "b.json"
    ]


def test_without_a_network_every_file_is_missing_and_nothing_is_written(
    tmp_path, clone, monkeypatch
):
    monkeypatch.setattr(fetching, "SITE", f"file://{tmp_path / 'nowhere'}")
    (found,) = fetch([recording(clone, "a.pcd")], tmp_path / "pack")
    assert (found.state, found.is_good) == ("missing", False)
    assert found.reason
    assert not (tmp_path / "pack").exists()


@pytest.mark.parametrize(
    ("names", "changes", "reason"),
    [
        (["a.pcd"], {"commit": "0" * 40}, "has no commit 000000000000"),
        ([], {"c.pcd": "0" * 64}, "c.pcd"),
        ([], {"a.pcd": "0" * 64}, "the file in the repository differs from the description"),
        (["pointer.bag"], {}, "Git LFS"),
    ],
    ids=["commit", "file", "bytes", "pointer"],
)
def test_what_a_repository_lacks_is_missing_with_the_reason(
    tmp_path, clone, names, changes, reason
):
    commit = changes.pop("commit", None)
    files = {name: hashlib.sha256(CONTENT[name]).hexdigest() for name in names} | changes
    wanted = PublicRecording(
        name="mine", title="t", sensor="VLP-16", unit="u", place="p", licence="MIT",
        repository="somebody/recordings", commit=commit or git(clone, "rev-parse", "HEAD"),
        files=files, clouds=tuple(files),
    )  # fmt: skip
    (found,) = fetch([wanted], tmp_path / "pack", tmp_path / "site")
    assert found.state == "missing"
    assert reason in found.reason
    assert not found.path.exists()


def test_a_changed_byte_is_found_and_not_replaced(tmp_path, clone):
    wanted = recording(clone, "a.pcd")
    (found,) = fetch([wanted], tmp_path / "pack", tmp_path / "site")
    found.path.write_bytes(b"pointz")
    (again,) = fetch([wanted], tmp_path / "pack", tmp_path / "site")
    assert again.state == "changed"
    assert found.path.read_bytes() == b"pointz"
    with pytest.raises(InputError, match=r"differs from its description .* fetch it again"):
        check_whole(wanted, tmp_path / "pack")
    found.path.unlink()
    with pytest.raises(InputError, match="no such file; fetch the recording mine"):
        check_whole(wanted, tmp_path / "pack")
    assert [each.state for each in states(wanted, tmp_path / "pack")] == ["missing"]


def test_a_full_disk_leaves_no_half_of_a_file(tmp_path, clone, monkeypatch):
    def full(path, content):
        with path.open("wb") as file:
            file.write(content[:2])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(OutputError, match="No space left on device"):
        list(fetch([recording(clone, "a.pcd")], tmp_path / "pack", tmp_path / "site"))
    assert not [each for each in (tmp_path / "pack").rglob("*") if each.is_file()]


def test_an_interrupted_fetch_goes_on_where_it_stopped(tmp_path, clone):
    wanted = recording(clone, "a.pcd", "deep/b.json")
    transfer = fetch([wanted], tmp_path / "pack", tmp_path / "site")
    assert next(transfer).state == "fetched"
    transfer.close()
    found = list(fetch([wanted], tmp_path / "pack", tmp_path / "site"))
    assert [each.state for each in found] == ["there", "fetched"]


def test_without_git_it_is_one_line(tmp_path, clone, monkeypatch):
    wanted = recording(clone, "a.pcd")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(InputError, match="git is not installed"):
        list(fetch([wanted], tmp_path / "pack"))

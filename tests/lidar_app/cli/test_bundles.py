# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands write bundles, take them as TRACE and --config, and compare clouds with theirs."""

import json
import shlex
import zipfile

import pytest

from lidar_app.bundle import author
from lidar_app.bundle.manifest import MANIFEST
from lidar_app.bundle.opening import open_bundle
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.made_with import versions
from osi_lidar.run.replay import replay
from osi_lidar.version import __version__
from tests.commands import assert_one_line, run
from tests.lidar_app.bundle.scenarios import bundled, empty_place, plain, with_code, write_made


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the folder of a scenario, its run, and two bundles, one without its clouds."""
    folder = tmp_path_factory.mktemp("made")
    return write_made(folder)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    yield from empty_place(tmp_path, monkeypatch)


def pcd_in(folder):
    """Return the clouds of a run by their names."""
    return {
        each.relative_to(folder).as_posix(): each.read_bytes() for each in folder.rglob("*.pcd")
    }


def changed(bundle, target, change):
    """Write a bundle with another manifest."""
    with zipfile.ZipFile(bundle) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(content[MANIFEST])
    change(manifest)
    content[MANIFEST] = json.dumps(manifest).encode()
    with zipfile.ZipFile(target, "w") as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return target


# --- writing -------------------------------------------------------------------------------------


def test_a_configuration_with_its_trace_and_a_run_of_it_give_the_same_files(made, here):
    home = made / "home"
    told = run("bundle", home / "config.yaml", home / "drive.osi", "--out", "a.osib")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("a.osib: 3 files, ")
    assert (here / "a.osib").read_bytes() == (made / "plain.osib").read_bytes()
    told = run("bundle", made / "run")
    assert told.exit_code == 0, told.output
    assert told.stdout.startswith("drive.osib: 3 files, ")
    assert "hashes of 3 clouds" in told.stdout
    with zipfile.ZipFile(here / "drive.osib") as one, zipfile.ZipFile(here / "a.osib") as other:
        assert one.namelist() == other.namelist()
        for name in one.namelist()[1:]:
            assert one.read(name) == other.read(name)


def test_a_bundle_is_bundled_again_to_the_same_bytes_and_takes_a_run_later(made, here):
    for name in ("plain", "scene"):
        assert run("bundle", made / f"{name}.osib", "--out", "again.osib").exit_code == 0
        assert (here / "again.osib").read_bytes() == (made / f"{name}.osib").read_bytes()
    assert run("replay", made / "plain.osib", "--out", "run").exit_code == 0
    told = run("bundle", made / "plain.osib", "--run", "run", "--out", "later.osib")
    assert told.exit_code == 0, told.output
    assert (here / "later.osib").read_bytes() == (made / "scene.osib").read_bytes()
    words = ("is the run of a bundle", f"osi-lidar bundle {made}/plain.osib --run run")
    assert_one_line(run("bundle", "run"), 2, *words)


@pytest.mark.parametrize("options", [(), ("--host", 2), ("--out", "DRIVE/../drive.osib")])
def test_the_bundle_that_is_read_is_not_replaced(made, here, options):
    (here / "DRIVE").mkdir()
    before = (made / "scene.osib").read_bytes()
    (here / "drive.osib").write_bytes(before)
    told = run("bundle", "drive.osib", *options)
    assert_one_line(told, 2, "drive.osib: is an input, expected another name for the output")
    assert (here / "drive.osib").read_bytes() == before
    told = run("bundle", made / "home" / "config.yaml", "drive.osib", *options)
    assert_one_line(told, 2, "drive.osib: is an input")


def test_hashes_that_are_left_out_are_told(made):
    told = run("bundle", made / "scene.osib", "--host", 2, "--out", "other.osib")
    assert told.exit_code == 0, told.output
    assert "the hashes of 3 clouds of its author are left out" in told.stderr
    assert "hashes" not in told.stdout
    for name in ("scene", "plain"):
        told = run("bundle", made / f"{name}.osib", "--out", f"{name}.osib")
        assert (told.exit_code, told.stderr) == (0, "")


def test_the_trace_of_a_bundle_goes_with_another_configuration(made, here):
    config = plain(here / "other").config
    names = ("a.osib", "b.osib")
    for name in names:
        told = run("bundle", config, made / "scene.osib", "--out", name)
        assert told.exit_code == 0, told.output
    one, other = ((here / name).read_bytes() for name in names)
    assert one == other
    found = json.loads(run("info", "a.osib", "--json").stdout)["packed_files"]
    origins = {each["name"]: each["from"] for each in found}
    assert origins["files/0/drive.osi"].endswith("scene.osib/files/0/drive.osi")


def test_a_name_that_is_too_long_is_told():
    assert_one_line(run("replay", f"{'x' * 300}.osib"), 2, "File name too long")


def test_how_messages_are_read_travels(made, here):
    home = made / "home"
    command = ("bundle", home / "config.yaml", home / "drive.osi", "--host", 2, "--out", "b.osib")
    assert run(*command).exit_code == 0
    assert run("replay", "b.osib", "--out", "out").exit_code == 0
    report = json.loads((here / "out" / "run.json").read_text())
    assert (report["input"]["host_id"], report["host_object_id"]) == (2, 2)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("home/config.yaml", "TRACE: got nothing"),
        ("empty", "contains neither run.json nor"),
        ("absent.yaml home/drive.osi", "absent.yaml: no such file"),
        ("home/config.yaml absent.osi", "absent.osi"),
        ("home/config.yaml home/drive.osi --out a.zip", "expected a name that ends with .osib"),
        ("run --run run", "expected only one run"),
        ("home/config.yaml home/drive.osi --run home", "has no run.json"),
        ("home/config.yaml home/drive.osi --run run --type GroundTruth", "drive.osi"),
        ("home/config.yaml home/drive.osi --run run --host 2", "give --host, --type and --source"),
    ],
)
def test_what_cannot_be_bundled_is_told(made, monkeypatch, words, told):
    (made / "empty").mkdir(exist_ok=True)
    monkeypatch.chdir(made)
    assert_one_line(run("bundle", *words.split()), 2, told)


def test_the_run_of_something_else_is_told(made, here):
    home = made / "home"
    inputs = ("bundle", home / "config.yaml", home / "drive.osi", "--run", "other")
    replayed = ("replay", home / "drive.osi", "-c", home / "config.yaml", "--out", "other", "-q")
    assert run(*replayed, "--frames", "0:2").exit_code == 0
    assert_one_line(run(*inputs), 2, "is a run of some frames (--frames)")
    assert run(*replayed, "--overwrite", "--fidelity", "physical").exit_code == 0
    assert_one_line(run(*inputs), 2, "its configuration differs in sensors[0].fidelity")
    assert run(*replayed, "--overwrite").exit_code == 0
    report = json.loads((here / "other" / "run.json").read_text())
    for key, value, told in (
        ("version", "0.1.0", f"was run by osi-lidar 0.1.0, this is {__version__}"),
        ("status", "interrupted", "the status of the run is interrupted"),
        ("input", {**report["input"], "sha256": "0"}, "is the run of another trace"),
    ):
        (here / "other" / "run.json").write_text(json.dumps({**report, key: value}))
        assert_one_line(run(*inputs), 2, told)
    (here / "other" / "run.json").write_text(json.dumps(report))
    (here / "other" / "front" / "000001.pcd").unlink()
    assert_one_line(run(*inputs), 2, "000001.pcd: cannot be read")


# --- reading -------------------------------------------------------------------------------------


def test_a_replay_of_a_bundle_gives_the_same_clouds_and_names_the_bundle(made, here):
    assert run("replay", made / "scene.osib").exit_code == 0
    out = here / "drive_lidar"
    assert pcd_in(out) == pcd_in(made / "run")
    text = (out / "run.json").read_text()
    assert str(here / "temporary") not in text
    trace = json.loads(text)["input"]["file"]
    assert trace == f"{made}/scene.osib/files/0/drive.osi"


def test_a_run_of_a_bundle_can_be_resumed_and_shown(made, here):
    with open_bundle(made / "scene.osib") as bundle:
        report = replay(
            FrameSource(bundle.trace),
            load_config(bundle.config),
            here / "out",
            on_step=lambda progress: progress.frames_read < 2,
        )
    assert report.status == "interrupted"
    assert len(pcd_in(here / "out")) == 2
    command = ("replay", made / "scene.osib", "--out", "out", "--resume")
    assert run(*command).exit_code == 0
    assert pcd_in(here / "out") == pcd_in(made / "run")
    assert_one_line(run(*command), 2, "there is nothing to resume")
    told = run("view", "out", "--no-open")
    assert told.exit_code == 0
    assert "no scene" not in told.output
    told = run("view", made / "scene.osib", "--no-open", "--frames", "0:2", "--out", "v.html")
    assert told.exit_code == 0, told.output
    assert "2 frames" in told.stdout


def test_a_name_in_capitals_is_that_of_a_bundle(made, here):
    (here / "U.OSIB").write_bytes((made / "plain.osib").read_bytes())
    assert run("replay", "U.OSIB", "--out", "out").exit_code == 0
    told = run("view", "out", "--no-open")
    assert told.exit_code == 0
    assert "no scene" not in told.output
    assert_one_line(
        run("bundle", "out"), 2, "is the run of a bundle", f"bundle {here}/U.OSIB --run out"
    )
    assert run("bundle", "U.OSIB", "--run", "out", "--out", "V.OsIb").exit_code == 0
    assert (here / "V.OsIb").read_bytes() == (made / "scene.osib").read_bytes()


def test_a_folder_with_the_name_of_a_bundle_is_a_folder(made, here):
    with zipfile.ZipFile(made / "plain.osib") as archive:
        archive.extractall(here / "un.osib")
    assert run("bundle", "un.osib", "--out", "a.osib").exit_code == 0
    assert (here / "a.osib").read_bytes() == (made / "plain.osib").read_bytes()
    inputs = ("un.osib/files/0/drive.osi", "-c", "un.osib/config.yaml")
    assert run("replay", *inputs, "--out", "un.osib/run").exit_code == 0
    told = run("bundle", "un.osib/run", "--out", "b.osib")
    assert told.exit_code == 0, told.output
    assert "hashes of 3 clouds" in told.stdout


def test_a_configuration_of_ones_own_goes_with_the_trace_of_a_bundle(made, here):
    config = made / "home" / "config.yaml"
    own = json.loads(config.read_text())
    own["sensors"][0]["name"] = "mine"
    (here / "own.yaml").write_text(json.dumps(own))
    assert run("replay", made / "scene.osib", "-c", "own.yaml", "--out", "out").exit_code == 0
    assert {name.split("/")[0] for name in pcd_in(here / "out")} == {"mine"}


def test_a_new_configuration_is_checked_with_the_bundle(made):
    told = run("config", "init", made / "scene.osib", "--out", "c.yaml")
    assert told.exit_code == 0, told.output
    words = shlex.split(told.stdout.splitlines()[-1])
    assert words == ["osi-lidar", "check", f"{made}/scene.osib", "-c", "c.yaml"]
    assert run(*words[1:]).exit_code == 0


def test_what_is_wrong_inside_is_told_with_the_name_of_the_bundle(made, here):
    told = run("weather", "-c", made / "scene.osib", "--rain", 1)
    assert_one_line(told, 2, f"{made}/scene.osib/config.yaml: sensor front is ideal")
    (here / "bad.osib").write_bytes((made / "scene.osib").read_bytes()[:-10])
    for command in (("replay",), ("check",), ("info",), ("check", "-c"), ("view", "--no-open")):
        assert_one_line(run(*command, "bad.osib"), 2, "bad.osib: is damaged or cut short")
    assert_one_line(run("replay", "absent.osib"), 2, "absent.osib: no such file")
    assert_one_line(run("preview", made / "scene.osib"), 2, "is a bundle, expected clouds")


def test_info_lists_what_a_bundle_holds(made):
    found = json.loads(run("info", made / "scene.osib", "--json").stdout)
    assert found["kind"] == "Bundle of osi-lidar"
    assert found["written_by"] == f"osi-lidar {__version__}"
    assert found["clouds_of_the_author"] == 3
    assert found["sensors"] == ["front"]
    assert [each["name"] for each in found["packed_files"]] == [
        "config.yaml", "files/0/car.obj", "files/0/drive.osi",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["curve.py", "curve.PY", "curve.txt", "curve"])
def test_python_code_in_a_bundle_is_told_whatever_its_name(here, caplog, name):
    bundled(with_code(here / "code", name), here / "code.osib")
    told = run("replay", "code.osib", "--out", "o")
    assert told.exit_code == 0, told.output
    assert f"code.osib: its configuration runs Python code: files/0/{name}" in caplog.messages
    assert json.loads(run("info", "code.osib", "--json").stdout)["python_code"] == [
        f"files/0/{name}"
    ]


# --- comparing -----------------------------------------------------------------------------------


def test_clouds_of_the_author_are_verified(made):
    told = run("replay", made / "scene.osib", "--verify", "--out", "out")
    assert told.exit_code == 0, told.output
    assert "Verified: all 3 clouds equal the author's run, byte for byte" in told.stdout


def test_the_first_cloud_that_differs_is_named_with_what_made_it(made, here, monkeypatch):
    def change(manifest):
        for number in (1, 2):
            manifest["run"]["clouds"][number]["sha256"] = "0" * 64
        manifest["run"]["made_with"]["numba"] = "0.1"

    other = changed(made / "scene.osib", here / "other.osib", change)
    told = run("replay", other, "--verify", "--out", "out")
    numba = versions()["numba"]
    assert told.exit_code == 1
    assert (
        "not the author's clouds: frame 1 of sensor front (front/000001.pcd) differs first; 2 of 3 "
        f"clouds differ, 0 are missing, 0 are too many; made with numba {numba} (author: 0.1)"
    ) in told.stderr
    monkeypatch.setattr(author, "versions", lambda: {**versions(), "numpy": "9"})
    told = run("replay", made / "scene.osib", "--verify", "--out", "out2")
    assert told.exit_code == 0
    assert "made with another numpy 9 (author: " in " ".join(told.stdout.split())


def test_missing_and_extra_clouds_are_named(made):
    told = run("replay", made / "scene.osib", "--verify", "--out", "o", "--sensor", "VLP-16", "-q")
    assert_one_line(told, 1, "3 are missing, 3 are too many", "the same version, kernels and")


def test_what_cannot_be_verified_is_told_before_the_run(made, here):
    home = made / "home"
    loose = ("replay", home / "drive.osi", "-c", home / "config.yaml", "--verify")
    assert_one_line(run(*loose), 2, "--verify: TRACE is not a bundle")
    assert_one_line(
        run("replay", made / "plain.osib", "--verify"), 2, "contains no clouds of its author"
    )
    told = run("replay", made / "scene.osib", "--verify", "--frames", "0:1")
    assert_one_line(told, 2, "--verify: got --frames 0:1, expected all frames")
    assert [each.name for each in here.iterdir()] == ["temporary"]

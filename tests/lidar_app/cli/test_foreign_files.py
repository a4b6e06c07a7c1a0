# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""No command changes a file that it has not written: every one, in a place full of such files."""

from typing import NamedTuple

import pytest
import typer

from lidar_app.cli.main import app
from tests.builders.batches import CONFIG
from tests.builders.runs import make_run
from tests.commands import run
from tests.lidar_app.conformance.recorded import SHEET

READS_ONLY = {"check", "play", "info", "sensors", "materials list", "materials hits", "fmu info",
              "gap metrics"}  # fmt: skip
"""Commands that write no files."""
FOREIGN = ("thesis.txt", "notes.part", ".notes.7.part", "scans.parquet", "view.html", "x.part",
           "preview.png", "000001.png", "manifest.json", "front/000777.pcd", "front/000001.png",
           "first/000000.pcd", "a/thesis.txt", "rows/notes.json", "meshes/notes.mesh",
           "meshes/notes.part", ".sweep.part")  # fmt: skip
REFUSED = ("--overwrite", "nothing is overwritten", "is not replaced", "is not empty", "exists")


class Writes(NamedTuple):
    """How a command is called, and a file that stands where it is to write.

    In the words PLACE is the folder with the foreign files, W the folder with the inputs.
    """

    words: str
    target: str
    also: str = "--overwrite"


def _export(name, end=""):
    """Return an export: of a folder, or of a file with some ending."""
    return Writes(f"export {name} W/run --out PLACE/e{end}", f"e{end}" if end else "e/thesis.txt")


WRITES = {
    "demo": Writes("demo --out PLACE", "run.json", ""),
    "config init": Writes("config init --out PLACE/c.yaml", "c.yaml"),
    "config schema": Writes("config schema --out PLACE/c.json", "c.json"),
    "replay": Writes("replay W/drive.osi -c W/c.yaml --out PLACE", "front/000000.pcd"),
    "scan": Writes("scan -c W/c.yaml --out PLACE", "frames.csv"),
    "sweep": Writes("sweep -c W/c.yaml --vary seed=1,2 --out PLACE", "sweep.csv"),
    "batch": Writes("batch W/jobs.csv -c W/c.yaml --workers 1 --scratch W/s --out PLACE",
                    "index.parquet", ""),
    "stream": Writes("stream --listen 127.0.0.1:0 --for 0.01 -c W/c.yaml --out PLACE", "run.json"),
    "fmu build": Writes("fmu build --out PLACE", "OsiLidar.fmu"),
    "fmu run": Writes("fmu run W/OsiLidar.fmu W/drive.osi --out PLACE", ""),
    "view": Writes("view W/run --no-open --out PLACE/v.html", "v.html"),
    "preview": Writes("preview W/run --sensor front --out PLACE/p.png", "p.png"),
    "world": Writes("world W/drive.osi --out PLACE/w.obj", "w.mtl"),
    "weather": Writes("weather --sensor VLP-16 --rain 3 --plot PLACE/p.png", "p.png"),
    "coverage": Writes("coverage W/c.yaml --zones --vehicle none --plot PLACE/p.png "
                       "--cells PLACE/c.csv", "p.png"),
    "cache": Writes("cache --clear", "", ""),
    "materials show": Writes("materials show asphalt_worn --plot PLACE/p.png", "p.png"),
    "materials suggest": Writes("materials suggest -c W/c.yaml --out PLACE/m.yaml", "m.yaml"),
    "materials schema": Writes("materials schema --out PLACE/m.json", "m.json"),
    "show range": Writes("show range --sensor VLP-16 --plot PLACE/p.png", "p.png"),
    "show waveform": Writes("show waveform W/drive.osi -c W/c.yaml --fidelity physical --beam 0:0 "
                            "--out PLACE/p.png", "p.csv"),
    "show shapes": Writes("show shapes car --out PLACE/s.glb", "s.glb"),
    "dataset": Writes("dataset W/run --format kitti --estimate --out PLACE/d", "d/thesis.txt"),
    "bundle": Writes("bundle W/c.yaml W/drive.osi --out PLACE/b.osib", "b.osib"),
    "export mcap": _export("mcap", ".mcap"),
    "export ros2": _export("ros2"),
    "export laz": _export("laz"),
    "export semantickitti": _export("semantickitti"),
    "export kitti": _export("kitti"),
    "export ouster": _export("ouster"),
    "export e57": _export("e57", ".e57"),
    "export parquet": _export("parquet", ".parquet"),
    "export npy": _export("npy"),
    "gap compare": Writes("gap compare W/run/front W/run/front --out PLACE", "frame_000000.png"),
    "gap calibrate": Writes("gap calibrate W/none.pcap --out PLACE/c.yaml", "c.yaml"),
    "gap twin": Writes("gap twin W/none W/none.csv --null PLACE --out PLACE/t.glb", "t.poses.csv"),
    "gap reality fetch": Writes("gap reality fetch --only xt16-office --from W/none --out PLACE",
                                "", ""),
    "gap reality measure": Writes("gap reality measure W/none --out PLACE/m.json", "m.json"),
    "gap reality score": Writes("gap reality score W/none --out PLACE", "score.html"),
    "gap apply": Writes("gap apply drop W/run/front W/run/front --out PLACE", "x.pcd"),
    "conformance": Writes("conformance W/c.yaml --sheet W/sheet.yaml --only wall --write PLACE "
                          "--out PLACE", "report.json"),
}  # fmt: skip
FOLDERS = {"replay", "scan", "stream", "sweep", "gap apply"}
"""Commands whose --overwrite names a folder, in which files of others stay."""
SLOW = {"fmu run"}


def _names(group, path=()):
    for name, command in group.commands.items():
        if not command.hidden:
            inner = hasattr(command, "commands")
            yield from _names(command, (*path, name)) if inner else [" ".join((*path, name))]


def test_every_command_is_known_to_write_or_not_to():
    assert set(_names(typer.main.get_command(app))) == {*WRITES, *READS_ONLY}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    """Return a folder with a trace, a run, a configuration, a table of jobs and a data sheet."""
    folder = tmp_path_factory.mktemp("inputs")
    make_run(folder)
    (folder / "c.yaml").write_text(CONFIG)
    (folder / "jobs.csv").write_text("trace,out\ndrive.osi,a\n")
    (folder / "sheet.yaml").write_text(SHEET)
    return folder


@pytest.fixture
def place(tmp_path):
    """Return a folder full of foreign files and links."""
    folder, elsewhere = tmp_path / "place", tmp_path / "elsewhere"
    for path in (folder, elsewhere):
        for name in FOREIGN:
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(f"mine: {name}")
    (folder / "link").symlink_to(elsewhere)
    (folder / "000002.png").symlink_to(elsewhere / "thesis.txt")
    return folder


def everything(folder):
    """Return all that is beside and below a folder: contents of files, targets of links."""
    return {
        path: path.readlink() if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in folder.parent.rglob("*")
    }


def called(writes, place, inputs, *more):
    words = writes.words.replace("PLACE", str(place)).replace("W/", f"{inputs}/").split()
    return run(*words, *more)


def assert_kept(before, place):
    after = everything(place)
    assert {path: after.get(path) for path in before} == before


EVERY = pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.slow if each in SLOW else ()) for each in WRITES]
)


@EVERY
@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_command_leaves_foreign_files_where_it_is_to_write(
    name, kind, place, inputs, monkeypatch
):
    writes = WRITES[name]
    if name == "cache":
        monkeypatch.setenv("OSI_LIDAR_CACHE", str(place))
    monkeypatch.chdir(place)
    if writes.target:
        target = place / writes.target
        target.parent.mkdir(exist_ok=True)
        if kind == "file":
            target.write_text("mine")
        else:
            target.unlink(missing_ok=True)
            target.symlink_to(place.parent / "elsewhere" / "thesis.txt")
    before = everything(place)
    result = called(writes, place, inputs)
    assert_kept(before, place)
    if writes.target:
        assert result.exit_code in {1, 2}, result.output
        told = " ".join(result.output.split())
        assert name == "batch" or any(words in told for words in REFUSED), told
    is_folder = writes.words.endswith("PLACE") and name in FOLDERS
    if writes.also and is_folder:  # what is named is the folder
        called(writes, place, inputs, writes.also)
        assert_kept(before, place)


@pytest.mark.parametrize("name", [each for each in WRITES if "PLACE" in WRITES[each].words])
def test_an_address_is_no_folder_of_this_machine(name, place, inputs, monkeypatch):
    monkeypatch.chdir(place)
    before = everything(place)
    words = WRITES[name].words.replace("PLACE", "memory://place").replace("W/", f"{inputs}/")
    if name == "batch":
        words = words.replace("W/s", "s")
        assert run(*words.split()).exit_code == 0
    else:
        result = run(*words.split())
        assert result.exit_code == 2, result.output
        assert "memory://place" in " ".join(result.output.split())
    assert everything(place) == before


@pytest.mark.parametrize("name", ["config schema", "show shapes", "show range", "materials show"])
def test_a_file_is_replaced_where_overwrite_names_it_or_it_is_own(name, place, inputs):
    writes = WRITES[name]
    target = place / writes.target
    target.symlink_to(place.parent / "elsewhere" / "thesis.txt")
    before = everything(place)
    del before[target]
    assert called(writes, place, inputs, "--overwrite").exit_code == 0
    assert_kept(before, place)
    assert target.is_file()
    assert not target.is_symlink()
    assert called(writes, place, inputs).exit_code == 0  # once more
    target.write_text("edited")
    assert called(writes, place, inputs).exit_code == 2
    assert target.read_text() == "edited"

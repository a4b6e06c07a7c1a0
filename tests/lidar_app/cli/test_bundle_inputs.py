# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every command that takes a trace or a configuration takes a bundle in its place, or says no."""

import json
import os
import re
import tempfile

import pytest
import typer

from lidar_app.bundle.opening import open_bundle
from lidar_app.cli.main import app
from lidar_app.cli.parts.parameters import OUTPUT
from osi_lidar.config import load_config
from osi_lidar.run.frame_source import FrameSource
from osi_lidar.run.replay import replay
from tests.builders.files import written as written_file
from tests.builders.worlds import FRONT, write_config
from tests.commands import assert_one_line, run
from tests.lidar_app.bundle.scenarios import bundled, empty_place, with_code, write_made
from tests.lidar_app.conformance.recorded import SHEET
from tests.lidar_scenery.roads.opendrive.small_maps import TWO, road, written


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the folder of a scenario, its run, and two bundles, one without its clouds."""
    return write_made(tmp_path_factory.mktemp("made"))


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    yield from empty_place(tmp_path, monkeypatch)


TAKEN = {
    ("check", "trace"): "check W",
    ("check", "config"): "check -c W",
    ("replay", "trace"): "replay W --out o",
    ("replay", "config"): "replay T -c W --out o",
    ("scan", "config"): "scan -c W --out o",
    ("sweep", "trace"): "sweep W --vary seed=1,2 --workers 1 --out o",
    ("sweep", "config"): "sweep T -c W --vary seed=1,2 --workers 1 --out o",
    ("batch", "jobs"): "batch W --workers 1 --scratch s --out o",
    ("batch", "config"): "batch T -c W --workers 1 --scratch s --out o",
    ("stream", "config"): "stream --listen 127.0.0.1:0 --for 0.01 -c W --out o",
    ("info", "file"): "info W",
    ("view", "source"): "view W --no-open --out o.html",
    ("world", "trace"): "world W --map M --out w.glb",
    ("world", "config"): "world T -c W --map M --out w.glb",
    ("coverage", "config"): "coverage W --zones --vehicle none",
    ("coverage", "trace"): "coverage P W --zones",
    ("bundle", "config"): "bundle W --out o.osib",
    ("bundle", "trace"): "bundle C W --out o.osib",
    ("dataset", "runs"): "dataset W --format kitti --workers 1 --out o",
    ("dataset", "config"): "dataset T -c W --format kitti --workers 1 --out o",
    ("config init", "trace"): "config init W --out c.yaml",
    ("fmu build", "config"): "fmu build -c W --out o",
    ("materials list", "config"): "materials list -c W",
    ("materials show", "config"): "materials show asphalt_worn -c W",
    ("materials suggest", "trace"): "materials suggest W",
    ("materials suggest", "config"): "materials suggest T -c W",
    ("show range", "config"): "show range -c W",
    ("show waveform", "trace"): "show waveform W --fidelity physical --beam 0:0",
    (
        "show waveform",
        "earlier_trace",
    ): "show waveform --trace W -c C --fidelity physical --beam 0:0",
    ("show waveform", "config"): "show waveform T -c W --fidelity physical --beam 0:0",
}
"""Parameters that take a bundle, W; T, C, P and M are a trace, two configurations and a map."""
REFUSING = {
    ("weather", "config"): ("weather -c W --rain 1", "config.yaml: sensor front is ideal"),
    ("conformance", "subject"): ("conformance W --sheet S", "is a bundle"),
}
"""Parameters that refuse the bundle of these tests, and why in words."""
ELSEWHERE = {
    ("play", "trace"): "needs a server",
    ("fmu run", "trace"): "needs an FMU",
}
ABOUT = {
    *("sensor", "map_file", "source", "poses", "change", "vehicle", "model", "split", "licence"),
    *("patterns", "database", "wavelength", "workers", "intervals", "scratch_gb", "frame"),
}
"""Parameters that speak of a trace or a configuration, and are none."""
_WORDS = re.compile(r"(?i)\b(traces?|configurations?|bundles?)\b")


def inputs_of(group, path=()):
    """Yield all parameters that may be a trace or a configuration, with the names of commands."""
    for name, command in group.commands.items():
        if command.hidden:
            continue
        if hasattr(command, "commands"):
            yield from inputs_of(command, (*path, name))
            continue
        for each in command.params:
            is_input = each.rich_help_panel != OUTPUT and not getattr(each, "is_flag", False)
            if is_input and _WORDS.search(f"{each.metavar or each.name} {each.help}"):
                yield " ".join((*path, name)), each.name


def test_no_parameter_for_a_trace_or_a_configuration_is_forgotten():
    """A new command is found by the names and the help of its parameters."""
    known = {*TAKEN, *REFUSING, *ELSEWHERE}
    found = {each for each in inputs_of(typer.main.get_command(app)) if each[1] not in ABOUT}
    known_about = {("view", "source")}  # elsewhere a source is a topic
    assert found | known_about == known


def words(made, command):
    """Return a command line with the files of the scenario for its capitals."""
    home = made / "home"
    files = {
        "W": made / "scene.osib",
        "T": home / "drive.osi",
        "C": home / "config.yaml",
        "P": write_config(made, sensors=[{"name": "front", **FRONT, "mounting": {"z_m": 2.0}}]),
        "M": written(made, road(TWO)),
        "S": written_file(made / "sheet.yaml", SHEET),
    }
    return [files.get(word, word) for word in command.split()]


@pytest.mark.long
@pytest.mark.parametrize("key", TAKEN, ids=" ".join)
def test_a_command_takes_a_bundle(made, here, key):
    told = run(*words(made, TAKEN[key]))
    assert told.exit_code == 0, told.output
    assert str(here / "temporary") not in told.output
    written_files = [each for each in here.rglob("*") if each.is_file()]
    assert not [each for each in written_files if b".osi-lidar-bundle-" in each.read_bytes()]


@pytest.mark.parametrize("key", REFUSING, ids=" ".join)
def test_a_command_that_takes_no_bundle_says_so_in_one_line(made, key):
    command, told = REFUSING[key]
    assert_one_line(run(*words(made, command)), 2, f"{made}/scene.osib", told)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("preview W", "is a bundle, expected clouds"),
        ("gap compare W W", "is a bundle, expected clouds"),
        ("materials hits W", "is a bundle, expected clouds"),
        ("bundle C T --run W --out o.osib", "is a bundle, expected clouds"),
        (
            "replay s3://bucket/scene.osib",
            "expected a path of this machine; batch reads and writes elsewhere, dataset only reads",
        ),
        ("replay T -c s3://bucket/scene.osib", "--config: got the address s3://bucket/scene.osib"),
        ("replay - --out o", "-: no such file"),
        ("replay pipe.osib --out o", "osi-lidar: pipe.osib: is a device or a pipe"),
        ("replay T -c pipe.osib --out o", "osi-lidar: pipe.osib: is a device or a pipe"),
    ],
)
def test_what_is_no_bundle_here_is_one_line(made, here, command, told):
    os.mkfifo("pipe.osib")
    assert_one_line(run(*words(made, command)), 2, told)
    assert not [*here.glob("o*")]


def test_a_bundle_gives_the_trace_and_another_one_the_configuration(made, here, caplog):
    """Code of the first one's configuration does not run, so nothing is said of it."""
    code = bundled(with_code(here / "code", "curve.txt"), here / "code.osib")
    told = run("replay", code, "-c", made / "scene.osib", "--out", "o")
    assert told.exit_code == 0, told.output
    assert not [each for each in caplog.messages if "Python code" in each]
    report = json.loads((here / "o" / "run.json").read_text())
    assert report["input"]["file"].startswith(f"{code}/")
    assert [*report["made_with"]["files"]] == ["trace: car.obj"]
    told = run("replay", made / "scene.osib", "-c", code, "--out", "p")
    assert told.exit_code == 0, told.output
    assert [each for each in caplog.messages if "Python code" in each]


def test_two_commands_with_one_bundle_side_by_side_unpack_it_apart(made, here):
    file = made / "scene.osib"
    with open_bundle(file) as one, open_bundle(file) as other:
        assert one.folder != other.folder
        told = run("replay", file, "--out", "o", "-q")
        assert told.exit_code == 0, told.output
        assert one.trace.is_file()
    assert (here / "o" / "run.json").is_file()


def test_a_bundle_that_is_replaced_meanwhile_changes_nothing(made, here):
    (here / "scene.osib").write_bytes((made / "scene.osib").read_bytes())
    with open_bundle(here / "scene.osib") as bundle:
        steps = []

        def replace(_):
            steps.append((here / "scene.osib").write_bytes(b"another"))
            return True

        replay(FrameSource(bundle.trace), load_config(bundle.config), here / "o", on_step=replace)
    assert len(steps) == 3
    expected = json.loads((made / "run" / "run.json").read_text())["made_with"]
    assert json.loads((here / "o" / "run.json").read_text())["made_with"] == expected
    assert_one_line(run("view", "scene.osib", "--no-open"), 2, "is damaged or cut short")
    told = run("view", "o", "--no-open")  # without the scene, which the bundle had
    assert told.exit_code == 0, told.output


def test_folders_that_cannot_be_written_are_one_line(made, here, monkeypatch):
    (here / "file").write_text("")
    told = run("bundle", made / "scene.osib", "--out", "file/o.osib")
    assert_one_line(told, 2, "file/o.osib: cannot be written: ")
    told = run("view", made / "scene.osib", "--no-open", "--out", "file/o.html")
    assert_one_line(told, 2, "file/o.html", "cannot be written")
    monkeypatch.setattr(tempfile, "tempdir", str(here / "file"))
    told = run("replay", made / "scene.osib", "--out", "o")
    assert_one_line(told, 2, f"{here}/file: cannot be written: ")

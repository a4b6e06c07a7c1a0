# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""How much a command says, the version for bug reports, and completion by the shell."""

import logging
import os
import subprocess
import sys

import numba
import pytest

import osi_lidar
from lidar_app.cli.parts.compiling import compilation_message
from lidar_base.compiled import COMPILING, when_compiling
from osi_lidar.run.example_scene import street
from tests.builders.runs import make_run
from tests.commands import run
from tests.lidar_app.cli.test_help import COMMANDS


@pytest.fixture(autouse=True)
def _as_before():
    """Leave loudness and levels of logging as they are without options."""
    yield
    run("--version")


@pytest.mark.parametrize("place", ["before", "behind"])
def test_quiet_says_nothing_of_what_went_well_wherever_it_stands(place, trace):
    words = ("check", trace)
    result = run("-q", *words) if place == "before" else run(*words, "-q")
    assert (result.exit_code, result.output) == (0, "")


def test_quiet_says_errors_and_answers():
    result = run("-q", "check", "/nowhere.osi")
    assert result.exit_code == 2
    assert "/nowhere.osi: no such file" in result.stderr
    assert "OS1-128" in run("sensors", "-q").output


def test_verbose_says_what_is_assumed_on_the_way(trace, caplog):
    said = "ground plane"
    assert run("check", trace).exit_code == 0
    assert said not in caplog.text
    assert run("check", "-v", trace).exit_code == 0
    assert said in caplog.text


def test_options_of_one_command_do_not_hold_for_the_next(trace):
    assert run("-q", "-v", "check", trace).output == ""
    assert run("check", trace).output
    assert logging.getLogger("osi_lidar").level == logging.NOTSET


@pytest.mark.parametrize("options", [("--version", "--verbose"), ("-v", "--version")])
def test_the_version_for_a_bug_report_names_what_results_depend_on(options):
    first, *lines = run(*options).output.splitlines()
    assert first == f"osi-lidar {osi_lidar.__version__}"
    words = [line.split()[0] for line in lines]
    assert words[:6] == ["Python", "system", "processor", "kernels", "Embree", "OSI"]
    text = "\n".join(lines)
    assert f"numba {numba.__version__}" in text
    assert "packets of" in text
    assert ".".join(map(str, sys.version_info[:3])) in text


@pytest.mark.parametrize("is_terminal", [True, False])
def test_the_first_compilation_is_told_once(monkeypatch, capsys, caplog, is_terminal):
    def add(one):
        return one + 1

    monkeypatch.setattr("lidar_app.cli.parts.console.err._force_terminal", is_terminal)
    with compilation_message(), caplog.at_level("INFO", "lidar_app"):
        assert (numba.njit(add)(1), numba.njit(add)(2.0)) == (2, 3.0)
    assert capsys.readouterr().err.count(COMPILING) == is_terminal
    assert caplog.messages.count(COMPILING) == (not is_terminal)


def test_kernels_that_are_there_are_no_compilation():
    @numba.njit
    def double(one):
        return 2 * one

    double(1)
    compiled = []
    with when_compiling(lambda: compiled.append(1)):
        double(2)
    assert not compiled


def test_the_shell_is_offered_the_commands_that_begin_so():
    environment = {
        **os.environ,
        "_OSI_LIDAR_COMPLETE": "complete_bash",
        "COMP_WORDS": "osi-lidar pre",
        "COMP_CWORD": "1",
    }
    script = "import sys; sys.argv = ['osi-lidar']; from lidar_app.cli.main import main; main()"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout.split(), done.stderr) == (["preview"], "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_can_be_installed_in_a_shell(shell, monkeypatch):
    monkeypatch.setenv("_OSI_LIDAR_COMPLETE", f"source_{shell}")
    assert "_OSI_LIDAR_COMPLETE" in run().output


def offered(words, name, incomplete, **given):
    """Return what the shell is offered for the value of a parameter."""
    command = COMMANDS[words]
    context = command.make_context(words[-1], [], resilient_parsing=True)
    context.params.update(given)
    (parameter,) = (each for each in command.params if each.name == name)
    return [item.value for item in parameter.shell_complete(context, incomplete)]


def test_the_shell_completes_names(tmp_path):
    expected = ["OS1-16", "OS1-32", "OS1-64", "OS1-64-Gen2", "OS1-128", "OS1-128-Rev7"]
    assert offered(("replay",), "sensor", "OS1-") == expected
    assert offered(("export", "ros2"), "layout", "") == ["xyzirt", "autoware"]
    assert offered(("replay",), "message_type", "G") == ["GroundTruth"]
    assert "asphalt_worn" in offered(("materials", "show"), "name", "asphalt_w")
    assert offered(("show", "shapes"), "name", "ca") == ["car"]
    sensors = {"cloud": make_run(tmp_path)}
    assert offered(("preview",), "sensor", "", **sensors) == ["front", "left"]
    for runs in ([str(tmp_path / "absent"), str(sensors["cloud"])], [str(tmp_path)]):
        assert offered(("dataset",), "sensor", "", runs=runs) == ["front", "left"]
        assert offered(("dataset",), "sensor", "l", runs=runs) == ["left"]
    assert offered(("show", "waveform"), "sensor", "", config=street().config) == ["roof"]

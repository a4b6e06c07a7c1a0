# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An interrupt ends a command with one line, also while its packages are imported."""

import os
import signal
import subprocess
import sys

import pytest

from lidar_base.process.collector import SELDOM

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a signal of Windows ends the process")

INTERRUPTED = """
import os, signal, sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            os.kill(os.getpid(), signal.{sent})
sys.meta_path.insert(0, Finder())
sys.argv = ["osi-lidar", *{words!r}]
from osi_lidar.__main__ import main
main()
"""

COMMAND = """
import signal, sys, time
import lidar_app.cli.main as cli
class Ends:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)
def command():
    Ends()
    time.sleep(60)
cli.app.add(command, "command")
sys.argv = ["osi-lidar", "command"]
from osi_lidar.__main__ import main
main()
"""
"""A command in which a finaliser is interrupted, which then waits."""


CATCHING = COMMAND.replace("Ends()", "catch()").replace(
    "class Ends:",
    """class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == "wave":
            signal.raise_signal(signal.SIGINT)
def catch():
    sys.meta_path.insert(0, Finder())
    try:
        import wave
    except BaseException:  # as trimesh does around its imports
        pass
class Ends:""",
)
"""A command that imports a module, is interrupted meanwhile and catches that, and then waits."""


def start(name, sent, *words):
    script = INTERRUPTED.format(name=name, sent=sent, words=words)
    command = [sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("lidar_app.cli.live", "SIGINT"),
        ("typer", "SIGTERM"),
        ("rich", "SIGINT"),
        pytest.param("lidar_app.cli.live", "SIGTERM", marks=pytest.mark.slow),
        pytest.param("typer", "SIGINT", marks=pytest.mark.slow),
        pytest.param("rich", "SIGTERM", marks=pytest.mark.slow),
    ],
)
def test_an_interrupt_during_the_first_imports_is_one_line(name, sent):
    ended = start(name, sent, "sensors")
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "osi-lidar: interrupted\n")


TWICE = """
import atexit, signal
import lidar_app.cli.main as cli
atexit.register(signal.raise_signal, signal.SIGINT)
def interrupted():
    raise KeyboardInterrupt
cli.main = interrupted
from osi_lidar.__main__ import main
main()
"""
"""A command line that is interrupted as it tells of an interrupt, and again as Python ends."""


def test_one_more_interrupt_as_the_process_ends_is_not_told():
    command = [sys.executable, "-c", TWICE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "osi-lidar: interrupted\n")


@pytest.mark.parametrize("method", ["make_context", "invoke"])
def test_an_interrupt_between_start_and_command_is_one_line(method):
    """typer catches it, and would end without a word."""
    script = f"""
import signal, sys
from typer.core import TyperGroup
before = TyperGroup.{method}
def interrupted(*given, **named):
    signal.raise_signal(signal.SIGINT)
    return before(*given, **named)
TyperGroup.{method} = interrupted
sys.argv = ["osi-lidar", "sensors"]
from osi_lidar.__main__ import main
main()
"""
    command = [sys.executable, "-c", script]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "osi-lidar: interrupted\n")


def test_an_interrupt_that_an_import_catches_ends_the_command_nevertheless():
    command = [sys.executable, "-c", CATCHING]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "osi-lidar: interrupted\n")


def test_an_interrupt_in_a_finaliser_ends_the_command_nevertheless():
    """Python ignores what a finaliser raises."""
    command = [sys.executable, "-c", COMMAND]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "osi-lidar: interrupted\n")


def test_an_interrupt_ends_a_command_that_a_module_runs_while_it_is_imported(tmp_path):
    (tmp_path / "runs.py").write_text(COMMAND)
    command = [sys.executable, "-c", "import runs"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (130, "osi-lidar: interrupted\n")


def test_a_process_that_ignores_interrupts_goes_on_doing_so():
    script = INTERRUPTED.format(name="typer", sent="SIGINT", words=["sensors"])
    ended = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )
    assert ended.returncode == 0, ended.stderr


def test_a_working_folder_that_was_removed_is_one_line(tmp_path):
    folder = tmp_path / "gone"
    folder.mkdir()
    script = f"import os; os.rmdir({str(folder)!r}); from osi_lidar.__main__ import main; main()"
    command = [sys.executable, "-c", script, "demo", "--out", "demo"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "osi-lidar: the working folder was removed\n")


@pytest.mark.long
def test_a_command_searches_seldom_for_garbage():
    script = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_threshold()[0]))\n"
        "sys.argv = ['osi-lidar', '--version']\n"
        "from osi_lidar.__main__ import main; main()"
    )
    told = subprocess.check_output([sys.executable, "-c", script], text=True)
    assert told.splitlines()[-1] == str(SELDOM)

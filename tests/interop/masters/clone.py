# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Runs what the pages on the chain and on masters show, as a user types it in a clone.

The page of the chain has blocks of bash below Prepare and Check. The page of masters has a section
for each master, with steps that begin in bold: **Prepare.** and **Run.**. What is in Run sees no
more than the master: no environment of Python, and in PATH only the folder of the master.
"""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```(bash|py)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CHAIN, MASTERS = "fmu-chain.md", "run-the-fmu-in-a-master.md"
LIMIT_S = 300
KEPT = ("HOME", "LD_LIBRARY_PATH", "TMPDIR")


def program(variable, name):
    """Return the folder of a master's program; skip where there is none."""
    path = os.environ.get(variable) or shutil.which(name)
    if path is None:
        pytest.skip(f"no {name} in PATH, and {variable} does not name it")
    assert Path(path).name == name, f"{variable} has to name a program {name}, not {path}"
    return str(Path(path).resolve().parent)


def python_with(variable, package):
    """Return a Python that has a package; skip where there is none."""
    named = os.environ.get(variable)
    if named is None and find_spec(package) is None:
        pytest.skip(f"{package} is not installed, and {variable} names no Python that has it")
    return named or sys.executable


def read(page):
    """Return the text of a page."""
    return (REPOSITORY / "docs" / "how-to" / page).read_text(encoding="utf-8")


def section(page, heading):
    """Return what is below a heading of a page."""
    found = re.search(
        rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", read(page), re.MULTILINE | re.DOTALL
    )
    assert found, f"{page} has no section {heading}"
    return found[1]


def steps(master):
    """Return the blocks of each step in a master's section, each with its language."""
    parts = re.split(r"^\*\*(.+?)\.\*\*", section(MASTERS, master), flags=re.MULTILINE)
    return {name: BLOCK.findall(part) for name, part in zip(parts[1::2], parts[2::2], strict=True)}


class Clone:
    """A folder that holds what the commands of the pages name."""

    def __init__(self, folder):
        self.folder = folder
        self.chain = folder / "out" / "chain"
        for name in ("scenarios", "examples", "tests"):
            (folder / name).symlink_to(REPOSITORY / name)

    def prepare(self, blocks):
        """Run blocks that prepare a run."""
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
        for language, block in blocks:
            assert language == "bash"
            self._run(["bash", "-eu", "-c", block], self.folder, os.environ | {"PATH": path})

    def run(self, master, *, path="", python=None):
        """Run the step Run of a master: a program's blocks in bash, or a package's in Python."""
        language = "bash" if path else "py"
        blocks = [block for kind, block in steps(master)["Run"] if kind == language]
        assert blocks
        environment = {name: os.environ[name] for name in KEPT if name in os.environ}
        environment["PATH"] = os.pathsep.join(each for each in (path, os.defpath) if each)
        for block in blocks:
            if path:
                self._run(["bash", "-eu", "-c", block], self.folder, environment)
            else:
                self._run([python, "-c", block], self.chain, environment)

    def check(self):
        """Run the section Check, and remove what was recorded, which is large."""
        recorded = self.chain / "recorded.osi"
        assert recorded.exists(), "nothing was recorded"
        ((_, block),) = BLOCK.findall(section(CHAIN, "Check"))
        path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
        output = self._run(
            ["bash", "-eu", "-c", block], self.folder, os.environ | {"PATH": path}
        ).stdout
        recorded.unlink()
        assert output == "60 messages, each as the model gives it\n"
        assert output in read(CHAIN)

    def _run(self, command, folder, environment):
        done = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=LIMIT_S,
        )
        assert done.returncode == 0, f"{done.returncode}\n{done.stdout[-4000:]}\n{done.stderr}"
        return done

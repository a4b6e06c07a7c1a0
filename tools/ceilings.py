# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ceilings of dependencies: lift them for a trial of the newest releases, and say which can rise.

    python tools/ceilings.py lift    # in pyproject.toml, before make test
    python tools/ceilings.py rise    # afterwards: where a release beyond a ceiling is installed

The second one compares with the ceilings of the last commit.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

from packaging.version import Version

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
_BOUND = re.compile(
    r'"(?P<name>[\w-]+)(?P<extras>\[[^]]*\])?>=(?P<floor>[\w.]+),<(?P<ceiling>[\w.]+)'
)


def ceilings(text: str) -> dict[str, str]:
    """Return the upper version bounds (ceilings) in a project file, by package."""
    return {found["name"]: found["ceiling"] for found in _BOUND.finditer(text)}


def lifted(text: str) -> str:
    """Return the text of a project file with its ceilings removed."""
    return _BOUND.sub(lambda found: found[0].rpartition(",<")[0], text)


def can_rise(stated: dict[str, str], installed: dict[str, str]) -> list[str]:
    """Return a line for each package whose installed version is at or above its ceiling."""
    return [
        f"{name} {installed[name]} passes: its ceiling <{ceiling} can rise"
        for name, ceiling in stated.items()
        if name in installed and Version(installed[name]) >= Version(ceiling)
    ]


def main() -> None:
    """Remove the ceilings, or print which can rise; in a GitHub workflow, as notices."""
    if sys.argv[1:] == ["lift"]:
        PROJECT.write_text(lifted(PROJECT.read_text(encoding="utf-8")), encoding="utf-8")
    elif sys.argv[1:] == ["rise"]:
        command = ["git", "show", "HEAD:pyproject.toml"]
        done = subprocess.run(
            command, cwd=PROJECT.parent, check=True, capture_output=True, text=True
        )
        stated = ceilings(done.stdout)
        installed = {each.metadata["Name"]: each.version for each in distributions()}
        for line in can_rise(stated, installed) or ["no release is beyond a ceiling"]:
            print(f"::notice title=Ceilings::{line}")
    else:
        sys.exit(f"tools/ceilings.py: got {sys.argv[1:]}, expected lift or rise")


if __name__ == "__main__":
    main()

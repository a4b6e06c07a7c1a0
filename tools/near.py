# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the tests that import what changed since a commit (default: HEAD); ``make near`` runs it.

If a test imports a name from a package, the file that defines the name counts as imported, too. The
test of the same name always runs: ``tests/raycore/scene/test_graph.py`` for
``raycore/scene/graph.py``. For a file without any such test, the tests of its folder run, here
``tests/raycore/scene``, or else the tests of the next folder above. If a file has many test files,
those in the nearest folders run, and a line says how many are left to ``make test``. Long and slow
tests do not run, so that the result comes within seconds.
"""

import argparse
import subprocess
import sys
from collections import defaultdict
from os.path import commonpath, commonprefix
from pathlib import Path

import pytest
from import_graph import from_imports, imported, source_files

MOST = 4
"""Largest number of test files that run for each changed file."""


def changed_files(root: Path, commit: str) -> list[str]:
    """Return the files that differ from a commit, and the files that git does not track yet."""
    asked = (
        ["diff", "--name-only", "--no-renames", commit],
        ["ls-files", "--others", "--exclude-standard"],
    )
    told = [subprocess.check_output(["git", *each], cwd=root, text=True) for each in asked]
    return "".join(told).splitlines()


def nearest_tests(root: Path, changes: list[str]) -> dict[str, list[str]]:
    """Return the test files of each changed file, by that file; a list may be empty."""
    packages = [path.parent.name for path in root.glob("*/__init__.py")]
    files = source_files(root, ["tests", *packages])
    homes = {
        (name, inner): module
        for name, path in files.items()
        if path.name == "__init__.py"
        for module, inner in from_imports(path, name)
        if module != name
    }
    users = defaultdict(set)
    for name, path in files.items():
        if path.name.startswith("test_"):
            modules = {name, *imported(path, name, files)}
            for module, inner in from_imports(path, name):
                home = homes.get((module, inner))
                while home:
                    modules.add(home)
                    home = homes.get((home, inner))
            for module in modules:
                users[files.get(module)].add(path.relative_to(root).as_posix())
    for change in changes:
        path = Path(change)
        twin = Path("tests", *mirrored(path.parent), f"test_{path.stem}.py")
        if path.suffix == ".py" and (root / twin).is_file():
            users[root / change].add(twin.as_posix())
    return {
        change: sorted(users.get(root / change, ())) or tests_of_folder(root, Path(change).parent)
        for change in changes
    }


def nearest_of(change: str, tests: list[str]) -> list[str]:
    """Return test files, nearest first: the test of the same name, then by folder.

    Within a folder, tests whose names begin like the file's are nearer: ``test_hesai.py`` for
    ``hesai_fire_times.py``.
    """
    home = Path("tests", *mirrored(Path(change).parent))

    def distance(test: str) -> tuple[bool, int, int, str]:
        folder = Path(test).parent
        shared = len(Path(commonpath([home, folder])).parts)
        apart = len(home.parts) + len(folder.parts) - 2 * shared
        name, own = Path(test).stem, f"test_{Path(change).stem}"
        alike = commonprefix([name, own])  # noqa: RUF071  letter by letter, as meant
        return name != own, apart, -len(alike), test

    return sorted(tests, key=distance)


def mirrored(folder: Path) -> list[str]:
    """Return the path below tests/ that corresponds to a folder, as a list of its parts."""
    return ["fmu" if part == "fmu_src" else part for part in folder.parts if part != "tests"]


def tests_of_folder(root: Path, folder: Path) -> list[str]:
    """Return the test files of a folder, or of the nearest folder above it that has tests."""
    parts = mirrored(folder)
    for length in range(len(parts), 0, -1):
        tests = root.joinpath("tests", *parts[:length])
        if found := [*tests.glob("test_*.py")] or [*tests.rglob("test_*.py")]:
            return sorted(each.relative_to(root).as_posix() for each in found)
    return []


def run(tests: list[str]) -> int:
    """Run the short tests of test files; return pytest's status, 0 if all are long or slow."""
    many = ["-n", "auto"] if len(tests) > 10 else []
    status = pytest.main(["-q", "-m", "not slow and not long", *many, *tests])
    if status == pytest.ExitCode.NO_TESTS_COLLECTED:
        print("all tests near are long or slow: make test and make test-all run them")
        return 0
    return int(status)


def main() -> None:
    """Run the tests near the changes in the repository that this file is in."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "commit", nargs="?", default="HEAD", help="commit to compare the files with"
    )
    root = Path(__file__).parents[1]
    near = nearest_tests(root, changed_files(root, parser.parse_args().commit))
    for change in (change for change in near if not near[change]):
        print(f"no test is near {change}")
    ranked = {change: nearest_of(change, found) for change, found in near.items()}
    for change, found in ranked.items():
        if found[MOST:]:
            print(f"{len(found) - MOST} files of tests more are for {change}: make test runs them")
    tests = sorted({test for found in ranked.values() for test in found[:MOST]})
    sys.exit(run(tests) if tests else 0)


if __name__ == "__main__":
    main()

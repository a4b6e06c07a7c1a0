# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The tests that ``make near`` chooses."""

import subprocess
from pathlib import Path

import pytest

from tests.scenarios.scripts import script

near = script(Path(__file__).resolve().parents[2] / "tools" / "near.py")

FILES = {
    "core/__init__.py": "from core.scan import Cloud as Cloud",
    "core/scan/__init__.py": "from core.scan.cloud import Cloud",
    "core/scan/cloud.py": "",
    "core/scan/page.py": "import core.scan.cloud",
    "core/scan/rows.py": "",
    "core/scan/turn.py": "",
    "core/files.py": "",
    "core/data/words.yaml": "",
    "tests/builders/clouds.py": "from core.scan.page import show",
    "tests/conftest.py": "",
    "tests/core/scan/test_cloud.py": "from core import Cloud",
    "tests/core/scan/test_turn.py": "from core import Cloud",
    "tests/core/scan/test_page.py": "import core.scan.page\nfrom tests.builders.clouds import made",
    "tests/core/scan/conftest.py": "",
    "tests/core/scan/deep/helpers.py": "",
    "tests/test_all.py": "from core.scan import Cloud",
}
PASSED_ON = [
    f"tests/{name}.py" for name in ("core/scan/test_cloud", "core/scan/test_turn", "test_all")
]
IN_SCAN = [f"tests/core/scan/test_{name}.py" for name in ("cloud", "page", "turn")]


@pytest.fixture
def repository(tmp_path):
    for name, source in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(source)
    return tmp_path


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ("core/scan/page.py", ["tests/core/scan/test_page.py"]),
        ("core/scan/cloud.py", PASSED_ON),  # by core.scan and by core
        ("core/scan/__init__.py", PASSED_ON),
        ("tests/builders/clouds.py", ["tests/core/scan/test_page.py"]),
        ("tests/core/scan/test_page.py", ["tests/core/scan/test_page.py"]),
        ("core/scan/turn.py", ["tests/core/scan/test_turn.py"]),  # by its name
        ("core/scan/rows.py", IN_SCAN),  # no test imports it
        ("core/scan/deleted.py", IN_SCAN),
        ("core/files.py", IN_SCAN),
        ("core/data/words.yaml", IN_SCAN),
        ("tests/core/scan/conftest.py", IN_SCAN),
        ("tests/core/scan/deep/helpers.py", IN_SCAN),
        ("tests/conftest.py", []),
        ("Makefile", []),
    ],
)
def test_tests_that_import_a_change_or_those_of_its_folder_are_near(repository, change, expected):
    assert near.nearest_tests(repository, [change]) == {change: expected}


def test_the_test_of_the_same_name_is_nearest_then_those_of_near_folders():
    far = ["tests/app/test_show.py", "tests/core/test_files.py", "tests/core/scan/test_page.py"]
    ranked = near.nearest_of("core/scan/show.py", far)
    assert ranked == ["tests/app/test_show.py", "tests/core/scan/test_page.py", *far[1:2]]


def test_of_a_folder_tests_named_alike_come_first():
    of_folder = [
        f"tests/core/test_{name}.py" for name in ("angles", "hesai", "hesai_files", "zoom")
    ]
    ranked = near.nearest_of("core/hesai_times.py", of_folder)
    assert ranked == [of_folder[2], of_folder[1], of_folder[0], of_folder[3]]


def test_what_git_does_not_track_has_changed_too(repository):
    def git(*words):
        author = ("-c", "user.name=A", "-c", "user.email=a@b.example")
        run = ["git", *author, *words]
        subprocess.run(run, cwd=repository, check=True)

    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    (repository / "core" / "files.py").write_text("x = 1")
    (repository / "core" / "new.py").touch()
    (repository / "core" / "scan" / "rows.py").unlink()
    changed = ["core/files.py", "core/scan/rows.py", "core/new.py"]
    assert near.changed_files(repository, "HEAD") == changed
    git("add", "-A")
    git("commit", "-qm", "second")
    assert near.changed_files(repository, "HEAD") == []
    assert sorted(near.changed_files(repository, "HEAD~1")) == sorted(changed)


@pytest.mark.parametrize(("status", "expected"), [(5, 0), (1, 1), (0, 0)])
def test_files_whose_tests_are_all_long_are_no_failure(status, expected, monkeypatch, capsys):
    monkeypatch.setattr(near.pytest, "main", lambda _arguments: pytest.ExitCode(status))
    assert near.run(["tests/core/scan/test_cloud.py"]) == expected
    assert ("all tests near are long" in capsys.readouterr().out) == (status == 5)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The script of ``make lint`` that holds rooms to their budgets, and packages to their words."""

from pathlib import Path

import pytest

from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
checker = script(REPOSITORY / "tools" / "check_rooms.py")
BUDGETS = """
[rooms]
"core" = { files = 1, lines = 9, arrows = 0 }
"core/rays" = { files = 2, lines = 3, arrows = 1 }

[words]
"core/rays" = ["material"]
"""


@pytest.fixture
def repository(tmp_path):
    """Return a repository of two rooms, one within the other, that hold their budgets."""
    for folder in ("core/rays", "tools"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / checker.BUDGETS).write_text(BUDGETS)
    (tmp_path / "core" / "records.py").write_text("\n" * 9)
    (tmp_path / "core" / "rays" / "one.py").write_text("from core import records\n")
    return tmp_path


def told(repository, capsys, *arguments):
    """Return the exit code of the check and what it prints."""
    with pytest.raises(SystemExit) as end:
        checker.main([*arguments], repository)
    return int(end.value.code), capsys.readouterr().out.splitlines()


def test_rooms_within_their_budgets_are_no_problem(repository, capsys):
    assert told(repository, capsys) == (0, ["Rooms: no problems"])
    listed = [
        '"core" = { files = 1, lines = 9, arrows = 0 }',
        '"core/rays" = { files = 1, lines = 1, arrows = 1 }',
    ]
    assert told(repository, capsys, "--list") == (0, [*listed, "Rooms: no problems"])


@pytest.mark.parametrize(
    ("file", "source", "expected"),
    [
        ("core/more.py", "", "core: 2 files, expected at most 1"),
        ("core/rays/more.py", "\n\n\n", "core/rays: 4 lines, expected at most 3"),
        ("core/records.py", "import core.rays.one", "core: 1 arrows, expected at most 0"),
    ],
)
def test_a_room_that_grows_is_one_line(repository, capsys, file, source, expected):
    (repository / file).write_text(source)
    assert told(repository, capsys) == (1, [f"tools/budgets.toml: {expected}"])


def test_docstrings_are_no_lines_of_a_room(repository, capsys):
    source = '"""Of\nthe module."""\nX = 1\n"""Of a value."""\ndef f():\n    """Of\n\n    f."""\n'
    (repository / "core" / "rays" / "two.py").write_text(source)
    assert told(repository, capsys) == (0, ["Rooms: no problems"])
    assert checker.lines_of(repository / "core" / "rays" / "two.py") == 2


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("material_id = 1", "material_id"),
        ("\nclass MaterialTable: ...", "MaterialTable"),
        ("def f(material): ...", "material"),
        ("x.material = 1", "material"),
        ("from core import material as x", "material"),
    ],
)
def test_a_name_with_a_word_that_a_room_does_not_know_is_told(repository, capsys, source, name):
    (repository / "core" / "rays" / "two.py").write_text(source)
    line = f"core/rays/two.py:{source.count(chr(10)) + 1}: {name}"
    expected = f"tools/budgets.toml: {line}, expected no material in core/rays"
    assert told(repository, capsys) == (1, [expected])


def test_parts_of_words_texts_and_arguments_of_others_are_no_names(repository, capsys):
    (repository / "core" / "rays" / "two.py").write_text(
        "immaterial = dict(material='material')  # material"
    )
    assert told(repository, capsys) == (0, ["Rooms: no problems"])


def test_every_file_of_the_product_is_in_a_room():
    budgets = checker.tomllib.loads((REPOSITORY / checker.BUDGETS).read_text(encoding="utf-8"))
    settings = checker.tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    packages = set(settings["tool"]["importlinter"]["root_packages"])
    assert packages <= budgets["rooms"].keys()
    assert all((REPOSITORY / name).is_dir() for name in (*budgets["rooms"], *budgets["words"]))

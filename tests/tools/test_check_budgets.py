# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The script of ``make lint`` that holds the product to its budgets."""

import subprocess
from pathlib import Path

import pytest

from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
checker = script(REPOSITORY / "tools" / "check_budgets.py")

PROJECT = '[tool.mypy]\npackages = ["osi_lidar", "core"]\n'
LINES = "".join("    x = 1\n" for _ in range(39))


@pytest.fixture
def repository(tmp_path):
    """Return a repository of two empty packages, and of budgets that hold exactly."""
    for folder in ("osi_lidar", "core", "tools"):
        (tmp_path / folder).mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    return tmp_path


def counts(repository, source):
    (repository / "core" / "one.py").write_text(source)
    return {name: found for name, found in checker.places(repository).items() if found}


def checked(repository, capsys, *arguments, **budgets):
    """Return the exit code of the check and what it prints, with budgets that only fall."""
    fixed = "[fixed]\nfolders_above_20_files = 2  # a note\n\n[falling]\n"
    falling = "".join(f"{name} = {most}  # a note\n" for name, most in budgets.items())
    if budgets:
        others = "\n[others]\nwords = 9\n"
        (repository / checker.BUDGETS).write_text(fixed + falling + others)
    with pytest.raises(SystemExit) as end:
        checker.main([*arguments], repository)
    return int(end.value.code), capsys.readouterr().out


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (f"def f():\n{LINES}", {}),
        (f"@cache\n@njit\ndef f():\n{LINES}", {}),
        (f'def f():\n    """Do."""\n{LINES}', {}),
        (
            f'async def f():\n    """Do."""\n{LINES}    y = 2\n',
            {"functions_above_40_lines": "core/one.py:1 f"},
        ),
        ("def f(a, b, /, c, *, d, e, g): ...", {}),
        ("def f(self, a, b, c, d, e, g): ...", {}),
        (
            "def f(a, b, /, c, *, d, e, g, h): ...",
            {"functions_above_6_parameters": "core/one.py:1 f"},
        ),
        ("x = 1  # noqa: E1", {"noqa": "core/one.py:1"}),
        ("from typing import Any\n# Any", {}),
        ("\nx: list[Any]", {"any_in_annotations": "core/one.py:2"}),
        ("def f(x: Any): ...", {"any_in_annotations": "core/one.py:1"}),
        ("class A:\n" + "".join(f"    def f{n}(self): ...\n" for n in range(10)), {}),
        (
            "class A:\n    def g(self): ...\n"
            + "".join(f"    async def f{n}(self): ...\n" for n in range(10)),
            {"classes_above_10_methods": "core/one.py:1 A"},
        ),
        (
            "class A:\n" + "".join(f"    def f{n}(self): ...\n" for n in range(11)),
            {"classes_above_10_methods": "core/one.py:1 A"},
        ),
        (
            "class A:\n    class B: ...\nclass B: ...",
            {"class_names_used_twice": "B (core/one.py:3, core/one.py:2)"},
        ),
        (
            'def f(a, b):\n    """Add `a` to others."""',
            {"docstrings_with_names_left_out": "core/one.py:1 f"},
        ),
        ('def f(a, *, b):\n    """Add a and b."""\ndef _g(c):\n    """Do."""', {}),
        (
            'class A:\n    """Of b."""\n    b: int\n    c: int\n    _d: int\n',
            {"docstrings_with_names_left_out": "core/one.py:1 A"},
        ),
        (
            'class A:\n    """."""\n    c: int\n    """Of."""\n    def f(e):\n        """."""',
            {"docstrings_with_names_left_out": "core/one.py:5 f"},
        ),
        (
            'class A:\n    """."""\n    b: int = Field(description="It.")\n    c: int = f(d=1)',
            {"docstrings_with_names_left_out": "core/one.py:1 A"},
        ),
        ('class A:\n    """Of."""\n    b: int = Field(default=1, description="It.")', {}),
        ("\n" * 400, {}),
        ("\n" * 401, {"files_above_400_lines": "core/one.py"}),
    ],
)
def test_what_is_counted_is_named_with_its_place(repository, source, expected):
    assert counts(repository, source) == {name: [place] for name, place in expected.items()}


def test_folders_with_many_files_are_counted(repository):
    for number in range(20):
        (repository / "core" / f"file_{number}.py").touch()
    assert counts(repository, "") == {"folders_above_20_files": ["core"]}


def test_a_budget_that_is_exceeded_is_one_line_with_the_place(repository, capsys):
    (repository / "core" / "one.py").write_text("\nx = 1  # noqa: E1\n")
    code, told = checked(repository, capsys, noqa=0, any_in_annotations=0)
    line = "noqa: got 1, expected at most 0; core/one.py:2"
    assert (code, told) == (1, f"tools/budgets.toml: {line}\n")
    assert checked(repository, capsys, "--write")[0] == 1  # no budget rises


def test_what_the_last_commit_does_not_have_is_named(repository, capsys):
    one = repository / "core" / "one.py"
    one.write_text("x = 1  # noqa: E1\ndef f():\n    y: Any = 1\n")
    (repository / "core" / "two.py").write_text("x = 1  # noqa: E1\n")
    git = ["git", "-C", str(repository), "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "First"]):
        subprocess.run([*git, *words], check=True)
    one.write_text(f"\n{one.read_text()}y = 1  # noqa: E1\n")
    line = "noqa: got 3, expected at most 2; core/one.py:5"
    assert checked(repository, capsys, noqa=2, any_in_annotations=1) == (
        1,
        f"tools/budgets.toml: {line}\n",
    )


def test_a_budget_that_is_too_high_is_lowered_on_demand(repository, capsys):
    code, told = checked(repository, capsys, noqa=3, any_in_annotations=0)
    line = "noqa: got 0, expected 3; lower it: tools/check_budgets.py --write"
    assert (code, told) == (1, f"tools/budgets.toml: {line}\n")
    assert checked(repository, capsys, "--write") == (0, "Budgets: no problems\n")
    text = (repository / checker.BUDGETS).read_text()
    assert "noqa = 0  # a note" in text
    assert "folders_above_20_files = 2  # a note" in text  # a fixed limit stays
    assert text.endswith("\n[others]\nwords = 9\n")


def test_the_places_of_a_budget_are_listed(repository, capsys):
    (repository / "core" / "one.py").write_text("\nx: Any = 1\n")
    told = checked(repository, capsys, "--places", "any_in_annotations", any_in_annotations=1)
    assert told == (0, "core/one.py:2\nBudgets: no problems\n")


@pytest.mark.long
def test_each_count_has_a_budget():
    budgets = checker.tomllib.loads((REPOSITORY / checker.BUDGETS).read_text(encoding="utf-8"))
    assert set(checker.places(REPOSITORY)) <= budgets["fixed"].keys() | budgets["falling"].keys()

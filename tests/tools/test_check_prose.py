# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Words of prose and slow phrases are counted as a reader meets them."""

from pathlib import Path

import pytest

from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
checker = script(REPOSITORY / "tools" / "check_prose.py")

PAGE = """\
# A title of five words

One sentence of [five words](../how-to/replay.md).

    osi-lidar replay TRACE  # code

| table | of words |
|---|---|

```sh
osi-lidar info TRACE
```

$$
R = P r^2
$$

<details><summary>Sources</summary>

Four words, folded away.

</details>
"""


def test_tables_code_and_equations_are_no_prose(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    found = checker.page(path)
    assert found.words == 10
    assert found.folded.split() == ["Sources", "Four", "words,", "folded", "away."]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Its colour is that of the surface.", "that of"),
        ("It ends. Who states rain states both.", "who states"),
        (
            "What a reader\nmakes of it is open, but what it makes\nof it is slow.",
            "what it makes of",
        ),
        ("A car that has none is a box.", "has none"),
        ("A point is told by its class.", "is told"),
        (" ".join(["word"] * 36) + ".", "more than 35 words"),
    ],
)
def test_a_slow_phrase_is_found(text, rule):
    assert [found.partition(":")[0] for found in checker.slow(text)] == [rule]


def test_plain_sentences_pass():
    assert not list(
        checker.slow("The surface sets the colour. A car without a mesh is a box. Rain is off.")
    )


@pytest.fixture
def repository(tmp_path):
    for folder in ("docs", "tools", "product"):
        (tmp_path / folder).mkdir()
    (tmp_path / "docs" / "index.md").write_text(PAGE)
    (tmp_path / "README.md").write_text("# Name\n")
    (tmp_path / "product" / "a.py").write_text('"""The height is that of a car."""\n')
    (tmp_path / "pyproject.toml").write_text('[tool.mypy]\npackages = ["product"]\n')
    budgets = {"words": 12, "lines_of_readme": 1, "phrases_of_docstrings": 1}
    lines = "".join(f"{name} = {most}   # why\n" for name, most in budgets.items())
    (tmp_path / "tools" / "budgets.toml").write_text(f"[fixed]\nwords = 99\n\n[prose]\n{lines}")
    return tmp_path


def test_budgets_fall_to_what_is_counted(repository, capsys):
    with pytest.raises(SystemExit, match="False"):
        checker.main(["--write"], repository)
    assert "Prose: no problems" in capsys.readouterr().out
    text = (repository / "tools" / "budgets.toml").read_text()
    assert text.startswith("[fixed]\nwords = 99\n\n[prose]\nwords = 10   # why\n")


def test_more_than_the_budget_is_refused(repository, capsys):
    (repository / "product" / "b.py").write_text('"""The width is that of a car."""\n')
    with pytest.raises(SystemExit, match="True"):
        checker.main([], repository)
    line = "tools/budgets.toml: phrases_of_docstrings: got 2, expected at most 1; --phrases FILE"
    assert line in capsys.readouterr().out


def test_pages_are_listed_with_their_words_shown_and_folded(repository, capsys):
    with pytest.raises(SystemExit, match="False"):
        checker.main(["--pages"], repository)
    assert capsys.readouterr().out.splitlines()[0].split() == ["10", "5", "docs/index.md"]

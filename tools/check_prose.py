# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hold the manual's length and slow phrases to ``tools/budgets.toml``; ``make lint`` runs it.

Words of prose are those outside of tables, code and equations. What stands in ``<details>`` is
folded on the page and has a budget of its own. Budgets only fall: ``tools/check_prose.py --write``
lowers them, ``--pages`` lists words by page, ``--phrases [FILE]`` lists slow phrases.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGETS = "tools/budgets.toml"
SLOW = {
    "that of": r"\b(?:that|those) of\b",
    "who states": r"(?:^|[.;:] )Who \w+s\b|\b[Ww]ho (?:states?|names?|wants?|needs?|gives?)\b",
    "what it makes of": r"\bwhat (?:it|they|this|one) makes? of\b",
    "has none": r"\b(?:has|have|had) none\b",
    "of which": r"(?<!each )(?<!one )(?<!all )(?<!none )(?<!some )(?<!both )\bof which\b",
    "is told": r"\b(?:is|are|was|were) (?:not )?told\b",
    "the former": r"\bthe (?:former|latter)\b",
    "be it": r"\bbe (?:it|they)\b",
    "the one": r"\bthe (?:one|ones) (?:of|before|after)\b",
    "what has": r"\b[Ww]hat (?:has|have|had|no|does not)\b",
    "no more than": r"\bno (?:more|less) than (?=\d)",
}
"""Phrases at which a reader stops, by the rule of CONTRIBUTING.md that they break."""
MOST_WORDS = 35
"""Words of a sentence that is not long."""
_DETAILS = re.compile(r"<details>.*?</details>", re.DOTALL)
_NOT_PROSE = re.compile(
    r"^(?P<f>`{3,}).*?^(?P=f)|<!--.*?-->|^\$\$.*?\$\$|^ {4,}\S.*?$|^\s*\|.*?$|<[^>\n]+>",
    re.MULTILINE | re.DOTALL,
)
_WORD = re.compile(r"\b[\w'-]*[A-Za-z][\w'-]*")


@dataclass(frozen=True)
class Page:
    """The prose of a page: text that is shown at once, and text in folded sections."""

    shown: str
    folded: str

    @property
    def words(self) -> int:
        """Number of words that are shown at once."""
        return len(_WORD.findall(self.shown))

    @property
    def words_folded(self) -> int:
        """Number of words in folded sections."""
        return len(_WORD.findall(self.folded))


def prose(text: str) -> str:
    """Return a Markdown text without code, tables, equations and link targets."""
    return re.sub(r"\]\([^)]*\)", "]", _NOT_PROSE.sub("\n\n", text))


def page(path: Path) -> Page:
    """Return the prose of a page."""
    text = path.read_text(encoding="utf-8")
    return Page(prose(_DETAILS.sub("\n\n", text)), prose("\n\n".join(_DETAILS.findall(text))))


def slow(text: str) -> Iterator[str]:
    """Yield each slow phrase of a text, and the beginning of each sentence that is too long."""
    flat = re.sub(r"[ \t]*\n[ \t]*(?=\S)", " ", text)
    for rule, pattern in SLOW.items():
        for found in re.finditer(pattern, flat, re.MULTILINE):
            around = flat[max(found.start() - 30, 0) : found.end() + 30].replace("\n", " ")
            yield f"{rule}: .. {around} .."
    for sentence in re.split(r"(?<=[.;:!?])\s+|\n\s*\n", flat):
        if len(_WORD.findall(sentence)) > MOST_WORDS:
            yield f"more than {MOST_WORDS} words: {sentence[:60]} .."


def texts_of_code(root: Path, packages: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield budget, file and text of each docstring and each message in some packages."""
    for path in (file for name in packages for file in sorted((root / name).rglob("*.py"))):
        tree, file = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(root).as_posix()
        statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                alone = id(node) in statements  # also below a name of a module or a field
                if alone or node.value.count(" ") > 2:
                    yield f"phrases_of_{'docstrings' if alone else 'messages'}", file, node.value


def phrases(root: Path, pages: dict[str, Page]) -> dict[str, list[str]]:
    """Return the slow phrases in pages, docstrings and messages, with their files, by budget."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    found: dict[str, list[str]] = {
        f"phrases_of_{kind}": [] for kind in ("docs", "docstrings", "messages")
    }
    for file, text in pages.items():
        found["phrases_of_docs"] += [f"{file}: {each}" for each in slow(text.shown + text.folded)]
    folders = [*settings["tool"]["mypy"]["packages"], "integrations"]
    for budget, file, words in texts_of_code(root, folders):
        found[budget] += [f"{file}: {each}" for each in slow(words)]
    return found


def counts(root: Path, pages: dict[str, Page], slow_ones: dict[str, list[str]]) -> dict[str, int]:
    """Return the number that each budget limits, by budget."""
    return {
        "words": sum(text.words for text in pages.values()),
        "words_folded": sum(text.words_folded for text in pages.values()),
        "words_of_a_page": max(text.words for text in pages.values()),
        "words_of_a_how_to": max(
            (text.words for file, text in pages.items() if file.startswith("docs/how-to/")),
            default=0,
        ),
        "lines_of_readme": len((root / "README.md").read_text(encoding="utf-8").splitlines()),
        **{name: len(found) for name, found in slow_ones.items()},
    }


def how(budget: str) -> str:
    """Return how to find what counts for a budget, after a semicolon; empty if nothing lists it."""
    if budget.startswith("phrases"):
        return "; --phrases FILE shows those of a file"
    return "; --pages lists words, shown and folded, by page" if budget.startswith("words") else ""


def main(arguments: list[str] | None = None, root: Path = Path(__file__).parents[1]) -> None:
    """Check the repository that this file is in; exit code 1 if a budget does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--write", action="store_true", help="lower each budget to the current count"
    )
    parser.add_argument(
        "--pages", action="store_true", help="list the words of each page: shown, and folded"
    )
    parser.add_argument("--phrases", metavar="FILE", nargs="?", const="", help="list slow phrases")
    options = parser.parse_args(arguments)
    pages = {
        path.relative_to(root).as_posix(): page(path)
        for path in sorted((root / "docs").rglob("*.md"))
    }
    slow_ones = phrases(root, pages)
    got, file = counts(root, pages, slow_ones), root / BUDGETS
    if options.pages:
        for name, text in pages.items():
            print(f"{text.words:6} {text.words_folded:6} {name}")
    if options.phrases is not None:
        lines = [line for found in slow_ones.values() for line in found]
        print("\n".join(line for line in lines if line.startswith(options.phrases)))
    head, title, table = file.read_text(encoding="utf-8").partition("[prose]")
    budgets = tomllib.loads(title + table)["prose"]
    if options.write:
        for name, most in budgets.items():
            lower = f"{name} = {min(got[name], most)}"
            table = re.sub(rf"^{name} = {most}\b", lower, table, flags=re.MULTILINE)
        file.write_text(head + title + table, encoding="utf-8")
    wrong = [
        f"{BUDGETS}: {name}: got {got[name]}, expected at most {most}{how(name)}"
        for name, most in budgets.items()
        if got[name] > most
    ]
    print("\n".join(wrong) or "Prose: no problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

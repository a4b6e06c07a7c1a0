# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hold rooms of the product to their budgets, and packages to their words; ``make lint`` runs it.

A room is a folder that ``tools/budgets.toml`` lists, without the rooms inside it. Its budget limits
its files, its lines, and its arrows: the number of rooms that it imports. Docstrings do not count
as lines, so that no budget makes them terse.
``tools/check_rooms.py --list`` prints the present counts. Words are parts of names that the code of
a folder must not have, because the folder must not depend on what they stand for.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from import_graph import imports_by_file, source_files, tree_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

BUDGETS = "tools/budgets.toml"


@dataclass
class Room:
    """The files of a room, their lines without docstrings, and the rooms it imports (arrows)."""

    files: int = 0
    lines: int = 0
    arrows: set[str] = field(default_factory=set)

    def counts(self) -> dict[str, int]:
        """Return the counts that budgets limit, by name."""
        return {"files": self.files, "lines": self.lines, "arrows": len(self.arrows)}


def rooms_of(root: Path, names: Iterable[str]) -> dict[str, Room]:
    """Return the rooms of a repository by name; files outside all rooms form the room ""."""
    innermost = sorted(names, key=len, reverse=True)
    files = source_files(root, {name.partition("/")[0] for name in innermost})

    def home(path: Path) -> str:
        folder = path.parent.relative_to(root).as_posix() + "/"
        return next((name for name in innermost if folder.startswith(f"{name}/")), "")

    homes = {module: home(path) for module, path in files.items()}
    found: defaultdict[str, Room] = defaultdict(Room)
    for module, imported in imports_by_file(files).items():
        room = found[homes[module]]
        room.files += 1
        room.lines += lines_of(files[module])
        room.arrows |= {homes[each] for each in imported} - {homes[module]}
    return found


def lines_of(path: Path) -> int:
    """Return the number of lines of a file, without docstrings of modules, names and values."""
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    for node in ast.walk(tree_of(path)):
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                n_lines -= (node.end_lineno or node.lineno) - node.lineno + 1
    return n_lines


def names_in(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and name of all names in a file, except keywords of the calls in it."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.keyword):
            continue
        for key in ("id", "arg", "attr", "name"):
            name = getattr(node, key, None)
            if isinstance(name, str):
                yield getattr(node, "lineno", 1), name


def problems(root: Path, budgets: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each exceeded budget, and each name with a word its folder must not use."""
    for name, room in sorted(rooms_of(root, budgets["rooms"]).items()):
        if not name:
            yield f"{room.files} files stand in no room of the list"
            continue
        for count, got in room.counts().items():
            most = budgets["rooms"][name][count]
            if got > most:
                yield f"{name}: {got} {count}, expected at most {most}"
    for folder, words in budgets["words"].items():
        for path in sorted((root / folder).rglob("*.py")):
            for line, name in names_in(path):
                parts = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().split("_")
                if known := set(parts) & set(words):
                    place = f"{path.relative_to(root).as_posix()}:{line}"
                    yield f"{place}: {name}, expected no {known.pop()} in {folder}"


def main(arguments: list[str] | None = None, root: Path = Path(__file__).parents[1]) -> None:
    """Check the repository that this file is in; exit code 1 if a budget does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the counts of each room")
    options = parser.parse_args(arguments)
    budgets = tomllib.loads((root / BUDGETS).read_text(encoding="utf-8"))
    if options.list:
        for name, room in sorted(rooms_of(root, budgets["rooms"]).items()):
            counts = ", ".join(f"{count} = {got}" for count, got in room.counts().items())
            print(f'"{name}" = {{ {counts} }}')
    wrong = list(problems(root, budgets))
    print("\n".join(f"{BUDGETS}: {line}" for line in wrong) or "Rooms: no problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

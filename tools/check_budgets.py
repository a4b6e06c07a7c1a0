# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Hold what the product has too much of to ``tools/budgets.toml``; ``make lint`` runs it.

A budget only falls. The check fails where a count is above its budget, with up to three places that
the last commit does not have, and where it is below: ``tools/check_budgets.py --write`` lowers
budgets, ``--places NAME`` lists what is counted.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tarfile
from collections import Counter, defaultdict
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

BUDGETS = "tools/budgets.toml"


def oversized(node: ast.AST) -> Iterator[str]:
    """Yield the names of the budgets in which a function, class or name counts."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        n_lines = node.end_lineno - node.lineno + 1
        if ast.get_docstring(node) is not None:
            n_lines -= node.body[0].end_lineno - node.body[0].lineno + 1
        if n_lines > 40:
            yield "functions_above_40_lines"
        given = node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        if len(names) - (names[:1] in (["self"], ["cls"])) > 6:
            yield "functions_above_6_parameters"
    elif isinstance(node, ast.ClassDef):
        kinds = ast.FunctionDef | ast.AsyncFunctionDef
        methods = [each for each in node.body if isinstance(each, kinds)]
        if len({each.name for each in methods}) > 10:  # the getter and setter of a property are one
            yield "classes_above_10_methods"
    elif isinstance(node, ast.Name) and node.id == "Any":
        yield "any_in_annotations"


def with_names_left_out(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield public functions and classes whose docstring does not name all arguments or fields."""
    for node in body:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        if not isinstance(node, kinds) or node.name.startswith("_"):
            continue
        text = ast.get_docstring(node)
        if text and any(not re.search(rf"\b{name}\b", text) for name in names_of(node)):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from with_names_left_out(node.body)


def names_of(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[str]:
    """Yield a function's arguments, or a class's public fields without a text of their own.

    That is a docstring or a ``description``.
    """
    if isinstance(node, ast.ClassDef):
        for field, after in zip(node.body, [*node.body[1:], None], strict=True):
            match field, after:
                case ast.AnnAssign(), ast.Expr(value=ast.Constant(value=str())):
                    pass
                case ast.AnnAssign(value=ast.Call(keywords=given)), _ if "description" in {
                    each.arg for each in given
                }:
                    pass
                case ast.AnnAssign(target=ast.Name(id=name)), _ if not name.startswith("_"):
                    yield name
        return
    given = node.args
    for each in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        if each.arg not in ("self", "cls", "_"):
            yield each.arg


def places(root: Path) -> dict[str, list[str]]:
    """Return the places that each budget counts in the product, by budget, last changed first."""
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    paths = [
        path
        for package in settings["tool"]["mypy"]["packages"]
        for path in (root / package).rglob("*.py")
    ]
    found, classes, folders = defaultdict(list), defaultdict(list), defaultdict(list)
    for path in sorted(paths, key=lambda path: (-path.stat().st_mtime, path)):
        file, source = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        lines = source.splitlines()
        folders[path.parent.relative_to(root).as_posix()].append(path.name)
        found["files_above_400_lines"] += [file] * (len(lines) > 400)
        for number, line in enumerate(lines, 1):
            found["noqa"] += [f"{file}:{number}"] * bool(re.search(r"#\s*noqa", line))
        tree = ast.parse(source)
        found["docstrings_with_names_left_out"] += [
            f"{file}:{node.lineno} {node.name}" for node in with_names_left_out(tree.body)
        ]
        for node in ast.walk(tree):
            for budget in oversized(node):
                found[budget].append(f"{file}:{node.lineno} {getattr(node, 'name', '')}".rstrip())
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(f"{file}:{node.lineno}")
    twice = {name: where for name, where in classes.items() if len(where) > 1}
    found["class_names_used_twice"] = [f"{name} ({', '.join(twice[name])})" for name in twice]
    found["folders_above_20_files"] = [name for name in folders if len(folders[name]) > 20]
    return found


def committed(root: Path) -> dict[str, list[str]]:
    """Return the places that each budget counted in the last commit; none outside of git."""
    git = ["git", "-C", str(root), "archive", "HEAD"]
    packed = subprocess.run(git, capture_output=True, check=False).stdout
    if not packed:
        return {}
    with TemporaryDirectory() as folder, tarfile.open(fileobj=BytesIO(packed)) as files:
        files.extractall(folder, filter="data")
        return places(Path(folder))


def new_places(now: list[str], before: list[str]) -> Iterator[str]:
    """Yield the places that were not there before; their line numbers may have changed."""
    known = Counter(re.sub(r":\d+", "", place) for place in before)
    for place in now:
        name = re.sub(r":\d+", "", place)
        known[name] -= 1
        if known[name] < 0:
            yield place


def problems(
    budgets: dict[str, dict[str, int]], found: dict[str, list[str]], root: Path
) -> Iterator[str]:
    """Yield a line for each budget that is exceeded, and for each that can be lowered."""
    wanted = budgets["fixed"] | budgets["falling"]
    before = (
        committed(root) if any(len(found[name]) > most for name, most in wanted.items()) else {}
    )
    for name, most in wanted.items():
        got = len(found[name])
        if got > most:
            new = list(new_places(found[name], before.get(name, [])))
            where = ", ".join(dict.fromkeys(new[:3] or found[name][:3]))
            yield f"{name}: got {got}, expected at most {most}; {where}"
        elif got < most and name in budgets["falling"]:
            yield f"{name}: got {got}, expected {most}; lower it: tools/check_budgets.py --write"


def lowered(text: str, found: dict[str, list[str]]) -> str:
    """Return the text of the budget file, with each falling budget lowered to its present count."""

    def line(match: re.Match[str]) -> str:
        return f"{match[1]} = {min(int(match[2]), len(found[match[1]]))}"

    before, header, rest = text.partition("[falling]")
    falling, next_header, after = rest.partition("\n[")  # other tools' sections stay
    lower = re.sub(r"^(\w+) = (\d+)", line, falling, flags=re.MULTILINE)
    return before + header + lower + next_header + after


def main(arguments: list[str] | None = None, root: Path = Path(__file__).parents[1]) -> None:
    """Check the budgets of the repository that this file is in; exit code 1 if one is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--write", action="store_true", help="lower each budget to the current count"
    )
    parser.add_argument(
        "--places", metavar="NAME", help="list the places that the budget NAME counts"
    )
    options = parser.parse_args(arguments)
    found, file = places(root), root / BUDGETS
    if options.places:
        print("\n".join(found[options.places]))
    if options.write:
        file.write_text(lowered(file.read_text(encoding="utf-8"), found), encoding="utf-8")
    wrong = list(problems(tomllib.loads(file.read_text(encoding="utf-8")), found, root))
    print("\n".join(f"{BUDGETS}: {line}" for line in wrong) or "Budgets: no problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Check how compiled kernels name and order their arguments; ``make lint`` runs it.

The rules, for functions that are decorated with ``njit``:

- They stand in files named ``kernels.py`` or ``*_kernels.py``, and nowhere else.
- A comment line among the arguments opens a group: its name, a colon, and any further words.
  Groups come in the order settings (any other name: ``# Scene:``, ``# Sensor:``), ``# In:``,
  ``# Work:``, ``# In and out:``, ``# Out:``. Arguments before the first group are inputs.
- Arguments under ``# Out:`` end in ``_out``, and no others do. Where there are no groups, those
  that end in ``_out`` come last.
- An array or record that a kernel writes to is an argument under ``# Work:``, ``# In and out:`` or
  ``# Out:``, or one that ends in ``_out``.

numba infers the types of kernels, so mypy is told in ``pyproject.toml`` which modules have no
annotations. That list must name the kernel files with such functions, and no other module.

Nothing is imported: the sources are read.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

SETTINGS, IN, WORK, IN_AND_OUT, OUT = "settings", "In", "Work", "In and out", "Out"
ORDER = (SETTINGS, IN, WORK, IN_AND_OUT, OUT)
WRITABLE = {WORK, IN_AND_OUT, OUT}
DECORATORS = {"njit", "jit", "vectorize", "guvectorize"}


class Group(NamedTuple):
    """A comment line that opens a group of arguments."""

    line: int
    kind: str
    name: str  # as it is written


class Argument(NamedTuple):
    """An argument, and the kind of its group; None if the kernel has no groups."""

    line: int
    name: str
    kind: str | None


def is_kernel_file(path: Path) -> bool:
    """Return whether a file is for kernels, by its name."""
    return path.name == "kernels.py" or path.name.endswith("_kernels.py")


def compiled_functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Yield the functions that numba compiles."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            for decorator in node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if ast.unparse(called).rpartition(".")[2] in DECORATORS:
                    yield node
                    break


def comment_lines(source: str) -> dict[int, str]:
    """Return the comments that stand alone on a line, by line number."""
    return {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and token.line.lstrip().startswith("#")
    }


def arguments_of(function: ast.FunctionDef) -> list[ast.arg]:
    """Return all arguments of a function in the order of the source."""
    given = function.args
    return [*given.posonlyargs, *given.args, *given.kwonlyargs]


def groups_of(function: ast.FunctionDef, comments: dict[int, str]) -> Iterator[Group | str]:
    """Yield the groups of a kernel's arguments, and a problem for each comment that names none."""
    arguments = arguments_of(function)
    last = arguments[-1].lineno if arguments else function.lineno
    for line in range(function.lineno, last):
        if line not in comments or line - 1 in comments:  # the second line of a comment opens none
            continue
        name, colon, _ = comments[line].partition(":")
        if not colon:
            yield f"the comment line '{name}' names no group; expected '# Name:'"
        elif name in ORDER:
            yield Group(line, name, name)
        elif re.match(r"(in|out|work|inputs?|outputs?)\b", name, re.IGNORECASE):
            yield f"unknown group '{name}', expected one of {', '.join(ORDER[1:])}"
        else:
            yield Group(line, SETTINGS, name)


def grouped(function: ast.FunctionDef, groups: list[Group]) -> list[Argument]:
    """Return the arguments of a kernel with their groups."""
    found: list[Argument] = []
    for argument in arguments_of(function):
        before = [group.kind for group in groups if group.line < argument.lineno]
        kind = (before or [IN])[-1] if groups else None
        found.append(Argument(argument.lineno, argument.arg, kind))
    return found


def written_names(function: ast.FunctionDef) -> set[str]:
    """Return the names whose elements or fields a function sets, except names that it rebinds."""
    stored: set[str] = set()
    rebound: set[str] = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            rebound.add(node.id)
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                stored.add(root.id)
    return stored - rebound


def problems_of(function: ast.FunctionDef, comments: dict[int, str]) -> Iterator[str]:
    """Yield the problems of a kernel's arguments."""
    groups: list[Group] = []
    for group in groups_of(function, comments):
        if isinstance(group, str):
            yield group
            continue
        if groups and ORDER.index(group.kind) < ORDER.index(groups[-1].kind):
            yield f"group '{group.name}' comes after '{groups[-1].name}'"
        groups.append(group)
    arguments, written = grouped(function, groups), written_names(function)
    if groups and groups[0].kind == SETTINGS and arguments[0].kind == IN:
        yield f"arguments before the group '{groups[0].name}' are in none"
    for number, (_, name, kind) in enumerate(arguments):
        is_output = name.endswith("_out")
        if kind == OUT and not is_output:
            yield f"output {name} does not end in _out"
        if kind not in {OUT, None} and is_output:
            yield f"{name} ends in _out, but its group is '{kind}'"
        if kind is None and is_output:
            after = [each.name for each in arguments[number:] if not each.name.endswith("_out")]
            if after:
                yield f"output {name} comes before {after[0]}"
        if name in written and not is_output and kind not in WRITABLE:
            yield f"{name} is written to, but is neither work memory nor an output"


def without_types(tree: ast.AST) -> bool:
    """Return whether a module has a function without full type annotations."""
    return any(
        isinstance(node, ast.FunctionDef)
        and (node.returns is None or any(each.annotation is None for each in arguments_of(node)))
        for node in ast.walk(tree)
    )


def file_problems(path: Path, name: str) -> Iterator[str]:
    """Yield the problems in one file, with their places."""
    source = path.read_text(encoding="utf-8")
    comments = comment_lines(source)
    for function in compiled_functions(ast.parse(source)):
        place = f"{name}:{function.lineno}: {function.name}"
        if not is_kernel_file(path):
            yield f"{place}: compiled functions stand in kernels.py or *_kernels.py"
        for problem in problems_of(function, comments):
            yield f"{place}: {problem}"


def list_problems(listed: list[str], untyped: set[str]) -> Iterator[str]:
    """Yield the modules that mypy's list of modules without types has wrongly, not, or twice."""
    for name in sorted(set(listed) | untyped):
        if name not in untyped:
            yield f"pyproject.toml: {name} is listed for mypy, but no kernel file without types"
        elif name not in listed:
            yield f"pyproject.toml: {name} has kernels without types and is not listed for mypy"
        elif listed.count(name) > 1:
            yield f"pyproject.toml: {name} is listed for mypy twice"


def check(root: Path) -> list[str]:
    """Return the problems of kernels in the packages of a repository.

    Parameters
    ----------
    root : Path
        Folder with ``pyproject.toml``, whose table ``tool.mypy`` names the packages.

    Returns
    -------
    list of str
        One line for each problem, with its place; empty if there are none.
    """
    settings = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    found: list[str] = []
    untyped: set[str] = set()
    for package in settings["packages"]:
        for path in sorted((root / package).rglob("*.py")):
            name = path.relative_to(root)
            found += file_problems(path, name.as_posix())
            tree = ast.parse(path.read_text(encoding="utf-8"))
            if is_kernel_file(path) and without_types(tree):
                untyped.add(".".join(name.with_suffix("").parts))
    listed = [
        module
        for override in settings.get("overrides", [])
        if override.get("disallow_untyped_defs") is False
        for module in override["module"]
    ]
    return [*found, *list_problems(listed, untyped)]


def main() -> None:
    """Check the repository that this file is in; exit code 1 if something is wrong."""
    found = check(Path(__file__).resolve().parents[1])
    for line in found:
        print(line)
    if found:
        sys.exit(f"Kernels: {len(found)} problems")
    print("Kernels: no problems")


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The imports between the files of some packages, read from the sources; nothing is imported.

These count as imports, anywhere in a file, also in functions and for type checkers:

- ``import`` and ``from .. import``, absolute and relative;
- texts that name a file of the packages: ``"package.module"`` and ``"package.module:name"``;
- in files that load modules by name also ``"package"``, and the texts that follow the beginning of
  an f-string: ``import_module(f"package.{name}")``.

An entry point of ``pyproject.toml`` does not count: the file that loads it names only its group.
"""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LOADERS = {"import_module", "__import__"}


def source_files(root: Path, folders: Iterable[str]) -> dict[str, Path]:
    """Return the Python files below some folders of a repository, by module name."""
    return {
        _module_name(path.relative_to(root)): path
        for folder in folders
        for path in sorted((root / folder).rglob("*.py"))
    }


def imports_by_file(files: dict[str, Path]) -> dict[str, set[str]]:
    """Return, for each module of ``files``, the other modules of ``files`` that it imports."""
    return {
        name: {module for module in imported(path, name, files) if module in files} - {name}
        for name, path in files.items()
    }


def imported(path: Path, name: str, files: dict[str, Path]) -> Iterator[str]:
    """Yield the modules that a file imports, and texts in it that may name a module."""
    for module, inner in from_imports(path, name):
        yield f"{module}.{inner}" if f"{module}.{inner}" in files else module
    for node in _nodes_of(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
    yield from _named_in_texts(_nodes_of(path))


def from_imports(path: Path, name: str) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each ``from module import name`` in a file."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in _nodes_of(path):
        if isinstance(node, ast.ImportFrom):
            above = package[: len(package) + 1 - node.level] if node.level else []
            module = ".".join([*above, *filter(None, [node.module])])
            yield from ((module, alias.name) for alias in node.names)


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(tree_of(path)))


def _module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _named_in_texts(nodes: list[ast.AST]) -> Iterator[str]:
    texts = [
        node.value.partition(":")[0]
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    yield from (text for text in texts if "." in text)
    words = {getattr(node, key, None) for node in nodes for key in ("id", "attr", "name")}
    if LOADERS & words:
        formatted = [node.values[0] for node in nodes if isinstance(node, ast.JoinedStr)]
        begun = [first.value for first in formatted if isinstance(first, ast.Constant)]
        yield from (beginning + text for beginning in ["", *begun] for text in texts)

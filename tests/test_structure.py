# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The house: no circle of imports, and no folder that holds too much."""

import ast
from collections import Counter
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = (
    *("lidar_app", "lidar_gap", "fmu_src", "osi_lidar", "lidar_scenery"),
    *("osi_bridge", "material_mapping", "raycore", "lidar_base"),
)
MOST_FILES = 20


def name_of(path):
    parts = path.relative_to(REPOSITORY).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_by_file():
    """Return the product files that each one imports, those for type checkers included."""
    files = {
        name_of(path): path for package in PACKAGES for path in (REPOSITORY / package).rglob("*.py")
    }
    return {name: set(imported(path, files)) for name, path in files.items()}


def imported(path, files):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                if inner in files or node.module in files:
                    yield inner if inner in files else node.module


def circles(graph):
    """Return the groups of files that import each other (Tarjan's algorithm)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == number[node]:
            group = []
            while not group or group[-1] != node:
                group.append(stack.pop())
            if len(group) > 1:
                found.append(sorted(group))

    for node in graph:
        if node not in number:
            visit(node)
    return found


def test_a_circle_is_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}
    assert circles(graph) == [["a", "b", "c"]]


def test_no_file_of_the_product_imports_itself_by_way_of_others():
    assert circles(imports_by_file()) == []


def test_no_folder_of_the_product_holds_more_files_than_a_reader_overlooks():
    folders = Counter(
        path.parent.relative_to(REPOSITORY).as_posix()
        for package in PACKAGES
        for path in (REPOSITORY / package).rglob("*.py")
    )
    assert {folder: n for folder, n in folders.items() if n > MOST_FILES} == {}

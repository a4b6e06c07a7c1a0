# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The house: no circle of imports, and none against the layers."""

import sys
from pathlib import Path

import pytest

from tests.scenarios.scripts import script

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = (
    *("lidar_app", "lidar_gap", "fmu_src", "osi_lidar", "lidar_scenery"),
    *("osi_bridge", "material_mapping", "raycore", "lidar_base"),
)

DOOR = ("osi_lidar.__main__", "lidar_app.cli.main")  # python -m osi_lidar

import_graph = script(REPOSITORY / "tools" / "import_graph.py")


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


@pytest.fixture(scope="module")
def product():
    """Return the imports of each file of the product."""
    return import_graph.imports_by_file(import_graph.source_files(REPOSITORY, PACKAGES))


def test_a_circle_is_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set(), "e": {"a"}}
    assert circles(graph) == [["a", "b", "c"]]


def imports_against(contract, graph):
    """Give the imports that the layers of a contract of import-linter forbid."""
    for inside in [f"{container}." for container in contract.get("containers", [])] or [""]:
        level = {
            inside + name.strip(): number
            for number, layer in enumerate(contract["layers"])
            for name in layer.split("|")
        }
        layer_of = {
            module: next((name for name in level if f"{module}.".startswith(f"{name}.")), None)
            for module in graph
        }
        for module, others in graph.items():
            for other in others:
                here, there = layer_of[module], layer_of[other]
                if here and there and here != there and level[there] <= level[here]:
                    yield module, other


def imports_of_a_package(folder, **sources):
    (folder / "core" / "scan").mkdir(parents=True)
    for name in ("__init__", "cloud", "scan/__init__", "scan/page"):
        (folder / "core" / f"{name}.py").write_text(sources.get(name, ""))
    files = import_graph.source_files(folder, ["core"])
    return {name: found for name, found in import_graph.imports_by_file(files).items() if found}


@pytest.mark.parametrize(
    "source",
    [
        "import core.scan.page",
        "from core.scan import page as shown",
        "from core.scan.page import show",
        "from .scan import page",
        "from .scan.page import show",
        "def show():\n    from core.scan.page import show",
        "if TYPE_CHECKING:\n    from core.scan.page import Page",
        'importlib.import_module("core.scan.page").show()',
        '__import__("core.scan.page")',
        'EntryPoint("page", "core.scan.page:show", "pages").load()',
        'VIEWERS = ["core.scan.page", "other.page"]',
        'HOME = {"Page": "scan.page"}\nimport_module(f"core.{HOME[name]}")',
        "from importlib import import_module as load\nload(f\"core.scan.{name('page')}\")",
    ],
)
def test_an_import_is_seen_however_it_is_spelled(tmp_path, source):
    assert imports_of_a_package(tmp_path, cloud=source) == {"core.cloud": {"core.scan.page"}}


def test_a_circle_that_is_closed_by_a_text_is_found(tmp_path):
    sources = {"scan/page": "from core.cloud import Cloud", "cloud": 'page = "core.scan.page:show"'}
    graph = imports_of_a_package(tmp_path, **sources)
    assert circles(graph) == [["core.cloud", "core.scan.page"]]


def test_words_and_files_that_load_nothing_by_name_are_no_imports(tmp_path):
    loggers = 'LOGGERS = ("core", "cloud", "scan.page", "scan")\nf"core.{name}"'
    assert imports_of_a_package(tmp_path, cloud=loggers) == {}


def test_names_that_a_package_imports_when_they_are_used_count_for_it(tmp_path):
    table = 'HOME = {"show": "scan.page", "core": "core"}\nimport_module(f"core.{HOME[name]}")'
    assert imports_of_a_package(tmp_path, __init__=table) == {"core": {"core.scan.page"}}


@pytest.mark.long
def test_no_file_of_the_product_imports_itself_by_way_of_others(product):
    assert "osi_lidar.model" in product["osi_lidar"]  # when it is used
    assert circles(product) == []


@pytest.mark.long
def test_imports_by_name_keep_the_layers_too_with_one_exception(product):
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = [
        contract
        for contract in settings["tool"]["importlinter"]["contracts"]
        if contract["type"] == "layers"
    ]
    assert [each["ignore_imports"] for each in contracts if "ignore_imports" in each] == [
        [" -> ".join(DOOR)]
    ]
    against = {found for contract in contracts for found in imports_against(contract, product)}
    assert against == {DOOR}


def test_an_import_against_the_layers_is_found():
    graph = {"a.x": {"b.y", "c"}, "b.y": {"a.x", "d"}, "b.x": {"a.y"}, "c": {"b.y"}, "d": {"c"}}
    graph["a.y"] = {"a.x", "b.x"}
    whole, inside = {"layers": ["a", "b | c", "d"]}, {"layers": ["x", "y"], "containers": ["a"]}
    assert sorted(imports_against(whole, graph)) == [
        *(("b.x", "a.y"), ("b.y", "a.x"), ("c", "b.y"), ("d", "c")),
    ]
    assert list(imports_against(inside, graph)) == [("a.y", "a.x")]

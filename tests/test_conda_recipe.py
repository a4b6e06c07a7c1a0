# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The recipe for conda-forge asks for what pyproject.toml asks for, and has what it names."""

import re
import sys
from pathlib import Path

import pytest
import yaml

import osi_lidar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "packaging" / "conda"
OTHER_NAMES = {"typing-extensions": "typing_extensions"}
"""Names on conda-forge of packages that have another name there."""


def matches(requirements):
    """Return requirements of pip as conda writes them: one blank between name and bounds."""
    parts = [re.fullmatch(r"([\w.-]+)(.*)", each).groups() for each in requirements]
    return [f"{OTHER_NAMES.get(name, name)} {bounds}".strip() for name, bounds in parts]


@pytest.fixture(scope="module")
def tables():
    return tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def recipe():
    """Return the recipe with the values of its context; it has no other expression but PYTHON."""
    text = (FOLDER / "recipe.yaml").read_text(encoding="utf-8")
    context = yaml.safe_load(text)["context"]
    filled = re.sub(r"\$\{\{ (version|python_min) \}\}", lambda found: context[found[1]], text)
    assert set(re.findall(r"\$\{\{ (.*?) \}\}", filled)) == {"PYTHON"}
    return yaml.safe_load(filled)


def test_it_asks_for_the_dependencies_of_the_package(recipe, tables):
    project = tables["project"]
    python, *others = recipe["requirements"]["run"]
    assert python == f"python {project['requires-python']}"
    assert others == matches(project["dependencies"])


def test_it_builds_with_the_oldest_python_and_the_backend_of_the_package(recipe, tables):
    oldest = tables["project"]["requires-python"].removeprefix(">=")
    backend = matches(tables["build-system"]["requires"])
    assert recipe["requirements"]["host"] == [f"python {oldest}.*", "pip", *backend]
    imports, demo = recipe["tests"]
    assert imports["python"]["python_version"] == f"{oldest}.*"
    assert demo["requirements"]["run"] == [f"python {oldest}.*"]


def test_it_names_what_the_package_is(recipe, tables):
    project = tables["project"]
    assert recipe["package"] == {"name": project["name"], "version": osi_lidar.__version__}
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"].split(" AND ")[0] == project["license"]
    scripts = [f"{name} = {place}" for name, place in project["scripts"].items()]
    assert recipe["build"]["python"]["entry_points"] == scripts


def test_the_source_has_the_modules_and_the_licences_that_it_names(recipe):
    source = (FOLDER / recipe["source"]["path"]).resolve()
    assert source == REPOSITORY
    for module in recipe["tests"][0]["python"]["imports"]:
        assert (source / module / "__init__.py").is_file()
    for name in recipe["about"]["license_file"]:
        assert (source / name).is_file()


def test_what_is_not_on_conda_forge_is_the_same_in_recipe_and_page():
    text = (FOLDER / "recipe.yaml").read_text(encoding="utf-8")
    marked = re.findall(r"- ([\w-]+) .*# not on conda-forge", text)
    rows = re.findall(r"^\| (`.*?) \| no\b", (FOLDER / "README.md").read_text(), re.MULTILINE)
    assert sorted(marked) == sorted(re.findall(r"`([\w-]+)`", " ".join(rows)))

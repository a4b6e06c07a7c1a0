# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages for who changes the code say what the contracts say, and name what there is."""

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
ARCHITECTURE, EXTENDING = (
    Path("docs/development/architecture.md"),
    Path("docs/development/extending.md"),
)
CONTRIBUTING = Path("CONTRIBUTING.md")
PAGES = (ARCHITECTURE, EXTENDING, CONTRIBUTING)
SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]
LAYERS = {
    (contract.get("containers") or [""])[0]: contract["layers"]
    for contract in SETTINGS["contracts"]
    if contract["type"] == "layers"
}
OTHERS = (".git", ".venv", "build", "out")
MADE = ("build/", "lidar_base/__pycache__", "out/", ".venv/")
"""What is not there before something has run."""
CODE = re.compile(r"`([^`\n]+)`")


def words(page):
    """Return the text of a page in one line, without the lines of a drawing."""
    drawn = (REPOSITORY / page).read_text(encoding="utf-8").replace("│", " ")
    return " ".join(drawn.split())


def written(layers, beside):
    """Return layers as a page writes them; `beside` is between those of equal rank."""
    return " > ".join(beside.join(name.strip() for name in each.split("|")) for each in layers)


def column(page, heading, number=0):
    """Return the code in a column of the table under a heading."""
    section = (REPOSITORY / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    rows = section.partition("\n## ")[0].splitlines()
    cells = [row.split("|")[1 + number] for row in rows if row.startswith("| ")]
    return [name.rstrip("/") for cell in cells for name in CODE.findall(cell)]


@pytest.mark.parametrize(
    ("container", "beside", "pages"),
    [
        ("", " | ", [CONTRIBUTING]),
        ("osi_lidar", " | ", [ARCHITECTURE, CONTRIBUTING]),
        ("osi_lidar.scan", " | ", [CONTRIBUTING]),
        ("lidar_app", ", ", [ARCHITECTURE]),
        ("lidar_scenery", " | ", [ARCHITECTURE]),
    ],
)
def test_pages_write_the_layers_as_the_contracts_have_them(container, beside, pages):
    layers = [each for each in LAYERS[container] if "errors" not in each]
    for page in pages:
        assert written(layers, beside) in words(page), page


def test_the_picture_has_all_packages_in_their_order():
    picture = words(ARCHITECTURE).partition("Three rules")[0].partition("How to add")[2]
    place = -1
    for layer in LAYERS[""]:
        names = [name.strip() for name in layer.split("|")]
        place = picture.find(" ".join(names), place + 1)
        assert place >= 0, layer


def test_tables_have_all_rooms_and_packages():
    inside = [name.removesuffix(".py") for name in column(ARCHITECTURE, "The rooms of the lidar")]
    rooms = [each for each in LAYERS["osi_lidar"] if "errors" not in each]
    assert sorted(inside) == sorted(rooms)
    around = column(ARCHITECTURE, "The rooms around it")
    packages = [name.strip() for layer in LAYERS[""] for name in layer.split("|")]
    assert sorted([*around, "osi_lidar"]) == sorted(packages)
    assert set(packages) <= set(column(CONTRIBUTING, "Where things are"))
    assert set(column(ARCHITECTURE, "Who may import whom")) == set(packages)


@pytest.fixture(scope="module")
def files():
    """Return all files and folders of the repository, but for caches and what is made."""
    tops = [each for each in REPOSITORY.iterdir() if each.name not in OTHERS]
    found = [*tops, *(each for top in tops for each in top.rglob("*"))]
    return {each.relative_to(REPOSITORY).as_posix() for each in found}


@pytest.mark.parametrize("page", PAGES)
def test_files_that_a_page_names_are_there(page, files):
    endings = {f"/{each}" for each in files}
    for code in CODE.findall((REPOSITORY / page).read_text(encoding="utf-8")):
        path = code.strip("/")
        is_file = path.endswith((".py", ".toml", ".yaml", ".json", ".md"))
        is_path = is_file or ("/" in path and path.split("/")[0] in files)
        if not is_path or re.search(r"[A-Z]{4}|[ *<]|\.\.", path) or path.startswith(MADE):
            continue
        assert any(each.endswith(f"/{path}") for each in endings), path


@pytest.mark.long
def test_tables_that_a_change_has_to_be_listed_in_exist():
    rows = re.findall(r"^\|.*$", (REPOSITORY / EXTENDING).read_text(encoding="utf-8"), re.MULTILINE)
    names = set(re.findall(r"`(_?[A-Z][A-Z_]{3,})`", "\n".join(rows)))
    code = "\n".join(
        each.read_text(encoding="utf-8")
        for folder in (*(column(ARCHITECTURE, "Who may import whom")), "tests", "tools")
        for each in (REPOSITORY / folder).rglob("*.py")
    )
    assert not [name for name in names if not re.search(rf"^{name}\b", code, re.MULTILINE)]

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is packed is what is there: wheel, source distribution, declared dependencies."""

import ast
import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import osi_lidar

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

REPOSITORY = Path(__file__).resolve().parents[1]
PACKAGES = (
    *("lidar_app", "lidar_gap", "fmu_src", "osi_lidar", "lidar_scenery"),
    *("osi_bridge", "material_mapping", "raycore", "lidar_base"),
)
KERNELS = "shipped_kernels"  # tools/build_kernels.py may have made some
BUILT_PAGES = "scripts"  # a build of the site leaves them in docs
SMALL = 1024  # bytes of type marks and plain materials, which may be alike
STREET = REPOSITORY / "scenarios" / "street"
OTHER_FOLDERS = ("tests", "scenarios", "docs", "examples", "benchmarks", "tools", "packaging")
PAGES = ("LICENSE", "accuracy.md", "validation.md", "reality.json")  # travel in every FMU
NOT_INSTALLED = {"rerun": "rerun-sdk"}
"""Distributions of modules that the tests go without: 500 MB for a viewer."""
# embreex: its wheel carries the C library, which raycore/embree.py loads. Of open3d and open3d-cpu
# a machine has one.
ONLY_FOR_TYPES = {"_typeshed"}  # a module that type checkers bring along
NOT_IMPORTED = {"embreex", "open3d", "open3d-cpu"}


def build(kind: str, source: Path, target: Path) -> Path:
    """Build with the hatchling at hand: no network, no environment of its own."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(target)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (built,) = target.iterdir()
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    return build("wheel", REPOSITORY, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def unpacked_sdist(tmp_path_factory):
    archive = build("sdist", REPOSITORY, tmp_path_factory.mktemp("sdist"))
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


def files_below(folder: Path) -> set[Path]:
    return {
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and not {"__pycache__", KERNELS, BUILT_PAGES} & set(path.parts)
    }


def packed(wheel: Path) -> set[str]:
    """Return the files of a wheel without its metadata and kernels."""
    with zipfile.ZipFile(wheel) as file:
        names = [name for name in file.namelist() if ".dist-info/" not in name]
        return {name for name in names if KERNELS not in name}


def test_wheel_holds_exactly_the_files_of_the_packages_and_the_street(wheel):
    expected = {
        f"{package}/{path.as_posix()}"
        for package in PACKAGES
        for path in files_below(REPOSITORY / package)
    }
    for path in files_below(STREET):
        if path.parts[0] not in {"maker", "make_street.py"}:  # what made it stays at home
            expected.add(f"osi_lidar/scenarios/street/{path.as_posix()}")
    expected |= {f"fmu_src/exporter/pages/{page}" for page in PAGES}
    assert packed(wheel) == expected


@pytest.mark.skipif(sys.platform != "linux", reason="the tag names the system")
def test_wheel_holds_no_page_or_data_twice(wheel):
    places = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            places.setdefault(archive.read(name), []).append(name)
    twice = [names for content, names in places.items() if len(names) > 1 and len(content) > SMALL]
    assert [{Path(name).name for name in names} for names in twice] == [{"LICENSE"}]  # an FMU's


def test_a_wheel_with_kernels_is_for_one_python_and_machine(tmp_path, unpacked_sdist):
    folder = unpacked_sdist / "lidar_base" / KERNELS
    folder.mkdir()
    (folder / "kernels.json").write_text("{}")
    (folder / "package.work-1.kernel").write_bytes(b"")
    try:
        built = build("wheel", unpacked_sdist, tmp_path)
    finally:
        shutil.rmtree(folder)
    python = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{python}-{python}-manylinux_2_17_" in built.name
    with zipfile.ZipFile(built) as file:
        assert {"kernels.json", "package.work-1.kernel"} <= {
            Path(name).name for name in file.namelist() if KERNELS in name
        }


@pytest.fixture(scope="module")
def wheel_of_sdist(unpacked_sdist, tmp_path_factory):
    return build("wheel", unpacked_sdist, tmp_path_factory.mktemp("again"))


def test_a_wheel_without_kernels_is_for_all(wheel_of_sdist):
    assert wheel_of_sdist.name.endswith("-py3-none-any.whl")


@pytest.mark.parametrize(
    "name",
    [
        *(f"{package}/py.typed" for package in PACKAGES),
        "osi_lidar/sensors/data/OS1-128.yaml",
        "material_mapping/data/materials.yaml",
        "material_mapping/data/words.yaml",
        "osi_lidar/scenarios/street/config.yaml",
        "osi_lidar/scenarios/street/street.obj",
    ],
)
def test_wheel_holds_data_and_type_marks(wheel, name):
    assert name in packed(wheel)


def test_source_distribution_holds_what_building_and_testing_needs(unpacked_sdist):
    for folder in (*PACKAGES, *OTHER_FOLDERS):
        assert files_below(unpacked_sdist / folder) == files_below(REPOSITORY / folder), folder
    for name in (
        "Makefile",
        "build_fmu.py",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "pyproject.toml",
    ):
        assert (unpacked_sdist / name).is_file(), name


def test_wheel_from_the_source_distribution_is_the_same(wheel, wheel_of_sdist):
    assert packed(wheel_of_sdist) == packed(wheel)


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory):
    """A pure wheel is installed by unpacking it, so this needs no installer and no network."""
    folder = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)  # noqa: S202  our own
    return folder


def from_site(arguments, site, folder):
    """Run Python with the unpacked wheel, in a folder without the sources."""
    run = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow  # make check-wheel does the same with an installed one
def test_demo_runs_from_an_unpacked_wheel_in_another_folder(site, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    from_site(["-m", "osi_lidar", "demo", "--out", "demo"], site, elsewhere)
    report = json.loads((elsewhere / "demo" / "run.json").read_text(encoding="utf-8"))
    assert Path(report["input"]["file"]).is_relative_to(site)
    assert report["frames_read"] == 60
    assert report["fallbacks"] == []
    assert (elsewhere / "demo" / "preview.png").is_file()


@pytest.mark.slow  # make check-wheel builds them with an installed one
def test_fmus_are_built_from_an_unpacked_wheel_without_any_extra(site, tmp_path):
    """Each of the two carries what its documentation needs, and the library of this machine."""
    program = (
        "import sys; sys.modules |= dict.fromkeys(('pythonfmu', 'fmpy')); "
        "from lidar_app.cli.main import main; main()"
    )
    config = site / "osi_lidar" / "scenarios" / "street" / "config.yaml"
    build = ["fmu", "build", "--fmi", "both", "--config", str(config), "--out", "fmu"]
    from_site(["-c", program, *build], site, tmp_path)
    for name, version in (("OsiLidar.fmu", "2.0"), ("OsiLidar.fmi3.fmu", "3.0")):
        told = from_site(["-c", program, "fmu", "info", f"fmu/{name}", "--json"], site, tmp_path)
        info = json.loads(told)
        assert (info["fmi"], info["wrapper"]) == (version, "native")
        assert len(info["platforms"]) == 5
        assert info["packed"]["config.yaml"] > 0


def test_command_starts_at_the_command_line_module(wheel):
    with zipfile.ZipFile(wheel) as file:
        (name,) = [each for each in file.namelist() if each.endswith("/entry_points.txt")]
        assert "osi-lidar = osi_lidar.__main__:main" in file.read(name).decode()


def imported_modules() -> set[str]:
    """Return the top-level names of other projects that the packages import."""
    names = set()
    for package in PACKAGES:
        for path in (REPOSITORY / package).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    names |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    names.add(node.module.split(".")[0])
                elif isinstance(node, ast.Call) and _called(node) in {"import_module", "library"}:
                    names |= {name.split(".")[0] for each in node.args[:1]
                              for name in _begin_of_text(each)}  # fmt: skip
    return names - set(sys.stdlib_module_names) - {*PACKAGES}


def _begin_of_text(node: ast.expr) -> list[str]:
    """Return the text of a constant, or that with which an f-string begins; none of others."""
    first = node.values[0] if isinstance(node, ast.JoinedStr) else node
    return [first.value] if isinstance(first, ast.Constant) else []


def _called(node: ast.Call) -> str:
    """Return the name of the function that is called."""
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_import_is_a_declared_dependency_and_every_dependency_is_imported():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    listed = [*project["dependencies"], *(name for extra in extras for name in extra)]
    declared = {normalised(re.match(r"[\w.-]+", each)[0]) for each in listed}
    brought_by = importlib.metadata.packages_distributions()
    used = set()
    for module in imported_modules() - ONLY_FOR_TYPES:
        # a compiled module that is no package is not listed: its distribution has its name
        named = [NOT_INSTALLED.get(module, module)]
        distributions = {normalised(each) for each in brought_by.get(module, named)}
        assert distributions & declared, f"{module} is imported but not declared"
        used |= distributions & declared
    assert declared - used - NOT_IMPORTED == set()
    assert "embreex" not in used


def test_changelog_names_the_version():
    changelog = (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## \[(\d[^\]]*)\]", changelog, re.MULTILINE)[0]
    assert newest == osi_lidar.__version__


def test_citation_and_readme_name_the_version():
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == osi_lidar.__version__
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"version (\d+\.\d+\.\d+)", readme) == [osi_lidar.__version__]


def test_a_container_is_made_from_what_the_wheel_holds_and_what_builds_it():
    tables = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    dockerfile = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8")
    target = tables["tool"]["hatch"]["build"]["targets"]["wheel"]
    lines = (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines()
    brought = {line[1:] for line in lines if line.startswith("!")}
    needed = {*target["only-include"], *target["force-include"], "README.md", "pyproject.toml"}
    needed |= {hook.get("path", "hatch_build.py") for hook in target["hooks"].values()}
    needed |= set(re.findall(r"/src/(\S+)", dockerfile))
    needed |= set(re.findall(r"^COPY (\w\S*) ", dockerfile, re.MULTILINE))
    assert brought == needed


def test_a_container_has_what_the_build_asks_for(tmp_path):
    """Copies what .dockerignore lets in, and builds the wheel from that alone."""
    for line in (REPOSITORY / ".dockerignore").read_text(encoding="utf-8").splitlines():
        if line.startswith("!"):
            source, target = REPOSITORY / line[1:], tmp_path / "context" / line[1:]
            target.parent.mkdir(parents=True, exist_ok=True)
            ignored = shutil.ignore_patterns("__pycache__")
            if source.is_dir():
                shutil.copytree(source, target, ignore=ignored)
            else:
                shutil.copyfile(source, target)
    assert build("wheel", tmp_path / "context", tmp_path / "dist").suffix == ".whl"

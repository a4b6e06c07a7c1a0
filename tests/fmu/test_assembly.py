# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a build puts into an FMU: the same bytes for the same content, and what each kind needs."""

import json
import re
import struct
import subprocess
import sys
import sysconfig
import xml.etree.ElementTree as ET
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from fmu_src.errors import BuildError
from fmu_src.exporter import (
    build_fmu,
    building_python,
    fmu_file,
    native_wrapper,
    pages,
    pythonfmu_wrapper,
    tree,
)
from fmu_src.variables import VARIABLES
from lidar_base.files.unfinished import machine
from osi_lidar.config import load_config
from osi_lidar.run.example_scene import street
from osi_lidar.version import __version__
from tests.builders.refusals import one_line
from tests.fmu.kinds import KINDS, OF_FMI2, built, contents, description

REPOSITORY = Path(__file__).resolve().parents[2]
LIBRARIES = {
    "native-2": {
        "linux64/OsiLidar.so",
        "aarch64-linux/OsiLidar.so",
        "win64/OsiLidar.dll",
        "darwin64/OsiLidar.dylib",
        "aarch64-darwin/OsiLidar.dylib",
    },
    "native-3": {
        "x86_64-linux/OsiLidar.so",
        "aarch64-linux/OsiLidar.so",
        "x86_64-windows/OsiLidar.dll",
        "x86_64-darwin/OsiLidar.dylib",
        "aarch64-darwin/OsiLidar.dylib",
    },
    "pythonfmu-2": {"linux64/OsiLidar.so", "win64/OsiLidar.dll"},
}
RECORD = "resources/osi_lidar_python.txt"


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """Return the files of an FMU without a configuration, by kind."""
    folder = tmp_path_factory.mktemp("plain")
    return {kind: contents(built(kind, out=folder / kind).path) for kind in KINDS}


@pytest.fixture(scope="module")
def of_street(tmp_path_factory):
    """Return an FMU of the street, by kind."""
    folder = tmp_path_factory.mktemp("street")
    return {kind: built(kind, config=street().config, out=folder / kind) for kind in KINDS}


@pytest.fixture
def vendored(tmp_path, monkeypatch):
    """Return the files of an FMU by kind; a file takes the place of the wheels."""

    def with_wheels(_, resources):
        wheel = resources / "wheels" / "osi_lidar-1-py3-none-any.whl"
        wheel.parent.mkdir()
        wheel.write_bytes(b"wheel")
        return [wheel]

    monkeypatch.setattr(fmu_file, "vendor", with_wheels)
    return lambda kind: contents(built(kind, out=tmp_path, with_packages=True).path)


def libraries(files):
    found = {name.removeprefix("binaries/") for name in files if name.startswith("binaries/")}
    return {name for name in found if "/" in name}


def description_of(files):
    return ET.fromstring(files["modelDescription.xml"])  # noqa: S314  our own


def record_of(files):
    """Return the keys and values of the record for the native wrapper."""
    lines = files[RECORD].decode().splitlines()
    return [tuple(line.split("=", 1)) for line in lines]


def values(record, key):
    return [value for name, value in record if name == key]


# --- content and bytes ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_same_content_has_the_same_bytes_and_the_same_guid(kind, of_street, tmp_path):
    first, again = of_street[kind], built(kind, config=street().config, out=tmp_path)
    assert first.guid == again.guid
    assert first.path.read_bytes() == again.path.read_bytes()


def test_other_content_has_another_guid(tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("sensors: [{preset: VLP-16}]\n")
    guids = [built(kind, out=tmp_path).guid for kind in KINDS]
    guids += [built(kind, config=config, out=tmp_path).guid for kind in KINDS]
    assert len(set(guids)) == len(guids)


@pytest.mark.parametrize("kind", KINDS)
def test_guid_is_the_same_in_all_files_that_say_it(plain, kind):
    root = description_of(plain[kind])
    guid = root.get("guid") or root.get("instantiationToken")
    assert json.loads(plain[kind]["resources/osi_lidar_build.json"])["guid"] == guid
    for name, data in plain[kind].items():
        if name.endswith(".srmd"):
            assert guid.encode() in data


def test_both_versions_are_two_files_of_one_scenario(tmp_path):
    two, three = build_fmu(config=street().config, fmi="both", out=tmp_path)
    assert (two.fmi, three.fmi) == (2, 3)
    assert (two.path.name, three.path.name) == ("OsiLidar.fmu", "OsiLidar.fmi3.fmu")
    assert [description(each.path).get("fmiVersion") for each in (two, three)] == ["2.0", "3.0"]
    scenarios = [
        {name: data for name, data in contents(each.path).items() if "/scenario/" in name}
        for each in (two, three)
    ]
    assert scenarios[0] == scenarios[1]
    assert "resources/scenario/config.yaml" in scenarios[0]
    assert two.files == three.files


def test_wrappers_differ_in_library_start_and_code_only(plain):
    def common(kind):
        (package,) = {
            match[0]
            for match in map(re.compile(r"osi_lidar_fmu_\w{12}").search, plain[kind])
            if match
        }
        own = ("binaries/", "resources/pythonfmu/", "documentation/licenses/", "extra/")
        return {
            name.replace(package, "package"): data
            for name, data in plain[kind].items()
            if not name.startswith(own)
        }

    native, pythonfmu = common("native-2"), common("pythonfmu-2")
    only_native = {RECORD} | {
        f"resources/package/{name}.py" for name in ("arrays", "fmi_calls", "log_emitter", "entry")
    }
    only_pythonfmu = {
        "resources/slavemodule.txt",
        "resources/package_model.py",
        "resources/package/pythonfmu_slave.py",
    }
    assert native.keys() - pythonfmu.keys() == only_native
    assert pythonfmu.keys() - native.keys() == only_pythonfmu
    different = {name for name in native.keys() & pythonfmu if native[name] != pythonfmu[name]}
    assert different == {"modelDescription.xml", "resources/osi_lidar_build.json"}
    roots = [description_of(files) for files in (native, pythonfmu)]
    for root in roots:
        assert root.attrib.pop("guid")
        assert root.attrib.pop("generationTool").startswith(f"osi-lidar {__version__}")
    assert roots[0].attrib == roots[1].attrib
    native, pythonfmu = ([ET.tostring(child) for child in root] for root in roots)
    assert native == pythonfmu


@pytest.mark.parametrize("kind", KINDS)
def test_packed_configuration_is_the_configuration(kind, of_street, tmp_path):
    for name, data in contents(of_street[kind].path).items():
        tree.put(tmp_path, name, data)
    folder = tmp_path / "resources" / "scenario"
    packed, own = load_config(folder / "config.yaml"), load_config(street().config)
    assert packed.sensors == own.sensors
    assert packed.scene.search == (folder / "files" / "0",)
    assert (
        packed.scene.environment[0].mesh.read_bytes() == own.scene.environment[0].mesh.read_bytes()
    )
    assert (folder / "files" / "0" / "car.obj").is_file()  # named by the trace


def test_a_build_that_cannot_write_leaves_the_older_fmu_and_nothing_else(tmp_path, monkeypatch):
    before = built("native-2", out=tmp_path).path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tree.shutil, "copyfileobj", full)
    with one_line(BuildError, match="No space left"):
        built("native-2", out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["OsiLidar.fmu"]
    assert (tmp_path / "OsiLidar.fmu").read_bytes() == before


def test_what_a_killed_build_left_is_replaced(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    (tmp_path / f".OsiLidar.fmu.{machine()}-{process.pid}-7.part").write_bytes(b"half")
    built("native-2", out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["OsiLidar.fmu"]


# --- libraries -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_libraries_of_all_platforms_travel(plain, kind):
    assert libraries(plain[kind]) == LIBRARIES[kind]


@pytest.mark.parametrize("kind", KINDS)
def test_with_wheels_only_the_platform_of_the_build_travels(vendored, kind):
    files = vendored(kind)
    assert len(libraries(files)) == 1
    assert "resources/wheels/osi_lidar-1-py3-none-any.whl" in files


@pytest.mark.parametrize(
    ("system", "machine", "folder"),
    [("darwin", "arm64", "aarch64-darwin"), ("win32", "AMD64", "x86_64-windows")],
)
def test_platform_of_the_build_is_told_by_system_and_machine(monkeypatch, system, machine, folder):
    monkeypatch.setattr(native_wrapper.sys, "platform", system)
    monkeypatch.setattr(native_wrapper.platform, "machine", lambda: machine)
    assert native_wrapper.here().name == folder


def test_both_kinds_of_macs_find_their_library_in_the_folder_of_fmi_2(plain):
    data = plain["native-2"]["binaries/darwin64/OsiLidar.dylib"]
    assert struct.unpack_from(">2I", data) == (0xCAFEBABE, len(native_wrapper.MACS))
    for index, mac in enumerate(native_wrapper.MACS):
        kind, subkind, begin, size, alignment = struct.unpack_from(">5I", data, 8 + 20 * index)
        alone = mac.library.read_bytes()
        assert data[begin : begin + size] == alone
        assert begin % (1 << alignment) == 0
        assert struct.unpack_from("<2I", alone, 4) == (kind, subkind)


def test_wheels_for_a_platform_without_a_library_are_refused_in_one_line(vendored, monkeypatch):
    monkeypatch.setattr(native_wrapper.platform, "machine", lambda: "riscv64")
    with one_line(BuildError, match=r"^--vendor: .*riscv64-linux.*x86_64-linux"):
        vendored("native-2")


def test_absent_library_is_told_with_the_way_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setattr(native_wrapper, "LIBRARIES", tmp_path)
    with pytest.raises(BuildError, match=r"OsiLidar\.so: .*make fmu-native"):
        built("native-3", out=tmp_path)


# --- the record for the native wrapper -----------------------------------------------------------


@pytest.mark.parametrize("kind", ["native-2", "native-3"])
def test_record_names_package_interpreter_library_and_packages(plain, kind):
    record = record_of(plain[kind])
    (package,) = values(record, "package")
    assert f"resources/{package}/fmi_calls.py" in plain[kind]
    assert values(record, "executable") == [sys.executable]
    assert values(record, "python") == [sysconfig.get_python_version()]
    assert str(REPOSITORY) in values(record, "site")
    *found, last = values(record, "library")
    assert all(Path(path).is_file() for path in found)
    assert not Path(last).is_absolute()


def test_record_beside_wheels_names_no_folder_of_packages(vendored):
    record = record_of(vendored("native-3"))
    assert values(record, "site") == []
    assert values(record, "library")


@pytest.mark.parametrize(
    ("system", "file", "name"),
    [
        ("win32", "python311.dll", "python311.dll"),
        ("darwin", "lib/libpython3.11.dylib", "libpython3.11.dylib"),
        ("linux", "lib/libpython3.11.so.1.0", "libpython3.11.so.1.0"),
    ],
)
def test_library_is_looked_for_where_each_system_has_it(tmp_path, monkeypatch, system, file, name):
    tree.put(tmp_path, file, b"library")
    for base in ("base_prefix", "base_exec_prefix"):
        monkeypatch.setattr(sys, base, str(tmp_path))
    monkeypatch.setattr(building_python.sys, "platform", system)
    monkeypatch.setattr(building_python.sysconfig, "get_config_var", lambda _: None)
    monkeypatch.setattr(building_python, "python_version", lambda: "3.11")
    found = building_python.library_names()
    assert found[0] == str(tmp_path / file)
    assert found[-1] == name


def test_library_of_a_macos_framework_is_found(tmp_path, monkeypatch):
    library = "Python.framework/Versions/3.11/Python"
    tree.put(tmp_path, library, b"library")
    known = {"PYTHONFRAMEWORKPREFIX": str(tmp_path), "LDLIBRARY": library}
    monkeypatch.setattr(building_python.sys, "platform", "darwin")
    monkeypatch.setattr(building_python.sysconfig, "get_config_var", known.get)
    assert building_python.library_names()[0] == str(tmp_path / library)


# --- documentation -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_page_names_every_variable_and_needs_nothing_from_elsewhere(plain, kind):
    page = plain[kind]["documentation/index.html"].decode()
    for each in VARIABLES:
        assert f"<code>{each.name}</code>" in page
    links = re.findall(r"""(?:href|src)=["']([^"']+)""", page)
    assert links
    assert all(f"documentation/{link}" in plain[kind] for link in links)
    for heading in ("Limits", "Requirements", "Licence"):
        assert f"<h2>{heading}</h2>" in page


@pytest.mark.parametrize("kind", KINDS)
def test_licences_of_all_that_is_inside_travel(plain, kind):
    folder = "documentation/licenses/"
    own = (REPOSITORY / "LICENSE").read_bytes()
    assert plain[kind][f"{folder}license.txt"] == own
    others = {name.removeprefix(folder) for name in plain[kind] if name.startswith(folder)}
    others.remove("license.txt")
    if kind == "pythonfmu-2":
        assert others == {"pythonfmu.txt"}
        assert b"MIT License" in plain[kind][f"{folder}pythonfmu.txt"]
    else:
        assert others == {"fmi_headers.txt"}
        assert b"Redistribution" in plain[kind][f"{folder}fmi_headers.txt"]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_needed_from_outside_is_told(plain, vendored, kind):
    name = "documentation/externalDependencies.txt"
    assert f"pip install osi-lidar=={__version__}" in plain[kind][name].decode()
    told = vendored(kind)[name].decode()
    assert "pip install" not in told
    assert f"Python {sysconfig.get_python_version()}" in told


@pytest.mark.parametrize("kind", KINDS)
def test_icon_is_a_small_picture_at_the_place_of_each_version(plain, kind):
    place = "model.png" if kind in OF_FMI2 else "terminalsAndIcons/icon.png"
    assert plain[kind][place].startswith(b"\x89PNG\r\n")
    assert len(plain[kind][place]) <= 10_000
    assert len({"model.png", "terminalsAndIcons/icon.png"} & plain[kind].keys()) == 1


def test_installed_osi_lidar_takes_pages_and_licence_from_beside_the_code(tmp_path, monkeypatch):
    for name in ("LICENSE", *pages.REPORTS):
        tree.put(tmp_path, f"pages/{name}", f"installed {name}")
    monkeypatch.setattr(pages, "_INSTALLED", tmp_path / "pages")
    files = contents(built("native-3", out=tmp_path).path)
    assert files["documentation/licenses/license.txt"] == b"installed LICENSE"
    assert files["documentation/accuracy.md"] == b"installed accuracy.md"


# --- choices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"fmi": "1"}, "--fmi: got '1', expected one of 2, 3, both"),
        ({"wrapper": "none"}, "--wrapper: got 'none', expected one of native, pythonfmu"),
        ({"wrapper": "pythonfmu", "fmi": "3"}, "--wrapper pythonfmu: .* FMI 2 only"),
        ({"wrapper": "pythonfmu", "fmi": "both"}, "--wrapper pythonfmu: .* FMI 2 only"),
        ({"link_python": True}, "--link-python: not needed, the native wrapper finds Python"),
    ],
)
def test_choices_that_cannot_be_are_one_line(tmp_path, options, words):
    with one_line(BuildError, match=words):
        build_fmu(out=tmp_path, **options)
    assert not list(tmp_path.iterdir())


def test_pythonfmu_is_needed_only_for_its_own_wrapper(tmp_path, monkeypatch):
    def absent(name):
        raise PackageNotFoundError(name)

    monkeypatch.setitem(sys.modules, "pythonfmu", None)  # an import fails
    monkeypatch.setattr(pythonfmu_wrapper, "distribution", absent)
    assert len(build_fmu(fmi="both", out=tmp_path / "native")) == 2
    with one_line(BuildError, match=r"pip install 'osi-lidar\[fmu\]'"):
        build_fmu(wrapper="pythonfmu", out=tmp_path / "pythonfmu")
    assert not (tmp_path / "pythonfmu").exists()

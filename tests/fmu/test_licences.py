# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""An FMU with packages holds the licence of each, and a list of them."""

import json
import zipfile

import pytest

from fmu_src.exporter import build_fmu, fmu_file, vendoring
from fmu_src.exporter.licences.inventory import LICENCES, SBOM

LIBRARIES = ("libembree4-4aef.so.4", "libtbb-dcf6.so.12")


def wheel(folder, name, version, *lines, files=()):
    """Write a wheel with metadata and some other files, which has the same bytes at any time."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        stated = (f"Name: {name.replace('_', '-')}", f"Version: {version}", *lines)
        metadata = "\n".join(("Metadata-Version: 2.4", *stated, "", ""))
        for path, content in (("{info}/METADATA", metadata), *files):
            file.writestr(zipfile.ZipInfo(path.format(info=info)), content)


@pytest.fixture
def vendored(monkeypatch):
    """Let pip give some wheels in place of osi-lidar and its dependencies."""

    def wheels(_origin, folder):
        folder.mkdir(parents=True)
        wheel(folder, "with_file", "1.0", "License-Expression: BSD-3-Clause",
              files=[("{info}/licenses/", ""), ("{info}/licenses/LICENSE", "its own text"),
                     ("{info}/licenses/sub/NOTICE", "a notice"),
                     ("with_file/licenses.py", "code")])  # fmt: skip
        wheel(folder, "older", "2", "License: ISC", files=[("{info}/COPYING.txt", "older text")])
        wheel(folder, "by_words", "3", "Author: A Person",
              "Classifier: License :: OSI Approved :: MIT License")  # fmt: skip
        wheel(folder, "mozilla", "4", "License: MPL-2.0")
        wheel(folder, "unknown", "5")
        wheel(folder, "embreex", "4.4", "License: Copyright (c) 2015", "  more of it",
              files=[("{info}/licenses/LICENSE", "of embreex"),
                     *((f"embreex.libs/{name}", "") for name in LIBRARIES)])  # fmt: skip

    monkeypatch.setattr(vendoring, "_run_pip", wheels)


def contents(path):
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name).decode("utf-8", "replace") for name in file.namelist()}


@pytest.mark.usefixtures("vendored")
def test_each_package_of_an_fmu_has_its_licence_in_it(tmp_path):
    for built in build_fmu(out=tmp_path, fmi="both", with_packages=True):
        found = contents(built.path)
        texts = {
            name.removeprefix(f"{LICENCES}/"): text
            for name, text in found.items()
            if name.startswith(LICENCES)
        }
        assert all(texts.values())
        assert texts["with-file-1.0/LICENSE"] == "its own text"
        assert texts["with-file-1.0/sub-NOTICE"] == "a notice"
        assert texts["older-2/COPYING.txt"] == "older text"
        assert "Author: A Person" in texts["by-words-3/LICENSE.txt"]
        assert "Permission is hereby granted" in texts["by-words-3/LICENSE.txt"]
        assert "Mozilla Public License Version 2.0" in texts["mozilla-4/LICENSE.txt"]
        assert "License: not stated" in texts["unknown-5/LICENSE.txt"]
        assert texts["embreex-4.4/LICENSE"] == "of embreex"
        for library in LIBRARIES:
            assert "Apache License" in texts[f"embreex-4.4/{library}.txt"]
        packages = {name.split("-")[0] for name in found if name.endswith(".whl")}
        assert len(packages) == 6
        listed = json.loads(found[SBOM])["components"]
        assert {each["name"].replace("-", "_") for each in listed} == {
            name.rpartition("/")[2].split("-")[0] for name in found if name.endswith(".whl")
        }


@pytest.mark.usefixtures("vendored")
def test_the_list_is_cyclonedx_and_the_same_for_the_same_packages(tmp_path):
    one, two = (
        contents(build_fmu(out=tmp_path / name, with_packages=True)[0].path)[SBOM]
        for name in ("one", "two")
    )
    assert one == two
    by_name = {each["name"]: each for each in json.loads(one)["components"]}
    assert by_name["with-file"]["purl"] == "pkg:pypi/with-file@1.0"
    assert by_name["with-file"]["licenses"] == [{"expression": "BSD-3-Clause"}]
    assert by_name["by-words"]["licenses"] == [{"license": {"name": "MIT License"}}]
    assert by_name["embreex"]["licenses"] == [{"license": {"name": "Copyright (c) 2015"}}]
    assert [each["name"] for each in by_name["embreex"]["components"]] == list(LIBRARIES)
    validation = pytest.importorskip("cyclonedx.validation.json", reason="no cyclonedx-python-lib")
    from cyclonedx.schema import SchemaVersion

    assert validation.JsonStrictValidator(SchemaVersion.V1_6).validate_str(one) is None


def test_without_packages_an_fmu_lists_none(tmp_path):
    (built,) = fmu_file.build_fmu(out=tmp_path)
    assert SBOM not in contents(built.path)

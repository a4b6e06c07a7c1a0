# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What an FMU says of packages that it cannot import."""

import pytest

from fmu_src import host_record
from fmu_src.contents import Build, write_build


def said(statement):
    """Return the line about an import that fails."""
    with pytest.raises(ImportError) as caught:
        exec(statement, {})  # noqa: S102  the error of the statement itself
    return host_record.missing_packages(caught.value)


@pytest.mark.parametrize(
    "statement", ["import osi_lidar.gone", "import osi_lidar.scan.gone", "from raycore import no"]
)
def test_a_part_that_has_moved_is_of_another_version(statement, tmp_path, monkeypatch):
    write_build(tmp_path, Build(version="0.0.9"))
    monkeypatch.setattr(host_record, "__file__", str(tmp_path / "package" / "host_record.py"))
    monkeypatch.setattr(host_record, "version", lambda _: "0.1.1")
    line = said(statement)
    assert line.startswith("the FMU was built by osi-lidar 0.0.9, and does not fit osi-lidar 0.1.1")
    assert "build it again there, or pip install osi-lidar==0.0.9" in line
    assert "\n" not in line


@pytest.mark.parametrize("name", ["nowhere_to_be_found", "nowhere_to_be_found.part"])
def test_a_package_that_is_absent_is_to_be_installed(name):
    assert said(f"import {name}").startswith("nowhere_to_be_found is not installed for")


def test_a_library_that_cannot_be_loaded_is_told():
    line = host_record.missing_packages(ImportError("libgomp.so.1: no such file", name="numba"))
    assert line.endswith("cannot load the packages of osi-lidar: libgomp.so.1: no such file")

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Names of a package that are imported on first use."""

import sys

import pytest

from lidar_base.lazy_names import imported_on_use


@pytest.fixture
def parcel(tmp_path, monkeypatch):
    """Return the name of a package with a module ``home``, which no one has imported."""
    folder = tmp_path / "parcel_of_a_test"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "home.py").write_text("CONTENT = 'as imported'\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder.name
    for name in (folder.name, f"{folder.name}.home"):
        sys.modules.pop(name, None)


def test_a_name_is_imported_on_first_use(parcel):
    attribute = imported_on_use(parcel, {"CONTENT": "home", "ABSENT": "home"})
    assert f"{parcel}.home" not in sys.modules
    assert attribute("CONTENT") == "as imported"
    assert f"{parcel}.home" in sys.modules
    with pytest.raises(AttributeError, match="ABSENT"):
        attribute("ABSENT")
    with pytest.raises(AttributeError, match=f"module '{parcel}' has no attribute 'OTHER'"):
        attribute("OTHER")


def test_a_name_has_the_value_that_it_has_in_its_module_now(parcel, monkeypatch):
    attribute = imported_on_use(parcel, {"CONTENT": "home"})
    assert attribute("CONTENT") == "as imported"
    monkeypatch.setattr(sys.modules[f"{parcel}.home"], "CONTENT", "replaced")
    assert attribute("CONTENT") == "replaced"

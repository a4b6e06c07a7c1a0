# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The page on materials is up to date."""

from pathlib import Path

import pytest

from material_mapping import MaterialError, builtin_materials, document

PAGE = Path(__file__).resolve().parents[2] / "docs" / "materials.md"


def test_page_holds_the_builtin_materials_as_they_are():
    page = PAGE.read_text(encoding="utf-8")
    assert document.updated(page) == page, "run: python -m material_mapping.document " + str(PAGE)


def test_every_builtin_material_is_a_row_of_the_page():
    section = document.generated_section()
    assert all(f"| `{name}` |" in section for name in builtin_materials())


def test_page_without_marks_is_refused():
    with pytest.raises(MaterialError, match="without the marks"):
        document.updated("# Materials\n")


def test_python_example_of_the_page_runs():
    page = PAGE.read_text(encoding="utf-8")
    example = page.split("```python\n")[1].split("```")[0]
    names = {}
    exec(compile(example, str(PAGE), "exec"), names)  # noqa: S102 - our own page
    # 60 deg: half the reflectivity, ln 2 * 28.8539 = 20 m less
    assert names["range_m"][0] - names["range_m"][1] == pytest.approx(20.0, abs=1e-4)

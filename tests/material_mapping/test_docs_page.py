# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The pages on materials are up to date."""

from pathlib import Path

import pytest

from material_mapping import (
    MaterialEntry,
    MaterialResolver,
    builtin_materials,
    load_mapping,
)
from material_mapping import docs_page as document
from material_mapping.response import Tabulated
from material_mapping.yaml_models import MODELS
from tests.material_mapping.mapping.visuals import Named

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = DOCS / "reference" / "materials.md"
EXPLANATION = DOCS / "explanation" / "materials.md"


def test_page_holds_the_builtin_materials_as_they_are():
    page = PAGE.read_text(encoding="utf-8")
    for part in document.PARTS:
        assert part.renewed(page) == page, f"run: python -m material_mapping.docs_page {PAGE}"


def test_every_builtin_material_is_a_row_of_the_page():
    section = document.materials_section()
    assert all(f"| `{name}` |" in section for name in builtin_materials())


def test_every_key_of_every_model_is_a_row_of_the_page():
    rows = document.models_section().split("\n")
    assert len(rows) == 2 + sum(len(model.model_fields) - 1 for model in MODELS.values())
    assert all(any(f"| `{kind}`, " in row for row in rows) for kind in MODELS)
    (index,) = [row for row in rows if "refractive index of the coat" in row]
    assert index == "|  | `n` | refractive index of the coat | 0.01 to 100 | 1.5 | yes |"


def test_models_of_the_page_are_ones(tmp_path):
    file = tmp_path / "materials.yaml"
    file.write_text(block_with("kind: ggx", language="yaml"), encoding="utf-8")
    defined = load_mapping(file).defined
    kinds = [entry.response.model.split(":")[0] for entry in defined.values()]
    assert kinds == ["coated", "ggx", "retroreflective"]
    assert defined["type_1_sheeting"].normal_reflectance() == pytest.approx(259.9, rel=1e-3)


def test_page_shows_what_is_known_at_each_wavelength_and_nothing_else():
    rows = {
        row.split(" | ")[0]: row.split(" | ") for row in document.materials_section().split("\n")
    }
    assert rows["| `wood`"][1:7] == ["general", "0.895", "0.897", "0.891", "0.546", "cosine"]
    assert rows["| `paper_white`"][1:7] == ["general", "", "0.8", "", "", "cosine"]
    assert rows["| `road_marking_white`"][1:7] == ["general", "", "", "0.565", "", "table"]
    assert rows["| `water`"][1:7] == ["absorbent", "", "", "", "", ""]
    assert rows["| `glass_pane`"][1:4] == ["glass", "n 1.5162", "n 1.5152"]
    assert rows["| `glass_pane`"][6] == "Fresnel"


def test_page_without_marks_is_refused():
    with pytest.raises(ValueError, match="without the marks"):
        document.PARTS[0].renewed("# Materials\n")


def block_with(words, *, language, page=PAGE):
    text = page.read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split(f"```{language}\n")[1:]]
    (block,) = [block for block in blocks if words in block]
    return block


def test_mapping_table_of_the_page_is_one(tmp_path):
    file = tmp_path / "materials.yaml"
    file.write_text(block_with("my_plaster:", language="yaml"), encoding="utf-8")
    mapping = load_mapping(file)
    resolver = MaterialResolver(builtin_materials(), mapping, "lambertian_50")
    grey = (60 / 255, 62 / 255, 64 / 255)
    rows = (
        resolver.material_id(Named("Paint_Special")),
        resolver.material_id(Named("Material_7", base_color=grey)),
        resolver.material_id(Named("Material_8", texture="Street2.JPG")),
        resolver.material_id(Named("Paint_Special"), mesh="truck_1.glb"),
    )
    found = [list(resolver.entries)[row] for row in rows]
    assert found == ["my_paint", "asphalt_worn", "asphalt_worn", "metal_painted"]
    assert mapping.defined["my_plaster"].normal_reflectance(1550.0) == pytest.approx(0.55)


def test_class_of_the_page_works_as_it_says():
    names = {}
    exec(compile(block_with("NET =", language="python"), str(PAGE), "exec"), names)  # noqa: S102 - our own page
    response = Tabulated(curves={905.0: 0.3})
    net = MaterialEntry(name="fence", material_class=names["NET"], response=response)
    assert net.transmittance()[[0, 59, 60]].tolist() == [0.25, 0.25, 0.0]
    assert net.normal_reflectance() == pytest.approx(0.3)


def test_python_example_of_the_page_runs():
    example = block_with("RangeLimit", language="python", page=EXPLANATION)
    names = {}
    exec(compile(example, str(EXPLANATION), "exec"), names)  # noqa: S102 - our own page
    # 60 deg: half the reflectivity, ln 2 * 28.8539 = 20 m less
    assert names["range_m"][0] - names["range_m"][1] == pytest.approx(20.0, abs=1e-4)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Draw docs/images/conformance.svg: the scenes of the bench from above, with our own answers.

Run it from the repository root: ``python tools/draw_conformance.py``.
"""

from __future__ import annotations

from pathlib import Path

from lidar_app.conformance.bench import chosen, run_bench
from lidar_app.conformance.report.pictures import HEIGHT, STYLE, WIDTH, picture
from lidar_app.conformance.sheet import DataSheet
from lidar_app.conformance.subjects.own_model import ModelSubject
from osi_lidar.config import default_config

OUT = Path("docs/images/conformance.svg")
SHEET = {
    "name": "VLP-16",
    "field_of_view": {"elevation_deg": [-15.0, 15.0]},
    "range_m": [0.5, 100.0],
    "mounting": {"z_m": 1.9},
    "scan": {"kind": "rotating"},
    "intensity": {"range_exponent": 0.0},
    "ground": True,
}
LEFT_OUT = {"radial_velocity", "known_targets", "beyond_range", "empty_world", "fog", "rain"}
N_POINTS, N_COLUMNS, LINE = 90, 3, 30
KEY = "From above, x up. Grey: boxes. Blue: detections that fit; red: off. Black: sensor."


def main() -> None:
    """Write the picture."""
    sheet = DataSheet.model_validate(SHEET)
    scenes = [each for each in chosen() if each.name not in LEFT_OUT]
    results = run_bench(ModelSubject(default_config("VLP-16")), sheet, scenes)
    parts = []
    for index, each in enumerate(results):
        row, column = divmod(index, N_COLUMNS)
        x, y = column * (WIDTH + 8), row * (HEIGHT + LINE + 8)
        parts.append(
            f'<g transform="translate({x} {y})"><text y="17">{each.scene.name}</text>'
            f'<g transform="translate(0 {LINE})"><rect class="sheet" width="{WIDTH}" '
            f'height="{HEIGHT}"/>{picture(each, N_POINTS, has_legend=False)}</g></g>'
        )
    width = N_COLUMNS * (WIDTH + 8)
    height = -(-len(results) // N_COLUMNS) * (HEIGHT + LINE + 8) + LINE
    parts.append(f'<text y="{height - 10}">{KEY}</text>')
    text = "text,text.words{font:20px sans-serif}"
    style = f"{STYLE}{text}.sheet{{fill:#f3f5f8;stroke:#cdd4dc}}"
    OUT.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">'
        f"<style>{style}</style>{''.join(parts)}</svg>\n",
        encoding="utf-8",
    )


if __name__ == "__main__":
    main()

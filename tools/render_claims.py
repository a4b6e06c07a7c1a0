# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write the statements of ``fmu_src/exporter/claims.yaml`` into the marked parts of pages.

    python tools/render_claims.py           # renew README.md and docs/
    python tools/render_claims.py --check   # exit 1 if a page differs, or a figure from its source

A part begins with ``<!-- claims: NAME -->`` and ends with ``<!-- claims end -->``. NAME is the name
of a statement, ``not modelled``, or ``where the model ends``. A part that already has the right
words keeps its line breaks.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections import Counter
from pathlib import Path

from fmu_src.exporter.claims import figures, limitations, not_modelled, statement
from lidar_base.tables import table

ROOT = Path(__file__).resolve().parents[1]
PART = re.compile(
    r"(<!-- claims: (?P<name>[\w ]+) -->)(?P<text>.*?)(<!-- claims end -->)", re.DOTALL
)
LIMITS = "docs/evidence/validation.md"
VERDICTS = "docs/reality.json"
_LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")


def pages(root: Path = ROOT) -> list[Path]:
    """Return the files that may contain parts between marks."""
    return [root / "README.md", *sorted((root / "docs").rglob("*.md"))]


def renewed(page: str, file: Path, root: Path = ROOT) -> str:
    """Return a page with the text between its marks generated anew."""

    def part(found: re.Match[str]) -> str:
        begin, end = found[1], found[4]
        text = _linked(_text(found["name"]), file, root)
        if text.split() == found["text"].split():
            return found[0]
        return f"{begin}\n\n{text}\n\n{end}" if "\n" in text else f"{begin}{text}{end}"

    return PART.sub(part, page)


def _text(name: str) -> str:
    if name == "not modelled":
        return not_modelled()
    if name == "where the model ends":
        rows = table(name, ("Not modelled", "Consequence"), limitations())
        return "\n".join(rows.markdown())
    return statement(name)


def _linked(text: str, file: Path, root: Path) -> str:
    """Return a text with the targets of its links relative to a file."""

    def link(found: re.Match[str]) -> str:
        target = Path(os.path.relpath(root / "docs" / found[1], file.parent)).as_posix()
        return f"]({target}{found[2] or ''})"

    return _LINK.sub(link, text)


def counted(root: Path = ROOT) -> dict[str, float]:
    """Return the numbers for the statements, by name, from the verdicts and validation tables."""
    verdicts = json.loads((root / VERDICTS).read_text(encoding="utf-8"))["ours"]["recordings"]
    told = [
        (each["sensor"], row["verdict"], row["tuned"])
        for each in verdicts.values()
        for row in each["rows"].values()
        if row["verdict"] != "not told"
    ]
    rows = Counter(verdict for _, verdict, _ in told)
    page = (root / LIMITS).read_text(encoding="utf-8")
    section = page.partition("\n## Acceptance limits\n")[2]
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    met = Counter(line.split("|")[-2].strip() for line in lines[2:])
    return {
        "rows": len(told),
        "sensors": len({sensor for sensor, _, _ in told}),
        "tuned": sum(verdict == "within" and tuned for _, verdict, tuned in told),
        **{name: rows[name] for name in ("within", "twice", "beyond")},
        "limits": met.total(),
        "met": met["yes"],
        "nearly": met["nearly"],
        "missed": met["no"],
        "open": met["not compared"],
        **_measured(page),
    }


def _measured(page: str) -> dict[str, float]:
    """Return the numbers of the hall and the street, by name, from a page's tables."""

    def value(heading: str, row: str, column: int) -> float:
        section = page.partition(f"\n### {heading}\n")[2]
        line, *_ = re.findall(rf"^\| {row} \|.*$", section.partition("\n##")[0], re.MULTILINE)
        return float(line.split("|")[column + 1])

    trueness, density = "Range trueness", "Point frequency and density"
    unit, preset = "street to 40 m, angles of the unit", "street, angles of the preset"
    return {
        "hall_mm": value(trueness, "hall, physical", 1),
        "hall_real_mm": value(trueness, "hall, real against real", 1),
        "hall_more_percent": round(100 * value(density, "physical", 1) - 100),
        "hall_iou_percent": round(100 * value(density, "physical", 2)),
        "hall_real_iou_percent": round(
            100 * value(density, "real against real, the next frame", 2)
        ),
        "street_unit_mm": round(value(trueness, f"{unit}, no range limit", 1)),
        "street_preset_mm": round(value(trueness, f"{preset}, no range limit", 1)),
    }


def main(arguments: list[str] | None = None, root: Path = ROOT) -> None:
    """Rewrite the pages, or check them; exit code 1 if a page differs."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    check = parser.parse_args(arguments).check
    sources = counted(root)
    wrong = [
        f"claims.yaml: {name}: got {value}, expected {sources.get(name)}"
        for name, value in figures().items()
        if value != sources.get(name)
    ]
    for file in pages(root):
        page = file.read_text(encoding="utf-8")
        new = renewed(page, file, root)
        if new != page and check:
            wrong.append(f"{file.relative_to(root)}: differs, run tools/render_claims.py")
        elif new != page:
            file.write_text(new, encoding="utf-8")
    print("\n".join(wrong) or "Claims: no problems")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/evidence/reality.md, made of the verdicts of `osi-lidar gap reality score`.

    python benchmarks/real/reality_page.py docs/evidence/reality.md  # from docs/reality.json
    python benchmarks/real/reality_page.py --verdicts OURS/score.json PLAIN/score.json

The second line writes docs/reality.json: the verdicts of our sensors, and of plain_rays.py.
`tools/sensor_pages.py` takes the section of each sensor from here for the sensor's own page.
"""

import json
import re
import sys
from pathlib import Path

from lidar_base.tables import GeneratedPart, renew, table
from lidar_gap.reality.measuring import ROWS
from lidar_gap.reality.report import VERDICTS, apart
from lidar_gap.reality.scoring import real_against_real

VERDICT_FILE = Path(__file__).resolve().parents[2] / "docs" / "reality.json"
KINDS = {
    "noise": "range noise",
    "returns": "which pixels return",
    "repeats": "repeats of a scan",
    "second returns": "second returns",
    "mixed": "mixed pixels",
    "signal": "signal by range",
    "strength": "scatter of strengths",
    "beams": "elevations of the lasers",
    "targets": "points on people, cyclists and cars",
}
KEPT = "kind", "what", "clauses", "verdict", "tuned", "difference", "yardstick", "reason"
OURS, PLAIN = "ours", "plain"


def verdicts():
    """Return the content of docs/reality.json."""
    return json.loads(VERDICT_FILE.read_text(encoding="utf-8"))


def trimmed(score):
    """Return the parts of a score that the page needs, with numbers of three digits."""
    kept = {}
    for name, each in score["recordings"].items():
        rows = {
            row: {key: _short(found[key]) for key in KEPT if key in found}
            | dict(
                zip(("real", "simulated"), _ends(found["real"], found["simulated"]), strict=True)
            )
            for row, found in each["rows"].items()
            if found["verdict"] != "not asked"
        }
        facts = {key: value for key, value in each.items() if key != "rows"}
        kept[name] = {**facts, "rows": rows}
    return {"sum": score["sum"], "recordings": kept}


def _ends(real, sim):
    """Return the values of a figure, real and simulated, as two lists.

    A figure by classes is reduced to the first and the last class that both have.
    """
    if "values" in real and "values" in sim:
        pairs = [
            (real["values"][row], sim["values"][sim["labels"].index(label)])
            for row, label in enumerate(real["labels"])
            if label in sim["labels"]
        ]
        known = [pair for pair in pairs if None not in pair]
        if known:
            first, last = known[0], known[-1]
            return [[_short(first[side]), _short(last[side])] for side in (0, 1)]
    return [[_short(side["value"])] if "value" in side else [] for side in (real, sim)]


def _short(value):
    return float(f"{value:.3g}") if isinstance(value, float) else value


def sums():
    """Return a table: the numbers of rows by kind and verdict, of our sensors and plain rays."""
    found = verdicts()
    rows = []
    for kind, what in KINDS.items():
        cells = []
        for subject in (OURS, PLAIN):
            of_kind = [
                row["verdict"]
                for each in found[subject]["recordings"].values()
                for row in each["rows"].values()
                if row["kind"] == kind
            ]
            cells.append(" / ".join(str(of_kind.count(name)) for name in VERDICTS[:4]))
        if any(cell != "0 / 0 / 0 / 0" for cell in cells):
            rows.append((what, *cells))
    headings = "Rows", "Our sensors", "Plain rays"
    return "\n".join(table("", headings, rows).markdown())


def of_sensors():
    """Return the verdicts of our sensors by sensor, then by recording."""
    found = {}
    for name, each in verdicts()[OURS]["recordings"].items():
        found.setdefault(each["sensor"], {})[name] = each
    return found


def sensors():
    """Return a table: for each sensor, the numbers of rows by verdict, and of recordings."""
    cells = []
    for sensor, recorded in sorted(of_sensors().items()):
        rows = [row for each in recorded.values() for row in each["rows"].values()]
        counts = (
            " / ".join(
                str(sum(row["verdict"] == name and row["tuned"] == tuned for row in rows))
                for name in VERDICTS[:3]
            )
            for tuned in (True, False)
        )
        link = f"[{sensor}](../reference/sensors/{sensor}.md#what-recordings-say)"
        cells.append((link, *counts, len(recorded)))
    headings = "Sensor", "Tuned", "Predicted", "Recordings"
    return "\n".join(table("", headings, cells).markdown())


def section(sensor):
    """Return the section about a sensor's recordings, in Markdown; empty if it has none.

    The section has three tables: the kinds of figures that were tuned, predicted or are not known;
    the verdicts; and the recordings.
    """
    found = of_sensors().get(sensor, {})
    if not found:
        return ""
    tables = [_kinds(found), _rows(found), _recordings(found)]
    return "\n\n".join("\n".join(each.markdown()) for each in tables if each.rows)


def _kinds(found):
    told = {row["kind"] for each in found.values() for row in each["rows"].values()}
    tuned = {kind for each in found.values() for kind in each["tuned"]}
    kinds = {
        "tuned": [each for each in KINDS if each in tuned],
        "predicted": [each for each in KINDS if each in told and each not in tuned],
        "not known": [each for each in KINDS if each not in told and each not in tuned],
    }
    rows = [
        (what, ", ".join(KINDS[each] for each in some) or "nothing") for what, some in kinds.items()
    ]
    return table("", ("Was it tuned?", "Figures"), rows)


def _rows(found):
    cells = []
    for name, each in found.items():
        for row in each["rows"].values():
            ends = [" .. ".join(f"{x:.3g}" for x in row[side]) for side in ("real", "simulated")]
            how = "tuned" if row["tuned"] else "predicted"
            cells.append((row["what"], *ends, f"{row['verdict']}, {how}", f"`{name}`"))
    verdict = "[Verdict](../../evidence/reality.md#verdicts)"
    return table("", ("Figure", "Recorded", "Simulated", verdict, "Recording"), cells)


def _recordings(found):
    cells = [
        (
            f"`{name}`",
            each["title"],
            each["frames"],
            _where(each),
            " ".join(each[key] for key in ("terms", "note") if key in each),
        )
        for name, each in found.items()
    ]
    return table("", ("Recording", "Shows", "Scans", "From", "Note"), cells)


def _where(each):
    link = f"[{each['repository']}](https://github.com/{each['repository']})"
    return f"{link} @ {each['commit'][:12]}, {each['licence']}"


def in_all():
    """Return a sentence with the numbers of our sensors' rows by verdict."""
    rows = [
        (each["sensor"], row)
        for each in verdicts()[OURS]["recordings"].values()
        for row in each["rows"].values()
        if row["verdict"] != "not told"
    ]
    count = {name: sum(row["verdict"] == name for _, row in rows) for name in VERDICTS[:3]}
    tuned = sum(row["verdict"] == "within" and row["tuned"] for _, row in rows)
    return (
        f"Of {len(rows)} rows of {len({sensor for sensor, _ in rows})} sensors that can be judged, "
        f"{count['within']} are within their yardstick ({tuned} of them tuned), {count['twice']} "
        f"within twice of it, and {count['beyond']} beyond."
    )


def by_tuning():
    """Return a table: the numbers of our sensors' rows by verdict, for tuned and other rows."""
    rows = [
        row for each in verdicts()[OURS]["recordings"].values() for row in each["rows"].values()
    ]
    cells = []
    for how, tuned in (("tuned on the same recording", True), ("predicted", False)):
        found = [row["verdict"] for row in rows if row["tuned"] == tuned]
        cells.append((how, *(found.count(name) for name in VERDICTS[:3])))
    return "\n".join(table("", ("Rows", "Within", "Twice", "Beyond"), cells).markdown())


def yardsticks():
    """Return a table of the differences between two recordings, by figure: the yardsticks."""
    cells = []
    for name, each in real_against_real().items():
        pairs = ", ".join(f"`{one}` and `{other}`" for one, other in each.pairs)
        cells.append((ROWS[name].what, apart(name, each.rms), pairs))
    return "\n".join(table("", ("Figure", "Differs by", "Recordings"), cells).markdown())


PARTS = tuple(
    GeneratedPart(f"<!-- begin {name} -->", f"<!-- end {name} -->", text)
    for name, text in (
        ("in all", in_all),
        ("by tuning", by_tuning),
        ("yardsticks", yardsticks),
        ("sums", sums),
        ("sensors", sensors),
    )
)


def main():
    if sys.argv[1:2] == ["--verdicts"]:
        ours, plain = (json.loads(Path(name).read_text()) for name in sys.argv[2:4])
        found = {OURS: trimmed(ours), PLAIN: trimmed(plain)}
        for each in found[PLAIN]["recordings"].values():  # the other facts are the same
            for key in each.keys() - {"sensor", "commit", "tuned", "rows"}:
                del each[key]
        text = json.dumps(found, indent=1, ensure_ascii=False)
        for innermost in (r"\[[^][{}]*\]", r"\{[^{}]*\}"):  # a line for each row
            text = re.sub(innermost, lambda each: " ".join(each[0].split()), text)
        VERDICT_FILE.write_text(text + "\n", encoding="utf-8")
        return
    renew(*PARTS)


if __name__ == "__main__":
    main()

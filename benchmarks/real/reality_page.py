# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of docs/evidence/reality.md, made of the verdicts of `osi-lidar gap reality score`.

    python benchmarks/real/reality_page.py docs/evidence/reality.md  # from docs/reality.json
    python benchmarks/real/reality_page.py --verdicts OURS/score.json PLAIN/score.json

The second line writes docs/reality.json: the verdicts of our sensors, and of plain_rays.py.
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
    """Return the committed verdicts."""
    return json.loads(VERDICT_FILE.read_text(encoding="utf-8"))


def trimmed(score):
    """Return what the page needs of a score, with three digits."""
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
    """Return the values of both sides, or the values of the first and last class that both know."""
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
    """Return how many rows of each kind have which verdict, of both subjects."""
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


def sensors():
    """Return a section for each sensor: what was tuned, what predicted, what nobody knows."""
    of_sensor = {}
    for name, each in verdicts()[OURS]["recordings"].items():
        of_sensor.setdefault(each["sensor"], {})[name] = each
    return "\n\n".join(_section(sensor, of_sensor[sensor]) for sensor in sorted(of_sensor))


def _section(sensor, found):
    """Return the section of one sensor."""
    rows = [(name, row) for name, each in found.items() for row in each["rows"].values()]
    told = {row["kind"] for _, row in rows}
    tuned = {kind for each in found.values() for kind in each["tuned"]}
    kinds = {
        "Tuned": [each for each in KINDS if each in tuned],
        "Predicted": [each for each in KINDS if each in told and each not in tuned],
        "Not known": [each for each in KINDS if each not in told and each not in tuned],
    }
    words = " ".join(
        f"{name}: {', '.join(KINDS[each] for each in some) or 'nothing'}."
        for name, some in kinds.items()
    )
    cells = []
    for name, row in rows:
        ends = [" .. ".join(f"{x:.3g}" for x in row[side]) for side in ("real", "simulated")]
        how = "tuned" if row["tuned"] else "predicted"
        cells.append((row["what"], *ends, f"{row['verdict']}, {how}", f"`{name}`"))
    headings = "Figure", "Recorded", "Simulated", "Verdict", "Recording"
    lines = [f"### {sensor}", "", words]
    if cells:
        lines += ["", *table("", headings, cells).markdown()]
    return "\n".join(lines)


def in_all():
    """Return how many rows of our sensors have which verdict, in words."""
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


def yardsticks():
    """Return what pairs of recordings differ by."""
    cells = []
    for name, each in real_against_real().items():
        pairs = ", ".join(f"`{one}` and `{other}`" for one, other in each.pairs)
        cells.append((ROWS[name].what, apart(name, each.rms), pairs))
    return "\n".join(table("", ("Figure", "Differs by", "Recordings"), cells).markdown())


def recordings():
    """Return where the recordings are."""
    cells = [
        (
            f"`{name}`",
            each["title"],
            f"`{each['sensor']}`",
            each["frames"],
            f"{each['repository']} @ {each['commit'][:12]}, {each['licence']}",
            " ".join(each[key] for key in ("terms", "note") if key in each),
        )
        for name, each in verdicts()[OURS]["recordings"].items()
    ]
    headings = "Name", "What", "Sensor", "Scans", "Where", "Note"
    return "\n".join(table("", headings, cells).markdown())


PARTS = tuple(
    GeneratedPart(f"<!-- begin {name} -->", f"<!-- end {name} -->", text)
    for name, text in (
        ("in all", in_all),
        ("yardsticks", yardsticks),
        ("sums", sums),
        ("sensors", sensors),
        ("recordings", recordings),
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

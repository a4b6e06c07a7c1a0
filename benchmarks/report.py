# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of stored benchmark results, and the page docs/evidence/performance.md made from them."""

import json
import re
from textwrap import fill

from measure import Row, busy_words, shown

HEAD = """\
# Performance

The speed of the model, compared with a bare ray tracing loop, other libraries, and the papers that
it follows. `make bench` measures this and writes the page.
"""
METHOD = """\
<details><summary>Method and terms</summary>

- `make bench-peers` adds Open3D and trimesh, `make bench-memory` a run of 100 000 steps. The whole
  page is generated.
- A **ratio** is the median of the ratios of all rounds. In each round, the programs compared run
  one after the other; they take turns in starting a round. Quartiles show how much rounds differ.
- Programs run on two threads, also on machines with more cores. Kernels are compiled and files are
  in the system's cache before the clock starts, unless a line says otherwise.
- The **bare loop** is `benchmarks/bare_loop.c`: `rtcIntersect` of the same Embree library, over
  the same scene with the same flags and threads. Its packets are as wide as the processor traces
  natively: 16 neighbours with AVX-512, 8 with AVX2, where 16 would take twice the time. It stores
  only the range. A ratio to it shows the cost of everything else.
- A **goal** that is missed is marked **no**.

</details>
"""


def read_topics(folder, names):
    """Return the stored results of these topics, in the given order, as `page` takes them."""
    topics = []
    for name in names:
        path = folder / f"{name}.json"
        if path.is_file():
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = [Row(**row) for row in content["rows"]]
            topics.append({**content, "rows": rows})
    return topics


def page(topics):
    """Return the text of docs/evidence/performance.md.

    Parameters
    ----------
    topics : list of dict
        Each with ``title``, ``about``, ``machine`` and ``rows``. The page describes the machine of
        the first topic; each other topic states how its machine differs.
    """
    described = topics[0]["machine"] if topics else {}
    lines = [HEAD, "| In short | |", "|---|---|"]
    lines += [f"| {name} | {_cell(value)} |" for name, value in _in_short(topics)]
    lines += ["", METHOD, "## Machine", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {_cell(value)} |" for name, value in described.items()]
    for topic in topics:
        lines += ["", f"## {topic['title']}", "", *_about(topic["about"]), ""]
        if other := _differences(described, topic["machine"]):
            lines += [f"Measured apart, with {other}.", ""]
        if busy := busy_words(topic):
            lines += [f"**{busy}**", ""]
        lines += [
            "| | measured | quartiles | goal | met | medians |",
            "|---|---:|---:|---|---|---|",
        ]
        lines += [f"| {' | '.join(map(_cell, shown(row)))} |" for row in topic["rows"]]
    return "\n".join(lines) + "\n"


def _in_short(topics):
    """Yield name and value of the page's summary: goals that are met, and times of whole steps."""
    rows = [row for topic in topics for row in topic["rows"] if row.met is not None]
    missed = [row for row in rows if not row.met]
    yield "goals that are met", f"{len(rows) - len(missed)} of {len(rows)}"
    for row in missed:
        _, value, _, goal, *_ = shown(row)
        yield "missed", f"{row.name}: {value}, goal {goal}"
    times_ms = {}
    for topic in topics:
        for row in topic["rows"]:
            if found := re.match(r"step ([\d.]+) ms", row.detail):
                name = row.name.partition(" / ")[0]
                times_ms.setdefault(f"{topic['title']}: {name}", float(found[1]))
    for name, time_ms in times_ms.items():
        rate = float(f"{1e3 / time_ms:.2g}")
        yield name, f"{time_ms:.3g} ms, {rate:g} a second"


def _about(text):
    """Return the lines of a topic's text: its first sentence, and the rest as a folded section."""
    first, *others = re.split(r"(?<=\.)\s+(?=\S)", text, maxsplit=1)
    if not others:
        return [text]
    folded = "\n\n".join(fill(each, 100) for each in others[0].split("\n\n"))
    return [first, "", "<details><summary>Conditions</summary>", "", folded, "", "</details>"]


def _differences(described, of_topic):
    """Return, as text, the properties in which a topic's machine differs from ``described``."""
    return ", ".join(
        f"{name} {value}" for name, value in of_topic.items() if described.get(name) != value
    )


def _cell(text):
    return " ".join(str(text).replace("|", "\\|").split())

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Results of the benchmarks: reading them back, and the page docs/evidence/performance.md."""

import json

from measure import Row, busy_words, shown

HEAD = """\
# Performance

The speed of the model, compared with a bare ray tracing loop, other libraries, and the papers that
it follows. `make bench` measures all of this, prints it and writes this page; `make bench-peers`
adds Open3D and trimesh, `make bench-memory` a run of 100 000 steps. The whole page is generated.

- A **ratio** is the median of the ratios of all rounds. In each round, the programs compared run
  one after the other; they take turns in starting a round. Quartiles show how much rounds differ.
- Programs run on two threads, also on machines with more cores. Kernels are compiled and files are
  in the system's cache before the clock starts, unless a line says otherwise.
- The **bare loop** is `benchmarks/bare_loop.c`: `rtcIntersect` of the same Embree library, over
  the same scene with the same flags and threads, in packets as wide as the processor traces
  natively: 16 neighbours with AVX-512, 8 with AVX2, where 16 would take twice the time. It stores
  only the range. A ratio to it shows the cost of everything else.
- A **goal** that is missed is marked **no**.
"""


def read_topics(folder, names):
    """Return the stored results of these topics, in this order, in the form for ``page``."""
    topics = []
    for name in names:
        path = folder / f"{name}.json"
        if path.is_file():
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = [Row(**row) for row in content["rows"]]
            topics.append({**content, "rows": rows})
    return topics


def page(topics):
    """Return docs/evidence/performance.md.

    Parameters
    ----------
    topics : list of dict
        With ``title``, ``about``, ``machine`` and ``rows``. The page describes the machine of the
        first topic; other topics state how theirs differs.
    """
    described = topics[0]["machine"] if topics else {}
    lines = [HEAD, "## Machine", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {_cell(value)} |" for name, value in described.items()]
    for topic in topics:
        lines += ["", f"## {topic['title']}", "", topic["about"], ""]
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


def _differences(described, of_topic):
    """Return, as text, the properties in which a topic's machine differs from the first one's."""
    return ", ".join(
        f"{name} {value}" for name, value in of_topic.items() if described.get(name) != value
    )


def _cell(text):
    return " ".join(str(text).replace("|", "\\|").split())

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks leave behind: one table, JSON, and the page docs/performance.md."""

import json

from measure import Row, busy_words, shown

HEAD = """\
# Performance

How fast the model is, beside a bare ray tracing loop, other libraries, and the papers that it
follows. `make bench` measures all of this, prints it and writes this page; `make bench-peers` adds
Open3D and trimesh, `make bench-memory` a run of 100 000 steps. Nothing here is written by hand.

- A **ratio** is the median of the ratios of all rounds: in each, the things compared run one after
  the other, and every round begins with another one. Quartiles tell how much rounds differ.
- Two threads, on machines with more cores too. Kernels are compiled and files are in the system's
  cache before the clock starts, unless a line says otherwise.
- The **bare loop** is `benchmarks/bare_loop.c`: `rtcIntersect16` of the same Embree library, over
  the same scene with the same flags and threads, in packets of 16 neighbours. It keeps nothing but
  the range. A ratio to it says what all else costs.
- A **goal** that is not met is shown as it is.
"""


def read_topics(folder, names):
    """Return the results of topics that are there, in this order, as ``page`` takes them."""
    topics = []
    for name in names:
        path = folder / f"{name}.json"
        if path.is_file():
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = [Row(**row) for row in content["rows"]]
            topics.append({**content, "rows": rows})
    return topics


def page(topics):
    """Return docs/performance.md.

    Parameters
    ----------
    topics : list of dict
        With ``title``, ``about``, ``machine`` and ``rows``; the machine of the first one counts
        as that of all, and what differs is told with each topic.
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
    """Return in words what another machine has that the described one has not."""
    return ", ".join(
        f"{name} {value}" for name, value in of_topic.items() if described.get(name) != value
    )


def _cell(text):
    return " ".join(str(text).replace("|", "\\|").split())

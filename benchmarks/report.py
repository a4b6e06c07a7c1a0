# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What the benchmarks leave behind: one table, JSON, and the page docs/performance.md."""

import json
import os
import platform
import subprocess
from datetime import datetime, timezone
from importlib.metadata import version
from pathlib import Path

from bare import compiler
from measure import Row, shown

LIBRARIES = ("embreex", "numba", "numpy", "osi-python", "protobuf", "pypcd4")
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


def machine():
    """Return what the figures depend on, by name."""
    found = {
        "processor": f"{_processor()}, {_cores()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        **{name: version(name) for name in LIBRARIES},
        "C compiler": _first_line([compiler(), "--version"]),
        "osi-lidar": version("osi-lidar"),
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d"),
    }
    return {name: value for name, value in found.items() if value}


def _processor():
    path = Path("/proc/cpuinfo")
    if path.is_file():
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return " ".join(line.partition(":")[2].split())
    if platform.system() == "Darwin":
        return _first_line(["sysctl", "-n", "machdep.cpu.brand_string"])
    return platform.processor() or platform.machine()


def _cores():
    return os.cpu_count()


def _memory():
    try:
        n_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        return ""
    return f"{n_bytes / 2**30:.0f} GiB"


def _first_line(command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


def read_topics(folder, names):
    """Return the results of topics that are there, in this order: title, rows, machine."""
    topics = []
    for name in names:
        path = folder / f"{name}.json"
        if path.is_file():
            content = json.loads(path.read_text(encoding="utf-8"))
            rows = [Row(**row) for row in content["rows"]]
            topics.append({**content, "name": name, "rows": rows})
    return topics


def page(topics, described):
    """Return docs/performance.md.

    Parameters
    ----------
    topics : list of dict
        With ``title``, ``about`` and ``rows``.
    described : dict of str to str
        The machine.
    """
    lines = [HEAD, "## Machine", "", "| | |", "|---|---|"]
    lines += [f"| {name} | {_cell(value)} |" for name, value in described.items()]
    for topic in topics:
        lines += ["", f"## {topic['title']}", ""]
        if topic.get("about"):
            lines += [topic["about"], ""]
        lines += [
            "| | measured | quartiles | goal | met | medians |",
            "|---|---:|---:|---|---|---|",
        ]
        lines += [f"| {' | '.join(map(_cell, shown(row)))} |" for row in topic["rows"]]
    return "\n".join(lines) + "\n"


def _cell(text):
    return " ".join(str(text).replace("|", "\\|").split())

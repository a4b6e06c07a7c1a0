# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Run the benchmarks; write one table, ``out/bench/all.json``, and docs/evidence/performance.md.

Each topic is a separate program and runs in its own process, on two cores. Topics that are not
measured this time keep their last results in the table and on the page.

    python benchmarks/bench.py [TOPIC ..] [--runs N]
"""

import argparse
import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from bare import bare_loop
from measure import RUNS, console, table
from report import page, read_topics

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "out" / "bench"
PAGE = HERE.parent / "docs" / "evidence" / "performance.md"
TOPICS = (
    "tracing",
    "step",
    "physical",
    "weather",
    "moving_world",
    "objects",
    "world",
    "encoding",
    "standing",
    "scaling",
    "start",
    "sizes",
    "papers",
    "also",
)
LATER = ("peers", "memory")
"""Topics that are measured only if they are named."""


def use_two_cores():
    """Bind this process, and those that it starts, to two CPU cores."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])


def run(topic, runs):
    """Run a topic in its own process; return whether it succeeded."""
    command = [sys.executable, HERE / f"{topic}.py", "--runs", str(runs)]
    (FOLDER / f"{topic}.json").unlink(missing_ok=True)
    began = time.perf_counter()
    code = subprocess.run([*command, "--json", FOLDER / f"{topic}.json"], check=False).returncode
    print(
        f"{topic}: {'failed' if code else 'done'}, {time.perf_counter() - began:.0f} s", flush=True
    )
    return not code


def plain(topic):
    """Return the results of a topic for JSON; each row states whether it meets its goal."""
    return {**topic, "rows": [{**asdict(row), "met": row.met} for row in topic["rows"]]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=", ".join(TOPICS + LATER))
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="number of measured rounds, without the warm-up"
    )
    parser.add_argument(
        "--steps", type=int, default=100_000, help="number of steps of the topic `memory`"
    )
    arguments = parser.parse_args()
    if unknown := set(arguments.topics) - {*TOPICS, *LATER}:
        parser.error(f"got the topic {unknown.pop()}, expected one of {', '.join(TOPICS + LATER)}")
    FOLDER.mkdir(parents=True, exist_ok=True)
    use_two_cores()
    bare_loop()  # without a compiler, fails now rather than later
    runs = {"memory": arguments.steps}
    chosen = arguments.topics or TOPICS
    failed = [name for name in chosen if not run(name, runs.get(name, arguments.runs))]
    topics = read_topics(FOLDER, TOPICS + LATER)
    text = json.dumps([plain(topic) for topic in topics], indent=1) + "\n"
    (FOLDER / "all.json").write_text(text, encoding="utf-8")
    PAGE.write_text(page(topics), encoding="utf-8")
    console().print(table(topics))
    print(f"{FOLDER / 'all.json'}\n{PAGE}")
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Method of the benchmarks: alternating runs, their medians, and the medians of their ratios.

Each round gives one ratio, of two programs that ran one after the other, and the result is the
median of these ratios: other load on the machine then affects both. The programs compared take
turns in starting a round.
"""

import argparse
import gc
import json
import os
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import numba
from machine import OtherWork, machine
from rich.console import Console
from rich.table import Table

from lidar_base.process.threads import set_up_process

RUNS = 9
"""Number of rounds that are counted, by default."""
WARM_UP = 2
"""Number of first rounds that are not counted: they compile kernels, fill caches, wake threads."""
MUCH_ELSE = 0.05
"""Fraction of the cores above which other work spoils the figures."""
THREADS = min(2, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row of the table: one measured figure.

    Attributes
    ----------
    name : str
        Name of the measurement.
    value : float
        The figure; for a ratio, the median over all rounds.
    unit : str
        Unit of the figure; "x" for a ratio.
    goal : float, optional
        Limit for the figure.
    at_least : bool
        Whether the goal is a lower limit; otherwise it is an upper one.
    detail : str
        The medians behind the figure, or a note on how to read it.
    low, high : float, optional
        Quartiles of the figure over the rounds.
    """

    name: str
    value: float
    unit: str
    goal: float | None = None
    at_least: bool = False
    detail: str = ""
    low: float | None = None
    high: float | None = None

    @property
    def met(self):
        """Whether the figure meets the goal; None if there is no goal."""
        if self.goal is None:
            return None
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def figure(value):
    """Return a number with three significant digits."""
    if value == 0 or not 1e-4 <= abs(value) < 1e9:
        return f"{value:.3g}"
    digits = max(0, 2 - int(f"{value:e}".split("e")[1]))
    return f"{value:,.{digits}f}".replace(",", " ")


def shown(row):
    """Return the cells of a row: name, figure, quartiles, goal, whether it is met, detail."""
    quartiles = "" if row.low is None else f"{figure(row.low)} to {figure(row.high)}"
    unit = "" if row.unit == "x" else f" {row.unit}"
    goal = ""
    if row.goal is not None:
        goal = f"{'at least' if row.at_least else 'at most'} {figure(row.goal)}{unit}"
    met = {None: "", True: "yes", False: "**no**"}[row.met]
    return row.name, figure(row.value) + unit, quartiles, goal, met, row.detail


def console():
    """Return a rich console for tables; if the output is a file, lines have 180 characters."""
    made = Console()
    return made if made.is_terminal else Console(width=180)


def milliseconds(call):
    """Return the time of a call, or the time that the call itself returns for a part [ms]."""
    began = time.perf_counter()
    own = call()
    taken = 1e3 * (time.perf_counter() - began)
    return own if isinstance(own, float) else taken


def alternate(calls, *, runs=RUNS, warm_up=WARM_UP, twice=False):
    """Make calls alternately; return the times of each call's runs [ms], by name.

    Parameters
    ----------
    calls : dict of str to callable
        Each takes the index of the round. If it returns a float, that is its time in milliseconds.
    runs, warm_up : int
        Number of rounds that count, and number of rounds before them that do not.
    twice : bool
        Whether to make each call twice in a row, with consecutive indices, and to count only the
        second. It finds caches and threads as its own program leaves them.
    """
    times = {name: [] for name in calls}
    names = list(calls)
    gc.collect()
    for number in range(warm_up + runs):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            if twice:
                calls[name](2 * number)
            taken = milliseconds(partial(calls[name], 2 * number + 1 if twice else number))
            if number >= warm_up:
                times[name].append(taken)
    return times


def spread(values):
    """Return median, lower quartile and upper quartile; quartiles of one value are None."""
    if len(values) < 2:
        return median(values), None, None
    low, _, high = quantiles(values, n=4, method="inclusive")
    return median(values), low, high


def ratio_row(name, times, of, to, **choices):
    """Return the row of a ratio: times ``of`` over times ``to``, divided round by round."""
    value, low, high = spread([a / b for a, b in zip(times[of], times[to], strict=True)])
    detail = ", ".join(f"{each} {figure(median(times[each]))} ms" for each in (of, to))
    extra = choices.pop("detail", "")
    detail += f"; {extra}" if extra else ""
    return Row(name=name, value=value, unit="x", low=low, high=high, detail=detail, **choices)


def time_row(name, values_ms, *, unit="ms", **choices):
    """Return the row of times that are given in milliseconds and shown in ``unit``."""
    factor = {"ms": 1.0, "s": 1e-3}[unit]
    value, low, high = spread([factor * each for each in values_ms])
    return Row(name=name, value=value, unit=unit, low=low, high=high, **choices)


def busy_words(topic):
    """Return a warning if other work took much of the machine during a topic; otherwise ""."""
    share = topic.get("other_work")
    if share is None or share < MUCH_ELSE:
        return ""
    taken = f"{100.0 * share:.0f} %"
    return f"Other work took {taken} of the machine meanwhile: do not trust these figures."


def table(topics):
    """Return the rows of all topics as one table of the package rich."""
    made = Table()
    for column in ("", "measured", "quartiles", "goal", "met", "medians"):
        made.add_column(column, justify="right" if column in {"measured", "quartiles"} else "left")
    for topic in topics:
        made.add_section()
        made.add_row(f"[bold]{topic['title']}[/bold]", *[""] * 4, busy_words(topic))
        for row in topic["rows"]:
            made.add_row(*[cell.replace("**no**", "[red]no[/red]") for cell in shown(row)])
    return made


def main(title, about, measure):
    """Run one topic as a program: print its table, or write its rows to a file.

    Parameters
    ----------
    title, about : str
        Heading and text of the topic's section of the page.
    measure : callable
        Takes the number of runs and returns rows.
    """
    parser = argparse.ArgumentParser(description=title)
    parser.add_argument(
        "--runs", type=int, default=RUNS, help="number of measured rounds, without the warm-up"
    )
    parser.add_argument("--json", type=Path, help="JSON file to write the rows to")
    arguments = parser.parse_args()
    set_up_process()  # as the command line does
    numba.set_num_threads(THREADS)
    topic = {"title": title, "about": about, "machine": machine()}
    began, others = time.perf_counter(), OtherWork()
    rows = measure(arguments.runs)
    topic |= {"seconds": time.perf_counter() - began, "other_work": others.share()}
    if arguments.json:
        topic["rows"] = [asdict(row) for row in rows]
        arguments.json.write_text(json.dumps(topic, indent=1) + "\n", encoding="utf-8")
    else:
        console().print(table([{**topic, "rows": rows}]))

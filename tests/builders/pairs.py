# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Covering arrays: few rows in which every pair of levels of any two switches occurs."""

from itertools import combinations, product

import numpy as np


def pairwise(switches, n_tries=30):
    """Return rows, a level for each switch, that hold every pair of levels of any two switches.

    Each row begins with a pair that is still missing, and takes switch by switch, in an order drawn
    anew, the level that brings most of the missing ones; of some such rows the best is kept (Cohen,
    Dalal, Fredman, Patton, The AETG system, IEEE Trans. Software Engineering 23, 1997, 437-444).

    Parameters
    ----------
    switches : mapping of str to sequence
        Their levels, by the name of the switch.
    n_tries : int
        Number of rows of which the best is kept.

    Returns
    -------
    list of dict
        The same at every run.
    """
    rng, rows = np.random.default_rng(0), []
    missing = {
        frozenset([(one, a), (other, b)])
        for one, other in combinations(switches, 2)
        for a, b in product(switches[one], switches[other])
    }
    while missing:
        ordered = sorted(map(sorted, missing))
        tries = [_row(switches, missing, ordered, rng) for _ in range(n_tries)]
        best = max(tries, key=lambda row: len(_pairs(row) & missing))
        missing -= _pairs(best)
        rows.append({name: best[name] for name in switches})
    return rows


def _pairs(row):
    return {frozenset(pair) for pair in combinations(row.items(), 2)}


def _row(switches, missing, ordered, rng):
    """Return a row that begins with one of the missing pairs, which are given in order, too."""
    row = dict(ordered[rng.integers(len(ordered))])
    for name in rng.permutation([name for name in switches if name not in row]).tolist():
        gains = [
            sum(frozenset([(name, level), each]) in missing for each in row.items()) + rng.random()
            for level in switches[name]
        ]  # of levels that bring as many, one that is drawn: rows differ in what they need not
        row[name] = switches[name][int(np.argmax(gains))]
    return row

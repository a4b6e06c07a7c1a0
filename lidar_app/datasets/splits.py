# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Splits of a data set: whole traces go to train, val or test, by a hash of their content."""

from __future__ import annotations

import math
from hashlib import sha256
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SPLITS = ("train", "val", "test")
DEFAULT_SHARES = ".8/.1/.1"


def read_shares(text: str) -> tuple[float, ...]:
    """Return the shares of train, val and test, as many as given, divided by their sum.

    Parameters
    ----------
    text : str
        TRAIN/VAL/TEST; TEST, or VAL and TEST, may be left out. Percentages are allowed, too.

    Raises
    ------
    InputError
        If the text does not have this form.
    """
    try:
        shares = [float(part) for part in text.split("/")]
    except ValueError:
        shares = []
    total = math.fsum(shares)
    usable = 1 <= len(shares) <= len(SPLITS) and min(shares) >= 0.0 and 0.0 < total < math.inf
    if not usable:
        raise InputError(
            f"--split: got {text!r}, expected the shares of train, val and test, "
            f"such as {DEFAULT_SHARES}"
        )
    return tuple(share / total for share in shares)


def split_of_traces(
    traces: Iterable[str], shares: Sequence[float], seed: int = 0
) -> dict[str, str]:
    """Return the split of each trace.

    Traces are ordered by a hash of seed and key, so neither file names nor their given order
    matter. The number of traces of each split is its share, rounded by the largest remainder; of
    equal remainders, the earlier split gets the trace.

    Parameters
    ----------
    traces : iterable of str
        Keys of the traces; a repeated key counts once.
    shares : sequence of float
        Shares of `SPLITS`; their sum is 1.
    seed : int
        Another seed gives other splits.
    """
    order = sorted(set(traces), key=lambda key: sha256(f"{seed}:{key}".encode()).digest())
    wanted = [round(share * len(order), 9) for share in shares]
    counts = [math.floor(number) for number in wanted]
    remainders = sorted(range(len(wanted)), key=lambda n: (counts[n] - wanted[n], n))
    for n in remainders[: len(order) - sum(counts)]:
        counts[n] += 1
    names = [name for name, count in zip(SPLITS, counts, strict=False) for _ in range(count)]
    return dict(zip(order, names, strict=True))

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
    """Parse the shares of the splits train, val and test; they are scaled to a sum of 1.

    The tuple has as many shares as the text.

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
    """Return the name of the split of each trace, by the key of the trace.

    Traces are sorted by a hash of seed and key, so their file names and given order do not matter.
    Each split gets its share of the traces, in whole numbers by the method of largest remainders;
    if remainders are equal, the earlier split gets the trace.

    Parameters
    ----------
    traces : iterable of str
        Keys of the traces, see `RunSource.trace`; a repeated key counts once.
    shares : sequence of float
        Share of each split, in the order of `SPLITS`; their sum is 1.
    seed : int
        Changes the order of the traces, and so the splits.
    """
    order = sorted(set(traces), key=lambda key: sha256(f"{seed}:{key}".encode()).digest())
    wanted = [round(share * len(order), 9) for share in shares]
    counts = [math.floor(number) for number in wanted]
    remainders = sorted(range(len(wanted)), key=lambda n: (counts[n] - wanted[n], n))
    for n in remainders[: len(order) - sum(counts)]:
        counts[n] += 1
    names = [name for name, count in zip(SPLITS, counts, strict=False) for _ in range(count)]
    return dict(zip(order, names, strict=True))

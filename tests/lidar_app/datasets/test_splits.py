# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Splits are of whole traces, exact, and the same whatever the order of the traces."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lidar_app.datasets.splits import read_shares, split_of_traces
from osi_lidar.errors import InputError

NAMES = [f"trace {n}" for n in range(100)]


def counts(n, text, seed=0):
    return dict(Counter(split_of_traces(NAMES[:n], read_shares(text), seed).values()))


@pytest.mark.parametrize(
    ("n", "text", "expected"),
    [
        (10, ".8/.1/.1", {"train": 8, "val": 1, "test": 1}),
        (100, "80/10/10", {"train": 80, "val": 10, "test": 10}),
        # 5.6, 0.7, 0.7: two are left over, for the largest remainders: val and test
        (7, ".8/.1/.1", {"train": 5, "val": 1, "test": 1}),
        # 2.4, 0.3, 0.3: one is left over, for train
        (3, ".8/.1/.1", {"train": 3}),
        (4, "1/1", {"train": 2, "val": 2}),
        (3, "1", {"train": 3}),
        (2, "0/0/1", {"test": 2}),
        (3, "1/1/1", {"train": 1, "val": 1, "test": 1}),
    ],
)
def test_shares_are_rounded_by_the_largest_remainder(n, text, expected):
    assert counts(n, text) == expected


@given(st.permutations(NAMES[:12]), st.integers(0, 5))
def test_the_order_of_traces_does_not_matter(names, seed):
    shares = read_shares(".5/.3/.2")
    assert split_of_traces(names, shares, seed) == split_of_traces(NAMES[:12], shares, seed)


@given(st.integers(1, 60), st.lists(st.integers(0, 20), min_size=3, max_size=3))
def test_no_split_is_a_trace_away_from_its_share(n, parts):
    if not sum(parts):
        return
    found = counts(n, "/".join(map(str, parts)))
    for name, part in zip(("train", "val", "test"), parts, strict=True):
        assert abs(found.get(name, 0) - n * part / sum(parts)) < 1.0


def test_another_seed_gives_other_splits():
    shares = read_shares(".5/.5")
    assert split_of_traces(NAMES, shares, 0) != split_of_traces(NAMES, shares, 1)


@pytest.mark.parametrize("text", ["", "a", ".5/x", "-1/2", "0/0", "1/1/1/1", "nan", "inf/1"])
def test_shares_that_are_none_are_one_line(text):
    with pytest.raises(InputError, match=r"--split: got .*, expected the shares of train"):
        read_shares(text)

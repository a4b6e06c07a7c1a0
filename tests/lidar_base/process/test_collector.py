# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The search for cyclic garbage is paused for imports, and otherwise as the caller left it."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from lidar_base.process.collector import SELDOM, collect_seldom, collector_paused


@pytest.fixture(autouse=True)
def nothing_held() -> Iterator[None]:
    """Search among all objects, those that the tests hold included, as in a process of its own."""
    was_on = gc.isenabled()
    gc.unfreeze()
    gc.enable()
    yield
    gc.freeze()
    if not was_on:
        gc.disable()


class _Ring:
    """An object that holds itself: only the search finds it."""

    def __init__(self) -> None:
        self.itself = self


def test_search_is_paused_within_and_goes_on_afterwards() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


@pytest.mark.long
def test_garbage_of_the_caller_is_still_found() -> None:
    ring = weakref.ref(_Ring())
    with collector_paused():
        inner = weakref.ref(_Ring())
    assert gc.get_freeze_count() == 0
    gc.collect()
    assert ring() is None
    assert inner() is None


def test_objects_that_exist_at_the_end_count_as_old() -> None:
    with collector_paused():
        made: list[list[int]] = [[] for _ in range(1000)]
    young = {id(each) for each in gc.get_objects(generation=0)}
    assert young.isdisjoint(map(id, made))


def test_search_that_is_off_stays_off() -> None:
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_objects_that_the_caller_holds_stay_held() -> None:
    gc.freeze()
    with collector_paused():
        assert gc.isenabled()
    assert gc.get_freeze_count() > 0


def test_search_goes_on_after_an_error() -> None:
    with pytest.raises(ImportError), collector_paused():
        raise ImportError
    assert gc.isenabled()


def test_a_command_is_searched_seldom_unless_the_search_is_off() -> None:
    young, *older = gc.get_threshold()
    try:
        gc.disable()
        collect_seldom()
        assert gc.get_threshold() == (young, *older)
        gc.enable()
        collect_seldom()
        assert gc.get_threshold() == (SELDOM, *older)
    finally:
        gc.set_threshold(young, *older)

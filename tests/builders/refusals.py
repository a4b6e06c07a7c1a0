# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors that a user can cause."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from osi_bridge.errors import DamagedTrace


@contextmanager
def one_line(
    error: type[Exception], *words: str, start: str = "", match: str | None = None
) -> Iterator[None]:
    """Expect an error whose text is one line: it begins so, has these words, matches a pattern."""
    with pytest.raises(error, match=match) as caught:
        yield
    line = str(caught.value)
    assert "\n" not in line
    assert line.startswith(start)
    for word in words:
        assert word in line


def damaged(path):
    """Raise an error whose maker takes more than its text."""
    raise DamagedTrace(path, frame=3, offset=7, reason="it is cut")

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Suggestions for misspelt names."""

import difflib
from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that a word was probably meant to be, ignoring case.

    `word` is the word, and `known` are the known words. The result is None if none is similar.
    """
    spelling = {name.lower(): name for name in reversed(list(known))}
    match = difflib.get_close_matches(word.lower(), spelling, n=1)
    return spelling[match[0]] if match else None


def near_match(got: object, known: Iterable[str]) -> str:
    """Return the text ``, did you mean 'x'?`` with the nearest known word, for an error message.

    `got` is the misspelt word, or another object whose text is compared. `known` are the known
    words. The text is empty if none is similar.
    """
    match = nearest(str(got), known)
    return f", did you mean {match!r}?" if match else ""

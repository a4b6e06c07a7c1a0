# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Result of the search of messages for fields that are set but not read."""

from __future__ import annotations

from typing import NamedTuple

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed

__all__ = ["NOT_SEARCHED", "UnusedFields"]


class UnusedFields(NamedTuple):
    """Content of messages that is set but not used.

    Attributes
    ----------
    n_searched : int
        Number of messages that were searched.
    not_followed : tuple of NotFollowed
        An entry for each field that is not read, for each number outside its accepted range, and
        for each unknown field or enumeration member, such as one of a newer OSI version. Fields
        that are left out on purpose share one entry for each subject of `fields_read.UNNEEDED`.
    """

    n_searched: int = 0
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED


NOT_SEARCHED = UnusedFields()

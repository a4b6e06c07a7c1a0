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
        Fields that are not read, where fields left out on purpose are grouped by subject; numbers
        outside the accepted range; fields and members of a newer OSI.
    """

    n_searched: int = 0
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED


NOT_SEARCHED = UnusedFields()

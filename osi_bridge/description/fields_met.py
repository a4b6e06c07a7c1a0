# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The record of what looks at messages have found."""

from __future__ import annotations

from typing import NamedTuple

from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed

__all__ = ["NOT_LOOKED", "FieldsMet"]


class FieldsMet(NamedTuple):
    """What messages set and no reader takes.

    Attributes
    ----------
    n_looked : int
        How many messages were looked at.
    not_followed : tuple of NotFollowed
        Fields that are not read, those left out on purpose together, by what they are about;
        numbers that are beyond the range of what is taken; what a newer OSI adds.
    """

    n_looked: int = 0
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED


NOT_LOOKED = FieldsMet()

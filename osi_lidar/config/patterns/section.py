# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Base class of the sections that describe a scan pattern."""

from abc import abstractmethod

from lidar_base.sections import Section
from raycore.pattern.source import PatternSource


class PatternSection(Section):
    """A section that describes a scan pattern."""

    @abstractmethod
    def source(self, period_s: float) -> PatternSource:
        """Return the beams of scans of this duration [s].

        Raises
        ------
        ConfigurationError, PatternError
            If a file or a plugin cannot be used, or the pattern is impossible.
        """

    def check(self, period_s: float) -> None:
        """Check, without making all beams, that the pattern fits a scan of this duration [s].

        Only some kinds of patterns can tell; others always pass.

        Raises
        ------
        PatternError
            If it does not fit.
        """

    def most_beams(self, _period_s: float, /) -> int:
        """Return an upper limit for the beams of a scan of this duration [s], without making them.

        0 if the number is only known from a file or a function.
        """
        return 0

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
        """Return the source of the beams: its method ``at`` gives the beams of a scan by its start.

        Parameters
        ----------
        period_s : float
            Duration of each scan. [s]

        Raises
        ------
        ConfigurationError, PatternError
            If a file or a plugin cannot be used, or the pattern is impossible.
        """

    def check(self, period_s: float) -> None:
        """Check, without making all beams, that a scan of ``period_s`` seconds suits the pattern.

        A kind of pattern that cannot check this always passes.

        Raises
        ------
        PatternError
            If the scan would have no beams or too many, or is too short for the firing times.
        """

    def most_beams(self, _period_s: float, /) -> int:
        """Return the largest possible number of beams of a scan, without making the beams.

        A scan lasts ``_period_s`` seconds. The result is 0 if only a file or a function knows the
        number.
        """
        return 0

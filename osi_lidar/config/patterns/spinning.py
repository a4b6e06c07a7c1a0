# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a spinning sensor that no preset describes: lasers on a rotating head."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from lidar_base.sections import problem_at
from osi_lidar.config.patterns.section import PatternSection
from osi_lidar.config.values import Azimuth, Count, Elevation, NotNegative
from raycore.errors import PatternError
from raycore.pattern.scan_pattern import MAX_BEAMS, MAX_ROWS, rotating
from raycore.pattern.source import PatternSource


class SpinningPattern(PatternSection):
    """Lasers on a head that turns clockwise, seen from above, once in a scan."""

    kind: Literal["spinning"] = Field(
        description="Lasers on a head that turns clockwise, seen from above, once in a scan."
    )
    elevation_deg: tuple[Elevation, ...] = Field(
        min_length=1, max_length=MAX_ROWS, description="Elevation of each laser, in firing order."
    )
    azimuth_offset_deg: tuple[Azimuth, ...] = Field(
        default=(),
        description="Azimuth of each laser relative to the heading of the head, positive to the "
        "left. Default: 0.",
    )
    columns: Count = Field(description="Columns in a full turn; in each of them all lasers fire.")
    firing_us: tuple[NotNegative, ...] = Field(
        default=(),
        description="Time of each laser after the start of its column; below the time of a column. "
        "Default: the lasers fire in the order of the list, evenly over the column.",
    )
    window_deg: tuple[Azimuth, Azimuth] | None = Field(
        default=None,
        description="First and last heading at which the lasers fire, counter-clockwise. Default: "
        "the full turn.",
    )

    @model_validator(mode="after")
    def _check_lasers(self) -> "SpinningPattern":
        n_laser = len(self.elevation_deg)
        for key in ("azimuth_offset_deg", "firing_us"):
            n_entry = len(getattr(self, key))
            if n_entry not in (0, n_laser):
                message = f"has {n_entry} entries, expected {n_laser}: one for each laser"
                raise problem_at(key, message=message)
        if n_laser * self.columns > MAX_BEAMS:
            raise ValueError(f"got {n_laser * self.columns} beams, expected at most {MAX_BEAMS}")
        return self

    def most_beams(self, _period_s: float, /) -> int:
        """Return the number of beams of a full turn, including beams outside of the window.

        It does not depend on ``_period_s``, the duration of a turn [s].
        """
        return len(self.elevation_deg) * self.columns

    def check(self, period_s: float) -> None:
        """Check that all lasers fire before the end of their column, in a turn of ``period_s`` [s].

        Raises
        ------
        PatternError
            If a value of the key ``firing_us`` is not below the duration of a column.
        """
        column_us = 1e6 * period_s / self.columns
        latest_us = max(self.firing_us, default=0.0)
        if latest_us >= column_us:
            raise PatternError(
                f"pattern.firing_us: got {latest_us:g}, expected less than the {column_us:g} us of "
                f"a column: {self.columns} columns in {period_s:g} s"
            )

    def source(self, period_s: float) -> PatternSource:
        """Return a `PatternSource`, which gives the beams of each scan of ``period_s`` seconds."""
        self.check(period_s)
        n_laser = len(self.elevation_deg)
        window = None if self.window_deg is None else tuple(np.radians(self.window_deg).tolist())
        return rotating(
            elevation_rad=np.radians(self.elevation_deg),
            azimuth_offset_rad=np.radians(self.azimuth_offset_deg or (0.0,) * n_laser),
            firing_phase=self._phases(period_s),
            azimuth_window_rad=None if window is None else [window] * n_laser,
            n_columns=self.columns,
            period_s=period_s,
        )

    def _phases(self, period_s: float) -> NDArray[np.float64]:
        """Return the firing time of each laser, as a fraction of the duration of a column."""
        if not self.firing_us:
            return np.arange(len(self.elevation_deg)) / len(self.elevation_deg)
        return 1e-6 * np.array(self.firing_us) * self.columns / period_s

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The plan of a sweep and its outcome."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.batch.objective import Objective
    from lidar_app.batch.variation import Key, Value, Variation
    from osi_lidar.run.frame_source import FrameSource

NOT_RUN = "not run"
DIED = "its worker died, perhaps because it ran out of memory"
OUT_OF_MEMORY = "there is not enough memory"
"""Error of a variant that ran out of memory.

This error, `NOT_RUN` and `DIED` may not occur again if the variant is run again.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unvaried:
    """The configuration that a sweep starts from, before any key is varied.

    Attributes
    ----------
    file : Path
        File of the configuration (YAML).
    changes : dict of tuple to object
        Values that options of the command set in it, by key path such as ("weather",).
    """

    file: Path
    changes: dict[Key, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPlan:
    """Variants and objective of a sweep.

    Attributes
    ----------
    config : Unvaried
        The configuration to vary.
    variations : tuple of Variation
        Keys and their values; every combination of values is a variant.
    objective : Objective
        The quantity that is computed for each variant.
    source : FrameSource, optional
        The trace that each variant replays; without one, the static scene is scanned once.
    """

    config: Unvaried
    variations: tuple[Variation, ...]
    objective: Objective
    source: FrameSource | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The outcome of one variant of a sweep.

    Attributes
    ----------
    values : tuple
        The value of each varied key, in the order of the sweep's `variations`.
    objective : float or None
        The value of the objective; None if the variant failed or was not run.
    error : str
        Why the variant failed, one line, or "not run"; empty if it succeeded.
    """

    values: tuple[Value, ...]
    objective: float | int | None = None
    error: str = ""

    @property
    def is_final(self) -> bool:
        """Whether another run of the variant would have the same outcome.

        False if the variant was not run, its worker died, or memory ran out.
        """
        return self.error not in (NOT_RUN, DIED, OUT_OF_MEMORY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """The outcome of a sweep.

    Attributes
    ----------
    variations : tuple of Variation
        The varied keys and their values.
    objective : Objective
        The quantity that is computed for each variant.
    rows : tuple of Row
        The outcome of each variant; the value of the last key changes fastest.
    interrupted : bool
        Whether the sweep was interrupted, so that some variants were not run.
    """

    variations: tuple[Variation, ...]
    objective: Objective
    rows: tuple[Row, ...]
    interrupted: bool

    @property
    def best(self) -> Row | None:
        """The row with the best objective, the first of equals; None if no variant succeeded."""
        done = [row for row in self.rows if row.objective is not None]
        if not done:
            return None
        return max(done, key=lambda row: self.objective.sign * (row.objective or 0))

    @property
    def failed(self) -> tuple[Row, ...]:
        """The rows of variants that failed, without those that were not run."""
        return tuple(row for row in self.rows if row.error not in ("", NOT_RUN))

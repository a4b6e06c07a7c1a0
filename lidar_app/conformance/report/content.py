# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The content of a report: verdicts, causes, scenes not run, data sheet, tolerances."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lidar_app.conformance.bench import Verdict
from lidar_app.conformance.causes import causes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.causes import Explained
    from lidar_app.conformance.report.facts import BenchFacts
    from lidar_app.conformance.scene import BenchScene
    from lidar_app.conformance.sheet import DataSheet

LIMITS = (
    "A pass says that a subject answers these scenes as the closed forms do, within the errors of "
    "its data sheet. It says nothing of materials, shapes, weather or noise of a real sensor."
)
CLAUSES = (
    "Clause numbers are those in the contents of ISO/DIS 13228:2026, draft of 2026-01-12, as ELOT "
    "has published them for comment. A scene asks for the quantity that a clause names; it is not "
    "the test method of the clause. No conformity with the standard is claimed."
)
HINT = (
    "A cause is a reading of the answers under which they fit the closed forms. Verdicts do not "
    "depend on it."
)


@dataclass(frozen=True, kw_only=True)
class BenchReport:
    """The results of a run of the bench, for its report.

    Attributes
    ----------
    facts : BenchFacts
        Subject, versions and date.
    sheet : DataSheet
        The data sheet.
    results : sequence of SceneResult
        Result of each scene that was run or is not applicable.
    not_asked : sequence of (str, str)
        Name of each other scene, and why it was not run, see `left_out`.
    reflections : str
        Description of the reflections that were sent, or "none".
    """

    facts: BenchFacts
    sheet: DataSheet
    results: Sequence[SceneResult]
    not_asked: Sequence[tuple[str, str]] = ()
    reflections: str = "none"

    @cached_property
    def causes(self) -> list[Explained]:
        """The likely causes of failed scenes, the one that explains the most scenes first."""
        return causes_of(self.results)

    @cached_property
    def counts(self) -> dict[str, int]:
        """Number of scenes for each value of `Verdict`, such as "pass"; 0 if there are none."""
        found = Counter(each.verdict for each in self.results)
        return {each.value: found[each] for each in Verdict}

    @property
    def not_run(self) -> list[tuple[str, str]]:
        """(name, reason) of each scene that was not applicable, or is in `not_asked`."""
        none = Verdict.NOT_APPLICABLE
        left = [(each.scene.name, each.note) for each in self.results if each.verdict is none]
        return [*left, *self.not_asked]

    @property
    def sum_line(self) -> str:
        """A line of text: how many scenes of the bench passed, failed, and were not run."""
        passed, failed = (self.counts[each.value] for each in (Verdict.PASSED, Verdict.FAILED))
        n_left = len(self.not_run)
        scenes = f"{passed + failed + n_left} scenes"
        return f"{passed} of {scenes} passed, {failed} failed, {n_left} not run"


def left_out(
    every: Sequence[BenchScene], asked: Sequence[BenchScene], results: Sequence[SceneResult]
) -> list[tuple[str, str]]:
    """Return the test scenes without a result, and why they have none.

    Parameters
    ----------
    every : sequence of BenchScene
        All scenes.
    asked : sequence of BenchScene
        The scenes that were to be run. Such a scene has no result if the run was interrupted before
        it; any other scene was left out by --only.
    results : sequence of SceneResult
        The results of the run.

    Returns
    -------
    list of (str, str)
        Name and reason of each scene without a result, in the order of `every`.
    """
    names = {each.name for each in asked}
    done = {each.scene.name for each in results}
    return [
        (each.name, "interrupted before it" if each.name in names else "left out by --only")
        for each in every
        if each.name not in done
    ]


def sheet_rows(sheet: DataSheet) -> list[tuple[str, str]]:
    """Return the entries of a data sheet as rows of text for a report.

    Parameters
    ----------
    sheet : DataSheet
        The data sheet of the tested model.

    Returns
    -------
    list of (str, str)
        Key and value of each entry; nested keys are dotted, such as "errors.range_sigma_m".
    """
    return list(_flat("", sheet.model_dump(mode="json")))


def _flat(prefix: str, values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        if isinstance(value, dict) and value:
            yield from _flat(f"{prefix}{name}.", value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for index, each in enumerate(value):
                yield from _flat(f"{prefix}{name}[{index}].", each)
        else:
            yield prefix + name, _words(value)


def _words(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(map(_words, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or value == {}:
        return "not stated"
    return f"{value:g}" if isinstance(value, float) else str(value)


def tolerance_rows(sheet: DataSheet) -> list[tuple[str, str]]:
    """Return the tolerances that a data sheet sets for judgements as rows of text for a report.

    Parameters
    ----------
    sheet : DataSheet
        The data sheet of the tested model.

    Returns
    -------
    list of (str, str)
        Name and value with unit of each tolerance.
    """
    of, guard_deg = sheet.margins, math.degrees(sheet.guard_rad)
    return [
        ("a range, where its accuracy is asked for", f"{sheet.tolerance_m:.4f} m"),
        ("a range in other scenes", f"{sheet.coarse_m:.4f} m"),
        (
            "mean error of ranges",
            f"{sheet.errors.range_trueness_m:g} m, and 4 standard deviations of the mean",
        ),
        ("direction of a beam: half of its width", f"{guard_deg:.4f} deg"),
        ("detections that may be off", f"{of.share:.2%}"),
        ("numbers of detections", f"{of.number:.2%}, and {of.edges:g} for each row and edge"),
        ("ratios of intensities", f"{of.intensity:g}"),
        ("radial velocities", f"{of.velocity_m_s:g} m/s"),
    ]

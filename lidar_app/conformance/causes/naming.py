# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Common causes of failed scenes, each named once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lidar_app.conformance.bench import Verdict
from lidar_app.conformance.causes.evidence import AS_ASKED, evidence_of
from lidar_app.conformance.causes.geometry import (
    LEAST_OFF,
    Explained,
    reading_of_ranges,
    readings_of_places,
    scatter_of_ranges,
)
from lidar_app.conformance.causes.numbers import causes_of_numbers
from lidar_app.conformance.causes.stated import causes_of_fields

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lidar_app.conformance.bench import SceneResult
    from lidar_app.conformance.judging import Finding

_NUMBER = re.compile(r"\bmessage \d+\b")


def causes_of(results: Sequence[SceneResult]) -> list[Explained]:
    """Return the likely causes of failed scenes.

    A cause is an error of the tested model, such as a wrong frame or version, that would explain
    its answers, or the reason why it gave no answer. It is a hint for developers of the model;
    verdicts do not depend on it.

    Parameters
    ----------
    results : sequence of SceneResult
        Results of all scenes of a run, passed ones included.

    Returns
    -------
    list of Explained
        Each cause once, the one that explains the most scenes first; empty if none is found.
    """
    failed = [each for each in results if each.verdict is Verdict.FAILED]
    if not failed:
        return []
    told = [*_notes(failed), *_places(results, failed)]
    named = {scene for each in told for scene in each.scenes}
    rest = [each for each in failed if each.scene.name not in named]
    told += [
        *causes_of_fields(rest),
        *causes_of_numbers([each for each in rest if _is_placed(each)]),
    ]
    return sorted(_once(told), key=lambda each: -len(each.scenes))


def _is_placed(result: SceneResult) -> bool:
    """Return whether no judgement on positions failed in a scene."""
    return not any(not each.holds and _is_of_places(each) for each in result.findings)


def _is_of_places(finding: Finding) -> bool:
    return finding.check.startswith(("range", "trueness"))


def _notes(failed: Sequence[SceneResult]) -> list[Explained]:
    """Return the reasons why scenes have no answer, each reason once."""
    scenes: dict[str, list[str]] = {}
    for each in failed:
        if each.note:
            scenes.setdefault(_NUMBER.sub("a message", each.note), []).append(each.scene.name)
    return [Explained(text, tuple(names)) for text, names in scenes.items()]


def _places(results: Sequence[SceneResult], failed: Sequence[SceneResult]) -> list[Explained]:
    """Return the causes of wrong positions of detections."""
    evidence = [each for each in map(evidence_of, results) if each is not None]
    names = {each.scene.name for each in failed}
    of_failed = [each for each in evidence if each.scene in names]
    in_range = [each.scene.name for each in failed if not _is_placed(each)]
    of_ranges = [each for each in of_failed if each.scene in in_range]
    ranges = reading_of_ranges(of_ranges)
    if ranges is not None:
        return [ranges]
    off = [each for each in of_failed if AS_ASKED.share_off(each) > LEAST_OFF]
    passed = [each for each in evidence if each.scene not in names]
    told = readings_of_places(off, passed)
    if 2 * sum(len(each.scenes) for each in told) < len(of_ranges):
        scatter = scatter_of_ranges(of_ranges, passed)
        return told if scatter is None else [scatter]
    return told


def _once(told: Sequence[Explained]) -> list[Explained]:
    """Merge causes with the same text."""
    scenes: dict[str, list[str]] = {}
    for each in told:
        known = scenes.setdefault(each.text, [])
        known += [name for name in each.scenes if name not in known]
    return [Explained(text, tuple(names)) for text, names in scenes.items()]

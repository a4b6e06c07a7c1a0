# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The part of a batch that a process runs: set by an option, or by a scheduler."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from lidar_app.batch.table import Job

_EXPECTED = "expected I/N with I from 0 to N - 1, or /N where a scheduler sets I"
_SLURM, _KUBERNETES, _AWS = (
    "SLURM_ARRAY_TASK_ID",
    "JOB_COMPLETION_INDEX",
    "AWS_BATCH_JOB_ARRAY_INDEX",
)
_COUNTS = {
    _SLURM: ("SLURM_ARRAY_TASK_COUNT",),
    _KUBERNETES: ("JOB_COMPLETIONS",),
    _AWS: ("AWS_BATCH_JOB_ARRAY_SIZE",),
}
"""By the variable with the index of this process: the variable with the number of processes."""


@dataclass(frozen=True, slots=True)
class Shard:
    """Every `count`-th job of a batch, beginning with the job of number `index` (from 0)."""

    index: int = 0
    count: int = 1

    def has(self, number: int) -> bool:
        """Return whether the shard contains a job.

        Parameters
        ----------
        number : int
            Index of the job, from 0, among the different jobs of the batch: equal rows of the table
            of jobs count as one job.
        """
        return number % self.count == self.index

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def find_shard(text: str | None, environment: Mapping[str, str]) -> Shard:
    """Return the shard that ``--shard`` or the environment states, else a shard of all jobs.

    SLURM, Kubernetes and AWS Batch state index and count of a process in its environment.

    Parameters
    ----------
    text : str or None
        The value of ``--shard``: ``I/N`` (index and count), or ``/N`` if the environment has I.
    environment : mapping
        Environment variables of the process.

    Raises
    ------
    InputError
        If the text is not of that form, the index is not below the count, no scheduler sets the
        index of ``/N``, or a scheduler sets an index without a count.
    """
    count = None
    if text is not None:
        found = re.fullmatch(r"(\d*)/(\d+)", text.strip())
        if found is None:
            raise InputError(f"--shard: got {text!r}, {_EXPECTED}")
        count = int(found[2])
        if found[1]:
            return _checked(int(found[1]), count, f"--shard: got {text!r}")
    name = next((each for each in _COUNTS if environment.get(each, "").isdecimal()), None)
    if name is None:
        if text is not None:
            raise InputError(
                f"--shard: got {text!r} without I, and no scheduler sets I ({', '.join(_COUNTS)}); "
                "give it as I/N"
            )
        return Shard()
    index = int(environment[name]) - _first(name, environment)
    if count is None:
        count = _count(name, environment)
    return _checked(index, count, f"{name}={environment[name]} of {count}")


def shard_of(jobs: Sequence[Job], shard: Shard) -> list[Job]:
    """Return the jobs of a batch that belong to a shard; equal jobs are returned once."""
    different = list({job.key: job for job in reversed(jobs)}.values())[::-1]
    return [job for number, job in enumerate(different) if shard.has(number)]


def _first(name: str, environment: Mapping[str, str]) -> int:
    """Return the first index of a scheduler; only arrays of SLURM may start above 0."""
    stated = environment.get("SLURM_ARRAY_TASK_MIN", "0") if name == _SLURM else "0"
    return int(stated) if stated.isdecimal() else 0


def _count(name: str, environment: Mapping[str, str]) -> int:
    """Return the number of shards from the environment of a scheduler."""
    for each in _COUNTS[name]:
        if environment.get(each, "").isdecimal():
            return int(environment[each])
    raise InputError(
        f"{name} is set, but the number of shards ({' or '.join(_COUNTS[name])}) is not: give it "
        "as --shard /N"
    )


def _checked(index: int, count: int, got: str) -> Shard:
    if not 0 <= index < count:
        raise InputError(f"{got}, {_EXPECTED}")
    return Shard(index, count)

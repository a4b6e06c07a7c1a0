# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ways to build an FMU: versions of FMI and wrappers, and which tests run with which of them."""

from pathlib import Path
from typing import NamedTuple

import pytest

from fmu_src.exporter import build_fmu


class Way(NamedTuple):
    """A version of FMI and a wrapper."""

    fmi: str
    wrapper: str

    def build(self, **options) -> Path:
        """Build an FMU; the options are those of build_fmu."""
        (built,) = build_fmu(fmi=self.fmi, wrapper=self.wrapper, **options)
        return built.path


FMI2 = Way("2", "native")
FMI3 = Way("3", "native")
PYTHONFMU = Way("2", "pythonfmu")


def ways_of(definition):
    """Return the ways of a test as parameters, by its marks.

    Marks are ``fmi2`` (FMI 3.0 has nothing like it), ``native`` and ``pythonfmu`` (the other
    wrapper does otherwise) and ``core`` (pythonfmu is among the fast tests).
    """
    marks = {mark.name for mark in definition.iter_markers()}
    slow = () if marks & {"core", "pythonfmu"} else (pytest.mark.slow,)
    ways = {
        "fmi2": pytest.param(FMI2, id="fmi2"),
        "fmi3": pytest.param(FMI3, id="fmi3"),
        "pythonfmu": pytest.param(PYTHONFMU, id="pythonfmu", marks=slow),
    }
    left_out = {"fmi2": {"fmi3"}, "native": {"pythonfmu"}, "pythonfmu": {"fmi2", "fmi3"}}
    without = set().union(*(left_out.get(mark, set()) for mark in marks))
    return [each for name, each in ways.items() if name not in without]

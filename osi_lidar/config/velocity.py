# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of a sensor that measures radial velocities."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Discriminator, Field, Tag

from lidar_base.sections import Section
from osi_lidar.config.values import Finite, Switch

MAX_SIGMA_M_S = 100.0
AMBIGUITY_M_S = 0.1, 1e4  # bounds of the width of the interval of velocities

Sigma = Annotated[Finite, Field(ge=0, le=MAX_SIGMA_M_S)]
Interval = Annotated[Finite, Field(ge=AMBIGUITY_M_S[0], le=AMBIGUITY_M_S[1])]


class Velocity(Section):
    """Radial velocity of each point, as a continuous-wave (FMCW) sensor measures it."""

    sigma_m_s: Sigma = Field(
        default=0.0,
        description="Standard deviation of the velocity, drawn anew for every point (Gaussian).",
    )
    ambiguity_m_s: Interval | None = Field(
        default=None,
        description="Width of the unambiguous interval of velocities: velocities outside of plus "
        "or minus half of it are folded into it. Default: no folding.",
    )


def _tag(value: object) -> str:
    return "section" if isinstance(value, Mapping | Velocity) else "switch"


VelocityOrSwitch = Annotated[
    Annotated[Switch, Tag("switch")] | Annotated[Velocity, Tag("section")], Discriminator(_tag)
]

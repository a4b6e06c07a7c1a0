# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Completion of a sensor's keys with the figures that ``fidelity: physical`` asks for."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel

Fidelity = Literal["ideal", "physical"]
FIDELITIES: tuple[Fidelity, ...] = ("ideal", "physical")
Sections = Mapping[str, Mapping[str, Any]]

SECTIONS = ("noise", "beam", "pulse", "returns", "receiver")


def with_figures(data: Mapping[str, Any], figures: Sections) -> dict[str, Any]:
    """Return the keys of a sensor with those of a known sensor where they are not given.

    Sections are completed key by key. A section that is None stays None, and an impossible one is
    left to validation. A divergence of the user's own has the width of the configuration's default,
    not that of the known sensor.

    Parameters
    ----------
    data : mapping
        Keys of an entry of ``sensors``, before validation.
    figures : mapping of section to keys
        As ``SensorPreset.physical`` gives them.
    """
    return {**data, **{name: _completed(data, name, figures[name]) for name in figures}}


def merged(first: Sections, second: Sections) -> dict[str, dict[str, Any]]:
    """Return the figures of both; those of the first take precedence."""
    names = [*first, *(name for name in second if name not in first)]
    return {name: {**second.get(name, {}), **first.get(name, {})} for name in names}


def _completed(data: Mapping[str, Any], name: str, figures: Mapping[str, Any]) -> object:
    own = data.get(name, {})
    if isinstance(own, BaseModel):
        own = own.model_dump(exclude_unset=True)
    if not isinstance(own, Mapping):
        return own
    if "divergence_deg" in own:
        figures = {key: value for key, value in figures.items() if key != "width"}
    return {**figures, **own}

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
_SCATTER = ("range_sigma_m", "depth_table", "depth_sigma_m", "reflectivity_table")
"""Keys of ``noise`` for the scatter of ranges; a known sensor sets one of them."""
_OF_SCATTER = ("distribution", "tails")
"""Keys of ``noise`` that the user's own scatter does not take over from the known sensor."""
_INSTEAD = {"divergence_deg": ("width",), "near_range_m": ("near_field",)}
"""Keys that the user may set, and the known sensor's keys that each of them drops."""


def with_figures(data: Mapping[str, Any], figures: Sections) -> dict[str, Any]:
    """Return a sensor's keys; keys that the user has not set come from a known sensor's figures.

    Sections are completed key by key. A section that the user has set to None stays None, and an
    invalid section stays as it is, for validation to report.

    Some keys of the user drop other figures of the known sensor: ``divergence_deg`` drops
    ``width``, ``near_range_m`` drops ``near_field``, any range noise drops all range noise, and
    ``range_bias_m`` drops ``range_bias_sigma_m``. ``receiver.precision`` drops the noise by
    reflectivity.

    Parameters
    ----------
    data : mapping
        Keys and values of an entry of ``sensors``, as the user wrote them, before validation.
    figures : mapping of section to keys
        The known sensor's values, by section and key, as ``SensorPreset.physical`` returns them.
    """
    figures = {**figures, "noise": _scatter_left(data, figures.get("noise", {}))}
    used = {name: keys for name, keys in figures.items() if keys or name != "noise"}
    return {**data, **{name: _completed(data, name, used[name]) for name in used}}


def merged(first: Sections, second: Sections) -> dict[str, dict[str, Any]]:
    """Return the keys and values of two mappings of sections as one new mapping.

    Parameters
    ----------
    first, second : mapping of str to mapping
        Keys and values of each section, by the section's name: ``{"beam": {"width": "e2"}}``. If
        both have a key of a section, the value of ``first`` is taken.
    """
    names = [*first, *(name for name in second if name not in first)]
    return {name: {**second.get(name, {}), **first.get(name, {})} for name in names}


def _scatter_left(data: Mapping[str, Any], noise: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the known sensor's noise without the keys that the user's own keys replace."""
    own = _given(data, "noise")
    stated: tuple[str, ...] = ("range_bias_sigma_m",) if "range_bias_m" in own else ()
    if any(key in own for key in _SCATTER):
        stated += (*_SCATTER, *_OF_SCATTER)
    elif _given(data, "receiver").get("precision", ()) not in ((), []):
        stated += ("reflectivity_table", *_OF_SCATTER)
    return {key: value for key, value in noise.items() if key not in stated}


def _completed(data: Mapping[str, Any], name: str, figures: Mapping[str, Any]) -> object:
    if not isinstance(data.get(name, {}), Mapping | BaseModel):
        return data[name]
    own = _given(data, name)
    instead = {key for mine, others in _INSTEAD.items() if mine in own for key in others}
    return {**{key: value for key, value in figures.items() if key not in instead}, **own}


def _given(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the user's keys of a section; an empty result if the section is missing or invalid."""
    own = data.get(name, {})
    if isinstance(own, BaseModel):
        own = own.model_dump(exclude_unset=True)
    return own if isinstance(own, Mapping) else {}

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The section of YAML files that states a texture."""

import reprlib
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from lidar_base.sections import Section, problem_at
from material_mapping.yaml_values import Text, number

_NUMBER = {"type": "number"}
_PAIR = {"type": "array", "prefixItems": [_NUMBER, _NUMBER], "minItems": 2, "maxItems": 2}


def _scales(content: object) -> tuple[tuple[float, float], ...]:
    """Return pairs (share of the variance, correlation length [m]); a single length has share 1."""
    if not isinstance(content, list | tuple):
        return ((1.0, number(content)),)
    scales = []
    for index, pair in enumerate(content):
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            message = f"got {reprlib.repr(pair)}, expected [share, correlation length in metres]"
            raise problem_at(index, message=message)
        scales.append((number(pair[0], index), number(pair[1], index)))
    return tuple(scales)


class TextureSection(Section):
    """How a reflectivity varies over a surface (docs/explanation/materials.md)."""

    spread: Annotated[
        float, PlainValidator(number), WithJsonSchema({"type": "number", "minimum": 0.0})
    ] = Field(description="Standard deviation of the logarithm of the reflectivity.")
    correlation_m: Annotated[
        tuple[tuple[float, float], ...],
        BeforeValidator(_scales),
        WithJsonSchema({"anyOf": [_NUMBER, {"type": "array", "items": _PAIR, "maxItems": 3}]}),
    ] = Field(
        description="Correlation length, or up to three pairs of share of the variance and length."
    )
    keeps: Literal["mean", "median"] = Field(
        default="mean",
        description="What the reflectance of the material is on its surface: the mean, or the "
        "median (half of the surface is brighter).",
    )
    source: Text = Field(default="not stated", description="Where the values are from.")

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Materials in YAML files as pydantic models; every problem is one line with file and key."""

import math
import reprlib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import Field, PlainValidator, Strict, ValidationError, WithJsonSchema, model_validator
from typing_extensions import Self

from lidar_base.near_match import near_match
from lidar_base.sections import Section, first_problem, problem_at
from material_mapping.by_wavelength import ByWavelength
from material_mapping.classes import GENERAL, material_classes
from material_mapping.entry import DEFAULT_WAVELENGTH_NM, MaterialEntry
from material_mapping.errors import MappingError, MaterialError
from material_mapping.files import read_material_yaml
from material_mapping.optics.gloss import SMOOTHEST, Gloss
from material_mapping.response import Curve, Tabulated
from material_mapping.texture import Texture
from material_mapping.texture_section import TextureSection
from material_mapping.yaml_models import Extinction, Index, SomeModel, always, gloss_of
from material_mapping.yaml_values import (
    Bounds,
    SomeText,
    SomeWavelength,
    Text,
    by_wavelength,
    number,
    spectral_schema,
)

OF_REFLECTANCE = ("wavelength_nm", "bands_resolved", "roughness_deg")
_NUMBER = {"type": "number"}
_PAIR = {"type": "array", "prefixItems": [_NUMBER, _NUMBER], "minItems": 2, "maxItems": 2}
_CURVE = {"anyOf": [_NUMBER, {"type": "array", "items": _PAIR}]}
_INDEX = {"anyOf": [_NUMBER, _PAIR]}
File = TypeVar("File", bound=Section)


def _class_name(content: object) -> str:
    classes = material_classes()
    if not isinstance(content, str) or content not in classes:
        expected = f"expected one of {', '.join(classes)}{near_match(str(content), classes)}"
        raise ValueError(f"got {reprlib.repr(content)}, {expected}")
    return content


def _curve(content: object, *place: str | int) -> Curve:
    """Return a number, or a tuple of (angle in degrees, number)."""
    if not isinstance(content, list):
        return number(content, *place)
    pairs = []
    for index, pair in enumerate(content):
        if not isinstance(pair, list) or len(pair) != 2:
            message = f"got {reprlib.repr(pair)}, expected [angle in degrees, reflectance]"
            raise problem_at(*place, index, message=message)
        pairs.append((number(pair[0], *place, index), number(pair[1], *place, index)))
    return tuple(pairs)


def _index(content: object, *place: str | int) -> complex:
    """Return n, or n + ik of a pair [n, k]."""
    parts = content if isinstance(content, list) else [content, 0.0]
    if len(parts) != 2:
        message = f"got {reprlib.repr(content)}, expected n or [n, k]"
        raise problem_at(*place, message=message)
    n, k = (number(part, *place) for part in parts)
    if not (0.0 < n < 100.0 and 0.0 <= k < 100.0):
        message = f"n {n:g}, k {k:g}, expected n above 0 and k of 0 or more, both below 100"
        raise problem_at(*place, message=message)
    return complex(n, k)


def _roughness(content: object) -> float:
    roughness_deg = number(content)
    if not 0.0 <= roughness_deg <= 90.0:
        raise ValueError(f"got {roughness_deg:g}, expected 0 to 90")
    return roughness_deg


class GlossSection(Section):
    """A smooth boundary over a material, such as a clear coat (docs/explanation/materials.md)."""

    roughness: Annotated[ByWavelength, Bounds(least=SMOOTHEST)] = Field(
        description="Slope of the boundary's facets: half of the facets are tilted by more than "
        "atan(roughness)."
    )
    n: Index = Field(default=always(1.5), description="Refractive index.")
    k: Extinction = Field(default=always(0.0), description="Extinction coefficient.")
    source: Text = Field(default="not stated", description="Where the values are from.")

    def gloss(self) -> Gloss:
        """Return the section as a `Gloss`."""
        return Gloss(roughness=self.roughness, n=self.n, k=self.k, source=self.source)


class SharedReference(Section):
    """A source shared by several materials: its citation and its licence terms."""

    citation: Text
    licence: Text


class MaterialSection(Section):
    """An infrared material as a YAML file states it; docs/reference/materials.md has its keys."""

    class_name: Annotated[
        str | None, PlainValidator(_class_name), WithJsonSchema({"type": "string"})
    ] = Field(default=None, alias="class", description="How the surface treats a ray.")
    reflectance: Annotated[
        dict[float | None, Curve] | None,
        PlainValidator(partial(by_wavelength, read=_curve)),
        WithJsonSchema(spectral_schema(_CURVE)),
    ] = Field(
        default=None,
        description="Reflectance at normal incidence, or a table by angle of incidence [deg]; or "
        "one of both for each wavelength.",
    )
    wavelength_nm: SomeWavelength = Field(
        default=None, description="Wavelength of a reflectance that states none. Default: 905."
    )
    bands_resolved: Annotated[bool, Strict()] = Field(
        default=False, description="Whether reflectances are interpolated across absorption bands."
    )
    roughness_deg: Annotated[
        float | None,
        PlainValidator(_roughness),
        WithJsonSchema({"type": "number", "minimum": 0.0, "maximum": 90.0}),
    ] = Field(default=None, description="Standard deviation of the slopes of a rough surface.")
    texture: TextureSection | None = Field(
        default=None,
        description="How the reflectivity varies over the surface. Default: it does not vary.",
    )
    gloss: GlossSection | None = Field(
        default=None,
        description="Smooth boundary that mirrors light, for physical sensors. Default: none, or "
        "as a model `ggx` or `coated` states it.",
    )
    model: SomeModel = Field(
        default=None, description="Reflection model, instead of a reflectance."
    )
    refractive_index: Annotated[
        dict[float | None, complex] | None,
        PlainValidator(partial(by_wavelength, read=_index)),
        WithJsonSchema(spectral_schema(_INDEX)),
    ] = Field(
        default=None,
        description="Refractive index n or [n, k]; or one of both for each wavelength.",
    )
    reference: SomeText = Field(
        default=None, description="Name of a shared reference in `references` of the file."
    )
    source: SomeText = Field(default=None, description="Where the values are from.")
    uncertainty: SomeText = Field(default=None, description="Uncertainty of the values.")
    note: SomeText = Field(default=None, description="Anything else.")
    licence: SomeText = Field(default=None, description="Licence terms of the source.")

    @model_validator(mode="after")
    def _check(self) -> Self:
        for key, message in self._contradictions():
            raise problem_at(key, message=message)
        return self

    def _contradictions(self) -> Iterator[tuple[str, str]]:
        """Yield each key that another key forbids, and the message that says why."""
        given = [key for key in ("reflectance", *OF_REFLECTANCE) if key in self.model_fields_set]
        if self.model is not None:
            needed = self.model.material_class.name
            for key in given:
                yield key, "is not allowed beside a model, which has keys of its own; leave it out"
            if self.gloss is not None and gloss_of(self.model) is not None:
                yield "gloss", "is not allowed beside a model with a boundary; leave it out"
            if self.class_name == GENERAL.name != needed:
                yield "class", f"got {self.class_name!r}, but the model is of class {needed!r}"
        elif self.reflectance is None:
            for key in given:
                yield key, "applies to a reflectance, but there is none; leave it out"
        else:
            if self.wavelength_nm is not None and None not in self.reflectance:
                why = "is not allowed beside reflectances by wavelength, leave it out"
                yield "wavelength_nm", why
            if self.bands_resolved and len(self.reflectance) < 2:
                why = "needs reflectances at two wavelengths or more, leave it out"
                yield "bands_resolved", why
            is_table = any(isinstance(curve, tuple) for curve in self.reflectance.values())
            if self.roughness_deg is not None and is_table:
                why = "is not allowed beside a table over angles, which has its own law"
                yield "roughness_deg", f"{why}; leave it out"

    def entry(self, name: str, references: Mapping[str, SharedReference]) -> MaterialEntry:
        """Return the material as a `MaterialEntry` with this name.

        A stated class takes precedence over the class of the model. ``references`` are the sources
        that materials share, by name. If the material names one, its source becomes "reference:
        source", and it gets the licence of the reference unless it states its own.

        Raises
        ------
        MaterialError
            The material lacks data that its class needs, has data that its class does not allow or
            that are out of range, or names an unknown reference.
        """
        values: dict[str, Any] = {
            key: value
            for key in ("source", "uncertainty", "note", "licence")
            if (value := getattr(self, key)) is not None
        }
        if self.reference is not None:
            if self.reference not in references:
                raise MaterialError(
                    f"unknown reference {self.reference!r}, expected one of the section references"
                )
            details = values.get("source", "")
            values["source"] = f"{self.reference}: {details}" if details else self.reference
            values.setdefault("licence", references[self.reference].licence)
        kind = GENERAL
        if self.model is not None:
            values |= {"response": self.model.response(), "gloss": gloss_of(self.model)}
            kind = self.model.material_class
        elif self.reflectance is not None:
            values |= {"response": self._measured(self.reflectance)}
        if self.refractive_index is not None:
            values |= {"refractive_index": ByWavelength.of(self.refractive_index)}
        if self.gloss is not None:
            values |= {"gloss": self.gloss.gloss()}
        if self.texture is not None:
            values |= {"texture": Texture.of(self.texture)}
        if self.class_name is not None:
            kind = material_classes()[self.class_name]
        return MaterialEntry(name=name, material_class=kind, **values)

    def _measured(self, curves: Mapping[float | None, Curve]) -> Tabulated:
        """Return the response of a material with reflectances."""
        nm = DEFAULT_WAVELENGTH_NM if self.wavelength_nm is None else self.wavelength_nm
        return Tabulated(
            curves={nm if known is None else known: curve for known, curve in curves.items()},
            bands_resolved=self.bands_resolved,
            roughness_rad=math.radians(self.roughness_deg or 0.0),
        )


class MaterialFile(Section):
    """Content of a YAML file of materials, such as the built-in ones: materials and references.

    Both are by name. A reference is a source that several materials share.
    """

    references: dict[str, SharedReference] = Field(default={})
    materials: dict[str, MaterialSection] = Field(default={})


def read_sections(path: Path, kind: type[File], *, own: bool = False) -> File:
    """Return a YAML file of materials as a pydantic model.

    Parameters
    ----------
    path : Path
        The file.
    kind : type of pydantic model
        Class of the result, such as `MaterialFile`.
    own : bool
        Whether this is a file of this package. It is then read faster, but without protection
        against a malicious file, which could end the process.

    Raises
    ------
    MappingError
        The file cannot be read, or a key or value is not as expected.
    """
    data = read_material_yaml(path, own=own)
    try:
        return kind.model_validate(data)
    except ValidationError as error:
        raise MappingError(first_problem(error, data), file=str(path)) from None


def entries_of(
    sections: Mapping[str, MaterialSection],
    references: Mapping[str, SharedReference],
    *,
    file: Path,
    key: str,
) -> dict[str, MaterialEntry]:
    """Return the infrared material of each material section of a YAML file, by name.

    Parameters
    ----------
    sections : mapping of str to MaterialSection
        Sections by the name of their material.
    references : mapping of str to SharedReference
        Sources that materials share, by the name that a section states.
    file : Path
        The file, for errors.
    key : str
        Key above the sections in the file, for errors, which say "key.name" for a section.

    Raises
    ------
    MappingError
        A section lacks data that its class needs, has data that its class does not allow or that
        are out of range, or names an unknown reference.
    """
    found, name = {}, ""
    try:
        for name, section in sections.items():
            found[name] = section.entry(name, references)
    except MaterialError as error:
        problem = str(error).removeprefix(f"{name}: ")
        place = ".reference" if problem.startswith("unknown reference") else ""
        raise MappingError(problem, file=str(file), key=f"{key}.{name}{place}") from None
    return found


def read_entries(path: Path, *, own: bool = False) -> dict[str, MaterialEntry]:
    """Return all materials of the YAML file ``path`` by name, or raise MappingError.

    Set ``own`` only for a file of this package: it is then read faster, but without protection
    against a malicious file.
    """
    content = read_sections(path, MaterialFile, own=own)
    return entries_of(content.materials, content.references, file=path, key="materials")

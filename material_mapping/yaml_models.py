# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection models in material files: ``model: {kind: coated, reflectance: 0.2, ..}``.

The equations are in `material_mapping.optics.reflection` and `material_mapping.optics.microfacet`;
this module defines the keys of each kind and their bounds. The bounds are tighter than those of
the functions where a lobe would be too narrow for the whole degrees at which a material is sampled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from material_mapping.by_wavelength import ByWavelength
from material_mapping.classes import GENERAL, RETROREFLECTIVE, MaterialClass
from material_mapping.entry import DEFAULT_WAVELENGTH_NM
from material_mapping.errors import MappingError, MaterialError
from material_mapping.optics.microfacet import coated, ggx
from material_mapping.optics.reflection import (
    SHEETING_FALL_OFF_RAD,
    SHEETING_LOBE_RAD,
    lambert,
    oren_nayar,
    phong,
    reflectivity,
    retroreflective,
)
from material_mapping.response import DEGREES, Lookup, Modelled
from material_mapping.yaml_values import by_wavelength, check_keys, number, one_of, table_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike, NDArray

    from material_mapping.optics.reflection import Brdf

Parameter: TypeAlias = "bool | ByWavelength"

NARROWEST_ROUGHNESS = 0.02
"""Linear interpolation between whole degrees follows a GGX lobe of this width to 9 %. [1]"""
HIGHEST_EXPONENT = 1000.0
"""The largest ``Ns`` of MTL files; linear interpolation follows its lobe to 10 %. [1]"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of a model.

    Attributes
    ----------
    meaning : str
        Description, with its unit.
    least, most : float
        Bounds of a number.
    default : float, bool or None
        None for a required key; a bool makes it a switch.
    spectral : bool
        Whether it may be given by wavelength.
    """

    meaning: str
    least: float = 0.0
    most: float = 1.0
    default: float | bool | None = None
    spectral: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One kind of reflection model.

    Attributes
    ----------
    brdf : function
        As in `material_mapping.optics.reflection`. Takes the keys as parameters, angles in radians.
    keys : mapping of str to Key
    used_for : str
        Typical surfaces.
    unit : str
        Unit of the published quantity.
    material_class : MaterialClass
        Class of its materials where none is stated.
    lookup : Lookup
        How the reflectivity is read from a table of whole degrees.
    joint_limit : bool
        Whether keys within their own bounds can together violate the conservation of energy.
    """

    brdf: Brdf
    keys: Mapping[str, Key]
    used_for: str
    unit: str = "fraction"
    material_class: MaterialClass = GENERAL
    lookup: Lookup = Lookup.LINEAR
    joint_limit: bool = False


def sheeting(  # noqa: PLR0913  as many quantities
    theta_i_rad: ArrayLike,
    theta_o_rad: ArrayLike,
    azimuth_rad: ArrayLike,
    *,
    coefficient_cd_lx_m2: float,
    observation_rad: float,
    entrance_rad: float,
    fall_off_rad: float,
    lobe_rad: float,
) -> NDArray[np.float64]:
    """Return the BRDF of sheeting from R_A at the angles of its data sheet [1/sr].

    It is `retroreflective` with R_A exp((observation/lobe)^2 + (entrance/fall_off)^2) straight
    back.
    """
    rise = (observation_rad / lobe_rad) ** 2 + (entrance_rad / fall_off_rad) ** 2
    return retroreflective(
        theta_i_rad,
        theta_o_rad,
        azimuth_rad,
        coefficient_cd_lx_m2=coefficient_cd_lx_m2 * math.exp(rise),
        fall_off_rad=fall_off_rad,
        lobe_rad=lobe_rad,
    )


_REFLECTANCE = Key(meaning="fraction of the light that is reflected", spectral=True)
_ROUGHNESS = Key(
    meaning="slope of the facets: half of them are tilted by more than atan(roughness)",
    least=NARROWEST_ROUGHNESS,
)
_N = Key(meaning="refractive index", least=0.01, most=100.0, spectral=True)
_K = Key(meaning="extinction coefficient", most=100.0, default=0.0, spectral=True)

MODELS: Mapping[str, Model] = MappingProxyType(
    {
        "lambert": Model(
            brdf=lambert,
            keys={"reflectance": _REFLECTANCE},
            used_for="matt surfaces",
            lookup=Lookup.MATT,
        ),
        "phong": Model(
            brdf=phong,
            keys={
                "reflectance": _REFLECTANCE,
                "specularity": Key(meaning="K_s, fraction in the lobe"),
                "specular_exponent": Key(
                    meaning="N_s, narrowness of the lobe",
                    least=1.0,
                    most=HIGHEST_EXPONENT,
                    default=10.0,
                ),
                "back_lobe": Key(meaning="R rises again beyond 45°, as in HELIOS++", default=True),
            },
            used_for="materials of HELIOS++",
        ),
        "oren_nayar": Model(
            brdf=oren_nayar,
            keys={
                "reflectance": _REFLECTANCE,
                "roughness_deg": Key(
                    meaning="standard deviation of the facets' slope angles, deg", most=90.0
                ),
            },
            used_for="rough matt surfaces",
            lookup=Lookup.MATT,
            joint_limit=True,
        ),
        "ggx": Model(
            brdf=ggx,
            keys={"roughness": _ROUGHNESS, "n": _N, "k": _K},
            used_for="metals, rough glass",
            unit="n, k",
        ),
        "coated": Model(
            brdf=coated,
            keys={
                "reflectance": Key(
                    meaning="fraction of the light entering the coat that leaves it again",
                    spectral=True,
                ),
                "roughness": _ROUGHNESS,
                "n": Key(
                    meaning="refractive index of the coat",
                    least=0.01,
                    most=100.0,
                    default=1.5,
                    spectral=True,
                ),
                "k": _K,
            },
            used_for="paints, plastics",
        ),
        "retroreflective": Model(
            brdf=sheeting,
            keys={
                "coefficient_cd_lx_m2": Key(
                    meaning="R_A, coefficient of retroreflection, cd/(lx m²)",
                    most=1e5,
                    spectral=True,
                ),
                "observation_deg": Key(
                    meaning="angle between light and eye at which R_A is stated, deg",
                    most=2.0,
                    default=0.0,
                ),
                "entrance_deg": Key(
                    meaning="angle of incidence at which R_A is stated, deg", most=60.0, default=0.0
                ),
                "fall_off_deg": Key(
                    meaning="angle of incidence at which R_A has fallen to 1/e, deg",
                    least=10.0,
                    most=200.0,
                    default=math.degrees(SHEETING_FALL_OFF_RAD),
                ),
                "lobe_deg": Key(
                    meaning="observation angle at which R_A has fallen to 1/e, deg",
                    least=0.1,
                    most=5.0,
                    default=math.degrees(SHEETING_LOBE_RAD),
                ),
            },
            used_for="sign sheeting, safety vests",
            unit="cd/(lx m2)",
            material_class=RETROREFLECTIVE,
            joint_limit=True,
        ),
    }
)


def parse_model(content: object, *, file: str, key: str) -> tuple[MaterialClass, Modelled]:
    """Return the class and the response that a model of a YAML file describes.

    With keys given by wavelength, the response covers the range that they have in common.

    Raises
    ------
    MappingError
        The kind, a key or a value is not as expected, or the model reflects more light than it
        receives.
    """
    table = table_of(content, file=file, key=key)
    if "kind" not in table:
        message = f"kind is missing, expected one of {', '.join(MODELS)}"
        raise MappingError(message, file=file, key=key)
    kind = one_of(table["kind"], MODELS, file=file, key=f"{key}.kind")
    model = MODELS[kind]
    check_keys(table, ("kind", *model.keys), file=file, key=key)
    for name, each in model.keys.items():
        if each.default is None and name not in table:
            message = f"{name} is missing, a model of kind {kind} needs it"
            raise MappingError(message, file=file, key=key)
    values = {
        name: _parameter(table.get(name, each.default), each, file=file, key=f"{key}.{name}")
        for name, each in model.keys.items()
    }
    range_nm = _known_nm(values, file=file, key=key)
    if model.joint_limit:
        _check_energy(model, values, range_nm, file=file, key=key)
    return model.material_class, Modelled(
        function=partial(_reflectivity, model, values),
        wavelength_range_nm=range_nm,
        lookup=model.lookup,
        unit=model.unit,
        model=f"{kind}: {', '.join(_words(name, value) for name, value in values.items())}",
    )


def straight_back(
    brdf: Brdf, angle_deg: NDArray[np.float64], **parameters: float
) -> NDArray[np.float64]:
    """Return the reflectivity [1] of a model at angles of incidence [deg], 0 at 90 deg."""
    found = reflectivity(brdf, np.radians(angle_deg), **parameters)
    return np.where(angle_deg < DEGREES[-1], found, 0.0)


def _parameter(content: object, wanted: Key, *, file: str, key: str) -> Parameter:
    if isinstance(wanted.default, bool):
        if not isinstance(content, bool):
            raise MappingError(f"got {content!r}, expected true or false", file=file, key=key)
        return content
    read = partial(_bounded, wanted.least, wanted.most)
    if wanted.spectral:
        return ByWavelength.of(by_wavelength(content, read, file=file, key=key))
    return ByWavelength((), (read(content, file=file, key=key),))


def _bounded(least: float, most: float, content: object, *, file: str, key: str) -> float:
    value = number(content, file=file, key=key)
    if not least <= value <= most:
        raise MappingError(f"got {value:g}, expected {least:g} to {most:g}", file=file, key=key)
    return value


def _known_nm(values: Mapping[str, Parameter], *, file: str, key: str) -> tuple[float, float]:
    """Return the range of wavelengths in which all parameters are known [nm]."""
    ranges = [each.range_nm for each in values.values() if isinstance(each, ByWavelength)]
    low, high = max(each[0] for each in ranges), min(each[1] for each in ranges)
    if low > high:
        names = [
            name
            for name, each in values.items()
            if isinstance(each, ByWavelength) and each.wavelengths_nm
        ]
        message = f"{' and '.join(names)} have no wavelength in common"
        raise MappingError(message, file=file, key=key)
    return low, high


def _check_energy(
    model: Model,
    values: Mapping[str, Parameter],
    range_nm: tuple[float, float],
    *,
    file: str,
    key: str,
) -> None:
    """Raise MappingError if the model reflects too much light at one of its wavelengths."""
    low, high = range_nm
    spectral = (each.wavelengths_nm for each in values.values() if isinstance(each, ByWavelength))
    known = {nm for nm in chain.from_iterable(spectral) if low <= nm <= high}
    try:
        for wavelength_nm in sorted(known) or [DEFAULT_WAVELENGTH_NM]:
            model.brdf(0.0, 0.0, 0.0, **_parameters_at(values, wavelength_nm))
    except MaterialError as error:
        raise MappingError(str(error), file=file, key=key) from None


def _parameters_at(values: Mapping[str, Parameter], wavelength_nm: float) -> dict[str, float]:
    """Return the parameters of a BRDF at a wavelength."""
    parameters: dict[str, float] = {}
    for name, value in values.items():
        if isinstance(value, bool):
            parameters[name] = value
        elif name.endswith("_deg"):
            parameters[f"{name.removesuffix('_deg')}_rad"] = math.radians(value(wavelength_nm).real)
        else:
            parameters[name] = value(wavelength_nm).real
    return parameters


def _reflectivity(
    model: Model,
    values: Mapping[str, Parameter],
    angle_deg: NDArray[np.float64],
    wavelength_nm: float,
) -> NDArray[np.float64]:
    return straight_back(model.brdf, angle_deg, **_parameters_at(values, wavelength_nm))


def _words(name: str, value: Parameter) -> str:
    if isinstance(value, bool):
        return name if value else f"no {name}"
    return f"{name} {value}"

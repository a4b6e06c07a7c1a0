# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reflection models in material files: ``model: {kind: coated, reflectance: 0.2, ..}``.

The equations are in `material_mapping.optics.reflection` and `material_mapping.optics.microfacet`;
this module defines the keys of each kind of model and the bounds of their values. Some bounds are
tighter than in the functions: a material is sampled at whole degrees, and a lobe must not be
narrower.
"""

import math
from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Annotated, ClassVar, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import BeforeValidator, Field, Strict, model_validator
from typing_extensions import Self

from lidar_base.sections import Section
from material_mapping.by_wavelength import ByWavelength
from material_mapping.classes import GENERAL, RETROREFLECTIVE, MaterialClass
from material_mapping.entry import DEFAULT_WAVELENGTH_NM
from material_mapping.errors import MaterialError
from material_mapping.optics.gloss import Gloss
from material_mapping.optics.microfacet import coated, ggx
from material_mapping.optics.reflection import (
    SHEETING_FALL_OFF_RAD,
    SHEETING_LOBE_RAD,
    Brdf,
    lambert,
    oren_nayar,
    phong,
    reflectivity,
    retroreflective,
)
from material_mapping.response import Lookup, Modelled
from material_mapping.yaml_values import Bounds

Parameter: TypeAlias = bool | ByWavelength
Switch = Annotated[bool, Strict()]

NARROWEST_ROUGHNESS = 0.02
"""Least roughness that a model in YAML may have. [1]

Cubic interpolation between whole degrees then follows the GGX lobe to 4 % of its height.
"""
HIGHEST_EXPONENT = 1000.0
"""Largest specular exponent of a Phong model in YAML, which is the largest ``Ns`` in MTL files. [1]

Cubic interpolation between whole degrees then follows the lobe to 7 % of its height.
"""


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
    """Return the BRDF of retroreflective sheeting [1/sr] from a figure of its data sheet.

    The result is `retroreflective` with the coefficient
    R_A exp((observation/lobe)^2 + (entrance/fall_off)^2), which holds straight back at normal
    incidence.

    Parameters
    ----------
    theta_i_rad, theta_o_rad, azimuth_rad : array_like
        Angles of light and view from the normal, and azimuth between them: 0 for a view on the side
        of the light, pi for the opposite side. They are broadcast to the shape of the result. [rad]
    coefficient_cd_lx_m2 : float
        R_A, the coefficient of retroreflection that the data sheet states. [cd/(lx m2)]
    observation_rad, entrance_rad : float
        Angle between light and view, and angle of incidence, at which it states R_A. [rad]
    fall_off_rad, lobe_rad : float
        Angle of incidence, and angle between light and view, at which R_A has fallen to 1/e. [rad]
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


class ReflectionModel(Section):
    """One kind of reflection model; its fields are the parameters of a BRDF, angles in degrees.

    Attributes
    ----------
    brdf : function
        A function as described in `material_mapping.optics.reflection`; angles in radians.
    used_for : str
        Typical surfaces.
    unit : str
        Unit of the published quantity.
    material_class : MaterialClass
        Class of materials with this model that state no class.
    lookup : Lookup
        How the reflectivity is read from a table of whole degrees.
    joint_limit : bool
        Whether keys within their own bounds can together violate the conservation of energy.
    """

    brdf: ClassVar[Brdf]
    used_for: ClassVar[str]
    unit: ClassVar[str] = "fraction"
    material_class: ClassVar[MaterialClass] = GENERAL
    lookup: ClassVar[Lookup] = Lookup.CUBIC
    joint_limit: ClassVar[bool] = False

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Values of all keys but the kind, by key, as `ByWavelength` or bool; angles in degrees."""
        return {name: value for name, value in self if name != "kind"}

    def response(self) -> Modelled:
        """Return the reflectivity by this model, as a `Modelled`.

        Its range is the wavelengths that all keys cover; beyond it, the nearest wavelength is used.
        """
        values = self.parameters
        kind = type(self).model_fields["kind"].annotation
        return Modelled(
            function=partial(_reflectivity, self.brdf, values),
            wavelength_range_nm=_known_nm(values),
            lookup=self.lookup,
            unit=self.unit,
            model=f"{get_args(kind)[0]}: {', '.join(_words(*each) for each in values.items())}",
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        """Check that the keys share a wavelength, and that no more light leaves than arrives."""
        low, high = _known_nm(self.parameters)
        if not self.joint_limit:
            return self
        spectral = [each for each in self.parameters.values() if isinstance(each, ByWavelength)]
        known = {nm for each in spectral for nm in each.wavelengths_nm if low <= nm <= high}
        try:
            for wavelength_nm in sorted(known) or [DEFAULT_WAVELENGTH_NM]:
                self.brdf(0.0, 0.0, 0.0, **_parameters_at(self.parameters, wavelength_nm))
        except MaterialError as error:
            raise ValueError(str(error)) from None
        return self


Fraction = Annotated[ByWavelength, Bounds()]
SpectralFraction = Annotated[ByWavelength, Bounds(spectral=True)]
Roughness = Annotated[ByWavelength, Bounds(least=NARROWEST_ROUGHNESS)]
Index = Annotated[ByWavelength, Bounds(0.01, 100.0, spectral=True)]
Extinction = Annotated[ByWavelength, Bounds(most=100.0, spectral=True)]


def always(value: float) -> ByWavelength:
    """Return a number that holds at all wavelengths; ``value`` is the number."""
    return ByWavelength((), (value,))


_REFLECTANCE = "fraction of the light that is reflected"
_ROUGHNESS = "slope of the facets: half of them are tilted by more than atan(roughness)"


class Lambert(ReflectionModel):
    """A matt surface."""

    brdf = staticmethod(lambert)
    used_for = "matt surfaces"
    lookup = Lookup.MATT
    kind: Literal["lambert"]
    reflectance: SpectralFraction = Field(description=_REFLECTANCE)


class Phong(ReflectionModel):
    """The Phong model as in HELIOS++: matt reflection, and a lobe about the mirror direction."""

    brdf = staticmethod(phong)
    used_for = "materials of HELIOS++"
    kind: Literal["phong"]
    reflectance: SpectralFraction = Field(description=_REFLECTANCE)
    specularity: Fraction = Field(description="K_s, fraction of the light in the lobe")
    specular_exponent: Annotated[ByWavelength, Bounds(1.0, HIGHEST_EXPONENT)] = Field(
        default=always(10.0), description="N_s, narrowness of the lobe"
    )
    back_lobe: Switch = Field(
        default=True, description="whether R rises again beyond 45°, as in HELIOS++"
    )


class OrenNayar(ReflectionModel):
    """A rough matt surface by the model of Oren and Nayar: matt facets with random slopes."""

    brdf = staticmethod(oren_nayar)
    used_for = "rough matt surfaces"
    lookup = Lookup.MATT
    joint_limit = True
    kind: Literal["oren_nayar"]
    reflectance: SpectralFraction = Field(description=_REFLECTANCE)
    roughness_deg: Annotated[ByWavelength, Bounds(most=90.0)] = Field(
        description="standard deviation of the facets' slope angles, deg"
    )


class Ggx(ReflectionModel):
    """A rough mirroring boundary: mirror facets whose slopes have the GGX distribution."""

    brdf = staticmethod(ggx)
    used_for = "metals, rough glass"
    unit = "n, k"
    kind: Literal["ggx"]
    roughness: Roughness = Field(description=_ROUGHNESS)
    n: Index = Field(description="refractive index")
    k: Extinction = Field(default=always(0.0), description="extinction coefficient")


class Coated(ReflectionModel):
    """A paint: a matt base under a coat, whose rough boundary mirrors as in `Ggx`."""

    brdf = staticmethod(coated)
    used_for = "paints, plastics"
    kind: Literal["coated"]
    reflectance: SpectralFraction = Field(
        description="fraction of the light entering the coat that leaves it again"
    )
    roughness: Roughness = Field(description=_ROUGHNESS)
    n: Index = Field(default=always(1.5), description="refractive index of the coat")
    k: Extinction = Field(default=always(0.0), description="extinction coefficient")


class Retroreflective(ReflectionModel):
    """Retroreflective sheeting, described by the figures of its data sheet."""

    brdf = staticmethod(sheeting)
    used_for = "sign sheeting, safety vests"
    unit = "cd/(lx m2)"
    material_class = RETROREFLECTIVE
    joint_limit = True
    kind: Literal["retroreflective"]
    coefficient_cd_lx_m2: Annotated[ByWavelength, Bounds(most=1e5, spectral=True)] = Field(
        description="R_A, coefficient of retroreflection, cd/(lx m²)"
    )
    observation_deg: Annotated[ByWavelength, Bounds(most=2.0)] = Field(
        default=always(0.0), description="angle between light and eye at which R_A is stated, deg"
    )
    entrance_deg: Annotated[ByWavelength, Bounds(most=60.0)] = Field(
        default=always(0.0), description="angle of incidence at which R_A is stated, deg"
    )
    fall_off_deg: Annotated[ByWavelength, Bounds(10.0, 200.0)] = Field(
        default=always(math.degrees(SHEETING_FALL_OFF_RAD)),
        description="angle of incidence at which R_A has fallen to 1/e, deg",
    )
    lobe_deg: Annotated[ByWavelength, Bounds(0.1, 5.0)] = Field(
        default=always(math.degrees(SHEETING_LOBE_RAD)),
        description="observation angle at which R_A has fallen to 1/e, deg",
    )


def _with_kind(content: object) -> object:
    if content is None:
        raise ValueError("expected keys and values, got nothing")
    if isinstance(content, dict) and "kind" not in content:
        raise ValueError(f"kind is missing, expected one of {', '.join(MODELS)}")
    return content


AnyModel = Annotated[
    Lambert | Phong | OrenNayar | Ggx | Coated | Retroreflective,
    Field(discriminator="kind"),
]
SomeModel = Annotated[AnyModel | None, BeforeValidator(_with_kind)]
MODELS: Mapping[str, type[ReflectionModel]] = MappingProxyType(
    {
        get_args(each.model_fields["kind"].annotation)[0]: each
        for each in (Lambert, Phong, OrenNayar, Ggx, Coated, Retroreflective)
    }
)


def gloss_of(model: ReflectionModel) -> Gloss | None:
    """Return the gloss of a model with a mirroring boundary (`Ggx`, `Coated`); None for others."""
    if not isinstance(model, Ggx | Coated):
        return None
    return Gloss(roughness=model.roughness, n=model.n, k=model.k, source="the model")


def straight_back(
    brdf: Brdf, angle_deg: NDArray[np.float64], **parameters: float
) -> NDArray[np.float64]:
    """Return the reflectivity [1] of a BRDF model, back to the sensor.

    ``angle_deg`` are angles of incidence [deg], float64 (n,), like the result. ``parameters`` are
    passed to ``brdf``. At 90 deg the result is the limit of the model: no light falls on the
    surface at that angle, but interpolation between 89 and 90 deg needs a value.
    """
    return reflectivity(brdf, np.radians(angle_deg), **parameters)


def _known_nm(values: Mapping[str, Parameter]) -> tuple[float, float]:
    """Return the range of wavelengths in which all parameters are known [nm]."""
    spectral = {name: each for name, each in values.items() if isinstance(each, ByWavelength)}
    ranges = [each.range_nm for each in spectral.values()]
    low, high = max(each[0] for each in ranges), min(each[1] for each in ranges)
    if low > high:
        names = [name for name, each in spectral.items() if each.wavelengths_nm]
        raise ValueError(
            f"{' and '.join(names)} have no wavelength in common, expected values at the same "
            "wavelengths"
        )
    return low, high


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
    brdf: Brdf,
    values: Mapping[str, Parameter],
    angle_deg: NDArray[np.float64],
    wavelength_nm: float,
) -> NDArray[np.float64]:
    return straight_back(brdf, angle_deg, **_parameters_at(values, wavelength_nm))


def _words(name: str, value: Parameter) -> str:
    if isinstance(value, bool):
        return name if value else f"no {name}"
    return f"{name} {value}"

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Material classes: how a surface reflects, transmits or mirrors a ray.

An installed package can add a class: a `MaterialClass` registered as an entry point:

    [project.entry-points."osi_lidar.material_classes"]
    foil = "my_package:FOIL"

The functions of a class are called once, at whole degrees of incidence, when a table is built. No
Python code runs per ray.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

from material_mapping.errors import MaterialError
from material_mapping.optics import fresnel
from material_mapping.response import Lookup

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from material_mapping.response import Response

ENTRY_POINTS = "osi_lidar.material_classes"
GLASS_LIMIT = 0.5
"""One-way transmittance of a glass pane below which an ideal sensor's ray ends at the pane. [1]

A pane with n = 1.5 falls below it at angles of incidence above 78.8 deg.
"""


class Optics(Protocol):
    """The data of a material that the functions of its `MaterialClass` take."""

    @property
    def response(self) -> Response | None:
        """Reflectivity by angle of incidence and wavelength; None if the material has none."""

    @property
    def refractive_index(self) -> Callable[[float], complex] | None:
        """Function from wavelength [nm] to refractive index n + ik; None if it is not known."""


if TYPE_CHECKING:
    Answer: TypeAlias = Callable[[Optics, NDArray[np.float64], float], NDArray[np.float64]]


def _nothing(_entry: Optics, angle_deg: NDArray[np.float64], _nm: float) -> NDArray[np.float64]:
    return np.zeros_like(angle_deg)


def _everything(_entry: Optics, angle_deg: NDArray[np.float64], _nm: float) -> NDArray[np.float64]:
    return np.ones_like(angle_deg)


def _measured(
    entry: Optics, angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    assert entry.response is not None  # noqa: S101  entries are checked
    return entry.response.reflectivity(angle_deg, wavelength_nm)


def _through_pane(
    entry: Optics, angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    """Return the two-way transmittance of a clear pane."""
    return np.square(_pane(entry, angle_deg, wavelength_nm))


def _off_pane(
    entry: Optics, angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    """Return the two-way fraction that a clear pane mirrors: (1 - one-way transmittance)^2."""
    return np.square(1.0 - _pane(entry, angle_deg, wavelength_nm))


def _pane(
    entry: Optics, angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    """Return the one-way transmittance of a clear pane for unpolarised light.

    Each of the two surfaces reflects the fraction F of a polarisation (`optics.fresnel`). All
    internal reflections together, (1 - F)^2 (1 + F^2 + F^4 + ..), transmit (1 - F) / (1 + F) of it.
    Light keeps its polarisation inside the pane, so the result is the mean of the transmittances
    of both polarisations, not the transmittance for the mean of F.
    """
    assert entry.refractive_index is not None  # noqa: S101  entries are checked
    index, cos_angle = entry.refractive_index(wavelength_nm), np.cos(np.radians(angle_deg))
    polarised = fresnel.polarised_reflectance_at_cosine(cos_angle, n=index.real, k=index.imag)
    through_s, through_p = ((1.0 - mirrored) / (1.0 + mirrored) for mirrored in polarised)
    return 0.5 * (through_s + through_p)


def _off_mirror(
    entry: Optics, angle_deg: NDArray[np.float64], wavelength_nm: float
) -> NDArray[np.float64]:
    """Return the two-way fraction that a mirror reflects: its reflectance squared.

    A reflectance given as a single number holds at every angle, without Lambert's cosine.
    """
    response = entry.response
    assert response is not None  # noqa: S101  entries are checked
    constant = response.lookup is Lookup.MATT
    at_deg = np.zeros_like(angle_deg) if constant else angle_deg
    return np.square(response.reflectivity(at_deg, wavelength_nm))


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialClass:
    """How surfaces of one kind treat a ray.

    Attributes
    ----------
    name : str
        Name used in configurations and files.
    reflectivity : callable
        Takes the material, angles of incidence float64 (n,) [deg] and the wavelength [nm];
        returns the reflectivity, float64 (n,) [1].
    transmittance : callable
        Takes the same arguments as `reflectivity`. Returns the fraction of the light that passes
        the surface on the way out and again on the way back, float64 (n,), 0 to 1. Where it is
        above 0, the ray continues behind the surface, and the surface itself gives no echo.
    passes_from : float
        One-way transmittance below which an ideal sensor's ray does not pass the surface. [1]
    mirrored : callable
        Takes the same arguments as `reflectivity`. Returns the fraction of the light that the
        surface mirrors on the way out and again on the way back, float64 (n,), 0 to 1. Where this
        fraction and `transmittance` are both 0, the ray ends at the surface. Where both are above
        0, an ideal sensor's ray passes straight through.
    behind, ghost : callable or None
        Physical sensors follow both the transmitted and the mirrored light. For them, `behind`
        replaces `transmittance`, and `ghost` replaces `mirrored`; with None, nothing is replaced.
    needs_response : bool
        Whether a material of this class must have a reflectance; otherwise it must have none.
    needs_index : bool
        Whether a material of this class must have a refractive index; otherwise it must have none.
    note : str
        One line for documentation.
    """

    name: str
    reflectivity: Answer = _measured
    transmittance: Answer = _nothing
    passes_from: float = 0.0
    mirrored: Answer = _nothing
    behind: Answer | None = None
    ghost: Answer | None = None
    needs_response: bool = True
    needs_index: bool = False
    note: str = ""

    @property
    def ends_rays(self) -> bool:
        """Whether all rays of ideal sensors end at the surface; `behind` and `ghost` do not count.

        True if `transmittance` and `mirrored` have their defaults. The default functions return 0,
        so that no light is transmitted or mirrored.
        """
        return self.transmittance is _nothing and self.mirrored is _nothing


GENERAL = MaterialClass(name="general", note="reflects light as its reflectance says")
RETROREFLECTIVE = MaterialClass(
    name="retroreflective", note="reflects light to its source, may exceed a white target"
)
TRANSPARENT = MaterialClass(
    name="transparent",
    reflectivity=_nothing,
    transmittance=_everything,
    needs_response=False,
    note="does not affect the ray",
)
ABSORBENT = MaterialClass(
    name="absorbent",
    reflectivity=_nothing,
    needs_response=False,
    note="ends the ray without a point",
)
GLASS = MaterialClass(
    name="glass",
    reflectivity=_nothing,
    transmittance=_through_pane,
    passes_from=GLASS_LIMIT,
    ghost=_off_pane,
    needs_response=False,
    needs_index=True,
    note="transmits the ray up to an angle of incidence, mirrors it away beyond",
)
MIRROR = MaterialClass(
    name="mirror",
    reflectivity=_nothing,
    mirrored=_off_mirror,
    note="reflects the ray in the mirror direction, gives no point of its own",
)

_OURS = (GENERAL, TRANSPARENT, ABSORBENT, RETROREFLECTIVE, GLASS, MIRROR)


@functools.cache
def material_classes() -> Mapping[str, MaterialClass]:
    """Return all classes by name: the built-in classes, then the classes of installed packages.

    Raises
    ------
    MaterialError
        An entry point does not load, is not a `MaterialClass`, or uses the name of another class.
    """
    known = {each.name: each for each in _OURS}
    for point in entry_points(group=ENTRY_POINTS):
        where = f"material class {point.name!r} of {point.value}"
        try:
            loaded = point.load()
        except Exception as error:  # plug-in code may raise anything
            raise MaterialError(f"{where}: cannot be loaded: {error}") from error
        if not isinstance(loaded, MaterialClass):
            raise MaterialError(f"{where}: got {type(loaded).__name__}, expected a MaterialClass")
        if loaded.name in known:
            raise MaterialError(
                f"{where}: its class name {loaded.name!r} is taken already, expected another name"
            )
        known[loaded.name] = loaded
    return known

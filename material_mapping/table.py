# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The built-in materials, and the lookup table for hits."""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from material_mapping import kernels
from material_mapping.classes import GENERAL
from material_mapping.entry import DEFAULT_WAVELENGTH_NM, MaterialEntry
from material_mapping.errors import MaterialError, UnknownMaterialError
from material_mapping.optics.gloss import Lobe
from material_mapping.texture import texture_rows
from material_mapping.yaml_entries import read_entries

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from material_mapping.optics.gloss import Gloss
    from material_mapping.texture import Texture

Column: TypeAlias = npt.NDArray[np.float32]

BUILTIN_FILE = Path(__file__).parent / "data" / "materials.yaml"


@functools.cache
def builtin_materials() -> Mapping[str, MaterialEntry]:
    """Return the built-in materials by name, in the order of their file (read only)."""
    return MappingProxyType(read_entries(BUILTIN_FILE, own=True))


class Answers(NamedTuple):
    """Reflectivity and light fractions of one material, at 0, 1, .. 90 deg of incidence [1].

    All are at one wavelength. "Twice" means on the way out and on the way back.

    Attributes
    ----------
    reflectivity : float32 (91,)
        Power returned to the sensor, relative to a perpendicular 100 % Lambertian target.
    passed, mirrored : float32 (91,)
        Fraction of light that passes the surface twice, and that is mirrored twice, for ideal
        sensors; their lower limit of the transmittance is not applied.
    behind, ghost : float32 (91,)
        The same two fractions for physical sensors.
    """

    reflectivity: Column
    passed: Column
    mirrored: Column
    behind: Column
    ghost: Column

    @classmethod
    def of(cls, entry: MaterialEntry, wavelength_nm: float) -> Answers:
        """Return reflectivity and fractions of a material; for built-in materials they are cached.

        Parameters
        ----------
        entry : MaterialEntry
            The material.
        wavelength_nm : float
            Wavelength of the sensor. [nm]

        Raises
        ------
        WavelengthError
            The material has no data at this wavelength.
        """
        if builtin_materials().get(entry.name) is entry:
            return cls._of_builtin(entry.name, wavelength_nm)
        return cls._asked(entry, wavelength_nm)

    @classmethod
    def _asked(cls, entry: MaterialEntry, wavelength_nm: float) -> Answers:
        return cls(*(getattr(entry, name)(wavelength_nm) for name in cls._fields))

    @classmethod
    @functools.lru_cache(maxsize=4096)
    def _of_builtin(cls, name: str, wavelength_nm: float) -> Answers:
        return cls._asked(builtin_materials()[name], wavelength_nm)


@dataclass(frozen=True, kw_only=True, eq=False)
class MaterialTable:
    """Lookup table of materials at one wavelength; the id of a material is its row.

    Attributes
    ----------
    names : tuple of str
        Names of the materials, one for each row.
    reflectance : float32 (n_material, 91)
        At 0, 1, .. 90 deg of incidence, back towards the source, relative to a perpendicular
        100 % Lambertian target. [1]
    transmittance : float32 (n_material, 91)
        Fraction of the light that passes the surface and comes back through it; where it is 0, or
        below `least_passed`, the ray ends or is mirrored. [1]
    least_passed : float32 (n_material,)
        Least value of `transmittance` with which an ideal sensor's ray continues. [1]
    mirrored : float32 (n_material, 91)
        Fraction of the light that continues in the mirror direction and comes back the same
        way. [1]
    behind, ghost : float32 (n_material, 91)
        `transmittance` and `mirrored` for physical sensors, which follow both the transmitted
        and the mirrored light. [1]
    lookup : uint8 (n_material,)
        `Lookup`: how the reflectance between whole degrees is computed.
    texture : float64 (n_material or 0, 8)
        Textures, see `texture.texture_rows`; no rows if no material has a texture.
    gloss : tuple of Gloss or None
        Gloss of each material.
    wavelength_nm : float
        Wavelength at which the table holds. [nm]
    """

    names: tuple[str, ...]
    reflectance: npt.NDArray[np.float32]
    transmittance: npt.NDArray[np.float32]
    least_passed: npt.NDArray[np.float32]
    mirrored: npt.NDArray[np.float32]
    behind: npt.NDArray[np.float32]
    ghost: npt.NDArray[np.float32]
    lookup: npt.NDArray[np.uint8]
    texture: npt.NDArray[np.float64]
    gloss: tuple[Gloss | None, ...]
    wavelength_nm: float

    @classmethod
    def build(
        cls,
        entries: Iterable[MaterialEntry],
        wavelength_nm: float = DEFAULT_WAVELENGTH_NM,
        texture: Texture | None = None,
    ) -> MaterialTable:
        """Return the table of materials at a wavelength, one row for each, in their order.

        Parameters
        ----------
        entries : iterable of MaterialEntry
            The materials.
        wavelength_nm : float
            Wavelength of the sensor. [nm]
        texture : Texture or None
            Texture of materials of class general that have no texture of their own.

        Raises
        ------
        WavelengthError
            A material has no data at this wavelength.
        MaterialError
            A plug-in class raised an exception, or returned invalid values.
        """
        rows = tuple(entries)
        answers = [Answers.of(entry, wavelength_nm) for entry in rows]
        shape = len(rows), len(Answers._fields), kernels.LAST_DEGREE + 1
        reflectance, passed, mirrored, behind, ghost = np.ascontiguousarray(
            np.array(answers, np.float32).reshape(shape).swapaxes(0, 1)
        )

        table = cls(
            names=tuple(entry.name for entry in rows),
            reflectance=reflectance,
            transmittance=passed,
            least_passed=np.array([e.material_class.passes_from**2 for e in rows], np.float32),
            mirrored=mirrored,
            behind=behind,
            ghost=ghost,
            lookup=np.array([entry.lookup for entry in rows], np.uint8),
            texture=texture_rows([entry.texture or _unstated(entry, texture) for entry in rows]),
            gloss=tuple(entry.gloss for entry in rows),
            wavelength_nm=wavelength_nm,
        )
        return _frozen(table)

    def with_copies(self, rows: npt.NDArray[np.int64]) -> MaterialTable:
        """Return a new table: all rows of this one, then copies of those with indices `rows`."""
        further = rows.tolist()
        of_texture = [*range(len(self.texture)), *(further if len(self.texture) else ())]

        def with_more(column: Column) -> Column:
            return np.concatenate([column, column[rows]])

        further_too = replace(
            self,
            names=(*self.names, *(self.names[row] for row in further)),
            reflectance=with_more(self.reflectance),
            transmittance=with_more(self.transmittance),
            least_passed=with_more(self.least_passed),
            mirrored=with_more(self.mirrored),
            behind=with_more(self.behind),
            ghost=with_more(self.ghost),
            lookup=np.append(self.lookup, self.lookup[rows]),
            texture=self.texture[of_texture],
            gloss=(*self.gloss, *(self.gloss[row] for row in further)),
        )
        return _frozen(further_too)

    def id_of(self, name: str) -> int:
        """Return the id, which is the row, of the material called `name`.

        Raise UnknownMaterialError if the table has no such material.
        """
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownMaterialError(name, self.names) from None

    @functools.cached_property
    def sends_some_on(self) -> npt.NDArray[np.bool_]:
        """Whether each material transmits or mirrors a ray at some angle, bool (n_material,)."""
        some = self.transmittance + self.mirrored + self.behind + self.ghost
        return np.asarray(some.any(axis=1))

    @functools.cached_property
    def lobes(self) -> Lobe:
        """Lobes of light that glossy materials mirror; zeros for materials without gloss.

        Each field of the `Lobe`, the mirrored fraction [1] and the solid angle [sr], is float64
        (n_material, 91), at 0, 1, .. 90 deg of incidence.
        """
        shape = len(self.names), kernels.LAST_DEGREE + 1
        lobes = Lobe(np.zeros(shape), np.zeros(shape))
        for row, gloss in enumerate(self.gloss):
            if gloss is not None:
                lobes.share[row], lobes.width_sr[row] = gloss.lobe(self.wavelength_nm)
        return lobes

    def reflectivity(
        self, material_id: npt.ArrayLike, cos_incidence: npt.ArrayLike
    ) -> npt.NDArray[np.float32]:
        """Return the reflectivity of hits.

        Parameters
        ----------
        material_id : integer array_like
            Rows of this table.
        cos_incidence : array_like
            Cosine between the surface normal and the direction to the sensor; both arguments
            are broadcast against each other. [1]

        Returns
        -------
        float32
            Power returned to the sensor, relative to a perpendicular 100 % Lambertian target;
            0 where the cosine is 0, negative or not a number, and for transparent and absorbent
            materials, glass and mirrors. [1]

        Raises
        ------
        MaterialError
            An id is not a row of the table.

        Notes
        -----
        The `Lookup` of a material decides how the reflectivity between whole degrees is computed:
        by R(theta) = R(0) cos(theta) + R(90) sin^2(theta), which is Lambert's law [1]_ if R(90) is
        0, by linear or cubic interpolation in theta, or from the whole degree below theta.

        References
        ----------
        .. [1] Rott et al., Sensors 24(6), 1846, 2024, section 4.1, doi:10.3390/s24061846
        """
        pair = np.asarray(material_id, np.int64), np.asarray(cos_incidence, np.float64)
        ids, cosines = map(np.array, np.broadcast_arrays(*pair))  # numpy warns of views in kernels
        if ids.size and not 0 <= ids.min() <= ids.max() < len(self.names):
            raise MaterialError(
                f"material id {ids.min()}..{ids.max()}, expected 0..{len(self.names) - 1}"
            )
        reflectivity = np.zeros(ids.size, np.float32)
        kernels.reflectivity_of(
            self.reflectance, self.lookup, ids.ravel(), cosines.ravel(), reflectivity
        )
        return reflectivity.reshape(ids.shape)


def _unstated(entry: MaterialEntry, texture: Texture | None) -> Texture | None:
    """Return the texture of a material without its own: `texture` for class general, else None."""
    return texture if entry.material_class is GENERAL else None


def _frozen(table: MaterialTable) -> MaterialTable:
    """Make the reflectance, fraction, lookup and texture columns read only; return the table."""
    fractions = (table.transmittance, table.mirrored, table.behind, table.ghost)
    for column in (table.reflectance, *fractions, table.lookup, table.texture):
        column.flags.writeable = False
    return table

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables of infrared materials on the command line: lists, values, suggestions, counts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lidar_base.tables import Table, facts, table
from material_mapping import WavelengthError
from osi_lidar.world.fallbacks import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from lidar_app.show.material_hits import MaterialHits
    from lidar_app.show.suggesting import Proposal
    from material_mapping import MaterialEntry

SHOWN_DEG = range(0, 91, 10)
LEAST_SHOWN = 1e-8  # smaller values are rounding errors of a cosine
STAND_IN = "* not known at that wavelength: the value at the nearest known one"
UNIT = "In percent of the return of a white matt target at normal incidence:"


def material_list(title: str, entries: Iterable[MaterialEntry], wavelength_nm: float) -> Table:
    """Return a table of infrared materials, with their class and reflectance.

    Parameters
    ----------
    title : str
        Title of the table.
    entries : iterable of MaterialEntry
        The materials, a row for each.
    wavelength_nm : float
        Wavelength of the reflectance, which is in percent, at normal incidence. The cell is empty
        if the reflectance is not known there. [nm]
    """
    headings = ("Name", "Class", f"At {wavelength_nm:g} nm", "Known at, nm", "Source")
    rows = []
    for entry in entries:
        values, shown = at_wavelength(entry, wavelength_nm), ""
        if entry.reflects and values is not None:
            stands_in = values["values_at_nm"] != wavelength_nm
            shown = _percent(values["reflectivity"][0]) + (" *" if stands_in else "")
        cells = (printable(entry.name), entry.material_class.name, shown, _wavelengths(entry))
        rows.append((*cells, printable(entry.source)))
    return table(printable(title), headings, rows, n_whole=4)


def material_summary(entry: MaterialEntry, wavelength_nm: float) -> dict[str, Any]:
    """Return the properties of a material for JSON; unknown values are None.

    Parameters
    ----------
    entry : MaterialEntry
        The material.
    wavelength_nm : float
        Wavelength of ``reflectance``, a fraction at normal incidence. [nm]
    """
    values = at_wavelength(entry, wavelength_nm)
    known = entry.reflects and values is not None
    return {
        "name": entry.name,
        "class": entry.material_class.name,
        "wavelength_nm": None if entry.at_every_wavelength else list(entry.wavelength_range_nm),
        "reflectance": values["reflectivity"][0] if known and values is not None else None,
        "values_at_nm": values["values_at_nm"] if known and values is not None else None,
        "unit": entry.response.unit if entry.response is not None else None,
        "model": entry.response.model if entry.response is not None else None,
        "last_angle_deg": entry.response.last_angle_deg if entry.response is not None else None,
        "texture": None if entry.texture is None else asdict(entry.texture),
        "source": entry.source,
        "uncertainty": entry.uncertainty,
        "note": entry.note,
        "licence": entry.licence,
        "database": entry.database,
    }


def _texture(entry: MaterialEntry) -> str:
    """Return the texture of a material that reflects, with its source."""
    if entry.texture is None:
        return "not known" if entry.reflects else ""
    return f"{entry.texture.words}; {entry.texture.source}"


def at_wavelength(entry: MaterialEntry, wavelength_nm: float) -> dict[str, Any] | None:
    """Return how a material acts on light of a wavelength; None if it is not known there.

    The dictionary is the result of `values_at`: lists of reflectivity, transmittance and mirrored
    fraction at 0, 10, .. 90 deg of incidence, the refractive index, and the wavelength of the data.
    `entry` is the material, and `wavelength_nm` the wavelength [nm].
    """
    with suppress(WavelengthError):
        return values_at(entry, wavelength_nm)
    return None


def values_at(entry: MaterialEntry, wavelength_nm: float) -> dict[str, Any]:
    """Return how a material acts on light at incidences of 0, 10, ... 90 deg, as plain numbers.

    Parameters
    ----------
    entry : MaterialEntry
        The material.
    wavelength_nm : float
        The wavelength of the light. [nm]

    Returns
    -------
    dict
        ``reflectivity``: a number for each angle, relative to a white matt target at normal
        incidence; 1 is its return. ``transmittance`` and ``mirrored``: for each angle, the fraction
        of light that passes the surface, or is mirrored by it, out and back. ``refractive_index``:
        [n, k] or None. ``values_at_nm``: wavelength of the data that the numbers are from. [nm]

    Raises
    ------
    WavelengthError
        If the material is not known at this wavelength.
    """
    taken_nm = entry.known_at_nm(wavelength_nm)
    index = None if entry.refractive_index is None else entry.refractive_index(wavelength_nm)
    answers = (entry.reflectivity, entry.transmittance, entry.mirrored)
    back, passes, mirrored = (answer(wavelength_nm) for answer in answers)
    return {
        "wavelength_nm": wavelength_nm,
        "values_at_nm": taken_nm,
        "reflectivity": [_plain(back[degree]) for degree in SHOWN_DEG],
        "transmittance": [_plain(passes[degree]) for degree in SHOWN_DEG],
        "mirrored": [_plain(mirrored[degree]) for degree in SHOWN_DEG],
        "refractive_index": None if index is None else [index.real, index.imag],
    }


def material_dict(entry: MaterialEntry, wavelengths_nm: Sequence[float]) -> dict[str, Any]:
    """Return all properties of a material, and how it acts on light, for JSON.

    Parameters
    ----------
    entry : MaterialEntry
        The material.
    wavelengths_nm : sequence of float
        Wavelengths, at least one: the list ``at`` has the result of `values_at` for each. [nm]

    Raises
    ------
    WavelengthError
        If the material is not known at one of the wavelengths.
    """
    return {
        **material_summary(entry, wavelengths_nm[0]),
        "angle_deg": list(SHOWN_DEG),
        "at": [values_at(entry, nm) for nm in wavelengths_nm],
    }


def material_details(
    entry: MaterialEntry, wavelengths_nm: Sequence[float]
) -> tuple[Table, str, Table]:
    """Return the properties of a material, and its values over the angle of incidence.

    Parameters
    ----------
    entry : MaterialEntry
        The material.
    wavelengths_nm : sequence of float
        Wavelengths for which values are returned. [nm]

    Returns
    -------
    (Table, str, Table)
        Table of the properties, such as class and source. A line of text that states the unit of
        the values in the second table. Table of the light that is reflected back, transmitted and
        mirrored: a row for each angle 0, 10, .. 90 deg, columns for each of `wavelengths_nm`.

    Raises
    ------
    WavelengthError
        If the material is not known at one of the wavelengths.
    """
    values = [values_at(entry, nm) for nm in wavelengths_nm]
    response = entry.response
    rows = {
        "class": f"{entry.material_class.name}: {entry.material_class.note}".removesuffix(": "),
        "model": "" if response is None else response.model,
        "known at": _known_at(entry),
        "known up to": "" if response is None else f"{response.last_angle_deg:g} deg of incidence",
        "unit as published": "" if response is None else response.unit,
        "n, k": "; ".join(_index(each) for each in values if each["refractive_index"]),
        "texture": _texture(entry),
        "source": entry.source,
        "uncertainty": entry.uncertainty,
        "licence": entry.licence,
        "note": entry.note,
        "database": entry.database,
    }
    shown = {name: printable(value, limit=2000) for name, value in rows.items() if value}
    return facts(printable(entry.name), shown), UNIT, _angle_table(values)


def _angle_table(values: Sequence[Mapping[str, Any]]) -> Table:
    """Return reflected, transmitted and mirrored light by angle and wavelength."""
    columns: list[tuple[str, Sequence[float]]] = []
    for each in values:
        nm, taken = each["wavelength_nm"], each["values_at_nm"]
        words = f"{nm:g} nm" if taken == nm else f"{nm:g} nm (as at {taken:g} nm)"
        columns.append((f"Reflected back, {words}", each["reflectivity"]))
        if any(each["transmittance"]):
            columns.append((f"Transmitted, {words}", each["transmittance"]))
        if any(each["mirrored"]):
            columns.append((f"Mirrored, both ways, {words}", each["mirrored"]))
    rows = (
        (f"{degree} deg", *(_percent(column[row]) for _, column in columns))
        for row, degree in enumerate(SHOWN_DEG)
    )
    headings = ["Angle of incidence", *(heading for heading, _ in columns)]
    return table("", headings, rows, right=range(len(headings)))


def _index(values: Mapping[str, Any]) -> str:
    n, k = values["refractive_index"]
    return f"{n:.4g}, {k:.4g} at {values['wavelength_nm']:g} nm"


def _plain(value: float) -> float:
    """Return a float32 as float, rounded to 7 significant digits."""
    return float(f"{value:.7g}")


def _percent(fraction: float) -> str:
    percent = 100 * fraction if fraction > LEAST_SHOWN else 0.0
    return f"{percent:,.0f} %" if percent >= 1000 else f"{percent:.4g} %"


def _wavelengths(entry: MaterialEntry) -> str:
    if entry.at_every_wavelength:
        return "any" if entry.reflects else ""
    low, high = entry.wavelength_range_nm
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _known_at(entry: MaterialEntry) -> str:
    if entry.at_every_wavelength:
        return "every wavelength" if entry.reflects else ""
    return f"{_wavelengths(entry)} nm"


def hits_report(hits: MaterialHits) -> tuple[str, Table, Table]:
    """Return counts of a run's points by infrared material, as text and tables.

    `hits` has the counts. The result is a tuple: a line of text with the numbers of points and
    clouds; a table of points by material; a table of points by object and material.
    """
    sensors = ", ".join(f"{name} {n:,}" for name, n in hits.sensors.items())
    counted = f"{hits.total:,} points in {hits.n_clouds} clouds ({printable(sensors)})"
    by_material = table(
        "",
        ("Material", "Points", "Of all points"),
        ((printable(name), *_share(n, hits.total)) for name, n in hits.by_material.items()),
        right=(1, 2),
    )
    by_object = Table(
        headings=("Object", "Material", "Points", "Of the object"),
        parts=tuple(("", tuple(_object_rows(*each))) for each in hits.by_object.items()),
        right=(2, 3),
    )
    return counted, by_material, by_object


def _object_rows(
    object_id: int | None, materials: Mapping[str, int]
) -> Iterator[tuple[object, ...]]:
    """Yield a row for each material of an object; the first one names the object."""
    name = "no object" if object_id is None else str(object_id)
    total = sum(materials.values())
    for material, n_points in materials.items():
        yield name, printable(material), *_share(n_points, total)
        name = ""


def _share(n_points: int, total: int) -> tuple[str, str]:
    return f"{n_points:,}", f"{100 * n_points / max(total, 1):.1f} %"


def hits_dict(hits: MaterialHits) -> dict[str, Any]:
    """Return counts of a run's points by infrared material, `hits`, as plain values for JSON.

    In the list "objects", object_id is None for points that are on no OSI object.
    """
    return {
        "points": hits.total,
        "clouds": hits.n_clouds,
        "sensors": dict(hits.sensors),
        "materials": hits.by_material,
        "objects": [
            {"object_id": object_id, "points": sum(materials.values()), "materials": materials}
            for object_id, materials in hits.by_object.items()
        ],
    }


def suggestion_tables(proposal: Proposal) -> list[Table | str]:
    """Return texts and a table that show suggested infrared materials for visual materials.

    `proposal` has the suggestions. The list has a title line and a table, with a row for each
    visual material: its name, the suggested infrared material, score, reason, and the current
    material. A note follows if some suggestions are uncertain, which are in brackets. Without
    suggestions, the list is one line.
    """
    n_meshes, n_materials = len(proposal.meshes), len(proposal.suggestions)
    title = f"{n_materials} visual materials in {n_meshes} meshes"
    if not proposal.suggestions:
        return [f"{title}: nothing to suggest"]
    rows = []
    for each in proposal.suggestions:
        is_unsure = each.visual_name in proposal.unsure
        material = f"({each.material})" if is_unsure else each.material
        now = proposal.now.get(each.visual_name.lower(), "")
        cells = (each.visual_name or "(none)", material, f"{each.score:.2f}", each.reason, now)
        rows.append([printable(cell) for cell in cells])
    headings = ("Visual material", "Suggestion", "Score", "Reason", "Now")
    unsure = ["In brackets: too uncertain, only a comment in the file."] if proposal.unsure else []
    return [title, table("", headings, rows), *unsure]

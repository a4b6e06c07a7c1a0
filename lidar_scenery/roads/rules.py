# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Defaults for markings where a message states no lengths of dashes and gaps, widths or heights."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["COUNTRIES", "Dashes", "MarkingRules"]


class Dashes(NamedTuple):
    """Lengths of the dashes and gaps of a broken line."""

    dash_m: float
    """Length of a dash. [m]"""
    gap_m: float
    """Length of the gap after a dash. [m]"""


class _Country(NamedTuple):
    name: str
    motorway: Dashes
    other: Dashes
    source: str


COUNTRIES: Mapping[int, _Country] = MappingProxyType(
    {
        156: _Country("China", Dashes(6.0, 9.0), Dashes(2.0, 4.0), "GB 5768.3"),
        250: _Country("France", Dashes(3.0, 10.0), Dashes(3.0, 10.0), "IISR part 7, T1"),
        276: _Country("Germany", Dashes(6.0, 12.0), Dashes(3.0, 6.0), "RMS"),
        752: _Country("Sweden", Dashes(3.0, 9.0), Dashes(3.0, 9.0), "VMF"),
        826: _Country("UK", Dashes(2.0, 7.0), Dashes(1.0, 5.0), "TSRGD 1005.1 and 1005"),
        840: _Country("USA", Dashes(3.05, 9.14), Dashes(3.05, 9.14), "MUTCD 3A: 10 ft, 30 ft"),
    }
)
"""Dashes and gaps of broken lane lines, on motorways and on other roads, by country.

The key is the country's numeric code in ISO 3166-1. A value also names the country and the
source."""
_DEFAULT = COUNTRIES[276]


@dataclass(frozen=True, slots=True)
class MarkingRules:
    """Rules for broken lines whose dashes a message does not state.

    Attributes
    ----------
    dash_m, gap_m : float or None
        Length of a dash, and of a gap. None: it follows from the country and the type of road. [m]
    """

    dash_m: float | None = None
    gap_m: float | None = None

    def dashes(self, country_code: int, *, motorway: bool) -> tuple[Dashes, str]:
        """Return the dashes and gaps of broken lines, and a text that states lengths and source.

        Parameters
        ----------
        country_code : int
            Country of the road, numeric code in ISO 3166-1. An unknown country has the dashes of
            Germany.
        motorway : bool
            Whether the road is a motorway. `dash_m` and `gap_m` of this record, if stated, replace
            the lengths of the country.
        """
        country = COUNTRIES.get(country_code, _DEFAULT)
        usual = country.motorway if motorway else country.other
        kind = "motorways" if motorway else "roads other than motorways"
        source = f"as on {kind} in {country.name}, {country.source}"
        given = (self.dash_m is not None) + (self.gap_m is not None)
        if given:
            source = (
                "as configured" if given == 2 else f"one of them configured, the other {source}"
            )
        chosen = Dashes(
            usual.dash_m if self.dash_m is None else self.dash_m,
            usual.gap_m if self.gap_m is None else self.gap_m,
        )
        return chosen, f"{chosen.dash_m:g} m dashes, {chosen.gap_m:g} m gaps, {source}"

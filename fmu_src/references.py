# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Value references of the FMU's variables: indexes into one list for each version of FMI.

FMI 2.0 has no binary variables: OSMP represents each message by three integers. FMI 3.0 has binary
variables, and also demands an independent variable (the time).
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from osi_bridge import MESSAGE_PARTS

from .variables import VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .variables import Variable

TIME = "time"


class Reference(NamedTuple):
    """A variable as a master sees it; its value reference is its index in `references`.

    Attributes
    ----------
    name : str
        Name in modelDescription.xml.
    kind : str
        Type name of FMI 2.0, or "Binary".
    variable : Variable or None
        Entry in the table of variables; None for the independent variable of FMI 3.0.
    part : str
        One of `MESSAGE_PARTS` if the variable is one of a message's three integers, else empty.
    """

    name: str
    kind: str
    variable: Variable | None
    part: str = ""


@functools.cache
def references(fmi: int) -> tuple[Reference, ...]:
    """Return all variables of the FMU; the index of each is its value reference.

    ``fmi`` is the major version of FMI, 2 or 3, on which the variables depend.
    """
    return tuple(_of_fmi2() if fmi == 2 else _of_fmi3())


def _of_fmi2() -> Iterator[Reference]:
    for each in VARIABLES:
        if each.kind != "Binary":
            yield Reference(each.name, each.kind, each)
            continue
        for part in MESSAGE_PARTS:
            yield Reference(f"{each.name}.{part}", "Integer", each, part)


def _of_fmi3() -> Iterator[Reference]:
    yield Reference(TIME, "Real", None)
    for each in VARIABLES:
        yield Reference(each.name, each.kind, each)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Value references of the FMU's variables: their places in one list for each version of FMI.

FMI 2.0 has no binary variables: OSMP makes three integers of each message. FMI 3.0 has them, and
demands an independent variable besides.
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
    """A variable as a master sees it; its value reference is its place in `references`.

    Attributes
    ----------
    name : str
        Name in modelDescription.xml.
    kind : str
        Type by FMI 2.0, or "Binary".
    variable : Variable or None
        Its entry in the table of variables; None for the independent variable of FMI 3.0.
    part : str
        Role of an integer of a message, else empty.
    """

    name: str
    kind: str
    variable: Variable | None
    part: str = ""


@functools.cache
def references(fmi: int) -> tuple[Reference, ...]:
    """Return the variables of an FMU of this major version of FMI, by value reference."""
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

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Errors of material_mapping.

MaterialError
|-- UnknownMaterialError   a material is named that no table holds
|-- MappingError           a mapping table or material file is not usable (carries file and key)
`-- RangeLimitError        no range limit can be made of the values given
"""

import difflib
from collections.abc import Iterable


class MaterialError(Exception):
    """Base of every error that material_mapping raises for a reason its caller can mend."""


class UnknownMaterialError(MaterialError):
    """A material is named that no table holds.

    Parameters
    ----------
    name : str
        The name that was asked for.
    known : iterable of str
        The names that there are; the nearest one is proposed.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        hint = near_match(name, known) or "; see `osi-lidar materials`"
        super().__init__(f"unknown infrared material {name!r}{hint}")
        self.name = name


class MappingError(MaterialError):
    """A mapping table or material file is not usable.

    Parameters
    ----------
    message : str
        One line: what was got, and what is expected.
    file : str
        The file it stands in.
    key : str
        Path of the key within the file, such as ``materials.Paint_*``; empty for the whole file.
    """

    def __init__(self, message: str, *, file: str, key: str = "") -> None:
        super().__init__(f"{file}: {key}: {message}" if key else f"{file}: {message}")
        self.file = file
        self.key = key


class RangeLimitError(MaterialError):
    """No range limit can be made of the values given."""


def near_match(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean 'x'?)`` for the nearest known word, or an empty text."""
    spelling = {name.lower(): name for name in known}
    match = difflib.get_close_matches(word.lower(), spelling, n=1)
    return f" (did you mean {spelling[match[0]]!r}?)" if match else ""

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sections of YAML files as pydantic models, the paths in them, and their problems in one line.

Relative paths are relative to ``context["folder"]``.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from lidar_base.near_match import near_match

if TYPE_CHECKING:
    from typing_extensions import Self

PROBLEM = "problem"  # error type of messages that are complete as they are
_EXPECTED = {
    "missing": "is missing",
    "model_type": "expected keys and values",
    "model_attributes_type": "expected keys and values",
    "dict_type": "expected keys and values",
    "tuple_type": "expected a list",
    "string_type": "expected a text",
    "float_type": "expected a number",
    "int_type": "expected a whole number",
    "bool_type": "expected true or false",
    "finite_number": "expected a finite number",
    "union_tag_not_found": "kind is missing",
}


class Section(BaseModel):
    """One mapping of a YAML file; it is immutable and refuses unknown keys."""

    # a section is built where it stands in what is read, and not by itself beforehand, too
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @classmethod
    def unstated(cls) -> "Self":
        """Return the section with the default of each key, as ``cls()`` does, but faster.

        It skips the validation, because building the validators takes most of the time of
        ``cls()``. Use it where a section is the default of a key of another section.
        """
        return cls.model_construct()

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, data: object) -> object:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in data if isinstance(data, Mapping) else ():
            if key not in known:
                hint, allowed = near_match(key, known), ", ".join(known)
                raise problem_at(str(key), message=f"unknown key{hint} (allowed: {allowed})")
        return data


def at_home(name: str) -> Path:
    """Return the path `name` with a leading ``~`` or ``~user`` expanded to the home folder.

    ``~user`` of an unknown user stays as it is.
    """
    return Path(os.path.expanduser(name))  # noqa: PTH111  Path.expanduser raises for those


def text_path(value: object) -> Path:
    """Return a text as a path with ``~`` expanded; raise ValueError if it is not a path.

    `value` is a value of a YAML file. A Path is returned unchanged. A text must not be empty, and
    must have only printable characters.
    """
    if isinstance(value, Path):
        return value
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a path, got {value!r:.60}")
    if not value.isprintable():
        raise ValueError(f"a path may only contain printable characters, got {value!r:.60}")
    return at_home(value)


def resolved_path(value: object, info: ValidationInfo) -> Path:
    """Return a text as an absolute path, without resolving links, or raise ValueError.

    Parameters
    ----------
    value : object
        Value of a YAML file, a text or a Path, as `text_path` takes it.
    info : ValidationInfo
        What pydantic passes to validators. A relative path starts at the ``folder`` in its context,
        or else at the current folder.
    """
    folder = (info.context or {}).get("folder") or Path.cwd()
    return Path(os.path.abspath(folder / text_path(value)))  # noqa: PTH100  keeps links as named


SomePath = Annotated[Path, BeforeValidator(resolved_path)]


def problem_at(*key: str | int, message: str, got: object = None) -> ValidationError:
    """Return a validation error for a key, for a validator of a section to raise.

    Parameters
    ----------
    *key : str or int
        Path of the key below the section whose validator raises the error: names of keys, and
        indices in lists.
    message : str
        The message for the user.
    got : object
        The refused value.
    """
    error = PydanticCustomError(PROBLEM, "{message}", {"message": message})
    return ValidationError.from_exception_data(
        "configuration", [InitErrorDetails(type=error, loc=key, input=got)]
    )


def first_problem(error: ValidationError, data: object) -> str:
    """Return one line that describes the errors of a configuration or a part of it.

    The line has the first error with the path of its key, and counts the others.

    Parameters
    ----------
    error : ValidationError
        Error of pydantic.
    data : object
        Data that was validated, as read from the YAML file.
    """
    return first_line(_problems(error, data))


def first_line(problems: Sequence[str]) -> str:
    """Return the first problem, followed by the number of others and the keys of some of them.

    `problems` are the problems, at least one, each a text "key path: message".
    """
    if len(problems) == 1:
        return problems[0]
    others = ", ".join(problem.split(": ", 1)[0] for problem in problems[1:4])
    more = ", .." if len(problems) > 4 else ""
    return f"{problems[0]} (and {len(problems) - 1} more: {others}{more})"


def _problems(error: ValidationError, data: object) -> list[str]:
    items = error.errors()
    # pydantic does not count entries with errors, and so also reports their list as too short
    inside = {item["loc"][:end] for item in items for end in range(len(item["loc"]))}
    return [
        f"{_key_path(item, data)}: {_describe(item)}"
        for item in items
        if item["type"] != "too_short" or item["loc"] not in inside
    ]


def _key_path(item: ErrorDetails, data: object) -> str:
    """Return a key path such as ``sensors[0].pattern.kind``, without pydantic's variant names."""
    text = ""
    for step in item["loc"]:
        if isinstance(step, int):
            text += f"[{step}]"
            data = data[step] if isinstance(data, list) and step < len(data) else None
        elif isinstance(data, Mapping) and step in data:
            text += f".{step}"
            data = data[step]
        elif step is item["loc"][-1] and item["type"] in ("missing", PROBLEM):
            text += f".{step}"
    return text.lstrip(".") or "the file"


def _describe(item: ErrorDetails) -> str:
    kind, context = item["type"], item.get("ctx", {})
    if kind in (PROBLEM, "value_error"):
        return item["msg"].removeprefix("Value error, ")
    if kind == "missing":
        return _EXPECTED[kind]
    got = _shorten(item["input"])
    if kind in ("literal_error", "union_tag_invalid"):
        return _describe_choice(kind, context, item["input"], got)
    if kind in ("too_short", "string_too_short"):
        of = "entries" if kind == "too_short" else "characters"
        n = len(item["input"])
        return f"expected {context['min_length']} or more {of}, got {n}"
    if kind == "too_long":
        return f"expected {context['max_length']} entries, got {context['actual_length']}"
    expected = _EXPECTED.get(kind) or item["msg"].replace("Input should be", "must be")
    return f"{expected}, got {got}"


def _describe_choice(kind: str, context: Mapping[str, object], value: object, got: str) -> str:
    """Describe a value that is not one of the allowed words."""
    if kind == "union_tag_invalid":
        value, allowed = context["tag"], str(context["expected_tags"])
        got, kind = f"kind '{value}'", "kind"
    else:
        allowed = str(context["expected"])
    names = [name.strip(" '") for name in allowed.replace(" or ", ",").split(",")]
    return f"got {got}{near_match(value, names)} (allowed: {', '.join(names)})"


def _shorten(value: object, limit: int = 60) -> str:
    text = "nothing" if value is None else " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 2] + ".."

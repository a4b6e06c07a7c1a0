# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Changes of what is a tree: JSON, YAML, XML and protobuf messages."""

import copy
import json
import math
import re
from xml.etree import ElementTree as ET

import yaml

from tests.fuzz.values import LITERALS, MOST_BYTES, NOT_FINITE, TEXTS, number, text

_RAW = "@raw@{}@"
_YAML_LITERALS = (
    *(".nan", ".inf", "-.inf", "~", "on", "no", "2026-01-01", "010", "!!python/name:os.system ''"),
    *(
        "*a",
        "&a [*a]",
        "!!binary aGk=",
        "!!set {a, b}",
        "? [a]\n: b",
        "- a",
        "<<: 1",
        "!x 1",
        "1:30",
    ),
)
DEEP = 400
"""How deep a value is put into others: beyond that readers refuse it before they look at it."""


def changed_json(data, draw):
    """Return a JSON text of whose values some are changed."""
    tree = _changed_tree(json.loads(data), draw, LITERALS)
    return _with_raw(json.dumps(tree, ensure_ascii=draw.random() < 0.5), draw)


def changed_yaml(data, draw):
    """Return a YAML text of whose values some are changed."""
    tree = _changed_tree(yaml.safe_load(data), draw, (*LITERALS, *_YAML_LITERALS))
    if draw.random() < 0.5:
        return _with_raw(json.dumps(tree, ensure_ascii=False), draw)
    return _with_raw(yaml.safe_dump(tree, allow_unicode=True, sort_keys=False), draw)


def _with_raw(written, draw):
    """Return a written tree in whose placeholders their texts stand as they are."""
    raw = re.sub(r"""["']?@raw@(.*?)@["']?""", lambda found: found[1], written, flags=re.DOTALL)
    raw = raw.replace(".nan", "NaN") if draw.random() < 0.5 else raw
    return raw.encode("utf-8", "surrogatepass")[:MOST_BYTES]


def _changed_tree(tree, draw, literals):
    holder = [copy.deepcopy(tree)]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = [(holder, 0), *_places(holder[0])]
        parent, key = draw.choice(places)
        _change(parent, key, draw, literals, places)
    return holder[0]


def _places(node):
    """Yield where each value below a node stands."""
    if isinstance(node, dict | list):
        for key, value in list(node.items()) if isinstance(node, dict) else enumerate(node):
            yield node, key
            yield from _places(value)


def _change(parent, key, draw, literals, places):
    """Change one value of a tree, its key or its neighbours."""
    try:
        old = parent[key]
    except (KeyError, IndexError):  # an earlier change took it away
        return
    how = draw.random()
    if how < 0.3 and isinstance(old, int | float | str) and not isinstance(old, bool):
        parent[key] = text(draw, old) if isinstance(old, str) else number(draw, old)
    elif how < 0.5:
        del parent[key]
    elif how < 0.6:
        _repeat_or_rename(parent, key, old, draw)
    elif how < 0.7:
        other, place = draw.choice(places)
        parent[key] = copy.deepcopy(other[place] if place in _keys(other) else old)
    else:
        parent[key] = _other_value(old, draw, literals)


def _keys(node):
    return node if isinstance(node, dict) else range(len(node))


def _repeat_or_rename(parent, key, old, draw):
    if isinstance(parent, list):
        parent[key:key] = [copy.deepcopy(old) for _ in range(draw.choice((1, 2, 1000)))]
    else:
        parent[draw.choice(TEXTS) if draw.random() < 0.5 else f"{key}x"] = parent.pop(key)


def _other_value(old, draw, literals):
    """Return what may stand in the place of a value, of any type."""
    how = draw.random()
    if how < 0.25:
        return copy.deepcopy(draw.choice(({}, [], "", None, True, False, 0, [[]], {"": 0}, [None])))
    if how < 0.4:
        return draw.choice(([old], {"a": old}, str(old), [old, old], [[old]]))
    if how < 0.45:
        for _ in range(draw.choice((20, DEEP))):
            old = [old] if draw.random() < 0.5 else {"a": old}
        return old
    if how < 0.7:
        return number(draw)
    others = _RAW.format(draw.choice(literals)), draw.choice(TEXTS), draw.choice(NOT_FINITE)
    return draw.choice(others)


def changed_xml(data, draw):
    """Return an XML text of whose elements and attributes some are changed."""
    root = ET.fromstring(data)  # noqa: S314  our own seeds
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        _change_element(root, draw)
    written = ET.tostring(root, encoding="unicode")
    return written.replace("\0", "&#0;").encode("utf-8", "replace")[:MOST_BYTES]


def _change_element(root, draw):
    parents = {child: parent for parent in root.iter() for child in parent}
    elements = list(root.iter())
    one = draw.choice(elements)
    how = draw.random()
    parent = parents.get(one)
    if how < 0.55 and one.attrib:
        _change_attribute(one, draw.choice(list(one.attrib)), draw)
    elif how < 0.65 and one.text and one.text.strip():
        one.text = _value(draw, one.text)
    elif how < 0.86 and parent is not None:
        _move(one, parent, draw.choice(elements), draw)
    elif how < 0.9:
        one.tag = draw.choice(elements).tag
    elif how < 0.92:
        for _ in range(draw.choice((1, 10, DEEP))):
            inner = ET.Element(one.tag, one.attrib)
            inner.extend(list(one))
            one[:] = [inner]
    elif how < 0.95:
        one[:] = list(reversed(one))
    else:
        one.text = text(draw)


def _move(one, parent, other, draw):
    """Take an element away, repeat it, or put it into another one."""
    how = draw.randrange(3)
    if how == 0:
        parent.remove(one)
    elif how == 1:
        for _ in range(draw.choice((1, 1, 3, 200))):
            parent.insert(draw.randint(0, len(parent)), copy.deepcopy(one))
    else:
        other.append(copy.deepcopy(one))


def _change_attribute(one, key, draw):
    how = draw.random()
    if how < 0.75:
        one.attrib[key] = _value(draw, one.attrib[key])
    elif how < 0.85:
        del one.attrib[key]
    elif how < 0.9:
        one.attrib[f"{key}x"] = one.attrib.pop(key)
    else:
        one.attrib[key] = one.attrib[draw.choice(list(one.attrib))]


def _value(draw, old):
    """Return a value of XML in the place of another one: words of numbers, or a text."""
    words = old.split()
    try:
        old_numbers = [float(word) for word in words]
    except ValueError:
        return text(draw, old) if draw.random() < 0.7 else repr(number(draw))
    if not words or draw.random() < 0.15:
        return draw.choice((*TEXTS, *LITERALS))
    at = draw.randrange(len(words))
    how = draw.random()
    if how < 0.8:
        words[at] = f"{number(draw, old_numbers[at])!r}".upper().replace("E+", "e+")
    elif how < 0.9:
        del words[at]
    else:
        words[at:at] = words[at : at + 1] * draw.choice((1, 2, 1000))
    return " ".join(words)


def change_message(message, draw):
    """Change a protobuf message in place: fields that it has, and fields that it could have."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        messages = list(_messages(message))
        one = draw.choice(messages)
        stated = one.ListFields()
        if stated and draw.random() < 0.7:
            _change_field(one, draw.choice(stated)[0], draw, messages)
        elif one.DESCRIPTOR.fields:
            _change_field(one, draw.choice(one.DESCRIPTOR.fields), draw, messages)


def _messages(message):
    yield message
    for field, value in message.ListFields():
        if field.message_type is not None:
            for each in value if _repeated(field) else (value,):
                yield from _messages(each)


def _repeated(field):
    return field.is_repeated


def _change_field(one, field, draw, messages):
    """Change a field, which may be unset."""
    how = draw.random()
    if how < 0.15:
        one.ClearField(field.name)
    elif field.message_type is not None:
        _change_parts(one, field, draw, messages)
    elif _repeated(field):
        values = getattr(one, field.name)
        if values and how < 0.4:
            del values[draw.randrange(len(values)) :]
        else:
            values.extend([_scalar(field, draw)] * draw.choice((1, 2, 300)))
    else:
        setattr(one, field.name, _scalar(field, draw, getattr(one, field.name)))


def _change_parts(one, field, draw, messages):
    """Add, remove, repeat, or fill messages within a message."""
    alike = [each for each in messages if each.DESCRIPTOR is field.message_type]
    if not _repeated(field):
        part = getattr(one, field.name)
        part.SetInParent()
        if alike and draw.random() < 0.5:
            part.CopyFrom(draw.choice(alike))
        return
    parts = getattr(one, field.name)
    how = draw.random()
    if parts and how < 0.3:
        del parts[draw.randrange(len(parts))]
    elif parts and how < 0.4:
        parts.reverse()
    elif parts and how < 0.7:
        source = copy.deepcopy(draw.choice(parts))
        parts.extend([source] * draw.choice((1, 2, 100)))
    else:
        new = parts.add()
        if alike:
            new.CopyFrom(draw.choice(alike))


_BITS = {"INT32": 32, "SINT32": 32, "INT64": 64, "SINT64": 64, "SFIXED32": 32, "SFIXED64": 64}
_TYPES = {
    1: "DOUBLE", 2: "FLOAT", 3: "INT64", 4: "UINT64", 5: "INT32", 6: "FIXED64", 7: "FIXED32",
    8: "BOOL", 9: "STRING", 12: "BYTES", 13: "UINT32", 14: "ENUM", 15: "SFIXED32",
    16: "SFIXED64", 17: "SINT32", 18: "SINT64",
}  # fmt: skip


def _scalar(field, draw, old=None):
    """Return a value of a field's type."""
    kind = _TYPES[field.type]
    if kind in _DRAWN:
        return _DRAWN[kind](field, draw, old)
    value = number(draw, old)
    if kind in ("DOUBLE", "FLOAT"):
        return value * 1.0
    whole = int(value) if math.isfinite(value) else 2**64 - 1
    bits = _BITS.get(kind, 32 if "32" in kind else 64)
    if kind in _BITS:
        return max(-(2 ** (bits - 1)), min(whole, 2 ** (bits - 1) - 1))
    return whole % 2**bits


_DRAWN = {
    "BOOL": lambda _, draw, __: draw.random() < 0.5,
    "STRING": lambda _, draw, old: text(draw, old or "").encode("utf-8", "replace").decode(),
    "BYTES": lambda _, draw, __: draw.randbytes(draw.choice((0, 1, 8, 64))),
    "ENUM": lambda field, draw, _: draw.choice(field.enum_type.values).number,
}

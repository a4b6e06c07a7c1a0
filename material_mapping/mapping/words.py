# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Words in names and their meanings, in several languages, with plurals and compounds."""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lidar_base.files.yaml_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

WORDS_FILE = Path(__file__).parents[1] / "data" / "words.yaml"
_COMPOUND, _PART_OF_WORD = 0.95, 0.8
_PLURALS = ("es", "en", "s", "n", "e", "x")
_LONGEST = 64  # letters; longer words have no meaning
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_LETTERS = re.compile(r"[^\W\d_]+")
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the word list: suggest ``material`` with ``score`` if all tags ``needs`` are found.

    Tags are meanings of words, such as glass or red. The score is between 0 and 1.
    """

    material: str
    score: float
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Contents of the word list, whose meanings are tags such as glass or red.

    Attributes
    ----------
    meanings : mapping of tuple of str to frozenset of str
        Tags by phrase, a tuple of its words in lower case without accents.
    longest_phrase : int
        Number of words of the longest phrase.
    contexts, substances, colours : frozenset of str
        Tags that say where a material is, what it is made of, and its colour.
    looks : mapping of str to mapping
        By tag, the properties of a `Visual` that suggest the tag: name of the property, such as
        "metalness", and (lowest, highest) value for which the tag is suggested.
    rules : tuple of Rule
        The rules for suggestions.
    """

    meanings: Mapping[tuple[str, ...], frozenset[str]]
    longest_phrase: int
    contexts: frozenset[str]
    substances: frozenset[str]
    colours: frozenset[str]
    looks: Mapping[str, Mapping[str, tuple[float, float]]]
    rules: tuple[Rule, ...]


def _plain(text: str) -> str:
    """Return a text with accents removed and ß as ss."""
    if text.isascii():  # most are, and there are thousands
        return text
    parts = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(part for part in parts if not unicodedata.combining(part))


def _words_of(text: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, split at signs, digits and inner capitals."""
    return tuple(_LETTERS.findall(_CAMEL.sub(" ", _plain(text)).lower()))


@functools.cache
def knowledge() -> Knowledge:
    """Return the contents of the word list; the file is read at the first call."""
    content = read_yaml(WORDS_FILE, own=True)
    colours = tuple(content["colours"])
    listed = _listed(content["words"])
    meanings: dict[tuple[str, ...], frozenset[str]] = {}
    for tag, texts in listed.items():
        for text in texts:
            for phrase, says in _filled(text, tag, colours, listed):
                for spelling in dict.fromkeys((phrase, phrase.translate(_UMLAUTS))):
                    words = _words_of(spelling)
                    meanings[words] = meanings.get(words, frozenset()) | says
    return Knowledge(
        meanings=meanings,
        longest_phrase=max(map(len, meanings)),
        contexts=frozenset(content["contexts"]),
        substances=frozenset(content["substances"]),
        colours=frozenset(colours),
        looks=content["looks"],
        rules=tuple(_rules(content["rules"], colours)),
    )


def _rules(content: Iterable[list[Any]], colours: tuple[str, ...]) -> Iterator[Rule]:
    for material, score, *needs in content:
        for colour in colours if "{colour}" in needs else ("",):
            needed = frozenset(need.replace("{colour}", colour) for need in needs)
            yield Rule(material.replace("{colour}", colour), score, needed)


def _listed(words: Mapping[str, Mapping[str, str]]) -> dict[str, list[str]]:
    return {
        tag: [word.strip() for texts in languages.values() for word in texts.split(",")]
        for tag, languages in words.items()
    }


def _filled(
    text: str, tag: str, colours: tuple[str, ...], listed: Mapping[str, list[str]]
) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield a phrase and its meanings; replace {colour} by each word for a colour in turn."""
    if "{colour}" not in text:
        yield text, frozenset((tag,))
        return
    for colour in colours:
        for word in listed[colour]:
            yield text.replace("{colour}", word), frozenset((tag, colour))


def phrases_in(text: str) -> Iterator[tuple[frozenset[str], str, float]]:
    """Yield (meanings, phrase, weight) for each phrase of the word list that a name contains.

    Meanings are the tags of the phrase, such as glass or red; the phrase is the matching text of
    the name, in lower case. The name is searched from left to right for the longest phrases. The
    weight is 1 for whole words and plurals. It is less if a known word is only part of a word.
    """
    known = knowledge()
    words = _words_of(text)
    start = 0
    while start < len(words):
        for length in range(min(known.longest_phrase, len(words) - start), 0, -1):
            phrase = words[start : start + length]
            meanings = known.meanings.get(phrase) or (
                known.meanings.get(_singular(phrase)) if length > 1 else None
            )
            if meanings:
                yield meanings, " ".join(phrase), 1.0
                break
        else:
            length = 1
            yield from ((each, words[start], weight) for each, weight in _parts(words[start]))
        start += length


def _singular(phrase: tuple[str, ...]) -> tuple[str, ...]:
    return (*phrase[:-1], phrase[-1].removesuffix("s"))


@functools.lru_cache(maxsize=4096)
def _parts(word: str) -> tuple[tuple[frozenset[str], float], ...]:
    """Return pairs (meanings, weight) of a word: itself or its singular, a compound, or a part."""
    if len(word) > _LONGEST:
        return ()
    stem = _stem(word)
    if stem is not None:
        return ((stem, 1.0),)
    compound = _compound(word)
    if compound is not None:
        return tuple((each, _COMPOUND) for each in compound)
    shortest = 5 if word.isascii() else 2
    ends = [(word[at:], word[:-at]) for at in range(1, len(word) - shortest + 1)]
    for candidates in zip(*ends, strict=True):  # the last part of a compound names the thing
        for part in candidates:
            if (part,) in knowledge().meanings:
                return ((knowledge().meanings[part,], _PART_OF_WORD),)
    return ()


def _stem(word: str) -> frozenset[str] | None:
    """Return the meanings of a word, or of its singular; None if it is not known."""
    meanings = knowledge().meanings
    if (word,) in meanings:
        return meanings[word,]
    stems = (word.removesuffix(end) for end in _PLURALS if word.endswith(end))
    return next((meanings[stem,] for stem in stems if len(stem) > 3 and (stem,) in meanings), None)


def _compound(word: str) -> list[frozenset[str]] | None:
    """Return the meanings of the parts of a compound; None if known parts do not fill the word.

    Each part has at least three letters, or one in a script other than ASCII. An s or n may join
    two parts.
    """
    best: list[list[frozenset[str]] | None] = [[], *([None] * len(word))]
    shortest = 3 if word.isascii() else 1
    for end in range(shortest, len(word) + 1):
        for start in range(end - shortest + 1):
            before = best[start]
            if before is None and word[start - 1] in "sn":
                before = best[start - 1] or None
            found = None if before is None else _stem(word[start:end])
            if before is None or found is None:
                continue
            shorter = best[end]
            if shorter is None or len(before) + 1 < len(shorter):
                best[end] = [*before, found]
    return best[-1]

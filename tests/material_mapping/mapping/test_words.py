# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Known words within longer ones: plurals, compounds and ends."""

import pytest

from material_mapping.mapping.words import phrases_in


def meanings(text):
    """Return the meanings that are found in a text, in order, and the weights that they have."""
    found = list(phrases_in(text))
    return [*(tag for tags, _, _ in found for tag in sorted(tags))], {each[2] for each in found}


@pytest.mark.parametrize(
    ("word", "tags"),
    [
        ("woodglass", ["wood", "glass"]),
        ("bilglas", ["car", "glass"]),  # Swedish
        ("bilsglas", ["car", "glass"]),
        ("bilnglas", ["car", "glass"]),
        ("玻璃窗", ["glass", "window"]),
    ],
)
def test_a_compound_means_its_parts_which_an_s_or_n_may_join(word, tags):
    assert meanings(word) == (tags, {0.95})


@pytest.mark.parametrize("word", ["bilxglas", "bilxsten", "bilssglas", "sglas", "nglas"])
def test_other_letters_join_no_compound_and_none_begins_with_one(word):
    assert meanings(word) == ([], set())


@pytest.mark.parametrize("word", ["qqqglass", "glassqqq", "qglass", "q玻璃", "玻璃q"])
def test_a_word_that_begins_or_ends_with_a_known_one_means_that(word):
    assert meanings(word) == (["glass"], {0.8})


@pytest.mark.parametrize("word", ["qqwood", "woodqq", "q窗", "窗q"])
def test_short_words_are_no_parts_of_others(word):
    """At least five letters, or two characters of another script: else many words have some."""
    assert meanings(word) == ([], set())


@pytest.mark.parametrize(("word", "tag"), [("glasses", "glass"), ("bricks", "brick")])
def test_plurals_are_whole_words(word, tag):
    assert meanings(word) == ([tag], {1.0})

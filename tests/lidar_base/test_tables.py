# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A table in Markdown, in HTML, as values, and in a terminal."""

import io

import pytest
from rich.console import Console

from lidar_app.show.terminal import drawn
from lidar_base.tables import Table, facts, markdown_text, of_records, table

RANGES = Table(
    title="Ranges",
    headings=("what", "range [m]"),
    parts=(("near", (("a|b", 1.5),)), ("", (("[far]", 200),))),
    right=(1,),
)


def in_terminal(shown, width=60):
    stream = io.StringIO()
    Console(file=stream, width=width, color_system=None).print(drawn(shown))
    return stream.getvalue()


def test_markdown_has_aligned_columns_titles_of_parts_and_no_bar_in_a_cell():
    assert list(RANGES.markdown()) == [
        "| what | range [m] |",
        "| --- | ---: |",
        "| **near** |  |",
        "| a&#124;b | 1.5 |",
        "| [far] | 200 |",
    ]


HOSTILE = "a|<script>x</script>\n# b `c` [d](e) \\ &amp;"


def test_plain_text_is_one_cell_of_markdown_without_links_code_or_html():
    shown = "a&#124;&lt;script&gt;x&lt;/script&gt; # b &#96;c&#96; &#91;d&#93;(e) &#92; &amp;amp;"
    assert markdown_text(HOSTILE) == shown
    hostile = Table(headings=(HOSTILE,), parts=((HOSTILE, ((HOSTILE,),)),))
    assert list(hostile.markdown(plain=True)) == [
        f"| {shown} |", "| --- |", f"| **{shown}** |", f"| {shown} |"
    ]  # fmt: skip
    assert "<script" not in hostile.html()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("*.osi and *.gz", "&#42;.osi and &#42;.gz"),
        ("~~old~~", "&#126;&#126;old&#126;&#126;"),
        ("__init__ _a_", "&#95;&#95;init&#95;&#95; &#95;a&#95;"),
        ("|_a_|", "&#124;&#95;a&#95;&#124;"),
        ("range_sigma_m of ü_1", "range_sigma_m of ü_1"),
    ],
)
def test_plain_text_has_no_emphasis(text, shown):
    assert markdown_text(text) == shown


def test_html_escapes_and_leaves_out_what_is_absent():
    assert "<td" not in table("<only & title>", ("a",), ()).html()
    assert table("<only & title>", (), ()).html() == "<p>&lt;only &amp; title&gt;</p>"
    assert RANGES.html().count("<tr>") == 3


def test_records_have_their_keys_as_headings():
    of_two = of_records("", [{"a": 1, "b": 2.5}, {"a": 3, "b": None}])
    assert of_two.headings == ("a", "b")
    assert of_two.rows == [(1, 2.5), (3, None)]
    assert of_records("", []).headings == ()


def test_facts_are_rows_without_a_header():
    assert facts("", {"a": 0, "b": ""}).rows == [("a", 0), ("b", "")]
    assert facts("", {"a": 0}).headings == ()


def test_a_terminal_shows_brackets_as_they_are_and_never_folds_figures():
    text = in_terminal(RANGES)
    assert "[far]" in text
    assert "near" in text
    narrow = in_terminal(
        table("", ("w" * 40, "n"), [("v" * 40, "123456789")], right=(1,)), width=24
    )
    assert "123456789" in narrow


def test_whole_columns_are_not_wrapped():
    wide = table("", ("name", "words"), [("one two three", "four " * 20)], n_whole=1)
    assert "one two three" in in_terminal(wide, width=30)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Configuration of Sphinx: ``make docs`` builds the site from the pages of this folder.

The pages are plain Markdown for readers of the repository. What only the site has is added while it
is built: the navigation and the cards from the tables of ``index.md`` pages, the reference from the
public names, a description of each page for search engines, and a redirect from each old address
that ``moved.csv`` names.
"""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pygments.lexers import TextLexer

import osi_lidar

if TYPE_CHECKING:
    from collections.abc import Callable

    from docutils import nodes
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
STATIC = HERE.parent / "build" / "docs" / "static"  # what `make docs` makes: the viewer

project = "osi-lidar"
author = "osi-lidar contributors"
version = release = osi_lidar.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "sphinx_reredirects",
]
exclude_patterns = ["_static", "_templates", "gallery"]  # the pages of the gallery are in scripts
templates_path = ["_templates"]
nitpicky = False  # types in numpydoc docstrings are words, not references

myst_heading_anchors = 4  # the anchors that GitHub makes
myst_enable_extensions = ["colon_fence", "dollarmath"]
nb_execution_mode = "force"
nb_execution_timeout = 300  # [s] for a cell, which may compile kernels
nb_execution_raise_on_error = True
nb_merge_streams = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "scripts",  # made by the build, and not in the repository
    "filename_pattern": r"\.py$",
    "plot_gallery": find_spec("matplotlib") is not None,  # else pages without pictures
    "capture_repr": (),
    "notebook_extensions": set(),  # myst_nb would take them for pages
    "download_all_examples": False,
    "min_reported_time": 3600,  # times differ from build to build
    "write_computation_times": False,
    "show_signature": False,
    "reset_modules": ("matplotlib",),
}
suppress_warnings = ["sphinx_gallery.config"]  # a mini-gallery takes files, not names of the code

autodoc_typehints = "none"  # numpydoc's sections name the types
autodoc_member_order = "bysource"
autodoc_default_options = {"exclude-members": "model_config, model_post_init"}  # of pydantic
default_role = "code"  # of names in docstrings
numpydoc_show_class_members = False  # autodoc shows them

with (HERE / "moved.csv").open(encoding="utf-8", newline="") as moved:
    redirects = {
        row["old"]: f"{os.path.relpath(row['new'], Path(row['old']).parent)}.html"
        for row in csv.DictReader(moved)
    }

html_theme = "pydata_sphinx_theme"
html_title = f"osi-lidar {version}"
html_static_path = ["_static", *([str(STATIC)] if STATIC.is_dir() else [])]
html_css_files = ["pictures.css"]
html_sidebars = {"**": ["pages.html"]}
html_show_sourcelink = False
html_theme_options = {
    "navbar_center": [],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
}
html_copy_source = False

PAGE = re.compile(r"\[[^\]]+\]\(([\w/-]+)\.(?:md|ipynb)\)")
TABLE = re.compile(r"^\|---\|---\|\n((?:\|.+\n)+)", re.MULTILINE)
OUTSIDE = re.compile(r"\[([^\]]+)\]\((\.\./[^)#\s]+)(?:#[^)]*)?\)")
SCRIPTS = re.compile(
    r"^\| Script \| .+\n\|---\|---\|\n((?:\| \[.+\]\(gallery/\w+\.py\) \|.+\n)+)", re.MULTILINE
)
MOST_LETTERS = 200
"""Letters of a page's description."""
MOST_UNBROKEN = 20
"""Letters of a word of code up to which it does not break in a table."""
MOST_ARGUMENTS = 6
"""Number of arguments up to which the reference shows a constructor."""


def navigation(index: str) -> str:
    """Return a hidden toctree of the pages that the tables of an index name, in their order."""
    pages = dict.fromkeys(page for table in TABLE.findall(index) for page in PAGE.findall(table))
    return "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def listed_sensors(page: str) -> str:
    """Return the list of sensors as the table of an index, with a page for each."""
    _, _, rows = page.partition("<!-- begin sensors -->")
    rows = rows.partition("<!-- end sensors -->")[0]
    return "|---|---|\n" + "".join(re.findall(r"^\|.+\n", rows, re.MULTILINE))


def cards(index: str) -> str:
    """Return the landing page with its table of readers as cards."""
    head, title, rest = index.partition("\n| You work on | Start with |\n|---|---|\n")
    rows, _, rest = rest.partition("\n\n")
    grid = "".join(
        f":::{{grid-item-card}} {who}\n{start}\n:::\n"
        for who, start in re.findall(r"^\| (.+?) \| (.+) \|$", rows, re.MULTILINE)
    )
    return f"{head}\n::::{{grid}} 1 2 2 3\n:gutter: 3\n\n{grid}::::\n\n{rest}" if title else index


def thumbnails(gallery: str) -> str:
    """Return the gallery with the pictures of its scripts in place of their tables."""

    def pictures(table: re.Match[str]) -> str:
        scripts = re.findall(r"\]\((gallery/\w+\.py)\)", table[1])
        lines = "\n".join(f"   {script}" for script in scripts)
        return f"```{{eval-rst}}\n.. minigallery::\n\n{lines}\n```\n"

    return SCRIPTS.sub(pictures, gallery) + "\n```{toctree}\n:hidden:\n\nscripts/index\n```\n"


def reference() -> str:
    """Return a section for each public name of `osi_lidar`: classes, functions, then errors."""
    kinds: dict[str, list[str]] = {"autoclass": [], "autofunction": [], "autoexception": []}
    for name in sorted(osi_lidar.__all__, key=str.lower):
        thing = getattr(osi_lidar, name)
        if inspect.isclass(thing):
            kind = "autoexception" if issubclass(thing, Exception) else "autoclass"
            kinds[kind].append(name)
        elif callable(thing):
            kinds["autofunction"].append(name)
    parts = []
    for (kind, names), title in zip(kinds.items(), ("Classes", "Functions", "Errors"), strict=True):
        parts.append(f"## {title}\n")
        for name in names:
            members = "\n   :members:" if kind == "autoclass" else ""
            block = f".. {kind}:: osi_lidar.{name}{members}"
            parts.append(f"### {name}\n\n```{{eval-rst}}\n{block}\n```\n")
    return "\n".join(parts)


def constructor(  # what autodoc hands over
    _app: Sphinx,
    what: str,
    _name: str,
    thing: Callable[..., object],
    _options: object,
    *shown: str | None,
) -> tuple[str | None, str | None]:
    """Return the arguments of a constructor, unless there are so many that nobody calls it.

    Records such as `Cloud` are made by the model; what a reader looks for are their fields.
    """
    arguments, returns = shown
    if what == "class" and arguments and len(inspect.signature(thing).parameters) > MOST_ARGUMENTS:
        return "", returns
    return arguments, returns


def outside(match: re.Match[str], page: Path) -> str:
    """Return a link that leads out of this folder as the site can hold it.

    A file is copied into the site. A folder is not there: its name stays, without a link.
    """
    text, target = match.groups()
    path = (page.parent / target).resolve()
    if path.is_relative_to(HERE):
        return match[0]
    if path.is_dir():
        return text
    if not path.is_file():
        raise FileNotFoundError(f"{page.name}: {target} is not there")
    plain = text.strip("`")
    return f"{{download}}`{plain} <{target}>`"


def description(text: str) -> str:
    """Return front matter with the first paragraph of a page, which search results show."""
    found = re.search(r"^# .+\n\n((?:[^\n#|!`].*\n)+)", text, re.MULTILINE)
    words = re.sub(r"\[([^\]]+)\]\([^)]*\)|[`*]", r"\1", found[1] if found else "")
    short = textwrap.shorten(words, MOST_LETTERS, placeholder=" ..")
    return f"---\nmyst:\n  html_meta:\n    description: {json.dumps(short)}\n---\n" if short else ""


def read_page(_app: Sphinx, name: str, source: list[str]) -> None:
    """Add to a page what only the site has."""
    page = HERE / f"{name}.md"
    if not page.is_file():
        return
    text = source[0]
    if name == "index" or name.endswith("/index"):
        text = cards(text)  # their links are of pages further down
        text = f"{text}\n{navigation(text)}"
    elif name == "gallery":
        text = thumbnails(text)
    elif name == "reference/sensors":
        text = f"{text}\n{navigation(listed_sensors(text))}"
    elif name == "reference/api":
        text += "\n" + reference()
    source[0] = description(text) + OUTSIDE.sub(lambda match: outside(match, page), text)


def fit_to_screens(_app: Sphinx, page: nodes.document) -> None:
    """Give pictures a width, for which Sphinx links them to their files; mark long words of code.

    A phone can zoom in on the file. Long words break in tables, by the style sheet. Thumbnails of
    the gallery already lead to their pages, and a second link would move them out of their cards.
    """
    for node in page.findall():
        if node.tagname == "image" and not node["uri"].endswith("_thumb.png"):
            node["width"] = "100%"
        elif node.tagname == "literal":
            longest = max(map(len, node.astext().split()), default=0)
            node["classes"] += ["long"] if longest > MOST_UNBROKEN else []


def setup(app: Sphinx) -> None:
    """Register what reads the pages, and a language of blocks that pygments does not know."""
    app.add_lexer("csv", TextLexer)
    app.connect("source-read", read_page)
    app.connect("doctree-read", fit_to_screens)
    app.connect("autodoc-process-signature", constructor)

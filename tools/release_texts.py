# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reading of the texts that a release checks: versions, changelog, metadata of a wheel."""

from __future__ import annotations

import re
from email.parser import HeaderParser
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

UNRELEASED = "Unreleased"
METADATA = (
    *("Name", "Version", "Summary", "Author", "Keywords", "License-Expression", "License-File"),
    *("Classifier", "Requires-Python", "Requires-Dist", "Description-Content-Type"),
)
"""What the metadata of a wheel have to state."""
PATTERNS = {
    "osi_lidar/version.py": r'^__version__ = "([^"]+)"',
    "CITATION.cff": r"^version: (\S+)$",
    ".zenodo.json": r'"version": "([^"]+)"',
    "packaging/conda/recipe.yaml": r'^  version: "([^"]+)"',
    "Dockerfile": r'image\.version="([^"]+)"',
    "README.md": r"version (\d+\.\d+\.\d+)",
    "CHANGELOG.md": r"^## \[(\d[^\]]*)\]",
}
"""Files that may state the version, with regular expressions; the first match in a file counts."""


class FailedError(Exception):
    """A step of a release has failed; the text says why."""


def stated_versions(root: Path) -> dict[str, str]:
    """Return the version that each file of `PATTERNS` states, by path; others are left out."""
    texts = {name: (root / name).read_text(encoding="utf-8") for name in PATTERNS}
    found = {name: re.search(PATTERNS[name], texts[name], re.MULTILINE) for name in PATTERNS}
    return {name: match[1] for name, match in found.items() if match}


def sections(changelog: str) -> dict[str, str]:
    """Return the texts of a changelog by version, newest first; ``Unreleased`` counts as one."""
    parts = re.split(r"^## \[([^\]]+)\].*$", changelog, flags=re.MULTILINE)
    return {name: text.strip() for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def notes(changelog: str, version: str) -> str:
    """Return the release notes of a version, with links to files of the version's tag.

    Raises
    ------
    FailedError
        The changelog does not have the version, or its section is empty.
    """
    text = sections(changelog).get(version, "")
    if not text:
        raise FailedError(
            f"CHANGELOG.md: has no entries for {version}, expected a section with them"
        )
    return re.sub(r"\]\((?!https?:|#)", f"](../blob/v{version}/", text) + "\n"


def check_versions(root: Path) -> str:
    """Check that all files that state the version agree with version.py."""
    stated = stated_versions(root)
    version = stated["osi_lidar/version.py"]
    wrong = [f"{name} states {each}" for name, each in stated.items() if each != version]
    if 'dynamic = ["version"]' not in (root / "pyproject.toml").read_text(encoding="utf-8"):
        wrong.append("pyproject.toml states a version of its own")
    if wrong:
        raise FailedError(f"osi_lidar/version.py states {version}, but {', '.join(wrong)}")
    return f"version {version} in {', '.join(stated)}"


def check_cut(root: Path) -> str:
    """Check that the changelog has no entries under Unreleased."""
    waiting = sections((root / "CHANGELOG.md").read_text(encoding="utf-8")).get(UNRELEASED, "")
    if waiting:
        n_entries = len(re.findall(r"^- ", waiting, re.MULTILINE))
        raise FailedError(
            f"CHANGELOG.md has {n_entries} entries under {UNRELEASED}, expected none: raise the "
            "version, and move them below its heading"
        )
    return "nothing is unreleased in the changelog"


def check_date(root: Path) -> str:
    """Check that the citation has the day that the changelog states for its newest version."""
    texts = [(root / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "CITATION.cff")]
    dated = re.search(r"^## \[\d[^\]]*\](?: - (\S+))?$", texts[0], re.MULTILINE)
    cited = re.search(r"^date-released: (\S+)$", texts[1], re.MULTILINE)
    told = [(match and match[1]) or "no date" for match in (dated, cited)]
    if told[0] != told[1] or "no date" in told:
        raise FailedError(
            f"CHANGELOG.md states {told[0]}, CITATION.cff states {told[1]}, expected the same date"
        )
    return f"the citation has the date of the changelog, {told[0]}"


def lacking(metadata: str) -> list[str]:
    """Return the names of the fields of `METADATA` that a wheel's metadata lack."""
    stated = HeaderParser().parsestr(metadata)
    return [name for name in METADATA if not stated.get(name)]


def platform_tag(told: str) -> str:
    """Return the platform tag that ``auditwheel show`` finds, from its output; empty if none.

    The output begins with the wheel's name, whose own platform tag is not meant.
    """
    found = re.search(r'following platform tag: "([^"]+)"', " ".join(told.split()))
    return found[1] if found else ""

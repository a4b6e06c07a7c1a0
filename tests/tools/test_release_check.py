# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a release is held against: versions, changelog, metadata, tag and tree."""

import subprocess
from pathlib import Path

import pytest

from tests.scenarios.scripts import script

REPOSITORY = Path(__file__).resolve().parents[2]
checker = script(REPOSITORY / "tools" / "release_check.py")
texts = script(REPOSITORY / "tools" / "release_texts.py")
CHANGELOG = """# Changelog

## [Unreleased]

{0}
## [0.2.0] - 2026-11-23

### Added

- Exports ([exports](docs/how-to/exports.md#las)), by [laspy](https://laspy.readthedocs.io),
  see [below](#fixed).

## [0.1.0]

- All.
"""
CITATION = "cff-version: 1.2.0\nversion: 0.2.0\ndate-released: 2026-11-23\n"
RECIPE = "packaging/conda/recipe.yaml"
WAITING = "### Added\n\n- One thing.\n- Another\n  in two lines.\n"


@pytest.fixture
def root(tmp_path):
    """Return a folder with the files that state a version, all the same."""
    (tmp_path / "osi_lidar").mkdir()
    (tmp_path / "osi_lidar" / "version.py").write_text('__version__ = "0.2.0"\n')
    (tmp_path / "CITATION.cff").write_text(CITATION)
    (tmp_path / ".zenodo.json").write_text("{}")
    (tmp_path / "packaging" / "conda").mkdir(parents=True)
    (tmp_path / RECIPE).write_text('context:\n  version: "0.2.0"\n')
    (tmp_path / "Dockerfile").write_text('LABEL org.opencontainers.image.version="0.2.0"\n')
    (tmp_path / "README.md").write_text("This is version 0.2.0.\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG.format(""))
    (tmp_path / "pyproject.toml").write_text('dynamic = ["version"]\n')
    return tmp_path


def test_one_version_everywhere_passes(root):
    line = texts.check_versions(root)
    files = f"osi_lidar/version.py, CITATION.cff, {RECIPE}, Dockerfile, README.md, CHANGELOG.md"
    assert line == f"version 0.2.0 in {files}"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("CITATION.cff", "version: 0.1.9\n", "CITATION.cff states 0.1.9"),
        (".zenodo.json", '{"version": "0.3.0"}', ".zenodo.json states 0.3.0"),
        (RECIPE, '  version: "0.1.0"', f"{RECIPE} states 0.1.0"),
        ("Dockerfile", 'org.opencontainers.image.version="0.1.0"', "Dockerfile states 0.1.0"),
        ("README.md", "version 0.1.0", "README.md states 0.1.0"),
        ("CHANGELOG.md", "## [0.2.1] - 2027-01-01\n\n## [0.2.0]\n", "CHANGELOG.md states 0.2.1"),
        ("pyproject.toml", 'version = "0.2.0"\n', "pyproject.toml states a version of its own"),
    ],
)
def test_another_version_is_told(root, name, text, words):
    (root / name).write_text(text)
    with pytest.raises(texts.FailedError, match=words):
        texts.check_versions(root)


def test_this_repository_states_one_version():
    assert texts.check_versions(REPOSITORY).startswith("version ")


def test_what_is_unreleased_waits_for_a_version(root):
    assert "nothing is unreleased" in texts.check_cut(root)
    (root / "CHANGELOG.md").write_text(CHANGELOG.format(WAITING))
    with pytest.raises(texts.FailedError, match=r"has 2 entries under Unreleased, expected none"):
        texts.check_cut(root)


def test_the_citation_has_the_date_of_the_changelog(root):
    assert texts.check_date(root).endswith("2026-11-23")
    (root / "CITATION.cff").write_text(CITATION.replace("11-23", "11-24"))
    with pytest.raises(texts.FailedError, match=r"states 2026-11-23, CITATION.* states 2026-11-24"):
        texts.check_date(root)
    (root / "CITATION.cff").write_text("version: 0.2.0\n")
    with pytest.raises(texts.FailedError, match=r"CITATION\.cff states no date"):
        texts.check_date(root)
    (root / "CITATION.cff").write_text(CITATION)
    older = CHANGELOG.format("").partition("## [0.2.0]")[1:]
    (root / "CHANGELOG.md").write_text("## [0.3.0]\n\n" + "".join(older))
    with pytest.raises(texts.FailedError, match=r"CHANGELOG\.md states no date"):
        texts.check_date(root)


def test_sections_are_those_of_versions_newest_first():
    found = texts.sections(CHANGELOG.format(WAITING))
    assert list(found) == ["Unreleased", "0.2.0", "0.1.0"]
    assert found["Unreleased"] == WAITING.strip()
    assert found["0.1.0"] == "- All."


def test_links_of_notes_lead_to_files_of_the_tag():
    told = texts.notes(CHANGELOG.format(""), "0.2.0")
    assert "](../blob/v0.2.0/docs/how-to/exports.md#las)" in told
    assert "](https://laspy.readthedocs.io)" in told
    assert "](#fixed)" in told
    assert "0.1.0" not in told


@pytest.mark.parametrize("version", ["0.3.0", "Unreleased"])
def test_a_version_of_which_nothing_is_said_has_no_notes(version):
    with pytest.raises(texts.FailedError, match=f"has no entries for {version}"):
        texts.notes(CHANGELOG.format(""), version)


def test_fields_that_metadata_lack_are_told():
    given = "".join(f"{name}: x\n" for name in texts.METADATA if name != "Summary")
    assert texts.lacking(given) == ["Summary"]
    assert texts.lacking(f"{given}Summary: a lidar\n\nSummary of the text\n") == []


def test_the_platform_is_what_auditwheel_finds_and_not_what_the_name_claims():
    claimed = "osi_lidar-0.2.0-cp311-cp311-manylinux_2_17_x86_64.whl is consistent\nwith the "
    told = f'{claimed}following platform tag: "manylinux_2_34_x86_64".'
    assert texts.platform_tag(told) == "manylinux_2_34_x86_64"
    assert not texts.platform_tag(claimed)


def git(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    command = ["git", *who, *arguments]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_a_tree_that_is_not_clean_and_a_tag_that_is_there_are_told(root):
    git(root, "init", "--quiet")
    with pytest.raises(checker.FailedError, match="is not clean"):
        checker.check_git(root)
    git(root, "add", ".")
    git(root, "commit", "--quiet", "--message", "x")
    assert checker.check_git(root) == "working tree clean, no tag v0.2.0 yet"
    git(root, "tag", "v0.2.0")
    with pytest.raises(checker.FailedError, match=r"the tag v0\.2\.0 exists already"):
        checker.check_git(root)


def test_a_step_that_fails_is_one_line(capsys):
    def step():
        return checker.run(["git", "nonsense"], REPOSITORY)

    assert not checker.tried(step)
    told = capsys.readouterr().out
    assert told.startswith("NO   git nonsense ..: exit code 1: ")
    assert told.count("\n") == 1


def test_the_beginning_of_a_trace_has_whole_messages():
    message = (3).to_bytes(4, "little") + b"abc"
    assert checker.beginning(5 * message) == checker.N_FRAMES * message

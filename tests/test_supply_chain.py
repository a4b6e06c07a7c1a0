# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What is taken from others is pinned, and what we use inside packages has a ceiling."""

import re
import runpy
from pathlib import Path

import pytest
import yaml

REPOSITORY = Path(__file__).resolve().parents[1]
WORKFLOWS = sorted((REPOSITORY / ".github" / "workflows").glob("*.yml"))
PROJECT = (REPOSITORY / "pyproject.toml").read_text(encoding="utf-8")
TOOL = runpy.run_path(str(REPOSITORY / "tools" / "ceilings.py"))


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_actions_are_pinned_by_commit_with_their_version_in_a_comment(file):
    used = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert used
    for each in used:
        assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", each), each


def test_one_action_has_one_commit_everywhere():
    text = "".join(file.read_text(encoding="utf-8") for file in WORKFLOWS)
    pinned = set(re.findall(r"uses: ([\w./-]+)@(\w+)", text))
    assert len(pinned) == len({action for action, _ in pinned})


def test_hooks_are_pinned_by_commit():
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    revisions = [each["rev"] for each in hooks["repos"] if each["repo"] != "local"]
    assert revisions
    assert all(re.fullmatch(r"[0-9a-f]{40}", each) for each in revisions)


def test_images_are_pinned_by_digest():
    lines = (REPOSITORY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    images = [line.split()[1] for line in lines if line.startswith("FROM")]
    assert len(set(images)) == 1
    assert re.fullmatch(r"python:3\.12-slim@sha256:[0-9a-f]{64}", images[0])


def test_dependabot_raises_all_of_them():
    file = REPOSITORY / ".github" / "dependabot.yml"
    stated = yaml.safe_load(file.read_text(encoding="utf-8"))
    kinds = {each["package-ecosystem"] for each in stated["updates"]}
    assert kinds == {"github-actions", "docker", "pre-commit", "pip"}


@pytest.mark.parametrize("name", ["numba", "llvmlite", "embreex", "typer", "pythonfmu"])
def test_packages_whose_insides_we_use_have_a_ceiling(name):
    assert name in TOOL["ceilings"](PROJECT)


def test_ceilings_are_lifted_and_nothing_else():
    lifted = TOOL["lifted"](PROJECT)
    assert TOOL["ceilings"](lifted) == {}
    assert '"numba>=0.59", ' in lifted
    assert len(lifted.splitlines()) == len(PROJECT.splitlines())


def test_a_release_beyond_a_ceiling_is_told():
    stated = {"numba": "0.69", "typer": "0.30", "absent": "1"}
    installed = {"numba": "0.70.1", "typer": "0.29.9"}
    assert TOOL["can_rise"](stated, installed) == [
        "numba 0.70.1 passes: its ceiling <0.69 can rise"
    ]


def test_a_release_lists_what_it_installs_and_the_newest_releases_are_tried():
    jobs = {file.stem: yaml.safe_load(file.read_text())["jobs"] for file in WORKFLOWS}
    steps = [step.get("run", "") for step in jobs["release"]["build"]["steps"]]
    assert any("cyclonedx-py environment" in step for step in steps)
    newest = [step.get("run", "") for step in jobs["ci"]["newest"]["steps"]]
    assert any("ceilings.py lift" in step for step in newest)
    assert "schedule" in jobs["ci"]["newest"]["if"]


def test_wheels_with_kernels_are_for_the_pythons_of_the_metadata_and_tests_run_on_both_ends():
    jobs = {file.stem: yaml.safe_load(file.read_text())["jobs"] for file in WORKFLOWS}
    stated = re.findall(r"Programming Language :: Python :: (3\.\d+)", PROJECT)
    assert jobs["release"]["kernels"]["strategy"]["matrix"]["python"] == stated
    assert jobs["ci"]["tests"]["strategy"]["matrix"]["python"] == [stated[0], stated[-1]]
    assert f'requires-python = ">={stated[0]}"' in PROJECT


def test_the_notes_of_a_release_are_those_of_the_changelog():
    file = next(file for file in WORKFLOWS if file.stem == "release")
    jobs = yaml.safe_load(file.read_text())["jobs"]
    steps = [step.get("run", "") for step in jobs["build"]["steps"]]
    assert any("release_check.py --notes" in step for step in steps)
    assert any("--notes-file" in step.get("run", "") for step in jobs["release"]["steps"])

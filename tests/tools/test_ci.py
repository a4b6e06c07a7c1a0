# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What a change has to pass is the same here and at GitHub."""

import re
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_github_runs_the_targets_of_ci_run_and_make_help_names_them():
    here = (REPOSITORY / ".ci" / "run").read_text(encoding="utf-8")
    there = (REPOSITORY / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    targets = re.findall(r"^run ([\w-]+)", here, re.MULTILINE)
    assert sorted(targets) == sorted(set(re.findall(r"run: make ([\w-]+)", there)))
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    for target in targets:
        assert re.search(rf'@echo "make {target} ', makefile)
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The files of a report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from lidar_app.conformance.report.page import html_page
from lidar_app.conformance.report.rows import report_content
from lidar_base.files.whole_files import make_folder, replacing

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_app.conformance.report.content import BenchReport


def write_reports(folder: Path, report: BenchReport) -> list[Path]:
    """Write report.json and report.html into a folder, and return their paths.

    Raises
    ------
    OutputError
        If a file cannot be written.
    """
    make_folder(folder)
    data, page = report_files(folder)
    texts = {
        data: json.dumps(report_content(report), indent=1, ensure_ascii=False) + "\n",
        page: html_page(report),
    }
    for file, text in texts.items():
        with replacing(file) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    return [data, page]


def report_files(folder: Path) -> list[Path]:
    """Return the paths of report.json and report.html in a folder; they need not exist."""
    return [folder / "report.json", folder / "report.html"]

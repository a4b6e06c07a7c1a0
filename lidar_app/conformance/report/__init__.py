# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of the bench: a table for the terminal, JSON, and a page that can be signed."""

from lidar_app.conformance.report.content import BenchReport, left_out
from lidar_app.conformance.report.facts import BenchFacts, facts_of
from lidar_app.conformance.report.page import html_page
from lidar_app.conformance.report.rows import report_content, table_of
from lidar_app.conformance.report.writing import write_reports

__all__ = [
    "BenchFacts",
    "BenchReport",
    "facts_of",
    "html_page",
    "left_out",
    "report_content",
    "table_of",
    "write_reports",
]

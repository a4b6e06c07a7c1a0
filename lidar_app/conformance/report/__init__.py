# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Reports of the bench: a table for the terminal, JSON, and a page with pictures."""

from lidar_app.conformance.report.page import html_page
from lidar_app.conformance.report.rows import report_content, summary, table_of
from lidar_app.conformance.report.writing import write_reports

__all__ = ["html_page", "report_content", "summary", "table_of", "write_reports"]

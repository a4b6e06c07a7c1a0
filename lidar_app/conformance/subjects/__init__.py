# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Ways to run a subject (the tested model)."""

from lidar_app.conformance.subjects.kinds import open_subject
from lidar_app.conformance.subjects.subject import BenchSubject, SubjectError, TroubleKind

__all__ = ["BenchSubject", "SubjectError", "TroubleKind", "open_subject"]

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures for people: reports, previews, plots."""

NO_PLOT = "a picture needs the extra plot: pip install 'osi-lidar[plot]'"
"""Said where matplotlib is absent."""

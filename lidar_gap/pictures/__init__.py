# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pictures: common parts of figures, and images of clouds as arrays. Needs the extra ``plot``."""

NO_PLOT = "a picture needs the extra plot: pip install 'osi-lidar[plot]'"
"""Said where matplotlib is absent."""

NOT_A_PICTURE = "expected the name of a picture, ending in .png"
"""Said of a file to write: another ending may mean a configuration that would be overwritten."""

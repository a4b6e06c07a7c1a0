# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Light that did not come straight: off wet roads, off gloss, and around retroreflectors."""

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Weather: what air and ground hold, who says so, and what it does to the light of a beam."""

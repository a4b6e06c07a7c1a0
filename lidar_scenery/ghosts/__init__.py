# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What sensors see where nothing is: ghosts, and the halo of retroreflectors."""

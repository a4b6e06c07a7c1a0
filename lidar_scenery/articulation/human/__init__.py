# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People who walk, run, follow the bones of messages, or come as a mesh with a skin."""

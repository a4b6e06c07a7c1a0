# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""People who walk and run, follow the bones of messages, or come from a mesh file with a skin."""

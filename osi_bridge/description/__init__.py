# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Content of messages besides the poses of objects: details, weather, lanes and markings."""

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What messages say beside the poses of objects: their details, lanes and markings."""

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Sources of the weather: messages, configuration files, OpenSCENARIO."""

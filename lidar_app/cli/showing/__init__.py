# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Commands that show what there is: sensors, their ranges and waveforms, clouds, the cache."""

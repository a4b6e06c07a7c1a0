# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""What notebooks and scripts use: clouds in other libraries, and the clouds of a trace."""

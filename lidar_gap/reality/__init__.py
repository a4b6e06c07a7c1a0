# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The reality pack: public recordings, figures measured in them, and comparison with simulations.

descriptions of recordings
  > files of their repositories, verified               (fetching)
  > figures with intervals of each recording            (measuring)
  > or points on each labelled object                   (labels, targets)
  > scans of a simulator in the recording's scene       (scenes: simulated, target_scene; or clouds
                                                         of another simulator)
  > the same figures of these, and a verdict per row    (scoring, report)
"""

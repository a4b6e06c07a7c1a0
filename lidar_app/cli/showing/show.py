# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The group of commands ``show``: figures and shapes to look up, and what one beam receives."""

from __future__ import annotations

from lidar_app.cli.parts.command import Commands
from lidar_app.cli.showing.cache import cache
from lidar_app.cli.showing.range import range_limits
from lidar_app.cli.showing.shapes import shapes
from lidar_app.cli.showing.waveform import waveform

show = Commands("Show how far sensors see, what a beam receives, shapes, and the cache of meshes.")
show.add(range_limits, "osi-lidar show range --sensor VLP-16", name="range")
show.add(waveform, "osi-lidar show waveform drive.osi -c lidar.yaml --beam 12:340")
show.add(shapes, "osi-lidar show shapes", "osi-lidar show shapes car --length 4.2 --out car.glb")
show.add(cache, "osi-lidar show cache", "osi-lidar show cache --clear")

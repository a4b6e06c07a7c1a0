# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Count what a scan calls: functions of the product, and how often the way enters another file.

    python tools/count_calls.py

The second number shows how often a reader who follows a scan must change the file. The eleventh
scan of the street is counted.
"""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Any

from osi_lidar import FrameSource, LidarModel, load_config
from osi_lidar.run.example_scene import street
from osi_lidar.scan.lidar import Lidar

if TYPE_CHECKING:
    from types import FrameType

PACKAGES = ("raycore", "lidar_base", "lidar_scenery", "material_mapping", "osi_bridge", "osi_lidar")
RAIN = {"rain_mm_h": 10, "fog": {"visibility_m": 100}, "road_water_mm": 0.5}
SCANS: dict[str, tuple[str, dict[Any, Any]]] = {
    "ideal": ("ideal", {}),
    "physical, dry": ("physical", {}),
    "physical, rain, fog and wet road": ("physical", {("weather",): RAIN}),
}
N_FRAMES = 11


class Counter:
    """Counts calls of the product's functions, and how many of these calls cross files."""

    def __init__(self) -> None:
        self.calls = self.changes = 0

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Count an event of the interpreter's profiler, if it is a call of our code."""
        if event != "call" or not _is_ours(frame):
            return
        self.calls += 1
        caller = frame.f_back
        while caller is not None and not _is_ours(caller):
            caller = caller.f_back
        self.changes += caller is None or caller.f_code.co_filename != frame.f_code.co_filename


def _is_ours(frame: FrameType) -> bool:
    name = frame.f_globals.get("__name__", "")
    is_written = frame.f_code.co_filename.endswith(".py")  # and not made by dataclasses
    return (
        is_written
        and name.partition(".")[0] in PACKAGES
        and not name.startswith("lidar_base.dispatchers")
    )


def counted(name: str) -> tuple[int, int]:
    """Return the calls in the eleventh scan of the street, and the calls across files.

    ``name`` is a kind of scan in `SCANS`.
    """
    fidelity, changes = SCANS[name]
    config = load_config(street().config, changes=changes, fidelity=fidelity)
    model, counter, usual = LidarModel(config), Counter(), Lidar.scan
    frames = list(islice(FrameSource(street().trace), N_FRAMES))
    for frame in frames[:-1]:
        model.step(frame)

    def scan(*arguments: Any) -> Any:  # noqa: ANN401  as it is called
        sys.setprofile(counter)
        try:
            return usual(*arguments)
        finally:
            sys.setprofile(None)

    Lidar.scan = scan  # type: ignore[method-assign]
    try:
        model.step(frames[-1])
    finally:
        Lidar.scan = usual  # type: ignore[method-assign]
    return counter.calls, counter.changes


def main() -> None:
    """Print a line for each kind of scan."""
    for name in SCANS:
        calls, entered = counted(name)
        print(f"{name}: {calls} calls, {entered} changes of file")


if __name__ == "__main__":
    main()

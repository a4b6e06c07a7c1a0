# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``preview``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.completion import sensors_of_run
from lidar_app.cli.parts.console import tell
from lidar_app.cli.parts.options import frame_slice
from lidar_app.cli.parts.parameters import INPUT, OUT, argument, option, switch
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.output.stored import StoredScan


@dataclass(frozen=True)
class PreviewOptions:
    """Values of options of ``osi-lidar preview`` for drawing the clouds of a run.

    Attributes
    ----------
    frame : int or None
        Number of the frame to draw; None: the first one with a cloud.
    sensor : list of str, or None
        Names of the sensors; None: all. Without `accumulate`, there is a picture for each sensor.
    accumulate : bool
        Whether all clouds are drawn in one picture, in world coordinates.
    frames : str or None
        With `accumulate`: the frames to draw, as "START:STOP[:STEP]"; None: all.
    voxel : float or None
        With `accumulate`: one point is kept in each cube of this size; None: all points. [m]
    """

    frame: int | None = option(
        "N", "Frame of a run. Default: the first one with a cloud.", INPUT, limits=(0, None)
    )
    sensor: list[str] | None = option(
        "NAME",
        "Sensor of a run, repeatable. Default: all, a picture for each.",
        INPUT,
        complete=sensors_of_run,
    )
    accumulate: bool = switch("Draw the clouds of a run together, in the world.", "Together")
    frames: str | None = option(
        "START:STOP[:STEP]", "Frames to accumulate. Default: all.", "Together"
    )
    voxel: float | None = option(
        "METRES", "Keep one point in each cube of this size. Default: all points.", "Together"
    )

    def check(self) -> None:
        """Raise InputError if an option is given that the other options would leave unused."""
        if self.accumulate and self.frame is not None:
            raise InputError("got both --frame and --accumulate, expected one of them, or --frames")
        for name in ("frames", "voxel"):
            if getattr(self, name) is not None and not self.accumulate:
                raise InputError(f"--{name} needs --accumulate")


def preview(
    cloud: Annotated[Path, argument("CLOUD|DIR", "A cloud, or the folder of a run.")],
    picture: Path | None = option(
        "FILE.png",
        "Picture to write (PNG). Default: beside the cloud, with --accumulate in the "
        "folder of the run.",
        *OUT,
    ),
    *,
    options: PreviewOptions,
) -> None:
    """Draw one point cloud, a frame of a run, or all clouds of a run together."""
    options.check()
    if options.accumulate:
        from lidar_app.show.accumulated_image import accumulated_picture

        frames = frame_slice(options.frames)
        drawn = accumulated_picture(
            cloud, picture, sensors=options.sensor, frames=frames, voxel_m=options.voxel
        )
        tell(str(drawn))
        return
    from lidar_app.show.preview import preview as draw

    for path, target in _clouds(cloud, picture, options.frame, options.sensor):
        tell(str(draw(path, target)))


def _clouds(
    cloud: Path, picture: Path | None, frame: int | None, sensors: list[str] | None
) -> list[tuple[Path, Path | None]]:
    """Return the clouds to draw, each with the picture to write; None: beside the cloud."""
    from osi_lidar.output.stored import open_run

    if not cloud.is_dir():
        given = {"--frame": frame, "--sensor": sensors}
        if names := [name for name, value in given.items() if value is not None]:
            raise InputError(f"{names[0]} needs the folder of a run, got the cloud {cloud}")
        return [(cloud, picture)]
    run = open_run(cloud)
    names = sensors or [each.name for each in run.sensors]
    chosen = slice(frame, None if frame is None else frame + 1)
    found: dict[str, Path] = {}
    for scan in sorted(run.chosen(sensors=names, frames=chosen).scans, key=_is_empty):
        found.setdefault(scan.row.sensor, scan.path)
    if not found:
        raise InputError(
            f"{cloud}: has no cloud of the chosen sensors and frames ({', '.join(names)}), "
            "expected one to draw"
        )
    if picture is None or len(found) == 1:
        return [(path, picture) for path in found.values()]
    return [
        (path, picture.with_name(f"{picture.stem}_{name}{picture.suffix}"))
        for name, path in found.items()
    ]


def _is_empty(scan: StoredScan) -> bool:
    return not scan.row.points

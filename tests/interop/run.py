# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A replay of two cars, what it leaves behind, and readers of its traces that are not ours."""

from __future__ import annotations

import csv
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import osi_utilities
import yaml
from mcap.reader import make_reader
from osi3.osi_sensordata_pb2 import SensorData
from osi3trace.osi_trace import OSITrace

from osi_lidar import FrameSource, LidarModel, load_config, replay
from osi_lidar.run.replay import take
from osi_lidar.run.report import Progress
from tests.osi_bridge.helpers import add_car, sensor_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from osi_lidar import Step

HOST_ID, SMALL_ID, WIDE_ID = 7, 12, 2**32 + 5
SENSORS = [
    {"name": "roof", "preset": "VLP-16", "mounting": {"x_m": 1.0, "z_m": 1.9, "yaw_deg": 5.0}},
    {
        "name": "bumper",
        "preset": "OS1-16",
        "columns": 512,
        "mounting": {"x_m": 3.6, "y_m": 0.3, "z_m": 0.4, "pitch_deg": -2.0, "roll_deg": 1.0},
    },
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What a replay left behind, and the same steps taken without any file."""

    folder: Path
    steps: list[Step]
    model: LidarModel

    @property
    def sensor_data(self) -> Path:
        (path,) = [*self.folder.glob("*_sd_*.osi"), *self.folder.glob("*_sd_*.mcap")]
        return path

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of frames.csv."""
        with (self.folder / "frames.csv").open(newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def two_cars(index: int, other_id: int) -> bytes:
    """Return a SensorView: a lorry ahead drives away, but stands from frame 1 to frame 3."""
    view = sensor_view(1_000_000_000 + 100_000_000 * index, cars=())
    view.version.version_major = 3
    view.sensor_id.value = 4
    view.mounting_position.position.x = 1.5
    view.mounting_position.position.z = 0.5
    view.host_vehicle_id.value = HOST_ID
    truth = view.global_ground_truth
    host = add_car(truth, HOST_ID, position=(1000.0, 50.0, 0.75), yaw=0.1)
    host.vehicle_attributes.bbcenter_to_rear.x = -1.4
    host.vehicle_attributes.bbcenter_to_rear.z = -0.4
    x_m = 1015.0 + 0.5 * min(index, 1) + 0.5 * max(index - 3, 0)
    add_car(truth, other_id, position=(x_m, 51.0, 2.0), dimension=(8.0, 2.5, 4.0), yaw=0.3)
    return bytes(view.SerializeToString())


def make_run(
    folder: Path, trace: Path, *, pcd: str, sensor_data: str, frames: slice = slice(None)
) -> Run:
    """Replay a trace with both sensors into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    output = {"pcd": pcd, "sensor_data": sensor_data}
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump({"sensors": SENSORS, "output": output}), encoding="utf-8")
    config = load_config(file)
    replay(FrameSource(trace, frames=frames), config, folder / "out")
    model = LidarModel(config, trace_folder=trace.parent)
    steps: list[Step] = []
    messages = FrameSource(trace, frames=frames).messages()
    take(messages, model, steps.append, lambda _: True, Progress())
    return Run(folder=folder / "out", steps=steps, model=model)


def read_with_osi3(path: Path) -> list[SensorData]:
    """Read by hand: a length before each message, or MCAP's records."""
    if path.suffix == ".mcap":
        with path.open("rb") as file:
            records = [message.data for _, _, message in make_reader(file).iter_messages()]
        return [SensorData.FromString(data) for data in records]
    content, at, messages = path.read_bytes(), 0, []
    while at < len(content):
        (size,) = struct.unpack_from("<I", content, at)
        messages.append(SensorData.FromString(content[at + 4 : at + 4 + size]))
        at += 4 + size
    assert at == len(content)
    return messages


def read_with_osi3trace(path: Path) -> list[SensorData]:
    trace = OSITrace(str(path), type_name="SensorData")
    try:
        return list(trace)
    finally:
        trace.close()


def read_with_asam_osi_utilities(path: Path) -> list[SensorData]:
    specification = osi_utilities.ChannelSpecification(path=path)
    with osi_utilities.open_channel(specification) as channel:
        return list(channel)


TRACE_READERS: dict[str, Callable[[Path], list[Any]]] = {
    "osi3": read_with_osi3,
    "osi3trace": read_with_osi3trace,
    "asam-osi-utilities": read_with_asam_osi_utilities,
}

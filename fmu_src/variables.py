# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""All variables of the FMU, in one table: modelDescription.xml and docs/fmu.md are made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = float | int | bool | str
Kind = Literal["Binary", "Real", "Integer", "Boolean", "String"]
Causality = Literal["input", "output", "parameter", "calculatedParameter"]

MAX_INTEGER = 2**31 - 1
MAX_POSITION_M = 1e9
LOG_LEVELS = ("debug", "info", "warning", "error")


@dataclass(frozen=True, kw_only=True)
class Variable:
    """A variable as the FMU's user sees it.

    Attributes
    ----------
    name : str
        Of an OSMP binary variable, its prefix: it becomes three integers.
    kind : str
        "Binary" or a type of FMI 2.0.
    causality : str
        As in FMI 2.0.
    description : str
        One line.
    default : value
        Start value, unless the FMU was built with a configuration that says another one.
    unit : str
        Of a Real.
    minimum, maximum : float or None
        Both included.
    message : str
        OSI message type of an OSMP binary variable.
    allowed : str
        What a String may be.
    tunable : bool
        Whether a parameter may change between steps.
    """

    name: str
    kind: Kind
    causality: Causality
    description: str
    default: Value = 0
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    message: str = ""
    allowed: str = ""
    tunable: bool = False

    @property
    def variability(self) -> str:
        """As in FMI 2.0: messages come and go at steps, most parameters are set before them."""
        if self.causality in ("input", "output"):
            return "discrete"
        return "tunable" if self.tunable else "fixed"


def _message(name: str, causality: Causality, message: str, description: str) -> Variable:
    return Variable(
        name=name, kind="Binary", causality=causality, message=message, description=description
    )


def _mounting() -> Iterator[Variable]:
    text = {
        "x": "forward of the centre of the rear axle",
        "y": "left of it",
        "z": "above it",
        "roll": "about x, applied first",
        "pitch": "about y, positive looks down",
        "yaw": "about z, positive turns left",
    }
    for name, meaning in text.items():
        unit, limit = ("m", MAX_POSITION_M) if name in "xyz" else ("deg", 360.0)
        yield Variable(
            name=f"mounting_{name}_{unit}",
            kind="Real",
            causality="parameter",
            default=1.9 if name == "z" else 0.0,
            unit=unit,
            minimum=-limit,
            maximum=limit,
            description=f"Mounting of the first sensor: {meaning}.",
        )


def _motion() -> Iterator[Variable]:
    text = {
        "rolling_shutter": "starts where the first sensor is when it fires",
        "motion_blur": "of the first sensor meets moving objects where they are when it fires",
    }
    for name, meaning in text.items():
        yield Variable(
            name=name,
            kind="Boolean",
            causality="parameter",
            default=True,
            tunable=True,
            description=f"Whether each beam {meaning}.",
        )


MESSAGES = (
    _message(
        "OSMPSensorViewIn", "input", "SensorView", "Ground truth as seen from the host vehicle."
    ),
    _message(
        "OSMPGroundTruthIn",
        "input",
        "GroundTruth",
        "Ground truth alone; taken where there is no SensorView.",
    ),
    _message("OSMPSensorDataOut", "output", "SensorData", "Detections of all sensors."),
    _message(
        "OSMPSensorViewOut",
        "output",
        "SensorView",
        "The input with lidar_sensor_view: one reflection per ray. Needs sensor_view_out.",
    ),
    _message(
        "OSMPSensorViewInConfigRequest",
        "calculatedParameter",
        "SensorViewConfiguration",
        "What the model asks for; after initialization, what was set.",
    ),
    _message(
        "OSMPSensorViewInConfig",
        "parameter",
        "SensorViewConfiguration",
        "What the master grants.",
    ),
    _message(
        "OSMPGroundTruthInit",
        "parameter",
        "GroundTruth",
        "Static objects and environment that later messages may leave out.",
    ),
)

OUTPUTS = (
    Variable(
        name="valid",
        kind="Boolean",
        causality="output",
        default=False,
        description="Whether the last step had a message that could be used.",
    ),
    Variable(
        name="count",
        kind="Integer",
        causality="output",
        default=0,
        minimum=0,
        maximum=MAX_INTEGER,
        description="Number of detections of all sensors.",
    ),
)

PARAMETERS = (
    Variable(
        name="config",
        kind="String",
        causality="parameter",
        default="",
        allowed="path of a YAML file",
        description="Configuration file in place of the one that the FMU carries.",
    ),
    Variable(
        name="preset",
        kind="String",
        causality="parameter",
        default="OS1-128",
        allowed="a name of `osi-lidar sensors`",
        description="Sensor by name, in place of the configuration's sensors.",
    ),
    Variable(
        name="columns",
        kind="Integer",
        causality="parameter",
        default=0,
        minimum=0,
        maximum=MAX_INTEGER,
        description="Columns per turn of the first sensor; 0 is the preset's own number.",
    ),
    *_mounting(),
    Variable(
        name="min_range_m",
        kind="Real",
        causality="parameter",
        default=0.8,
        unit="m",
        minimum=0.0,
        description="The first sensor reports nothing nearer.",
    ),
    Variable(
        name="max_range_m",
        kind="Real",
        causality="parameter",
        default=120.0,
        unit="m",
        minimum=0.0,
        description="The first sensor reports nothing farther.",
    ),
    Variable(
        name="pattern",
        kind="String",
        causality="parameter",
        default="",
        tunable=True,
        allowed="`{kind: .., ..}` or path of a YAML file",
        description="Scan pattern of the first sensor; empty: as configured.",
    ),
    *_motion(),
    Variable(
        name="seed",
        kind="Integer",
        causality="parameter",
        default=0,
        minimum=0,
        maximum=MAX_INTEGER,
        description="Of all random numbers.",
    ),
    Variable(
        name="ground",
        kind="String",
        causality="parameter",
        default="auto",
        allowed="auto, none, or a height in metres",
        description="Ground plane: auto is one if there is no environment mesh.",
    ),
    Variable(
        name="sensor_view_out",
        kind="Boolean",
        causality="parameter",
        default=False,
        description="Whether to fill OSMPSensorViewOut, about 100 bytes for every ray.",
    ),
    Variable(
        name="pcd_folder",
        kind="String",
        causality="parameter",
        default="",
        allowed="path of a folder",
        description="Where to write point clouds, in a folder of the instance's name; empty: none.",
    ),
    Variable(
        name="trace_folder",
        kind="String",
        causality="parameter",
        default="",
        allowed="path of a folder",
        description="Where to write the SensorData trace, in a folder of the instance's name; "
        "empty: none.",
    ),
    Variable(
        name="log_level",
        kind="String",
        causality="parameter",
        default="info",
        allowed=", ".join(LOG_LEVELS),
        description="Least level of the messages in the master's log.",
    ),
)

VARIABLES = (*MESSAGES, *OUTPUTS, *PARAMETERS)

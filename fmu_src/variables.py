# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Table of all FMU variables, source of modelDescription.xml and of docs/reference/fmu.md."""

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
    """A variable of the FMU as seen by its user.

    Attributes
    ----------
    name : str
        Name; for an OSMP binary variable, the common prefix of the names of its three integers.
    kind : str
        Type name of FMI 2.0, or "Binary".
    causality : str
        Causality, as defined in FMI 2.0.
    description : str
        Description in one line.
    default : value
        Start value, unless the FMU is built with a configuration that sets another value.
    unit : str
        Unit of a Real.
    minimum, maximum : float or None
        Limits, both included.
    message : str
        OSI message type of an OSMP binary variable.
    allowed : str
        Allowed values of a String.
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
        """Variability as in FMI 2.0: discrete for inputs and outputs, else fixed or tunable."""
        if self.causality in ("input", "output"):
            return "discrete"
        return "tunable" if self.tunable else "fixed"


def _message(name: str, causality: Causality, message: str, description: str) -> Variable:
    return Variable(
        name=name, kind="Binary", causality=causality, message=message, description=description
    )


def _mounting() -> Iterator[Variable]:
    text = {
        "x": "distance forward of the centre of the rear axle",
        "y": "distance to the left of the centre of the rear axle",
        "z": "height above the centre of the rear axle",
        "roll": "angle about x, applied first",
        "pitch": "angle about y, positive looks down",
        "yaw": "angle about z, positive turns left",
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
        "rolling_shutter": "starts at the pose of the sensor at its firing time",
        "motion_blur": "meets moving objects at their poses at its firing time",
    }
    for name, meaning in text.items():
        yield Variable(
            name=name,
            kind="Boolean",
            causality="parameter",
            default=True,
            tunable=True,
            description=f"Whether each beam of the first sensor {meaning}.",
        )


MESSAGES = (
    _message(
        "OSMPSensorViewIn", "input", "SensorView", "Ground truth as seen from the host vehicle."
    ),
    _message(
        "OSMPGroundTruthIn",
        "input",
        "GroundTruth",
        "Ground truth without a SensorView; used if OSMPSensorViewIn is empty.",
    ),
    _message("OSMPSensorDataOut", "output", "SensorData", "Detections of all sensors."),
    _message(
        "OSMPSensorViewOut",
        "output",
        "SensorView",
        "The input message with lidar_sensor_view: one reflection per ray. Requires "
        "sensor_view_out.",
    ),
    _message(
        "OSMPSensorViewInConfigRequest",
        "calculatedParameter",
        "SensorViewConfiguration",
        "Configuration requested by the model; once the master has set one, that configuration.",
    ),
    _message(
        "OSMPSensorViewInConfig",
        "parameter",
        "SensorViewConfiguration",
        "Configuration granted by the master.",
    ),
    _message(
        "OSMPGroundTruthInit",
        "parameter",
        "GroundTruth",
        "Static objects and environment, which later messages may omit.",
    ),
)

OUTPUTS = (
    Variable(
        name="valid",
        kind="Boolean",
        causality="output",
        default=False,
        description="Whether the last step had a usable message.",
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
        description="Configuration file to use instead of the one inside the FMU.",
    ),
    Variable(
        name="preset",
        kind="String",
        causality="parameter",
        default="OS1-128",
        allowed="a name of `osi-lidar sensors`",
        description="Name of a sensor to use instead of the configured sensors.",
    ),
    Variable(
        name="fidelity",
        kind="String",
        causality="parameter",
        default="ideal",
        allowed="ideal or physical",
        description="Fidelity of all sensors: physical adds divergence, echoes, noise and false "
        "alarms.",
    ),
    Variable(
        name="columns",
        kind="Integer",
        causality="parameter",
        default=0,
        minimum=0,
        maximum=MAX_INTEGER,
        description="Columns per revolution of the first sensor; 0: the number of the preset.",
    ),
    *_mounting(),
    Variable(
        name="min_range_m",
        kind="Real",
        causality="parameter",
        default=0.8,
        unit="m",
        minimum=0.0,
        description="Minimum range of the first sensor.",
    ),
    Variable(
        name="max_range_m",
        kind="Real",
        causality="parameter",
        default=120.0,
        unit="m",
        minimum=0.0,
        description="Maximum range of the first sensor.",
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
        description="Seed of all random numbers.",
    ),
    Variable(
        name="ground",
        kind="String",
        causality="parameter",
        default="auto",
        allowed="auto, none, or a height in metres",
        description="Ground plane; auto: a ground plane if there is no environment mesh.",
    ),
    Variable(
        name="weather",
        kind="String",
        causality="parameter",
        default="",
        tunable=True,
        allowed="auto, none, `{rain_mm_h: 10, ..}`, or path of a YAML or .xosc file",
        description="Weather of physical sensors; empty: as configured.",
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
        description="Folder for point clouds, in a subfolder named after the instance; "
        "empty: none.",
    ),
    Variable(
        name="trace_folder",
        kind="String",
        causality="parameter",
        default="",
        allowed="path of a folder",
        description="Folder for the SensorData trace, in a subfolder named after the instance; "
        "empty: none.",
    ),
    Variable(
        name="log_level",
        kind="String",
        causality="parameter",
        default="info",
        allowed=", ".join(LOG_LEVELS),
        description="Lowest level of the messages passed to the master's log.",
    ),
)

VARIABLES = (*MESSAGES, *OUTPUTS, *PARAMETERS)

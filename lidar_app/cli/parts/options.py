# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Options that several commands share, and the configuration that results from them."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from pathlib import Path
from sys import maxsize
from typing import TYPE_CHECKING, Annotated, Literal

from lidar_app.cli.parts.completion import known_sensors, one_of, sensors_of_run
from lidar_app.cli.parts.parameters import INPUT, OUTPUT, SCENE, SENSOR, argument, option, switch
from lidar_app.cli.parts.weather import WeatherOption, asked_weather
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.config import Config
    from osi_lidar.run.frame_source import FrameSource

logger = logging.getLogger(__name__)

TraceArgument = Annotated[
    Path, argument("TRACE", "OSI trace: .osi .mcap .txth, also .gz .xz; or a bundle: .osib")
]
EarlierArgument = Annotated[Path | None, argument("FILE", "")]
"""Type of a hidden positional argument for a file, which is accepted as in version 0.2."""
ConfigOption = Annotated[
    Path | None,
    option(
        "FILE",
        "Configuration (YAML), as `osi-lidar config init` writes one, or a bundle. Default: one "
        "OS1-128.",
        INPUT,
        "--config",
        "-c",
    ),
]
OverwriteOption = Annotated[bool, switch("Replace an earlier run in the output folder.", OUTPUT)]
HostOption = Annotated[
    int | None,
    option("ID", "OSI id of the host vehicle. Default: as the messages state it.", INPUT),
]
TypeOption = Annotated[
    str | None,
    option(
        "TYPE",
        "SensorView or GroundTruth. Default: by the file's name, schema or content.",
        INPUT,
        "--type",
        complete=one_of("SensorView", "GroundTruth"),
    ),
]
TraceSourceOption = Annotated[
    str | None,
    option(
        "SOURCE",
        "Topic to read from an MCAP trace with several channels of messages; `osi-lidar info` "
        "lists them. Default: the only one.",
        INPUT,
        "--source",
    ),
]
FramesOption = Annotated[
    str | None, option("START:STOP[:STEP]", "Frames to read. Default: all.", INPUT)
]
FidelityOption = Annotated[
    Literal["ideal", "physical"] | None,
    option(
        "ideal|physical",
        "ideal: beams are lines, detection is sharp; physical: divergence, echoes, noise and "
        "false alarms of the sensor. Replaces the setting of all sensors. Default: as configured.",
        SENSOR,
    ),
]
StrictOption = Annotated[
    bool,
    switch(
        "Stop with an error if no rule maps a visual material, instead of using the default "
        "material.",
        SCENE,
    ),
]
MapOption = Annotated[
    Path | None,
    option(
        "FILE",
        "OpenDRIVE map (.xodr), drawn as the road. Default: as configured, or as the trace "
        "names it.",
        SCENE,
        "--map",
    ),
]
SurroundingsOption = Annotated[
    bool,
    switch(
        "Make up trees, hedges, lamp posts, fences and houses beside the roads. Default: as "
        "configured.",
        SCENE,
    ),
]
CalibrationOption = Annotated[
    Path | None,
    option("FILE", "The maker's file of this unit. Default: the known sensor's angles.", SENSOR),
]
ColumnsOption = Annotated[
    int | None,
    option(
        "N",
        "Columns per turn, where the sensor offers a choice. Default: the sensor's own.",
        SENSOR,
        limits=(1, None),
    ),
]
MetadataOption = Annotated[
    Path | None,
    option(
        "FILE",
        "File that is needed to decode packets: Ouster metadata (JSON), Hesai angle correction "
        "(CSV). Default: none.",
        INPUT,
    ),
]
SourceOption = Annotated[
    str | None,
    option(
        "SOURCE",
        "Sensor to read from a recording of several: ADDRESS[:PORT] in a capture, topic in a bag "
        "or MCAP file, serial number or index of an Ouster sensor. Default: the only one.",
        INPUT,
        "--source",
    ),
]
SimSourceOption = Annotated[
    str | None,
    option("SOURCE", "As --source, for the simulated clouds. Default: the only one.", INPUT),
]
JsonOption = Annotated[bool, switch("Print JSON, for programs.", OUTPUT, "--json")]


@dataclass(frozen=True)
class Setup:
    """Values of options for the configuration of a run.

    Attributes
    ----------
    config : Path or None
        File of the configuration (YAML); None: a default configuration with one sensor.
    sensor : str or None
        Known sensor that replaces all configured sensors, at the mounting of the first one; None:
        as configured, or without `config` an OS1-128.
    fidelity : {"ideal", "physical"} or None
        Fidelity of all sensors; None: as configured, or without `config` "ideal".
    strict : bool
        True: a run stops with an error if no rule maps a visual material. False: as configured.
    """

    config: ConfigOption = None
    sensor: str | None = option(
        "NAME",
        "Known sensor that replaces all configured sensors, at the mounting of the first one; "
        "`osi-lidar sensors` lists the names. Default: as configured.",
        SENSOR,
        complete=known_sensors,
    )
    fidelity: FidelityOption = None
    strict: StrictOption = False

    def configuration(self) -> Config:
        """Return the configuration in the file `config`, changed by the other options."""
        from osi_lidar.config import default_config, load_config
        from osi_lidar.config.models import DEFAULT_SENSOR

        sensor = self.sensor or DEFAULT_SENSOR
        logger.info("configuration: %s", self.config or f"none, one {sensor}")
        if self.config is None:
            chosen = default_config(sensor, fidelity=self.fidelity or "ideal")
        else:
            chosen = load_config(self.config, sensor=self.sensor, fidelity=self.fidelity)
        return chosen.with_default_material(None) if self.strict else chosen


@dataclass(frozen=True)
class MappedSetup(Setup):
    """Values of options for the configuration of a run, with map, surroundings and weather.

    `configuration` returns the configuration that results from the options. The other options are
    as in `Setup`.

    Attributes
    ----------
    map_file : Path or None
        OpenDRIVE map, drawn as the road; None: as configured, or as the trace names it.
    surroundings : bool
        Whether trees, houses and other things beside the roads are made up; if False, as
        configured.
    weather : str or None
        "auto" (as the messages say), "none", or the path of a weather file; None: as configured.
    """

    map_file: MapOption = None
    surroundings: SurroundingsOption = False
    weather: WeatherOption = None

    def configuration(self) -> Config:
        """Return the configuration in the file `config`, changed by the other options.

        InputError or ConfigurationError is raised if the map or the weather cannot be used.
        """
        chosen, weather = super().configuration(), asked_weather(self.weather)
        if weather is not None:
            chosen = chosen.model_copy(update={"weather": weather})
        if self.surroundings:
            from osi_lidar.run.replay import with_surroundings

            chosen = with_surroundings(chosen)
        return chosen if self.map_file is None else chosen.with_map(existing_map(self.map_file))


@dataclass(frozen=True)
class TimedSetup(MappedSetup):
    """Values of options for the configuration of a run, with the timing of its scans.

    The other options are as in `MappedSetup` and `Setup`.

    Attributes
    ----------
    timing : {"per_message", "sensor_rate"} or None
        Timing of all sensors. "per_message": a scan ends with each message. "sensor_rate": scans
        follow each other at the sensor's own rate. None: as configured.
    """

    timing: Literal["per_message", "sensor_rate"] | None = option(
        "per_message|sensor_rate",
        "per_message: a scan ends with each message; sensor_rate: scans follow each other at the "
        "sensor's own rate, whatever the rate of the messages. Replaces the setting of all "
        "sensors. Default: "
        "as configured.",
        SENSOR,
    )

    def configuration(self) -> Config:
        """Return the configuration in the file `config`, changed by the other options."""
        from osi_lidar.run.replay import with_timing

        chosen = super().configuration()
        return chosen if self.timing is None else with_timing(chosen, self.timing)


@dataclass(frozen=True)
class ConfigFile:
    """Value of the option --config of commands that require a configuration.

    Attributes
    ----------
    config : Path or None
        File of the configuration (YAML); None: the option was not given.
    earlier : Path or None
        Second positional argument, which is not shown in the help. Version 0.2 had the arguments
        CONFIG and TRACE; `and_trace` still accepts this form.
    """

    config: Path | None = option("FILE", "Configuration (YAML). Required.", INPUT, "--config", "-c")
    earlier: EarlierArgument = None

    def and_trace(self, trace: Path | None, other: Path | None = None) -> tuple[Path, Path | None]:
        """Return the paths of the configuration and of the trace; the trace may be None.

        Users give them as ``[TRACE] -c CONFIG``. The form ``CONFIG [TRACE]`` of version 0.2 is
        accepted, too: without -c, the first argument is the configuration.

        Parameters
        ----------
        trace : Path or None
            The first positional argument.
        other : Path or None
            Trace that another option gives, used if there is no second positional argument.

        Raises
        ------
        InputError
            If there is no configuration, or a second trace.
        """
        earlier = self.earlier or other
        config = self.config
        if config is None:
            config, trace, earlier = trace, earlier, None
        if config is None:
            raise InputError("--config: got nothing, expected a configuration (YAML)")
        if trace is not None and earlier is not None:
            raise InputError(f"got {trace} and {earlier}, expected one trace")
        return config, trace or earlier


@dataclass(frozen=True)
class Messages:
    """Values of options for how the messages of a trace are read.

    Attributes
    ----------
    host : int or None
        OSI id of the vehicle that carries the sensors; None: the host that the messages state.
    message_type : {"SensorView", "GroundTruth"} or None
        Type of the messages; None: by the file's name, schema or content.
    source : str or None
        Topic to read from an MCAP trace with several channels; None: the only one.
    """

    host: HostOption = None
    message_type: TypeOption = None
    source: TraceSourceOption = None

    def of(self, trace: Path, frames: slice = slice(None)) -> FrameSource:
        """Return the frames of a trace, read with these options.

        Parameters
        ----------
        trace : Path
            File of the OSI trace.
        frames : slice
            Numbers of the frames to use; by default all frames.
        """
        from osi_lidar.run.frame_source import FrameSource

        return FrameSource(
            trace,
            message_type=self.message_type,
            host_id=self.host,
            frames=frames,
            source=self.source,
        )


@dataclass(frozen=True)
class ChosenScans:
    """Values of options that choose scans of a stored run.

    Attributes
    ----------
    sensor : list of str, or None
        Names of the sensors whose scans are chosen; None: all sensors.
    frames : str or None
        Numbers of the frames, as "START:STOP" or "START:STOP:STEP" (see `frame_slice`); None: all.
    """

    sensor: list[str] | None = option(
        "NAME", "Sensor of the run; may be repeated. Default: all.", INPUT, complete=sensors_of_run
    )
    frames: FramesOption = None


def existing_map(path: Path) -> Path:
    """Return the path of the map that --map states, after checking that it is a file.

    `path` is returned unchanged. InputError is raised if it does not exist or is no file.
    """
    if not path.is_file():
        what = "is not a file" if path.exists() else "no such file"
        raise InputError(f"--map: {what}: '{path}'")
    return path


def frame_slice(text: str | None, option_name: str = "--frames") -> slice:
    """Return the frame numbers that the text of an option states, as a slice.

    Parameters
    ----------
    text : str or None
        "START:STOP" or "START:STOP:STEP", as in Python, with numbers of 0 or more; a number may be
        left out. None: all frames.
    option_name : str
        Name of the option, for error messages.

    Raises
    ------
    InputError
        If the text is not of that form, the slice is empty, or STEP is below 1.
    """
    if text is None:
        return slice(None)
    parts = text.split(":")
    try:
        numbers = [min(int(part), maxsize) if part.strip() else None for part in parts]
    except ValueError:
        numbers = []
    start, stop, step = (*numbers, None, None, None)[:3]
    usable = len(parts) in (2, 3) and len(numbers) == len(parts)
    empty = stop is not None and stop <= (start or 0)
    if not usable or (start or 0) < 0 or empty or (step is not None and step < 1):
        raise InputError(
            f"{option_name}: got {text!r}, expected START:STOP or START:STOP:STEP, such as 10:20, "
            "with 0 <= START < STOP and STEP of at least 1"
        )
    return slice(start, stop, step)

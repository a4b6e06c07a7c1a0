# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``coverage``: blind zones around a vehicle, and ranges of road users."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lidar_app.cli.parts.compiling import compilation_message
from lidar_app.cli.parts.console import display, print_json, stoppable, tell
from lidar_app.cli.parts.options import FidelityOption, HostOption, JsonOption, Setup
from lidar_app.cli.parts.parameters import OUTPUT, argument, option, switch
from lidar_app.cli.parts.weather import WeatherOption, asked_weather
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from lidar_app.coverage.survey import Survey, SurveySettings
    from lidar_app.coverage.vehicle import CarryingVehicle
    from osi_lidar.config import Config

VEHICLE, ZONES, USERS = "Vehicle", "Blind zones", "Road users"
"""Groups of options in the help."""


@dataclass(frozen=True)
class CarrierOptions:
    """Values of options of ``osi-lidar coverage`` for the vehicle that carries the sensors.

    Attributes
    ----------
    host : int or None
        OSI id of the host vehicle in the trace; None: the host that the messages state.
    vehicle : str or None
        "L,W,H": length, width and height in metres. "none": no vehicle, and the origin of the
        mountings is on the ground. None: the host of the trace, or without a trace an assumed car.
    model : str or None
        Model reference of the vehicle, as an OSI message would name its mesh; None: none is stated.
    """

    host: HostOption = None
    vehicle: str | None = option(
        "L,W,H|none",
        "Length, width and height of the vehicle in metres; none: no body, the ground is at z = 0 "
        "of the mountings. Default: the host of TRACE, else 4.4,1.8,1.45.",
        VEHICLE,
    )
    model: str | None = option(
        "REFERENCE",
        "Model reference of the vehicle, as in a trace; the rules of scene.objects apply to it. "
        "Default: as the trace names it, else a built-in car.",
        VEHICLE,
    )

    def of(self, trace: Path | None) -> CarryingVehicle:
        """Return the vehicle that carries the sensors, from a trace or from the options.

        Parameters
        ----------
        trace : Path or None
            OSI trace: the vehicle is the host of its first frame. None: the vehicle is as the
            options `vehicle` and `model` state.

        Raises
        ------
        InputError
            If `host` is given without a trace, `vehicle` or `model` with one, or `model` with the
            vehicle "none"; or if `vehicle` has another form, or the trace has no host at first.
        OsiError
            If the trace cannot be read.
        """
        from lidar_app.coverage.vehicle import stated_vehicle, vehicle_of_trace
        from osi_lidar.run.frame_source import FrameSource

        if trace is None:
            if self.host is not None:
                raise InputError(
                    "--host: needs a TRACE; without one, set the vehicle with --vehicle"
                )
            return stated_vehicle(self.vehicle, self.model or "")
        for name, value in (("--vehicle", self.vehicle), ("--model", self.model)):
            if value is not None:
                raise InputError(
                    f"got the trace {trace} and {name}, expected only one of them: the vehicle "
                    f"comes from the trace or from {name}"
                )
        return vehicle_of_trace(FrameSource(trace, host_id=self.host, frames=slice(0, 1)))


@dataclass(frozen=True)
class SurveyOptions:
    """Values of options of ``osi-lidar coverage``: where blind zones and road users are searched.

    The ground around the vehicle is divided into square cells. Road users are placed around the
    vehicle in several directions.

    Attributes
    ----------
    cell : float
        Side length of a cell. [m]
    extent : float
        Distance from the vehicle up to which there are cells. [m]
    height : list of float, or None
        Heights above the ground at which blind zones are searched; None: 0, 0.3 and 1 m. [m]
    within : list of float, or None
        Distances from the vehicle within which the area of blind zones is summed. None: those of 5,
        10 and 20 m that do not exceed `extent`, or `extent` if all do. [m]
    zones : bool
        True: only blind zones are searched, and no road users are placed.
    points : int
        Least number of points at which a road user counts as seen.
    directions : int
        Number of directions around the vehicle in which road users are placed, a multiple of 4.
    """

    cell: float = option("METRES", "Side length of a cell of the ground.", ZONES, default=0.5)
    extent: float = option(
        "METRES", "Distance from the vehicle up to which there are cells.", ZONES, default=20.0
    )
    height: list[float] | None = option(
        "METRES", "Height above ground for blind zones, repeatable. Default: 0, 0.3 and 1.", ZONES
    )
    within: list[float] | None = option(
        "METRES",
        "Distance from the vehicle within which blind zones are added up, repeatable. Default: 5, "
        "10 and 20, up to --extent.",
        ZONES,
    )
    zones: bool = switch("Only blind zones, no road users.", ZONES)
    points: int = option(
        "N", "Points that a road user needs to be seen.", USERS, default=5, limits=(1, None)
    )
    directions: int = option(
        "N", "Directions around the vehicle, a multiple of 4.", USERS, default=12, limits=(4, 360)
    )

    def settings(self) -> SurveySettings:
        """Return the settings of the survey that these options state.

        Heights and distances are sorted, and equal ones are listed once. InputError is raised if a
        value is out of range.
        """
        from lidar_app.coverage.survey import HEIGHTS_M, WITHIN_M, SurveySettings
        from lidar_app.coverage.targets import ROAD_USERS

        near_m = tuple(each for each in WITHIN_M if each <= self.extent) or (self.extent,)
        return SurveySettings(
            cell_m=self.cell,
            extent_m=self.extent,
            heights_m=HEIGHTS_M if self.height is None else tuple(sorted({*self.height})),
            within_m=near_m if self.within is None else tuple(sorted({*self.within})),
            n_directions=self.directions,
            n_points=self.points,
            road_users=() if self.zones else tuple(ROAD_USERS),
        )


@dataclass(frozen=True)
class SensingOptions:
    """Values of options of ``osi-lidar coverage`` that replace settings of the configuration.

    Attributes
    ----------
    fidelity : {"ideal", "physical"} or None
        Fidelity of all sensors; None: as configured.
    weather : str or None
        Value of ``--weather``: "auto", "none", or the path of a weather file; None: as configured.
    """

    fidelity: FidelityOption = None
    weather: WeatherOption = None

    def configuration(self, path: Path) -> Config:
        """Return the configuration in a file, with the fidelity and weather of these options.

        Parameters
        ----------
        path : Path
            File of the configuration (YAML).

        Raises
        ------
        InputError
            If `weather` is given and all sensors are ideal, so that weather has no effect.
        """
        config = Setup(config=path, fidelity=self.fidelity).configuration()
        section = asked_weather(self.weather)
        if section is None:
            return config
        if not any(each.is_physical for each in config.sensors):
            raise InputError(
                "--weather: all sensors are ideal, so weather has no effect; set --fidelity "
                "physical"
            )
        return config.model_copy(update={"weather": section})


@dataclass(frozen=True)
class ResultOptions:
    """Values of options of ``osi-lidar coverage`` for the form of its results.

    Attributes
    ----------
    plot : Path or None
        Picture to write (PNG): points around the vehicle from above, and ranges of road users;
        None: no picture.
    cells : Path or None
        Table to write (CSV) of all cells of the ground; None: no table.
    as_json : bool
        True: results are printed as JSON; False: as tables.
    """

    plot: Path | None = option(
        "FILE.png", "Picture to write: the vehicle from above. Default: none.", OUTPUT
    )
    cells: Path | None = option("FILE.csv", "Table of all cells to write. Default: none.", OUTPUT)
    as_json: JsonOption = False

    def write(self, seen: Survey) -> None:
        """Print the results of a survey to stdout, and write the files that the options name.

        Parameters
        ----------
        seen : Survey
            Blind zones around the vehicle, and distances at which its sensors see road users.
        """
        from lidar_app.show.coverage_tables import coverage_dict, coverage_tables, write_cells

        written: list[str] = []
        if self.plot is not None:
            from lidar_app.show.plots.coverage import coverage_picture

            written.append(f"Plot: {coverage_picture(seen, self.plot)}")
        if self.cells is not None:
            written.append(f"Cells: {write_cells(seen, self.cells)}")
        if self.as_json:
            print_json(coverage_dict(seen))
            return
        display(*coverage_tables(seen))
        for each in written:
            tell(each)


def coverage(
    config: Annotated[Path, argument("CONFIG", "Configuration (YAML) of the sensors.")],
    trace: Path | None = argument("TRACE", "OSI trace, whose host carries the sensors."),
    *,
    carrier: CarrierOptions,
    survey_options: SurveyOptions,
    sensing: SensingOptions,
    results: ResultOptions,
) -> None:
    """Show blind zones around a vehicle, and at which distances its sensors see road users."""
    if results.plot is not None:
        importlib.import_module("lidar_app.show.plots.coverage")  # says what it needs, if absent
    settings = survey_options.settings()
    chosen = sensing.configuration(config)
    vehicle = carrier.of(trace)
    results.write(_survey(chosen, vehicle, settings, trace))


def _survey(
    config: Config, vehicle: CarryingVehicle, settings: SurveySettings, trace: Path | None
) -> Survey:
    from lidar_app.coverage.survey import survey

    n = len(settings.road_users) * settings.n_directions
    with compilation_message(), stoppable("directions", n, unit="directions") as going:
        seen = survey(
            config,
            vehicle,
            settings,
            trace_folder=None if trace is None else trace.parent,
            on_progress=going,
        )
    if seen is None:
        raise KeyboardInterrupt
    return seen

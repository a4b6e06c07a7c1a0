# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The check of a configuration before a run: nothing is traced, nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from lidar_app.show.check_beams import beam_doubts
from lidar_app.show.check_windows import weather_doubts, window_findings
from lidar_app.show.tables import lacks_roads
from lidar_scenery.weather.ground import check_water
from lidar_scenery.weather.sources.from_osi import weather_of
from material_mapping import UnmappedMaterialError
from material_mapping.mapping.resolver import GUESS
from osi_bridge import DamagedTrace, empty_frame
from osi_lidar.config import check_files, default_config, load_config
from osi_lidar.config.models import DEFAULT_MATERIAL, DEFAULT_SENSOR
from osi_lidar.config.weather import configured_weather, over_messages
from osi_lidar.errors import ConfigurationError
from osi_lidar.output.writers import missing_libraries
from osi_lidar.run.inputs_read import files_read, not_followed
from osi_lidar.run.replay import model_of, with_surroundings, with_timing
from osi_lidar.scan.from_config import scan_pattern
from osi_lidar.scan.timing import rate_warnings, time_content, time_lines
from osi_lidar.world.fallbacks import printable
from osi_lidar.world.ground import ground_words
from osi_lidar.world.materials import intensity_words, unused_rules
from raycore.errors import MeshError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from lidar_app.show.check_windows import WindowFinding
    from lidar_base.unfollowed import NotFollowed
    from lidar_scenery.weather.state import Weather
    from material_mapping import MaterialResolver
    from osi_lidar.config import Config, Sensor, WeatherSection
    from osi_lidar.config.fidelity import Fidelity
    from osi_lidar.config.values import Timing
    from osi_lidar.model import LidarModel
    from osi_lidar.run.frame_source import FrameSource
    from osi_lidar.world.fallbacks import Fallback
    from osi_lidar.world.object_records import ObjectInScene
    from raycore.pattern.scan_pattern import ScanPattern


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceFinding:
    """Facts about a trace, from its complete messages.

    Attributes
    ----------
    message_type : str
        "SensorView" or "GroundTruth".
    n_frames : int
        Number of messages.
    first_ns, last_ns : int
        Timestamps of the first and the last message. [ns]
    time_lines : tuple of str
        Lines of text about the rates of messages and scans.
    rate_warnings : tuple of str
        Warnings for sensors that would scan at another rate than their configured one.
    hosts : tuple of str
        Descriptions of the host vehicles, each once, in the order in which they appear.
    """

    message_type: str
    n_frames: int
    first_ns: int
    last_ns: int
    time_lines: tuple[str, ...]
    rate_warnings: tuple[str, ...]
    hosts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentFinding:
    """A mesh of the scene's environment.

    Attributes
    ----------
    name : str
        Name of the mesh.
    n_triangles : int
        Number of its triangles.
    bounds_m : float64 (2, 3)
        Bounds of the mesh in the world: lower and upper corner. [m]
    """

    name: str
    n_triangles: int
    bounds_m: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class MaterialFinding:
    """An infrared material, and the visual materials that one rule assigns to it.

    Attributes
    ----------
    material : str
        The infrared material.
    visual_names : tuple of str
        The visual materials, each once.
    chosen_by : str
        Description of the rule.
    substitutes : tuple of str
        Descriptions of what replaces missing data, such as a value at another wavelength.
    """

    material: str
    visual_names: tuple[str, ...]
    chosen_by: str
    substitutes: tuple[str, ...]


@dataclass(slots=True, kw_only=True)
class Findings:
    """Result of `check`: inputs that a run would use, and problems in them; None: not checked.

    Attributes
    ----------
    missing : list of str
        A line for each problem that a run would fail with.
    damage : DamagedTrace or None
        Where the trace is damaged; None if it is not.
    sensors : tuple of (Sensor, ScanPattern)
        The sensors, each with its scan pattern.
    warnings : tuple of str
        A line for each doubtful value that a run would accept.
    trace : TraceFinding or None
        Facts about the trace; None without a trace, or if it has no complete message.
    has_trace : bool
        Whether a trace was read.
    objects : tuple of ObjectInScene
        The objects at the end of the trace.
    environment : tuple of EnvironmentFinding or None
        The meshes of the environment.
    ground : str
        Description of the ground, or of what stands in for it beside an environment's mesh.
    roads : tuple of str
        Sources of the roads, such as lanes or a map.
    lacks_roads : bool
        Whether roads are configured, but the trace has no lanes, and nothing replaces them.
    weather : Weather or None
        The weather, at the end of the trace.
    windows : tuple of WindowFinding
        Sensor windows that are not clear.
    materials : tuple of MaterialFinding or None
        The infrared materials in use.
    intensity : str
        Source of the intensities: materials stated by the inputs, or guessed materials.
    unused_rules : tuple of str
        Configured rules (for materials or objects) that match nothing.
    fallbacks : tuple of Fallback
        Missing inputs and their replacements.
    n_files : int
        Number of files that the run reads: configuration, trace, map and meshes.
    not_followed : mapping of str to tuple of NotFollowed
        Kinds of content in the inputs that are ignored, by the name of the input.
    """

    missing: list[str]
    damage: DamagedTrace | None = None
    sensors: tuple[tuple[Sensor, ScanPattern], ...] = ()
    warnings: tuple[str, ...] = ()
    trace: TraceFinding | None = None
    has_trace: bool = False
    objects: tuple[ObjectInScene, ...] = ()
    environment: tuple[EnvironmentFinding, ...] | None = None
    ground: str = ""
    roads: tuple[str, ...] = ()
    lacks_roads: bool = False
    weather: Weather | None = None
    windows: tuple[WindowFinding, ...] = ()
    materials: tuple[MaterialFinding, ...] | None = None
    intensity: str = ""
    unused_rules: tuple[str, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()
    n_files: int = 0
    not_followed: Mapping[str, tuple[NotFollowed, ...]] = field(default_factory=dict)

    @property
    def sum_line(self) -> str:
        """Text with the numbers of files read, inputs substituted, and kinds of content ignored."""
        n_kinds = sum(map(len, self.not_followed.values()))
        return (
            f"Files followed: {self.n_files}. Inputs substituted: {len(self.fallbacks)}. "
            f"Kinds of content not followed: {n_kinds}."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """Options of the command line that replace values of the configuration; None: as configured.

    Attributes
    ----------
    sensor : str or None
        Name of a known sensor that replaces all configured sensors.
    fidelity : {"ideal", "physical"} or None
        Fidelity of all sensors.
    map_file : Path or None
        OpenDRIVE map.
    timing : {"per_message", "sensor_rate"} or None
        Timing of all sensors.
    surroundings : bool
        Whether to generate surroundings beside the roads, unless already configured.
    weather : WeatherSection or None
        Weather of the run.
    """

    sensor: str | None = None
    fidelity: Fidelity | None = None
    map_file: Path | None = None
    timing: Timing | None = None
    surroundings: bool = False
    weather: WeatherSection | None = None


def check(
    config_path: Path | None,
    source: FrameSource | None = None,
    *,
    strict: bool = False,
    replaced: Replaced | None = None,
) -> Findings:
    """Check a configuration, and a trace if given, before a run; no rays are traced.

    A problem that a run would fail with is a line in `Findings.missing`; it ends the check.

    Parameters
    ----------
    config_path : Path or None
        The configuration; None: the default configuration.
    source : FrameSource, optional
        The trace that the run would read.
    strict : bool
        Whether a visual material that no rule maps is a problem. Always the case with
        ``materials.default: null``.
    replaced : Replaced, optional
        Options that replace values of the configuration.

    Raises
    ------
    ConfigurationError, OsiError
        If the configuration is not valid, or the trace cannot be read.
    """
    config = _chosen(config_path, replaced or Replaced())
    if config.materials.default is None:
        strict, config = True, config.with_default_material(DEFAULT_MATERIAL)
    missing = [*check_files(config), *missing_libraries(config.output)]
    findings = Findings(missing=[f"{config_path}: {line}" for line in missing])
    if missing:
        return findings
    findings.sensors = tuple((sensor, scan_pattern(sensor)) for sensor in config.sensors)
    of_beams = (line for pair in findings.sensors for line in beam_doubts(*pair))
    findings.warnings = (*of_beams, *weather_doubts(config))
    try:
        findings.weather = configured_weather(config.weather)
        model = model_of(config, source)
        findings.windows = tuple(window_findings(config, model.lidars))
        if source is None:
            model.world.update(empty_frame())
        else:
            _follow(source, model, findings)
            findings.objects = model.world.objects.listed
        _check_wet_roads(config, findings.weather)
    except (ConfigurationError, MeshError) as error:
        findings.missing.append(str(error))
        return findings
    if strict and model.materials.without_rule:
        findings.missing += [
            str(UnmappedMaterialError(each.visual_name, each.mesh, each.problems))
            for each in model.materials.without_rule
        ]
        return findings
    findings.environment = tuple(
        EnvironmentFinding(**each._asdict()) for each in model.world.environment.bounded
    )
    ground = model.world.ground
    has_mesh = bool(model.world.environment)
    findings.ground = ground_words(ground, environment=True) if has_mesh else ground.words
    findings.roads = model.world.roads.lines
    findings.lacks_roads = source is not None and lacks_roads(
        config.scene, findings.roads, findings.ground
    )
    findings.materials = _materials(model.materials)
    findings.intensity = intensity_words(model.materials)
    findings.unused_rules = unused_rules(model.materials, model.world.assets)
    if source is not None:
        findings.unused_rules += model.world.assets.unused_rules
    findings.fallbacks = tuple(model.fallbacks)
    findings.not_followed = not_followed(model)
    findings.n_files = sum(map(bool, (config_path, source, *files_read(model))))
    return findings


def _check_wet_roads(config: Config, weather: Weather) -> None:
    """Raise ConfigurationError if roads are wet at a wavelength without optical data of water."""
    if weather.road_water_mm > 0.0:
        for sensor in config.sensors:
            if sensor.is_physical:
                check_water(sensor.wavelength_nm)


def _chosen(path: Path | None, replaced: Replaced) -> Config:
    """Return the configuration of a file, or the default one, with the options applied."""
    sensor, fidelity = replaced.sensor, replaced.fidelity
    if path is None:
        config = default_config(sensor or DEFAULT_SENSOR, fidelity=fidelity or "ideal")
    else:
        config = load_config(path, sensor=sensor, fidelity=fidelity, check=False)
    if replaced.timing is not None:
        config = with_timing(config, replaced.timing)
    if replaced.surroundings:
        config = with_surroundings(config)
    if replaced.weather is not None:
        config = config.model_copy(update={"weather": replaced.weather})
    return config if replaced.map_file is None else config.with_map(replaced.map_file)


def _follow(source: FrameSource, model: LidarModel, findings: Findings) -> None:
    """Update the world with all complete messages of the trace, and record facts of the trace."""
    world = model.world
    hosts: dict[str, None] = {}
    unseen = "" if model.config.scene.host_visible else " (its sensors do not see it)"
    first = last = None
    try:
        for message in source.messages(thorough=True):
            if message.frame is None:
                model.leave_out_late()
                continue
            last = message.frame
            first = first or last
            model.hear(last)
            world.update(last)
            host = last.host
            words = "none" if host is None else f"object {host.object_id}{unseen}, {host.source}"
            hosts[words] = None
    except DamagedTrace as damage:
        findings.damage = damage
    findings.has_trace = True
    if first is not None and last is not None:
        time = time_content(model.lidars, model.times)
        findings.trace = TraceFinding(
            message_type=first.message_type,
            n_frames=last.index + 1,
            first_ns=first.time_ns,
            last_ns=last.time_ns,
            time_lines=tuple(time_lines(time)),
            rate_warnings=tuple(rate_warnings(time)),
            hosts=tuple(hosts),
        )
        if findings.weather is not None and model.config.weather.messages:
            findings.weather = over_messages(
                findings.weather, weather_of(last.conditions, last.lanes)
            )


def _materials(materials: MaterialResolver) -> tuple[MaterialFinding, ...]:
    """Return the materials in use, with one entry for all visual names of the same rule."""
    alike: dict[tuple[str, str, str], list[str]] = {}
    for found in materials.resolved:
        remarks = "; ".join(map(printable, found.problems))
        row = found.material, _origin(found.rule), remarks
        alike.setdefault(row, []).append(printable(found.visual_name) or "(none)")
    stand_ins: dict[str, list[str]] = {}
    for name, wanted, taken in materials.stand_ins:
        stand_ins.setdefault(name, []).append(f"{wanted:g} nm: as at {taken:g} nm")
    return tuple(
        MaterialFinding(
            material=material,
            visual_names=tuple(dict.fromkeys(names)),
            chosen_by=origin,
            substitutes=(*stand_ins.get(material, []), *filter(None, [remarks])),
        )
        for (material, origin, remarks), names in alike.items()
    )


def _origin(rule: str | None) -> str:
    """Return a description of the rule that chose a material."""
    if rule is None:
        return "default"
    if rule == "built-in":
        return "built-in rule"
    if rule.startswith(GUESS):
        return printable(rule)
    if ".xomm: " in rule:
        return f"asset's or database's mapping {printable(rule)}"
    return f"rule {printable(rule)}"

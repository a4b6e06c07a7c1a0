# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The configuration, version 1, as frozen pydantic models: one class per mapping of the file.

The descriptions of the fields are the text of docs/reference/configuration.md, by
``config.reference``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, PrivateAttr, field_validator, model_validator

from lidar_base.near_match import near_match
from lidar_base.sections import Section, SomePath, problem_at
from lidar_base.tables import table
from material_mapping.texture_section import TextureSection
from osi_lidar.config.scene import SceneSection
from osi_lidar.config.sensor import Sensor
from osi_lidar.config.values import (
    Azimuth,
    DepthStep,
    ObjectIds,
    Position,
    Seed,
    Switch,
)
from osi_lidar.config.weather import WeatherSection
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.units import Unit
from raycore.mesh.mesh_names import is_file

DepthFormat = Literal["none", "pfm", "exr", "npy", "pgm"]
MotionFormat = Literal["none", "text", "parquet", "both"]

DEFAULT_SENSOR = "OS1-128"
_SENSOR_HEADER = ("sensor", "kind", "fidelity", "max_range_m", "wavelength_nm")
DEFAULT_MATERIAL = "lambertian_50"


class Database(Section):
    """A folder of measured infrared materials."""

    folder: SomePath = Field(description="The folder, with sub-folders.")
    kind: Literal["auto", "ecostress", "tof945", "openmaterial"] = Field(
        default="auto",
        description="Format of the files in the folder; `auto`: detected from the files.",
    )
    lookup: Literal["floor", "nearest", "linear"] = Field(
        default="floor", description="For `tof945`: interpolation between the measured angles."
    )
    cosine: Literal["included", "excluded"] = Field(
        default="included",
        description="For `tof945`: whether the values include the cosine of the angle of "
        "incidence.",
    )

    @model_validator(mode="before")
    @classmethod
    def _folder_alone(cls, value: object) -> object:
        return {"folder": value} if isinstance(value, str | Path) else value

    def arguments(self) -> dict[str, Any]:
        """Return the arguments with which `material_mapping.open_database` opens the folder."""
        return self.model_dump()


_IN_MAPPING = ("define", "materials", "textures", "meshes")
_WHERE_DEFINED = (
    "belongs into the file that materials.mapping names; there `define: {my_wall: {reflectance: "
    "0.5}}` makes a material, and `materials: {Wall*: my_wall}` maps to it"
)


class Materials(Section):
    """The mapping from material names in meshes to infrared materials."""

    databases: tuple[Database, ...] = Field(
        default=(), description="Folders of measured materials; an entry may be just the path."
    )
    mapping: SomePath | None = Field(
        default=None, description="YAML file: `materials: {visual name or glob: material}`."
    )
    default: str | None = Field(
        default=DEFAULT_MATERIAL,
        description="Infrared material of every visual material that is not mapped; `null`: a "
        "visual material that is not mapped is an error, as with `--strict`.",
    )
    guess: Switch = Field(
        default=True,
        description="Whether a visual material that is not mapped gets the infrared material that "
        "`materials suggest` finds by its name and looks, if that is certain. Default: false if "
        "`mapping` or `default` is set, else true.",
    )

    texture: TextureSection | None = Field(
        default=None,
        description="Texture of materials of class `general` without a texture, for sensors with "
        "`texture`. Default: none.",
    )

    @model_validator(mode="before")
    @classmethod
    def _say_where_materials_are_defined(cls, data: object) -> object:
        for key, value in data.items() if isinstance(data, Mapping) else ():
            is_known = key in cls.model_fields or near_match(str(key), [*cls.model_fields])
            if not is_known and (isinstance(value, Mapping) or key in _IN_MAPPING):
                raise problem_at(str(key), message=_WHERE_DEFINED)
        return data

    @model_validator(mode="before")
    @classmethod
    def _guess_where_nothing_is_said(cls, data: object) -> object:
        if isinstance(data, Mapping) and "guess" not in data and {"mapping", "default"} & {*data}:
            return {**data, "guess": False}
        return data


class Output(Section):
    """Files that a run writes."""

    pcd: Literal["binary", "binary_compressed", "ascii", "none"] = Field(
        default="binary",
        description="Point clouds, one file per frame and sensor. Clouds of fewer than two points, "
        "and `ascii` clouds with ids of over 32 bits, are written as binary, because some readers "
        "fail otherwise.",
    )
    npy: Switch = Field(
        default=False,
        description="Whether point clouds are also written as numpy files (`.points.npy`): "
        "structured arrays with the fields of the PCD files.",
    )
    evd: Switch = Field(
        default=False,
        description="Whether point clouds are also written as BlenSor's `.evd` files, with the "
        "reported values and the values that a sensor without errors would measure.",
    )
    clean: Switch = Field(
        default=False,
        description="A second PCD file of each scan, in the folder `clean` of the sensor: the "
        "same points, row by row, without the sensor's errors.",
    )
    sensor_data: Literal["osi", "mcap", "none"] = Field(
        default="osi", description="OSI SensorData trace."
    )
    mcap: Literal["viewer", "none"] = Field(
        default="none",
        description="`viewer`: the run as one file `viewer.mcap` for Lichtblick, Foxglove and "
        "Rerun, as `export mcap` writes it ([viewers](../how-to/viewers.md)); needs the extra "
        "`viewers`.",
    )
    classification: Literal["unknown", "truth"] = Field(
        default="unknown",
        description="Classification of the detections in SensorData, also from an FMU or a stream. "
        "`truth`: detections of sensors with a `receiver` are INVALID if they are false alarms or "
        "ghosts, and CLUTTER if weather made them; no real sensor can tell.",
    )
    depth: DepthFormat = Field(
        default="none",
        description="Depth images of sensors whose pattern is a camera, one file per frame and "
        "sensor; `exr` needs the extra `exr`.",
    )
    depth_step_m: DepthStep = Field(
        default=0.001,
        description="Depth of one grey value in `pgm` images, whose largest value is 65535.",
    )
    ground_truth: Switch = Field(
        default=False,
        description="Each point as it would be without the sensor's errors: additional fields of "
        "the clouds, and a Parquet file per sensor, which needs the extra `parquet`.",
    )
    motion: MotionFormat = Field(
        default="none",
        description="Poses of the objects, one line or row per object and message; `parquet` "
        "and `both` need the extra `parquet`.",
    )
    motion_objects: ObjectIds | None = Field(
        default=None, description="OSI ids of the objects in `motion`; null: all objects."
    )

    @model_validator(mode="after")
    def _check_needs(self) -> "Output":
        for key, is_wanted in (("clean", self.clean), ("mcap", self.mcap != "none")):
            if is_wanted and self.pcd == "none":
                raise problem_at(key, message="needs pcd: binary, binary_compressed or ascii")
        if self.motion_objects is not None and self.motion == "none":
            raise problem_at("motion_objects", message="needs motion: text, parquet or both")
        return self


class Pose(Section):
    """A pose in the world from which `scan` scans."""

    time_s: float | None = Field(
        default=None,
        allow_inf_nan=False,
        ge=0,
        description="Time of the pose; set it for all poses or for none.",
    )
    x_m: Position = Field(default=0.0, description="Position.")
    y_m: Position = Field(default=0.0, description="Position.")
    z_m: Position = Field(default=0.0, description="Position.")
    roll_deg: Azimuth = Field(default=0.0, description="Rotation about x, applied first.")
    pitch_deg: Azimuth = Field(default=0.0, description="Rotation about y; positive looks down.")
    yaw_deg: Azimuth = Field(default=0.0, description="Rotation about z; positive turns left.")
    scan: Switch = Field(
        default=True,
        description="Whether a scan ends at this pose; false: the sensors only pass it.",
    )


class Config(Section):
    """A complete configuration; ``load_config`` and ``default_config`` make one.

    Examples
    --------
    >>> config = osi_lidar.load_config("config.yaml")
    >>> config.sensors[0].name, config.sensors[0].mounting.z_m
    ('roof', 1.9)
    """

    version: Literal[1] = Field(default=1, description="Version of this format.")
    sensors: tuple[Sensor, ...] = Field(min_length=1, description="Sensors, at least one.")
    scene: SceneSection = Field(
        default=SceneSection.unstated(), description="Meshes, roads, shapes of objects, and ground."
    )
    weather: WeatherSection = Field(
        default=WeatherSection.unstated(),
        description="Weather and light ([weather](../explanation/weather.md)): `auto`, what the "
        "messages say; "
        "`none`, clear and dry; or keys, which take precedence over the messages.",
    )
    materials: Materials = Field(default=Materials.unstated(), description="Infrared materials.")
    output: Output = Field(default=Output.unstated(), description="Files to write.")
    seed: Seed = Field(
        default=0,
        description="Seed of all random numbers: of noise, drops, textures and drawn units.",
    )
    poses: SomePath | tuple[Pose, ...] | None = Field(
        default=None,
        description="Poses from which `scan` scans, one frame each: a list, or a file ([poses]"
        "(#poses-of-scan)). Default: one frame from the mountings.",
    )

    _file: Path | None = PrivateAttr(default=None)

    @property
    def file(self) -> Path | None:
        """The file that this configuration was read from; None if it was made otherwise."""
        return self._file

    @property
    def told_sensors(self) -> str:
        """Names and kinds of the sensors as text, such as "roof OS1-128, front grid"."""
        return ", ".join(
            each.name if each.name == each.kind else f"{each.name} {each.kind}"
            for each in self.sensors
        )

    def __repr__(self) -> str:
        file = "" if self.file is None else f"{self.file.name}: "
        return f"Config({file}{self.told_sensors})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = (
            (each.name, each.kind, each.fidelity, each.max_range_m, each.wavelength_nm)
            for each in self.sensors
        )
        return table(repr(self), _SENSOR_HEADER, rows).html()

    def with_default_material(self, name: str | None) -> "Config":
        """Return a copy of the configuration with another `materials.default`.

        ``name`` is the infrared material of every visual material that is not mapped. None: such a
        visual material is an error.
        """
        materials = self.materials.model_copy(update={"default": name})
        return self.model_copy(update={"materials": materials})

    def with_map(self, file: Path) -> "Config":
        """Return a copy of the configuration with another map file, `scene.map`.

        ``file`` is the path of the map. The copy holds it as an absolute path.

        Raises
        ------
        ConfigurationError
            There is no such file.
        """
        if not is_file(file):
            raise ConfigurationError(f"scene.map: no such file: '{file}'")
        scene = self.scene.model_copy(update={"map": file.absolute()})
        return self.model_copy(update={"scene": scene})

    def resolved(self) -> dict[str, object]:
        """Return all values, also defaults, as nested dicts that JSON can hold; paths absolute."""
        return self.model_dump(mode="json")

    def model_post_init(self, context: object) -> None:
        """Pass the seed to the sensors, and set `file` from the context; pydantic calls this."""
        for sensor in self.sensors:
            sensor.take_seed(self.seed)
        if isinstance(context, Mapping):
            self._file = context.get("file")

    @model_validator(mode="after")
    def _check_output(self) -> "Config":
        if self.output.depth != "none" and not any(each.image_size for each in self.sensors):
            message = f"got {self.output.depth}, but no sensor has a pattern of kind camera"
            raise problem_at("output", "depth", message=message)
        has_receiver = any(each.receiver is not None for each in self.sensors)
        if self.output.classification == "truth" and not has_receiver:
            message = (
                "got truth, but no sensor has a receiver; set fidelity: physical or a section "
                "receiver"
            )
            raise problem_at("output", "classification", message=message)
        return self

    @field_validator("sensors", mode="after")
    @classmethod
    def _name_sensors(cls, sensors: tuple[Sensor, ...]) -> tuple[Sensor, ...]:
        taken = {sensor.name.lower() for sensor in sensors if sensor.name}
        named: list[Sensor] = []
        for index, sensor in enumerate(sensors):
            name = sensor.name or _free_name(sensor.preset or "lidar", taken)
            if any(name.lower() == other.name.lower() for other in named):
                raise problem_at(
                    index,
                    "name",
                    message=f"two sensors have the name '{name}', expected different names",
                )
            taken.add(name.lower())
            named.append(sensor.model_copy(update={"name": name}))
        return tuple(named)


def _free_name(wanted: str, taken: set[str]) -> str:
    """Return the first name of ``wanted``, ``wanted-2``, ``wanted-3`` .. that is not taken."""
    name, number = wanted, 2
    while name.lower() in taken:
        name, number = f"{wanted}-{number}", number + 1
    return name


def drawn_units(sensors: Iterable[Sensor]) -> dict[str, Unit]:
    """Return a randomly drawn unit for each sensor with ``unit: drawn``, by name of the sensor.

    A unit is one specimen of the product: its differences from the typical figures of the preset.
    The same seed, preset and sensor name always give the same unit, with or without angles: a
    sensor whose angles are calibrated or not nominal gets none.

    Parameters
    ----------
    sensors : iterable of Sensor
        Sensors of a configuration; those without ``unit: drawn`` are left out.

    Returns
    -------
    dict of str to Unit
        The differences of each unit, by name of the sensor.
    """
    return {each.name: each.drawn_unit for each in sensors if each.unit == "drawn"}


def wavelengths_of(config: Config) -> dict[str, float]:
    """Return the wavelength of each sensor of a configuration.

    ``config`` is a `Config`. The result is a dict of the wavelengths, float [nm], by name of the
    sensor.
    """
    return {each.name: each.wavelength_nm for each in config.sensors}

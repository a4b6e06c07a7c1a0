# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Files of a twin: mesh, materials, configuration and poses, ready for ``osi-lidar scan``."""

from __future__ import annotations

import glob
import io
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import trimesh
import yaml

from lidar_base.files.whole_files import check_apart, replacing
from osi_lidar.errors import InputError, OutputError
from osi_lidar.run.pose_files import Poses, write_poses

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from lidar_gap.twin.building import Twin
    from lidar_gap.twin.reflectivity.censored import PlaceAlbedos
    from material_mapping.texture import Texture

SUFFIXES = (".glb", ".ply")
_BESIDE = (".yaml", ".poses.csv", ".materials.yaml", ".places.npz")
# reflectivity of light walls and paints, and their percentile
_BRIGHT, _BRIGHT_PERCENTILE = 0.8, 95.0


def class_names(reflectivity: NDArray[np.float64]) -> list[str]:
    """Return names of reflectivity classes, in units of 0.01 %: reflectivity_01250 for 12.5 %.

    ``reflectivity`` has the reflectivity of each class as a fraction, float64 (n_class,). The
    result is a list with one name per class.
    """
    return [f"reflectivity_{round(1e4 * value):05d}" for value in reflectivity]


def body_names(reflectivity: Sequence[float]) -> list[str]:
    """Return names of the materials of actors' bodies: body_01250 for 12.5 %.

    ``reflectivity`` has the different reflectivities of the bodies as fractions, a sequence of
    float. The result is a list with one name for each. No class of `class_names` has such a name,
    so that a body has no texture of the place.
    """
    return [f"body_{round(1e4 * value):05d}" for value in reflectivity]


def check_name(path: Path, inputs: Sequence[Path] = ()) -> None:
    """Check that a twin can be written without overwriting an input.

    Parameters
    ----------
    path : Path
        Path of the mesh to write, such as ``place.glb``. Further files are written beside it.
    inputs : sequence of Path
        Files that are read and must not be overwritten.

    Raises
    ------
    InputError
        If the suffix of the mesh is not one of `SUFFIXES`.
    OutputError
        If the path is a folder, or one of the files to write is an input.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: expected a name that ends in {' or '.join(SUFFIXES)}")
    if path.is_dir():
        raise OutputError(f"{path}: cannot be written: Is a directory")
    check_apart(product_files(path), inputs)


def product_files(path: Path) -> list[Path]:
    """Return the paths of all files that may be written for a twin, as a list, the mesh first.

    ``path`` is the path of the mesh, such as ``place.glb``. No file needs to exist.
    """
    return [path, *(path.with_suffix(each) for each in _BESIDE)]


def write_mesh(path: Path, twin: Twin, reflectivity: NDArray[np.float64]) -> None:
    """Write the mesh as GLB with a material for each class, or as PLY without materials.

    Coordinates are in the world frame, with z up.

    Parameters
    ----------
    path : Path
        The file, ending in .glb or .ply.
    twin : Twin
        The twin whose mesh is written.
    reflectivity : float64 (n_class,)
        Reflectivity of each class of ``twin.class_of_face``, which names its material. If empty,
        all faces have the material "surface". [1]

    Raises
    ------
    InputError
        If the suffix is neither .glb nor .ply.
    OutputError
        If the file cannot be written.
    """
    check_name(path)
    if path.suffix.lower() == ".ply":
        whole = trimesh.Trimesh(twin.mesh.vertices_m, twin.mesh.faces, process=False)
        _write(path, cast("bytes", whole.export(file_type="ply")))
        return
    scene, visual = trimesh.Scene(), cast("Any", trimesh.visual)
    names = class_names(reflectivity) if len(reflectivity) else ["surface"]
    for number, name in enumerate(names):
        faces = twin.mesh.faces[twin.class_of_face == number]
        if not len(faces):
            continue
        used, local = np.unique(faces, return_inverse=True)
        part = trimesh.Trimesh(twin.mesh.vertices_m[used], local.reshape(-1, 3), process=False)
        material = visual.material.PBRMaterial(name=name)
        part.visual = visual.TextureVisuals(material=material)
        scene.add_geometry(part, node_name=name, geom_name=name)
    _write(path, cast("bytes", cast("Any", scene).export(file_type="glb")))


def _write(path: Path, data: bytes | str) -> None:
    with replacing(path) as temporary:
        temporary.write_bytes(data.encode() if isinstance(data, str) else data)


def write_materials(
    path: Path,
    reflectivity: NDArray[np.float64],
    product: Product,
    textures: Sequence[Texture] = (),
) -> None:
    """Write the mapping table of a twin (YAML), with Lambertian or tabled materials.

    There is one material for each class of the mesh, and one for each reflectivity of bodies.

    Parameters
    ----------
    path : Path
        The file.
    reflectivity : float64 (n_class,)
        Reflectivity of each class, empty for a mesh without materials; above 1, the material is
        retroreflective. [1]
    product : Product
        Reflectivities of bodies; law of incidence, wavelength and source of the materials.
    textures : sequence of Texture
        Texture of each class, from the first; classes without one, and bodies, get none.

    Raises
    ------
    OutputError
        If the file cannot be written.
    """
    bodies = product.bodies or ()
    classes = class_names(reflectivity)
    names = [*classes, *body_names(bodies)]
    values = np.append(reflectivity, bodies)
    define: dict[str, dict[str, object]] = {}
    for name, value in zip(names, values.tolist(), strict=True):
        table = [[angle, round(value * factor, 6)] for angle, factor in product.law]
        define[f"twin_{name}"] = {
            "class": "general" if value <= 1 else "retroreflective",
            "reflectance": round(value, 6) if len(product.law) == 1 else table,
            "wavelength_nm": product.wavelength_nm,
            "source": product.source,
        }
    for name, texture in zip(classes, textures, strict=False):
        define[f"twin_{name}"]["texture"] = _texture(texture)
    mapping = {name: f"twin_{name}" for name in names}
    content = {"materials": mapping, "define": define}
    _write(path, yaml.safe_dump(content, sort_keys=False, default_flow_style=None))


def _texture(texture: Texture) -> dict[str, object]:
    """Return a texture as an entry of the mapping table."""
    scales = [list(scale) for scale in texture.scales]
    stated = {"spread": texture.spread, "correlation_m": scales, "keeps": texture.keeps}
    return {**stated, "source": texture.source}


def write_places(path: Path, places: PlaceAlbedos, white: float) -> None:
    """Write the reflectivity of each place and its uncertainty as a NumPy archive (.npz).

    Arrays are named as the attributes of `PlaceAlbedos`, with ``reflectivity`` in place of
    ``albedo``, and without ``laser_gain``.

    Parameters
    ----------
    path : Path
        The file.
    places : PlaceAlbedos
        The places.
    white : float
        Albedo of a white target, in the unit of the places' albedos.
    """
    data = io.BytesIO()
    np.savez_compressed(
        data,
        place_m=places.place_m.astype(np.float32),
        reflectivity=(places.albedo / white).astype(np.float32),
        log_sigma=places.log_sigma.astype(np.float32),
        n_beams=places.n_beams.astype(np.int32),
        n_returns=places.n_returns.astype(np.int32),
        scatter=np.float32(places.scatter),
    )
    _write(path, data.getvalue())


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Settings for the files of a twin, besides its shape.

    Attributes
    ----------
    white : float or None
        Albedo of a white Lambertian target, in the unit of the twin's albedos. With None, it is
        estimated by assuming that the 95th percentile of the surface has the reflectivity
        ``_BRIGHT``.
    law : tuple of (angle_deg, factor)
        Signal relative to normal incidence over the angle of incidence [deg], with which the
        albedos were found; a single pair means Lambert's law. As `SignalLaw.incidence`.
    sensor : mapping
        Keys of the sensor in the configuration, such as ``preset`` or ``calibration``.
    bodies : tuple of float or None
        The different reflectivities of the bodies of actors, ascending. The mapping table gets a
        material for each. None if the twin has no actors. [1]
    wavelength_nm : float
        Wavelength of the sensor. [nm]
    source : str
        Text on the source of the reflectivities, for the materials.
    """

    white: float | None = None
    law: tuple[tuple[float, float], ...]
    sensor: dict[str, object]
    bodies: tuple[float, ...] | None = None
    wavelength_nm: float = 905.0
    source: str = "strengths of the sensor's own returns"


def write_product(path: Path, twin: Twin, product: Product) -> Path:
    """Write a twin with all files that ``osi-lidar scan`` needs; return the configuration's path.

    Beside the mesh ``place.glb``, these are: ``place.yaml``; ``place.poses.csv``;
    ``place.materials.yaml`` if the clouds had strengths (not for a PLY mesh) or bodies have
    reflectivities; and ``place.places.npz`` if reflectivities were found from all beams. In the
    last case, the configuration also has the gains of the lasers, and the materials of the mesh
    (not of a PLY mesh, nor of bodies) have textures.

    Parameters
    ----------
    path : Path
        Path of the mesh, such as ``place.glb``; the other files are written beside it.
    twin : Twin
        The twin.
    product : Product
        Settings for the files, such as the keys of the sensor and the albedo of white.

    Raises
    ------
    InputError
        If the suffix of the mesh is not one of `SUFFIXES`.
    OutputError
        If a file cannot be written.
    """
    white = white_of(twin) if product.white is None else product.white
    reflectivity = twin.albedos / white
    config, poses = path.with_suffix(".yaml"), path.with_suffix(".poses.csv")
    write_mesh(path, twin, reflectivity)
    write_poses(poses, Poses(world_from_sensor=twin.world_from_sensor))
    content: dict[str, object] = {
        "version": 1,
        "sensors": [{"name": "lidar", **product.sensor, **_lasers(twin), **_still(product)}],
        "scene": _scene(path, product),
        "poses": poses.name,
    }
    mapped = reflectivity if path.suffix.lower() == ".glb" else np.empty(0)
    if len(mapped) or product.bodies:
        materials = path.with_suffix(".materials.yaml")
        source = f"{product.source}; 1 = {white:.6g}"
        write_materials(materials, mapped, replace(product, source=source), twin.textures)
        content["materials"] = {"mapping": materials.name}
    if twin.places is not None:
        write_places(path.with_suffix(".places.npz"), twin.places, white)
    _write(config, yaml.safe_dump(content, sort_keys=False, default_flow_style=None))
    return config


def _lasers(twin: Twin) -> dict[str, object]:
    """Return the gains of the lasers, if found, as keys of the sensor's configuration."""
    if twin.places is None:
        return {}
    return {"laser_gains": np.round(twin.places.laser_gain, 3).tolist()}


def _still(product: Product) -> dict[str, object]:
    """Return the sensor's keys for a replay of actors, where each cloud is taken at an instant."""
    if product.bodies is None:
        return {}
    at_origin = dict.fromkeys(("x_m", "y_m", "z_m"), 0.0)
    return {"mounting": at_origin, "rolling_shutter": False, "motion_blur": False}


def _scene(path: Path, product: Product) -> dict[str, object]:
    """Return the keys of the scene: the mesh, and the axes and origin of the actors' bodies."""
    place = {"environment": [{"mesh": path.name, "up": "z", "forward": "x"}]}
    if product.bodies is None:
        return {**place}
    named = f"{glob.escape(path.stem)}_actors/*"
    rule = {"match": {"model_reference": named}, "up": "z", "forward": "x", "origin": "as_is"}
    return {**place, "objects": [rule], "ground": "none"}


def white_of(twin: Twin) -> float:
    """Return an estimate of the albedo of white, from the brightest surfaces of the twin.

    ``twin`` (`Twin`) has the albedo of each face. The 95th percentile of them is taken for a
    reflectivity of 0.8. The result is in the unit of the albedos; it is 1 if the twin has none.
    """
    if not len(twin.albedos):
        return 1.0
    bright = np.percentile(twin.albedos[twin.class_of_face], _BRIGHT_PERCENTILE)
    return float(bright / _BRIGHT)

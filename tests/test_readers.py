# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Every reader of files lists what it does not follow: each is given a file with an unknown thing.

The readers are those that the program itself enumerates. One without a case here, or without a
reason why its files hold nothing unknown, fails.
"""

import ast
import struct
from pathlib import Path

import numpy as np
import pytest

from lidar_app.show.info.recognition import describe
from lidar_app.show.info.recording import BAG, CAPTURE, OUSTER
from lidar_gap.reading import FORMATS, read_clouds
from osi_lidar.clouds.pcd import write_pcd
from osi_lidar.config.weather import WeatherSection, configured_weather
from osi_lidar.sensors.calibration import reading as calibrations
from raycore.mesh.loading import load_mesh
from raycore.mesh.mesh_names import REFERENCE_SUFFIXES
from raycore.mesh.suffixes import USD_SUFFIXES
from tests.builders.files import written
from tests.builders.gltf import CAR_M, Gltf, block
from tests.builders.meshes import CUBE
from tests.builders.packets import capture, velodyne_packets
from tests.builders.ros_bags import CLOUD, cloud_message, database
from tests.builders.usd import square, stage, write_crate
from tests.lidar_scenery.roads.opendrive import small_maps
from tests.lidar_scenery.weather.sources import test_openscenario as scenarios
from tests.material_mapping.databases.openmaterial.helpers import write_json
from tests.osi_lidar.sensors.calibration import files, helios_files
from tests.raycore.mesh.test_formats import COLLADA, PLY_ASCII, UNIT_SQUARE, stl_binary

INFO = Path(describe.__code__.co_filename).parent
XYZ = [(axis, "<f4") for axis in "xyz"]
ROWS = np.ones(3, [*XYZ, ("wobble", "<f4")])
"""Points with a column that nobody reads."""


def told_by_info(path):
    return [each["what"] for each in describe(path).lists["not_followed"]]


def told_with_clouds(path):
    return [each.what for each in read_clouds(path)[0].not_followed]


def told_by_mesh(path):
    return [each.what for each in load_mesh(path).not_followed]


def a_gltf(path):
    made = Gltf()
    made.node("Body", mesh=made.mesh(*block(CAR_M)))
    made.content["extensionsUsed"] = ["MSFT_lod"]
    return made.write(path)


def a_glb(path):
    text = a_gltf(path.with_suffix(".gltf")).read_bytes()
    text += b" " * (-len(text) % 4)
    heads = (
        struct.pack("<4sII", b"glTF", 2, 20 + len(text)),
        struct.pack("<I4s", len(text), b"JSON"),
    )
    return written(path, b"".join((*heads, text)))


def a_stage(suffix):
    """Return what makes an OpenUSD file with a camera; of a package, the one layer in it."""

    def make(folder):
        pytest.importorskip("pxr", reason="usd-core is not installed")
        text = stage(square() + 'def Camera "C" {\n}\n')
        if suffix == ".usda":
            return written(folder / "a.usda", text)
        crate = write_crate(folder / ("b.usdc" if suffix == ".usdz" else f"a{suffix}"), text)
        if suffix != ".usdz":
            return crate
        from pxr import Sdf, UsdUtils

        package = folder / "a.usdz"
        assert UsdUtils.CreateNewUsdzPackage(Sdf.AssetPath(str(crate)), str(package))
        return package

    return make, "prim of type Camera"


MESHES = {
    ".obj": (lambda folder: written(folder / "a.obj", CUBE + "surf 1 2\n"), "statement surf"),
    ".gltf": (lambda folder: a_gltf(folder / "a.gltf"), "extension MSFT_lod"),
    ".glb": (lambda folder: a_glb(folder / "a.glb"), "extension MSFT_lod"),
    ".dae": (
        lambda folder: written(
            folder / "a.dae",
            COLLADA.replace("<instance_geometry", '<instance_light url="#l"/><instance_geometry'),
        ),
        "<instance_light>",
    ),
    **{suffix: a_stage(suffix) for suffix in USD_SUFFIXES},
    ".ply": (
        lambda folder: written(
            folder / "a.ply", PLY_ASCII.replace("element", "comment TextureFile a\nelement", 1)
        ),
        "comment TextureFile",
    ),
    ".stl": (
        lambda folder: written(folder / "a.stl", stl_binary(UNIT_SQUARE, b"COLOR=abcd")),
        "COLOR= of the header",
    ),
}


def numpy_file(path):
    np.save(path, ROWS)
    return path


def numpy_archive(path):
    np.savez(path, **{name: ROWS[name] for name in ROWS.dtype.names})
    return path


def pcd(path):
    write_pcd(path, ROWS, "binary")
    return path


def las(path):
    import laspy

    content = laspy.create(point_format=0)
    content.x = content.y = content.z = np.ones(3)
    content.write(path)
    return path


def feather(path):
    import pyarrow as pa
    from pyarrow import feather as arrow

    table = pa.table({name: ROWS[name] for name in ROWS.dtype.names})
    arrow.write_feather(table, path, compression="uncompressed")
    return path


def ply_cloud(path):
    header = "\n".join(f"property float {name}" for name in ROWS.dtype.names)
    text = f"ply\nformat ascii 1.0\nelement vertex 1\n{header}\nend_header\n1 1 1 1\n"
    return written(path, text)


def bag(path):
    made = database(path, "/points", CLOUD, [(0, cloud_message(ROWS))])
    return database(made, "/imu", "sensor_msgs/msg/Imu", [])


def packets(path):
    known = velodyne_packets(2)
    return capture(path, [*known[:3], bytes(512), *known[3:]])


CLOUDS = {
    "PCD": (lambda folder: pcd(folder / "a.pcd"), "column wobble"),
    "PLY": (lambda folder: ply_cloud(folder / "a.ply"), "column wobble"),
    "LAS, LAZ": (lambda folder: las(folder / "a.las"), "column classification"),
    "numpy points of a run": (
        lambda folder: numpy_file(folder / "a.points.npy"),
        "column wobble",
    ),
    "numpy": (lambda folder: numpy_file(folder / "a.npy"), "column wobble"),
    "numpy archive": (lambda folder: numpy_archive(folder / "a.npz"), "column wobble"),
    "Arrow (Argoverse 2)": (lambda folder: feather(folder / "a.feather"), "column wobble"),
    "capture of packets": (lambda folder: packets(folder / "a.pcap"), "packets of 512 bytes"),
    "ROS bag, MCAP of clouds": (lambda folder: bag(folder / "a.db3"), "column wobble"),
}
CLOUDS_OF_FIXED_ROWS = {"nuScenes", "KITTI"}
CLOUDS_OF_A_LIBRARY = {"Ouster OSF"}
"""What its library decodes; `info` lists its sources."""
OPTIONAL = {
    "LAS, LAZ": ("laspy",),
    "Arrow (Argoverse 2)": ("pyarrow",),
    "capture of packets": ("dpkt", "velodyne_decoder"),
    "ROS bag, MCAP of clouds": ("rosbags",),
}

LASER = {"rot_correction": 0.0, "vert_correction": 0.1, "wobble": 1.0}
CALIBRATIONS = {
    "read_ouster": (lambda folder: files.ouster(folder, wobble=1), "key wobble"),
    "read_velodyne": (lambda folder: files.velodyne(folder, [LASER]), "key wobble of lasers"),
    "read_hesai": (
        lambda folder: files.text(folder, "Channel,Elevation,Azimuth,Wobble\n1,2,3,4\n"),
        "column Wobble",
    ),
    "read_livox_csv": (
        lambda folder: files.text(
            folder, "Time/s,Azimuth/deg,Zenith/deg,Wobble\n0,1,90,1\n0.1,2,90,1\n"
        ),
        "column Wobble",
    ),
    "read_helios": (
        lambda folder: helios_files.helios(folder, helios_files.scanner(wobble="1")),
        "attribute wobble of <scanner>",
    ),
}
CALIBRATIONS_OF_FIXED_BYTES = {
    *("read_at128", "read_atx", "read_et25", "read_ft120"),
    *("read_livox_npy", "read_yaml", "read_bytes"),  # the last two: what others are made of
}

MATERIAL = {"materialProperties": {"retroreflectivityData": {"coefficientOfRetroreflection": 1}}}
INFOS = {
    "Point cloud (PCD)": (CLOUDS["PCD"][0], "column wobble"),
    "Point cloud (PLY)": (CLOUDS["PLY"][0], "column wobble"),
    "Point cloud (LAS)": (CLOUDS["LAS, LAZ"][0], "column classification"),
    "Point cloud (numpy)": (CLOUDS["numpy"][0], "column wobble"),
    "Calibration of a sensor": (CALIBRATIONS["read_hesai"][0], "column Wobble"),
    BAG: (CLOUDS["ROS bag, MCAP of clouds"][0], "packets of /imu: sensor_msgs/msg/Imu"),
    CAPTURE: (
        lambda folder: capture(folder / "a.pcap", velodyne_packets(1), [bytes(512)]),
        "packets of 1.1.1.2:2369: unknown, 512 bytes",
    ),
    "Firetime correction of a sensor": (
        lambda folder: files.text(
            folder, "Operational State,0,2\nAzimuth State,0,0\n1,5,6\n2,7,8\n"
        ),
        "times of state 0",
    ),
    "Mesh": (MESHES[".obj"][0], "statement surf"),
    "OpenDRIVE map": (
        lambda folder: small_maps.written(
            folder,
            small_maps.road(small_maps.section(small_maps.lane(-1)), more="<hump/>"),
        ),
        "<hump> of <road>",
    ),
    "Weather of a scenario (OpenSCENARIO)": (
        lambda folder: scenarios.scenario(
            folder, scenarios.action('<Weather><Fog visualRange="90" wobble="1"/></Weather>')
        ),
        "attribute wobble of <Fog>",
    ),
    "Asset (OpenMATERIAL 3D)": (
        lambda folder: write_json(folder, "a.xoma", {"geometryProperties": []}),
        "key geometryProperties",
    ),
    "Mapping table (OpenMATERIAL 3D)": (
        lambda folder: write_json(folder, "a.xomm", {"materialMapping": [], "wobble": 1}),
        "key wobble",
    ),
    "Material (OpenMATERIAL 3D)": (
        lambda folder: write_json(folder, "a.xomp", MATERIAL),
        "key materialProperties.retroreflectivityData",
    ),
}
OF_ITS_OWN = {
    *("Run of osi-lidar", "Bundle of osi-lidar", "Data set", "Index of a batch"),
    "Parquet table",
    *("Configuration of osi-lidar", "Mapping table of materials"),
}
"""What osi-lidar writes, or where it refuses a key that it does not know."""
RECORDINGS = {BAG, CAPTURE, OUSTER}
READ_BY_NOBODY = {
    *("Folder", "JSON of an unknown kind", "Array (numpy)", "Arrays (numpy)"),
    "MCAP without OSI messages",
}
MESSAGES = {"OSI trace"}
"""Their fields are those of OSI; docs/reference/osi-fields.md says which are read."""


def kinds_of_info():
    """Give the kinds of files that the modules of `info` state, in words."""
    for path in sorted(INFO.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "kind":
                match node.value:
                    case ast.Constant(value=str(kind)):
                        yield kind
                    case ast.Name(id="kind"):  # one of those of a recording
                        yield from RECORDINGS
                    case ast.JoinedStr():
                        yield from (kind for kind in INFOS if kind.endswith("(OpenMATERIAL 3D)"))


def readers_of_calibrations():
    """Give the functions that the reading of calibrations chooses from."""
    tree = ast.parse(Path(calibrations.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from (each.name for each in node.names if each.name.startswith("read_"))


def test_every_kind_of_file_that_info_knows_has_a_case():
    known = {*INFOS, *OF_ITS_OWN, *READ_BY_NOBODY, *MESSAGES, OUSTER}
    assert {*kinds_of_info()} == known


def test_every_format_of_clouds_has_a_case():
    known = {*CLOUDS, *CLOUDS_OF_FIXED_ROWS, *CLOUDS_OF_A_LIBRARY}
    assert {each.name for each in FORMATS} == known


def test_every_format_of_meshes_has_a_case():
    assert {*REFERENCE_SUFFIXES} == {*MESHES, ".xoma"}


def test_every_reader_of_calibrations_has_a_case():
    assert {*readers_of_calibrations()} == {*CALIBRATIONS, *CALIBRATIONS_OF_FIXED_BYTES}


@pytest.mark.parametrize("kind", INFOS)
def test_info_lists_what_is_not_followed(tmp_path, kind):
    make, what = INFOS[kind]
    found = describe(make(tmp_path))
    assert found.kind == kind
    assert what in [each["what"] for each in found.lists["not_followed"]]


@pytest.mark.parametrize("name", CLOUDS)
def test_clouds_carry_the_list_of_what_is_not_followed(tmp_path, name):
    for library in OPTIONAL.get(name, ()):
        pytest.importorskip(library)
    make, what = CLOUDS[name]
    assert what in told_with_clouds(make(tmp_path))


@pytest.mark.long
@pytest.mark.parametrize("suffix", MESHES)
def test_meshes_carry_the_list_of_what_is_not_followed(tmp_path, suffix):
    make, what = MESHES[suffix]
    assert what in told_by_mesh(make(tmp_path))


@pytest.mark.parametrize("reader", CALIBRATIONS)
def test_calibrations_carry_the_list_of_what_is_not_followed(tmp_path, reader):
    make, what = CALIBRATIONS[reader]
    found = calibrations.read_calibration(make(tmp_path))
    assert what in [each.what for each in found.not_followed]


def test_the_weather_of_a_configuration_carries_the_list_of_its_scenario(tmp_path):
    path = INFOS["Weather of a scenario (OpenSCENARIO)"][0](tmp_path)
    weather = configured_weather(WeatherSection(scenario=path))
    assert [str(each) for each in weather.not_followed] == ["attribute wobble of <Fog> (line 4)"]

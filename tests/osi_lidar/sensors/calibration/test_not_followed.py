# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Contents of makers' files that are not followed are listed, and nothing else is."""

import re

import pytest

from osi_lidar.config.patterns.kinds import DEFAULT_RATE_HZ
from osi_lidar.sensors.calibration.helios import FOLLOWED
from osi_lidar.sensors.calibration.reading import read_calibration
from tests.osi_lidar.sensors.calibration.files import ouster, text, velodyne
from tests.osi_lidar.sensors.calibration.helios_files import RISLEY, ROTATING, helios, scanner

WINDOW = {"column_window": [0, 511], "udp_profile_lidar": "LEGACY", "pixel_shift_by_row": [1]}


def listed(file, scanner=None):
    return [str(each) for each in read_calibration(file, scanner).not_followed]


@pytest.mark.parametrize("layout", ["old", "new"])
def test_keys_of_ouster_that_say_nothing_of_beams_are_not_listed(tmp_path, layout):
    unit = {"prod_sn": "1", "hostname": "os", "status": "RUNNING", "imu_to_sensor_transform": [1]}
    network = {"zm": {"udp": {"port": 7504}}, "phase_lock_enable": False, "phase_lock_offset": 9}
    assert listed(ouster(tmp_path, layout=layout, **unit, **network, data_format=WINDOW)) == []


def test_keys_of_ouster_that_are_not_read_are_listed(tmp_path):
    more = {"azimuth_window": [9, 99], "signal_multiplier": 0.5, "phase_lock_enable": True}
    layout = {"udp_profile_lidar": "RNG19_RFL8_SIG16_NIR16_DUAL"}
    assert listed(ouster(tmp_path, **more, data_format=layout, beam_blooms=True)) == [
        "key azimuth_window",
        "key signal_multiplier",
        "key phase_lock_enable",
        "key data_format.udp_profile_lidar",
        "key beam_blooms",
    ]


def test_a_window_in_columns_states_that_in_degrees_again(tmp_path):
    file = ouster(tmp_path, azimuth_window=[9, 99], data_format={"column_window": [0, 9]})
    assert listed(file) == []


def test_corrections_of_ranges_and_intensities_of_velodyne_are_not_listed(tmp_path):
    laser = {"rot_correction": 0.0, "vert_correction": 0.1, "dist_correction": 1.2}
    laser |= {"focal_slope": 1.0, "min_intensity": 9, "dist_correction_x": 1.2}
    assert listed(velodyne(tmp_path, [laser], distance_resolution=0.002)) == []
    laser["tilt"] = 1.0
    assert listed(velodyne(tmp_path, [laser, laser], origin=[1, 2])) == [
        "key origin",
        "key tilt of lasers (2 times, first at laser 0)",
    ]


def test_columns_and_cells_of_tables_are_listed(tmp_path):
    rows = "Channel,Elevation,Azimuth,Fire,\n1,2,3,4,\n2,3,4,5,,x\n"
    assert listed(text(tmp_path, rows)) == [
        "column Fire (line 1)",
        "cells without a heading (line 3)",
    ]


def test_a_file_that_has_changed_is_read_anew(tmp_path):
    file = text(tmp_path, "Channel,Elevation,Azimuth\n1,2,3\n")
    first = read_calibration(file)
    assert read_calibration(file) is first
    text(tmp_path, "Channel,Elevation,Azimuth,Wobble\n1,2,3,4\n")
    assert listed(file) == ["column Wobble (line 1)"]


def test_contents_of_scanners_are_listed(tmp_path):
    channel = '<channel id="a" wavelength_nm="905"><beamOrigin x="1"/><headRotateAxis/></channel>'
    inside = f'<FWFSettings binSize="1"/><channels>{channel}</channels>'
    file = helios(tmp_path, scanner(inside=inside, averagePower_w="4", name="a scanner"))
    assert listed(file) == [
        "attribute averagePower_w of <scanner> (line 3)",
        "<FWFSettings> of <scanner> (line 3)",
        "attribute wavelength_nm of <channel> (line 3)",
        "<headRotateAxis> of <channel> (line 3)",
    ]


def asked_of(found):
    """Return what is asked of a scanner by all that makes use of it."""
    found.figures()
    found.physical()
    found.source(1.0 / DEFAULT_RATE_HZ)
    return found.values.element.asked


@pytest.mark.parametrize("base", [ROTATING, RISLEY])
def test_the_list_of_what_is_read_of_scanners_is_that_of_the_code(tmp_path, base):
    inside = (
        '<headRotateAxis x="0" y="0" z="1"/><channels><channel><incidentBeam x="0" y="1"/>'
        '<beamOrigin x="1" rotations="local"><rot axis="x" angle_deg="1"/></beamOrigin></channel>'
        "</channels>"
    )
    asked = asked_of(read_calibration(helios(tmp_path, scanner(base, inside))))
    of_files = {("document", "scanner"), ("channel", "headRotateAxis")}
    assert asked.children - of_files <= FOLLOWED.children
    assert asked.attributes - {("channel", name) for name in base} <= FOLLOWED.attributes
    assert {("scanner", name) for name in base} <= FOLLOWED.attributes


@pytest.mark.slow
def test_real_files_list_what_beams_are_not_made_of(real_data):
    folder = real_data / "lidar_calib"
    whole = [
        *folder.glob("ouster/*.json"),
        *folder.glob("*velodyne*/*"),
        *folder.glob("nebula_*/*"),
    ]
    kinds = {each.what for path in whole for each in read_calibration(path).not_followed}
    for path in folder.glob("helios/*.xml"):
        names = re.findall(r'<scanner\s[^>]*?\bid\s*=\s*"([^"]*)"', path.read_text())
        kinds |= {each.what for n in names for each in read_calibration(path, n).not_followed}
    assert kinds == {
        *("key config_params.udp_profile_lidar", "key lidar_data_format.udp_profile_lidar"),
        *("key data_format.udp_profile_lidar", "key config_params.window_rejection_enable"),
        *("key config_params.azimuth_window", "attribute wavelength_nm of <channel>"),
        *("<FWFSettings> of <scanner>", "<FWFSettings> of <channel>"),
    }

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Keys of Ouster metadata: keys that are read, keys that do not concern beams, and all others."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from lidar_base.unfollowed import Unfollowed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from lidar_base.unfollowed import NotFollowed

_READ = (
    "beam_intrinsics beam_altitude_angles beam_azimuth_angles beam_to_lidar_transform "
    "lidar_origin_to_beam_origin_mm sensor_info prod_line config_params lidar_mode "
    "lidar_data_format data_format column_window lidar_intrinsics lidar_to_sensor_transform"
)
FOLLOWED = frozenset(_READ.split())
"""Keys that `ouster.py` reads, in either layout."""
_OF_THE_UNIT = (
    "base_pn base_sn build_date build_rev client_version hostname image_rev initialization_id "
    "json_calibration_version prod_pn prod_sn proto_rev sensor_version status calibration_status "
    "ouster-sdk user_data imu_intrinsics imu_data_format imu_packets_per_frame "
    "imu_to_sensor_transform accel_fsr gyro_fsr zone_monitor zone_set"
)
_OF_ITS_PACKETS = (
    "auto_start_flag operating_mode timestamp_mode columns_per_packet columns_per_frame "
    "pixels_per_column pixel_shift_by_row fps udp_dest udp_dest_zm udp_ip udp_multicast_ttl "
    "udp_multicast_ttl_zm udp_port_imu udp_port_lidar udp_port_zm udp_profile_imu "
    "udp_profile_zm header_type multipurpose_io_mode nmea_baud_rate nmea_ignore_valid_char "
    "nmea_in_polarity nmea_leap_seconds sync_pulse_in_polarity sync_pulse_out_angle "
    "sync_pulse_out_frequency sync_pulse_out_polarity sync_pulse_out_pulse_width"
)
_OF_NO_BEAM = frozenset(f"{_OF_THE_UNIT} {_OF_ITS_PACKETS}".split())
_USUAL: MappingProxyType[str, tuple[object, ...]] = MappingProxyType(
    {
        "azimuth_window": ([0, 360000],),
        "signal_multiplier": (1,),
        "phase_lock_enable": (False,),
        "return_order": ("STRONGEST_TO_WEAKEST",),
        "udp_profile_lidar": (
            *("LEGACY", "RNG19_RFL8_SIG16_NIR16", "RNG19_RFL8_SIG16_NIR16_ZONE16"),
        ),
        "bloom_reduction_optimization": ("BALANCED",),
        "lidar_frame_azimuth_offset": (0,),
        "window_rejection_enable": (0,),
    }
)
"""Values that change nothing: all directions, one return to the millimetre, the usual power."""


def keys_not_read(data: Mapping[str, object]) -> tuple[NotFollowed, ...]:
    """Return descriptions of ignored keys of Ouster metadata that may change beams or returns.

    ``data`` is the metadata, a mapping as JSON has it. A key with its usual value is not listed.
    """
    unfollowed = Unfollowed()
    window = data.get("lidar_data_format") or data.get("data_format") or {}
    has_window = isinstance(window, dict) and "column_window" in window  # the same directions
    keys = [*_keys(data)]
    elsewhere = {"azimuth_window"} if has_window else set()
    if ("phase_lock_enable", True) not in (each[1:] for each in keys):
        elsewhere.add("phase_lock_offset")  # the phase lock is off
    for place, key, value in keys:
        is_usual = value in _USUAL.get(key, ()) or key in elsewhere or _is_network(value)
        if key not in FOLLOWED and key not in _OF_NO_BEAM and not is_usual:
            unfollowed.add(f"key {place}{key:.40}")
    return unfollowed.kinds


def _is_network(value: object) -> bool:
    """Return whether a section, as in firmware 3.2, contains network addresses only."""
    return isinstance(value, dict) and value.keys() == {"udp"}


def _keys(data: Mapping[str, object]) -> Iterator[tuple[str, str, object]]:
    """Yield section, name and value of each key; sections are read one level deep."""
    for key, value in data.items():
        yield "", key, value
        if key in FOLLOWED and isinstance(value, dict):
            yield from ((f"{key}.", inner, each) for inner, each in value.items())

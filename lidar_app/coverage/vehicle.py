# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The vehicle that carries the sensors: from a trace, from options, or an assumed car."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lidar_app.coverage.outline import VehicleOutline
from osi_lidar.errors import InputError

if TYPE_CHECKING:
    from osi_lidar.run.frame_source import FrameSource

ASSUMED_M = (4.4, 1.8, 1.45)
"""Length, width and height of the vehicle if nothing states them: a medium car. [m]"""
AXLE_BEHIND_CENTER = 0.3
"""Distance from centre to rear axle, divided by the length: a wheel base is 0.6 lengths."""
AXLE_ABOVE_GROUND_M = 0.3
"""Height of the rear axle if nothing states it: the radius of a car's wheel. [m]"""
HOST_ID = 1
"""OSI id of a vehicle that does not come from a trace."""
MOST_M = 100.0
"""Greatest length, width or height that is accepted. [m]"""

NO_VEHICLE = "none"
_AXLE_WORDS = {
    "bbcenter_to_rear": "with its rear axle",
    "wheel_data": "with the rear axle of its wheels",
    "dimension": "whose rear axle is assumed to be where a car has it",
}
_EXPECTED = f"expected L,W,H in metres, each above 0 and up to {MOST_M:g}, or {NO_VEHICLE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CarryingVehicle:
    """The vehicle that carries the sensors. The origin of the vehicle frame is the rear axle.

    Attributes
    ----------
    dimension_m : (float, float, float) or None
        Length, width and height of its bounding box; None: no vehicle, and the origin is on the
        ground. [m]
    rear_axle_from_center_m : (float, float, float)
        Vector from the centre of the box to the rear axle. [m]
    object_id : int
        OSI id of the vehicle.
    type_name, subtype_name, model_reference : str
        As in OSI; the configuration's rules for objects are matched with these texts.
    needs_mesh : bool
        Whether `model_reference` must name an existing mesh.
    source : str
        Where the dimensions come from, in words.
    """

    dimension_m: tuple[float, float, float] | None
    rear_axle_from_center_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    object_id: int = HOST_ID
    type_name: str = "TYPE_VEHICLE"
    subtype_name: str = "TYPE_MEDIUM_CAR"
    model_reference: str = ""
    needs_mesh: bool = False
    source: str

    @property
    def center_m(self) -> tuple[float, float, float]:
        """Centre (x, y, z) of the vehicle's bounding box in the vehicle frame [m]."""
        x_m, y_m, z_m = self.rear_axle_from_center_m
        return 0.0 - x_m, 0.0 - y_m, 0.0 - z_m  # no -0.0

    @property
    def target_id(self) -> int:
        """An OSI id other than `object_id`, for a target beside the vehicle."""
        return self.object_id ^ 1

    @property
    def ground_m(self) -> float:
        """Height of the ground in the vehicle frame [m]: the bottom of the box, else 0."""
        return 0.0 if self.dimension_m is None else self.center_m[2] - 0.5 * self.dimension_m[2]

    @property
    def outline(self) -> VehicleOutline:
        """Outline of the vehicle from above, in its frame; only the origin without a vehicle."""
        if self.dimension_m is None:
            return VehicleOutline()
        x_m, y_m, _ = self.center_m
        length_m, width_m, _ = self.dimension_m
        low_m = x_m - 0.5 * length_m, y_m - 0.5 * width_m
        return VehicleOutline(low_m, (x_m + 0.5 * length_m, y_m + 0.5 * width_m))

    @property
    def words(self) -> str:
        """One line on the size of the vehicle, its source, and the height of the ground."""
        if self.dimension_m is None:
            return "none; the ground is at z = 0 of the mountings"
        size = " x ".join(f"{side_m:.2f}" for side_m in self.dimension_m)
        return f"{size} m, {self.source}; the ground is {-self.ground_m:.2f} m below the rear axle"


def of_dimension(
    dimension_m: tuple[float, float, float], source: str, model_reference: str = ""
) -> CarryingVehicle:
    """Return a vehicle of a given size; its rear axle is placed as in a car.

    Parameters
    ----------
    dimension_m : (float, float, float)
        Length, width and height of the vehicle. [m]
    source : str
        Where the size comes from, in words.
    model_reference : str
        Mesh of the vehicle, as an OSI message would name it, which must exist; empty: none.
    """
    length_m, _, height_m = dimension_m
    return CarryingVehicle(
        dimension_m=dimension_m,
        rear_axle_from_center_m=(
            -AXLE_BEHIND_CENTER * length_m,
            0.0,
            AXLE_ABOVE_GROUND_M - 0.5 * height_m,
        ),
        model_reference=model_reference,
        needs_mesh=bool(model_reference),
        source=source,
    )


def stated_vehicle(text: str | None, model_reference: str = "") -> CarryingVehicle:
    """Return the vehicle that the option ``--vehicle`` states, else an assumed car.

    Parameters
    ----------
    text : str, optional
        Value of the option: "L,W,H" in metres, or "none"; None: the option is absent.
    model_reference : str
        Mesh of the vehicle, as an OSI message would name it; empty: none.

    Raises
    ------
    InputError
        If the text has neither form, or it is "none" and a mesh is named.
    """
    if text is None:
        return of_dimension(ASSUMED_M, "an assumed medium car", model_reference)
    if text.strip() == NO_VEHICLE:
        if model_reference:
            raise InputError(
                f"--model: got {model_reference!r} with --vehicle none, expected --vehicle L,W,H"
            )
        return CarryingVehicle(dimension_m=None, source="as stated")
    try:
        length_m, width_m, height_m = map(float, text.split(","))
    except ValueError:
        raise InputError(f"--vehicle: got {text!r}, {_EXPECTED}") from None
    if not all(0.0 < side_m <= MOST_M for side_m in (length_m, width_m, height_m)):
        raise InputError(f"--vehicle: got {text!r}, {_EXPECTED}")
    return of_dimension((length_m, width_m, height_m), "as stated", model_reference)


def vehicle_of_trace(source: FrameSource) -> CarryingVehicle:
    """Return the host vehicle in the first message of a trace; without a size, a car's is assumed.

    Parameters
    ----------
    source : FrameSource
        The trace, of which only the first message is read.

    Returns
    -------
    CarryingVehicle
        The host, with the OSI id, type and mesh that the message states.

    Raises
    ------
    InputError
        If the trace has no message, or its first message no host.
    OsiError
        If the trace cannot be read.
    """
    frame = next(iter(source), None)
    if frame is None:
        raise InputError(f"{source.path}: has no message, expected one with the host vehicle")
    if frame.host is None:
        raise InputError(
            f"{source.path}: the first message has no host vehicle; expected one, or --vehicle "
            "L,W,H in place of the trace"
        )
    objects = frame.objects
    row = frame.host.index
    length_m, width_m, height_m = objects.dimension_m[row].tolist()
    if min(length_m, width_m, height_m) > 0.0:
        x_m, y_m, z_m = frame.host.rear_axle_from_center_m.tolist()
        stated = CarryingVehicle(
            dimension_m=(length_m, width_m, height_m),
            rear_axle_from_center_m=(x_m, y_m, z_m),
            source=f"the host of {source.path.name}, {_AXLE_WORDS[frame.host.source]}",
        )
    else:
        stated = of_dimension(ASSUMED_M, "assumed, as the host of the trace has no dimension")
    return replace(
        stated,
        object_id=frame.host.object_id,
        type_name=objects.type_name[row] or stated.type_name,
        subtype_name=objects.subtype_name[row],
        model_reference=objects.model_reference[row],
    )

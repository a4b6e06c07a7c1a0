# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Assumed errors (readings) in the use of messages: mounting, host, objects and time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lidar_app.conformance.asking import HOST_SIZE_M, REAR_AXLE_M
from lidar_app.conformance.causes.evidence import BenchReading
from lidar_app.conformance.sheet import SheetMounting, SheetScan
from osi_bridge import rotation_from_orientation
from osi_bridge.bench import BoxObject

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lidar_app.conformance.asking import BenchMoment, HostPose
    from lidar_app.conformance.sheet import DataSheet

    Vector = tuple[float, float, float]


def _mounting(text: str, **changes: float) -> BenchReading:
    """Return a reading in which values of the mounting are multiplied: by 0 or by -1."""

    def other(sheet: DataSheet) -> DataSheet:
        values = sheet.mounting.model_dump()
        changed = {name: factor * values[name] for name, factor in changes.items()}
        return sheet.model_copy(update={"mounting": SheetMounting(**{**values, **changed})})

    return BenchReading(text=text, sheet=other)


def _each(
    text: str, change: Callable[[BenchMoment], BenchMoment], *, late_s: float = 0.0
) -> BenchReading:
    """Return a reading that changes each moment."""
    return BenchReading(
        text=text, moments=lambda asked: [change(each) for each in asked], late_s=late_s
    )


def _host(text: str, change: Callable[[HostPose], HostPose]) -> BenchReading:
    return _each(text, lambda moment: replace(moment, host=change(moment.host)))


def _things(text: str, change: Callable[[BoxObject], BoxObject]) -> BenchReading:
    return _each(text, lambda moment: replace(moment, things=tuple(map(change, moment.things))))


def _turned(host: HostPose, *factors: float) -> HostPose:
    """Return a host whose roll, pitch and yaw are multiplied by factors."""
    roll, pitch, yaw = host.orientation_rad
    of_roll, of_pitch, of_yaw = factors
    return host._replace(orientation_rad=(of_roll * roll, of_pitch * pitch, of_yaw * yaw))


def _with_axle(moment: BenchMoment, axle_m: Vector) -> BenchMoment:
    """Return a moment whose host has another rear axle in the same box."""
    turn = rotation_from_orientation(moment.host.orientation_rad)
    moved = np.subtract(axle_m, moment.rear_axle_m) @ turn.T
    x_m, y_m, z_m = (float(each) for each in moment.host.position_m + moved)
    return replace(
        moment, host=moment.host._replace(position_m=(x_m, y_m, z_m)), rear_axle_m=axle_m
    )


def _sized(thing: BoxObject, factor: float) -> BoxObject:
    length_m, width_m, height_m = thing.dimension_m
    return replace(thing, dimension_m=(factor * length_m, factor * width_m, factor * height_m))


def _raised(thing: BoxObject, share: float) -> BoxObject:
    x_m, y_m, z_m = thing.position_m
    return replace(thing, position_m=(x_m, y_m, z_m + share * thing.dimension_m[2]))


def _across(thing: BoxObject) -> BoxObject:
    length_m, width_m, height_m = thing.dimension_m
    return replace(thing, dimension_m=(width_m, length_m, height_m))


def _before(asked: Sequence[BenchMoment], n: int) -> Sequence[BenchMoment]:
    return asked[:-n] if len(asked) > n else asked[:1]


def _without(asked: Sequence[BenchMoment], kind: str) -> Sequence[BenchMoment]:
    kept = [tuple(thing for thing in each.things if thing.kind != kind) for each in asked]
    return [replace(each, things=things) for each, things in zip(asked, kept, strict=True)]


def _scanned(sheet: DataSheet, **changes: object) -> DataSheet:
    scan = SheetScan.model_validate({**sheet.scan.model_dump(), **changes})
    return sheet.model_copy(update={"scan": scan})


def _other_turn(sheet: DataSheet) -> DataSheet:
    turns = {"clockwise": "counterclockwise", "counterclockwise": "clockwise"}
    return _scanned(sheet, turn=turns[sheet.scan.turn])


MOUNTINGS = (
    _mounting(
        "the mounting is not applied: the sensor is at the origin of the vehicle frame, unturned",
        x_m=0.0, y_m=0.0, z_m=0.0, roll_deg=0.0, pitch_deg=0.0, yaw_deg=0.0,
    ),
    _mounting("the position of the mounting is not applied", x_m=0.0, y_m=0.0, z_m=0.0),
    _mounting(
        "the orientation of the mounting is not applied", roll_deg=0.0, pitch_deg=0.0, yaw_deg=0.0
    ),
    _mounting("the yaw of the mounting is not applied", yaw_deg=0.0),
    _mounting("the pitch of the mounting is not applied", pitch_deg=0.0),
    _mounting("the roll of the mounting is not applied", roll_deg=0.0),
    _mounting("the yaw of the mounting has the other sign", yaw_deg=-1.0),
    _mounting("the pitch of the mounting has the other sign", pitch_deg=-1.0),
    _mounting("the roll of the mounting has the other sign", roll_deg=-1.0),
    _mounting("the y of the mounting has the other sign", y_m=-1.0),
)  # fmt: skip
HOSTS = (
    _each(
        "the mounting is counted from the centre of the host's box, not from its rear axle",
        lambda moment: _with_axle(moment, (0.0, 0.0, 0.0)),
    ),
    _each(
        "bbcenter_to_rear of the message is not followed: the rear axle is taken to be at "
        f"{REAR_AXLE_M} m from the centre of the host's box",
        lambda moment: _with_axle(moment, REAR_AXLE_M),
    ),
    _host("roll and pitch of the host are not applied", lambda host: _turned(host, 0.0, 0.0, 1.0)),
    _host("the orientation of the host is not applied", lambda host: _turned(host, 0.0, 0.0, 0.0)),
    _host("the yaw of the host is not applied", lambda host: _turned(host, 1.0, 1.0, 0.0)),
    _host("the roll of the host is not applied", lambda host: _turned(host, 0.0, 1.0, 1.0)),
    _host("the pitch of the host is not applied", lambda host: _turned(host, 1.0, 0.0, 1.0)),
    _host("the pitch of the host has the other sign", lambda host: _turned(host, 1.0, -1.0, 1.0)),
    _host("the roll of the host has the other sign", lambda host: _turned(host, -1.0, 1.0, 1.0)),
    _host("the yaw of the host has the other sign", lambda host: _turned(host, 1.0, 1.0, -1.0)),
)
THINGS = (
    _things("the orientation of objects is not applied",
            lambda thing: replace(thing, yaw_rad=0.0, pitch_rad=0.0, roll_rad=0.0)),
    _things("the yaw of objects has the other sign",
            lambda thing: replace(thing, yaw_rad=-thing.yaw_rad)),
    _things("dimensions of objects are taken for half of their size",
            lambda thing: _sized(thing, 2.0)),
    _things("objects have half of their dimensions", lambda thing: _sized(thing, 0.5)),
    _things("length and width of objects are swapped", _across),
    _things("positions of objects are taken for the middle of their bottoms, not of their boxes",
            lambda thing: _raised(thing, 0.5)),
    _things("positions of objects are taken for the middle of their tops, not of their boxes",
            lambda thing: _raised(thing, -0.5)),
    BenchReading(text="objects stay where the first message has them",
            moments=lambda asked: asked[:1]),
    BenchReading(text="moving objects are not seen",
            moments=lambda asked: _without(asked, "moving_object")),
    BenchReading(text="stationary objects are not seen",
            moments=lambda asked: _without(asked, "stationary_object")),
)  # fmt: skip
TIMES = (
    BenchReading(
        text="each answer is that to the message before",
        moments=lambda asked: _before(asked, 1),
    ),
    BenchReading(
        text="each answer is that to the message before the last one",
        moments=lambda asked: _before(asked, 2),
    ),
    BenchReading(
        text="all beams fire at the time of the message: the scan takes no time",
        sheet=lambda sheet: _scanned(sheet, kind="instant"),
    ),
    BenchReading(text="the scan turns the other way than the sheet says", sheet=_other_turn),
    BenchReading(
        text="the scan begins 180 deg from where the sheet says",
        sheet=lambda sheet: _scanned(sheet, start_deg=sheet.scan.start_deg + 180.0),
    ),
)


def _with_host(moment: BenchMoment) -> BenchMoment:
    """Return a moment in which the body of the host is among the objects."""
    roll, pitch, yaw = moment.host.orientation_rad
    turn = rotation_from_orientation(moment.host.orientation_rad)
    middle = moment.host.position_m - turn @ np.asarray(moment.rear_axle_m)
    x_m, y_m, z_m = (float(each) for each in middle)
    body = BoxObject(moment.host_id, (x_m, y_m, z_m), yaw, HOST_SIZE_M, "moving_object")
    return replace(moment, things=(*moment.things, replace(body, pitch_rad=pitch, roll_rad=roll)))


GROUNDS = (
    _each("the body of the host is seen, on which the sensor is", _with_host),
    BenchReading(
        text="there is a ground below the lowest box, or none, against the sheet's `ground`",
        sheet=lambda sheet: sheet.model_copy(update={"ground": not sheet.ground}),
    ),
)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Record snapshots of a running CARLA, and send them to a live stream as OSI if asked.

    python examples/carla/record.py drive.jsonl --host hero --seconds 20
    python examples/carla/record.py drive.jsonl --host hero --stream 127.0.0.1:48198

It needs the package `carla` in the version of the server. It does not step the world: it waits for
the ticks of the client that does. The first line of a recording has the boxes of the level; each
further line has one tick. `to_osi.py` turns a recording into a trace.
"""

import argparse
import json
import socket
from pathlib import Path

import carla
from to_osi import FORMAT, ground_truth

from osi_bridge import framed

TICK_S = 10.0
"""Longest time to a tick. [s]"""
KINDS = ("vehicle.", "walker.", "static.")


def vector(value: carla.Vector3D) -> list[float]:
    """Return a vector as a list."""
    return [value.x, value.y, value.z]


def turn(value: carla.Rotation) -> dict[str, float]:
    """Return the roll, pitch and yaw of a rotation [deg]."""
    return {"roll": value.roll, "pitch": value.pitch, "yaw": value.yaw}


def box(value: carla.BoundingBox) -> dict[str, object]:
    """Return centre, angles and half edges of a bounding box."""
    return {
        "location": vector(value.location),
        "rotation": turn(value.rotation),
        "extent": vector(value.extent),
    }


def level(world: carla.World) -> list[dict[str, object]]:
    """Return the boxes of all objects of the level, in the frame of the world."""
    return [
        {"id": each.id, "label": str(each.type), "box": box(each.bounding_box)}
        for each in world.get_environment_objects(carla.CityObjectLabel.Any)
    ]


def state(actor: carla.Actor, snapshot: carla.ActorSnapshot) -> dict[str, object]:
    """Return the type of an actor, and its pose, velocity and box in a snapshot."""
    place = snapshot.get_transform()
    return {
        "id": actor.id,
        "type_id": actor.type_id,
        "base_type": actor.attributes.get("base_type", ""),
        "transform": {"location": vector(place.location), "rotation": turn(place.rotation)},
        "velocity": vector(snapshot.get_velocity()),
        "box": box(actor.bounding_box),
    }


def host_of(world: carla.World, role: str) -> carla.Actor:
    """Return the vehicle with a role name or an id."""
    for each in world.get_actors().filter("vehicle.*"):
        if role in {each.attributes.get("role_name"), str(each.id)}:
            return each
    raise SystemExit(f"--host: no vehicle in CARLA has the role name or id {role!r}")


def line(world: carla.World, host: carla.Actor, tick: carla.WorldSnapshot) -> dict[str, object]:
    """Return a tick as a line of the recording: the states of all actors in it."""
    actors = []
    for actor in world.get_actors():
        snapshot = tick.find(actor.id)
        if snapshot is not None and actor.type_id.startswith(KINDS):
            one = state(actor, snapshot)
            if actor.id == host.id:
                one["wheels"] = [vector(w.position) for w in actor.get_physics_control().wheels]
            actors.append(one)
    return {"frame": tick.frame, "elapsed_s": tick.timestamp.elapsed_seconds, "actors": actors}


def options() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", type=Path)
    parser.add_argument("--host", default="hero", help="role name or id of the vehicle")
    parser.add_argument("--seconds", type=float, default=10.0, help="simulated seconds to record")
    parser.add_argument("--server", default="127.0.0.1:2000")
    parser.add_argument("--stream", help="HOST:PORT of osi-lidar stream --listen")
    return parser.parse_args()


def address(text: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT."""
    name, _, port = text.rpartition(":")
    return name, int(port)


def main() -> None:
    """Record for `--seconds` of simulated time."""
    asked = options()
    world = carla.Client(*address(asked.server)).get_world()
    host = host_of(world, asked.host)
    head = {"format": FORMAT, "map": world.get_map().name, "host": host.id, "level": level(world)}
    road = asked.recording.with_suffix(".xodr")
    road.write_text(world.get_map().to_opendrive(), encoding="utf-8")
    stream = socket.create_connection(address(asked.stream)) if asked.stream else None
    with asked.recording.open("w", encoding="utf-8") as file:
        file.write(json.dumps(head) + "\n")
        tick = world.wait_for_tick(TICK_S)
        end_s = tick.timestamp.elapsed_seconds + asked.seconds
        while tick.timestamp.elapsed_seconds < end_s:
            one = line(world, host, tick)
            file.write(json.dumps(one) + "\n")
            if stream:
                stream.sendall(framed(ground_truth(head, one).SerializeToString()))
            tick = world.wait_for_tick(TICK_S)


if __name__ == "__main__":
    main()

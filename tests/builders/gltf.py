# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""glTF files with nodes and skins, and a car of a box with four round wheels. glTF has y up."""

import base64
import json

import numpy as np

from tests.builders.files import written

CAR_M = (4.0, 1.8, 1.5)
WHEEL_M, WIDTH_M = 0.35, 0.2
HUBS_M = {
    "Front_Left": (1.3, 0.8),
    "Front_Right": (1.3, -0.8),
    "Rear_Left": (-1.3, 0.8),
    "Rear_Right": (-1.3, -0.8),
}
"""Places of the wheels of the car from the middle of its box, x forward, y to the left. [m]"""
TO_Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])
CUBE_FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6),
    (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip


def block(size_m, centre_m=(0.0, 0.0, 0.0)):
    """Return points and faces of a box, z up."""
    corners = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)]) - 0.5
    return corners * size_m + centre_m, np.array(CUBE_FACES)


def roller(radius_m=WHEEL_M, width_m=WIDTH_M, n=24):
    """Return points and faces of a wheel about y around the origin, z up, its tread and sides."""
    turn = 2 * np.pi * np.arange(n) / n
    rim = np.stack([np.sin(turn), 0 * turn, np.cos(turn)], axis=1) * radius_m
    points = np.concatenate([rim + (0, width_m / 2, 0), rim - (0, width_m / 2, 0)])
    after = (np.arange(n) + 1) % n
    here = np.arange(n)
    tread = [(here, after, here + n), (after, after + n, here + n)]
    sides = [(0 * here, here, after), (n + 0 * here, after + n, here + n)]
    return points, np.concatenate([np.stack(each, axis=1) for each in (*tread, *sides)])


class Gltf:
    """A glTF file in the making; all numbers are given with z up, and turned to y up."""

    def __init__(self):
        self.binary = b""
        self.content = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": []}],
            "nodes": [],
            "meshes": [],
            "accessors": [],
            "bufferViews": [],
            "materials": [{"name": "Paint"}],
        }

    def accessor(self, values, kind, component):
        """Add the numbers of an accessor, and return its number."""
        data = np.ascontiguousarray(values).tobytes()
        view = {"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)}
        self.binary += data + bytes(-len(data) % 4)
        views, accessors = self.content["bufferViews"], self.content["accessors"]
        views.append(view)
        count = len(values) if kind != "SCALAR" else np.size(values)
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind}
        )
        return len(accessors) - 1

    def mesh(self, points, faces, joints=None, weights=None):
        """Add a mesh, and return its number."""
        points = np.asarray(points) @ TO_Y_UP.T
        attributes = {"POSITION": self.accessor(points.astype("<f4"), "VEC3", 5126)}
        if joints is not None:
            attributes["JOINTS_0"] = self.accessor(np.asarray(joints, "u1"), "VEC4", 5121)
            attributes["WEIGHTS_0"] = self.accessor(np.asarray(weights, "<f4"), "VEC4", 5126)
        indices = self.accessor(np.asarray(faces, "<u4").ravel(), "SCALAR", 5125)
        primitive = {"attributes": attributes, "indices": indices, "material": 0}
        self.content["meshes"].append({"primitives": [primitive]})
        return len(self.content["meshes"]) - 1

    def node(self, name, place_m=(0.0, 0.0, 0.0), *, parent=None, **more):
        """Add a node, and return its number."""
        nodes = self.content["nodes"]
        nodes.append({"name": name, "translation": (TO_Y_UP @ place_m).tolist(), **more})
        above = self.content["scenes"][0] if parent is None else nodes[parent]
        above.setdefault("nodes" if parent is None else "children", []).append(len(nodes) - 1)
        return len(nodes) - 1

    def write(self, path):
        """Write the file, and return its path."""
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.binary).decode()
        self.content["buffers"] = [{"byteLength": len(self.binary), "uri": uri}]
        return written(path, json.dumps(self.content))


def write_car(path, name="Wheel_{}", off_m=(0.0, 0.0, 0.0), wheel=None):
    """Write a car of a box and four wheels, nodes of a name with their place, and return its path.

    Their origins are `off_m` from their centres. [m]
    """
    car, high = Gltf(), CAR_M[2] / 2
    root = car.node("Car", (0.0, 0.0, high))
    body = car.mesh(*block((CAR_M[0], CAR_M[1] - 0.4, CAR_M[2] - 0.3), (0.0, 0.0, 0.15)))
    car.node("Body", parent=root, mesh=body)
    points, faces = wheel or roller()
    mesh = car.mesh(points - np.array(off_m), faces)
    for place, (x, y) in HUBS_M.items():
        hub = np.array([x, y, WHEEL_M - high])
        car.node(name.format(place), hub + off_m, parent=root, mesh=mesh)
    return car.write(path)


def write_person(path, named=str):
    """Write a person of 1.8 m of boxes that each follow one joint, and return the path.

    Joints are `named` by a function of OpenMATERIAL's names.
    """
    person = Gltf()
    root = person.node("Armature")
    limbs = {"Hip": (None, (0.0, 0.0, 0.9), (0.2, 0.3, 0.5), 0.25)}
    for side, name in ((1.0, "Left"), (-1.0, "Right")):
        for limb, above, joint, size, up in (
            ("Upper_Arm", "Hip", (0.0, 0.2, 1.45), (0.08, 0.08, 0.3), -0.15),
            ("Lower_Arm", "Upper_Arm", (0.0, 0.2, 1.15), (0.07, 0.07, 0.26), -0.13),
            ("Hand", "Lower_Arm", (0.0, 0.2, 0.89), None, 0.0),
            ("Upper_Leg", "Hip", (0.0, 0.1, 0.9), (0.12, 0.12, 0.4), -0.2),
            ("Lower_Leg", "Upper_Leg", (0.0, 0.1, 0.5), (0.1, 0.1, 0.42), -0.21),
            ("Foot", "Lower_Leg", (0.0, 0.1, 0.08), (0.25, 0.08, 0.08), -0.04),
        ):
            place = np.array(joint) * (1.0, side, 1.0)
            parent = above if above == "Hip" else f"{above}_{name}"
            limbs[f"{limb}_{name}"] = (parent, place, size, up)
    nodes, points, faces, joints = {}, [], [], []
    for number, (name, (parent, place, size, up)) in enumerate(limbs.items()):
        start = np.array(limbs[parent][1]) if parent else np.zeros(3)
        above = nodes[parent] if parent else root
        nodes[name] = person.node(named(name), np.array(place) - start, parent=above)
        if size is not None:
            corners, of_box = block(size, np.array(place) + (0.0, 0.0, up))
            faces.append(of_box + len(np.concatenate([np.zeros((0, 3)), *points])))
            points.append(corners)
            joints += [(number, 0, 0, 0)] * len(corners)
    weights = [(1.0, 0.0, 0.0, 0.0)] * len(joints)
    mesh = person.mesh(np.concatenate(points), np.concatenate(faces), joints, weights)
    person.node("Body", mesh=mesh, skin=0)
    matrices = np.tile(np.eye(4), (len(limbs), 1, 1))
    matrices[:, :3, 3] = [-(TO_Y_UP @ np.array(place)) for _, place, *_ in limbs.values()]
    columns = matrices.swapaxes(1, 2).reshape(-1, 16).astype("<f4")
    inverse = person.accessor(columns, "MAT4", 5126)
    person.content["skins"] = [{"joints": list(nodes.values()), "inverseBindMatrices": inverse}]
    return person.write(path)

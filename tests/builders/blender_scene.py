# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Scenes made and scanned in a Blender without a window; run as a program.

    python blender_scene.py EXTENSION.zip COMMAND FOLDER

Installs the extension, scans three scenes with its operator, and writes beside each of them what
Blender itself says: `drive.npz` has corners in the world and points with attributes, frame by
frame; `facts.json` what the operators reported.
"""

import json
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np

from tests.builders.blender_parts import add, drive, material, move_into, textured

REPO, MODULE = "user_default", "bl_ext.user_default.osi_lidar"
N_FRAME = 20
WATCHED = ("Car", "Walker", "Mirrored", "Sheared")


def walker():
    """A column of rings that a bone bends, more from frame to frame."""
    bpy.ops.object.armature_add(location=(5.0, 3.0, 0.0))
    armature = bpy.context.object
    body = add("cylinder", "Walker", radius=0.3, depth=1.8, location=(5.0, 3.0, 0.9))
    body.data.materials.append(material("Cloth"))
    body["osi_type"] = "pedestrian"
    group = body.vertex_groups.new(name="Bone")
    upper = [each.index for each in body.data.vertices if each.co.z > 0]
    group.add(upper, 1.0, "REPLACE")
    body.modifiers.new("Bones", "ARMATURE").object = armature
    bone = armature.pose.bones["Bone"]
    bone.rotation_mode = "XYZ"
    for frame in (1, N_FRAME):
        bone.rotation_euler = (0.02 * frame, 0.0, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)


def forest():
    """200 trees, which geometry nodes put on the corners of a grid; the tree itself is hidden."""
    tree = add("cone", "Tree", radius1=0.5, depth=3.0, paint=material("Leaves"))
    tree["osi_type"] = "tree"
    tree.hide_render = tree.hide_viewport = True
    grid = add("grid", "Forest", x_subdivisions=19, y_subdivisions=9, size=1.0)
    grid.scale = (60.0, 20.0, 1.0)
    grid.location = (0.0, -30.0, 1.5)
    bpy.ops.object.transform_apply(location=False, rotation=False)  # trees keep their size
    group = bpy.data.node_groups.new("Plant", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        group.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    entry, leave, plant, info = (
        group.nodes.new(kind)
        for kind in (
            *("NodeGroupInput", "NodeGroupOutput"),
            *("GeometryNodeInstanceOnPoints", "GeometryNodeObjectInfo"),
        )
    )
    info.inputs["Object"].default_value = tree
    info.inputs["As Instance"].default_value = True
    group.links.new(entry.outputs[0], plant.inputs["Points"])
    group.links.new(info.outputs["Geometry"], plant.inputs["Instance"])
    group.links.new(plant.outputs[0], leave.inputs[0])
    grid.modifiers.new("Plant", "NODES").node_group = group


def second_car():
    """A car as an instance of a collection of two objects, which is not in the scene itself."""
    parts = bpy.data.collections.new("Van parts")
    for name, size, place, paint in (
        ("Van body", (5.0, 2.0, 1.6), (0.0, 0.0, 1.0), "Van paint"),
        ("Van roof", (3.0, 1.8, 0.6), (-0.5, 0.0, 2.1), "Van glass"),
    ):
        part = add("cube", name, size=1.0, location=place, paint=material(paint))
        part.scale = size
        parts.objects.link(part)
        bpy.context.scene.collection.objects.unlink(part)
    bpy.ops.object.empty_add()
    van = bpy.context.object
    van.name = "Van"
    van["osi_type"] = "van"
    van.instance_type = "COLLECTION"
    van.instance_collection = parts
    drive(van, (-12.0, 6.0, 0.0), (0.5, 0.0, 0.0), N_FRAME)


def crooked():
    """A wedge that is mirrored, and one that is sheared by its parent."""
    mirrored = add("cone", "Mirrored", radius1=1.0, depth=2.0, location=(-6.0, -6.0, 1.0))
    mirrored.scale = (-1.0, 0.5, 2.0)
    mirrored.rotation_euler = (0.0, 0.0, 0.7)
    bpy.ops.object.empty_add(location=(-6.0, 0.0, 0.0))
    parent = bpy.context.object
    parent.scale = (1.0, 3.0, 1.0)
    sheared = add("cube", "Sheared", size=1.0)
    sheared.parent = parent
    sheared.location = (0.0, 0.0, 1.0)
    sheared.rotation_euler = (0.0, 0.0, 0.6)


def street():
    """Make the scene of 20 frames; return the sensor."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module=MODULE)
    scene = bpy.context.scene
    scene.render.fps = 10
    scene.frame_start = 1
    scene.frame_end = N_FRAME
    add("plane", "Ground", size=120.0, paint=textured("Asphalt"))
    wall = add("plane", "Wall", size=20.0, location=(15.0, 0.0, 5.0), paint=material("Concrete"))
    wall.rotation_euler = (0.0, math.radians(80.0), math.radians(10.0))
    ball = add("uv_sphere", "Ball", segments=512, ring_count=256, radius=1.5)
    ball.location = (6.0, -6.0, 1.8)
    ball.data.materials.append(material("Chalk"))
    car = add("cube", "Car", size=1.0, paint=material("Car paint"))
    car.scale = (4.2, 1.8, 1.5)
    car["osi_type"] = "car"
    drive(car, (-8.0, -3.0, 0.75), (0.8, 0.0, 0.0), N_FRAME)
    second_car()
    walker()
    forest()
    crooked()
    add("cube", "Switched off", location=(2.0, 0.0, 2.0)).hide_viewport = True
    add("cube", "For the view only", location=(-2.0, 0.0, 2.0)).hide_render = True
    bpy.ops.object.light_add()
    bpy.ops.object.empty_add(location=(0.0, 0.0, 1.9), rotation=(0.0, 0.0, 0.5))
    scene.osi_lidar.sensor = bpy.context.object
    scene.osi_lidar.frames = "RANGE"
    return bpy.context.object


def room():
    """Make a scene in centimetres: a camera that looks along y at a wall, 10 m away."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module=MODULE)
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.01
    wall = add("plane", "Wall", size=4000.0, location=(50.0, 1020.0, 0.0))
    wall.rotation_euler = (math.radians(90.0), 0.0, 0.0)
    bpy.ops.object.camera_add(location=(50.0, 20.0, 100.0), rotation=(math.radians(90.0), 0, 0))
    scene.camera = bpy.context.object


def collections():
    """Instances of a collection that has another one in it, and collections that are not shown."""
    scene = bpy.context.scene
    outer, inner, excluded, unrendered = map(
        bpy.data.collections.new, ("Outer", "Inner", "Excluded", "Unrendered")
    )
    outer.children.link(inner)
    move_into(outer, add("cube", "Shown", size=1.0))
    move_into(outer, add("cube", "Switched off inside", size=1.0)).hide_render = True
    bpy.ops.object.text_add()
    move_into(inner, bpy.context.object).name = "Deep text"
    for x_m in (0.0, 5.0):
        bpy.ops.object.empty_add(location=(x_m, 10.0, 0.5))
        bpy.context.object.instance_type = "COLLECTION"
        bpy.context.object.instance_collection = outer
    for each in (excluded, unrendered):
        scene.collection.children.link(each)
        move_into(each, add("cube", f"In {each.name}"))
    bpy.context.view_layer.layer_collection.children["Excluded"].exclude = True
    unrendered.hide_render = True


def instancers():
    """Grains by particles on a field that is not rendered, and cubes on the corners of a plane."""
    grain = add("cube", "Grain", size=0.2, location=(0.0, 0.0, -5.0))
    field = add("plane", "Field", size=10.0, location=(0.0, -15.0, 0.2))
    field.modifiers.new("Grains", "PARTICLE_SYSTEM")
    settings = field.particle_systems[0].settings
    settings.type = "HAIR"
    settings.count = 30
    settings.render_type = "OBJECT"
    settings.instance_object = grain
    field.show_instancer_for_render = False
    corners = add("plane", "Corners", size=4.0, location=(-8.0, 0.0, 1.0))
    corners.instance_type = "VERTS"
    add("cube", "Knob", size=0.3).parent = corners


def changing():
    """A cube with a shape key, and one that is rendered in the first frame alone."""
    grows = add("cube", "Grows", size=1.0, location=(4.0, 5.0, 1.0))
    grows.shape_key_add(name="Basis")
    key = grows.shape_key_add(name="Up")
    key.data[0].co.z += 1.0
    goes = add("cube", "Goes", size=1.0, location=(4.0, -5.0, 1.0))
    for frame, value in ((1, 0.0), (2, 1.0)):
        key.value, goes.hide_render = value, bool(value)
        key.keyframe_insert("value", frame=frame)
        goes.keyframe_insert("hide_render", frame=frame)


def odds():
    """Make two frames with all kinds of objects, which a camera scans that drives to a wall."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module=MODULE)
    scene = bpy.context.scene
    scene.render.fps = 10
    scene.frame_start = 1
    scene.frame_end = 2
    add("plane", "Wall", size=60.0, location=(30.0, 0.0, 0.0), rotation=(0.0, math.pi / 2, 0.0))
    bpy.ops.curve.primitive_bezier_circle_add(location=(8.0, 4.0, 1.0))
    bpy.context.object.name = "Tube"
    bpy.context.object.data.bevel_depth = 0.3
    bpy.ops.object.metaball_add(location=(6.0, 0.0, 1.0))
    bpy.ops.surface.primitive_nurbs_surface_sphere_add(location=(10.0, 8.0, 1.0))
    bpy.ops.object.volume_add()
    add("cube", "Flat", location=(3.0, 0.0, 0.0)).scale = (1.0, 1.0, 0.0)
    collections()
    instancers()
    changing()
    turn = (math.pi / 2, 0.0, -math.pi / 2)
    bpy.ops.object.camera_add(rotation=turn)
    scene.camera = bpy.context.object
    drive(scene.camera, (0.0, 0.0, 2.0), (1.0, 0.2, 0.0), 2)
    scene.osi_lidar.frames = "RANGE"


def scan(folder, command, preset):
    """Scan with the operator, and return the points of each frame, with their attributes."""
    scene = bpy.context.scene
    scene.osi_lidar.folder = str(folder)
    scene.osi_lidar.preset = preset
    bpy.context.preferences.addons[MODULE].preferences.command = command
    bpy.ops.osi_lidar.scan_scene()
    found = {}
    for each in bpy.data.collections[f"osi-lidar {scene.name}"].objects:
        name = each.name.split()[-1]
        points = np.empty(3 * len(each.data.vertices))
        each.data.vertices.foreach_get("co", points)
        found[f"{name}/points"] = points.reshape(-1, 3)
        found[f"{name}/pose"] = np.array(each.matrix_world)
        for attribute in each.data.attributes:
            if attribute.data_type in {"INT", "FLOAT"} and not attribute.is_internal:
                kind = np.int32 if attribute.data_type == "INT" else np.float32
                values = np.empty(len(points) // 3, kind)
                attribute.data.foreach_get("value", values)
                found[f"{name}/{attribute.name}"] = values
    return found


def corners():
    """Return the corners of watched objects in the world, frame by frame, by Blender itself."""
    found = {}
    for frame in range(1, N_FRAME + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for name in WATCHED:
            evaluated = bpy.data.objects[name].evaluated_get(depsgraph)
            places = [evaluated.matrix_world @ each.co for each in evaluated.data.vertices]
            found[f"{frame}/{name}"] = np.array(places)
    return found


def refusals(folder, command):
    """Return what the operator says of mistakes, by their names."""
    said = {}

    def attempt(name):
        try:
            bpy.ops.osi_lidar.scan_scene()
        except RuntimeError as error:
            said[name] = str(error).strip()

    settings = bpy.context.scene.osi_lidar
    preferences = bpy.context.preferences.addons[MODULE].preferences
    preferences.command = "no-such-program"
    attempt("program")
    preferences.command = command
    settings.preset = "VLP-17"
    attempt("preset")
    settings.preset = "VLP-16"
    (folder.parent / "foreign").mkdir()
    (folder.parent / "foreign" / "diary.txt").write_text("mine")
    settings.folder = str(folder.parent / "foreign")
    attempt("folder")
    settings.folder = str(folder)
    bpy.context.scene.camera.hide_viewport = True
    attempt("hidden sensor")
    bpy.context.scene.camera = None
    attempt("sensor")
    return said


class Window:
    """A context with a window that has no screen: it notes timers, and hands all else on."""

    window = None

    def __init__(self):
        self.window_manager = self
        self.timers = []

    def __getattr__(self, name):
        return getattr(bpy.context, name)

    def event_timer_add(self, period_s, **_given):
        self.timers.append(period_s)
        return len(self.timers) - 1

    def event_timer_remove(self, timer):
        self.timers.pop(timer)

    def modal_handler_add(self, operator):
        self.handler = operator


def scans_in_a_window(folder):
    """Return what the operator does beside a user: one scan to its end, and one that is stopped."""
    kind = sys.modules[f"{MODULE}.operators"].OSI_LIDAR_OT_scan_scene
    steps = []

    class Operator:
        invoke, modal = kind.invoke, kind.modal
        _start, _finish, _failed = kind._start, kind._finish, kind._failed

        def report(self, level, text):
            steps.append(f"{min(level)} {text.split(' in ')[0]}")

    bpy.context.scene.osi_lidar.folder = str(folder)
    for last in ("TIMER", "ESC"):
        window, operator = Window(), Operator()
        steps.append(min(operator.invoke(window, None)))
        steps.append(min(operator.modal(window, SimpleNamespace(type="MOUSEMOVE"))))
        if last == "TIMER":
            operator._replay._process.wait()
        steps.append(min(operator.modal(window, SimpleNamespace(type=last))))
        steps.append(f"{len(window.timers)} timers, done: {operator._replay.is_done()}")
    return steps


def main():
    archive, command, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    bpy.ops.extensions.package_install_files(filepath=archive, repo=REPO, enable_on_install=True)
    street()
    drawn = scan(folder / "drive", command, "VLP-16")
    before = {file.name: file.read_bytes() for file in (folder / "drive").glob("*.*")}
    bpy.ops.osi_lidar.export_scene(directory=str(folder / "drive"))
    again = {file.name: file.read_bytes() for file in (folder / "drive").glob("*.*")}
    objects = dict(bpy.data.collections["osi-lidar Scene"]["osi_lidar_objects"])
    materials = list(bpy.data.collections["osi-lidar Scene"]["osi_lidar_materials"])
    np.savez(folder / "drive.npz", **drawn, **corners())
    odds()
    np.savez(folder / "odds.npz", **scan(folder / "odds", command, "VLP-16"))
    room()
    np.savez(folder / "room.npz", **scan(folder / "room", command, "VLP-16"))
    steps = scans_in_a_window(folder / "room")
    facts = {
        "steps": steps,
        "same": before == again,
        "objects": objects,
        "materials": materials,
        "refusals": refusals(folder / "room", command),
    }
    bpy.ops.preferences.addon_disable(module=MODULE)
    facts["gone"] = not hasattr(bpy.context.scene, "osi_lidar")
    (folder / "facts.json").write_text(json.dumps(facts, indent=1))


if __name__ == "__main__":
    main()

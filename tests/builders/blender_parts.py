# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Objects of scenes that are made in a Blender without a window."""

import bpy
import numpy as np


def material(name, color=(0.5, 0.5, 0.5, 1.0)):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = color
    return made


def textured(name):
    """A material whose base colour is a checkerboard that Blender makes."""
    made = material(name)
    image = bpy.data.images.new("checks", 8, 8)
    checks = np.indices((8, 8)).sum(axis=0) % 2
    image.pixels.foreach_set(np.repeat(checks, 4).astype(np.float32))
    node = made.node_tree.nodes.new("ShaderNodeTexImage")
    node.image = image
    shader = made.node_tree.nodes["Principled BSDF"]
    made.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return made


def add(kind, name, *, paint=None, **given):
    getattr(bpy.ops.mesh, f"primitive_{kind}_add")(**given)
    made = bpy.context.object
    made.name = name
    if paint is not None:
        made.data.materials.append(paint)
    return made


def drive(made, start, step, last):
    """Let an object move evenly, one step from frame to frame."""
    for frame in (1, last):
        made.location = np.add(start, (frame - 1) * np.array(step))
        made.keyframe_insert("location", frame=frame)
    for curve in made.animation_data.action.fcurves:
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"


def move_into(collection, made):
    for each in list(made.users_collection):
        each.objects.unlink(made)
    collection.objects.link(made)
    return made

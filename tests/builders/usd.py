# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Small OpenUSD files as text, and files in its other formats."""

from tests.builders.files import written

SQUARE = """
    int[] faceVertexCounts = [4]
    int[] faceVertexIndices = [0, 1, 2, 3]
    point3f[] points = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
    uniform token subdivisionScheme = "none"
"""
"""Attributes of a Mesh: a square of one unit."""


def square(name="Square", more="", head=""):
    """Return a Mesh prim."""
    return f'def Mesh "{name}" ({head}) {{\n{SQUARE}\n{more}\n}}\n'


def stage(body, *, up="Z", unit=1, more=""):
    """Return a layer as text."""
    head = f'    upAxis = "{up}"\n    metersPerUnit = {unit}\n' if up else ""
    return f"#usda 1.0\n(\n{head}{more}\n)\n{body}"


def write_stage(path, body, **head):
    """Write a layer as text, and return its path."""
    return written(path, stage(body, **head))


def write_crate(path, text):
    """Write a layer in the binary format, and return its path."""
    from pxr import Sdf

    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    layer.Export(str(path), args={"format": "usdc"})
    return path


MOVABLE = 'uniform token[] xformOpOrder = ["xformOp:translate"]'
PART = f"""
def Xform "Part" (
    prepend variantSets = "size"
    variants = {{
        string size = "small"
    }}
) {{
    {MOVABLE}
    {square("Square")}
    variantSet "size" = {{
        "small" {{
            double3 xformOp:translate = (10, 0, 0)
        }}
        "large" {{
            double3 xformOp:translate = (20, 0, 0)
        }}
        "lost" ( prepend references = @absent.usda@ ) {{
        }}
    }}
}}
"""
TOWN = """
def "A" (
    prepend references = @parts/a.usda@</Part>
    variants = {
        string size = "large"
    }
) {
}
def "B" ( prepend payload = @./parts/a.usda@</Part> ) {
}
over "Under" {
    double3 xformOp:translate = (50, 0, 0)
}
"""
LAYERS = {
    "town.usda": stage(TOWN, more="    subLayers = [@parts/under.usda@]\n"),
    "parts/a.usda": stage(PART),
    "parts/under.usda": stage(square("Under", MOVABLE)),
}


def write_layers(folder):
    for name, text in LAYERS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder / "town.usda"


def place(x):
    """Return attributes that move a prim along x."""
    return (
        f"double3 xformOp:translate = ({x}, 0, 0)\n"
        'uniform token[] xformOpOrder = ["xformOp:translate"]'
    )


POINTS = f"""
def PointInstancer "Trees" {{
    {place(100)}
    rel prototypes = [</Trees/Kinds/A>, </Trees/Kinds/B>]
    int[] protoIndices = [0, 1, 0, 1]
    point3f[] positions = [(1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)]
    quath[] orientations = [(1, 0, 0, 0), (0.7071, 0, 0, 0.7071), (1, 0, 0, 0), (1, 0, 0, 0)]
    float3[] scales = [(1, 1, 1), (1, 1, 1), (2, 3, 1), (1, 1, 1)]
    int64[] invisibleIds = [3]
    def Scope "Kinds" {{
        def Xform "A" {{
            {place(0.5)}
            {square("Square")}
        }}
        def Xform "B" {{
            {square("Square")}
        }}
    }}
}}
"""
MATERIALS = """
def Scope "Looks" {
    def Material "Paint" {
        color3f inputs:tint = (0.1, 0.2, 0.3)
        token outputs:surface.connect = </Looks/Paint/Shader.outputs:surface>
        def Shader "Shader" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </Looks/Paint.inputs:tint>
            float inputs:metallic = 1
            float inputs:roughness = 0.25
            float inputs:opacity = 0.5
            token outputs:surface
        }
    }
    def Material "Brick" {
        token outputs:surface.connect = </Looks/Brick/Shader.outputs:surface>
        def Shader "Shader" {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor.connect = </Looks/Brick/Image.outputs:rgb>
            token outputs:surface
        }
        def Shader "Image" {
            uniform token info:id = "UsdUVTexture"
            asset inputs:file = @./textures/brick_red.png@
            float3 outputs:rgb
        }
    }
    def Material "Omni" {
        token outputs:mdl:surface.connect = </Looks/Omni/Shader.outputs:out>
        def Shader "Shader" {
            uniform token info:implementationSource = "sourceAsset"
            asset info:mdl:sourceAsset = @OmniPBR.mdl@
            token info:mdl:sourceAsset:subIdentifier = "OmniPBR"
            color3f inputs:diffuse_color_constant = (0.4, 0.5, 2)
            asset inputs:diffuse_texture = @wood.jpg@
            float inputs:reflection_roughness_constant = 0.75
            token outputs:out
        }
    }
    def Material "Bare" {
    }
}
"""

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The program of the process that reads OpenUSD files: a question in, an archive of arrays out.

The answer goes to the standard output as a numpy archive (npz):

    said        uint8 (n,): JSON with the keys error, layers, notes, not_followed and materials
    vertices    float64 (n_vertex, 3) [m], z up
    faces       int64 (n_face, 3)
    material    int64 (n_face,): index into materials
    n_face, n_place, places: the groups of the faces, see `joining.Triangles`
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from pxr import Tf

from raycore.errors import MeshError
from raycore.mesh.readers import MeshSource
from raycore.mesh.usd.diagnostics import line, reason_of
from raycore.mesh.usd.joining import Triangles, joined
from raycore.mesh.usd.layers import Layers
from raycore.mesh.usd.limits import no_core_dump
from raycore.mesh.usd.stage import CurrentPrim, read_stage

_DAMAGE = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip
"""Python exceptions that a damaged stage may cause; usd-core's own errors are others."""
_MAIN_OUTPUT, _MAIN_ERRORS = 1, 2
_NOTHING = {"error": "", "layers": [], "notes": [], "not_followed": [], "materials": []}


def main(question: str) -> None:
    """Write the answer to a question of `process.answer_of` to standard output; end the process.

    ``question`` is JSON with the keys path, roots and layers_only.
    """
    out = os.dup(_MAIN_OUTPUT)
    os.dup2(_MAIN_ERRORS, _MAIN_OUTPUT)  # usd-core may print there
    no_core_dump()
    said, arrays = answered(json.loads(question))
    with os.fdopen(out, "wb") as file:
        np.savez(
            file,
            said=np.frombuffer(json.dumps({**_NOTHING, **said}).encode(), np.uint8),
            **arrays._asdict(),
        )
    os._exit(0)  # freeing a stage takes usd-core long


def answered(asked: dict[str, object]) -> tuple[dict[str, object], Triangles]:
    """Return the answer to a question: its JSON part, and its triangles.

    ``asked`` has the path of the file, the roots that reading is confined to (None: anywhere), and
    layers_only. The JSON part has the keys of ``said`` (see the module) as far as they are known.
    With an error, or with layers_only, there are no triangles. The working folder changes to the
    folder of the file.
    """
    source = MeshSource(path=Path(str(asked["path"])), roots=asked["roots"])  # type: ignore[arg-type]
    at = CurrentPrim()
    try:
        os.chdir(source.path.parent)  # usd-core looks for layers in the current folder, too
        layers = Layers(source)
        layers.open_all()
        if asked["layers_only"]:
            return {"layers": layers.names}, joined([], np.eye(4), 0)
        triangles, materials = read_stage(layers, source, at)
    except MeshError as error:
        return _error(line(str(error).removeprefix(f"{source}: ")))
    except Tf.ErrorException as error:
        return _error(f"cannot be read as OpenUSD: {at}{reason_of(error)}")
    except _DAMAGE as error:
        cause = line(str(error)) or "no reason given"
        return _error(f"cannot be read as OpenUSD: {at}{cause} ({type(error).__name__})")
    said = {
        "layers": layers.names,
        "notes": source.notes,
        "not_followed": source.unfollowed.kinds,
        "materials": materials,
    }
    return said, triangles


def _error(text: str) -> tuple[dict[str, object], Triangles]:
    return {"error": text}, joined([], np.eye(4), 0)

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The layers of a stage: all files that can take part in it, opened before it is composed.

usd-core opens whatever a layer names. So the layers are opened here first, one by one, each only
if it lies in the allowed folders; the composition then finds them open, and needs no other file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pxr import Ar, Sdf, Tf

from raycore.errors import MeshError
from raycore.mesh.suffixes import USD_SUFFIXES
from raycore.mesh.usd.diagnostics import reason_of
from raycore.mesh.usd.limits import allow

if TYPE_CHECKING:
    from raycore.mesh.readers import MeshSource

_EXPRESSION = "`"
_ARGUMENTS = ":SDF_FORMAT_ARGS:"


class Layers:
    """The layers that a file includes by sublayers, references and payloads, in all variants.

    Parameters
    ----------
    source : MeshSource
        The file.

    Attributes
    ----------
    n_bytes : int
        Size of all files together.
    names : list of str
        Paths of the other files, relative to the folder of ``source``, in the order in which they
        were found.
    unknown : set of str
        Names and paths of files that usd-core cannot read.
    """

    def __init__(self, source: MeshSource) -> None:
        self._source = source
        self._first = str(source.path)
        self._opened: dict[str, Sdf.Layer] = {}
        self._files: set[str] = set()
        self.n_bytes = 0
        self.names: list[str] = []
        self.unknown: set[str] = set()

    @property
    def root(self) -> Sdf.Layer:
        """The layer of the file itself."""
        return self._opened[self._first]

    def open_all(self) -> None:
        """Open all layers.

        Raises
        ------
        MeshError
            A layer is outside the allowed folders, is damaged, or is named by an expression.
        """
        waiting = [self._first]
        while waiting:
            asset = waiting.pop(0)
            if asset not in self._opened:
                self._opened[asset] = self._open(asset)
                waiting += self._named_by(self._opened[asset])

    def check_used(self, used: list[Sdf.Layer]) -> None:
        """Check that a stage uses only the layers that were opened here.

        ``used`` are the layers that the stage uses. Anonymous layers, which have no file, are
        allowed.

        Raises
        ------
        MeshError
            The stage uses another layer.
        """
        known = {layer.identifier for layer in self._opened.values()}
        for layer in used:
            if not layer.anonymous and layer.identifier not in known:
                raise MeshError(
                    f"{self._source}: uses the layer {layer.identifier}, expected it as a "
                    "sublayer, reference or payload of another layer"
                )

    def _open(self, asset: str) -> Sdf.Layer:
        file = _outer(asset)
        if file not in self._files:
            self._source.confine(Path(file), f"{self._source}: needs {file}, which")
            if not Path(file).is_file():
                raise MeshError(f"{self._source}: needs {file}, which is not a file")
            self._files.add(file)
            self.n_bytes += Path(file).stat().st_size
            allow(self.n_bytes)
            if file != self._first:
                self.names.append(os.path.relpath(file, self._source.path.parent))
        reason = "it contains no layer"
        try:
            layer = Sdf.Layer.FindOrOpen(asset)
        except Tf.ErrorException as error:
            reason = reason_of(error, asset)
            layer = None
        if layer is None:
            which = "" if asset == self._first else f"needs {asset}, which "
            raise MeshError(f"{self._source}: {which}cannot be read as OpenUSD: {reason}")
        return layer

    def _named_by(self, layer: Sdf.Layer) -> list[str]:
        """Return the paths of the existing files that a layer names, as usd-core resolves them."""
        found = []
        for name in sorted(filter(None, layer.GetCompositionAssetDependencies())):
            if name.startswith(_EXPRESSION) or _ARGUMENTS in name:
                raise MeshError(
                    f"{self._source}: {Path(layer.identifier).name} names {name[:80]}, which is not"
                    " supported; expected the path of a file"
                )
            identifier = Sdf.ComputeAssetPathRelativeToLayer(layer, name)
            asset = str(Ar.GetResolver().Resolve(identifier))
            if asset and not _last(asset).lower().endswith(USD_SUFFIXES):
                self.unknown |= {name, identifier, asset}
            elif asset:
                found.append(asset)
        return found


def _outer(asset: str) -> str:
    """Return the file on disk of an asset; for an asset in a package, the package."""
    return str(Ar.SplitPackageRelativePathOuter(asset)[0])


def _last(asset: str) -> str:
    """Return the path of an asset within its package; for other assets, their path."""
    return str(Ar.SplitPackageRelativePathInner(asset)[1]) or asset

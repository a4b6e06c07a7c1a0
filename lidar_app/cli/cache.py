# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The command ``cache``: compiled kernels and meshes on disk, and compiling beforehand."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from lidar_app.cli.parts.console import EXIT_UNUSABLE, display, fail, line, print_json, say
from lidar_app.cli.parts.options import JsonOption
from lidar_app.cli.parts.parameters import option, switch
from lidar_base.files.whole_files import cause_of

if TYPE_CHECKING:
    from lidar_base.tables import Table
    from osi_lidar.precompiled import KernelState

_MEGABYTE = 1e6


def cache(
    compile_: bool = switch(
        "Compile kernels that are neither cached nor shipped.", None, "--compile"
    ),
    fidelity: Literal["ideal", "physical"] | None = option(
        "ideal|physical", "Only kernels of sensors of this kind. Default: of all."
    ),
    clear: bool = switch("Remove all cached meshes."),
    as_json: JsonOption = False,
) -> None:
    """Show where compiled kernels come from and what the caches hold; compile kernels beforehand.

    --compile compiles kernels for this processor, as many at a time as it has cores: while an
    image is built, for instance, or before many workers start.
    """
    from lidar_base.compiled import OWN_WAY

    if OWN_WAY is None:
        fail("kernels are not kept with this version of numba, see the line above", EXIT_UNUSABLE)
    from osi_lidar.precompiled import compile_all, states

    runs = () if fidelity is None else (fidelity,)
    if compile_:
        for each in compile_all(runs):
            say(f"compiled {each.name}", style="dim")
    found = states(runs)
    if as_json:
        print_json(_figures(found))
        return
    display(_kernels(found))
    line(_meshes(clear=clear))


def _kernels(found: list[KernelState]) -> Table:
    """Return a table of where the next run finds its compiled kernels."""
    from lidar_base.caches.kernel_cache import SHIPPED, shipped_for, user_folder
    from lidar_base.caches.kernel_store import KernelStore
    from lidar_base.tables import facts

    rows = {}
    fits = shipped_for()
    if fits:
        of = ", ".join(f"{name} {fits[name]}" for name in ("Python", "numba", "llvmlite"))
        rows["shipped"] = f"{SHIPPED}, for {fits['levels']}, {of}"
    else:
        rows["shipped"] = "none with this installation"
    kept = KernelStore(user_folder()).files()
    size = sum(each.stat().st_size for each in kept) / _MEGABYTE
    rows["cached"] = f"{user_folder()}: {size:.1f} MB"
    counts = Counter(each.origin.value for each in found)
    rows["next run"] = ", ".join(f"{count} {origin}" for origin, count in counts.items())
    return facts("Compiled kernels", rows)


def _meshes(*, clear: bool) -> str:
    """Return a line with folder and size of the mesh cache; empty the cache if `clear`."""
    from lidar_base.caches.folder import VARIABLE
    from osi_lidar.world.mesh_cache import mesh_cache

    meshes = mesh_cache()
    if meshes is None:
        return f"There is no mesh cache: {VARIABLE} is off, or the user has no home folder."
    entries = meshes.entries()
    if clear:
        try:
            meshes.clear()
        except OSError as error:
            fail(f"{meshes.folder}: cannot be cleared: {cause_of(error)}", EXIT_UNUSABLE)
    megabytes = sum(n_bytes for _, n_bytes in entries) / _MEGABYTE
    what = f"{len(entries)} meshes, {megabytes:.1f} MB{' removed' if clear else ''}"
    return f"{meshes.folder}: {what}"


def _figures(found: list[KernelState]) -> dict[str, object]:
    """Return the origin of each kernel (shipped, cached or to be compiled), for JSON."""
    from lidar_base.caches.kernel_cache import SHIPPED, shipped_for, user_folder

    return {
        "shipped": {"folder": str(SHIPPED), "for": shipped_for()},
        "cached": str(user_folder()),
        "kernels": [
            {"kernel": each.listed.name, "runs": each.listed.runs, "origin": each.origin.value}
            for each in found
        ],
    }

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs and bundles: what they say of themselves is read, and runs take what is inside."""

import hashlib
import io
import json
import zipfile
from functools import cache
from pathlib import Path

from fmu_src.exporter import build_fmu
from lidar_app.bundle.manifest import MANIFEST
from tests.builders.messages import framed
from tests.builders.runs import drive
from tests.builders.worlds import SENSOR
from tests.fuzz.containers import changed_zip, of_name
from tests.fuzz.target import Target, command
from tests.fuzz.values import changed_bytes
from tests.lidar_app.bundle.scenarios import bundled, plain

TEXTS = {".xml", ".json", ".yaml", ".yml", ".csv"}


@cache
def _built(folder, version):
    (folder / "c.yaml").write_text(SENSOR)
    (one,) = build_fmu(config=folder / "c.yaml", out=folder / version, fmi=version)
    return one.path.read_bytes()


def _fmus(folder):
    trace = framed(drive())
    return {f"fmi{each}": {"a.fmu": _built(folder, each), "drive.osi": trace} for each in "23"}


def _changed_texts(data, draw):
    """Return an FMU of whose descriptions and configurations one is changed: it runs its code."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = archive.namelist()
        one = draw.choice([each for each in names if Path(each).suffix in TEXTS])
        with zipfile.ZipFile(buffer, "w") as written:
            for name in names:
                content = archive.read(name)
                written.writestr(name, of_name(name)(content, draw) if name == one else content)
    return buffer.getvalue()


def _info(folder):
    return command("fmu", "info", folder / "a.fmu", "--json")


def _run(folder):
    return command("fmu", "run", folder / "a.fmu", folder / "drive.osi", "--out", folder / "out")


@cache
def _bundled(folder):
    return bundled(plain(folder / "home"), folder / "a.osib").read_bytes()


def _bundles(folder):
    return {"plain": {"a.osib": _bundled(folder)}}


def _changed_inside(data, draw):
    """Return a bundle of which one file is changed, and the manifest says so: all is unpacked."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(content[MANIFEST])
    entry = draw.choice(manifest["files"])
    changed = of_name(entry["name"])(content[entry["name"]], draw)
    content[entry["name"]] = changed
    entry |= {"size": len(changed), "sha256": hashlib.sha256(changed).hexdigest()}
    content[MANIFEST] = json.dumps(manifest).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        for name, text in content.items():
            written.writestr(name, text)
    return buffer.getvalue()


def _bundle_info(folder):
    return command("info", folder / "a.osib", "--json")


def _check(folder):
    return command("check", folder / "a.osib")


_BUNDLES = {"seeds": _bundles, "changed": ("*.osib",)}
_KINDS = {"seeds": _fmus, "changed": ("*.fmu",)}
TARGETS = [
    Target(name="fmu-info", call=_info, changes={"*": changed_zip}, **_KINDS),
    Target(name="fmu-run", call=_run, changes={"*": _changed_texts}, **_KINDS),
    Target(name="bundle-info", call=_bundle_info, changes={"*": changed_zip}, **_BUNDLES),
    Target(name="bundle-zip", call=_check, changes={"*": changed_zip}, **_BUNDLES),
    Target(name="bundle-bytes", call=_check, changes={"*": changed_bytes}, **_BUNDLES),
    Target(name="bundle-inside", call=_check, changes={"*": _changed_inside}, **_BUNDLES),
]

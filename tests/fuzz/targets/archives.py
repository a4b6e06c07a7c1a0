# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""FMUs: what they say of themselves is read, and a master drives them."""

import io
import zipfile
from functools import cache
from pathlib import Path

from fmu_src.exporter import build_fmu
from tests.builders.messages import framed
from tests.builders.runs import drive
from tests.builders.worlds import SENSOR
from tests.fuzz.containers import changed_zip, of_name
from tests.fuzz.target import Target, command

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


_KINDS = {"seeds": _fmus, "changed": ("*.fmu",)}
TARGETS = [
    Target(name="fmu-info", call=_info, changes={"*": changed_zip}, **_KINDS),
    Target(name="fmu-run", call=_run, changes={"*": _changed_texts}, **_KINDS),
]

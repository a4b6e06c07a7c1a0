# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Try a release in all but its upload, and list what was proved; ``make release-check`` runs it.

    python tools/release_check.py build/release    # an empty folder
    python tools/release_check.py --notes 0.2.0    # print what the changelog says of a version

It works in a clone of the last commit, with separate environments, and uploads nothing. It needs a
Python that has the dependency group ``release``. The exit code is 1 if a check fails.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import venv
import zipfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from release_texts import (
    METADATA,
    FailedError,
    check_cut,
    check_date,
    check_versions,
    lacking,
    notes,
    platform_tag,
    sections,
    stated_versions,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    Part: TypeAlias = str | Path

ROOT = Path(__file__).resolve().parents[1]
STREET = Path("scenarios", "street")
N_FRAMES = 3


def check_git(root: Path) -> str:
    """Check that the working tree is clean, and that the version's tag does not exist yet."""
    changed = run(["git", "status", "--porcelain"], root).splitlines()
    if changed:
        raise FailedError(f"the working tree is not clean, commit or remove {changed[0]}")
    tag = f"v{stated_versions(root)['osi_lidar/version.py']}"
    if run(["git", "tag", "--list", tag], root):
        raise FailedError(f"the tag {tag} exists already; raise the version")
    return f"working tree clean, no tag {tag} yet"


def run(command: Sequence[Part], folder: Path, **variables: str) -> str:
    """Run a program in a folder, and return what it prints.

    Raises
    ------
    FailedError
        The program's exit code is not 0.
    """
    environment = {**os.environ, **variables}
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or "it said nothing").splitlines()
        words = " ".join(map(str, command[:5]))
        raise FailedError(f"{words} ..: exit code {done.returncode}: {said[-1]}")
    return done.stdout.strip()


def contents(wheel: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a wheel, by name."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
        return {name: hashlib.sha256(file.read(name)).hexdigest() for name in names}


class Trial:
    """A trial of a release in a folder, step by step. Steps return a line about the result.

    Parameters
    ----------
    folder : Path
        An empty folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.clone = self.folder / "clone"
        self.dist = self.folder / "dist"
        self.python = self.folder / "installed" / "bin" / "python"
        self.cache = {"NUMBA_CACHE_DIR": str(self.folder / "kernels"), "PYTHONPATH": ""}
        self.cloud = ""

    def module(self, *arguments: Part) -> str:
        """Run a module, such as ``build``, in the Python that runs this script."""
        return run([sys.executable, "-m", *arguments], self.folder)

    def wheel(self, tags: str = "py3-none-any") -> Path:
        """Return the one wheel in ``dist`` with these tags, in which ``*`` stands for any text."""
        found = list(self.dist.glob(f"*-{tags}.whl"))
        if len(found) != 1:
            raise FailedError(f"{self.dist}: got {len(found)} wheels for {tags}, expected one")
        return found[0]

    def build(self) -> str:
        """Build the source distribution, a wheel from it, and a wheel from the clone."""
        run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, self.clone], self.folder)
        self.module("build", "--outdir", self.dist, self.clone)
        self.module("build", "--wheel", "--outdir", self.folder / "direct", self.clone)
        (direct,) = (self.folder / "direct").iterdir()
        wheel = self.wheel()
        if contents(direct) != contents(wheel):
            raise FailedError(
                f"{wheel.name}: built from the source distribution, it differs from the wheel of "
                "the clone"
            )
        (sdist,) = self.dist.glob("*.tar.gz")
        return f"{sdist.name} and {wheel.name}, which is the same from either"

    def metadata(self) -> str:
        """Check the metadata by twine, and by the list of fields that they must have."""
        self.module("twine", "check", "--strict", *sorted(self.dist.iterdir()))
        wheel = self.wheel()
        with zipfile.ZipFile(wheel) as file:
            (name,) = [each for each in file.namelist() if each.endswith(".dist-info/METADATA")]
            missing = lacking(file.read(name).decode())
        if missing:
            raise FailedError(f"{wheel.name}: its metadata lack {', '.join(missing)}")
        return f"metadata: twine's check, and {len(METADATA)} fields"

    def install(self, *what: Part) -> None:
        """Install into the environment for the wheel, by the pip of another environment."""
        pip: list[Part] = ["--python", self.python, "--quiet", "--disable-pip-version-check"]
        self.module("pip", *pip, "install", *what)

    def scan(self, name: str, code: str) -> str:
        """Replay frames of the street, and return a hash of the point clouds' bytes.

        Parameters
        ----------
        name : str
            Name of the output folder.
        code : str
            Folder of the packages to use; empty: the installed packages.
        """
        street, variables = self.clone / STREET, {**self.cache, "PYTHONPATH": code}
        run(
            [
                *(self.python, "-m", "osi_lidar", "replay", next(street.glob("*.osi"))),
                *("--config", street / "config.yaml", "--sensor", "VLP-16"),
                *("--frames", f"0:{N_FRAMES}", "--out", self.folder / name),
            ],
            self.folder,
            **variables,
        )
        clouds = sorted((self.folder / name).rglob("*.pcd"))
        if not clouds:
            raise FailedError(f"{name}: the replay wrote no cloud")
        return hashlib.sha256(b"".join(file.read_bytes() for file in clouds)).hexdigest()

    def installed(self) -> str:
        """Install the wheel, and compare its point clouds with those of the clone's code."""
        venv.create(self.python.parents[1], with_pip=False, symlinks=True)
        self.install(self.wheel())
        self.cloud = self.scan("of_wheel", "")
        if self.scan("of_clone", str(self.clone)) != self.cloud:
            raise FailedError("the wheel and the clone give different clouds")
        return f"the installed wheel gives the clouds of the clone, {self.cloud[:12]}"

    def bill(self) -> str:
        """Write the list of the packages in the environment (SBOM), as release.yml does."""
        file = self.folder / "osi-lidar.cdx.json"
        given = ["--gather-license-texts", "--output-reproducible", "--validate"]
        place: list[Part] = ["--output-format", "JSON", "--output-file", file]
        self.module("cyclonedx_py", "environment", *given, *place, self.python)
        parts = json.loads(file.read_text(encoding="utf-8"))["components"]
        return f"SBOM with {len(parts)} packages, {file.name}"

    def fmu(self) -> str:
        """Build an FMU with the installed wheel, and drive it with FMPy."""
        self.install(f"{self.wheel()}[fmu]")
        trace = self.folder / f"20260101T000000Z_sv_380_7362_{N_FRAMES}_begin.osi"
        trace.write_bytes(beginning(next((self.clone / STREET).glob("*.osi")).read_bytes()))
        command: list[Part] = [self.python, "-m", "osi_lidar", "fmu"]
        run([*command, "build", "--out", self.folder / "fmu"], self.folder, **self.cache)
        file = self.folder / "fmu" / "OsiLidar.fmu"
        out = self.folder / "of_fmu"
        run([*command, "run", file, trace, "--out", out], self.folder, **self.cache)
        (answers,) = out.glob("*.osi")
        return f"an FMU of the wheel answers in FMPy, {answers.stat().st_size} bytes"

    def kernels(self) -> str:
        """Build the wheel with compiled kernels for this Python and processor; compare clouds."""
        find = "from lidar_base.caches.kernel_target import levels_here; print(levels_here()[0])"
        level = run([self.python, "-c", find], self.folder, **self.cache)
        variables = {**self.cache, "PYTHONPATH": str(self.clone)}
        script = self.clone / "tools" / "build_kernels.py"
        run([self.python, script, "--level", level], self.clone, **variables)
        self.module("build", "--wheel", "--outdir", self.dist, self.clone)
        wheel = self.wheel(f"cp{sys.version_info[0]}{sys.version_info[1]}-*")
        self.install("--force-reinstall", "--no-deps", wheel)
        compiled = self.folder / "compiled"
        self.cache["NUMBA_CACHE_DIR"] = str(compiled)
        if self.scan("of_kernels", "") != self.cloud:
            raise FailedError(f"{wheel.name}: its clouds differ from the clouds of the pure wheel")
        if any(file.is_file() for file in compiled.rglob("*")):
            raise FailedError(f"{wheel.name}: compiled kernels, expected it to contain all of them")
        return f"{wheel.name} for {level} gives the same clouds; {self.platform(wheel)}"

    def platform(self, wheel: Path) -> str:
        """Check the platform in a wheel's name against the one that auditwheel finds."""
        stated = wheel.stem.rpartition("-")[2]
        found = platform_tag(self.module("auditwheel", "show", wheel))
        if found != stated:
            raise FailedError(f"{wheel.name}: auditwheel finds {found}, expected {stated}")
        return f"auditwheel finds {found}, too"

    def notes(self) -> str:
        """Write the release notes of the changelog's newest section, which may be Unreleased."""
        changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
        newest = next(name for name, text in sections(changelog).items() if text)
        file = self.folder / "notes.md"
        file.write_text(notes(changelog, newest), encoding="utf-8")
        return f"notes of {newest}, {file.name}"


def beginning(trace: bytes) -> bytes:
    """Return the first messages of an .osi trace, each after its length, as in the trace."""
    end = 0
    for _ in range(N_FRAMES):
        end += 4 + int.from_bytes(trace[end : end + 4], "little")
    return trace[:end]


def tried(step: Callable[[], str]) -> bool:
    """Run a step, print its result or error, and return whether it succeeded."""
    try:
        print(f"yes  {step()}", flush=True)
    except FailedError as error:
        print(f"NO   {error}", flush=True)
        return False
    return True


def main() -> None:
    """Run all steps; those that need the build only if it succeeded."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--notes", metavar="VERSION")
    given = parser.parse_args()
    if given.notes:
        print(notes((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), given.notes), end="")
        return
    if given.folder is None:
        parser.error("got no folder, expected the folder to build in")
    given.folder.mkdir(parents=True, exist_ok=True)
    trial = Trial(given.folder)
    checks = check_versions, check_cut, check_date, check_git
    works = [tried(partial(check, ROOT)) for check in checks]
    steps = [trial.notes, trial.build, trial.metadata, trial.installed, trial.bill]
    for step in [*steps, trial.fmu, trial.kernels]:
        works.append(tried(step))
        if step == trial.build and not works[-1]:
            break
    print("not  tried here: make docs, make check-wheel, make test; nothing was uploaded")
    sys.exit(not all(works))


if __name__ == "__main__":
    main()

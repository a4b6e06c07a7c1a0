# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Pack the extension for Blender: a zip that Blender installs, with the same bytes each time.

python tools/build_blender.py build/blender
"""

import argparse
import sys
import zipfile
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "integrations" / "blender"
SUFFIXES = {".md", ".py", ".toml"}
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""Time of all entries: the first that a zip can state."""
READABLE = 0o100644 << 16


def packed() -> list[tuple[str, bytes]]:
    """Return the names and contents of the files, sorted by name, with the licence."""
    files = [file for file in FOLDER.iterdir() if file.suffix in SUFFIXES]
    files.append(ROOT / "LICENSE")
    return [(file.name, file.read_bytes()) for file in sorted(files, key=lambda file: file.name)]


def build(folder: Path) -> Path:
    """Write the zip into a folder, and return its path.

    Entries are stored, not compressed, as versions of a compressor may write different bytes.
    """
    manifest = tomllib.loads((FOLDER / "blender_manifest.toml").read_text(encoding="utf-8"))
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{manifest['id']}-{manifest['version']}.zip"
    temporary = target.with_name(f".{target.name}.part")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_STORED) as archive:
        for name, data in packed():
            entry = zipfile.ZipInfo(name, EARLIEST)
            entry.create_system = 3  # Unix, wherever it is built
            entry.external_attr = READABLE
            archive.writestr(entry, data)
    return temporary.replace(target)


def main() -> None:
    """Build the zip into the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    print(build(parser.parse_args().folder))


if __name__ == "__main__":
    main()

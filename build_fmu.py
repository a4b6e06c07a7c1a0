# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Build the FMU.

``python build_fmu.py [--config FILE [--pattern FILE ..]] [--out DIR] [--link-python] [--vendor]``
"""

import argparse
import sys
from pathlib import Path

try:
    from fmu_src.errors import FmuError
    from fmu_src.exporter import build_fmu
    from osi_lidar.errors import OsiLidarError
except ModuleNotFoundError as error:
    sys.exit(f"build_fmu: {error.name} is not installed: pip install --editable '.[fmu]'")


def main() -> None:
    """Run the command line; an error is reported in one line, with exit code 2."""
    parser = argparse.ArgumentParser(description="Build OsiLidar.fmu (FMI 2.0, OSMP).")
    parser.add_argument(
        "--config", "-c", type=Path, help="configuration to pack into the FMU, with its files"
    )
    parser.add_argument(
        "--pattern",
        type=Path,
        action="append",
        default=[],
        help="scan pattern file to pack beside the configuration; may be repeated",
    )
    parser.add_argument("--out", "-o", type=Path, default=Path(), help="folder of the FMU")
    parser.add_argument(
        "--link-python",
        action="store_true",
        help="for masters without Python: let the FMU load libpython (Linux; needs cc and "
        "patchelf)",
    )
    parser.add_argument(
        "--vendor", action="store_true", help="pack osi-lidar and its dependencies into the FMU"
    )
    arguments = parser.parse_args()
    try:
        built = build_fmu(
            config=arguments.config,
            patterns=arguments.pattern,
            out=arguments.out,
            link_python=arguments.link_python,
            with_packages=arguments.vendor,
        )
    except (FmuError, OsiLidarError) as error:
        print(f"build_fmu: {error}", file=sys.stderr)
        sys.exit(2)
    print(f"{built.path}: {built.path.stat().st_size / 1e6:.1f} MB, GUID {built.guid}")
    for file in built.files:
        print(f"  packed {file}")


if __name__ == "__main__":
    main()

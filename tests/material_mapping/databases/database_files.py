# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Write files as the databases of measured materials have them."""

HEADER = {
    "Name": "Grey card",
    "Type": "manmade",
    "Class": "card",
    "Subclass": "grey",
    "Particle Size": "Solid",
    "Sample No.": "1",
    "Owner": "nobody",
    "Wavelength Range": "VSWIR",
    "Origin": "here",
    "Collection Date": "N/A",
    "Description": "A card.",
    "Measurement": "Bidirectional reflectance",
    "First Column": "X",
    "Second Column": "Y",
    "X Units": "Wavelength (micrometers)",
    "Y Units": "Reflectance (percent)",
    "First X Value": "{first}",
    "Last X Value": "{last}",
    "Number of X Values": "{count}",
    "Additional Information": "none",
}


def write_spectrum(path, rows):
    """Write a spectrum as the ECOSTRESS library has it: {micrometres: percent}."""
    path.parent.mkdir(parents=True, exist_ok=True)
    facts = {"first": next(iter(rows)), "last": list(rows)[-1], "count": len(rows)}
    lines = [f"{key}: {value}".format(**facts) for key, value in HEADER.items()]
    lines += ["", *(f" {x}\t{y}" for x, y in rows.items())]
    path.write_bytes("\r\n".join([*lines, ""]).encode())


def write_curve(path, percent=50.0):
    """Write a curve as the 945 nm dataset has it, the same percentage at all angles."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [f"{angle} {percent}" for angle in range(0, 90, 10)]
    path.write_text("\n".join(["angle reflectance", *rows]) + "\n")

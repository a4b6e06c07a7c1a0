# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Model metadata of an FMU (SRMD): what the model is, what it was compared with, where it ends.

The file follows SSP Traceability 1.0 of the Modelica Association, and has its place in the FMU from
there (chapter "Packaging", "Embedding into FMUs"). The keywords are those that the sensor models of
openMSL use. The claims repeat docs/validation.md, which travels in the FMU as well.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from osi_lidar.version import __version__

if TYPE_CHECKING:
    from osi_lidar.config import Config

PLACE = "extra/org.ssp-standard.ssp-traceability.srmd/resourceMetaData.srmd"
"""Path of the metadata inside the FMU."""
DOCUMENTATION = "documentation"
_DOCS = Path(__file__).resolve().parents[2] / "docs"
REPORTS = (_DOCS / "accuracy.md", _DOCS / "validation.md")
"""Pages that the metadata refers to."""
_SRMD = "http://ssp-standard.org/SSPTraceability1/SimulationResourceMetaData"
_STC = "http://ssp-standard.org/SSPTraceability1/SSPTraceabilityCommon"
_CLASSIFICATION = "de.setlevel.srmd.model-meta-data"
_ACCURACY, _VALIDATION = (f"../../{DOCUMENTATION}/{page.name}" for page in REPORTS)

_MODEL = (
    ("model.manufacturer", "osi-lidar contributors"),
    ("model.family", "osi-lidar"),
    ("model.name", "osi-lidar"),
    ("model.version", __version__),
)
_APPROACH = (
    "Ray tracing against meshes with infrared materials; range limit by reflectivity. With "
    "fidelity physical also footprint, echoes, noise and detection of each beam."
)
_VALIDITY_RANGE = (
    "Compared with recordings of one unit each: Ouster OS0-64 at rest in one hall, to 30 m; "
    "Velodyne HDL-64E on one dry street by day, to 40 m. Range noise is fitted to recordings at "
    "rest of one VLP-16, XT32, Pandar64 and Pandar40P. No claim for other sensors, places or "
    "weather."
)
_CONCEPT = (
    "A mesh of the recorded place is scanned from the recorded poses and compared beam by beam "
    "with frames that nothing was tuned on, beside real against real and a null test; limits were "
    "fixed before."
)
_CLAIMS = (
    ("model.purpose", "Virtual testing: lidar detections from ground truth and meshes."),
    ("model.use-restrictions", "Licence: Apache-2.0."),
    ("model.modelling-approach", _APPROACH),
    ("model.preconditions", "OSI SensorView or GroundTruth; boxes stand in for missing meshes."),
    ("model.validity-range", _VALIDITY_RANGE),
    ("model.verification.status", "true"),
    ("model.verification.report", _ACCURACY),
    ("model.validation.concept", _CONCEPT),
    ("model.validation.status", "false"),
    ("model.validation.platform", "osi-lidar scan and compare on Linux, x86-64"),
    ("model.validation.report", _VALIDATION),
    ("model.limitations", "No weather, crosstalk, blooming by stray light, single photons."),
    ("model.limitations", "Not compared: calibrated targets, retroreflectors, rain, fog, sun."),
    ("model.limitations", "Not every acceptance limit is met; the validation report lists them."),
)
_IMPLEMENTATION = (
    ("model.implementation.format", "FMI 2.0 co-simulation, OSMP 1.6.0, OSI 3.8.0"),
    ("model.implementation.preconditions", "Python with the packages of osi-lidar, or in the FMU."),
)


def resource_meta_data(config: Config, guid: str) -> bytes:
    """Return the metadata of an FMU as XML.

    Parameters
    ----------
    config : Config
        Configuration in the FMU, whose sensors are named.
    guid : str
        GUID of the FMU.
    """
    ET.register_namespace("srmd", _SRMD)
    ET.register_namespace("stc", _STC)
    root = ET.Element(
        f"{{{_SRMD}}}SimulationResourceMetaData",
        {
            "version": "1.0.0",
            "name": "osi-lidar",
            "author": "osi-lidar contributors",
            "fileversion": __version__,
            "license": "Apache-2.0",
            "generationTool": f"build_fmu.py of osi-lidar {__version__}",
        },
    )
    entries = ET.SubElement(root, f"{{{_STC}}}Classification", {"type": _CLASSIFICATION})
    identity = (*_MODEL, ("model.guid", guid))
    for keyword, text in (*_sensors(config), *identity, *_CLAIMS, *_IMPLEMENTATION):
        entry = ET.SubElement(entries, f"{{{_STC}}}ClassificationEntry", {"keyword": keyword})
        entry.text = text
    ET.indent(root)
    return cast("bytes", ET.tostring(root, encoding="UTF-8", xml_declaration=True))


def _sensors(config: Config) -> tuple[tuple[str, str], ...]:
    """Return what the file says of the sensors."""
    names = [sensor.preset or sensor.name for sensor in config.sensors]
    return (
        ("model.type", "sensor"),
        ("sensor.name", ", ".join(names)),
        ("sensor.type", "lidar"),
    )


def add_meta_data(fmu: Path, config: Config, guid: str) -> None:
    """Add the metadata and the pages that it refers to.

    Parameters
    ----------
    fmu : Path
        The FMU; its file is changed.
    config : Config
        Configuration in the FMU.
    guid : str
        Its GUID.

    Raises
    ------
    OSError
        A page cannot be read, or the FMU not be written.
    """
    with zipfile.ZipFile(fmu, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PLACE, resource_meta_data(config, guid))
        for page in REPORTS:
            archive.write(page, f"{DOCUMENTATION}/{page.name}")

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Model metadata of an FMU (SRMD): what the model is, how it was validated, and its limitations.

The file follows SSP Traceability 1.0 of the Modelica Association, which also defines the path of
the file in the FMU (chapter "Packaging", "Embedding into FMUs"). The sensor models of openMSL use
the same keywords. The pages in the FMU contain the same statements of ``claims.yaml``.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from fmu_src.exporter.claims import figures, not_modelled, statement
from fmu_src.exporter.description import AUTHOR, LICENCE, as_bytes
from fmu_src.exporter.osmp import OSI, OSMP_VERSION
from fmu_src.exporter.pages import REPORTS
from fmu_src.exporter.tree import DOCUMENTATION
from osi_lidar.version import __version__

if TYPE_CHECKING:
    from fmu_src.exporter.page import Subject

PLACES = (
    "extra/org.ssp-standard.ssp-traceability.srmd/resourceMetaData.srmd",
    "extra/net.pmsf.ssp.srmd/resourceMetaData.srmd",
)
"""Paths of the metadata inside the FMU: as in the standard, and as in earlier drafts of it."""
_SRMD = "http://ssp-standard.org/SSPTraceability1/SimulationResourceMetaData"
_STC = "http://ssp-standard.org/SSPTraceability1/SSPTraceabilityCommon"
_CLASSIFICATION = "de.setlevel.srmd.model-meta-data"
_ACCURACY, _VALIDATION, _VERDICTS = (f"../../{DOCUMENTATION}/{name}" for name in REPORTS)

_MODEL = (
    ("model.manufacturer", AUTHOR),
    ("model.family", "osi-lidar"),
    ("model.name", "osi-lidar"),
    ("model.version", __version__),
)
_APPROACH = (
    "Ray tracing against meshes with infrared materials; range limit by reflectivity. With "
    "fidelity physical also footprint, echoes, noise and detection of each beam."
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
    ("model.verification.status", "true"),
    ("model.verification.report", _ACCURACY),
    ("model.validation.concept", _CONCEPT),
    ("model.validation.platform", "osi-lidar scan and compare on Linux, x86-64"),
    ("model.validation.report", _VALIDATION),
    ("model.validation.report", _VERDICTS),
    ("model.limitations", "Noise, footprint and blooming only where configured."),
    ("model.limitations", "Weather with fidelity physical only; fog is even without patches."),
)
"""Statements that only the metadata contains, no page."""


def _shared_claims() -> tuple[tuple[str, str], ...]:
    """Return the statements that pages of the documentation contain, too."""
    n = figures()
    validity = (
        f"{statement('compared')} Public recordings, see reality.json, which says what was tuned "
        f"to them: {statement('reality')} {statement('weather_points')}"
    )
    return (
        ("model.validity-range", validity),
        ("model.validation.status", "true" if n["met"] == n["limits"] else "false"),
        ("model.limitations", f"Not modelled: {not_modelled()}."),
        ("model.limitations", statement("without_targets")),
        ("model.limitations", f"{statement('limits')} The validation report lists them."),
    )


def resource_meta_data(subject: Subject, guid: str) -> bytes:
    """Return the metadata of an FMU as XML.

    Parameters
    ----------
    subject : Subject
        Facts about the build.
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
            "author": AUTHOR,
            "fileversion": __version__,
            "license": LICENCE,
            "generationTool": f"osi-lidar {__version__}",
        },
    )
    entries = ET.SubElement(root, f"{{{_STC}}}Classification", {"type": _CLASSIFICATION})
    identity = (*_MODEL, ("model.guid", guid))
    claims = (*_CLAIMS, *_shared_claims())
    for keyword, text in (*_sensors(subject), *identity, *claims, *_implementation(subject)):
        entry = ET.SubElement(entries, f"{{{_STC}}}ClassificationEntry", {"keyword": keyword})
        entry.text = text
    return as_bytes(root)


def _sensors(subject: Subject) -> tuple[tuple[str, str], ...]:
    """Return keywords and texts about the sensors."""
    return (
        ("model.type", "sensor"),
        ("sensor.name", subject.sensors),
        ("sensor.type", "lidar"),
    )


def _implementation(subject: Subject) -> tuple[tuple[str, str], ...]:
    """Return keywords and texts about the implementation: interfaces, wrapper and preconditions."""
    versions = f"FMI {subject.fmi}.0 co-simulation, OSMP {OSMP_VERSION}, OSI {OSI}"
    packages = "in the FMU" if subject.vendored else f"of osi-lidar {__version__}, installed"
    return (
        ("model.implementation.format", versions),
        ("model.implementation.wrapper", subject.wrapper),
        ("model.implementation.preconditions", f"Python {subject.python}; packages {packages}."),
    )

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Model descriptions of player and recorder; value references are those of fmi2.c and fmi3.c."""

from typing import NamedTuple
from uuid import NAMESPACE_DNS, uuid5

OSMP = "net.pmsf.osmp"
SPACE = 'xmlns:osmp="http://xsd.pmsf.net/OSISensorModelPackaging"'
VERSION = '<osmp:osmp version="1.6.0" osi-version="3.8.0"/>'
PARTS = ("base.lo", "base.hi", "size")


class End(NamedTuple):
    """An FMU at one end: its message, the count of them, and its file."""

    message: str
    kind: str
    causality: str
    count: str
    trace: str

    @property
    def mime(self):
        return f"application/x-open-simulation-interface; type={self.kind}; version=3.8.0"

    def mark(self, role):
        """Return OSMP's annotation of a variable."""
        return (
            f'<osmp:osmp-binary-variable name="{self.message}" role="{role}"'
            f' mime-type="{self.mime}"/>'
        )


ENDS = {
    "player": End("OSMPSensorViewOut", "SensorView", "output", "played", "drive.osi"),
    "recorder": End("OSMPSensorDataIn", "SensorData", "input", "received", "recorded.osi"),
}


def description(name, fmi):
    """Return modelDescription.xml of an end, of FMI 2.0 or 3.0."""
    token = uuid5(NAMESPACE_DNS, f"{name} of FMI {fmi}")
    return (fmi2 if fmi == 2 else fmi3)(name, ENDS[name], token)


def integer(end, reference, part):
    """Return one of the three integers of a message in FMI 2.0."""
    initial = ' initial="exact"' if end.causality == "output" else ""
    return f"""\
    <ScalarVariable name="{end.message}.{part}" valueReference="{reference}"
        causality="{end.causality}" variability="discrete"{initial}>
      <Integer start="0"/>
      <Annotations><Tool name="{OSMP}" {SPACE}>{end.mark(part)}</Tool></Annotations>
    </ScalarVariable>"""


def fmi2(name, end, token):
    """Return modelDescription.xml of FMI 2.0."""
    integers = "\n".join(integer(end, at, part) for at, part in enumerate(PARTS))
    outputs = (1, 2, 3, 4) if end.causality == "output" else (4,)
    unknowns = "".join(f'<Unknown index="{index}" dependencies=""/>' for index in outputs)
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="{name}" guid="{token}"
    variableNamingConvention="structured">
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment startTime="0" stepSize="0.1"/>
  <VendorAnnotations><Tool name="{OSMP}" {SPACE}>{VERSION}</Tool></VendorAnnotations>
  <ModelVariables>
{integers}
    <ScalarVariable name="{end.count}" valueReference="3"
        causality="output" variability="discrete" initial="exact">
      <Integer start="0"/>
    </ScalarVariable>
    <ScalarVariable name="trace" valueReference="4"
        causality="parameter" variability="fixed" initial="exact">
      <String start="{end.trace}"/>
    </ScalarVariable>
  </ModelVariables>
  <ModelStructure><Outputs>{unknowns}</Outputs></ModelStructure>
</fmiModelDescription>
"""


def fmi3(name, end, token):
    """Return modelDescription.xml of FMI 3.0."""
    initial = ' initial="exact"' if end.causality == "output" else ""
    outputs = (1, 2) if end.causality == "output" else (2,)
    unknowns = "".join(f'<Output valueReference="{each}" dependencies=""/>' for each in outputs)
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0" modelName="{name}" instantiationToken="{token}"
    variableNamingConvention="structured">
  <CoSimulation modelIdentifier="{name}" canHandleVariableCommunicationStepSize="true"/>
  <DefaultExperiment startTime="0" stepSize="0.1"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <Binary name="{end.message}" valueReference="1" causality="{end.causality}"
        variability="discrete"{initial} mimeType="{end.mime}">
      <Annotations><Annotation type="{OSMP}" {SPACE}>{end.mark("full")}</Annotation></Annotations>
      <Start value=""/>
    </Binary>
    <Int32 name="{end.count}" valueReference="2" causality="output" variability="discrete"
        initial="exact" start="0"/>
    <String name="trace" valueReference="3" causality="parameter" variability="fixed">
      <Start value="{end.trace}"/>
    </String>
  </ModelVariables>
  <ModelStructure>{unknowns}</ModelStructure>
  <Annotations><Annotation type="{OSMP}" {SPACE}>{VERSION}</Annotation></Annotations>
</fmiModelDescription>
"""

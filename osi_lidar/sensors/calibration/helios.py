# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Survey scanners from XML files of HELIOS++ (``scanners_als.xml``, ``scanners_tls.xml``).

A file is a ``document`` of ``scanner`` elements, each of which is read as HELIOS++ reads it
(github.com/3dgeo-heidelberg/helios, src/assetloading/XmlAssetsLoader.cpp, src/scanner)::

    pulseFreqs_Hz                      rates at which it can fire
    optics                             what deflects the beam, in lines of +-scanAngleMax_deg:
      rotating                         PolygonMirror; scanAngleEffectiveMax_deg leaves the scanner
      oscillating                      SwingingMirror, at most scanProduct deg Hz
      conic                            ConeMirror
      line                             FibreLine of numFibers
      risley                           Wedges: angle1_deg, refrIndex1, rotorFreq1_Hz, .. 2, .. 3
    scanFreqMin_Hz, scanFreqMax_Hz     lines per second (swings, turns of a cone)
    headRotatePerSecMax_deg            fastest turn of the head, about headRotateAxis
    beamOrigin                         where the beam starts, and how its optics are mounted
    rangeMin_m, rangeMax_m, wavelength_nm, accuracy_m
    beamDivergence_rad, pulseLength_ns, maxNOR  for ``fidelity: physical`` only
    channels                           several beams; each may have attributes, a beamOrigin and an
                                       incidentBeam of its own instead of the scanner's

HELIOS++ has x to the right, y forward and z up; here x is forward and y left. A positive angle of a
prism tilts its entry face, a negative one its exit face; its thick end is at the bottom at time 0.
All other contents of a scanner are ignored and listed in ``not_followed``, such as full waveform
settings, power, and divergence, pulse length and returns of single channels.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lidar_base.files.xml_unasked import Meaningless, list_unasked
from lidar_base.unfollowed import ALL_FOLLOWED, NotFollowed, Unfollowed
from lidar_base.xml_tree import AskedFor, read_xml
from osi_lidar.errors import ConfigurationError
from osi_lidar.sensors.calibration.helios_values import Values, mount_of, vector_of
from raycore.errors import PatternError
from raycore.pattern.optics import Prism
from raycore.pattern.scanners import (
    Channel,
    ConeMirror,
    Deflector,
    FibreLine,
    Head,
    PolygonMirror,
    SwingingMirror,
    Wedges,
    survey_scan,
)
from raycore.pattern.source import PatternSource, Windows

if TYPE_CHECKING:
    from pathlib import Path

    from lidar_base.xml_tree import Element
    from raycore.pattern.scan_pattern import ScanPattern


MAX_RANGE_M = 10_000.0
"""Maximum range of a scanner without rangeMax_m, which HELIOS++ does not limit. [m]"""
WAVELENGTH_NM = 1064.0
"""Wavelength of a scanner without wavelength_nm, as in HELIOS++. [nm]"""
_MOST_CHANNELS = 4096
_MOST_FIBRES = 2**20
_N_PRISMS = 3
_NO_ANGLE_DEG = 1e-6  # smaller angles: there is no prism
_MOST_DIVERGENCE_RAD = 0.349  # these three: bounds of the configuration
_PULSE_NS = (0.01, 1000.0)
_MOST_RETURNS = 8
_OF_BEAMS = (
    "id optics scanAngleMax_deg scanAngleEffectiveMax_deg scanFreqMin_Hz scanFreqMax_Hz "
    "scanProduct numFibers refrIndex_air angle1_deg angle2_deg angle3_deg refrIndex1 refrIndex2 "
    "refrIndex3 rotorFreq1_Hz rotorFreq2_Hz rotorFreq3_Hz"
)
_OF_SCANNER = (
    "pulseFreqs_Hz headRotatePerSecMax_deg rangeMin_m rangeMax_m wavelength_nm accuracy_m "
    "beamDivergence_rad pulseLength_ns maxNOR"
)
FOLLOWED = AskedFor(
    children={
        *(("scanner", name) for name in ("beamOrigin", "incidentBeam", "headRotateAxis")),
        *(("channel", name) for name in ("beamOrigin", "incidentBeam")),
        *(("scanner", "channels"), ("channels", "channel"), ("beamOrigin", "rot")),
    },
    attributes={
        *(("scanner", name) for name in f"{_OF_BEAMS} {_OF_SCANNER}".split()),
        *(("channel", name) for name in _OF_BEAMS.split()),
        *((vector, axis) for vector in ("beamOrigin", "incidentBeam") for axis in "xyz"),
        *(("headRotateAxis", axis) for axis in "xyz"),
        *(("beamOrigin", "rotations"), ("rot", "axis"), ("rot", "angle_deg")),
    },
)
"""XML elements and attributes of scanners and channels that are read.

All others are reported, except the names of scanners and channels."""
_MEANINGLESS = Meaningless(frozenset({"scanner@name", "channel@name"}))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SurveyScanner:
    """A scanner of a HELIOS++ file.

    Attributes
    ----------
    file : Path
        The file, for error messages.
    values : Values
        Attributes and children of the scanner's XML element.
    channels : tuple of Values
        The same for each channel (beam), completed with the scanner's values; a scanner without
        channels counts as one channel.
    not_followed : tuple of NotFollowed
        Contents of the scanner that are ignored.
    """

    file: Path
    values: Values
    channels: tuple[Values, ...]
    not_followed: tuple[NotFollowed, ...] = ALL_FOLLOWED

    def figures(self) -> dict[str, object]:
        """Return ranges, wavelength and range noise as keys and values of an entry of ``sensors``.

        The keys are ``min_range_m``, ``max_range_m``, ``wavelength_nm`` and ``noise`` (a mapping),
        without ``noise`` if it is 0. Missing values get the defaults of HELIOS++; a missing maximum
        range, which HELIOS++ does not limit, is `MAX_RANGE_M`. Impossible values raise
        ConfigurationError.
        """
        number = self.values.number
        sigma_m = number("accuracy_m", default=0.0, most=1e3)
        return {
            "min_range_m": number("rangeMin_m", default=0.0, most=1e9),
            "max_range_m": number("rangeMax_m", default=MAX_RANGE_M, above=0.0, most=1e9),
            "wavelength_nm": number("wavelength_nm", default=WAVELENGTH_NM, above=0.0, most=1e6),
            **({"noise": {"range_sigma_m": sigma_m}} if sigma_m else {}),
        }

    def physical(self) -> dict[str, dict[str, Any]]:
        """Return the values that a sensor gets with ``fidelity: physical``, by section and key.

        Sections and keys are as in ``PhysicalFigures.physical``. The file does not say how its
        widths are measured: we take the divergence as the full width at 1/e², and the pulse length
        as the width at half of the maximum. If maxNOR is missing or 0, the number of returns is not
        limited, as in HELIOS++.

        Raises
        ------
        ConfigurationError
            If a value is impossible.
        """
        number = self.values.number
        divergence_rad = number("beamDivergence_rad", default=0.0, most=_MOST_DIVERGENCE_RAD)
        least_ns, most_ns = _PULSE_NS
        pulse_ns = number("pulseLength_ns", default=0.0, least=least_ns, most=most_ns)
        sigma_m = number("accuracy_m", default=0.0, most=1e3)
        sections: dict[str, dict[str, Any]] = {
            "beam": {"divergence_deg": math.degrees(divergence_rad), "width": "e2"},
            "pulse": {"fwhm_ns": pulse_ns},
            "returns": self._returns(),
            "receiver": {"precision": ()} if sigma_m else {},
            "noise": {"range_sigma_m": sigma_m},
        }
        stated = {"beam": divergence_rad, "pulse": pulse_ns, "noise": sigma_m}
        return {name: keys for name, keys in sections.items() if stated.get(name, True)}

    def _returns(self) -> dict[str, Any]:
        """Return the keys of the section ``returns``."""
        count = self.values.number("maxNOR", default=0.0, most=1e9)
        if count != int(count):
            raise self.values.problem("maxNOR", f"got {count:g}, expected a whole number")
        if count == 1:
            return {"mode": "strongest"}
        return {"mode": "all", "max": min(int(count), _MOST_RETURNS) or _MOST_RETURNS}

    def source(
        self,
        period_s: float,
        *,
        pulse_hz: float | None = None,
        scan_hz: float | None = None,
        head_hz: float | None = None,
    ) -> PatternSource:
        """Return a source of the beams of each scan.

        Parameters
        ----------
        period_s : float
            Duration of a scan. [s]
        pulse_hz, scan_hz, head_hz : float, optional
            Rate of pulses of each channel, rate of lines, and rate of turns of the head (positive
            is counter-clockwise). Default: the highest that the file allows. [Hz]

        Raises
        ------
        ConfigurationError
            If the file lacks a value, or does not allow this choice.
        """
        pulse_hz = self._pulse_hz(pulse_hz)
        channels = [
            Channel(
                deflector=_deflector(values, pulse_hz, scan_hz),
                mount=mount_of(values),
                origin_m=vector_of(values, "beamOrigin"),
            )
            for values in self.channels
        ]
        scan = functools.partial(
            survey_scan,
            channels,
            head=self._head(head_hz),
            pulse_rate_hz=pulse_hz,
            period_s=period_s,
        )

        def window(start_s: float) -> ScanPattern:
            try:
                return scan(start_s=start_s)
            except PatternError as error:
                raise PatternError(f"{self.values.place}: {error}") from None

        return Windows(window)

    def _pulse_hz(self, chosen: float | None) -> float:
        rates = self.values.numbers("pulseFreqs_Hz", above=0.0, most=1e9)
        return _choice(self.values, "pulse_hz", chosen, low=min(rates), high=max(rates))

    def _head(self, chosen: float | None) -> Head:
        most = self.values.number("headRotatePerSecMax_deg", default=0.0, least=-1e6, most=1e6)
        bound = abs(most) / 360.0
        rate_hz = _choice(
            self.values, "head_hz", chosen, low=-bound, high=bound, default=most / 360.0
        )
        x, y, z = vector_of(self.values, "headRotateAxis", default=(0.0, 0.0, 1.0))
        length = math.hypot(x, y, z)
        if not length:
            raise self.values.problem("headRotateAxis", "got 0 0 0, expected a direction")
        return Head(axis=(x / length, y / length, z / length), rate_hz=rate_hz)


def read_helios(file: Path, content: bytes, scanner: str | None) -> SurveyScanner:
    """Return a scanner of a HELIOS++ file.

    Parameters
    ----------
    file : Path
        The file, for error messages.
    content : bytes
        Its content, an XML document.
    scanner : str or None
        Id of the scanner; None: the file's only scanner.

    Raises
    ------
    ConfigurationError
        If there is no such scanner, or several and no id; the message lists the ids. Also if the
        content is no such document, or the scanner's list of channels is empty or too long.
    """
    root = read_xml(file, content)
    elements = root.all("scanner")
    if root.tag != "document" or not elements:
        raise ConfigurationError(
            f"{file}: line {root.line}: got <{root.tag:.40}>, expected a <document> with <scanner> "
            "elements (HELIOS++)"
        )
    ids = [element.get("id") for element in elements]
    if scanner is None and len(ids) > 1:
        raise ConfigurationError(
            f"{file}: contains {len(ids)} scanners; choose one by scanner: {', '.join(ids)}"
        )
    found = [element for element in elements if element.get("id") == scanner]
    if scanner is None:
        found = elements
    if len(found) != 1:
        what = "no scanner" if not found else f"{len(found)} scanners"
        raise ConfigurationError(
            f"{file}: contains {what} {scanner!r:.60}, expected one of {', '.join(ids)}"
        )
    return _scanner(file, found[0])


def _scanner(file: Path, element: Element) -> SurveyScanner:
    """Return the scanner of an element; raise ConfigurationError if it has too many channels."""
    values = Values(file, element)
    listed = element.first("channels")
    channels = [] if listed is None else listed.all("channel")
    if listed is not None and not 1 <= len(channels) <= _MOST_CHANNELS:
        raise values.problem(
            "channels", f"got {len(channels)} channels, expected 1 to {_MOST_CHANNELS}"
        )
    unfollowed = Unfollowed()
    list_unasked(element, _MEANINGLESS, unfollowed, asked=FOLLOWED)
    return SurveyScanner(
        file=file,
        values=values,
        channels=tuple(map(values.over, channels)) or (values,),
        not_followed=unfollowed.kinds,
    )


def _choice(  # noqa: PLR0913  keyword-only
    values: Values,
    key: str,
    chosen: float | None,
    *,
    low: float,
    high: float,
    default: float | None = None,
) -> float:
    """Return the chosen value, or else the default or the maximum; check the bounds."""
    if chosen is None:
        return high if default is None else default
    if not low <= chosen <= high:
        raise values.problem(key, f"got {chosen:g}, expected {low:g} to {high:g}")
    return chosen


def _scan_hz(values: Values, chosen: float | None, *, half_deg: float) -> float:
    """Return the lines per second; the file may list its two bounds in any order."""
    low, high = sorted(
        values.number(key, default=0.0, most=1e9) for key in ("scanFreqMin_Hz", "scanFreqMax_Hz")
    )
    most = values.number("scanFreqMax_Hz", default=0.0, most=1e9)
    product = values.number("scanProduct", default=1e12, above=0.0, most=1e12)
    if half_deg:
        high, most = min(high, product / half_deg), min(most, product / half_deg)
    return _choice(values, "scan_hz", chosen, low=min(low, high), high=high, default=most)


def _deflector(values: Values, pulse_hz: float, scan_hz: float | None) -> Deflector:
    """Return the deflector of a scanner or a channel."""
    optics = values.text("optics")
    if optics == "risley":
        if scan_hz is not None:
            raise values.problem(
                "scan_hz", "is for mirrors, but the scanner has optics risley; leave it out"
            )
        return _wedges(values)
    if optics not in ("rotating", "oscillating", "conic", "line"):
        raise values.problem(
            "optics",
            f"got {optics!r:.40}, expected rotating, oscillating, conic, line or risley",
        )
    half_deg = values.number("scanAngleMax_deg", most=360.0)
    rate_hz = _scan_hz(values, scan_hz, half_deg=half_deg)
    half = math.radians(half_deg)
    if optics == "rotating":
        shown_deg = values.number("scanAngleEffectiveMax_deg", default=half_deg, most=360.0)
        shown = math.radians(min(shown_deg, half_deg))
        return PolygonMirror(half_rad=half, shown_rad=shown, rate_hz=rate_hz)
    if optics == "line":
        count = values.number("numFibers", default=1.0, least=1.0, most=_MOST_FIBRES)
        return FibreLine(half_rad=half, count=int(count), pulse_rate_hz=pulse_hz)
    if not rate_hz:
        raise values.problem("scanFreqMax_Hz", f"got 0, expected above 0 for optics {optics}")
    kind = SwingingMirror if optics == "oscillating" else ConeMirror
    return kind(half_rad=half, rate_hz=rate_hz)


def _wedges(values: Values) -> Wedges:
    air = values.number("refrIndex_air", default=1.0, least=0.5, most=5.0)
    prisms = []
    for number in range(1, _N_PRISMS + 1):
        angle_deg = values.number(f"angle{number}_deg", default=0.0, least=-89.0, most=89.0)
        glass = values.number(f"refrIndex{number}", default=1.0, least=0.5, most=5.0)
        rate_hz = values.number(f"rotorFreq{number}_Hz", default=0.0, least=-1e9, most=1e9)
        if abs(angle_deg) <= _NO_ANGLE_DEG:
            continue
        if glass < air:
            raise values.problem(
                f"refrIndex{number}", f"got {glass:g}, expected at least refrIndex_air, {air:g}"
            )
        prisms.append(
            Prism(
                wedge_rad=math.radians(abs(angle_deg)),
                refractive_index=glass / air,
                rotation_rate_hz=rate_hz,
                phase_rad=-math.pi / 2,
                tilted_exit=angle_deg < 0,
            )
        )
    if not prisms:
        raise values.problem("angle1_deg", "expected the angle of at least one prism")
    x, y, z = vector_of(values, "incidentBeam", default=(1.0, 0.0, 0.0))
    length = math.hypot(x, y, z)
    if not x > 0.0:
        raise values.problem("incidentBeam", "expected a direction forward, y above 0")
    return Wedges(prisms=tuple(prisms), incident=(x / length, y / length, z / length))

# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""Count the hits on retroreflectors over the azimuth frequency of two scan patterns.

    python study.py [FOLDER] [FIRST:LAST:STEP]        (default: out/rendezvous 1:50:1, in hertz)

Writes study.csv and study.png, and prints for each pattern the frequency with the most hits. This
is the parameter study of figure 10 of VEROSIM's laser scanner with adaptable patterns.
"""

import csv
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from osi_bridge import empty_frame
from osi_lidar import Config, LidarModel, load_config
from osi_lidar.config.loading import revised_config

HERE = Path(__file__).resolve().parent
STUDIES = {"lissajous": "azimuth_hz", "rosette": "rotation_hz"}  # file, and the key that is varied
REFLECTOR = "retro_reflector"  # infrared material
COLOURS = {"lissajous": "tab:blue", "rosette": "tab:orange"}


@dataclass(frozen=True)
class Study:
    """Number of hits on the target with one scan pattern, for each frequency of the pattern."""

    name: str
    key: str
    frequency_hz: NDArray[np.float64]
    hits: NDArray[np.int64]

    @property
    def best_hz(self) -> float:
        """The frequency with the most hits; the lowest one if several are equal."""
        return float(self.frequency_hz[np.argmax(self.hits)])


def scanned(config: Config) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return the points of one scan, and whether each is on a retroreflector."""
    model = LidarModel(config)
    points = model.step(empty_frame()).scans[0].cloud.points
    return points, points["material_id"] == list(model.materials.entries).index(REFLECTOR)


def variant(name: str, frequency_hz: float) -> Config:
    """Return the configuration of the named pattern, with another frequency."""
    changes = {("sensors", 0, "pattern", STUDIES[name]): frequency_hz}
    return revised_config(load_config(HERE / f"{name}.yaml"), changes)


def study(name: str, frequencies_hz: NDArray[np.float64]) -> Study:
    """Return the number of hits on the target at each frequency, with one scan pattern."""
    hits = []
    for frequency_hz in frequencies_hz:
        hits.append(int(np.count_nonzero(scanned(variant(name, float(frequency_hz)))[1])))
        if sys.stderr.isatty():
            print(f"\r{name}: {frequency_hz:g} Hz, {hits[-1]} hits   ", end="\r", file=sys.stderr)
    return Study(name, STUDIES[name], frequencies_hz, np.array(hits))


def draw(studies: list[Study], picture: Path) -> None:
    """Draw hits over frequency, and below them the points of each pattern at its best frequency."""
    figure = Figure(figsize=(8.0, 7.0), layout="constrained")
    panels = figure.subplot_mosaic([["curves", "curves"], [s.name for s in studies]])
    curves = panels["curves"]
    for each in studies:
        label = f"{each.name}, {each.key}: most at {each.best_hz:g} Hz"
        curves.plot(
            each.frequency_hz, each.hits, ".-", ms=4, lw=1, color=COLOURS[each.name], label=label
        )
        curves.plot(each.best_hz, each.hits.max(), "o", mfc="none", ms=9, color=COLOURS[each.name])
    curves.set_xlabel("frequency [Hz]")
    curves.set_ylabel("hits on retroreflectors in 1 s")
    curves.set_ylim(bottom=0)
    curves.grid(visible=True, alpha=0.3)
    curves.legend(fontsize=9)
    for each in studies:
        panel = panels[each.name]
        points, on_reflector = scanned(variant(each.name, each.best_hz))
        for shown, colour, size in ((~on_reflector, "0.6", 1.0), (on_reflector, "red", 4.0)):
            panel.scatter(
                points["y"][shown],
                points["z"][shown],
                s=size,
                c=colour,
                linewidths=0,
                antialiased=False,
            )
        panel.set_title(
            f"{each.name} at {each.best_hz:g} Hz: {on_reflector.sum()} hits (red)", fontsize=10
        )
        panel.set_aspect("equal", adjustable="datalim")
        panel.invert_xaxis()  # y to the left, as seen from the sensor
        panel.set_xlabel("y [m]")
        panel.set_ylabel("z [m]")
    figure.savefig(picture, dpi=90)


def main(folder: Path, interval: str) -> None:
    """Run the studies of both patterns; write a table and a picture."""
    first, last, step = (float(number) for number in interval.split(":"))
    frequencies_hz = first + step * np.arange(int((last - first) / step + 1e-9) + 1)
    studies = [study(name, frequencies_hz) for name in STUDIES]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "study.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["frequency_hz", *(each.name for each in studies)])
        hits = (each.hits.tolist() for each in studies)
        rows.writerows(zip(frequencies_hz.tolist(), *hits, strict=True))
    draw(studies, folder / "study.png")
    for each in studies:
        print(
            f"{each.name}: {each.hits.min()} to {each.hits.max()} hits on retroreflectors, most at "
            f"{each.key} = {each.best_hz:g}"
        )
    print(f"table and picture: {folder / 'study.csv'}, {folder / 'study.png'}")


if __name__ == "__main__":
    main(
        Path(sys.argv[1]) if len(sys.argv) > 1 else Path("out/rendezvous"),
        sys.argv[2] if len(sys.argv) > 2 else "1:50:1",
    )

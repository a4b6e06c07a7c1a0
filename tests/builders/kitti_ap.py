# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""KITTI's evaluation of boxes in 3-D, from its documented rules: average precision of a class.

Geiger et al., CVPR 2012, and readme.txt of the object development kit. Truth counts at a difficulty
if its box in the image is high enough, and its occlusion and truncation low enough; other truth of
the class, and that of a neighbour class, is neither a hit nor missed. Detections whose boxes in the
image are too low are ignored, too. Precision is interpolated at 40 recalls.
"""

from dataclasses import dataclass

import numpy as np

DIFFICULTIES = {"easy": (40.0, 0, 0.15), "moderate": (25.0, 1, 0.30), "hard": (25.0, 2, 0.50)}
"""Least height [pixel], largest occlusion, largest truncation."""
LEAST_IOU = {"Car": 0.7, "Pedestrian": 0.5, "Cyclist": 0.5}
NEIGHBOURS = {"Car": ("Van",), "Pedestrian": ("Person_sitting",), "Cyclist": ()}
N_RECALLS = 40


@dataclass
class Label:
    """A line of a label file."""

    kind: str
    truncation: float
    occlusion: int
    height_px: float
    box: tuple  # h w l x y z ry
    score: float = 1.0


def read_labels(path):
    """Return the lines of a label file."""
    labels = []
    for line in path.read_text().splitlines():
        kind, *words = line.split()
        numbers = [float(word) for word in words]
        height = numbers[6] - numbers[4]
        labels.append(Label(kind, numbers[0], int(numbers[1]), height, tuple(numbers[7:14])))
    return labels


def average_precision(truths, found, kind, difficulty):
    """Return the average precision over samples, lists of labels each; 0 if no truth counts."""
    rows = [_matched(*sample, kind, difficulty) for sample in zip(truths, found, strict=True)]
    n_truth = sum(n for n, _ in rows)
    hits = sorted((hit for _, own in rows for hit in own), reverse=True)
    if not n_truth:
        return 0.0
    right = np.cumsum([is_right for _, is_right in hits])
    precision = right / np.arange(1, len(hits) + 1)
    recall = right / n_truth
    levels = np.arange(1, N_RECALLS + 1) / N_RECALLS
    best = [max(precision[recall >= level - 1e-9], default=0.0) for level in levels]
    return float(np.mean(best))


def _matched(truth, found, kind, difficulty):
    """Return how much truth of a sample counts, and score and hit of each detection that counts."""
    least_px, most_occlusion, most_truncation = DIFFICULTIES[difficulty]

    def counts(each):
        hard = each.occlusion > most_occlusion or each.truncation > most_truncation
        return each.kind == kind and each.height_px >= least_px and not hard

    relevant = [each for each in truth if each.kind in (kind, *NEIGHBOURS[kind])]
    free, results = list(relevant), []
    for each in sorted(found, key=lambda label: -label.score):
        if each.kind != kind:
            continue
        near = [(iou_3d(each.box, other.box), counts(other), other) for other in free]
        near = [row for row in near if row[0] >= LEAST_IOU[kind]]
        if near:
            _, is_counted, other = max(near, key=lambda row: (row[1], row[0]))
            free.remove(other)
            if is_counted:
                results.append((each.score, True))
        elif each.height_px >= least_px:
            results.append((each.score, False))
    return sum(counts(each) for each in relevant), results


def iou_3d(one, other):
    """Return the volume that two boxes share, by that of both."""
    shared = _area(_clipped(_corners(one), _corners(other)))
    top, bottom = max(one[4] - one[0], other[4] - other[0]), min(one[4], other[4])  # y is down
    shared *= max(bottom - top, 0.0)
    both = np.prod(one[:3]) + np.prod(other[:3]) - shared
    return shared / both


def _corners(box):
    """Return the corners of a box from above, x and z, in a turn to the left."""
    _, width, length, x, _, z, turned = box
    cos, sin = np.cos(turned), np.sin(turned)
    own = 0.5 * np.array([[length, width], [-length, width], [-length, -width], [length, -width]])
    return own @ np.array([[cos, -sin], [sin, cos]]) + [x, z]


def _clipped(polygon, other):
    """Return the part of a convex polygon in another one (Sutherland and Hodgman)."""
    for begin, end in zip(other, np.roll(other, -1, axis=0), strict=True):
        way = end - begin
        sides = [way[0] * (p[1] - begin[1]) - way[1] * (p[0] - begin[0]) for p in polygon]
        kept = []
        for n, point in enumerate(polygon):
            before, side_before = polygon[n - 1], sides[n - 1]
            if (sides[n] >= 0) != (side_before >= 0):
                kept.append(before + (point - before) * side_before / (side_before - sides[n]))
            if sides[n] >= 0:
                kept.append(point)
        polygon = kept
    return np.array(polygon).reshape(-1, 2)


def _area(polygon):
    x, y = polygon.T
    return 0.5 * abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))

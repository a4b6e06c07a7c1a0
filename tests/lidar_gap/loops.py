# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""The measures once more: plain loops, written from the definitions, for comparison."""

import itertools
import math
import statistics

LIMITS_M = [0.05, 0.1, 0.5, 2.0, math.inf]


def pixels(real, sim):
    """Return the pairs of ranges, pixel by pixel, with None for no return."""
    flat = zip(real.ravel().tolist(), sim.ravel().tolist(), strict=True)
    return [tuple(None if math.isnan(each) else each for each in pair) for pair in flat]


def agreement(real, sim):
    table = {"both": 0, "sim_only": 0, "real_only": 0, "neither": 0}
    for a, b in zip(real.ravel().tolist(), sim.ravel().tolist(), strict=True):
        if a and b:
            table["both"] += 1
        elif b:
            table["sim_only"] += 1
        elif a:
            table["real_only"] += 1
        else:
            table["neither"] += 1
    return table


def flicker(scans):
    """Return the shares of the pixels that return never, sometimes, always."""
    numbers = [0, 0, 0]
    columns = list(zip(*[scan.ravel().tolist() for scan in scans], strict=True))
    for column in columns:
        if not any(column):
            numbers[0] += 1
        elif all(column):
            numbers[2] += 1
        else:
            numbers[1] += 1
    return [number / len(columns) for number in numbers]


def range_errors(real, sim):
    signed = [b - a for a, b in pixels(real, sim) if a is not None and b is not None]
    size = sorted(abs(each) for each in signed)
    at = 0.95 * (len(size) - 1)
    low = math.floor(at)
    high = min(low + 1, len(size) - 1)
    return {
        "n": len(size),
        "mae_m": sum(size) / len(size),
        "rmse_m": math.sqrt(sum(each * each for each in size) / len(size)),
        "median_m": statistics.median(size),
        "p95_m": size[low] + (at - low) * (size[high] - size[low]),
        "signed_median_m": statistics.median(signed),
    }


def recall_within(real, sim, within_m):
    near = n_real = 0
    for a, b in pixels(real, sim):
        if a is not None:
            n_real += 1
            if b is not None and abs(b - a) <= within_m:
                near += 1
    return near / n_real


def gap_budget(real, sim):
    """Return the shares of sim only, real only, and of each class of difference."""
    sim_only = real_only = n = 0
    apart = [0] * len(LIMITS_M)
    for a, b in pixels(real, sim):
        if a is None and b is None:
            continue
        n += 1
        if a is None:
            sim_only += 1
        elif b is None:
            real_only += 1
        else:
            apart[next(i for i, limit in enumerate(LIMITS_M) if abs(b - a) < limit)] += 1
    return [each / n for each in (sim_only, real_only, *apart)]


def edges_of(ring):
    """Yield both ends of each edge of a ring."""
    returns = [i for i, each in enumerate(ring) if not math.isnan(each)]
    for i, j in itertools.pairwise(returns):
        if j - i <= 4 and abs(ring[j] - ring[i]) > 0.5:
            yield i, j


def beside_edges(image):
    """Return which pixels lie at an edge or up to two pixels beside it, as a list of rings."""
    found = []
    for ring in image.tolist():
        at = {k for i, j in edges_of(ring) for k in range(i - 2, j + 3)}
        found.append([k in at for k in range(len(ring))])
    return found


def edges(image):
    steps = mixed = smooth = holes = n_edges = missing = 0
    for ring in image.tolist():
        for i in range(1, len(ring) - 1):
            before, own, after = ring[i - 1 : i + 2]
            step = abs(after - before)
            if step > 0.5 and not math.isnan(own):
                steps += 1
                mixed += abs(own - before) >= 0.15 * step and abs(own - after) >= 0.15 * step
        for i in range(2, len(ring) - 2):
            around = [ring[i - 2], ring[i - 1], ring[i + 1], ring[i + 2]]
            if not any(math.isnan(each) for each in around) and max(around) - min(around) <= 0.1:
                smooth += 1
                holes += math.isnan(ring[i])
        for i, j in edges_of(ring):
            n_edges += 1
            missing += j - i > 1
    return {
        "n_steps": steps,
        "mixed": mixed / steps if steps else math.nan,
        "n_edges": n_edges,
        "missing": missing / n_edges if n_edges else math.nan,
        "n_smooth": smooth,
        "holes": holes / smooth if smooth else math.nan,
    }


def return_probability(returned, quantity, limits):
    """Return the number of pixels and the share of them that return, bin by bin."""
    n, hits = [0] * (len(limits) - 1), [0] * (len(limits) - 1)
    for frame, values in zip(returned, quantity, strict=True):
        for yes, value in zip(frame.ravel().tolist(), values.ravel().tolist(), strict=True):
            for i in range(len(n)):
                if limits[i] <= value < limits[i + 1]:
                    n[i] += 1
                    hits[i] += yes
    return n, [h / each if each else math.nan for h, each in zip(hits, n, strict=True)]


def nearest(points, others):
    """Return distance and row of the nearest other point, for each point."""
    found = []
    for p in points.tolist():
        best, row = math.inf, -1
        for i, q in enumerate(others.tolist()):
            if math.dist(p, q) < best:
                best, row = math.dist(p, q), i
        found.append((best, row))
    return found


def neighbour_measures(real, sim, within_m, per_m):
    there, back = nearest(real, sim), nearest(sim, real)
    recall = sum(d <= within_m for d, _ in there) / len(there)
    precision = sum(d <= within_m for d, _ in back) / len(back)
    dcd = 0.0
    for way in (there, back):
        rows = [row for _, row in way]
        terms = [1 - math.exp(-per_m * d) / rows.count(row) for d, row in way]
        dcd += sum(terms) / len(terms) / 2
    return {
        "chamfer": sum(d for d, _ in there) / len(there) + sum(d for d, _ in back) / len(back),
        "squared": sum(d * d for d, _ in there) / len(there)
        + sum(d * d for d, _ in back) / len(back),
        "f": 2 * recall * precision / (recall + precision) if recall + precision else 0.0,
        "hausdorff": max(d for d, _ in there + back),
        "dcd": dcd,
    }


def birds_eye_counts(points, half_width_m, cell_m):
    n = round(2 * half_width_m / cell_m)
    counts = [[0] * n for _ in range(n)]
    for x, y, *_ in points.tolist():
        i, j = math.floor((x + half_width_m) / cell_m), math.floor((y + half_width_m) / cell_m)
        if 0 <= i < n and 0 <= j < n:
            counts[i][j] += 1
    return counts


def jensen_shannon(p, q, base):
    total = 0.0
    for a, b in zip(p, q, strict=True):
        a_share, b_share = a / sum(p), b / sum(q)
        middle = (a_share + b_share) / 2
        for each in (a_share, b_share):
            if each:
                total += each * math.log(each / middle) / 2
    return total / math.log(base)


def mean_discrepancy_squared(real, sim, sigma):
    def kernel(a, b):
        square = sum((x / sum(a) - y / sum(b)) ** 2 for x, y in zip(a, b, strict=True))
        return math.exp(-square / (2 * sigma**2))

    def similarity(p, q):
        return sum(kernel(a, b) for a in p for b in q) / (len(p) * len(q))

    return similarity(real, real) + similarity(sim, sim) - 2 * similarity(real, sim)


def distribution(draws, x):
    """Return the least and the greatest share of a draw at or below x."""
    shares = [sum(each <= x for each in draw) / len(draw) for draw in draws]
    return min(shares), max(shares)


def box_areas(real, sim):
    """Return d+ and d- of two sets of draws, with one strip between each value and the next."""
    values = sorted({each for draw in [*real, *sim] for each in draw})
    right = left = 0.0
    for x, following in itertools.pairwise(values):
        real_low, real_high = distribution(real, x)
        sim_low, sim_high = distribution(sim, x)
        right += max(real_low - sim_high, 0) * (following - x)
        left += max(sim_low - real_high, 0) * (following - x)
    return right, left


def largest_distance(real, sim):
    values = [*real, *sim]
    return max(abs(distribution([real], x)[0] - distribution([sim], x)[0]) for x in values)


def in_ring_residuals(ranges, azimuths):
    """Return the residuals of r about 1 / (a cos + b sin + c), by the normal equations."""
    rows = [(math.cos(az), math.sin(az), 1.0) for az in azimuths]
    weight = [r**4 for r in ranges]  # squares of 1/r, each with the square of its factor r²
    normal = [
        [sum(w * t[i] * t[j] for w, t in zip(weight, rows, strict=True)) for j in range(3)]
        for i in range(3)
    ]
    right = [
        sum(w * t[i] / r for w, t, r in zip(weight, rows, ranges, strict=True)) for i in range(3)
    ]
    constants = solved(normal, right)
    return [
        r - 1 / sum(c * t for c, t in zip(constants, row, strict=True))
        for r, row in zip(ranges, rows, strict=True)
    ]


def solved(matrix, right):
    """Solve three linear equations (Cramer's rule)."""

    def determinant(m):
        return (
            m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
            - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
            + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
        )

    whole = determinant(matrix)
    answers = []
    for column in range(3):
        changed = [list(row) for row in matrix]
        for row, value in zip(changed, right, strict=True):
            row[column] = value
        answers.append(determinant(changed) / whole)
    return answers


def counts_in_box(points, centre, size, yaw, foot_m):
    n = 0
    for x, y, z in points.tolist():
        dx, dy, dz = x - centre[0], y - centre[1], z - centre[2]
        along = dx * math.cos(yaw) + dy * math.sin(yaw)
        across = -dx * math.sin(yaw) + dy * math.cos(yaw)
        above = dz + size[2] / 2
        n += abs(along) <= size[0] / 2 and abs(across) <= size[1] / 2 and foot_m <= above <= size[2]
    return n


def earth_movers(real, sim):
    """Return the least mean distance of all one-to-one matchings."""
    real, sim = real.tolist(), sim.tolist()
    return min(
        sum(math.dist(p, q) for p, q in zip(real, order, strict=True)) / len(real)
        for order in itertools.permutations(sim)
    )


def distances(normal, offset_m, points):
    """Return the distances of points from a plane."""
    return [sum(a * b for a, b in zip(normal, p, strict=True)) - offset_m for p in points]


def root_mean_square(values):
    return math.sqrt(sum(each * each for each in values) / len(values))


def thickness(plane, points, ranges, azimuths, rings):
    """Return sigma about a plane, sigma within rings, and that of the rings' medians."""
    normal = plane[0]
    off = distances(*plane, points)
    within, medians = [], []
    for ring in set(rings):
        rows = [i for i, each in enumerate(rings) if each == ring]
        medians.append(statistics.median(off[i] for i in rows))
        along = in_ring_residuals([ranges[i] for i in rows], [azimuths[i] for i in rows])
        for i, residual in zip(rows, along, strict=True):
            dot = sum(a * b for a, b in zip(normal, points[i], strict=True))
            within.append(residual * abs(dot) / math.hypot(*points[i]))
    return statistics.pstdev(off), root_mean_square(within), statistics.pstdev(medians)

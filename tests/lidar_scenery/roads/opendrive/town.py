# SPDX-FileCopyrightText: 2026 osi-lidar contributors
# SPDX-License-Identifier: Apache-2.0
"""A town on a grid: streets, and in each crossing a road for every way through it."""

import math

BLOCK_M, CROSSING_M = 100.0, 12.0  # from crossing to crossing; from its middle to its end
LANES = (("driving", 3.5), ("border", 0.3), ("sidewalk", 2.0))
_DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def town(columns, rows):
    """Return the roads of a town as XML."""
    named = enumerate([*_streets(columns, rows), *_turns(columns, rows)])
    return "".join(_road(number, length, plan) for number, (length, plan) in named)


def _streets(columns, rows):
    length = BLOCK_M - 2.0 * CROSSING_M
    for x in range(columns):
        for y in range(rows):
            for across, up in ((1, 0), (0, 1)):
                if x + across < columns and y + up < rows:
                    start = x * BLOCK_M + across * CROSSING_M, y * BLOCK_M + up * CROSSING_M
                    yield length, _geometry(*start, math.atan2(up, across), length, "<line/>")


def _turns(columns, rows):
    """Return the left turns through each crossing: quarters of a circle."""
    for x in range(columns):
        for y in range(rows):
            for across, up in _DIRECTIONS:
                start = x * BLOCK_M - across * CROSSING_M, y * BLOCK_M - up * CROSSING_M
                length = 0.5 * math.pi * CROSSING_M
                arc = f'<arc curvature="{1.0 / CROSSING_M}"/>'
                yield length, _geometry(*start, math.atan2(up, across), length, arc)


def _geometry(x, y, heading, length, curve):
    pose = f'x="{x!r}" y="{y!r}" hdg="{heading!r}" length="{length!r}"'
    return f'<geometry s="0" {pose}>{curve}</geometry>'


def _road(number, length, plan):
    bulge = '<elevation s="0" a="0" b="0.01" c="-1e-4" d="0"/>'
    lanes = {
        side: "".join(_lane(sign * n, kind, width) for n, (kind, width) in enumerate(LANES, 1))
        for side, sign in (("left", 1), ("right", -1))
    }
    return (
        f'<road id="{number}" name="" length="{length!r}" junction="-1"><planView>{plan}</planView>'
        f'<elevationProfile>{bulge}</elevationProfile><lanes><laneSection s="0">'
        f"<left>{lanes['left']}</left><center>{_lane(0, 'none', 0)}</center>"
        f"<right>{lanes['right']}</right></laneSection></lanes></road>"
    )


def _lane(number, kind, width):
    zeros = " ".join(f'{name}="0.0000000000000000e+00"' for name in ("sOffset", "b", "c", "d"))
    height = '<height sOffset="0" inner="0.12" outer="0.12"/>' if kind == "sidewalk" else ""
    dashed = kind == "none"
    name = {"driving": "solid", "none": "broken"}.get(kind, "none")
    mark = (
        f'<roadMark sOffset="0.0000000000000000e+00" type="{name}" weight="standard" '
        f'color="standard" width="1.2000000000000000e-01" laneChange="none" height="2e-02">'
        f'<type name="{name}" width="1.2000000000000000e-01"><line length="{3 * bool(dashed)}" '
        f'space="{6 * bool(dashed)}" tOffset="0.0000000000000000e+00" rule="no passing" '
        f'sOffset="0.0000000000000000e+00" width="1.2000000000000000e-01"/></type></roadMark>'
    )
    links = f'<link><predecessor id="{number}"/><successor id="{number}"/></link>'
    style = (
        '<userData code="viStyleDef"><style sOffset="0.000000" laneStyle="standard" '
        'mapping="auto"/><fillet pos="none" style="none" id="0"/></userData>'
    )
    widths = f'<width a="{width:.16e}" {zeros}/>' if number else ""
    body = f"{links}{widths}{height}{mark}{style}"
    return f'<lane id="{number}" type="{kind}" level="false">{body}</lane>'

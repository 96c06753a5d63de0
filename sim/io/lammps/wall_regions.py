"""Walls for LAMMPS: each flat or round part is a region with a `fix wall/gran/region`.

A facet is a block without thickness, whose nearest point is that of the facet; two facets in the plane that meet in a
corner towards the grains are one prism, so that a grain at the corner has one contact. The regions are placed by
rotations about an axis through a point (`region ... rotate`), and move as the walls do (`region ... move`): LAMMPS
takes velocities of walls from the change of both since the step before. In space the facets of a plane polygon are one
rectangle around it, which continues behind its neighbours if the polygon is no rectangle.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.contacts.wall_forces import ALIKE, SAME_SIDE
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.engine.world import SERVO_SPEED, Floats, Walls
from repose.sim.io.lammps.names import exact, row
from repose.sim.io.lammps.wall_motion import ShakingWalls, TurningWalls, WallMotion
from repose.sim.parameters import ParameterError
from scipy.spatial import KDTree
from scipy.spatial.transform import Rotation

SAME = 1e-9
"""Points closer than this fraction of the largest coordinate, and directions of this difference, count as equal [-]."""
MOST_PARTS = 200
"""Largest number of regions: LAMMPS compares every grain with each of them at every step."""
ELAPSED = "elapsed"
"""Variable with the simulated time since the export [s]."""


@dataclass(frozen=True)
class RegionPart:
    """A part of the walls: a region, turned by an angle about an axis through a point, and moving."""

    region: str
    """Style and numbers of the region before it is turned and moved."""
    material: int
    velocity: tuple[float, ...]
    """[m/s], shape (3,)."""
    point: tuple[float, ...] = (0.0, 0.0, 0.0)
    """[m]."""
    axis: tuple[float, ...] = (0.0, 0.0, 1.0)
    """Unit vector."""
    angle: float = 0.0
    """[rad]."""
    spin: float = 0.0
    """Rate at which it turns about the axis [rad/s]."""


class WrittenWalls(NamedTuple):
    """The walls of a world for LAMMPS."""

    parts: tuple[RegionPart, ...]
    differences: tuple[str, ...]
    """In what they differ from those of the world, one sentence each."""


def written(walls: Walls, dimension: int, grains: Floats, motion: WallMotion = None) -> WrittenWalls:
    """The parts of these walls; `grains` are the centres of the grains [m], shape (grains, dimension), on whose side a
    corner of the plane is an edge or a groove."""
    parts = [part for number in range(len(walls.shape)) for part in _round_or_plane(walls, number, dimension)]
    if isinstance(motion, TurningWalls):
        parts = [_about(part, motion) for part in parts]
    facets = np.flatnonzero(walls.shape == FACET)
    if len(facets) > 4 * MOST_PARTS:
        raise _too_many(len(facets))
    corner = walls.corner[facets] + walls.moved[facets, None]
    velocity, material = walls.velocity[facets], walls.material[facets]
    differences = list(_moving(walls, motion))
    if dimension == 2:
        lines = _joined(
            [_Line(ends[:2], int(kind), _in_space(speed)) for ends, kind, speed in zip(corner, material, velocity)]
        )
        pivot = np.array(motion.centre[:2]) if isinstance(motion, TurningWalls) else None
        solid, single, double = _at_corners(lines, grains, motion is not None)
        parts += [_wedge(*pair, pivot) for pair in solid] + [_strip(line, pivot) for line in single]
        joints = [(lines[a].normal, lines[b].normal) for a, b, *_ in _meetings(_ends(lines))]
    else:
        if isinstance(motion, TurningWalls) and len(facets):
            raise ParameterError("Facets in space that turn are not written: turn planes and cylinders alone.")
        panels, joints = _panels(corner, material, velocity)
        parts += [panel.part for panel in panels]
        beyond = sum(not panel.whole for panel in panels)
        double = 0
        if beyond:
            differences.append(
                f"{beyond} of {len(panels)} flat parts of the walls are no rectangles: LAMMPS has the rectangles "
                "around them, which end behind the other parts."
            )
    alike = [abs(float(a @ b)) for a, b in joints]
    if double:
        differences.append(f"At {double} corners a grain touches two walls in LAMMPS, and one here.")
    if any(ALIKE < each < 1.0 - SAME for each in alike):
        differences.append("At folds below 14° both sides push in LAMMPS, and the nearer one here.")
    if any(each > SAME_SIDE for each in alike):
        differences.append("Where a grain passes from one flat part to the next its friction spring begins anew.")
    if len(parts) > MOST_PARTS:
        raise _too_many(len(parts))
    return WrittenWalls(tuple(parts), tuple(differences))


def _too_many(count: int) -> ParameterError:
    return ParameterError(
        f"The walls have {count} flat or round parts; LAMMPS compares every grain with each of them, and this export "
        f"writes at most {MOST_PARTS}: export a run with a simpler vessel."
    )


def _moving(walls: Walls, motion: WallMotion) -> Iterator[str]:
    if (walls.servo[:, SERVO_SPEED] > 0.0).any():
        yield "Walls that keep a force go on with their present velocity: a region of LAMMPS has no mass."
    elif motion is None and np.any(walls.velocity):
        yield "Moving walls keep their present velocity."
    if motion is None and np.any(walls.spin):
        yield "Turning walls keep their present spin."
    if isinstance(motion, TurningWalls) and (walls.shape == FACET).any():
        yield "Walls turn as a whole; here each facet moves straight for 50 steps."
    if isinstance(motion, ShakingWalls):
        yield "Walls follow the oscillation at every step; here they follow it in straight pieces of 50 steps."


def _round_or_plane(walls: Walls, number: int, dimension: int) -> Iterator[RegionPart]:
    point, axis, rest = (_in_space(corner) for corner in walls.corner[number])
    point = point + _in_space(walls.moved[number])
    material, velocity = int(walls.material[number]), tuple(_in_space(walls.velocity[number]))
    spin = float(walls.spin[number])
    about = (tuple(point), tuple(axis), 0.0, spin) if spin else ()
    if walls.shape[number] == PLANE:
        yield RegionPart(f"plane {row(point)} {row(axis)}", material, velocity, *about)
    elif walls.shape[number] == CYLINDER:
        side = "in" if rest[1] > 0.0 else "out"
        if np.count_nonzero(np.abs(axis) > SAME) == 1:
            along = int(np.abs(axis).argmax())
            across = [c for c in range(3) if c != along]
            centre = f"{exact(point[across[0]])} {exact(point[across[1]])}"
            yield RegionPart(
                f"cylinder {'xyz'[along]} {centre} {exact(rest[0])} INF INF side {side}", material, velocity, *about
            )
        elif spin:
            raise _slanting()
        else:
            turn = Rotation.align_vectors(axis[None], [[0.0, 0.0, 1.0]])[0]
            region = f"cylinder z {exact(point[0])} {exact(point[1])} {exact(rest[0])} INF INF side {side}"
            yield _turned(RegionPart(region, material, velocity), turn, point)


def _about(part: RegionPart, motion: TurningWalls) -> RegionPart:
    """The part with the axis of the motion; raises `ParameterError` if it has one of its own."""
    if part.angle:
        raise _slanting()
    return replace(part, point=tuple(_in_space(motion.centre)), axis=tuple(motion.axis))


def _slanting() -> ParameterError:
    return ParameterError("Cylinders that are not along x, y or z do not turn in LAMMPS: place one along an axis.")


def _in_space(vector: Any) -> Floats:
    result = np.zeros(3)
    result[: len(vector)] = vector
    return result


def _turned(part: RegionPart, turn: Rotation, point: Floats) -> RegionPart:
    """The part turned about a point."""
    vector = turn.as_rotvec()
    angle = float(np.linalg.norm(vector))
    axis = vector / angle if angle else np.array([0.0, 0.0, 1.0])
    return replace(part, point=tuple(point), axis=tuple(axis), angle=angle)


@dataclass(frozen=True, eq=False)
class _Line:
    """A facet in the plane."""

    ends: Floats
    """[m], shape (2, 2)."""
    material: int
    velocity: Floats

    @property
    def normal(self) -> Floats:
        (x, y), size = self.ends[1] - self.ends[0], float(np.linalg.norm(self.ends[1] - self.ends[0]))
        return np.array([-y / size, x / size])


def _meetings(points: Floats) -> list[tuple[int, int, int, int]]:
    """Points that two figures have in common, sorted: the rows of both, and which of their points; `points` has the
    shape (figures, points, dimension)."""
    if not len(points):
        return []
    count = points.shape[1]
    near = SAME * float(np.abs(points).max())
    pairs = KDTree(points.reshape(-1, points.shape[2])).query_pairs(near, output_type="ndarray")
    found = (sorted((int(m), int(n))) for m, n in pairs)
    rows = [(m // count, m % count, n // count, n % count) for m, n in found if m // count != n // count]
    return sorted((a, b, i, j) for a, i, b, j in rows)


def _ends(lines: Sequence[_Line]) -> Floats:
    return np.array([line.ends for line in lines]).reshape(-1, 2, 2)


def _joined(lines: list[_Line]) -> list[_Line]:
    """The lines, of which two that continue each other are one."""
    for k, m, *ends in _meetings(_ends(lines)):
        a, b = lines[k], lines[m]
        if abs(float(a.normal @ b.normal)) <= 1.0 - SAME or not _alike(a, b):
            continue
        outer = np.array([a.ends[1 - ends[0]], b.ends[1 - ends[1]]])
        if np.linalg.norm(outer[1] - outer[0]) > max(np.linalg.norm(c.ends[1] - c.ends[0]) for c in (a, b)):
            return _joined([*(c for c in lines if c is not a and c is not b), _Line(outer, a.material, a.velocity)])
    return lines


def _alike(a: _Line, b: _Line) -> bool:
    """Whether two lines are of one material and move together."""
    return a.material == b.material and bool((a.velocity == b.velocity).all())


Wedge = tuple[_Line, _Line, tuple[int, int]]


def _at_corners(lines: Sequence[_Line], grains: Floats, together: bool) -> tuple[list[Wedge], list[_Line], int]:
    """Pairs of lines that meet in an edge towards the nearest grain, the other lines, and the number of such edges
    between lines that are not a pair; `together` if all lines turn or shake together."""
    solid: list[Wedge] = []
    used: set[int] = set()
    double = 0
    for k, m, *ends in _meetings(_ends(lines)) if len(grains) else ():
        a, b = lines[k], lines[m]
        tip = a.ends[ends[0]]
        nearest = grains[np.linalg.norm(grains - tip, axis=1).argmin()] - tip
        to_a, to_b = (line.ends[1 - end] - tip for line, end in zip((a, b), ends))
        to_a, to_b = to_a / np.linalg.norm(to_a), to_b / np.linalg.norm(to_b)
        if (to_a + to_b) @ nearest >= 0.0 or abs(to_a[0] * to_b[1] - to_a[1] * to_b[0]) < 1e-3:
            continue
        if k in used or m in used or not (together or _alike(a, b)):
            double += 1
        else:
            used |= {k, m}
            solid.append((a, b, (ends[0], ends[1])))
    return solid, [line for k, line in enumerate(lines) if k not in used], double


def _strip(line: _Line, pivot: Floats | None) -> RegionPart:
    """A line as a block without thickness."""
    a, b = line.ends
    angle = math.atan2(*(b - a)[::-1])
    if pivot is None and abs(math.sin(2.0 * angle)) < SAME:
        (x, y), (right, top) = np.minimum(a, b), np.maximum(a, b)
        region = f"block {row((x, right, y, top))} INF INF side out"
        return RegionPart(region, line.material, tuple(line.velocity))
    at = a if pivot is None else pivot + _back(angle) @ (a - pivot)
    region = f"block {row((at[0], at[0] + np.linalg.norm(b - a), at[1], at[1]))} INF INF side out"
    return RegionPart(
        region, line.material, tuple(line.velocity), tuple(_in_space(a if pivot is None else pivot)), angle=angle
    )


def _wedge(a: _Line, b: _Line, ends: tuple[int, int], pivot: Floats | None) -> RegionPart:
    """The parallelogram behind two lines with a common end."""
    tip = a.ends[ends[0]]
    first, second = (line.ends[1 - end] - tip for line, end in zip((a, b), ends))
    if first[0] * second[1] - first[1] * second[0] < 0.0:
        first, second = second, first
    angle = math.atan2(first[1], first[0])
    across = _back(angle) @ second
    at = tip if pivot is None else pivot + _back(angle) @ (tip - pivot)
    long = float(np.linalg.norm(first))
    high = long + float(np.linalg.norm(second))
    numbers = (at[0], at[0] + long, at[1], at[1] + across[1], -high, high, across[0], 0.0, 0.0)
    region = f"prism {row(numbers)} side out"
    return RegionPart(
        region, a.material, tuple(a.velocity), tuple(_in_space(tip if pivot is None else pivot)), angle=angle
    )


def _back(angle: float) -> Floats:
    """The rotation by minus an angle in the plane."""
    cos, sin = math.cos(angle), math.sin(angle)
    return np.array([[cos, sin], [-sin, cos]])


class _Panel(NamedTuple):
    """Facets in space that lie in one plane and hang together."""

    part: RegionPart
    whole: bool
    """Whether they are a rectangle."""


def _panels(corner: Floats, material: Any, velocity: Floats) -> tuple[list[_Panel], list[tuple[Floats, Floats]]]:
    """The panels of these facets, and the normals of two that have a side in common."""
    if not len(corner):
        return [], []
    near = SAME * float(np.abs(corner).max())
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    area = np.linalg.norm(normal, axis=1)
    normal /= area[:, None]
    group = list(range(len(corner)))

    def same(a: int, b: int) -> bool:
        level = np.abs((corner[b] - corner[a, 0]) @ normal[a]).max() <= 10.0 * near
        return bool(level and material[a] == material[b] and (velocity[a] == velocity[b]).all())

    points = {(a, b, i) for a, b, i, _ in _meetings(corner)}
    sides = sorted(pair for pair, count in Counter((a, b) for a, b, _ in points).items() if count >= 2)
    for a, b in sides:
        if group[a] != group[b] and same(a, b):
            group = [group[a] if each == group[b] else each for each in group]
    panels = []
    for name in dict.fromkeys(group):
        rows = [k for k, each in enumerate(group) if each == name]
        size = float(area[rows].sum()) / 2.0
        panels.append(_panel(corner[rows], normal[rows[0]], size, int(material[rows[0]]), velocity[rows[0]]))
    return panels, [(normal[a], normal[b]) for a, b in sides if group[a] != group[b]]


def _panel(corner: Floats, normal: Floats, area: float, material: int, velocity: Floats) -> _Panel:
    """The least rectangle around the facets along one of their sides, if possible along two that are parallel."""
    points = corner.reshape(-1, 3)
    sides = np.array(list(_outline(corner)))
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    parallel = (np.abs(sides @ sides.T) > 1.0 - SAME).sum(axis=1) > 1
    sides = sides[parallel] if parallel.any() else sides
    best: tuple[float, Any] = (math.inf, None)
    for u in sides:
        v = np.cross(normal, u)
        low, high = (np.array([f(points @ w) for w in (u, v)]) for f in (np.min, np.max))
        size = float(np.prod(high - low))
        if size < best[0] * (1.0 - SAME):
            best = size, (u, v, low, high)
    size, (u, v, low, high) = best
    whole = size <= area * (1.0 + 1e-6)
    least, most = points.min(axis=0), points.max(axis=0)
    extent = most - least
    flat = int(extent.argmin())
    speed = tuple(velocity)
    if whole and extent[flat] <= SAME * extent.max() and np.prod(np.delete(extent, flat)) <= area * (1.0 + 1e-6):
        least[flat] = most[flat] = points[0, flat]
        region = f"block {row(np.column_stack([least, most]))} side out"
        return _Panel(RegionPart(region, material, speed), whole)
    turn = Rotation.from_matrix(np.column_stack([u, v, normal]))
    start = low[0] * u + low[1] * v + (points[0] @ normal) * normal
    wide, high_ = high - low
    numbers = (start[0], start[0] + wide, start[1], start[1] + high_, start[2], start[2])
    part = _turned(RegionPart(f"block {row(numbers)} side out", material, speed), turn, start)
    return _Panel(part, whole)


def _outline(corner: Floats) -> Iterator[Floats]:
    """The sides of facets that no two of them have in common [m]."""
    sides = np.stack([corner, np.roll(corner, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    points = {(a, b, i) for a, b, i, _ in _meetings(sides)}
    inner = {row for pair, count in Counter((a, b) for a, b, _ in points).items() if count >= 2 for row in pair}
    yield from (b - a for k, (a, b) in enumerate(sides) if k not in inner)


def commands(
    parts: Iterable[RegionPart], styles: Iterable[Sequence[tuple[str, str]]], motion: WallMotion
) -> Iterator[str]:
    """The commands for these parts; `styles` has for each part the groups of grains and the coefficients of their
    contacts with it."""
    for number, (part, of_groups) in enumerate(zip(parts, styles)):
        name, words = f"wall{number}", part.region
        moves = [_way(c, part, motion) for c in range(3)]
        for axis, formula in zip("xyz", moves):
            if formula:
                yield f'variable {name}{axis} equal "{formula}"'
        if any(moves):
            words += " move " + " ".join(f"v_{name}{axis}" if way else "NULL" for axis, way in zip("xyz", moves))
        spin = motion.rate if isinstance(motion, TurningWalls) else part.spin
        if part.angle or spin:
            rate = f" + {exact(spin)}*v_{ELAPSED}" if spin else ""
            yield f'variable {name}turn equal "{exact(part.angle)}{rate}"'
            words += f" rotate v_{name}turn {row(part.point)} {row(part.axis)}"
        yield f"region {name} {words}"
        for group, coefficients in of_groups:
            yield f"fix {name}{group} {group} wall/gran/region granular {coefficients} region {name}"


def _way(axis: int, part: RegionPart, motion: WallMotion) -> str:
    """The formula of the displacement of a part along an axis since the export, or an empty text."""
    if isinstance(motion, TurningWalls):
        return ""
    if isinstance(motion, ShakingWalls):
        along = motion.amplitude * _in_space(motion.direction)[axis]
        start, rate = exact(motion.phase), exact(motion.rate)
        return f"{exact(along)}*({exact(math.cos(motion.phase))} - cos({start} + {rate}*v_{ELAPSED}))" if along else ""
    return f"{exact(part.velocity[axis])}*v_{ELAPSED}" if part.velocity[axis] else ""


def changes(parts: Iterable[RegionPart], motion: WallMotion) -> bool:
    """Whether LAMMPS computes the place of a region at every step: it then needs its place one step before the
    first."""
    return motion is not None or any(part.angle or part.spin or any(part.velocity) for part in parts)

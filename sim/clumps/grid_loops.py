"""Compiled loops over grids: distance to triangles, winding numbers, points covered by spheres.

Node (i, j, k) of a grid is at origin + step (i, j, k). The distance to a closed surface is computed as by R. Bridson's
SDFGen: exactly at the nodes near each triangle, elsewhere by sweeps that pass the closest triangle from node to node. A
node is inside if the surface winds around it: if a line from the node to infinity crosses the surface unequally often
outwards and inwards.
"""

from __future__ import annotations

import math
from typing import Any

from repose.sim.engine import vector
from repose.sim.engine.contacts.wall_geometry import nearest_on_facet
from repose.sim.engine.jit import compilable, compiled, fingerprint

SLACK = 0.1
"""Protrusion below which a sphere counts as inside another [steps]: the accuracy of distances to curved surfaces."""
BAND = 1
"""Number of nodes around the box of a triangle at which its distance is computed directly."""


@compilable
def _point(rows, t, c):
    return (rows[t, c, 0], rows[t, c, 1], rows[t, c, 2])


@compilable
def _squared_distance(triangles, t, x):
    away = vector.sub(x, nearest_on_facet(_point(triangles, t, 0), _point(triangles, t, 1), _point(triangles, t, 2), x))
    return vector.dot(away, away)


@compilable
def _first_last(low, high, start, step, count, margin):
    """First and last + 1 node of a row from low to high, widened by a margin of nodes, within the grid."""
    first = math.ceil((low - start) / step) - margin
    last = math.floor((high - start) / step) + margin + 1
    return max(0, first), min(count, last)


def _distance_loops(source: str) -> tuple[Any, Any]:
    """The two loops that measure distances to triangles; `source` is the digest of the engine, whose function they
    call."""

    def near_triangles(triangles, origin, step, squared, closest, first, last):
        """Lower the squared distances [m²] at the nodes near these triangles, and store the closest triangle."""
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        for t in range(first, last):
            a, b, c = _point(triangles, t, 0), _point(triangles, t, 1), _point(triangles, t, 2)
            i0, i1 = _first_last(min(a[0], b[0], c[0]), max(a[0], b[0], c[0]), origin[0], step, squared.shape[0], BAND)
            j0, j1 = _first_last(min(a[1], b[1], c[1]), max(a[1], b[1], c[1]), origin[1], step, squared.shape[1], BAND)
            k0, k1 = _first_last(min(a[2], b[2], c[2]), max(a[2], b[2], c[2]), origin[2], step, squared.shape[2], BAND)
            for i in range(i0, i1):
                for j in range(j0, j1):
                    for k in range(k0, k1):
                        x = (origin[0] + step * i, origin[1] + step * j, origin[2] + step * k)
                        distance2 = _squared_distance(triangles, t, x)
                        if distance2 < squared[i, j, k]:
                            squared[i, j, k] = distance2
                            closest[i, j, k] = t

    def sweep(triangles, origin, step, squared, closest, di, dj, dk):
        """One sweep in the direction (di, dj, dk), each 1 or -1, of the closest triangle from node to node."""
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        ni, nj, nk = squared.shape
        for p in range(ni):
            i = p if di > 0 else ni - 1 - p
            for q in range(nj):
                j = q if dj > 0 else nj - 1 - q
                for r in range(nk):
                    k = r if dk > 0 else nk - 1 - r
                    x = (origin[0] + step * i, origin[1] + step * j, origin[2] + step * k)
                    for n in range(1, 8):
                        a = i - di * (n & 1)
                        b = j - dj * ((n >> 1) & 1)
                        c = k - dk * ((n >> 2) & 1)
                        if not (0 <= a < ni and 0 <= b < nj and 0 <= c < nk):
                            continue
                        t = closest[a, b, c]
                        if t < 0 or t == closest[i, j, k]:
                            continue
                        distance2 = _squared_distance(triangles, t, x)
                        if distance2 < squared[i, j, k]:
                            squared[i, j, k] = distance2
                            closest[i, j, k] = t

    return compiled(near_triangles), compiled(sweep)


@compilable
def _side(ax, ay, bx, by):
    """Side of the line from b through a, in a plane, on which the origin is: -1 or 1, never 0.

    For an origin on the line the result is that of an infinitesimally shifted origin, equal for both triangles of an
    edge: a line through an edge crosses exactly one of the two triangles, or both triangles of a ridge.
    """
    twice = ay * bx - ax * by
    if twice != 0.0:
        return 1 if twice > 0.0 else -1
    if by != ay:
        return 1 if by > ay else -1
    if ax != bx:
        return 1 if ax > bx else -1
    return 0


def _crossings(triangles, origin, step, crossed):
    """Add to each node 1 for every triangle that a line along the third axis crosses inwards between the node below and
    this node, and -1 for every triangle that it crosses outwards."""
    ni, nj, nk = crossed.shape
    for t in range(triangles.shape[0]):
        a, b, c = _point(triangles, t, 0), _point(triangles, t, 1), _point(triangles, t, 2)
        i0, i1 = _first_last(min(a[0], b[0], c[0]), max(a[0], b[0], c[0]), origin[0], step, ni, 0)
        j0, j1 = _first_last(min(a[1], b[1], c[1]), max(a[1], b[1], c[1]), origin[1], step, nj, 0)
        for i in range(i0, i1):
            x = origin[0] + step * i
            for j in range(j0, j1):
                y = origin[1] + step * j
                first = _side(b[0] - x, b[1] - y, c[0] - x, c[1] - y)
                second = _side(c[0] - x, c[1] - y, a[0] - x, a[1] - y)
                third = _side(a[0] - x, a[1] - y, b[0] - x, b[1] - y)
                if first == 0 or first != second or first != third:
                    continue
                wa = (b[1] - y) * (c[0] - x) - (b[0] - x) * (c[1] - y)
                wb = (c[1] - y) * (a[0] - x) - (c[0] - x) * (a[1] - y)
                wc = (a[1] - y) * (b[0] - x) - (a[0] - x) * (b[1] - y)
                whole = wa + wb + wc
                if whole == 0.0:
                    continue
                height = (wa * a[2] + wb * b[2] + wc * c[2]) / whole
                k = max(0, math.ceil((height - origin[2]) / step))
                if k < nk:
                    crossed[i, j, k] += first


def _cover(centre, radius, origin, step, mask):
    """Set the nodes inside the spheres: centres (spheres, 3) [m], radii (spheres,) [m]."""
    ni, nj, nk = mask.shape
    for s in range(radius.shape[0]):
        square = radius[s] * radius[s]
        x, y, z = centre[s, 0], centre[s, 1], centre[s, 2]
        i0, i1 = _first_last(x - radius[s], x + radius[s], origin[0], step, ni, 0)
        for i in range(i0, i1):
            dx = origin[0] + step * i - x
            rest = square - dx * dx
            if rest < 0.0:
                continue
            half = math.sqrt(rest)
            j0, j1 = _first_last(y - half, y + half, origin[1], step, nj, 0)
            for j in range(j0, j1):
                dy = origin[1] + step * j - y
                left = rest - dy * dy
                if left < 0.0:
                    continue
                long = math.sqrt(left)
                k0, k1 = _first_last(z - long, z + long, origin[2], step, nk, 0)
                for k in range(k0, k1):
                    mask[i, j, k] = 1


@compilable
def _exclude(depth, step, at, radius, spacing, skipped):
    """Mark the nodes at which the greedy algorithm places no sphere after one of this radius [m] at the node `at`:
    centres closer than `apart` [m], and spheres of the radius `depth` that are inside it."""
    ni, nj, nk = depth.shape
    reach = math.floor(radius / step)
    for i in range(max(0, at[0] - reach), min(ni, at[0] + reach + 1)):
        for j in range(max(0, at[1] - reach), min(nj, at[1] + reach + 1)):
            for k in range(max(0, at[2] - reach), min(nk, at[2] + reach + 1)):
                square = step * step * float((i - at[0]) ** 2 + (j - at[1]) ** 2 + (k - at[2]) ** 2)
                inner = radius - depth[i, j, k] + SLACK * step
                if square < spacing * spacing or (inner >= 0.0 and square <= inner * inner):
                    skipped[i, j, k] = 1


@compilable
def _root(piece, i):
    """The row that stands for the piece of sphere i; halves the path to it."""
    while piece[i] != i:
        piece[i] = piece[piece[i]]
        i = piece[i]
    return i


def _connect(low, centre, radius, piece):
    """Set in `piece` one row of each piece for all of its spheres; spheres of a piece overlap, directly or through
    others. The spheres are in the order of `low`, their lowest x [m]."""
    for i in range(radius.shape[0]):
        piece[i] = i
    for i in range(radius.shape[0]):
        high = centre[i, 0] + radius[i]
        for j in range(i + 1, radius.shape[0]):
            if low[j] > high:
                break
            reach = radius[i] + radius[j]
            dx = centre[i, 0] - centre[j, 0]
            dy = centre[i, 1] - centre[j, 1]
            dz = centre[i, 2] - centre[j, 2]
            if dx * dx + dy * dy + dz * dz < reach * reach:
                piece[_root(piece, i)] = _root(piece, j)
    for i in range(radius.shape[0]):
        piece[i] = _root(piece, i)


def _place(depth, step, order, rho, centres, count, skipped):
    """Place spheres at the nodes in this order until `found` is full; returns the number of entries of `found`."""
    nj, nk = depth.shape[1], depth.shape[2]
    for p in range(order.shape[0]):
        if count == centres.shape[0]:
            break
        node = order[p]
        at = (node // (nj * nk), node // nk % nj, node % nk)
        if skipped[at] != 0:
            continue
        centres[count] = node
        count += 1
        _exclude(depth, step, at, depth[at], rho * depth[at], skipped)
    return count


def _deepest(points, centre, radius, first, last, depth, owner):
    """Depth [m] of points `first` to `last` - 1 in the union of the spheres, the largest r - |x - c|, and the sphere of
    this depth; outside the union minus the distance to it."""
    for p in range(first, last):
        best = -math.inf
        which = 0
        for s in range(radius.shape[0]):
            dx = points[p, 0] - centre[s, 0]
            dy = points[p, 1] - centre[s, 1]
            dz = points[p, 2] - centre[s, 2]
            depth_here = radius[s] - math.sqrt(dx * dx + dy * dy + dz * dz)
            if depth_here > best:
                best = depth_here
                which = s
        depth[p] = best
        owner[p] = which


def _interpolated(values, origin, step, points, result):
    """Values at points [m], shape (points, 3), interpolated linearly; outside the grid the value at its edge.

    The products are summed in the order of scipy.ndimage.map_coordinates, which gives the same bits and takes four to
    seven times as long.
    """
    ni, nj, nk = values.shape
    for p in range(points.shape[0]):
        x = min(max((points[p, 0] - origin[0]) / step, 0.0), ni - 1.0)
        y = min(max((points[p, 1] - origin[1]) / step, 0.0), nj - 1.0)
        z = min(max((points[p, 2] - origin[2]) / step, 0.0), nk - 1.0)
        i, j, k = int(x), int(y), int(z)
        x, y, z = x - i, y - j, z - k
        total = 0.0
        for a in range(2):
            wx = x if a else 1.0 - x
            ia = min(i + a, ni - 1)
            for b in range(2):
                wy = y if b else 1.0 - y
                jb = min(j + b, nj - 1)
                for c in range(2):
                    wz = z if c else 1.0 - z
                    total += values[ia, jb, min(k + c, nk - 1)] * wx * wy * wz
        result[p] = total


near_triangles, sweep = _distance_loops(fingerprint())
crossings = compiled(_crossings)
connect = compiled(_connect)
cover = compiled(_cover)
place = compiled(_place)
deepest = compiled(_deepest)
interpolated = compiled(_interpolated)

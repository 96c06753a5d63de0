"""Compiled loops of the fit of spheres to a body: cover of weighted points, and how it changes with the spheres."""

from __future__ import annotations

import math

from repose.sim.engine.jit import compilable, compiled


@compilable
def _square(points, p, x, y, z):
    dx = points[p, 0] - x
    dy = points[p, 1] - y
    dz = points[p, 2] - z
    return dx * dx + dy * dy + dz * dz


def _gains(points, worth, middle, wide, begin, centre, radius, gain):
    """Sum of the worth of the points in each sphere: the gain of the clump by this sphere. Groups of points (middles
    and half widths) outside the sphere are skipped."""
    for s in range(radius.shape[0]):
        x, y, z, r = centre[s, 0], centre[s, 1], centre[s, 2], radius[s]
        total = 0.0
        for g in range(wide.shape[0]):
            reach = r + wide[g]
            if _square(middle, g, x, y, z) > reach * reach:
                continue
            for p in range(begin[g], begin[g + 1]):
                if _square(points, p, x, y, z) < r * r:
                    total += worth[p]
        gain[s] = total


def _cover_points(points, worth, middle, wide, begin, centre, radius):
    """Set the worth of the points in the spheres to zero."""
    for s in range(radius.shape[0]):
        x, y, z, r = centre[s, 0], centre[s, 1], centre[s, 2], radius[s]
        for g in range(wide.shape[0]):
            reach = r + wide[g]
            if _square(middle, g, x, y, z) > reach * reach:
                continue
            for p in range(begin[g], begin[g + 1]):
                if _square(points, p, x, y, z) < r * r:
                    worth[p] = 0.0


def _near_members(middle, wide, centre, radius, slack, reach, near, near_begin):
    """List for each group of points the spheres in which one of its points can be deepest or second deepest, also after
    the spheres have moved by `slack` [m] in sum; returns the length of the list, or -1 if it is full.

    middle, centre: rows x, y, z; reach (spheres,) is working memory.
    """
    used = 0
    for g in range(wide.shape[0]):
        x, y, z = middle[0, g], middle[1, g], middle[2, g]
        for s in range(radius.shape[0]):
            dx = x - centre[0, s]
            dy = y - centre[1, s]
            dz = z - centre[2, s]
            reach[s] = radius[s] - math.sqrt(dx * dx + dy * dy + dz * dz)
        best = -math.inf
        second = -math.inf
        for s in range(radius.shape[0]):
            if reach[s] > second:
                if reach[s] > best:
                    second = best
                    best = reach[s]
                else:
                    second = reach[s]
        bound = (second if second > -math.inf else best) - 2.0 * (wide[g] + slack)
        near_begin[g] = used
        for s in range(radius.shape[0]):
            if reach[s] >= bound:
                if used == near.shape[0]:
                    return -1
                near[used] = s
                used += 1
    near_begin[wide.shape[0]] = used
    return used


@compilable
def _most_deeply(points, first, last, members, sphere, best, second, which):
    """Largest and second largest depth of the points `first` to `last` - 1 in a sphere [m], and the sphere of the
    largest depth. The loop over points is the inner one and has no branch: it compiles to vector instructions."""
    count = last - first
    x, y, z = points[0, first:last], points[1, first:last], points[2, first:last]
    for p in range(count):
        best[p] = -math.inf
        second[p] = -math.inf
        which[p] = 0
    for s in members:
        cx, cy, cz, r = sphere[0, s], sphere[1, s], sphere[2, s], sphere[3, s]
        for p in range(count):
            dx = x[p] - cx
            dy = y[p] - cy
            dz = z[p] - cz
            depth = r - math.sqrt(dx * dx + dy * dy + dz * dz)
            deeper = depth > best[p]
            less = best[p] if deeper else depth
            second[p] = less if less > second[p] else second[p]
            which[p] = s if deeper else which[p]
            best[p] = depth if deeper else best[p]


def _slope(points, weight, lists, sphere, softness, results, memory):
    """Volume of the clump inside and outside the body, and its derivatives by centre and radius of each sphere.

    points: rows x, y, z; sphere: rows x, y, z, radius. `weight` is the volume that a point represents, negative outside
    the body. `lists` are begin, near and near_begin of `_near_members`. A point at the depth d in the clump counts by
    1 / (1 + exp(-d / softness)). `results` are slope (spheres, 4, 2): derivatives by x, y, z and radius of the volumes
    inside and outside, and alone (spheres,): volume inside minus volume outside that would be lost without the sphere.
    `memory` are working arrays best, second and which (points of the largest group,).
    """
    begin, near, near_begin = lists
    slope, alone = results
    best, second, which = memory
    inside = 0.0
    outside = 0.0
    for s in range(sphere.shape[1]):
        alone[s] = 0.0
        for c in range(4):
            slope[s, c, 0] = 0.0
            slope[s, c, 1] = 0.0
    for g in range(begin.shape[0] - 1):
        first = begin[g]
        members = near[near_begin[g] : near_begin[g + 1]]
        _most_deeply(points, first, begin[g + 1], members, sphere, best, second, which)
        for p in range(begin[g + 1] - first):
            s = which[p]
            w = weight[first + p]
            side = 0 if w > 0.0 else 1
            if best[p] > 0.0 and second[p] <= 0.0:
                alone[s] += w
            share = best[p] / softness
            if share < -30.0 or share > 30.0:
                covered = 1.0 if share > 0.0 else 0.0
                rate = 0.0
            else:
                covered = 1.0 / (1.0 + math.exp(-share))
                rate = abs(w) * covered * (1.0 - covered) / softness
            if side == 0:
                inside += w * covered
            else:
                outside -= w * covered
            if rate > 0.0:
                distance = max(sphere[3, s] - best[p], 1e-300)
                for c in range(3):
                    slope[s, c, side] += rate * (points[c, first + p] - sphere[c, s]) / distance
                slope[s, 3, side] += rate
    return inside, outside


gains = compiled(_gains)
cover_points = compiled(_cover_points)
near_members = compiled(_near_members)
slope = compiled(_slope)

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
    """Sum of the worth of the points in each sphere: what the clump gains by it. Groups of points, with their middles
    and half widths, that a sphere does not reach are passed over."""
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


def _near_members(middle, wide, centre, radius, slack, near, near_begin):
    """List for each group of points the spheres that can contain one of its points most deeply or second most deeply,
    also after all have moved by `slack` [m] in sum; returns the length of the list, or -1 if it is full."""
    used = 0
    for g in range(wide.shape[0]):
        best = -math.inf
        second = -math.inf
        for s in range(radius.shape[0]):
            reach = radius[s] - math.sqrt(_square(middle, g, centre[s, 0], centre[s, 1], centre[s, 2]))
            if reach > best:
                second = best
                best = reach
            elif reach > second:
                second = reach
        bound = (second if second > -math.inf else best) - 2.0 * (wide[g] + slack)
        near_begin[g] = used
        for s in range(radius.shape[0]):
            reach = radius[s] - math.sqrt(_square(middle, g, centre[s, 0], centre[s, 1], centre[s, 2]))
            if reach >= bound:
                if used == near.shape[0]:
                    return -1
                near[used] = s
                used += 1
    near_begin[wide.shape[0]] = used
    return used


def _slope(points, weight, begin, near, near_begin, centre, radius, softness, slope, alone):
    """Volume of the clump inside and outside the body, and its slope with centre and radius of each sphere.

    `weight` is the volume that a point stands for, negative outside the body. A point at the depth d in the clump
    counts by 1 / (1 + exp(-d / softness)). slope (spheres, 4, 2): by x, y, z and radius, of the volume inside and
    outside. alone (spheres,): what volume inside minus outside would be lost without the sphere.
    """
    inside = 0.0
    outside = 0.0
    for s in range(radius.shape[0]):
        alone[s] = 0.0
        for c in range(4):
            slope[s, c, 0] = 0.0
            slope[s, c, 1] = 0.0
    for g in range(begin.shape[0] - 1):
        for p in range(begin[g], begin[g + 1]):
            best = -math.inf
            second = -math.inf
            which = 0
            for k in range(near_begin[g], near_begin[g + 1]):
                s = near[k]
                depth = radius[s] - math.sqrt(_square(points, p, centre[s, 0], centre[s, 1], centre[s, 2]))
                if depth > best:
                    second = best
                    best = depth
                    which = s
                elif depth > second:
                    second = depth
            w = weight[p]
            side = 0 if w > 0.0 else 1
            if best > 0.0 and second <= 0.0:
                alone[which] += w
            share = best / softness
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
                distance = max(radius[which] - best, 1e-300)
                for c in range(3):
                    slope[which, c, side] += rate * (points[p, c] - centre[which, c]) / distance
                slope[which, 3, side] += rate
    return inside, outside


gains = compiled(_gains)
cover_points = compiled(_cover_points)
near_members = compiled(_near_members)
slope = compiled(_slope)

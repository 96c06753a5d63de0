"""Walls: planes, facets and cylinders of infinite mass, at rest or moving at a set velocity.

A sphere at a wall is a pair like any other, with the nearest point of the wall in place of the other centre and no
radius beside its own; every law works unchanged. What the spring remembers is the place of the sphere's centre relative
to the wall, because the nearest point runs along with the sphere.

A sphere over a mesh must feel each piece of it once. Of all facets near a sphere those it stands over with their
faces count; one it meets at an edge or a corner counts only if that point does not lie on a facet that counts
already. Where contact passes from one facet to the next, the memory is handed on.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable

from sim import vec
from sim.contact import TINY, contact_between, dragged, yielding_to_spin
from sim.state import LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS, MATERIAL_COUNT, TOUCH_COUNT

PLANE, FACET, CYLINDER = range(3)

SAME_POINT = 1e-9
"""Points of a mesh closer than this share of the radius are one point [-]."""

DEEPEST = 1e-6
"""A centre on or beyond a wall counts as this share of its radius in front of it [-]."""

SAME_SIDE = 0.9
"""Contact memory passes between facets whose normals have at least this cosine [-]."""


@register_jitable
def nearest_on_facet(a, b, c, x):
    """Point of the triangle a b c nearest to x, and whether it lies inside the face (Ericson 2005, 5.1.5).

    With c = b it is the line from a to b: in the plane, a facet.
    """
    ab = vec.sub(b, a)
    ac = vec.sub(c, a)
    ax = vec.sub(x, a)
    d1 = vec.dot(ab, ax)
    d2 = vec.dot(ac, ax)
    if d1 <= 0.0 and d2 <= 0.0:
        return a, False
    bx = vec.sub(x, b)
    d3 = vec.dot(ab, bx)
    d4 = vec.dot(ac, bx)
    if d3 >= 0.0 and d4 <= d3:
        return b, False
    on_ab = d1 * d4 - d3 * d2
    if on_ab <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        # In the plane the line itself is the face.
        return vec.add(a, vec.scale(d1 / (d1 - d3), ab)), len(x) == 2
    cx = vec.sub(x, c)
    d5 = vec.dot(ab, cx)
    d6 = vec.dot(ac, cx)
    if d6 >= 0.0 and d5 <= d6:
        return c, False
    on_ac = d5 * d2 - d1 * d6
    if on_ac <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        return vec.add(a, vec.scale(d2 / (d2 - d6), ac)), False
    on_bc = d3 * d6 - d5 * d4
    if on_bc <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        share = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        return vec.add(b, vec.scale(share, vec.sub(c, b))), False
    whole = on_ab + on_ac + on_bc
    inside = vec.add(a, vec.add(vec.scale(on_ac / whole, ab), vec.scale(on_ab / whole, ac)))
    return inside, True


@register_jitable
def approach(walls, w, x):
    """Gap between the centre x and wall w [m], the normal towards the grain, and whether it meets a face.

    The gap to a plane or a cylinder is negative once the centre has passed it: it is pushed back all the same.
    """
    place = vec.sub(x, vec.at(vec.rows(walls.moved.T, x), w))
    first = vec.entry(walls.corner, (w, 0), x)
    second = vec.entry(walls.corner, (w, 1), x)
    third = vec.entry(walls.corner, (w, 2), x)
    if walls.shape[w] == FACET:
        nearest, face = nearest_on_facet(first, second, third, place)
        away = vec.sub(place, nearest)
        gap = math.sqrt(vec.dot(away, away))
        return gap, vec.scale(1.0 / max(gap, TINY), away), face
    offset = vec.sub(place, first)
    along = vec.dot(offset, second)
    if walls.shape[w] == PLANE:
        return along, second, True
    outward = vec.sub(offset, vec.scale(along, second))
    radius = math.sqrt(vec.dot(outward, outward))
    side = third[1]
    return side * (third[0] - radius), vec.scale(-side / max(radius, TINY), outward), True


@register_jitable
def list_touches(world, position_like):
    """List every sphere and wall closer than touching + skin; returns how many, or -1 if they do not fit."""
    touches = world.touches
    walls = world.walls
    positions = vec.rows(world.motion[:, 0], position_like)
    found = 0
    touches.head[:] = -1
    for i in range(world.radius.size):
        if world.mobility[0, i] == 0.0:
            continue
        x = vec.at(positions, i)
        for w in range(walls.shape.size):
            gap, _, _ = approach(walls, w, x)
            if gap > world.radius[i] + world.search.skin[0]:
                continue
            if found == touches.sphere.size:
                return -1
            touches.sphere[found] = i
            touches.wall[found] = w
            touches.following[found] = touches.head[i]
            touches.head[i] = found
            found += 1
    return found


@register_jitable
def refresh_touches(world, position_like):
    """Make the list of spheres near walls anew, contact memory carried over; True if it fits."""
    old = world.old_touches
    new = world.touches
    count = world.counters[TOUCH_COUNT]
    for t in range(count):
        old.sphere[t] = new.sphere[t]
        old.wall[t] = new.wall[t]
        old.touching[t] = new.touching[t]
        old.normal_force[t] = new.normal_force[t]
        old.following[t] = new.following[t]
        for c in range(new.anchor.shape[0]):
            old.anchor[c, t] = new.anchor[c, t]
    for i in range(new.head.size):
        old.head[i] = new.head[i]
    found = list_touches(world, position_like)
    if found < 0:
        for t in range(count):
            new.sphere[t] = old.sphere[t]
            new.wall[t] = old.wall[t]
            new.following[t] = old.following[t]
        for i in range(new.head.size):
            new.head[i] = old.head[i]
        return False
    world.counters[TOUCH_COUNT] = found
    for t in range(found):
        new.touching[t] = 0.0
        new.normal_force[t] = 0.0
        for c in range(new.anchor.shape[0]):
            new.anchor[c, t] = 0.0
        s = old.head[new.sphere[t]]
        while s >= 0 and old.wall[s] != new.wall[t]:
            s = old.following[s]
        if s >= 0:
            new.touching[t] = old.touching[s]
            new.normal_force[t] = old.normal_force[s]
            for c in range(new.anchor.shape[0]):
                new.anchor[c, t] = old.anchor[c, s]
    return True


@register_jitable
def counts(walls, touches, radii, t, x):
    """Whether entry t of the list touches, and is not a facet's edge or corner that another facet covers."""
    radius = radii[touches.sphere[t]]
    gap, normal, face = approach(walls, touches.wall[t], x)
    if gap >= radius:
        return False
    if walls.shape[touches.wall[t]] != FACET or face:
        return True
    point = vec.sub(x, vec.scale(gap, normal))
    s = touches.head[touches.sphere[t]]
    while s >= 0:
        other = touches.wall[s]
        if s != t and walls.shape[other] == FACET:
            other_gap, other_normal, other_face = approach(walls, other, x)
            apart, _, _ = approach(walls, other, point)
            shift = vec.sub(vec.sub(x, vec.scale(other_gap, other_normal)), point)
            # Of two that meet the sphere at the same edge or corner the later in the list counts. By points and not by
            # gaps: close to a corner gaps differ by the square of the distance from it, which is nothing.
            same = vec.dot(shift, shift) <= (SAME_POINT * radius) ** 2
            covers = other_face or not same or s > t
            if other_gap < radius and apart <= SAME_POINT * radius and covers:
                return False
        s = touches.following[s]
    return True


@register_jitable
def hand_on(walls, touches, radii, t, x):
    """Give a facet touched for the first time the memory of a neighbour that the sphere is just leaving."""
    if walls.shape[touches.wall[t]] != FACET:
        return
    _, normal, _ = approach(walls, touches.wall[t], x)
    s = touches.head[touches.sphere[t]]
    while s >= 0:
        leaving = s != t and touches.touching[s] > 0.0 and walls.shape[touches.wall[s]] == FACET
        if leaving and not counts(walls, touches, radii, s, x):
            _, other_normal, _ = approach(walls, touches.wall[s], x)
            if vec.dot(other_normal, normal) > SAME_SIDE:
                for c in range(touches.anchor.shape[0]):
                    touches.anchor[c, t] = touches.anchor[c, s]
                touches.touching[t] = 1.0
        s = touches.following[s]


@register_jitable(inline="always")
def wall_contact(world, t, position_like, spin_like, duration):
    """The kinematics of entry t of the list, and the memory it starts with."""
    touches = world.touches
    walls = world.walls
    dimension = len(position_like)
    i = touches.sphere[t]
    w = touches.wall[t]
    x = vec.at(vec.rows(world.motion[:, 0], position_like), i)
    velocity = vec.at(vec.rows(world.motion[:, 1], position_like), i)
    spin = vec.at(vec.rows(world.motion[dimension:, 1], spin_like), i)
    gap, normal, _ = approach(walls, w, x)
    radius = world.radius[i]
    return contact_between(
        vec.scale(max(gap, DEEPEST * radius), normal),
        vec.sub(x, vec.at(vec.rows(walls.moved.T, position_like), w)),
        vec.sub(velocity, vec.at(vec.rows(walls.velocity.T, position_like), w)),
        vec.scale(radius, spin),
        vec.scale(0.5, spin),
        spin,
        vec.at(vec.rows(touches.anchor, position_like), t),
        touches.touching[t],
        radius,
        radius,
        world.mass[i],
        yielding_to_spin(world, i, dimension, spin_like),
        1.0,
        world.material[i] * world.counters[MATERIAL_COUNT] + walls.material[w],
        duration,
    )


@register_jitable
def wall_forces(world, law, rules, params, position_like, spin_like, duration):
    """Add the forces of walls to `world.force` and `walls.force`, advance their memory and the ledger.

    What it calls per entry is given single tables or inlined: handing over the whole world costs more than a contact.
    """
    touches = world.touches
    walls = world.walls
    radii = world.radius
    dimension = len(position_like)
    forces = vec.rows(world.force, position_like)
    torques = vec.rows(world.force[dimension:], spin_like)
    positions = vec.rows(world.motion[:, 0], position_like)
    memory = vec.rows(touches.anchor, position_like)
    wall_totals = vec.rows(walls.force.T, position_like)
    walls.force[:] = 0.0
    for t in range(world.counters[TOUCH_COUNT]):
        i = touches.sphere[t]
        w = touches.wall[t]
        x = vec.at(positions, i)
        if not counts(walls, touches, radii, t, x):
            touches.normal_force[t] = 0.0
            continue
        if touches.touching[t] == 0.0:
            hand_on(walls, touches, radii, t, x)
        contact, start = wall_contact(world, t, position_like, spin_like, duration)
        answer = law(params, rules, contact)
        force = vec.add(vec.scale(answer.normal_force, contact.normal), answer.shear_force)
        vec.deposit(forces, i, force)
        vec.deposit(wall_totals, w, vec.scale(-1.0, force))
        arm = vec.scale(contact.overlap - world.radius[i], contact.normal)
        vec.deposit(torques, i, vec.add(vec.moment(arm, force, spin_like), answer.moment))
        kept = dragged(start, answer.slip, spin_like)
        vec.deposit(memory, t, vec.sub(kept, vec.at(memory, t)))
        touches.touching[t] = 1.0
        touches.normal_force[t] = answer.normal_force
        lane = t % world.ledger.shape[1]
        world.ledger[LEDGER_DAMPING, lane] += duration * answer.damping_power
        world.ledger[LEDGER_FRICTION, lane] += duration * answer.friction_power
        wall_velocity = vec.at(vec.rows(walls.velocity.T, position_like), w)
        world.ledger[LEDGER_WALLS, lane] += duration * vec.dot(force, wall_velocity)
    # Only now: a facet just left must still show its memory to the one that takes it over.
    for t in range(world.counters[TOUCH_COUNT]):
        left = touches.touching[t] > 0.0 and touches.normal_force[t] == 0.0
        if left and not counts(walls, touches, radii, t, vec.at(positions, touches.sphere[t])):
            touches.touching[t] = 0.0


@register_jitable
def move_walls(walls, dt):
    """Move the walls by one step."""
    for w in range(walls.shape.size):
        for c in range(walls.moved.shape[1]):
            walls.moved[w, c] += dt * walls.velocity[w, c]

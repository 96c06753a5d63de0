"""Walls: planes, facets and cylinders of infinite mass, at rest or moving at a set velocity.

A sphere at a wall is a pair like any other, with the nearest point of the wall in place of the other centre and no
radius beside its own; every law works unchanged. What the spring remembers is the place of the sphere's centre relative
to the wall, because the nearest point runs along with the sphere.

A sphere over a mesh must feel each piece of it once. Facets are taken nearest first: one does not push if its nearest
point lies on a nearer facet (an edge or corner shared with it), nor if a nearer one pushes in nearly the same
direction. The second rule is for shallow folds seen from inside: there the sphere may stand over both faces, and a push
that began with the full overlap would be energy from nowhere; of two sides of a thin sheet it takes the near one.
Where contact passes from one facet to the next, the memory is handed on.
"""

from __future__ import annotations

from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.barrier import share
from repose.sim.engine.contacts.deepest_overlap import any_deeper, note_deepest_at_walls
from repose.sim.engine.contacts.kinematics import contact_between, shared_inertia
from repose.sim.engine.contacts.pair_blocks import begin_sums, columns, evaluate, forget_materials, look_up, to_line
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE, approach
from repose.sim.engine.workspace import BLOCK
from repose.sim.engine.world import LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS, MATERIAL_COUNT

__all__ = ["CYLINDER", "FACET", "PLANE", "book_walls", "move_walls", "wall_contact", "wall_forces"]

APART, NEAR, COVERED, ACTS = range(4)
"""How a sphere stands to a wall: not in touch; in touch, not yet decided; in touch, but another facet stands for it; it
pushes."""

SAME_POINT = 1e-9
"""Points of a mesh closer than this share of the radius are one point [-]."""

DEEPEST = 1e-6
"""A centre on or beyond a wall counts as this share of its radius in front of it [-]."""

ALIKE = 0.97
"""Of two facets that push in directions with at least this cosine only the nearer pushes [-]. A steeper fold, of 14° or
more, is entered from inside without a jump up to an overlap of 1/cos - 1 = 3 % of the radius."""

SAME_SIDE = 0.9
"""Contact memory passes between facets whose normals have at least this cosine [-]."""


@register_jitable
def find_gaps(touches, walls, radii, positions, first, last):
    """Gap and normal of these entries of the list, and whether they are in touch."""
    normals = arrays.rows(touches.normal, positions)
    for t in range(first, last):
        i = touches.sphere[t]
        gap, normal = approach(walls, touches.wall[t], arrays.at(positions, i))
        touches.gap[t] = gap
        arrays.put(normals, t, normal)
        touches.standing[t] = APART if gap >= radii[i] else NEAR


@register_jitable
def find_acting(touches, walls, radii, positions, first, last):
    """List those of these entries that push, in the order of the list, from `first` on; returns how many."""
    for t in range(first, last):
        if touches.standing[t] == NEAR:
            if walls.shape[touches.wall[t]] == FACET:
                decide_facets(touches, walls, radii, positions, touches.sphere[t])
            else:
                touches.standing[t] = ACTS
    acting = 0
    for t in range(first, last):
        if touches.standing[t] == ACTS:
            touches.acting[first + acting] = t
            acting += 1
            if touches.touching[t] == 0 and walls.shape[touches.wall[t]] == FACET:
                hand_on(touches, walls, positions, t)
    return acting


@register_jitable
def decide_facets(touches, walls, radii, positions, i):
    """Tell which of the facets that sphere i touches push, nearest first."""
    while True:
        nearest = -1
        for t in range(touches.begin[i], touches.begin[i + 1]):
            undecided = touches.standing[t] == NEAR and walls.shape[touches.wall[t]] == FACET
            if undecided and (nearest < 0 or touches.gap[t] < touches.gap[nearest]):
                nearest = t
        if nearest < 0:
            return
        covered = is_covered(touches, walls, radii, positions, nearest)
        touches.standing[nearest] = COVERED if covered else ACTS


@register_jitable
def is_covered(touches, walls, radii, positions, t):
    """Whether a facet decided before stands for entry t."""
    i = touches.sphere[t]
    normals = arrays.rows(touches.normal, positions)
    normal = arrays.at(normals, t)
    point = vector.sub(arrays.at(positions, i), vector.scale(touches.gap[t], normal))
    for s in range(touches.begin[i], touches.begin[i + 1]):
        decided = touches.standing[s] == ACTS or touches.standing[s] == COVERED
        if decided and walls.shape[touches.wall[s]] == FACET:
            if touches.standing[s] == ACTS and vector.dot(arrays.at(normals, s), normal) > ALIKE:
                return True
            apart, _ = approach(walls, touches.wall[s], point)
            if apart <= SAME_POINT * radii[i]:
                return True
    return False


@register_jitable
def hand_on(touches, walls, positions, t):
    """Give a facet touched for the first time the memory of a neighbour that the sphere is just leaving."""
    normals = arrays.rows(touches.normal, positions)
    i = touches.sphere[t]
    for s in range(touches.begin[i], touches.begin[i + 1]):
        leaving = touches.standing[s] == APART or touches.standing[s] == COVERED
        leaving &= touches.touching[s] > 0 and walls.shape[touches.wall[s]] == FACET
        if leaving and vector.dot(arrays.at(normals, s), arrays.at(normals, t)) > SAME_SIDE:
            for c in range(touches.anchor.shape[0]):
                touches.anchor[c, t] = touches.anchor[c, s]
            touches.touching[t] = 1


@register_jitable
def wall_contact(world, t, properties, params, position_like, spin_like, duration):
    """The kinematics of entry t of the list, and the memory it starts with."""
    touches = world.touches
    walls = world.walls
    dimension = len(position_like)
    i = touches.sphere[t]
    w = touches.wall[t]
    x = arrays.at(arrays.level(world.motion, 0, 0, position_like), i)
    velocity = arrays.at(arrays.level(world.motion, 0, 1, position_like), i)
    spin = arrays.at(arrays.level(world.motion, dimension, 1, spin_like), i)
    gap, normal = approach(walls, w, x)
    radius = world.radius[i]
    return contact_between(
        vector.scale(max(gap, DEEPEST * radius), normal),
        vector.sub(x, arrays.row_at(walls.moved, w, position_like)),
        vector.sub(velocity, arrays.row_at(walls.velocity, w, position_like)),
        vector.scale(radius, spin),
        vector.scale(0.5, spin),
        spin,
        arrays.at(arrays.rows(touches.anchor, position_like), t),
        float(touches.touching[t]),
        radius,
        radius,
        world.mass[i],
        shared_inertia(world.mobility[dimension, i] if len(spin_like) > 0 else 0.0),
        1.0,
        properties(params, world.material[i] * world.counters[MATERIAL_COUNT] + walls.material[w]),
        duration,
        1.0,
    )


@register_jitable
def wall_forces(world, law, properties, rules, params, position_like, spin_like, material_like, duration, gentle, part):
    """Add the forces of walls on this thread's spheres to `world.force` and advance their memory; `book_walls` does the
    rest."""
    touches = world.touches
    walls = world.walls
    radii = world.radius
    buffer = world.crew.buffer[part]
    buffer = buffer[to_line(buffer) :]
    dimension = len(position_like)
    at = columns(dimension, len(spin_like), len(material_like))
    positions = arrays.level(world.motion, 0, 0, position_like)
    velocities = arrays.level(world.motion, 0, 1, position_like)
    spins = arrays.level(world.motion, dimension, 1, spin_like)
    forces = arrays.rows(world.force, position_like)
    torques = arrays.rows(world.force[dimension:], spin_like)
    normals = arrays.rows(touches.normal, position_like)
    memory = arrays.rows(touches.anchor, position_like)
    pushes = arrays.rows(touches.push, position_like)
    first_sphere, last_sphere = share(radii.size, part, world.crew.tally.shape[0])
    begin = touches.begin[first_sphere]
    end = touches.begin[last_sphere]
    forget_materials(buffer, at)
    deepest = world.crew.deepest[1, part]
    find_gaps(touches, walls, radii, positions, begin, end)
    acting = find_acting(touches, walls, radii, positions, begin, end)
    for first in range(begin, begin + acting, BLOCK):
        size = min(BLOCK, begin + acting - first)
        begin_sums(buffer, at)  # of one contact each
        for k in range(size):
            t = touches.acting[first + k]
            i = touches.sphere[t]
            w = touches.wall[t]
            radius = radii[i]
            spin = arrays.at(spins, i)
            normal = arrays.at(normals, t)
            place = vector.sub(arrays.at(positions, i), arrays.row_at(walls.moved, w, position_like))
            velocity = vector.sub(arrays.at(velocities, i), arrays.row_at(walls.velocity, w, position_like))
            kind = world.material[i] * world.counters[MATERIAL_COUNT] + walls.material[w]
            arrays.save(buffer, at.branch, BLOCK, k, vector.scale(max(touches.gap[t], DEEPEST * radius), normal))
            arrays.save(buffer, at.velocity, BLOCK, k, velocity)
            arrays.save(buffer, at.memory, BLOCK, k, arrays.at(memory, t))
            arrays.save(buffer, at.place, BLOCK, k, place)
            if len(material_like) > 0:
                look_up(buffer, at, k, properties, params, kind)
            arrays.save(buffer, at.spin_i, BLOCK, k, spin)
            arrays.save(buffer, at.spin_j, BLOCK, k, vector.scale(0.0, spin))
            buffer[arrays.spot(at.radius_sum, BLOCK, k)] = radius
            buffer[arrays.spot(at.effective_radius, BLOCK, k)] = radius
            buffer[arrays.spot(at.radius_i, BLOCK, k)] = radius
            buffer[arrays.spot(at.radius_j, BLOCK, k)] = 0.0
            buffer[arrays.spot(at.effective_mass, BLOCK, k)] = world.mass[i]
            buffer[arrays.spot(at.held, BLOCK, k)] = 1.0
            buffer[arrays.spot(at.touching, BLOCK, k)] = touches.touching[t]
            if len(spin_like) > 0:
                buffer[arrays.spot(at.effective_inertia, BLOCK, k)] = shared_inertia(world.mobility[dimension, i])

        evaluate(
            buffer,
            size,
            law,
            rules,
            params,
            position_like,
            spin_like,
            position_like,
            material_like,
            duration,
            gentle,
        )

        if any_deeper(buffer, at, size, deepest, 1.0):
            note_deepest_at_walls(deepest, world, buffer, at, positions, normals, touches.acting[first : first + size])
        for k in range(size):
            t = touches.acting[first + k]
            i = touches.sphere[t]
            force = arrays.load(buffer, at.velocity, BLOCK, k, position_like)
            arrays.deposit(forces, i, force)
            arrays.put(pushes, t, force)
            touches.heat[0, t] = buffer[arrays.spot(at.damping, BLOCK, k)]
            touches.heat[1, t] = buffer[arrays.spot(at.friction, BLOCK, k)]
            arrays.deposit(torques, i, arrays.load(buffer, at.spin_i, BLOCK, k, spin_like))
            arrays.put(memory, t, arrays.load(buffer, at.memory, BLOCK, k, position_like))
            touches.normal_force[t] = buffer[arrays.spot(at.effective_mass, BLOCK, k)]
    for t in range(begin, end):
        acts = touches.standing[t] == ACTS
        touches.touching[t] = 1 if acts else 0
        if not acts:
            touches.normal_force[t] = 0.0


@register_jitable
def book_walls(ledger, touches, walls, count, duration):
    """Sum up what spheres do to each wall, and what walls do to the ledger, in the order of the list."""
    walls.force[:] = 0.0
    damping = 0.0
    friction = 0.0
    work = 0.0
    for t in range(count):
        if touches.standing[t] != ACTS:
            continue
        w = touches.wall[t]
        for c in range(walls.force.shape[1]):
            walls.force[w, c] -= touches.push[c, t]
            work += touches.push[c, t] * walls.velocity[w, c]
        damping += touches.heat[0, t]
        friction += touches.heat[1, t]
    # A lane of their own: pairs begin at the first.
    ledger[LEDGER_DAMPING, BLOCK - 1] += duration * damping
    ledger[LEDGER_FRICTION, BLOCK - 1] += duration * friction
    ledger[LEDGER_WALLS, 0] += duration * work


@register_jitable
def move_walls(walls, dt):
    """Move the walls by one step."""
    for w in range(walls.shape.size):
        for c in range(walls.moved.shape[1]):
            walls.moved[w, c] += dt * walls.velocity[w, c]

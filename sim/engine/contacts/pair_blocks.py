"""A block of contacts evaluated together: one flat buffer, one column per quantity.

Contacts are gathered into columns, the law is evaluated over whole columns, and the results are scattered. The
evaluation has no branch and accesses a single array at constant distances: the compiler can use wide registers. With
one array per quantity the compiler would have to prove that no two overlap, and would not vectorise. Results overwrite
inputs, which keeps a block in the first-level cache.
"""

from __future__ import annotations

from typing import NamedTuple

from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import (
    PairMotion,
    PairProperties,
    ShearMemory,
    at_last_overlap,
    contact_between,
    counted_share,
    force_of,
    relaxed,
    shortened,
)
from repose.sim.engine.jit import compilable, overload
from repose.sim.engine.model import Stage
from repose.sim.engine.roots import inverse_root
from repose.sim.engine.workspace import BLOCK, Floats

LANES = 8
"""Numbers in the widest vector registers."""
FAR = 1e9
"""Distance at which no two spheres touch [m]."""


class Columns(NamedTuple):
    """First column of each quantity in the buffer; vectors take one column per component.

    Inputs come first. Outputs have names of their own and overwrite inputs that the law has read already. Without
    rotation the sum of the radii and the effective radius are inputs, with rotation both radii are.
    """

    branch: int
    """[m]."""
    velocity: int
    """Relative velocity of the centres [m/s]."""
    shear_spring: int
    """Contact memory before and after this evaluation [m]."""
    position: int
    """Position relative to the wall [m], at walls without rotation only."""
    displacement: int
    """Change of x_i - x_j since the last evaluation [m]; with rotation in the columns of `place`. Between two spheres
    without rotation x_i - x_j at the last evaluation."""
    radius_sum: int
    effective_radius: int
    effective_mass: int
    effective_inertia: int
    fixed: int
    touching: int
    """1.0 if the contact touched at the previous evaluation, else 0.0."""
    damping: int
    """Power of damping, summed over all blocks for each position in a block [W]."""
    friction: int
    """Work done on friction springs since the last evaluation, summed in the same way [J]."""
    stiffening: int
    """Energy that friction springs lose as their stiffness changes, summed in the same way [J]; only of laws with
    varying stiffness."""
    material_pair: int
    """Pair of materials of each contact."""
    known: int
    """Pair of materials whose properties are in the columns of `material`."""
    per_distance: int
    """1/|branch| [1/m], computed for the whole block before the law."""
    radius_i: int
    spin_i: int
    radius_j: int
    spin_j: int
    """With rotation each spin is in the columns after the radius."""
    rotation_i: int
    rotation_j: int
    """Rotation since the last evaluation [rad]."""
    material: int
    """The last columns: the positions of all others do not depend on the law."""
    overlap: int
    """Output [m], in place of `touching`; positive when touching."""
    force: int
    """Output: force on i [N], in place of the velocity."""
    normal_force: int
    """Output [N], in place of the effective mass."""
    torque_i: int
    """Output: torque on i [N m], in place of its spin."""
    torque_j: int
    """Output: torque on j [N m], in place of its spin."""
    lasting: int
    """Output of laws that act at a distance, in place of `fixed`: 1.0 if the contact memory lasts, else 0.0."""


@compilable
def columns(dimension, turning):
    """The layout for `dimension` components of position and `turning` components of spin."""
    vectors = 3 * dimension
    scalars = (4 if turning > 0 else 5) * dimension
    spins = scalars + 12
    velocity, effective_mass, fixed, touching = dimension, scalars + 2, scalars + 4, scalars + 5
    return Columns(
        branch=0,
        velocity=velocity,
        shear_spring=2 * dimension,
        position=vectors,
        displacement=scalars - dimension,
        radius_sum=scalars,
        effective_radius=scalars + 1,
        effective_mass=effective_mass,
        effective_inertia=scalars + 3,
        fixed=fixed,
        touching=touching,
        damping=scalars + 6,
        friction=scalars + 7,
        stiffening=scalars + 8,
        material_pair=scalars + 9,
        known=scalars + 10,
        per_distance=scalars + 11,
        radius_i=spins,
        spin_i=spins + 1,
        radius_j=spins + turning + 1,
        spin_j=spins + turning + 2,
        rotation_i=spins + 2 * turning + 2,
        rotation_j=spins + 3 * turning + 2,
        material=spins + 4 * turning + 2,
        overlap=touching,
        force=velocity,
        normal_force=effective_mass,
        torque_i=spins + 1,
        torque_j=spins + turning + 2,
        lasting=fixed,
    )


@compilable
def columns_of(shapes):
    """The layout for vectors of these lengths."""
    return columns(len(shapes.position), len(shapes.spin))


def columns_from(first, like):
    """The columns of the components of a vector."""
    return tuple(first + c for c in range(len(like)))


@overload(columns_from)
def _columns_from(first, like):
    return {2: lambda first, like: (first, first + 1), 3: lambda first, like: (first, first + 1, first + 2)}[len(like)]


@compilable
def copy_column(target, source):
    """Copy all of `source` to the beginning of `target`; slices compile to wide moves, offsets do not."""
    for k in range(source.size):
        target[k] = source[k]


def copy_columns(targets, sources, first, last):
    """Copy the entries first to last - 1 of several columns."""
    for target, source in zip(targets, sources, strict=True):
        copy_column(target[first:last], source[first:last])


@overload(copy_columns, forceinline=True)
def _copy_columns(targets, sources, first, last):
    def copy(targets, sources, first, last):
        copy_column(targets[0][first:last], sources[0][first:last])
        copy_columns(targets[1:], sources[1:], first, last)

    return copy if len(targets) > 0 else lambda targets, sources, first, last: None


@compilable
def to_line(buffer):
    """Number of entries before the first cache line begins; a read across two lines costs half as much again."""
    return (-buffer.ctypes.data % 64) // 8


@compilable
def forget_materials(buffer, at):
    """Mark the materials in the block as unknown, because the numbers of the law may have changed, and all contacts as
    being between spheres of the first material."""
    arrays.fill_row(buffer, at.known, BLOCK, -1.0)
    arrays.fill_row(buffer, at.material_pair, BLOCK, 0.0)


@compilable(forceinline=True)
def set_materials(buffer, at, size, law):
    """Write the materials of contacts, except where the block already has those of the same pair of materials."""
    kinds = buffer[at.material_pair * BLOCK : at.material_pair * BLOCK + size]
    known = buffer[at.known * BLOCK : at.known * BLOCK + size]
    different = 0
    for k in range(kinds.size):  # in wide registers
        different += 1 if kinds[k] != known[k] else 0
    if different == 0:
        return
    for k in range(size):
        kind = buffer[arrays.index(at.material_pair, BLOCK, k)]
        if buffer[arrays.index(at.known, BLOCK, k)] != kind:
            buffer[arrays.index(at.known, BLOCK, k)] = kind
            arrays.write_block(buffer, at.material, BLOCK, k, law.material(law.params, int(kind)))


@compilable(forceinline=True)
def pad_block(buffer, at, size, dimension, turning):
    """Pad the block with pairs of distant spheres to whole registers; returns the number of contacts with padding.

    Compiled code processes the rest of a loop one by one, at several times the cost.
    """
    full = (size + LANES - 1) // LANES * LANES
    for k in range(size, full):
        for c in range(dimension):
            buffer[arrays.index(at.branch + c, BLOCK, k)] = FAR
            buffer[arrays.index(at.displacement + c, BLOCK, k)] = 0.0 if turning else FAR  # it has not moved
        buffer[arrays.index(at.touching, BLOCK, k)] = 0.0
        buffer[arrays.index(at.radius_i, BLOCK, k)] = 1.0  # the radius of a wall is 0
        buffer[arrays.index(at.radius_j, BLOCK, k)] = 1.0
        buffer[arrays.index(at.effective_mass, BLOCK, k)] = 1.0  # overwrites the normal force of a previous contact
    return full


def contacts_with_padding(buffer, at, size, dimension, turning):
    """Number of contacts in the block to evaluate. In plain Python, which evaluates one after the other, nothing is
    padded."""
    return size


@overload(contacts_with_padding, forceinline=True)
def _contacts_with_padding(buffer, at, size, dimension, turning):
    return lambda buffer, at, size, dimension, turning: pad_block(buffer, at, size, dimension, turning)


@compilable
def clear_sums(buffer, at, needs_stiffening):
    """Set the columns that are summed for the energy ledger to zero."""
    arrays.fill_row(buffer, at.damping, BLOCK, 0.0)
    arrays.fill_row(buffer, at.friction, BLOCK, 0.0)
    if needs_stiffening > 0:
        arrays.fill_row(buffer, at.stiffening, BLOCK, 0.0)


@compilable
def column_sum(buffer, column):
    """The sum of one column, in an order that compiles to wide registers; overwrites the column."""
    width = BLOCK // 2
    while width > 0:
        low = buffer[column * BLOCK : column * BLOCK + width]
        high = buffer[column * BLOCK + width : column * BLOCK + 2 * width]
        for k in range(width):
            low[k] += high[k]
        width //= 2
    return buffer[column * BLOCK]


class Block(NamedTuple):
    """Arguments of the evaluation of a law, the only part of the loops over contacts that depends on the law."""

    buffer: Floats
    size: int
    """Number of contacts."""
    full: int
    """Number of contacts with padding."""
    params: int
    """Address (repose.sim.engine.packed) of the numbers that the law reads."""
    stage: Stage


@compilable(forceinline=True)
def evaluate_block(block, law, shapes, place_like, material_like):
    """Evaluate the law for a block; `material_like` is `shapes.material`. Returns 0."""
    if len(material_like) > 0:
        set_materials(block.buffer, columns_of(shapes), block.size, law)
    evaluate(block.buffer, block.full, law, shapes, place_like, shapes.reach, shapes.stiffening, block.stage)
    return 0


@compilable(forceinline=True)
def evaluate(buffer, size, law, shapes, place_like, reach_like, stiffening_like, stage):
    """Evaluate the law for the first `size` contacts of the buffer, whose layout is `Columns`.

    `place_like` is a vector at walls and empty between spheres, whose place is the branch; `reach_like` and
    `stiffening_like` are the fields of `shapes`.
    """
    at = columns_of(shapes)
    turning = len(shapes.spin) > 0
    at_wall = len(place_like) > 0
    per_dt = 1.0 / stage.dt if stage.dt > 0.0 else 0.0  # one division per block
    if invert_distances(buffer, at, size, shapes) > 0:
        begin_contacts(buffer, at, size, shapes, place_like)
    for k in range(size):
        branch = arrays.read_block(buffer, at.branch, BLOCK, k, shapes.position)
        radius_i = buffer[arrays.index(at.radius_i, BLOCK, k)]
        radius_j = buffer[arrays.index(at.radius_j, BLOCK, k)]
        radius_sum = radius_sum_in(buffer, at, k, turning)
        per_sum = 1.0 / radius_sum
        given = buffer[arrays.index(at.effective_radius, BLOCK, k)]
        effective_radius = given if at_wall or not turning else radius_i * radius_j * per_sum
        spin_i = arrays.read_block(buffer, at.spin_i, BLOCK, k, shapes.spin)
        spin_j = arrays.read_block(buffer, at.spin_j, BLOCK, k, shapes.spin)
        turned_i = arrays.read_block(buffer, at.rotation_i, BLOCK, k, shapes.spin)
        turned_j = arrays.read_block(buffer, at.rotation_j, BLOCK, k, shapes.spin)
        displacement = displacement_in(buffer, at, k, branch, turning or at_wall)
        rolling = vector.add(vector.scale(radius_i, turned_i), vector.scale(radius_j, turned_j))
        rotation = vector.scale(0.5, vector.add(turned_i, turned_j))
        motion = PairMotion(
            branch,
            buffer[arrays.index(at.per_distance, BLOCK, k)],
            vector.either(arrays.read_block(buffer, at.position, BLOCK, k, place_like), branch),
            arrays.read_block(buffer, at.velocity, BLOCK, k, shapes.position),
            vector.add(vector.scale(radius_i, spin_i), vector.scale(radius_j, spin_j)),
            vector.sub(spin_i, spin_j),
            displacement,
            rolling,
            rotation,
            0.0 if at_wall else 1.0,
        )
        pair = PairProperties(
            radius_sum,
            effective_radius,
            buffer[arrays.index(at.effective_mass, BLOCK, k)],
            buffer[arrays.index(at.effective_inertia, BLOCK, k)],
            buffer[arrays.index(at.fixed, BLOCK, k)],
            arrays.read_block(buffer, at.material, BLOCK, k, shapes.material),
        )
        spring = arrays.read_block(buffer, at.shear_spring, BLOCK, k, shapes.position)
        memory = ShearMemory(spring, buffer[arrays.index(at.touching, BLOCK, k)])
        contact, start = contact_between(motion, pair, memory, stage)
        answer = law.force(law.params, contact)
        force = force_of(contact, answer)
        torque = vector.torque(vector.scale(per_sum, branch), force, shapes.spin)
        torque_i = vector.sub(answer.torque, vector.scale(radius_i, torque))
        torque_j = vector.scale(-1.0, vector.add(answer.torque, vector.scale(radius_j, torque)))
        spring = relaxed(start, contact, answer.spring_relaxation)
        arrays.write_block(buffer, at.force, BLOCK, k, force)
        arrays.write_block(buffer, at.shear_spring, BLOCK, k, spring)
        arrays.write_block(buffer, at.torque_i, BLOCK, k, torque_i)
        arrays.write_block(buffer, at.torque_j, BLOCK, k, torque_j)
        buffer[arrays.index(at.overlap, BLOCK, k)] = contact.overlap
        buffer[arrays.index(at.normal_force, BLOCK, k)] = answer.normal_force
        buffer[arrays.index(at.damping, BLOCK, k)] += answer.damping_power
        share = 1.0 - contact.overlap * per_sum if turning else 1.0
        buffer[arrays.index(at.friction, BLOCK, k)] += share * answer.friction_work
        if len(reach_like) > 0:
            lasting = law.lasts(law.params, contact)
            buffer[arrays.index(at.lasting, BLOCK, k)] = lasting
            stored, sheared = law.energy(law.params, contact)
            released_energy = memory.touching * (1.0 - lasting) * (stored + sheared)
            buffer[arrays.index(at.damping, BLOCK, k)] += released_energy * per_dt
        if len(stiffening_like) > 0:
            work, lost = by_stiffening(law, contact, answer.spring_relaxation)
            buffer[arrays.index(at.friction, BLOCK, k)] += share * work
            buffer[arrays.index(at.stiffening, BLOCK, k)] += share * lost


@compilable(forceinline=True)
def radius_sum_in(buffer, at, k, turning):
    """R_i + R_j of contact k [m]."""
    if turning:
        return buffer[arrays.index(at.radius_i, BLOCK, k)] + buffer[arrays.index(at.radius_j, BLOCK, k)]
    return buffer[arrays.index(at.radius_sum, BLOCK, k)]


@compilable(forceinline=True)
def displacement_in(buffer, at, k, branch, moved):
    """Displacement of contact k since the last evaluation [m]: if `moved`, the column of that name, otherwise the
    present minus the last branch, which the column then contains."""
    column = arrays.read_block(buffer, at.displacement, BLOCK, k, branch)
    return column if moved else vector.sub(branch, column)


@compilable(forceinline=True)
def invert_distances(buffer, at, size, shapes):
    """Write 1/|branch| of the first `size` contacts; returns how many of them touch for the first time.

    This loop is separate from the law: the iterations for one root depend on each other, and a processor overlaps more
    of these short loop bodies than of the long ones of the law.
    """
    begun = 0
    for k in range(size):
        branch = arrays.read_block(buffer, at.branch, BLOCK, k, shapes.position)
        square = vector.dot(branch, branch)
        per_distance = inverse_root(square)
        buffer[arrays.index(at.per_distance, BLOCK, k)] = per_distance
        overlap = radius_sum_in(buffer, at, k, len(shapes.spin) > 0) - square * per_distance
        begun += 1 if overlap > 0.0 and buffer[arrays.index(at.touching, BLOCK, k)] == 0.0 else 0
    return begun


@compilable
def begin_contacts(buffer, at, size, shapes, place_like):
    """Replace the displacement and the rotations of contacts that begin by their share after first touch.

    Few blocks have such a contact: all others save a division per contact.
    """
    turning = len(shapes.spin) > 0
    moved = turning or len(place_like) > 0
    for k in range(size):
        branch = arrays.read_block(buffer, at.branch, BLOCK, k, shapes.position)
        touching = buffer[arrays.index(at.touching, BLOCK, k)]
        per_distance = buffer[arrays.index(at.per_distance, BLOCK, k)]
        radius_sum = radius_sum_in(buffer, at, k, turning)
        if touching == 0.0 and radius_sum - vector.dot(branch, branch) * per_distance > 0.0:
            displacement = displacement_in(buffer, at, k, branch, moved)
            share = counted_share(touching, branch, per_distance, displacement, radius_sum)
            counted = vector.scale(share, displacement)
            arrays.write_block(buffer, at.displacement, BLOCK, k, counted if moved else vector.sub(branch, counted))
            for rotation in (at.rotation_i, at.rotation_j):
                turned = arrays.read_block(buffer, rotation, BLOCK, k, shapes.spin)
                arrays.write_block(buffer, rotation, BLOCK, k, vector.scale(share, turned))


@compilable(forceinline=True)
def by_stiffening(law, contact, relaxation):
    """Work on a friction spring whose stiffness K follows the overlap, in addition to `Response.friction_work`, and
    energy that the spring loses without work, since the last evaluation [J].

    K' = K - dK and the displacement xi' are those of the last evaluation, xi those of this one, s is the slip. The mean
    of both forces does the work (K' xi' + K xi) s/2: `Response.friction_work`, which has K in place of K', minus
    dK xi' s/2. Of this work the energy K xi²/2 of a spring that does not slide stores all but -dK xi' xi/2, a sum of
    second order for -∫ xi² dK/2.
    """
    change = law.stiffness(law.params, contact)[1] - law.stiffness(law.params, at_last_overlap(contact))[1]
    last = vector.sub(contact.shear, contact.slip)
    present = shortened(contact.shear, relaxation)
    return -0.5 * change * vector.dot(last, contact.slip), -0.5 * change * vector.dot(last, present)

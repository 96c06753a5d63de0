"""The list of spheres near walls: every sphere and wall closer than touching + skin.

Spheres near a facet are searched in the cells that its box covers, which are sorted for the pairs already. The cost of
a mesh of many small facets therefore grows with the number of cells at its surface. For planes, cylinders and large
facets all spheres are tested. Only entries in contact have a history. During a rebuild the history is in a buffer, as a
chain per sphere, which is short because a sphere touches few walls.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.wall_geometry import FACET, PLANE, approach
from repose.sim.engine.jit import compilable
from repose.sim.engine.neighbours.cell_list import Cells, bucket_of
from repose.sim.engine.roots import TINY
from repose.sim.engine.world import WALL_CONTACT_COUNT, World

CELL_COST = 2.0
"""Cost of searching a cell, in units of the cost of testing a sphere [-]."""


class WallListing(NamedTuple):
    """Arguments of `refresh_wall_list`: a world whose spheres have been sorted into cells."""

    world: World
    cells: Cells


@compilable(forceinline=True)
def wall_listing(world, cells):
    """The argument of `refresh_wall_list`."""
    return WallListing(world, cells)


@compilable
def refresh_wall_list(tables, position_like):
    """Rebuild the list with its contact history; returns 1, or 0 if the list is full."""
    world = tables.world
    wall_contacts = world.wall_contacts
    search = world.workspace.search
    gap = world.search.reach[0] + world.search.skin[0]
    buffer = world.workspace.wall_buffer
    counters = world.counters
    kept = save_history(buffer, search.wall_head, counters[WALL_CONTACT_COUNT], wall_contacts)
    positions = arrays.level(world.motion, 0, 0, position_like)
    inverse_mass = world.inverse_mass[0]
    count = find_wall_contacts(
        wall_contacts, world.walls, search, positions, world.radius, inverse_mass, tables.cells, gap
    )
    if count < 0:
        counters[WALL_CONTACT_COUNT] = restore_contacts(buffer, kept, wall_contacts)
        return 0
    counters[WALL_CONTACT_COUNT] = count
    sort_by_sphere(wall_contacts, world.workspace.wall_contacts.begin, buffer, count)
    copy_history(buffer, search.wall_head, kept, count, wall_contacts)
    return 1


@compilable
def sort_by_sphere(wall_contacts, begin, buffer, count):
    """Sort the list by sphere (counting sort, stable), and write where each sphere begins; the list is written in the
    order of walls."""
    spheres = buffer.sorted_sphere
    walls = buffer.sorted_wall
    begin[:] = 0
    for t in range(count):
        begin[wall_contacts.sphere[t] + 1] += 1
    for i in range(begin.size - 1):
        begin[i + 1] += begin[i]
    for back in range(count):
        t = count - 1 - back
        i = wall_contacts.sphere[t]
        begin[i + 1] -= 1
        spheres[begin[i + 1]] = i
        walls[begin[i + 1]] = wall_contacts.wall[t]
    # The backward pass has shifted every beginning by one sphere.
    for i in range(begin.size - 1):
        begin[i] = begin[i + 1]
    begin[begin.size - 1] = count
    for t in range(count):
        wall_contacts.sphere[t] = spheres[t]
        wall_contacts.wall[t] = walls[t]


@compilable
def find_wall_contacts(wall_contacts, walls, search, positions, radii, inverse_mass, cells, skin):
    """Write every sphere closer to a wall than `skin` [m], in the order of walls; returns their number, or -1 if the
    list is full."""
    cell = search.cell
    order = search.order
    span = search.box_cells
    deep = cell.shape[0] - 1
    flat = cell.shape[0] == 2
    count = 0
    for w in range(walls.shape.size):
        by_cells = box_of_wall(search, walls, w)
        if by_cells:
            number = 0.0
            for kind in range(cells.kinds):
                number += cells_of_box(search, cells.largest[kind] + skin, cells.size[kind])
            by_cells = CELL_COST * number < radii.size
        low = arrays.read_row(search.box, 0, positions)
        high = arrays.read_row(search.box, 1, positions)
        normal = arrays.read_row(search.box, 2, positions)
        level = vector.dot(normal, arrays.read_row(search.box, 3, positions))
        nx, ny, nz = search.box[2, 0], search.box[2, 1], 0.0 if flat else search.box[2, deep]
        behind = walls.shape[w] == PLANE  # a plane also pushes back a sphere that has passed it
        if not by_cells:
            for i in range(radii.size):
                reach = radii[i] + skin
                center = arrays.at(positions, i)
                above = vector.dot(normal, center) - level
                near = above <= reach and (above >= -reach or behind) and not vector.outside(center, low, high, reach)
                if near and inverse_mass[i] > 0.0 and is_near(walls, w, center, reach):
                    count = append(wall_contacts.sphere, wall_contacts.wall, count, i, w)
            continue
        for kind in range(cells.kinds):
            start = search.bucket_start if kind == 0 else search.large_start
            mask = start.size - 2
            size = cells.size[kind]
            cells_of_box(search, cells.largest[kind] + skin, size)
            # In the box of a facet only cells near its plane are searched.
            thick = cells.largest[kind] + skin + 0.5 * math.sqrt(cell.shape[0]) * size
            for z in range(0 if flat else span[0, deep], 1 if flat else span[1, deep] + 1):
                for y in range(span[0, 1], span[1, 1] + 1):
                    for x in range(span[0, 0], span[1, 0] + 1):
                        if abs((nx * (x + 0.5) + ny * (y + 0.5) + nz * (z + 0.5)) * size - level) > thick:
                            continue
                        b = bucket_of(x, y, z, mask)
                        for slot in range(start[b], start[b + 1]):
                            i = order[slot]
                            reach = radii[i] + skin
                            center = arrays.at(positions, i)
                            near = abs(vector.dot(normal, center) - level) <= reach
                            near &= cell[0, i] == x and cell[1, i] == y and (flat or cell[deep, i] == z)
                            if near and inverse_mass[i] > 0.0 and is_near(walls, w, center, reach):
                                count = append(wall_contacts.sphere, wall_contacts.wall, count, i, w)
        if count < 0:
            return -1
    return count


@compilable(forceinline=True)
def is_near(walls, w, x, reach):
    """Whether the centre x is within `reach` of wall w."""
    gap, _ = approach(walls, w, x)
    return gap <= reach


@compilable
def append(spheres, walls, filled, i, w):
    """Append an entry; returns the new length, or -1 if the list is full or was full before."""
    if filled < 0 or filled == spheres.size:
        return -1
    spheres[filled] = i
    walls[filled] = w
    return filled + 1


@compilable
def box_of_wall(search, walls, w):
    """Compute box, normal and one corner of wall w; returns True if the box is bounded, as for facets only."""
    box = search.box
    corner = walls.corner
    if walls.shape[w] != FACET:
        for c in range(box.shape[1]):
            box[0, c] = -math.inf
            box[1, c] = math.inf
            box[2, c] = corner[w, 1, c] if walls.shape[w] == PLANE else 0.0
            box[3, c] = corner[w, 0, c] + walls.moved[w, c]
        return False
    deep = box.shape[1] - 1
    for c in range(box.shape[1]):
        low = min(corner[w, 0, c], corner[w, 1, c], corner[w, 2, c]) + walls.moved[w, c]
        high = max(corner[w, 0, c], corner[w, 1, c], corner[w, 2, c]) + walls.moved[w, c]
        box[0, c] = low
        box[1, c] = high
        box[3, c] = corner[w, 0, c] + walls.moved[w, c]
    ax, ay, az = corner[w, 1, 0] - corner[w, 0, 0], corner[w, 1, 1] - corner[w, 0, 1], 0.0
    bx, by, bz = 0.0, 0.0, 1.0
    if deep == 2:
        az = corner[w, 1, deep] - corner[w, 0, deep]
        bx, by = corner[w, 2, 0] - corner[w, 0, 0], corner[w, 2, 1] - corner[w, 0, 1]
        bz = corner[w, 2, deep] - corner[w, 0, deep]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    # A facet without area has no plane: the normal is zero, and the box alone bounds it.
    size = max(math.sqrt(nx * nx + ny * ny + nz * nz), TINY)
    box[2, 0] = nx / size
    box[2, 1] = ny / size
    if deep == 2:
        box[2, deep] = nz / size
    return True


@compilable
def cells_of_box(search, reach, size):
    """Find the cells of width `size` within `reach` [m] of the box of a wall; returns their number."""
    number = 1.0
    for c in range(search.box.shape[1]):
        first = math.floor((search.box[0, c] - reach) / size)
        last = math.floor((search.box[1, c] + reach) / size)
        number *= last - first + 1.0
        search.box_cells[0, c] = int(max(first, -1e18))
        search.box_cells[1, c] = int(min(last, 1e18))
    return number


@compilable
def save_history(buffer, head, count, wall_contacts):
    """Copy the history of entries in contact to the buffer, as a chain per sphere; returns their number."""
    head[:] = -1
    kept = 0
    for p in range(count):
        if wall_contacts.touching[p] == 0:
            continue
        buffer.first[kept] = wall_contacts.sphere[p]
        buffer.second[kept] = wall_contacts.wall[p]
        buffer.normal_force[kept] = wall_contacts.normal_force[p]
        for c in range(buffer.shear_spring.shape[0]):
            buffer.shear_spring[c, kept] = wall_contacts.shear_spring[c, p]
        buffer.following[kept] = head[wall_contacts.sphere[p]]
        head[wall_contacts.sphere[p]] = kept
        kept += 1
    return kept


@compilable
def copy_history(buffer, head, kept, count, wall_contacts):
    """Copy the history from the buffer to the same entries of the new list."""
    for p in range(count):
        wall_contacts.touching[p] = 0
        wall_contacts.normal_force[p] = 0.0
        q = head[wall_contacts.sphere[p]] if kept > 0 else -1
        while q >= 0 and buffer.second[q] != wall_contacts.wall[p]:
            q = buffer.following[q]
        if q >= 0:
            wall_contacts.touching[p] = 1
            wall_contacts.normal_force[p] = buffer.normal_force[q]
            for c in range(buffer.shear_spring.shape[0]):
                wall_contacts.shear_spring[c, p] = buffer.shear_spring[c, q]
        else:
            for c in range(buffer.shear_spring.shape[0]):
                wall_contacts.shear_spring[c, p] = 0.0


@compilable
def restore_contacts(buffer, kept, wall_contacts):
    """Write the entries in contact back to the list, because the new list did not fit; returns their number."""
    for q in range(kept):
        wall_contacts.sphere[q] = buffer.first[q]
        wall_contacts.wall[q] = buffer.second[q]
        wall_contacts.touching[q] = 1
        wall_contacts.normal_force[q] = buffer.normal_force[q]
        for c in range(buffer.shear_spring.shape[0]):
            wall_contacts.shear_spring[c, q] = buffer.shear_spring[c, q]
    return kept

"""The list of spheres near walls: every sphere and wall closer than touching + skin.

Facets look for spheres in the cells their box covers, sorted already for the pairs, so that a mesh of many small
facets costs as much as its surface has cells; planes, cylinders and large facets look at all spheres.
"""

from __future__ import annotations

import math

from numba.extending import register_jitable
from repose.sim.engine import arrays, vector
from repose.sim.engine.contacts.kinematics import TINY
from repose.sim.engine.contacts.wall_geometry import FACET, PLANE, approach
from repose.sim.engine.neighbours.cell_list import bucket_of
from repose.sim.engine.neighbours.wall_history import carry_over, restore, set_aside
from repose.sim.engine.world import TOUCH_COUNT

CELL_COST = 2.0
"""A look into a cell costs as much as so many looks at a sphere [-]."""


@register_jitable
def refresh_touches(
    touches, memory, counters, walls, search, motion, radii, mobility, position_like, cell_size, largest
):
    """Make the list anew, contact memory carried over; False if it does not fit."""
    kept = set_aside(memory, counters[TOUCH_COUNT], touches.sphere, touches.wall, touches)
    positions = arrays.level(motion, 0, 0, position_like)
    found = list_touches(touches, walls, search, positions, radii, mobility[0], cell_size, largest)
    if found < 0:
        counters[TOUCH_COUNT] = restore(memory, kept, touches.sphere, touches.wall, touches)
        return False
    counters[TOUCH_COUNT] = found
    sort_by_sphere(touches, memory, found)
    carry_over(memory, kept, found, touches.sphere, touches.wall, touches)
    return True


@register_jitable
def sort_by_sphere(touches, memory, count):
    """Bring the list, written wall by wall, into the order of spheres (counting sort, stable)."""
    begin = touches.begin
    spheres = memory.sorted_sphere
    walls = memory.sorted_wall
    begin[:] = 0
    for t in range(count):
        begin[touches.sphere[t] + 1] += 1
    for i in range(begin.size - 1):
        begin[i + 1] += begin[i]
    for back in range(count):
        t = count - 1 - back
        i = touches.sphere[t]
        begin[i + 1] -= 1
        spheres[begin[i + 1]] = i
        walls[begin[i + 1]] = touches.wall[t]
    # The backward pass has moved every beginning one sphere down.
    for i in range(begin.size - 1):
        begin[i] = begin[i + 1]
    begin[begin.size - 1] = count
    for t in range(count):
        touches.sphere[t] = spheres[t]
        touches.wall[t] = walls[t]


@register_jitable
def list_touches(touches, walls, search, positions, radii, mobility, cell_size, largest):
    """Write every sphere near a wall, wall by wall; returns how many, or -1 if they do not fit.

    Like all that is called from here, it is given the tables it needs: to hand over the whole world takes longer to
    compile than all the rest, and per sphere longer than the look.
    """
    cell = search.cell
    order = search.order
    start = search.bucket_start
    span = search.box_cells
    skin = search.skin[0]
    mask = start.size - 2
    deep = cell.shape[0] - 1
    flat = cell.shape[0] == 2
    found = 0
    for w in range(walls.shape.size):
        by_cells = box_of_wall(search, walls, w, largest + skin, cell_size, radii.size)
        low = arrays.row_at(search.box, 0, positions)
        high = arrays.row_at(search.box, 1, positions)
        normal = arrays.row_at(search.box, 2, positions)
        level = vector.dot(normal, arrays.row_at(search.box, 3, positions))
        # Of the cells in the box of a facet only those near its plane matter.
        thick = largest + skin + 0.5 * math.sqrt(cell.shape[0]) * cell_size
        nx, ny, nz = search.box[2, 0], search.box[2, 1], 0.0 if flat else search.box[2, deep]
        behind = walls.shape[w] == PLANE  # a sphere beyond a plane is pushed back
        if not by_cells:
            for i in range(radii.size):
                reach = radii[i] + skin
                center = arrays.at(positions, i)
                above = vector.dot(normal, center) - level
                near = above <= reach and (above >= -reach or behind) and not vector.outside(center, low, high, reach)
                if near and mobility[i] > 0.0 and is_near(walls, w, center, reach):
                    found = listed(touches.sphere, touches.wall, found, i, w)
            continue
        for z in range(0 if flat else span[0, deep], 1 if flat else span[1, deep] + 1):
            for y in range(span[0, 1], span[1, 1] + 1):
                for x in range(span[0, 0], span[1, 0] + 1):
                    if abs((nx * (x + 0.5) + ny * (y + 0.5) + nz * (z + 0.5)) * cell_size - level) > thick:
                        continue
                    b = bucket_of(x, y, z, mask)
                    for slot in range(start[b], start[b + 1]):
                        i = order[slot]
                        reach = radii[i] + skin
                        center = arrays.at(positions, i)
                        near = abs(vector.dot(normal, center) - level) <= reach
                        near &= cell[0, i] == x and cell[1, i] == y and (flat or cell[deep, i] == z)
                        if near and mobility[i] > 0.0 and is_near(walls, w, center, reach):
                            found = listed(touches.sphere, touches.wall, found, i, w)
        if found < 0:
            return -1
    return found


@register_jitable(forceinline=True)
def is_near(walls, w, x, reach):
    """Whether the centre x is within `reach` of wall w."""
    gap, _ = approach(walls, w, x)
    return gap <= reach


@register_jitable
def listed(spheres, walls, found, i, w):
    """Write an entry; returns the new length, -1 if the list is full or was."""
    if found < 0 or found == spheres.size:
        return -1
    spheres[found] = i
    walls[found] = w
    return found + 1


@register_jitable
def box_of_wall(search, walls, w, reach, cell_size, spheres):
    """Find box, normal and one corner of wall w, and the cells within `reach` of the box; True if looking into them is
    cheaper than looking at all spheres. Only facets are bounded."""
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
    cells = CELL_COST
    for c in range(box.shape[1]):
        low = min(corner[w, 0, c], corner[w, 1, c], corner[w, 2, c]) + walls.moved[w, c]
        high = max(corner[w, 0, c], corner[w, 1, c], corner[w, 2, c]) + walls.moved[w, c]
        first = math.floor((low - reach) / cell_size)
        last = math.floor((high + reach) / cell_size)
        cells *= last - first + 1.0
        box[0, c] = low
        box[1, c] = high
        box[3, c] = corner[w, 0, c] + walls.moved[w, c]
        search.box_cells[0, c] = int(max(first, -1e18))
        search.box_cells[1, c] = int(min(last, 1e18))
    ax, ay, az = corner[w, 1, 0] - corner[w, 0, 0], corner[w, 1, 1] - corner[w, 0, 1], 0.0
    bx, by, bz = 0.0, 0.0, 1.0
    if deep == 2:
        az = corner[w, 1, deep] - corner[w, 0, deep]
        bx, by = corner[w, 2, 0] - corner[w, 0, 0], corner[w, 2, 1] - corner[w, 0, 1]
        bz = corner[w, 2, deep] - corner[w, 0, deep]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    # A facet of no area has no plane: the box alone bounds it.
    size = max(math.sqrt(nx * nx + ny * ny + nz * nz), TINY)
    box[2, 0] = nx / size
    box[2, 1] = ny / size
    if deep == 2:
        box[2, deep] = nz / size
    return cells < spheres

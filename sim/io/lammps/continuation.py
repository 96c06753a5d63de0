"""A run for LAMMPS: a data file with the grains and an input script in which LAMMPS continues the experiment.

The script has the same masses, radii, velocities, contact law, walls, bodies, gravity, time and time step. The head of
the script lists differences in the formulas of LAMMPS and data that a data file cannot store (`Exported.notes`).
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.boundaries import images_of, in_cell, periodic_dimensions
from repose.sim.engine.contacts.kinematics import slip_mass
from repose.sim.engine.contacts.wall_geometry import CYLINDER
from repose.sim.engine.model import Model
from repose.sim.engine.timestep.stable_step import damping_fraction
from repose.sim.engine.world import LOWEST, PERIOD, World
from repose.sim.io.lammps.coefficients import COEFFICIENTS, WITHOUT_SPRINGS, Kinds, differences, kinds_of, needs_sizes
from repose.sim.io.lammps.in_scenes import IN_LAMMPS
from repose.sim.io.lammps.names import PLAYED, SEARCHED, SPIN, exact, head, row, search
from repose.sim.io.lammps.rigid_bodies import RigidBodies, bodies_of
from repose.sim.io.lammps.wall_motion import WallMotion
from repose.sim.io.lammps.wall_regions import ELAPSED, WrittenWalls, changes, commands, written
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws
from repose.sim.wording import path_text

DATA, BODIES, SCRIPT, DUMP = "grains.data", "bodies.txt", "continue.in", "grains.lammpstrj"
FRAMES_PER_SECOND = 100
"""Frames of the dump in one second of simulated time."""
LONGEST_TIME = 2.0
"""Simulated time that the script continues [s]; its first line changes the number of steps."""
MARGIN = 5.0
"""Initial distance of the box from the grains, in radii of the largest sphere; later the box follows the grains."""


class Continued(NamedTuple):
    """What LAMMPS continues."""

    scene: str
    law: str
    parameters: Any
    """Values that the law reads."""
    model: Model
    world: World
    step: int
    time: float
    """[s]."""
    dt: float
    """[s]."""
    gravity: tuple[float, ...]
    """On the table as it is turned now [m/s²]."""
    driven: tuple[int, ...] = ()
    """Rows of the walls that follow curves."""
    motion: WallMotion = None
    """How the scene moves its walls."""
    machines: tuple[int, ...] = ()
    """Rows of the bodies that the scene drives."""
    stretched: float = 0.0
    """Forces of friction springs over normal forces, sums over all contacts [-]."""


class Exported(NamedTuple):
    """The texts of the files."""

    data: str
    bodies: str
    """Empty for a run without bodies."""
    setup: tuple[str, ...]
    """The script without its head, output and run: LAMMPS is then at the state of the run."""
    output: tuple[str, ...]
    notes: tuple[str, ...]
    """What the head of the script says, one sentence each, differences included."""
    radius: float
    """Radius of grains of type 1, for which their coefficients are [m]."""
    differences: tuple[str, ...]
    """Differences of forces, walls and bodies from those of the run; without any the export is exact."""

    @property
    def script(self) -> str:
        """The input script."""
        return (
            "\n".join([*(f"# {note}" for note in self.notes), "", self.output[0], "", *self.setup, *self.output[1:]])
            + "\n"
        )

    @property
    def commands(self) -> str:
        """The script without its dump and its run."""
        return "\n".join(self.setup)

    @property
    def files(self) -> dict[str, str]:
        """Texts by the names of their files."""
        return {DATA: self.data, SCRIPT: self.script} | ({BODIES: self.bodies} if self.bodies else {})


def write_files(exported: Exported, folder: Path) -> None:
    """Write the texts to a new folder; raises `ParameterError` if it exists, and `OSError`. Unfinished files are
    removed: LAMMPS would read a part of the grains."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ParameterError(f"{path_text(folder)} exists already: name a new folder.") from None
    try:
        for name, text in exported.files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except BaseException:
        shutil.rmtree(folder)
        raise


def lammps_files(state: Continued) -> Exported:
    """The files for a run at its present state; raises `ParameterError` for what LAMMPS cannot continue."""
    law, parameters, model, world, dt = state.law, state.parameters, state.model, state.world, state.dt
    if law not in COEFFICIENTS:
        raise ParameterError(
            f"The contact law '{law}' has no counterpart in LAMMPS: export a run with {', '.join(COEFFICIENTS)}."
        )
    if not world.sphere_count:
        raise ParameterError("The run has no grains yet: export it after some have been poured.")
    for table, what in ((world.bonds, "bonds"), (model.fields, "fields")):
        if table:
            raise ParameterError(f"The run has {what}, which this export does not write: export a run without them.")
    numbers = laws()[law].coefficients(parameters)
    kinds = kinds_of(world, needs_sizes(law, parameters))
    of_law = tuple(differences(law, parameters, numbers, kinds, world, model.rotation))
    bodies = bodies_of(world, model.integrator.velocity_lead * dt, state.machines) if world.bodies else None
    walls = written(world.walls, model.dimension, world.motion[: model.dimension, 0].T[~world.fixed], state.motion)
    differ = (*of_law, *walls.differences, *_curved(state), *_not_continued(state))

    stopping = damping_fraction(model.integrator) * slip_mass(1.0, (0.0,) * model.spin_length) / dt

    def style(pair: Any) -> str:
        return COEFFICIENTS[law](parameters, numbers, pair, stopping)

    pairs = [
        f"pair_coeff {a} {b} {style(kinds.pair(first, second))}"
        for a, first in enumerate(kinds.kinds, 1)
        for b, second in enumerate(kinds.kinds, 1)
        if a <= b
    ]
    radius = float(world.radius[~world.fixed].mean() if not world.fixed.all() else world.radius.mean())
    with_bodies = bool(bodies and bodies.molecule.any())
    # At step 0 LAMMPS gives no region a velocity.
    step = max(state.step, 1) if changes(walls.parts, state.motion) else state.step
    setup = [
        *head(model.dimension, periodic_dimensions(world.boundary).tolist()),
        *(["atom_modify map yes", "fix grain all property/atom mol ghost yes"] if with_bodies else []),
        f"read_data {DATA}{' fix grain NULL Molecules' if with_bodies else ''}",
        f"timestep {exact(dt)}",
        f"reset_timestep {step} time {exact(state.time)}",
        f"group held type {kinds.types(True)}" if kinds.types(True) else "group held empty",
        f"group grains type {kinds.types(False)}" if kinds.types(False) else "group grains empty",
        "",
        "pair_style granular",
        *pairs,
        "",
        search(radius),
        f"{SEARCHED} exclude group held held",
        "compute ke grains ke",  # no temperature: it is refused where rigid bodies leave few degrees of freedom
        "thermo_style custom step time c_ke",
        *_motion(model.dimension, model.rotation, with_bodies, state.gravity),
        *_walls(walls, kinds, style, state, step),
    ]
    steps = max(1, round(LONGEST_TIME / dt))
    output = (
        f"variable steps index {steps}",
        f"dump grains all custom {max(1, round(1.0 / (FRAMES_PER_SECOND * dt)))} {DUMP} &",
        f"    {' '.join((*PLAYED, *(SPIN if model.rotation else ()), *(('mol',) if with_bodies else ())))}",
        'dump_modify grains sort id time yes format float "%.9g"',
        "thermo_modify lost warn",
        f"thermo {max(1, round(0.1 / dt))}",
        "run ${steps}",
    )
    notes = (
        f"Repose: scene {state.scene}, law {law}, {world.sphere_count} spheres, SI units.",
        *_beginning(state),
        *_of_scene(state.scene),
        f"Run with: lmp -in {SCRIPT}   (mpirun -np N lmp -in ... for several processes)",
        f"It takes {steps} steps, {steps * dt:.3g} s; -var steps N behind the name of the script takes N.",
        *differ,
    )
    text = bodies.text if bodies and with_bodies else ""
    return Exported(
        _data(state, kinds, bodies), text, tuple(setup), output, notes, float(kinds.radius[kinds.kinds[0].size]), differ
    )


def _curved(state: Continued) -> Iterator[str]:
    """What LAMMPS makes of the curvature of cylinders, where the law reads the effective radius."""
    round_walls = state.world.walls.shape == CYLINDER
    linear = state.law in ("voigt", *WITHOUT_SPRINGS) or (
        state.law == "lee_herrmann" and state.parameters.exponent == "linear"
    )
    if round_walls.any() and not linear:
        share = float(state.world.radius.max() / state.world.walls.corner[round_walls, 2, 0].min())
        yield (
            f"At cylinders LAMMPS takes the curvature into the effective radius: forces there differ by up to "
            f"{25.0 * share:.2g} %."
        )


def _not_continued(state: Continued) -> Iterator[str]:
    """What moves or changes in the run and does not in LAMMPS."""
    if state.driven:
        which = ", ".join(map(str, state.driven))
        wall, follow = ("Wall", "follows") if len(state.driven) == 1 else ("Walls", "follow")
        yield f"{wall} {which} {follow} a curve in the run; LAMMPS keeps the present velocity."
    if np.any(state.world.motion[: state.world.dimension, 1, state.world.fixed]):
        yield "Fixed grains move in the run and not in LAMMPS: their motion is not continued."
    if curves := sorted(state.parameters.curves):
        yield f"The values of {', '.join(curves)} follow curves in the run; LAMMPS keeps the present ones."


def _of_scene(scene: str) -> Iterator[str]:
    """What the scene does later, as the table of the scenes says; other differences are those of the run."""
    if (entry := IN_LAMMPS.get(scene)) is not None and entry.later:
        yield f"Scene {scene} in LAMMPS is {entry.state}: {entry.later}."


def _beginning(state: Continued) -> Iterator[str]:
    """How the beginning of the continuation differs from the run."""
    if state.law not in WITHOUT_SPRINGS:
        share = f"; they carry {100.0 * state.stretched:.2g} % of the normal forces of this state"
        told = share if state.stretched else ""
        yield f"The friction springs begin without stretch: a data file has no place for them{told}."
    if state.model.integrator.name not in ("velocity_verlet", "leapfrog"):
        yield f"LAMMPS integrates with velocity Verlet, this run with {state.model.integrator.title}."


def _walls(walls: WrittenWalls, kinds: Kinds, style: Any, state: Continued, step: int) -> Iterator[str]:
    """The walls, and the evaluation with which LAMMPS learns where they were one step before the first `step`: the
    velocity of a region is the difference of its places at two evaluations."""
    by_coefficients = [_styles(kinds, style, part.material) for part in walls.parts]
    names: dict[str, str] = {}
    for types in dict.fromkeys(types for styles in by_coefficients for types in styles):
        whole = types == kinds.types(False)
        names[types] = "grains" if whole else f"kind{len(names)}"
        if not whole:
            yield f"group {names[types]} type {types}"
    moves = changes(walls.parts, state.motion)
    if moves:
        yield f"variable first equal {step + 1}"
        yield f'variable {ELAPSED} equal "(step - v_first)*{exact(state.dt)}"'
    with_groups = [[(names[types], words) for types, words in styles.items()] for styles in by_coefficients]
    yield from commands(walls.parts, with_groups, state.motion)
    if moves:
        yield "run 0 post no"
        yield f"variable first equal {step}"


def _styles(kinds: Kinds, style: Any, material: int) -> dict[str, str]:
    """Coefficients of the contacts of a wall, by the types of grains for which they are."""
    by_words: dict[str, list[int]] = {}
    for number, kind in enumerate(kinds.kinds, 1):
        if not kind.fixed:
            by_words.setdefault(style(kinds.at_wall(kind, material)), []).append(number)
    return {" ".join(map(str, types)): words for words, types in by_words.items()}


def _motion(dimension: int, rotation: bool, with_bodies: bool, gravity: tuple[float, ...]) -> Iterator[str]:
    """Weight and motion of grains and bodies."""
    size = math.hypot(*gravity)
    pull = f"gravity {exact(size)} vector {row(_in_space(gravity, len(gravity)))}"
    scheme = ("nve/sphere" + (" disc" if dimension == 2 else "")) if rotation else "nve"
    if not with_bodies:
        if size:
            yield f"fix weight grains {pull}"
        yield f"fix move grains {scheme}"
    else:
        yield from ("group bodies molecule > 0", "group single subtract grains bodies")
        yield "neigh_modify exclude molecule/intra bodies"
        if size:
            yield f"fix weight single {pull}"
            yield f"fix pull bodies {pull} disable"
        yield f"fix move single {scheme}"
        yield f"fix turn bodies rigid/small molecule infile {BODIES} reinit no{' gravity pull' if size else ''}"
    if dimension == 2:
        yield "fix plane all enforce2d"


def _data(state: Continued, kinds: Kinds, bodies: RigidBodies | None) -> str:
    """The data file: box, spheres, velocities at the time of the positions."""
    world, dimension = state.world, state.model.dimension
    margin = MARGIN * float(world.radius.max())
    position, motion = np.zeros((3, world.sphere_count)), np.zeros((6, world.sphere_count))
    position[:dimension] = in_cell(world.motion[:dimension, 0].T, world.boundary).T
    now = world.motion[:, 1] - state.model.integrator.velocity_lead * state.dt * world.motion[:, 2]
    motion[:dimension] = now[:dimension]
    motion[6 - (world.motion.shape[0] - dimension) :] = now[dimension:]
    low, high = position.min(axis=1) - margin, position.max(axis=1) + margin
    images = np.zeros((3, world.sphere_count), np.int64)
    images[:dimension] = images_of(world.motion[:dimension, 0].T, world.boundary).T
    for c in periodic_dimensions(world.boundary):
        low[c], high[c] = world.boundary[LOWEST, c], world.boundary[LOWEST, c] + world.boundary[PERIOD, c]
    passed = [f" {' '.join(map(str, image))}" if world.is_periodic else "" for image in images.T.tolist()]
    density = world.own_mass / (4.0 / 3.0 * math.pi * world.radius**3)
    spheres = [
        f"{id + 1} {kind + 1} {exact(2.0 * radius)} {exact(rho)} {row(centre)}{image}"
        for id, kind, radius, rho, centre, image in zip(
            world.sphere_id, kinds.of, world.radius, density, position.T, passed
        )
    ]
    speeds = [f"{id + 1} {row(values)}" for id, values in zip(world.sphere_id, motion.T)]
    head = [
        f"Repose, scene {state.scene}, step {state.step}, SI units",
        "",
        f"{world.sphere_count} atoms",
        f"{len(kinds.kinds)} atom types",
        "",
        *(f"{exact(a)} {exact(b)} {axis}lo {axis}hi" for axis, a, b in zip("xyz", low, high)),
        "",
    ]
    sections = ["Atoms # sphere", "", *spheres, "", "Velocities", "", *speeds]
    if bodies and bodies.molecule.any():
        sections += ["", "Molecules", "", *(f"{id + 1} {of}" for id, of in zip(world.sphere_id, bodies.molecule))]
    return "\n".join([*head, *sections]) + "\n"


def _in_space(vector: Any, dimension: int) -> Any:
    result = np.zeros(3)
    result[:dimension] = vector
    return result

"""A run for LAMMPS: a data file with the grains and an input script in which LAMMPS continues the experiment.

The script has the same masses, radii, velocities, contact law, planes, cylinders, gravity and time step. The head of
the script lists differences in the formulas of LAMMPS and data that a data file cannot store (`Exported.notes`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine.boundaries import images_of, in_cell, periodic_dimensions
from repose.sim.engine.contacts.wall_geometry import CYLINDER, FACET, PLANE
from repose.sim.engine.model import Model
from repose.sim.engine.world import LOWEST, PERIOD, SERVO_FORCE, World
from repose.sim.io.lammps.names import PLAYED, SEARCHED, exact, head, row, search
from repose.sim.laws.adhesive_parameters import SURFACE
from repose.sim.laws.material_columns import ACROSS, DAMPING, FRICTION, YOUNG
from repose.sim.parameters import ParameterError
from repose.sim.registry import laws
from repose.sim.wording import path_text

DATA, SCRIPT, DUMP = "grains.data", "continue.in", "grains.lammpstrj"
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
    dt: float
    """[s]."""
    gravity: tuple[float, ...]
    """On the table as it is turned now [m/s²]."""
    driven: frozenset[int] = frozenset()
    """Rows of the walls that follow curves."""


class Exported(NamedTuple):
    """The texts of both files."""

    data: str
    script: str
    notes: tuple[str, ...]
    """Differences from the run, one sentence each."""

    @property
    def commands(self) -> str:
        """The script without its dump and its run."""
        return "\n".join(line for line in self.script.splitlines() if not line.startswith(("run", "dump", "    id")))


def write_files(exported: Exported, folder: Path) -> None:
    """Write the texts to a new folder; raises `ParameterError` if it exists, and `OSError`."""
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise ParameterError(f"{path_text(folder)} exists already: name a new folder.") from None
    (folder / DATA).write_text(exported.data, encoding="utf-8")
    (folder / SCRIPT).write_text(exported.script, encoding="utf-8")


class Pair(NamedTuple):
    """One kind of contact: material rows, whether one of the two is fixed, and the effective radius [m]."""

    i: int
    j: int
    fixed: bool
    radius: float


def lammps_files(state: Continued) -> Exported:
    """The files for a run at its present state; raises `ParameterError` for what LAMMPS cannot continue."""
    _, law, parameters, model, world, step, dt, gravity, _ = state
    if law not in _COEFFICIENTS:
        raise ParameterError(
            f"The contact law '{law}' has no counterpart in LAMMPS: export a run with {', '.join(_COEFFICIENTS)}."
        )
    for table, what in ((world.bonds, "bonds"), (world.bodies, "rigid bodies"), (model.fields, "fields")):
        if table:
            raise ParameterError(f"The run has {what}, which this export does not write: export a run without them.")
    facets = int((world.walls.shape == FACET).sum())
    if facets:
        raise ParameterError(
            f"The run has {facets} facets, for which LAMMPS has no wall: export a run with planes and cylinders only."
        )
    kinds = sorted(set(zip(world.material.tolist(), world.fixed.tolist())))
    notes = _notes(state)
    radius = float(world.radius[~world.fixed].mean() if not world.fixed.all() else world.radius.mean())
    numbers = laws()[law].coefficients(parameters)
    style = _COEFFICIENTS[law]
    pairs = [
        f"pair_coeff {a + 1} {b + 1} {style(parameters, numbers, Pair(i, j, held or still, 0.5 * radius))}"
        for a, (i, held) in enumerate(kinds)
        for b, (j, still) in enumerate(kinds)
        if a <= b
    ]
    wall = style(parameters, numbers, Pair(kinds[0][0], _wall_material(world), True, radius))
    script = [
        f"variable steps index {max(1, round(LONGEST_TIME / dt))}",
        "",
        *(f"# {note}" for note in notes),
        "",
        *head(model.dimension, periodic_dimensions(world.boundary).tolist()),
        f"read_data {DATA}",
        f"reset_timestep {step}",
        f"group held type {_types(kinds, True)}" if any(held for _, held in kinds) else "group held empty",
        f"group grains type {_types(kinds, False)}" if not all(held for _, held in kinds) else "group grains empty",
        "",
        "pair_style granular",
        *pairs,
        *_walls(world, model.dimension, wall),
        "",
        search(radius),
        f"{SEARCHED} exclude group held held",
        *_weight(gravity),
        _motion(model.dimension, model.rotation),
        *(["fix plane all enforce2d"] if model.dimension == 2 else []),
        f"timestep {exact(dt)}",
        f"dump grains all custom {max(1, round(1.0 / (FRAMES_PER_SECOND * dt)))} {DUMP} &",
        f"    {' '.join(PLAYED)}",
        'dump_modify grains sort id time yes format float "%.9g"',
        "thermo_style custom step time ke",
        "thermo_modify lost warn",
        f"thermo {max(1, round(0.1 / dt))}",
        "run ${steps}",
    ]
    return Exported(_data(state, kinds), "\n".join(script) + "\n", notes)


def _lee_herrmann(parameters: Any, numbers: Any, pair: Pair) -> str:
    """Hertz or linear repulsion with damping γ m*, friction spring with damping."""
    stiffness = parameters.normal_stiffness * (parameters.wall_stiffness_factor if pair.fixed else 1.0)
    hertz = parameters.exponent == "hertz"
    normal = f"hertz {exact(stiffness / math.sqrt(pair.radius))}" if hertz else f"hooke {exact(stiffness)}"
    share = parameters.shear_damping / parameters.normal_damping if parameters.normal_damping > 0.0 else 0.0
    shear = f"{exact(parameters.shear_stiffness)} {exact(share)} {exact(parameters.friction)}"
    return f"{normal} {exact(parameters.normal_damping)} tangential linear_history {shear} damping mass_velocity"


def _hertz_mindlin(parameters: Any, numbers: Any, pair: Pair) -> str:
    """Hertz and Mindlin with Tsuji's damping."""
    entry = _row(numbers, pair)
    normal = f"hertz {exact(4.0 / 3.0 * entry[YOUNG])} {exact(_restitution(entry[DAMPING]))}"
    shear = f"{exact(2.0 * entry[ACROSS] ** 2 * entry[YOUNG])} {exact(entry[ACROSS])} {exact(entry[FRICTION])}"
    return f"{normal} tangential mindlin {shear} damping coeff_restitution"


def _voigt(parameters: Any, numbers: Any, pair: Pair) -> str:
    """Linear springs with damping from the restitution; the stiffness is equal for all contacts."""
    entry = _row(numbers, pair)
    along, across = parameters.normal_stiffness, parameters.shear_stiffness
    normal = f"hooke {exact(along)} {exact(_restitution(entry[DAMPING]))}"
    shear = f"{exact(across)} {exact(math.sqrt(across / along))} {exact(entry[FRICTION])}"
    return f"{normal} tangential linear_history {shear} damping coeff_restitution"


def _adhesive(style: str) -> Callable[[Any, Any, Pair], str]:
    """JKR or DMT with Mindlin's friction. Half of a modulus without Poisson's ratio is that of two equal materials."""

    def coefficients(parameters: Any, numbers: Any, pair: Pair) -> str:
        entry = _row(numbers, pair)
        elastic = entry[DAMPING] == 0.0
        lost = 0.0 if elastic else _restitution(entry[DAMPING])
        normal = f"{style} {exact(2.0 * entry[YOUNG])} {exact(lost)} 0.0 {exact(entry[SURFACE])}"
        shear = f"{exact(2.0 * entry[ACROSS] ** 2 * entry[YOUNG])} {exact(entry[ACROSS])} {exact(entry[FRICTION])}"
        return f"{normal} tangential mindlin {shear} damping {'mass_velocity' if elastic else 'tsuji'}"

    return coefficients


_COEFFICIENTS: dict[str, Callable[[Any, Any, Pair], str]] = {
    "lee_herrmann": _lee_herrmann,
    "hertz_mindlin": _hertz_mindlin,
    "jkr": _adhesive("jkr"),
    "dmt": _adhesive("dmt"),
    "voigt": _voigt,
}
"""Arguments of LAMMPS' `pair_style granular` for a kind of contact, by the name of the law."""


def _row(numbers: Any, pair: Pair) -> Any:
    """The row of the table of pairs of materials."""
    count = math.isqrt(len(numbers.table))
    return numbers.table[pair.i * count + pair.j]


def _restitution(share: float) -> float:
    """The restitution whose damping ratio is `share` (repose.sim.laws.materials.damping_share)."""
    return math.exp(-math.pi * share / math.sqrt(max(1.0 - share * share, 1e-12)))


def _notes(state: Continued) -> tuple[str, ...]:
    scene, law, parameters, model, world, *_ = state
    entries = [
        f"Repose: scene {scene}, law {law}, {world.sphere_count} spheres, SI units.",
        "The friction springs begin without stretch: a data file has no place for them.",
        "Run with: lmp -in " + SCRIPT + "   (mpirun -np N lmp -in ... for several processes)",
    ]
    moving = world.radius[~world.fixed]
    if law == "lee_herrmann":
        if parameters.exponent == "hertz" and moving.size and float(np.ptp(moving)) > 0.0:
            low, high = (math.sqrt(float(size) / float(moving.mean())) for size in (moving.min(), moving.max()))
            entries.append(
                f"LAMMPS multiplies k_n by the root of the effective radius: exact for two grains of mean radius, "
                f"{low:.2f} to {high:.2f} times as stiff for two of the smallest and of the largest."
            )
        if parameters.coulomb_cap != "lammps":
            entries.append(
                f"LAMMPS limits spring and damper together by μ|F_n|; this run has coulomb_cap = "
                f"{parameters.coulomb_cap}. With coulomb_cap = lammps the laws are equal."
            )
        if parameters.normal_damping == 0.0 and parameters.shear_damping > 0.0:
            entries.append("Shear damping is left out: LAMMPS gives it as a share of the normal damping, which is 0.")
    if law == "voigt" and parameters.stiffness_from == "material":
        raise ParameterError(
            "The stiffness of this run follows from the materials at a reference overlap, which LAMMPS does not have: "
            "export a run with stiffness_from = given."
        )
    if law in ("jkr", "dmt") and parameters.restitution < 1.0:
        entries.append("LAMMPS damps adhesive contacts in proportion to the root of F_n over the overlap.")
    if law == "jkr":
        entries.append(
            "LAMMPS parts two grains at the pull-off force; here they part where the area of contact is lost."
        )
    if model.rotation and getattr(parameters, "rolling_friction", 0.0) > 0.0:
        entries.append("Rolling friction is left out: LAMMPS formulates it as a spring.")
    return (*entries, *_not_continued(state))


def _not_continued(state: Continued) -> list[str]:
    """What moves or changes in the run and does not in LAMMPS."""
    world, entries = state.world, []
    moves = world.walls.velocity.any(axis=1) | (world.walls.servo[:, SERVO_FORCE] > 0.0)
    rows = sorted({*np.flatnonzero(moves).tolist(), *state.driven})
    if rows:
        which = f"Wall {rows[0]} moves" if len(rows) == 1 else f"Walls {', '.join(map(str, rows))} move"
        entries.append(f"{which} in the run and not in LAMMPS: the motion of walls is not continued.")
    if np.any(world.motion[: world.dimension, 1, world.fixed]):
        entries.append("Fixed grains move in the run and not in LAMMPS: their motion is not continued.")
    if curves := sorted(state.parameters.curves):
        entries.append(f"The values of {', '.join(curves)} follow curves in the run; LAMMPS keeps the present ones.")
    return entries


def _types(kinds: list[tuple[int, bool]], fixed: bool) -> str:
    return " ".join(str(number + 1) for number, (_, held) in enumerate(kinds) if held == fixed)


def _wall_material(world: World) -> int:
    return int(world.walls.material[0]) if world.walls.material.size else 0


def _walls(world: World, dimension: int, coefficients: str) -> list[str]:
    """The LAMMPS commands `region` and `fix` of every plane and cylinder."""
    lines = []
    for number, shape in enumerate(world.walls.shape):
        point, axis, rest = (_in_space(corner, dimension) for corner in world.walls.corner[number])
        point = point + _in_space(world.walls.moved[number], dimension)
        if shape == PLANE:
            region = f"plane {row(point)} {row(axis)}"
        elif shape == CYLINDER and np.count_nonzero(np.abs(axis) > 1e-9) == 1:
            along = int(np.abs(axis).argmax())
            across = [c for c in range(3) if c != along]
            side = "in" if rest[1] > 0.0 else "out"
            centre = f"{exact(point[across[0]])} {exact(point[across[1]])}"
            region = f"cylinder {'xyz'[along]} {centre} {exact(rest[0])} EDGE EDGE side {side} open 1 open 2"
        else:
            raise ParameterError(f"Wall {number} is a cylinder that is not along an axis, which LAMMPS does not have.")
        lines += [
            f"region wall{number} {region}",
            f"fix wall{number} grains wall/gran/region granular {coefficients} region wall{number}",
        ]
    return lines


def _weight(gravity: tuple[float, ...]) -> list[str]:
    size = math.hypot(*gravity)
    if size == 0.0:
        return []
    return [f"fix weight grains gravity {exact(size)} vector {row(_in_space(gravity, len(gravity)))}"]


def _motion(dimension: int, rotation: bool) -> str:
    if not rotation:
        return "fix move grains nve"
    return "fix move grains nve/sphere" + (" disc" if dimension == 2 else "")


def _data(state: Continued, kinds: list[tuple[int, bool]]) -> str:
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
    type_of = {kind: number + 1 for number, kind in enumerate(kinds)}
    types = [type_of[kind] for kind in zip(world.material.tolist(), world.fixed.tolist())]
    density = world.mass / (4.0 / 3.0 * math.pi * world.radius**3)
    spheres = [
        f"{id + 1} {kind} {exact(2.0 * radius)} {exact(rho)} {row(centre)}{image}"
        for id, kind, radius, rho, centre, image in zip(
            world.sphere_id, types, world.radius, density, position.T, passed
        )
    ]
    speeds = [f"{id + 1} {row(values)}" for id, values in zip(world.sphere_id, motion.T)]
    head = [
        f"Repose, scene {state.scene}, step {state.step}, SI units",
        "",
        f"{world.sphere_count} atoms",
        f"{len(kinds)} atom types",
        "",
        *(f"{exact(a)} {exact(b)} {axis}lo {axis}hi" for axis, a, b in zip("xyz", low, high)),
        "",
    ]
    return "\n".join([*head, "Atoms # sphere", "", *spheres, "", "Velocities", "", *speeds]) + "\n"


def _in_space(vector: Any, dimension: int) -> Any:
    result = np.zeros(3)
    result[:dimension] = vector
    return result

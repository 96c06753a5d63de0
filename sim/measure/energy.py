"""The energy ledger of a run: all forms of energy, and the sources and sinks.

    translational + rotational + potential + elastic + shear + bonds
        + damping + sliding + stiffening + breaking + removed - poured - work = gap .

The gap is the error of the time step. `damping` and the energy added to friction springs are summed in the contact
loop at every step. The change by a command, a poured layer or a removed grain is booked as the difference of the
mechanical energies after and before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from repose.sim.engine.orientation import body_spins
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import LEDGER_DAMPING, LEDGER_FRICTION, LEDGER_WALLS, Floats, World
from repose.sim.measure.booked import Booked
from repose.sim.measure.display import ENERGY, MOTION
from repose.sim.measure.measurement import Measurement, System
from repose.sim.message import _

HEAVIEST = 1e200
"""Mass above which forces do not move a sphere, such as a sphere of a dump; its energy is unknown [kg]."""


@dataclass(frozen=True)
class Energy:
    """The ledger at one time [J]; potential energy is counted from the origin of coordinates."""

    translational: float
    """Kinetic energy of the centres."""
    rotational: float
    """Kinetic energy of the spins about the centres; 0 without rotation."""
    potential: float
    """Potential energy of gravity and of fields."""
    elastic: float
    shear: float
    """Energy stored in friction springs at the last evaluation of forces: a corrector moves the spheres afterwards."""
    bonds: float
    """Energy stored in bonds."""
    damping: float
    """Energy converted to heat by viscous terms."""
    sliding: float
    """Energy that friction springs give up as heat, by sliding and at the end of contacts."""
    stiffening: float
    """Energy that friction springs lose as their stiffness K follows the overlap (Hertz-Mindlin), -∫ ξ² dK/2. A gain is
    negative; 0 for laws of constant stiffness."""
    breaking: float
    """Energy that bonds stored when they broke."""
    poured: float
    removed: float
    work: float

    @property
    def kinetic(self) -> float:
        """Translational and rotational energy."""
        return self.translational + self.rotational

    @property
    def mechanical(self) -> float:
        """Kinetic, potential and elastic energy, and that of friction springs and bonds."""
        return self.kinetic + self.potential + self.elastic + self.shear + self.bonds

    @property
    def dissipated(self) -> float:
        """Sum of damping, sliding, stiffening and breaking."""
        return self.damping + self.sliding + self.stiffening + self.breaking

    @property
    def gap(self) -> float:
        """Error of the balance; zero for an exact integrator."""
        return self.mechanical + self.dissipated + self.removed - self.poured - self.work

    def as_dict(self) -> dict[str, float]:
        """Every entry and the gap by name."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)} | {"gap": self.gap}


def energy_ledger(
    world: World, survey: Survey, gravity: tuple[float, ...], booked: Booked, velocity_shift: float = 0.0
) -> Energy:
    """The ledger of a world.

    `velocity_shift` [s] is the time by which stored velocities are ahead of positions (leapfrog: half a step).
    """
    loose: Any = slice(None)
    carried = (0.0, 0.0, 0.0)
    if world.bodies:
        loose = world.body < 0  # members are counted with their bodies
        carried = _of_bodies(world, gravity, velocity_shift)
    translational, rotational, potential = energy_of_spheres(world, loose, gravity, velocity_shift)
    friction = float(world.ledger[LEDGER_FRICTION].sum())
    stiffening = float(world.stiffening.sum())
    damping, shear = float(world.ledger[LEDGER_DAMPING].sum()), survey.shear_energy - survey.friction_work
    if math.isnan(potential):  # no force moves these spheres: they have no energy in the ledger
        damping = shear = friction = stiffening = math.nan
    return Energy(
        translational=translational + carried[0],
        rotational=rotational + carried[1],
        potential=potential + survey.field_energy + carried[2],
        elastic=survey.elastic_energy,
        shear=shear,
        bonds=survey.bond_energy,
        damping=damping,
        sliding=friction - shear - stiffening + booked.shear,
        stiffening=stiffening,
        breaking=float(world.bonds.lost[0]) if world.bonds else 0.0,
        poured=booked.poured,
        removed=booked.removed,
        work=booked.work + float(world.ledger[LEDGER_WALLS].sum()),
    )


def energy_of_spheres(
    world: World, rows: Any, gravity: tuple[float, ...], velocity_shift: float = 0.0
) -> tuple[float, float, float]:
    """Translational, rotational and potential energy of the spheres `rows` (an index of a table) that can move [J].

    The energies are nan if one of the spheres is heavier than `HEAVIEST`. `velocity_shift` [s] as in `energy_ledger`.
    """
    dimension, inverse, motion = len(gravity), world.inverse_mass[:, rows], world.motion[:, :3, rows]
    # For fixed spheres (inverse mass 0) the inertia is set to zero.
    inertia = np.divide(1.0, inverse, out=np.zeros_like(inverse), where=inverse > 0.0)
    inertia[inertia > HEAVIEST] = math.nan
    kinetic = 0.5 * inertia * (motion[:, 1] - velocity_shift * motion[:, 2]) ** 2
    height = np.asarray(gravity)[:, None] * motion[:dimension, 0]
    return (
        float(kinetic[:dimension].sum()),
        float(kinetic[dimension:].sum()),
        -float(np.sum(inertia[:dimension] * height)),
    )


def _of_bodies(world: World, gravity: tuple[float, ...], velocity_shift: float) -> tuple[float, float, float]:
    """Translational, rotational and potential energy of all movable bodies [J]."""
    bodies, dimension = world.bodies, len(gravity)
    moving = bodies.inverse_mass[0] > 0.0
    inertia = 1.0 / bodies.inverse_mass[:, moving]
    velocity = (bodies.motion[:, 1] - velocity_shift * bodies.motion[:, 2])[:, moving]
    spins = body_spins(bodies, bodies.motion[dimension:, 1] - velocity_shift * bodies.motion[dimension:, 2])[:, moving]
    height = np.asarray(gravity) @ bodies.motion[:dimension, 0, moving]
    return (
        0.5 * float(np.sum(inertia[:dimension] * velocity[:dimension] ** 2)),
        0.5 * float(np.sum(inertia[dimension:] * velocity[dimension:] * spins)),
        -float(np.sum(inertia[0] * height)),
    )


def moment_of_mass(world: World) -> Floats:
    """Σ m x over all spheres and bodies that can move [kg m], shape (dimension,); its product with gravity is minus
    their potential energy."""
    dimension = world.dimension
    movable = world.inverse_mass[0] > 0.0
    if world.bodies:
        movable &= world.body < 0  # members are counted with their bodies
    moment = (world.motion[:dimension, 0, movable] / world.inverse_mass[0, movable]).sum(axis=1)
    if world.bodies:
        bodies = world.bodies
        moving = bodies.inverse_mass[0] > 0.0
        moment += (bodies.motion[:dimension, 0, moving] / bodies.inverse_mass[0, moving]).sum(axis=1)
    found: Floats = moment
    return found


def ledger_of(system: System) -> Energy:
    """The present ledger of an experiment."""
    return energy_ledger(system.world, system.survey, system.gravity, system.booked, system.velocity_shift)


def _term(name: str) -> Callable[[System], float]:
    def sample(system: System) -> float:
        if name == "rotational" and not system.rotates:
            return math.nan
        if name in ("bonds", "breaking") and not system.world.bonds:
            return math.nan
        if name == "stiffening" and not system.world.stiffening.any():
            return math.nan
        return float(getattr(system.derived(ledger_of), name))

    return sample


TERMS = {
    "translational": _("kinetic: translation"),
    "rotational": _("kinetic: rotation"),
    "potential": _("potential"),
    "elastic": _("elastic"),
    "shear": _("shear springs"),
    "bonds": _("bonds"),
    "damping": _("lost: damping"),
    "sliding": _("lost: friction"),
    "stiffening": _("lost: stiffening"),
    "breaking": _("lost: breaking"),
    "poured": _("poured in"),
    "removed": _("carried away"),
    "work": _("by changes"),
    "gap": _("unaccounted"),
}
"""Names of the terms of the ledger beside the plot."""

MEASUREMENT = (
    Measurement(
        "kinetic_energy",
        _("kinetic energy"),
        "",
        "J",
        lambda system: system.derived(ledger_of).kinetic,
        shown=False,
        plot=MOTION,
        order=10,
        log=True,
    ),
    *(
        Measurement(
            f"energy.{name}", title, "", "J", _term(name), shown=False, plot=ENERGY, axis=_("energy"), order=order
        )
        for order, (name, title) in enumerate(TERMS.items())
    ),
)

"""Model: the formulas by which a world moves; all numbers are in World and params.

This module also defines the named tuples of arguments of the step loop: numba's cache on disk finds their classes by
the name of an importable module.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.jit import compilable
from repose.sim.message import Message


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def no_material(params: Any, kind: int) -> tuple[float, ...]:
    """`BoundLaw.material` of a law without materials."""
    return ()


def no_reach(params: Any, radius: float) -> float:
    """`BoundLaw.reach` of a contact law."""
    return 0.0


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def while_touching(params: Any, contact: Any) -> float:
    """`BoundLaw.lasts` of a contact law."""
    return 1.0 if contact.overlap > 0.0 else 0.0


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def no_potential(params: Any, sphere: Any, time: float) -> float:
    """`BoundField.potential` of a field that has none."""
    return 0.0


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def no_stiffness(params: Any, sphere: Any, time: float) -> tuple[float, float]:
    """`BoundField.stiffness` of a field that varies slowly with position and velocity."""
    return 0.0, 0.0


@dataclass(frozen=True)
class BoundLaw:
    """A contact law for one choice of formulas: plain functions that numba can compile.

    `params` is the tuple of coefficients of the law. Its values may change between batches; its type is constant.
    """

    force: Callable
    """force(params, contact) -> Response."""
    energy: Callable
    """energy(params, contact) -> energy of the repulsion, energy of the friction spring [J]."""
    stiffness: Callable
    """stiffness(params, contact) -> normal and shear stiffness [N/m], normal and shear damping [1/s]."""
    material: Callable = no_material
    """material(params, kind) -> `Contact.material`; kind = material_i * number of materials + material_j."""
    material_columns: int = 0
    """Length of `Contact.material`; 0 if the law does not read the material of a contact (the default)."""
    reach: Callable = no_reach
    """reach(params, radius) -> largest gap at which the law acts at effective radii up to this one [m]; 0 for a contact
    law (the default). Not compiled."""
    lasts: Callable = while_touching
    """lasts(params, contact) -> 1.0 if the memory of the contact lasts beyond this evaluation, else 0.0. The memory is
    the shear spring and `Contact.remembered`. A law with reach may keep the memory after the spheres part. When the
    memory ends, the energy that the law still stores is booked as lost."""

    shear_stiffness_varies: bool = False
    """Whether the stiffness of the friction spring follows the overlap. The energy of the spring then changes without
    work; the loop books this change as `State.stiffening`."""
    reads_radius: bool = True
    """Whether the law reads `Contact.effective_radius` of spheres that do not rotate. The loop then computes it, which
    takes up to a quarter of a step in the plane; if a law states False, the number there is undefined."""

    @property
    def needs_material(self) -> bool:
        """Whether the loop must provide the material of every contact, which costs some time."""
        return self.material_columns > 0

    @property
    def acts_at_distance(self) -> bool:
        """Whether the loop must evaluate the law for pairs that do not touch."""
        return self.reach is not no_reach


@dataclass(frozen=True)
class BoundField:
    """A field for one choice of formulas: plain functions of one sphere and of time that numba can compile."""

    force: Callable
    """force(params, sphere, time) -> FieldForce; `Sphere` and `FieldForce` are in repose.sim.engine.fields."""
    potential: Callable = no_potential
    """potential(params, sphere, time) -> potential energy of the part of the force that has one [J]."""
    stiffness: Callable = no_stiffness
    """stiffness(params, sphere, time) -> largest derivative of the force with respect to displacement [N/m] and to
    velocity [kg/s], over all directions; the automatic time step follows from it."""


@dataclass(frozen=True)
class BoundBond:
    """A bond law for one choice of formulas: plain functions of one bond that numba can compile."""

    force: Callable
    """force(params, link) -> BondForce; `Link` and `BondForce` are in repose.sim.engine.bond_forces."""
    energy: Callable
    """energy(params, link) -> energy stored in the bond [J], which is lost when the bond breaks."""
    breaks: Callable
    """breaks(params, link) -> whether the bond breaks at this evaluation."""
    stiffness: Callable
    """stiffness(params, link) -> axial stiffness [N/m], shear stiffness [N/m], the larger of bending and twisting
    stiffness [N m/rad], and the damping time [s]: viscosity = stiffness × damping time."""
    columns: int = 1
    """Length of `Link.own`, the numbers that belong to one bond."""


@dataclass(frozen=True)
class Integrator:
    """An integration scheme: two plain functions around the force evaluation.

    Both run once per stage for the spheres `first` to `last` - 1; no sphere depends on another one.
    """

    name: str
    title: Message
    levels: int
    """Number of levels of `State.motion`: position, velocity, acceleration, and levels of the scheme itself."""
    before: Callable
    """before(motion, first, last, stage, dt): predict or drift."""
    after: Callable
    """after(motion, force, inverse_mass, first, last, stage, dt): correct or kick."""
    weights: tuple[float, ...] = (1.0,)
    """Fraction of dt that each force evaluation represents (energy ledger), one entry per stage [-]."""
    velocity_lead: float = 0.0
    """Time of the stored velocity minus time of the stored position, in units of dt [-]."""
    stage_times: tuple[float, ...] = (1.0,)
    """Time of each force evaluation from the beginning of the step, in units of dt, one entry per stage [-]."""

    def __post_init__(self) -> None:
        """Refuse a record in which the numbers of stage times and of weights differ."""
        if len(self.stage_times) != len(self.weights):
            stages = f"{len(self.weights)} stages and {len(self.stage_times)} times of them"
            raise ValueError(f"The integrator '{self.name}' has {stages}: give `stage_times`, one entry per stage.")


@dataclass(frozen=True)
class Model:
    """The formulas by which a world moves."""

    law: BoundLaw
    integrator: Integrator
    dimension: int = 2
    rotation: bool = False
    fields: tuple[BoundField, ...] = ()
    """Fields that act on every sphere in addition to gravity."""
    bond: BoundBond | None = None
    """Law of the bonds between spheres; None for a world without a table of bonds."""
    bodies: bool = False
    """Whether the world has a table of rigid bodies of several spheres; requires `rotation`."""
    periodic: bool = False
    """Whether the world has a periodic dimension; `for_world` sets it, nobody else."""

    @property
    def spin_length(self) -> int:
        """0 without rotation, 1 in the plane, 3 in space."""
        return 0 if not self.rotation else {2: 1, 3: 3}[self.dimension]

    @property
    def needs_material(self) -> bool:
        """Whether pairs need their pair of materials and their effective radius."""
        return self.law.needs_material or self.rotation

    @property
    def shapes(self) -> Shapes:
        """The lengths of the vectors of this model."""
        law = self.law
        of_law = law.material_columns, int(law.acts_at_distance), int(law.shear_stiffness_varies)
        lengths = (self.dimension, self.spin_length, *of_law, int(self.periodic))
        return Shapes(*((0.0,) * n for n in lengths))


def for_world(model: Model, periodic: bool) -> Model:
    """The model for a world with a periodic dimension, or without one: another search, another branch of a pair."""
    return model if model.periodic == periodic else replace(model, periodic=periodic)


class Shapes(NamedTuple):
    """Zero vectors from whose types compiled code takes the lengths of vectors; their values are not read."""

    position: tuple
    """Length 2 or 3."""
    spin: tuple
    """Length 0, 1 or 3."""
    material: tuple
    """Length `BoundLaw.material_columns`."""
    reach: tuple
    """Length 1 if the law acts at a distance, 0 for a contact law."""
    stiffening: tuple = ()
    """Length 1 if the stiffness of the friction spring follows the overlap, else 0."""
    periodic: tuple = ()
    """Length 1 if a dimension of the world is periodic, else 0."""


class Coefficients(NamedTuple):
    """The coefficients that fields and bonds read, which may change between batches, and the time."""

    fields: tuple = ()
    """The coefficients of each field, in the order of `Model.fields`."""
    bond: tuple = ()
    """The coefficients of the bond law."""
    time: float = 0.0
    """Simulated time at `step` [s]; dt is constant from this step on."""
    step: int = 0


NO_COEFFICIENTS = Coefficients()


class PackedCoefficients(NamedTuple):
    """The numbers of a model as the step loop passes them to its parts. The numbers of law, gravity, fields and bond
    are given by their addresses (repose.sim.engine.packed): this type is the same for all models."""

    law: int = 0
    gravity: int = 0
    fields: int = 0
    bond: int = 0
    reach: float = 0.0
    """Largest gap at which the law acts [m]; 0 for a contact law."""
    time: float = 0.0
    """Time and step as in `Numbers`."""
    step: int = 0


class Scheme(NamedTuple):
    """The numbers of an integrator."""

    weights: NDArray[np.float64]
    """`Integrator.weights`, shape (stages,)."""
    stage_times: NDArray[np.float64]
    """`Integrator.stage_times`, shape (stages,)."""
    velocity_lead: float
    """`Integrator.velocity_lead`."""
    damping_fraction: float
    """Largest fraction of velocity that damping may remove per step [-]."""


class LawCall(NamedTuple):
    """The functions of a law, which the loops over contacts call, and the coefficients that they read."""

    force: Callable
    material: Callable
    energy: Callable
    lasts: Callable
    stiffness: Callable
    params: tuple


class Stage(NamedTuple):
    """One force evaluation of a step."""

    dt: float
    """Time that the evaluation represents [s]; 0 if nothing moves (dt = 0)."""
    damping_fraction: float
    """Largest fraction of velocity that damping may remove in this time [-]."""
    behind: float
    """Time of the evaluation minus time of the stored velocities [s]: half a step with leapfrog, else 0."""
    elapsed: float
    """Time since the last evaluation [s]."""


AT_REST = Stage(0.0, 1.0, 0.0, 0.0)
"""An evaluation for measurements, in which no time passes."""


class Predicted(NamedTuple):
    """Arguments of `Integrator.before`: the rows first to last - 1 of a table of motion."""

    motion: NDArray[np.float64]
    first: int
    last: int
    stage: int
    dt: float


class Corrected(NamedTuple):
    """Arguments of `Integrator.after`: rows of a table of motion, and the forces on them."""

    motion: NDArray[np.float64]
    force: NDArray[np.float64]
    inverse_mass: NDArray[np.float64]
    first: int
    last: int
    stage: int
    dt: float


class Thread(NamedTuple):
    """One of the threads that step a world together, and its share of the spheres."""

    id: int
    total: int
    """Number of threads."""
    first: int
    last: int
    """The spheres of this thread are the rows first to last - 1."""


class Share(NamedTuple):
    """Arguments of several parts: a world and the thread that works on its share."""

    world: Any
    thread: Thread

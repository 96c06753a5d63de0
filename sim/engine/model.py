"""Model: which formulas a world moves by; everything that varies by number is in World and params.

Also the named tuples in which the step loop passes arguments that belong together. They are defined in a module that
can be imported, because numba's cache on disk finds their classes by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.jit import compilable


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def no_material(params: Any, kind: int) -> tuple[float, ...]:
    """`BoundLaw.material` of a law without materials."""
    return ()


@compilable(forceinline=True)  # type: ignore[untyped-decorator]
def no_reach(params: Any) -> float:
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
    """A contact law with every choice of formula made: plain functions that numba can compile.

    `params` is the tuple of numbers that the law reads; its values may change between batches, its type may not.
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
    """Length of `Contact.material`; 0 if the law reads neither material nor effective radius of a contact."""
    reach: Callable = no_reach
    """reach(params) -> how far beyond touching the law acts [m]; 0 for a contact law, which has this default."""
    lasts: Callable = while_touching
    """lasts(params, contact) -> 1.0 if the memory of the contact lasts beyond this evaluation, else 0.0. The memory is
    the shear spring and `Contact.remembered`. A law with reach may keep it after the two have parted; when it ends, the
    energy that the law then still stores is booked as lost."""

    shear_stiffness_varies: bool = False
    """Whether the stiffness of the friction spring follows the overlap: the spring then gains and loses energy without
    work, which the loop books as `World.stiffening`."""

    @property
    def needs_material(self) -> bool:
        """Whether the loop must provide material and effective radius of every contact, which costs a little."""
        return self.material_columns > 0

    @property
    def acts_at_distance(self) -> bool:
        """Whether the loop must evaluate the law for pairs that do not touch."""
        return self.reach is not no_reach


@dataclass(frozen=True)
class BoundField:
    """A field with every choice of formula made: plain functions of one sphere and of time that numba can compile."""

    force: Callable
    """force(params, sphere, time) -> FieldForce; `Sphere` and `FieldForce` are in repose.sim.engine.fields."""
    potential: Callable = no_potential
    """potential(params, sphere, time) -> potential energy of the part of the force that has one [J]."""
    stiffness: Callable = no_stiffness
    """stiffness(params, sphere, time) -> largest rise of the force with displacement [N/m] and with velocity [kg/s], in
    any direction: the automatic time step follows it."""


@dataclass(frozen=True)
class BoundBond:
    """A bond law with every choice of formula made: plain functions of one bond that numba can compile."""

    force: Callable
    """force(params, link) -> BondForce; `Link` and `BondForce` are in repose.sim.engine.bonds."""
    energy: Callable
    """energy(params, link) -> what the bond stores [J]; it is lost when the bond breaks."""
    breaks: Callable
    """breaks(params, link) -> whether the bond breaks at this evaluation."""
    stiffness: Callable
    """stiffness(params, link) -> axial and shear stiffness [N/m], bending and twisting stiffness, the larger
    [N m/rad], and the time by which damping multiplies all of them [s]."""
    columns: int = 1
    """Length of `Link.own`, the numbers of a single bond."""


@dataclass(frozen=True)
class Integrator:
    """An integration scheme: two plain functions around the force evaluation.

    Both run once per stage for the spheres `first` to `last` - 1, each sphere on its own.
    """

    name: str
    title: str
    levels: int
    """Rows of `World.motion` it keeps: position, velocity, acceleration, and its own."""
    before: Callable
    """before(motion, first, last, stage, dt): predict or drift."""
    after: Callable
    """after(motion, force, inverse_mass, first, last, stage, dt): correct or kick."""
    weights: tuple[float, ...] = (1.0,)
    """Fraction of dt that each force evaluation represents (energy ledger), one entry per stage [-]."""
    velocity_lead: float = 0.0
    """Time by which the stored velocity is ahead of the stored position, in units of dt [-]."""
    stage_times: tuple[float, ...] = (1.0,)
    """Time of each force evaluation from the beginning of the step, in units of dt, one entry per stage [-]."""

    def __post_init__(self) -> None:
        """Refuse a record that says of some stages only when they are."""
        if len(self.stage_times) != len(self.weights):
            stages = f"{len(self.weights)} stages and {len(self.stage_times)} times of them"
            raise ValueError(f"The integrator '{self.name}' has {stages}: give `stage_times`, one entry per stage.")


@dataclass(frozen=True)
class Model:
    """Which formulas a world moves by."""

    law: BoundLaw
    integrator: Integrator
    dimension: int = 2
    rotation: bool = False
    fields: tuple[BoundField, ...] = ()
    """Fields that act on every sphere, besides gravity."""
    bond: BoundBond | None = None
    """Law of the bonds between spheres; None for a world without a table of bonds."""
    bodies: bool = False
    """Whether the world has a table of rigid bodies of several spheres; they rotate, so that spheres must."""

    @property
    def spin_length(self) -> int:
        """0 without rotation, 1 in the plane, 3 in space."""
        return 0 if not self.rotation else {2: 1, 3: 3}[self.dimension]

    @property
    def needs_material(self) -> bool:
        """Whether pairs need the kind of their materials and their effective radius."""
        return self.law.needs_material or self.rotation

    @property
    def shapes(self) -> Shapes:
        """The lengths of the vectors of this model."""
        law = self.law
        of_law = law.material_columns, int(law.acts_at_distance), int(law.shear_stiffness_varies)
        lengths = (self.dimension, self.spin_length, *of_law)
        return Shapes(*((0.0,) * n for n in lengths))


class Shapes(NamedTuple):
    """Zero vectors that give compiled code the lengths of vectors; their values are not read."""

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


class Numbers(NamedTuple):
    """What fields and bonds read: numbers that may change between batches, and the time."""

    fields: tuple = ()
    """The numbers of each field of the model, in its order."""
    bond: tuple = ()
    """The numbers of the bond law."""
    time: float = 0.0
    """Simulated time at `step` [s]; since then dt has not changed."""
    step: int = 0


NO_NUMBERS = Numbers()


class PackedNumbers(NamedTuple):
    """The numbers of a model as the step loop passes them to its parts, whatever their types: those that a law, field
    or bond reads by their address (repose.sim.engine.packed)."""

    law: int = 0
    gravity: int = 0
    fields: int = 0
    bond: int = 0
    reach: float = 0.0
    """How far beyond touching the law acts [m]."""
    time: float = 0.0
    """As in `Numbers`, like the step."""
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
    """What the loops over contacts call: the law's functions and the numbers they read."""

    force: Callable
    material: Callable
    energy: Callable
    lasts: Callable
    stiffness: Callable
    params: tuple
    reach: float
    """How far beyond touching the law acts [m]."""


class Stage(NamedTuple):
    """One force evaluation of a step."""

    dt: float
    """Time that the evaluation represents [s]; 0 where nothing moves."""
    damping_fraction: float
    """Largest fraction of velocity that damping may remove per step [-]."""


class Predicted(NamedTuple):
    """What a scheme's `before` moves: the rows first to last - 1 of a table of motion."""

    motion: NDArray[np.float64]
    first: int
    last: int
    stage: int
    dt: float


class Corrected(NamedTuple):
    """What a scheme's `after` moves, and the forces that it reads."""

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
    """Its spheres are the rows first to last - 1."""


class Share(NamedTuple):
    """What several parts read: a world, and the thread that works on its share of it."""

    world: Any
    thread: Thread

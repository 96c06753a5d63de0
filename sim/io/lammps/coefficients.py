"""Coefficients of LAMMPS' `pair_style granular` for the contact laws, and the kinds of grains that they need."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from repose.sim.engine.world import Floats, World
from repose.sim.io.lammps.names import exact
from repose.sim.laws.adhesive_parameters import SURFACE
from repose.sim.laws.material_columns import ACROSS, DAMPING, FRICTION, ROLLING, TWISTING, YOUNG
from repose.sim.parameters import ParameterError

MOST_SIZES, MOST_AT_WALLS = 100, 24
"""Largest number of kinds of grains by size, where the coefficients depend on it: each two have a line in the script,
and at walls each is a group, of which LAMMPS has at most 32."""
ROLLING_OVERLAP = 0.01
"""Overlap over the effective radius at which the spring of rolling is as stiff as that of friction [-]."""


class GrainClass(NamedTuple):
    """Grains with equal coefficients: a type of LAMMPS."""

    material: int
    fixed: bool
    size: int
    """Class of the radius."""


class Pair(NamedTuple):
    """One kind of contact."""

    i: int
    j: int
    """Rows of the materials."""
    fixed: bool
    """Whether one of the two is fixed, or a wall."""
    radius: float
    """Effective radius [m]."""
    mass: float
    """Effective mass [kg]."""


@dataclass(frozen=True)
class Kinds:
    """The kinds of the grains of a world."""

    kinds: tuple[GrainClass, ...]
    of: NDArray[np.int64]
    """Row of the kind of every sphere."""
    radius: Floats
    """Radius for which the coefficients of each class of sizes are [m]."""
    mass: float
    """Mean mass of the grains that move [kg]."""

    def pair(self, a: GrainClass, b: GrainClass) -> Pair:
        """A contact of two kinds of grains."""
        first, second = self.radius[a.size], self.radius[b.size]
        fixed = a.fixed or b.fixed
        return Pair(a.material, b.material, fixed, first * second / (first + second), 0.5 * self.mass)

    def at_wall(self, kind: GrainClass, material: int) -> Pair:
        """A contact of a kind of grains with a wall."""
        return Pair(kind.material, material, True, float(self.radius[kind.size]), self.mass)

    def types(self, fixed: bool) -> str:
        """The numbers of the types of fixed or of moving grains."""
        return " ".join(str(number) for number, kind in enumerate(self.kinds, 1) if kind.fixed == fixed)


def kinds_of(world: World, by_size: bool) -> Kinds:
    """The kinds of grains, also by their size if the coefficients depend on it: each radius for itself, or, if there
    are too many, as many classes as allowed, whose radii differ by the least possible ratio."""
    radii, size = np.unique(world.radius, return_inverse=True)
    moving = ~world.fixed if not world.fixed.all() else np.ones(world.sphere_count, bool)
    if not by_size:
        radii, size = np.array([world.radius[moving].mean()]), np.zeros(world.sphere_count, np.int64)
    else:
        first = _classes(radii, MOST_AT_WALLS if len(world.walls.shape) else MOST_SIZES)
        size = np.searchsorted(first, size, side="right") - 1
        radii = np.sqrt(radii[first] * radii[np.append(first[1:], radii.size) - 1])
    rows, of = np.unique((2 * world.material + world.fixed) * radii.size + size, return_inverse=True)
    kinds = tuple(
        GrainClass(entry // radii.size // 2, entry // radii.size % 2 == 1, entry % radii.size)
        for entry in rows.tolist()
    )
    return Kinds(kinds, of, radii, float(world.mass[moving].mean()))


def _classes(radii: Floats, most: int) -> NDArray[np.int64]:
    """Rows of the smallest radii of at most `most` classes of sorted radii."""
    below, ratio = 1.0, float(radii[-1] / radii[0])
    if radii.size <= most:
        return np.arange(radii.size)
    for _ in range(40):
        middle = math.sqrt(below * ratio)
        below, ratio = (below, middle) if len(_covered(radii, middle)) <= most else (middle, ratio)
    return np.array(_covered(radii, ratio))


def _covered(radii: Floats, ratio: float) -> list[int]:
    """Rows of the smallest radii of classes whose largest radius is at most `ratio` times the smallest."""
    first = [0]
    while (row := int(np.searchsorted(radii, radii[first[-1]] * ratio, side="right"))) < radii.size:
        first.append(row)
    return first


def needs_sizes(law: str, parameters: Any) -> bool:
    """Whether the coefficients depend on the radius: LAMMPS multiplies k_n of Hertz by the root of R*."""
    return law == "lee_herrmann" and parameters.exponent == "hertz"


def _lee_herrmann(parameters: Any, numbers: Any, pair: Pair, stopping: float) -> str:
    """Hertz or linear repulsion with damping γ m*, friction spring with damping."""
    stiffness = parameters.normal_stiffness * (parameters.wall_stiffness_factor if pair.fixed else 1.0)
    hertz = parameters.exponent == "hertz"
    normal = f"hertz {exact(stiffness / math.sqrt(pair.radius))}" if hertz else f"hooke {exact(stiffness)}"
    share = parameters.shear_damping / parameters.normal_damping if parameters.normal_damping > 0.0 else 0.0
    shear = f"{exact(parameters.shear_stiffness)} {exact(share)} {exact(parameters.friction)}"
    rolling = _resistance(parameters.shear_stiffness, parameters.rolling_friction, 0.0, pair)
    return (
        f"{normal} {exact(parameters.normal_damping)} tangential linear_history {shear}{rolling} damping mass_velocity"
    )


def _hertz_mindlin(parameters: Any, numbers: Any, pair: Pair, stopping: float) -> str:
    """Hertz and Mindlin with Tsuji's damping."""
    entry = _row(numbers, pair)
    normal = f"hertz {exact(4.0 / 3.0 * entry[YOUNG])} {exact(_restitution(entry[DAMPING]))}"
    return f"{normal} {_mindlin(entry, pair)} damping coeff_restitution"


def _mindlin(entry: Any, pair: Pair) -> str:
    across = 2.0 * entry[ACROSS] ** 2 * entry[YOUNG]
    stiffness = across * pair.radius * math.sqrt(ROLLING_OVERLAP)
    rolling = _resistance(stiffness, entry[ROLLING], entry[TWISTING], pair)
    return f"tangential mindlin {exact(across)} {exact(entry[ACROSS])} {exact(entry[FRICTION])}{rolling}"


def _voigt(parameters: Any, numbers: Any, pair: Pair, stopping: float) -> str:
    """Linear springs with damping from the restitution; the stiffness is equal for all contacts."""
    entry = _row(numbers, pair)
    along, across = parameters.normal_stiffness, parameters.shear_stiffness
    normal = f"hooke {exact(along)} {exact(_restitution(entry[DAMPING]))}"
    shear = f"{exact(across)} {exact(math.sqrt(across / along))} {exact(entry[FRICTION])}"
    rolling = _resistance(across, entry[ROLLING], entry[TWISTING], pair)
    return f"{normal} tangential linear_history {shear}{rolling} damping coeff_restitution"


def _adhesive(style: str) -> Callable[[Any, Any, Pair, float], str]:
    """JKR or DMT with Mindlin's friction. Half of a modulus without Poisson's ratio is that of two equal materials."""

    def coefficients(parameters: Any, numbers: Any, pair: Pair, stopping: float) -> str:
        entry = _row(numbers, pair)
        elastic = entry[DAMPING] == 0.0
        lost = 0.0 if elastic else _restitution(entry[DAMPING])
        normal = f"{style} {exact(2.0 * entry[YOUNG])} {exact(lost)} 0.0 {exact(entry[SURFACE])}"
        return f"{normal} {_mindlin(entry, pair)} damping {'mass_velocity' if elastic else 'tsuji'}"

    return coefficients


def _memoryless(parameters: Any, numbers: Any, pair: Pair, stopping: float) -> str:
    """A linear spring with dampers; that of friction is at most the one that ends the slip within a step."""
    viscosity = min(parameters.shear_viscosity, pair.mass * stopping)
    share = viscosity / parameters.normal_viscosity if parameters.normal_viscosity > 0.0 else 0.0
    normal = f"hooke {exact(parameters.normal_stiffness)} {exact(parameters.normal_viscosity)}"
    return f"{normal} tangential linear_nohistory {exact(share)} {exact(parameters.friction)} damping velocity"


COEFFICIENTS: dict[str, Callable[[Any, Any, Pair, float], str]] = {
    "lee_herrmann": _lee_herrmann,
    "hertz_mindlin": _hertz_mindlin,
    "jkr": _adhesive("jkr"),
    "dmt": _adhesive("dmt"),
    "voigt": _voigt,
    "memoryless": _memoryless,
}
"""Arguments of `pair_style granular` for a kind of contact, by the name of the law. The last argument is the largest
viscosity over the effective mass that reverses no slip within a step [1/s]."""
WITHOUT_SPRINGS = ("memoryless",)
"""Laws that have no friction springs."""


def _resistance(stiffness: float, rolling: float, twisting: float, pair: Pair) -> str:
    """Resistance to rolling and twisting: in LAMMPS a spring [N/m] and a slider of the same limit, critically
    damped."""
    words, damping = "", 2.0 * math.sqrt(stiffness * pair.mass)
    if rolling > 0.0:
        words += f" rolling sds {exact(stiffness)} {exact(damping)} {exact(rolling)}"
    if twisting > 0.0:
        square = pair.radius**2
        limit = twisting * pair.radius
        words += f" twisting sds {exact(stiffness * square)} {exact(damping * square)} {exact(limit)}"
    return words


def _row(numbers: Any, pair: Pair) -> Any:
    """The row of the table of pairs of materials."""
    count = math.isqrt(len(numbers.table))
    return numbers.table[pair.i * count + pair.j]


def _restitution(share: float) -> float:
    """The restitution whose damping ratio is `share` (repose.sim.laws.materials.damping_share)."""
    return math.exp(-math.pi * share / math.sqrt(max(1.0 - share * share, 1e-12)))


def differences(law: str, parameters: Any, numbers: Any, kinds: Kinds, world: World, rotation: bool) -> Iterator[str]:
    """In what the law of LAMMPS differs; raises `ParameterError` for a form of the law without a counterpart."""
    if needs_sizes(law, parameters):
        own = kinds.radius[[kind.size for kind in kinds.kinds]][kinds.of] / world.radius
        far = float(np.abs(np.sqrt(own) - 1.0).max(initial=0.0))
        if far > 1e-12:
            yield (
                f"k_n is that of {len(kinds.radius)} classes of sizes, because LAMMPS multiplies it by the root of the "
                f"effective radius: it differs by at most {100.0 * far:.2g} %."
            )
    if law == "lee_herrmann":
        if parameters.coulomb_cap != "lammps":
            yield (
                f"LAMMPS limits spring and damper together by μ|F_n|; this run has coulomb_cap = "
                f"{parameters.coulomb_cap}. With coulomb_cap = lammps the laws are equal."
            )
        if parameters.normal_damping == 0.0 and parameters.shear_damping > 0.0:
            yield "Shear damping is left out: LAMMPS gives it as a share of the normal damping, which is 0."
    if law == "memoryless":
        if parameters.normal_viscosity == 0.0 and parameters.shear_viscosity > 0.0:
            yield "Friction is left out: LAMMPS gives its viscosity as a share of the normal one, which is 0."
        elif np.ptp(world.mass[~world.fixed] if not world.fixed.all() else world.mass) > 1e-9 * kinds.mass:
            yield "The viscosity of friction that ends the slip within a step is that of grains of the mean mass."
    if law == "voigt" and parameters.stiffness_from == "material":
        raise ParameterError(
            "The stiffness of this run follows from the materials at a reference overlap, which LAMMPS does not have: "
            "export a run with stiffness_from = given."
        )
    if law in ("jkr", "dmt") and parameters.restitution < 1.0:
        yield "LAMMPS damps adhesive contacts in proportion to the root of F_n over the overlap."
    if law == "jkr":
        yield "LAMMPS parts two grains at the pull-off force; here they part where the area of contact is lost."
    resists = getattr(parameters, "rolling_friction", 0.0) > 0.0
    resists |= hasattr(numbers, "table") and bool((numbers.table[:, [ROLLING, TWISTING]] > 0.0).any())
    if rotation and resists:
        yield "Rolling and twisting friction are springs in LAMMPS, with the same limits."

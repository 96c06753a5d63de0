"""Experiments without a recipe: a few spheres and planes of given materials, for scripts and notebooks.

The experiment has a scene of its own, which is not registered. The run cannot be saved: the script is its record.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import new_class
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim.engine.builder import add_spheres, empty_world, set_walls, with_levels
from repose.sim.engine.checked import checked_array, checked_flags, checked_number, numbers_in
from repose.sim.engine.contacts.wall_forces import PLANE
from repose.sim.engine.world import Floats, World, copy_world
from repose.sim.experiment.experiment import Course, Experiment, ModelChoice, Scene, SceneView
from repose.sim.experiment.faults import FARTHEST
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.simulation import Simulation
from repose.sim.laws.law import Law
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import Material
from repose.sim.message import EMPTY, Message, _, length_text, plain
from repose.sim.parameters import ParameterError, ParameterSet, Value, require_known
from repose.sim.registry import integrators, laws
from repose.sim.scenes.common.motion_parameters import MotionParameters, VerletFirst
from repose.sim.wording import value_text

NAME = "by hand"
SKIN = 0.3
"""Initial skin of the pair list, in radii of the smallest sphere [-]; later the skin is tuned at each rebuild."""


class OwnMaterials(ParameterSet):
    """A parameter set whose materials are given as records, one row each, and not by its parameters."""

    @classmethod
    def checked(cls, values: Mapping[str, Any]) -> Self:
        for name in MaterialParameters.model_fields.keys() & values.keys():
            if values[name] != cls.model_fields[name].default:
                raise ParameterError(
                    f"{name} = {value_text(values[name])} has no effect: the materials were given as records."
                )
        return super().checked(values)

    def differing(self) -> dict[tuple[int, int], dict[str, float]]:
        """Pairs whose properties are not the mean of both materials: empty."""
        return {}


@cache
def parameters_with(law: Law, materials: tuple[Material, ...] = ()) -> type[ParameterSet]:
    """Parameters of motion and of a law; a law of materials reads the given `materials`, if there are any."""
    bases: tuple[type[ParameterSet], ...] = (MotionParameters, law.parameters)
    entries: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": "Parameters of the motion and of the law.",
        "__annotations__": {"integrator": VerletFirst},
        "integrator": "velocity_verlet",
    }
    if materials and reads_materials(law):
        bases = (OwnMaterials, *bases)
        entries["materials"] = lambda parameters: materials
    return new_class("ByHandParameters", bases, exec_body=lambda namespace: namespace.update(entries))


def reads_materials(law: Law) -> bool:
    """Whether a law derives its forces from the materials of spheres and walls."""
    return issubclass(law.parameters, MaterialParameters)


@dataclass
class ByHandState:
    """State of an experiment without phases."""

    phase: str = "running"


def scene_of(world: World, law: Law, materials: tuple[Material, ...], rotation: bool) -> Scene:
    """The scene of one world: it begins with a copy of the world, and neither adds nor removes spheres."""
    dimension, count = world.search.cell.shape[0], world.sphere_count
    smallest = int(np.argmin(world.radius))
    size = float(world.mass[smallest]), float(world.radius[smallest])
    position, margin = world.motion[:dimension, 0], 2.0 * float(world.radius.max())
    low, high = tuple((position.min(axis=1) - margin).tolist()), tuple((position.max(axis=1) + margin).tolist())

    def begin(parameters: Any, seed: int) -> tuple[World, ByHandState]:
        levels = integrators()[parameters.integrator].levels
        return with_levels(copy_world(world), levels), ByHandState()

    def act(experiment: Experiment, action: str) -> Message:
        raise ParameterError(f"'{action}' is refused: spheres placed by hand have no actions.")

    return Scene(
        name=NAME,
        title=plain("Spheres placed by hand"),
        summary=plain("Spheres and planes of a script."),
        parameters=parameters_with(law, materials),
        model=ModelChoice(
            law=law.name,
            dimension=dimension,
            smallest_grain=lambda parameters: size,
            rotates=lambda parameters: rotation,
        ),
        course=Course(
            begin=begin,
            supervise=lambda experiment: None,
            actions=lambda experiment: (),
            act=act,
            phases=(Phase("running", _("running"), runs=True),),
            describe=lambda experiment: ("running", plain(f"{count} spheres"), None),
            results=lambda experiment: {"phase": experiment.phase},
            check=lambda experiment: EMPTY,
        ),
        view=SceneView(box=lambda experiment: (low, high)),
    )


def place_spheres(
    position: ArrayLike,
    radius: ArrayLike,
    material: Material | Sequence[Material] | None = None,
    *,
    mass: ArrayLike | None = None,
    velocity: ArrayLike = 0.0,
    spin: ArrayLike = 0.0,
    fixed: ArrayLike = False,
    planes: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    plane_material: Material | None = None,
    law: str = "hertz_mindlin",
    rotation: bool = True,
    **values: Value,
) -> Simulation:
    """A simulation of spheres, and of planes that are given by a point [m] and a normal.

    position (n, 2 or 3) [m]; radius [m], mass [kg] and `fixed` are one value or one per sphere; velocity [m/s] and spin
    [rad/s] broadcast to (n, ...). The default mass is that of a solid sphere of the material; the default of
    `plane_material` is the material of the first sphere. `values` are parameters such as `gravity`, `dt`, `integrator`
    and those of the law, SI. Raises `ParameterError`.
    """
    require_known(law, laws(), plain("law"))
    found: Law = laws()[law]
    places = np.atleast_2d(numbers_in("position", position))
    if places.ndim != 2 or places.shape[1] not in (2, 3) or not len(places):
        raise ParameterError(
            f"position has the shape {places.shape} and is refused: give 2 or 3 coordinates for each sphere, an array "
            "of the shape (spheres, 2) or (spheres, 3)."
        )
    count, dimension = places.shape
    if not isinstance(rotation, bool):
        raise ParameterError(f"rotation = {value_text(rotation)} is refused: it must be True or False.")
    if material is None and reads_materials(found) and plane_material is not None:
        raise ParameterError("plane_material is given without a material of the spheres: give both, or none.")
    each = _each(material, count)
    wall = plane_material if plane_material is not None else each[0] if each else None
    if wall is not None:
        _require_material("plane_material", wall)
    materials = tuple(dict.fromkeys([*each, *([wall] if wall else [])]))
    size = checked_array("radius", radius, (count,), "m", above=0.0)
    if mass is None:
        if not each:
            raise ParameterError("The spheres have neither mass nor material: give one of them.")
        mass = np.array([one.density for one in each]) * 4.0 / 3.0 * math.pi * size**3
    still = checked_flags("fixed", fixed, count)
    spin_length = 2 * dimension - 3 if rotation else 0
    if not rotation and np.any(numbers_in("spin", spin)):
        raise ParameterError(f"spin = {value_text(spin)} is refused: the spheres do not rotate; give rotation=True.")
    world = empty_world(
        dimension, spin_length, 3, SKIN * float(size.min()), materials=max(1, len(materials)) if each else 2
    )
    world = add_spheres(world, places, size, mass, velocity=velocity, spin=spin)
    _require_near(places, size)
    _require_apart(places, still)
    world.inverse_mass[:, still] = 0.0
    world.material[:] = [materials.index(one) for one in each] if each else 0
    if corners := _corners(planes, dimension):
        world = set_walls(world, [PLANE] * len(corners), corners, material=materials.index(wall) if wall else 1)
    scene = scene_of(world, found, materials if reads_materials(found) else (), rotation)
    return Simulation(scene, values)


def _corners(planes: Any, dimension: int) -> list[tuple[Floats, Floats, Floats]]:
    """The corners of planes for `set_walls`, from their points [m] and normals of any length."""
    try:
        pairs = [(point, normal) for point, normal in planes]
    except (TypeError, ValueError):
        point, up = (0.0,) * dimension, (*(0.0,) * (dimension - 1), 1.0)
        raise ParameterError(
            f"planes = {value_text(planes)} is refused: give a list of pairs of a point [m] and a normal, as in "
            f"[({point}, {up})]."
        ) from None
    return [
        (_vector(f"point of plane {k}", point, dimension, "m"), *_unit(f"normal of plane {k}", normal, dimension))
        for k, (point, normal) in enumerate(pairs)
    ]


def _vector(name: str, value: Any, dimension: int, unit: str = "") -> Floats:
    """A point or direction, shape (dimension,)."""
    given = numbers_in(name, value)
    if given.shape != (dimension,):
        raise ParameterError(
            f"{name} = {value_text(value)} is refused: it must have {dimension} coordinates, as the spheres have."
        )
    return checked_array(name, given, (dimension,), unit)


def _unit(name: str, value: Any, dimension: int) -> tuple[Floats, Floats]:
    """The unit vector of a direction, and the third corner of a plane, which is zero."""
    normal = _vector(name, value, dimension)
    length = checked_number(f"length of the {name}", np.linalg.norm(normal), above=0.0)
    return normal / length, 0.0 * normal


def _require_near(places: Floats, radii: Floats) -> None:
    """Refuse a sphere at a place where positions are too coarse for contacts."""
    far = np.abs(places).max(axis=1) > FARTHEST * radii
    if far.any():
        row = int(far.argmax())
        raise ParameterError(
            f"position[{row}] = {places[row].tolist()} m is refused: it must be within {FARTHEST * radii[row]:g} m of "
            "the origin, where contacts of its radius are resolved."
        )


def _require_apart(places: Floats, fixed: NDArray[np.bool_]) -> None:
    """Refuse a sphere that can move where another one is: the force between them has no direction."""
    order = np.lexsort(places.T)
    same = (np.diff(places[order], axis=0) == 0.0).all(axis=1) & ~(fixed[order[1:]] & fixed[order[:-1]])
    if same.any():
        at = int(np.flatnonzero(same)[0])
        first, second = sorted(map(int, order[at : at + 2]))
        raise ParameterError(
            f"Spheres {first} and {second} are at exactly the same place, {length_text(*places[first])}, where the "
            "force between them has no direction: move one of them."
        )


def _each(material: Any, count: int) -> tuple[Material, ...]:
    """The material of each sphere; empty without materials."""
    if material is None:
        return ()
    several = isinstance(material, Sequence) and not isinstance(material, Material | str)
    each = material if several else (material,) * count
    for k, one in enumerate(each):
        _require_material(f"material[{k}]" if several else "material", one)
    if len(each) != count:
        raise ParameterError(f"{len(each)} materials are given for {count} spheres: give one, or one per sphere.")
    return tuple(each)


def _require_material(name: str, value: Any) -> None:
    """Refuse what is no `Material`."""
    if not isinstance(value, Material):
        raise ParameterError(f"{name} = {value_text(value)} is refused: give a Material.")

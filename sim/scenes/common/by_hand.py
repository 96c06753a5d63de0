"""Experiments without a recipe: spheres, bodies, bonds and walls of given materials, for scripts and notebooks.

The experiment has a scene of its own, which is not registered. What the scene is made of are data: the world at its
beginning, and a `SceneRecipe` of names and numbers. A saved run contains both, and the scene is made of them again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from types import ModuleType, new_class
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from repose.sim.direction import NOT_DIRECTED
from repose.sim.engine.body_builder import BodyShape, add_bodies
from repose.sim.engine.boundaries import in_cell, periodic_dimensions
from repose.sim.engine.builder import SphereGroup, add_bonds, add_spheres, empty_world, set_walls, with_levels
from repose.sim.engine.checked import checked_array, checked_flags, checked_number, numbers_in
from repose.sim.engine.contacts.wall_forces import CYLINDER, FACET, PLANE
from repose.sim.engine.world import LOWEST, PERIOD, Floats, State, World
from repose.sim.experiment.experiment import Course, Experiment, Hand, ModelChoice, Scene, SceneView
from repose.sim.experiment.faults import FARTHEST
from repose.sim.experiment.phase import Phase
from repose.sim.experiment.simulation import Simulation
from repose.sim.io.plain import Tables, decode
from repose.sim.io.world_tables import packed, unpacked
from repose.sim.laws.law import Law
from repose.sim.laws.material_parameters import MaterialParameters
from repose.sim.laws.materials import Material
from repose.sim.message import EMPTY, Message, _, length_text, plain
from repose.sim.parameters import ParameterError, ParameterSet, checked_seed, plain_number, require_known
from repose.sim.registry import bonds, integrators, laws
from repose.sim.registry import fields as known_fields
from repose.sim.scenes.common.grain_sizes import SIZES
from repose.sim.scenes.common.motion_parameters import MotionParameters, VerletFirst
from repose.sim.scenes.common.setup import Bodies, Bonds, Cylinder, Facet, Plane, Setup, Spheres
from repose.sim.size_distribution import random_radii, read_sizes
from repose.sim.wording import value_text

NAME = "by hand"
THINNEST = 1e-9
"""Height of a triangle in units of its longest side from which on its corners are not on one line [-]."""
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


@dataclass(frozen=True)
class SceneRecipe:
    """What the scene of a script is made of besides its world: names and numbers, as in a saved run."""

    law: str
    rotation: bool = True
    materials: tuple[dict[str, float], ...] = ()
    """The properties of each material by name; empty for a law that reads none, or reads its own parameters."""
    fields: tuple[str, ...] = ()
    bond: str = ""
    """Name of the bond law; empty without bonds."""
    bodies: bool = False
    down: tuple[float, ...] = ()
    """Direction of gravity, a unit vector; empty for downwards along the last axis."""


@cache
def parameters_with(
    law: Law,
    materials: tuple[Material, ...] = (),
    further: tuple[type[ParameterSet], ...] = (),
    down: tuple[float, ...] = (),
) -> type[ParameterSet]:
    """Parameters of motion and of a law, and `further` ones of fields and bonds; a law of materials reads the given
    `materials`, if there are any. Gravity has the direction `down`; empty for downwards along the last axis."""
    bases: tuple[type[ParameterSet], ...] = (MotionParameters, law.parameters, *further)
    entries: dict[str, Any] = {
        "__module__": __name__,
        "__doc__": "Parameters of the motion, of the law, and of fields and bonds.",
        "__annotations__": {"integrator": VerletFirst},
        "integrator": "velocity_verlet",
    }
    if materials and reads_materials(law):
        bases = (OwnMaterials, *bases)
        entries["materials"] = lambda parameters: materials
    if down:
        entries["gravity_vector"] = lambda parameters, dimension: turned(down, parameters.gravity, parameters.tilt)
    return new_class("ByHandParameters", bases, exec_body=lambda namespace: namespace.update(entries))


def turned(down: tuple[float, ...], size: float, tilt: float) -> tuple[float, ...]:
    """A vector of this size along `down`, turned by `tilt` [rad] in the plane of the first and the last axis: a
    positive tilt turns downwards to rightwards."""
    cosine, sine = math.cos(tilt), math.sin(tilt)
    first, last = down[0] * cosine - down[-1] * sine, down[0] * sine + down[-1] * cosine
    return tuple(size * entry for entry in (first, *down[1:-1], last))


def reads_materials(law: Law) -> bool:
    """Whether a law derives its forces from the materials of spheres and walls."""
    return issubclass(law.parameters, MaterialParameters)


@dataclass
class ByHandState:
    """State of an experiment without phases."""

    phase: str = "running"


@dataclass(frozen=True)
class MadeByHand:
    """What a saved run contains of a scene that is in no list (`Scene.made_of`)."""

    recipe: SceneRecipe
    world: State
    """The state of the world at the beginning; never changed."""


def scene_of(world: State, recipe: SceneRecipe) -> Scene:
    """The scene of one world: it begins with a copy of this state, and neither adds nor removes spheres. Raises
    `ParameterError` for names that this program does not know."""
    require_known(recipe.law, laws(), plain("law"))
    for name in recipe.fields:
        require_known(name, known_fields(), plain("field"))
    if recipe.bond:
        require_known(recipe.bond, bonds(), plain("bond law"))
    further = [known_fields()[name].parameters for name in recipe.fields]
    further += [bonds()[recipe.bond].parameters] if recipe.bond else []
    materials = tuple(Material(**properties) for properties in recipe.materials)
    dimension, count = world.dimension, world.sphere_count
    smallest = int(np.argmin(world.radius))
    size = float(world.mass[smallest]), float(world.radius[smallest])
    position, margin = world.motion[:dimension, 0], 2.0 * float(world.radius.max())
    low, high = position.min(axis=1) - margin, position.max(axis=1) + margin
    for c in periodic_dimensions(world.boundary):
        low[c], high[c] = world.boundary[LOWEST, c], world.boundary[[LOWEST, PERIOD], c].sum()
    corners = tuple(low.tolist()), tuple(high.tolist())

    def begin(parameters: Any, seed: int) -> tuple[World, ByHandState]:
        levels = integrators()[parameters.integrator].levels
        return with_levels(unpacked(world), levels), ByHandState()

    def act(experiment: Experiment, action: str) -> Message:
        raise ParameterError(f"'{action}' is refused: spheres placed by hand have no actions.")

    return Scene(
        name=NAME,
        title=plain("Spheres placed by hand"),
        summary=plain("Spheres and walls of a script."),
        direction=NOT_DIRECTED,
        parameters=parameters_with(laws()[recipe.law], materials, tuple(further), recipe.down),
        model=ModelChoice(
            law=recipe.law,
            dimension=dimension,
            smallest_grain=lambda parameters: size,
            rotates=lambda parameters: recipe.rotation,
            fields=lambda parameters: recipe.fields,
            bond=lambda parameters: recipe.bond,
            bodies=lambda parameters: recipe.bodies,
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
        view=SceneView(box=lambda experiment: corners),
        hand=Hand(moves_walls=True),
        made_of=MadeByHand(recipe, world),
    )


def scene_from_file(data: Any, tables: Tables, world: State) -> Scene:
    """The scene of a saved run, from its recipe as JSON data and its world; raises `PlainError`, `ParameterError`."""
    return scene_of(world, decode(SceneRecipe, data, tables, "recipe"))


def module_of(scene: Scene) -> ModuleType:
    """The scene as a module that can be added to the registry, for programs that look up scenes by name."""
    module = ModuleType("repose_by_hand")
    module.SCENE = scene  # type: ignore[attr-defined]
    return module


def scene_of_setup(setup: Any, values: Any) -> tuple[Scene, Any]:
    """The scene of a `Setup`, and the values of its parameters, in which gravity has become a number; raises
    `ParameterError`."""
    if not isinstance(setup, Setup):
        raise ParameterError(
            f"scene = {value_text(setup)} is refused: give the name of a scene, its record, or a Setup."
        )
    require_known(setup.law, laws(), plain("law"))
    if not isinstance(setup.rotation, bool):
        raise ParameterError(f"rotation = {value_text(setup.rotation)} is refused: it must be True or False.")
    groups, bodies = _listed(setup.spheres, Spheres, "spheres"), _listed(setup.bodies, Bodies, "bodies")
    walls = _listed(setup.walls, (Plane, Cylinder, Facet), "walls")
    if not groups and not bodies:
        raise ParameterError("The setup has neither spheres nor bodies: give one of them.")
    dimension = _dimension(groups, bodies)
    values, down = _with_size_of_gravity(values, dimension)
    law = laws()[setup.law]
    of_spheres = [_each(group.material, len(np.atleast_2d(numbers_in("position", group.position)))) for group in groups]
    given = [material for each in of_spheres for material in each.kinds]
    given += [_checked_material("material", body.material) for body in bodies if body.material is not None]
    own = [_checked_material("material of a wall", wall.material) for wall in walls if wall.material is not None]
    if own and not given and reads_materials(law):
        raise ParameterError("The walls have a material without a material of the spheres: give both, or none.")
    materials = tuple(dict.fromkeys([*given, *own]))
    world = _world_of(setup, groups, of_spheres, materials, dimension)
    if walls:
        corners, shapes = [], []
        for number, wall in enumerate(walls):
            shape, corner = _corners(wall, number, dimension)
            shapes.append(shape)
            corners.append(corner)
        speed = [
            np.broadcast_to(checked_array(f"velocity of wall {number}", wall.velocity, (dimension,), "m/s"), dimension)
            for number, wall in enumerate(walls)
        ]
        spins = [
            checked_number(f"spin of wall {n}", getattr(wall, "spin", 0.0), "rad/s") for n, wall in enumerate(walls)
        ]
        rows = [materials.index(wall.material or given[0]) if given or wall.material else 1 for wall in walls]
        world = set_walls(world, shapes, corners, velocity=speed, spin=spins, material=rows)
    if setup.bonds is not None:
        if not isinstance(setup.bonds, Bonds):
            raise ParameterError(f"bonds = {value_text(setup.bonds)} is refused: give the record Bonds.")
        require_known(setup.bonds.law, bonds(), plain("bond law"))
        one = setup.bonds
        world = add_bonds(world, one.i, one.j, one.numbers, rest_length=one.rest_length)
    recipe = SceneRecipe(
        setup.law,
        setup.rotation,
        tuple(material._asdict() for material in materials) if reads_materials(law) else (),
        _names_of_fields(setup.fields),
        "" if setup.bonds is None else setup.bonds.law,
        bool(bodies),
        down,
    )
    return scene_of(packed(world), recipe), values


def _listed(given: Any, kinds: Any, name: str) -> list[Any]:
    """One record or several, as a list; raises `ParameterError` for anything else."""
    several = [given] if isinstance(given, kinds) else list(given) if isinstance(given, list | tuple) else [given]
    for entry in several:
        if not isinstance(entry, kinds):
            known = kinds if isinstance(kinds, tuple) else (kinds,)
            wanted = ", ".join(kind.__name__ for kind in known)
            raise ParameterError(f"{name} = {value_text(entry)} is refused: give records of {wanted}.")
    return several


def _dimension(groups: Sequence[Spheres], bodies: Sequence[Bodies]) -> int:
    """2 or 3, the same for all spheres and bodies."""
    for body in bodies:
        if not isinstance(body.shape, BodyShape):
            raise ParameterError(f"shape = {value_text(body.shape)} is refused: give one of shape_of_spheres.")
    positions = [*(group.position for group in groups), *(body.position for body in bodies)]
    tables = [np.atleast_2d(numbers_in("position", position)) for position in positions]
    for places in tables:
        if places.ndim != 2 or places.shape[1] not in (2, 3) or not len(places):
            raise ParameterError(
                f"position has the shape {places.shape} and is refused: give 2 or 3 coordinates for each sphere, an "
                "array of the shape (spheres, 2) or (spheres, 3)."
            )
    dimensions = {int(places.shape[1]) for places in tables}
    if len(dimensions) > 1:
        raise ParameterError("Some positions have 2 coordinates, others 3: give the same number for all.")
    return dimensions.pop()


def _with_size_of_gravity(values: Any, dimension: int) -> tuple[Any, tuple[float, ...]]:
    """The values with the size of gravity in place of a vector, and its direction; empty for downwards."""
    gravity = values.get("gravity") if isinstance(values, Mapping) else None
    is_vector = isinstance(gravity, list | tuple) or getattr(gravity, "ndim", 0) > 0
    if not is_vector:
        return values, ()
    vector = numbers_in("gravity", gravity)
    if vector.shape != (dimension,):
        raise ParameterError(
            f"gravity = {value_text(gravity)} is refused: give its size, or a vector with {dimension} coordinates."
        )
    vector = checked_array("gravity", vector, (dimension,), "m/s²")
    size = float(np.linalg.norm(vector))
    straight = size == 0.0 or (vector[-1] < 0.0 and not vector[:-1].any())
    return {**values, "gravity": size}, () if straight else tuple((vector / size).tolist())


def _names_of_fields(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise ParameterError(
            f"fields = {value_text(given)} is refused: give a list of names of fields, as in ['liquid']."
        )
    for name in given:
        require_known(name, known_fields(), plain("field"))
    return tuple(given)


def _world_of(
    setup: Setup,
    groups: Sequence[Spheres],
    of_spheres: Sequence[EachMaterial],
    materials: Sequence[Material],
    dimension: int,
) -> World:
    """The world with spheres and bodies, without walls; raises `ParameterError`."""
    spin_length = 2 * dimension - 3 if setup.rotation else 0
    bodies = _listed(setup.bodies, Bodies, "bodies")
    sizes = [checked_array("radius", one.radius, (_count(one),), "m", above=0.0) for one in groups]
    smallest = min(float(size.min()) for size in (*sizes, *(body.shape.radius for body in bodies)))
    world = empty_world(
        *(dimension, spin_length, 3, SKIN * smallest),
        materials=max(1, len(materials)) if materials else 2,
        period=setup.period,
        lowest=setup.lowest,
    )
    still: list[NDArray[np.bool_]] = []
    for one, size, each in zip(groups, sizes, of_spheres, strict=True):
        if not setup.rotation and np.any(numbers_in("spin", one.spin)):
            raise ParameterError(
                f"spin = {value_text(one.spin)} is refused: the spheres do not rotate; give rotation=True."
            )
        mass: ArrayLike
        if one.mass is not None:
            mass = one.mass
        elif each.kinds:
            mass = np.array([material.density for material in each.kinds])[each.rows] * 4.0 / 3.0 * math.pi * size**3
        else:
            raise ParameterError("The spheres have neither mass nor material: give one of them.")
        if materials and not each.kinds:
            raise ParameterError("Some spheres have a material and others have none: give one to all, or to none.")
        before = world.sphere_count
        group = SphereGroup(first_id=before)
        world = add_spheres(world, np.atleast_2d(one.position), size, mass, group, velocity=one.velocity, spin=one.spin)
        still.append(checked_flags("fixed", one.fixed, _count(one)))
        if each.kinds:
            world.material[before:] = np.array([materials.index(material) for material in each.kinds])[each.rows]
    places = world.motion[:dimension, 0].T
    _require_near(places, world.radius)
    if still:
        _require_apart(in_cell(places, world.boundary), np.concatenate(still))
        world.inverse_mass[:, np.concatenate(still)] = 0.0
    for body in bodies:
        before = world.sphere_count
        if materials and body.material is None:
            raise ParameterError("Some bodies have no material, and there are materials: give one to all, or to none.")
        group = SphereGroup(
            fixed=bool(checked_flags("fixed", body.fixed, 1)[0]),
            material=materials.index(body.material) if body.material is not None else 0,
            first_id=before,
        )
        moving = {"orientation": body.orientation, "velocity": body.velocity, "spin": body.spin}
        world = add_bodies(world, body.shape, body.position, group, **moving)
        _require_near(world.motion[:dimension, 0, before:].T, world.radius[before:])
    return world


def _count(group: Spheres) -> int:
    return len(np.atleast_2d(numbers_in("position", group.position)))


def place_spheres(
    position: ArrayLike,
    radius: ArrayLike | None = None,
    material: Material | Sequence[Material] | None = None,
    *,
    planes: Sequence[tuple[ArrayLike, ArrayLike]] = (),
    plane_material: Material | None = None,
    threads: int | None = None,
    **named: Any,
) -> Simulation:
    """A simulation of spheres, and of planes that are given by a point [m] and a normal: `Setup` in one line.

    position (n, 2 or 3) [m]; radius [m], one or one per sphere; or in its place `sizes`, the text of a size
    distribution or the path of a CSV file with a sieve curve, with `mean_radius` [m] unless it is a sieve curve, and
    with the `seed` of the order (repose.sim.size_distribution). `named` are the further fields of `Spheres` (`mass`,
    `velocity`, `spin`, `fixed`) and of `Setup` (`law`, `rotation`, `walls`, `bodies`, `bonds`, `fields`, `period`,
    `lowest`), and parameters such as `gravity`, `dt`, `integrator` and those of the law, SI; `threads` as in
    `Simulation`. Raises `ParameterError`.
    """
    radius = _radii_of(position, radius, named)
    of_spheres, of_setup = (
        {entry.name: named.pop(entry.name) for entry in fields(kind) if entry.name in named}
        for kind in (Spheres, Setup)
    )
    if "spheres" in of_setup:
        raise ParameterError("spheres is refused: place_spheres has one group of spheres; give several to a Setup.")
    if plane_material is not None and material is None:
        raise ParameterError("plane_material is given without a material of the spheres: give both, or none.")
    standing = [Plane(point, normal, material=plane_material) for point, normal in _pairs(planes, position)]
    walls = [*standing, *_listed(of_setup.pop("walls", ()), (Plane, Cylinder, Facet), "walls")]
    return Simulation(
        Setup(Spheres(position, radius, material, **of_spheres), walls=walls, **of_setup), named, threads=threads
    )


def _radii_of(position: ArrayLike, radius: ArrayLike | None, named: dict[str, Any]) -> ArrayLike:
    """The given radii, or those of the size distribution in `named`, whose entries are removed."""
    sizes, mean, seed = (named.pop(name, None) for name in ("sizes", "mean_radius", "seed"))
    if (sizes is None) == (radius is None):
        raise ParameterError("Give place_spheres either radius, or sizes with mean_radius.")
    if radius is not None:
        return radius
    if not isinstance(sizes, str):
        raise ParameterError(f"sizes = {value_text(sizes)} is refused: give a text such as '{SIZES.examples[0]}'.")
    of_file = sizes.lower().endswith(SIZES.suffixes)
    distribution = read_sizes(SIZES.of_file(sizes) if of_file else sizes)
    if mean is None and (mean := distribution.mean_radius) is None:
        raise ParameterError("sizes has no mean_radius: give it [m]; only a sieve curve has one of its own.")
    count = len(np.atleast_2d(numbers_in("position", position)))
    generator = np.random.default_rng(checked_seed(1 if seed is None else plain_number(seed)))
    return random_radii(distribution, count, checked_number("mean_radius", mean, "m", above=0.0), generator)


def _pairs(planes: Any, position: Any) -> list[tuple[Any, Any]]:
    """The points and normals of planes."""
    try:
        return [(point, normal) for point, normal in planes]
    except (TypeError, ValueError):
        dimension = np.atleast_2d(numbers_in("position", position)).shape[-1]
        point, up = (0.0,) * dimension, (*(0.0,) * (dimension - 1), 1.0)
        raise ParameterError(
            f"planes = {value_text(planes)} is refused: give a list of pairs of a point [m] and a normal, as in "
            f"[({point}, {up})]."
        ) from None


def _corners(wall: Plane | Cylinder | Facet, number: int, dimension: int) -> tuple[int, Floats]:
    """Shape and corners of a wall for `set_walls`."""
    none = np.zeros(dimension)
    match wall:
        case Plane():
            point = _vector(f"point of plane {number}", wall.point, dimension, "m")
            return PLANE, np.array([point, _unit(f"normal of plane {number}", wall.normal, dimension), none])
        case Cylinder():
            if dimension == 2:
                raise ParameterError("A cylinder is for spheres in space: in the plane, give facets in a ring.")
            point = _vector(f"point of cylinder {number}", wall.point, dimension, "m")
            size = checked_number(f"radius of cylinder {number}", wall.radius, "m", above=0.0)
            side = 1.0 if checked_flags("inside", wall.inside, 1)[0] else -1.0
            axis = _unit(f"axis of cylinder {number}", wall.axis, dimension)
            return CYLINDER, np.array([point, axis, (size, side, 0.0)])
        case Facet():
            corners = numbers_in(f"corners of facet {number}", wall.corners)
            if corners.shape != (dimension, dimension):
                raise ParameterError(
                    f"corners of facet {number} have the shape {corners.shape}: give {dimension} points with "
                    f"{dimension} coordinates each [m]."
                )
            _require_extent(corners, number)
            return FACET, corners[[0, 1, 1]] if dimension == 2 else corners


def _require_extent(corners: Floats, number: int) -> None:
    """Raise `ParameterError` for a facet whose corners are on one line, or at one point in the plane: it has no normal,
    and spheres would touch nothing but its edges."""
    edges = corners[1:] - corners[0]
    longest = float(np.abs(np.vstack((edges, edges[0] - edges[-1]))).max())
    if len(edges) == 1:
        flat = longest == 0.0
    else:
        flat = float(np.linalg.norm(np.cross(edges[0], edges[1]))) <= THINNEST * longest**2
    if flat:
        raise ParameterError(
            f"The corners of facet {number} are {'equal' if len(edges) == 1 else 'on one line'}: "
            f"give {len(corners)} corners of a {'line' if len(edges) == 1 else 'triangle'} [m]."
        )


def _vector(name: str, value: Any, dimension: int, unit: str = "") -> Floats:
    """A point or direction, shape (dimension,)."""
    given = numbers_in(name, value)
    if given.shape != (dimension,):
        raise ParameterError(
            f"{name} = {value_text(value)} is refused: it must have {dimension} coordinates, as the spheres have."
        )
    return checked_array(name, given, (dimension,), unit)


def _unit(name: str, value: Any, dimension: int) -> Floats:
    """The unit vector of a direction."""
    direction = _vector(name, value, dimension)
    return direction / checked_number(f"length of the {name}", np.linalg.norm(direction), above=0.0)


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


class EachMaterial(NamedTuple):
    """The material of each sphere, by its row among the different ones: there may be a million spheres."""

    kinds: tuple[Material, ...]
    """Empty without materials."""
    rows: NDArray[np.int64]
    """Shape (spheres,)."""


def _each(material: Any, count: int) -> EachMaterial:
    """The material of each sphere."""
    rows = np.zeros(count, np.int64)
    if material is None:
        return EachMaterial((), rows)
    if not isinstance(material, Sequence) or isinstance(material, Material | str):
        return EachMaterial((_checked_material("material", material),), rows)
    given, known = list(material), dict[int, int]()
    kinds: list[Material] = []
    for k, one in enumerate(given):
        if id(one) not in known:
            known[id(one)] = len(kinds)
            kinds.append(_checked_material(f"material[{k}]", one))
    if len(given) != count:
        raise ParameterError(f"{len(given)} materials are given for {count} spheres: give one, or one per sphere.")
    rows[:] = [known[id(one)] for one in given]
    return EachMaterial(tuple(kinds), rows)


def _checked_material(name: str, value: Any) -> Material:
    """The value, if it is a `Material`; raises `ParameterError`."""
    if not isinstance(value, Material):
        raise ParameterError(f"{name} = {value_text(value)} is refused: give a Material.")
    return value

"""Check that the world with which a scene begins has the tables that the functions of the scene read.

Compiled code reads tables without a check of their lengths.
"""

from __future__ import annotations

from typing import Any

from repose.sim.engine.boundaries import flaw_of_room
from repose.sim.engine.composition import reach_in
from repose.sim.engine.world import MATERIAL_COUNT, World
from repose.sim.experiment.activation import model_for
from repose.sim.experiment.experiment import Scene
from repose.sim.parameters import ParameterError
from repose.sim.registry import fields, laws
from repose.sim.scene_fields import no_phase_in_state


def checked_world(scene: Scene, parameters: Any, made: Any) -> tuple[World, Any]:
    """World and state with which the scene begins; raises `ParameterError` if a table does not suit the scene."""
    whole = isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], World)
    if (
        flaw := flaw_of_world(scene, parameters, made[0])
        if whole
        else "its function begin must return a World and its state"
    ):
        raise ParameterError(f"The scene '{scene.name}' cannot begin: {flaw}.")
    if not hasattr(made[1], "phase"):
        raise no_phase_in_state(scene.name, scene.phase_names)
    scene.phase(made[1].phase)
    return made[0], made[1]


def flaw_of_world(scene: Scene, parameters: Any, world: World) -> str:
    """Which table of the world does not suit the scene, in words; empty if all do."""
    dimension, coordinates = world.dimension, world.motion.shape[0]
    if dimension != scene.model.dimension:
        declared = scene.model.dimension
        return f"its world has {dimension} dimensions, the scene {declared}; give empty_world {declared}"
    model = model_for(scene, parameters, parameters)
    if coordinates - dimension != model.spin_length:
        return (
            f"the spheres of its world have {coordinates - dimension} components of spin, 'rotates' of its model asks "
            f"for {model.spin_length}; give empty_world the spin_length {model.spin_length}"
        )
    bonds = world.bonds.i.size if world.bonds else 0
    if bonds and model.bond is None:
        return (
            f"its world has bonds ({bonds}), the scene no law for them; give its model bond=lambda parameters: 'spring'"
        )
    if bonds and model.bond is not None and len(world.bonds.own) != model.bond.columns:
        return (
            f"each of its bonds has {len(world.bonds.own)} numbers, the bond law '{scene.model.bond(parameters)}' "
            f"reads {model.bond.columns}; give add_bonds as many"
        )
    bodies = world.bodies.begin.size - 1 if world.bodies else 0
    if bodies and not model.bodies:
        return f"its world has rigid bodies ({bodies}), the scene none; give its model bodies=lambda parameters: True"
    if flaw := _flaw_of_boundary(scene, parameters, world):
        return flaw
    return _flaw_of_materials(scene, parameters, world) if model.law.needs_material else ""


def _flaw_of_boundary(scene: Scene, parameters: Any, world: World) -> str:
    if not world.is_periodic:
        return ""
    for name in scene.model.fields(parameters):
        if fields()[name].at_a_place:
            return f"its world is periodic and the field '{name}' has no images; leave out the field or the period"
    law = laws()[scene.law_of(parameters)]
    reach = reach_in(world, law.bind(parameters), law.coefficients(parameters))
    flaw = flaw_of_room(world.boundary, 2.0 * float(world.radius.max(initial=0.0)) + reach)
    return f"{flaw[0].lower()}{flaw[1:-1]}" if flaw else ""


def _flaw_of_materials(scene: Scene, parameters: Any, world: World) -> str:
    law = scene.law_of(parameters)
    pairs, count = len(laws()[law].coefficients(parameters).table), int(world.counters[MATERIAL_COUNT])
    if pairs != count**2:
        return (
            f"its world has {count} materials, the law '{law}' {round(pairs**0.5)}; give empty_world the number of "
            "materials of the parameters"
        )
    for what, rows in (("sphere", world.material), ("wall", world.walls.material)):
        if rows.size and not 0 <= rows.min() <= rows.max() < count:
            wrong = int(rows.min() if rows.min() < 0 else rows.max())
            return f"a {what} has the material {wrong}, and there are {count}; use a row from 0 to {count - 1}"
    return ""

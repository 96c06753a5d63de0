"""Survey: stored energy, largest overlap and largest stable time step of all forces at one moment.

For the time step the network of contacts is bounded sphere by sphere. A single contact e with stiffness k between
inverse masses b_i and b_j oscillates at w_e² = k (b_i + b_j) along its normal n. Since (x - y)² <= (1 + t) x² +
(1 + 1/t) y² for any t > 0, the choice t = b_j/b_i gives for the stiffest mode of the whole network

    w² <= max over spheres of the largest eigenvalue of  sum over its contacts of w_e² n n^T .

The bound is exact for a single pair and for a triangular lattice. Damping is bounded in the same way, and so are rigid
bodies, with translation and rotation in one matrix (repose.sim.engine.timestep.stiffness_sums). The stiffness of a
field acts on one sphere and is added to its sum. A bond adds its stiffness to both ends like a contact; bending and
twisting stiffness are added in all directions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from repose.sim.engine import arrays
from repose.sim.engine.bond_forces import NO_BOND, BondSurvey, survey_bonds
from repose.sim.engine.boundaries import shortest_branch
from repose.sim.engine.contacts.contact_table import (
    ContactRange,
    Evaluation,
    blank_table,
    evaluation_of,
    plain_evaluation,
    recorded_table,
)
from repose.sim.engine.fields import FieldSurvey, sum_of, survey_fields
from repose.sim.engine.jit import call, compilable, compiled, fingerprint
from repose.sim.engine.model import NO_COEFFICIENTS, BoundBond, BoundField, Coefficients, Model, Shapes, for_world
from repose.sim.engine.packed import likeness
from repose.sim.engine.records import record_of
from repose.sim.engine.roots import inverse_root
from repose.sim.engine.timestep.stable_step import RATIO_GRID, limit_table
from repose.sim.engine.timestep.stiffness_sums import (
    ElasticContact,
    add_contact,
    blank_body_sums,
    largest_eigenvalue,
    merge_members,
    step_for,
    weigh_bodies,
    weight_of,
)
from repose.sim.engine.world import PAIR_COUNT, WALL_CONTACT_COUNT, Floats, World


class Survey(NamedTuple):
    """Sums and extremes over all contacts of a world at one moment."""

    contacts: int
    elastic_energy: float
    """[J]."""
    shear_energy: float
    """Energy stored in friction springs [J]."""
    largest_overlap: float
    """Overlap / radius of the smaller sphere that can move [-]."""
    stable_dt: float
    """Largest time step at which the integrator is stable [s]; infinite if nothing touches."""
    omega: float
    """Frequency bound of the sphere that sets `stable_dt` [1/s]."""
    damping_ratio: float
    """Bound of the damping ratio of that sphere [-]."""
    stiffest: int
    """Row of that sphere, or -1."""
    field_energy: float = 0.0
    """Potential energy in fields other than gravity [J]."""
    bond_energy: float = 0.0
    """Energy stored in bonds [J]."""
    friction_work: float = 0.0
    """Part of `shear_energy` that has been stored since the last evaluation of forces [J]."""


TURNS = 3
"""How often the contacts are surveyed if there are bodies: after each time the weights of the bodies are closer to the
motion of the highest frequency. The longest of the steps that result is stable, since each is."""
CHUNK = 1024
"""Number of contacts evaluated at a time: their table stays in the cache of a core."""


def compose_survey(model: Model) -> Callable[..., Survey]:
    """survey(world, params, numbers) -> Survey; `Numbers.time` is the present time [s]."""
    evaluation = evaluation_of(model)
    contacts_only = not model.fields and model.bond is None and not model.law.acts_at_distance
    called = False

    def survey(world: World, params: tuple, coefficients: Coefficients = NO_COEFFICIENTS) -> Survey:
        nonlocal called
        if contacts_only and not called and nothing_touches(world):
            return Survey(0, 0.0, 0.0, 0.0, math.inf, 0.0, 0.0, -1)
        called = True
        return surveyed(model, world, evaluation(world, params), coefficients)

    return survey


def compile_survey(model: Model, world: World, params: tuple, coefficients: Coefficients) -> None:
    """Compile the survey, also if nothing touches."""
    surveyed(model, world, evaluation_of(model)(world, params), coefficients)


def surveyed(model: Model, world: World, law: Evaluation, coefficients: Coefficients) -> Survey:
    """The survey, compiled."""
    _, *given = survey_arguments(model, world, law.address, law.params, coefficients)
    table, record = recorded_table(world, CHUNK, elasticity=True)
    found = Survey(*compiled_survey(for_world(model, world.is_periodic))(record_of(world), *given, record))
    del table  # the survey writes it by address: it must exist until here
    return found


def compiled_survey(model: Model) -> Any:
    """survey(`survey_arguments`) -> the fields of a `Survey`."""
    return _compiled(of_model(model))


def survey_arguments(
    model: Model, world: World, evaluation: Any, params: Any, coefficients: Coefficients
) -> tuple[Any, ...]:
    """Arguments of the survey but the last one, a table of contacts. The compiled survey gets addresses in place of the
    world, the evaluation of the law, its numbers and the table."""
    of_bodies = blank_body_sums(world) if model.bodies else ()
    return world, evaluation, params, limits_of(model), blank_sums(world), of_bodies, coefficients


def plain_survey(model: Model) -> Callable[..., Survey]:
    """`compose_survey` in plain Python, for tests."""

    def survey(world: World, params: tuple, coefficients: Coefficients = NO_COEFFICIENTS) -> Survey:
        fitting = for_world(model, world.is_periodic)
        loop = survey_loop(of_model(fitting), "")
        evaluation = plain_evaluation(model.law, fitting.shapes, likeness(params))
        table = blank_table(world, CHUNK, elasticity=True)
        return Survey(*loop(*survey_arguments(model, world, evaluation, params, coefficients), table))

    return survey


class SurveyedModel(NamedTuple):
    """The part of a model on which the compiled survey depends; the contact law is not included."""

    shapes: Shapes
    fields: tuple[BoundField, ...]
    bond: BoundBond | None
    bodies: bool


def of_model(model: Model) -> SurveyedModel:
    """The part of this model on which its survey depends."""
    shapes = model.shapes._replace(material=(), reach=())
    if model.bond is None:  # only the branch of a bond depends on it
        shapes = shapes._replace(periodic=())
    return SurveyedModel(shapes, model.fields, model.bond, model.bodies)


@lru_cache(maxsize=64)
def _compiled(model: SurveyedModel) -> Any:
    return compiled(survey_loop(model, fingerprint()))


def survey_loop(model: SurveyedModel, source: str) -> Callable:
    """The survey as plain Python."""
    shapes = model.shapes
    has_fields = bool(model.fields)
    fields = sum_of(model.fields)
    field_potential, field_stiffness = fields.potential, fields.stiffness
    has_bodies = model.bodies
    turns = TURNS if has_bodies else 1
    has_bonds = model.bond is not None
    bond = model.bond or NO_BOND
    energy_of_bond, bond_stiffness, own = bond.energy, bond.stiffness, (0.0,) * bond.columns

    def survey_all(world, evaluation, params, limits, sums, of_bodies, coefficients, table):
        source  # noqa: B018  part of the closure: see repose.sim.engine.jit
        entries = world.counters[PAIR_COUNT] + world.counters[WALL_CONTACT_COUNT]
        totals = (0, 0.0, 0.0, 0.0, 0.0)
        field_energy = 0.0
        bond_energy = 0.0
        stiffest = (np.inf, 0.0, 0.0, -1)
        for turn in range(turns):
            totals = (0, 0.0, 0.0, 0.0, 0.0)
            for first in range(0, entries, table.i.size):
                last = min(first + table.i.size, entries)
                count = call(evaluation, ContactRange(world, params, first, last, table))
                totals = survey_contacts(world, table, count, shapes, sums, of_bodies, totals)
            if has_fields:
                field = FieldSurvey(field_potential, field_stiffness, coefficients.fields, coefficients.time)
                weighing = world.mass
                if has_bodies:
                    weighing = world.bodies.own_mass
                field_energy = survey_fields(world, field, shapes, weighing, sums)
            if has_bonds:
                survey = BondSurvey(energy_of_bond, bond_stiffness, coefficients.bond, own)
                bond_energy = survey_bonds(world, survey, shapes, sums)
            if has_bodies:
                merge_members(world, sums, of_bodies)
            found = largest_step(limits, sums)
            if turn == 0 or found[0] > stiffest[0]:
                stiffest = found
            if has_bodies:
                weigh_bodies(world, sums, of_bodies, limits, found[0])
        contacts, elastic, sheared, largest, work = totals
        stable, omega, ratio, row = stiffest
        return contacts, elastic, sheared, largest, stable, omega, ratio, row, field_energy, bond_energy, work

    return survey_all


def nothing_touches(world: World) -> bool:
    """Whether no contact of the lists exists at this moment: the result is then known without compiling a survey.

    The overlap is computed by the same operations as in a contact, hence with the same rounding.
    """
    counters, dimension = world.counters, world.search.reference.shape[0]
    if world.wall_contacts.touching[: counters[WALL_CONTACT_COUNT]].any():
        return False
    count = counters[PAIR_COUNT]
    position = world.motion[:dimension, 0]
    with np.errstate(all="ignore"):
        branch = position[:, world.pairs.i[:count]] - position[:, world.pairs.j[:count]]
        branch = shortest_branch(branch.T, world.boundary).T
        square = branch[0] * branch[0]
        for component in branch[1:]:
            square = square + component * component
        return bool((world.workspace.pairs.radius_sum[:count] - square * inverse_root(square) <= 0.0).all())


class Limits(NamedTuple):
    """Stability limit of a scheme as a function of the damping ratio."""

    ratios: Floats
    """`RATIO_GRID` [-]."""
    omega_dt: Floats
    """Largest stable product of angular frequency and dt at each ratio [-]."""


def limits_of(model: Model) -> Limits:
    """The limits of the model's integrator."""
    return Limits(RATIO_GRID, limit_table(model.integrator))


def blank_sums(world: World) -> Floats:
    """Zero stiffness [1/s²] and damping [1/s] matrices of all spheres, shape (2, dimension, dimension, count)."""
    dimension = world.search.reference.shape[0]
    return np.zeros((2, dimension, dimension, world.sphere_count))


@compilable
def survey_contacts(world, table, count, shapes, sums, of_bodies, totals):
    """Add the contacts of a table to `totals` (the first four fields of a `Survey` and the last), and their stiffnesses
    to `sums`."""
    contacts, elastic, sheared, largest, work = totals
    turns = len(shapes.spin) > 0
    dimension = len(shapes.position)
    radius = world.radius
    inverse_mass = world.inverse_mass
    normals = arrays.rows(table.normal, shapes.position)
    for k in range(count):
        i = table.i[k]
        j = table.j[k]
        contacts += 1 if table.overlap[k] > 0.0 else 0
        elastic += table.elasticity[0, k]
        sheared += table.elasticity[1, k]
        work += table.elasticity[6, k]
        smaller = radius[i] if inverse_mass[0, i] > 0.0 else np.inf
        weight = weight_of(of_bodies, i)
        moving = weight * inverse_mass[0, i]
        turning = 0.0
        if turns:
            turning = weight * (radius[i] ** 2 * inverse_mass[dimension, i])
        if j >= 0:
            smaller = min(smaller, radius[j] if inverse_mass[0, j] > 0.0 else np.inf)
            weight = weight_of(of_bodies, j)
            moving += weight * inverse_mass[0, j]
            if turns:
                turning += weight * (radius[j] ** 2 * inverse_mass[dimension, j])
        largest = max(largest, table.overlap[k] / smaller)
        stiffness = (table.elasticity[2, k], table.elasticity[3, k], table.elasticity[4, k], table.elasticity[5, k])
        contact = ElasticContact(arrays.at(normals, k), stiffness, moving, turning)
        for row, side in ((i, 1.0), (j, -1.0)):
            if row >= 0 and inverse_mass[0, row] > 0.0:
                add_contact(sums, of_bodies, world, row, side, contact, shapes)
    return contacts, elastic, sheared, largest, work


@compilable
def largest_step(limits, sums):
    """The next four fields of a `Survey`, from the sums of all spheres."""
    stable = np.inf
    omega = 0.0
    ratio = 0.0
    stiffest = -1
    for row in range(sums.shape[3]):
        square = largest_eigenvalue(sums[0], row)
        if square > 0.0:
            w = math.sqrt(square)
            rate = largest_eigenvalue(sums[1], row)
            dt = step_for(square, rate, limits)
            if dt < stable:
                stable, omega, ratio, stiffest = dt, w, rate / (2.0 * w), row
    return stable, omega, ratio, stiffest

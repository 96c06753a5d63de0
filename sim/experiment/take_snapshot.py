"""Copy the data of an experiment that picture and panels show."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from repose.sim import registry
from repose.sim.engine.boundaries import images_of, shortest_branch
from repose.sim.engine.contacts.wall_forces import FACET
from repose.sim.engine.timestep.survey import Survey
from repose.sim.engine.world import PAIR_COUNT, PERIOD, Floats, World
from repose.sim.experiment.automatic_step import dt_warning, is_stable
from repose.sim.experiment.comparison import PREPARED, compare_session
from repose.sim.experiment.displacement_reference import present_mark
from repose.sim.experiment.energy_gap import gap_notice
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import shown_pull, shown_push, shown_shaking
from repose.sim.experiment.instrument_values import kind_of, reading_values, shown_columns
from repose.sim.experiment.ledger import energy_of, survey_contacts
from repose.sim.experiment.named_records import curves_of, outcomes_of, readings_of
from repose.sim.experiment.parameter_values import values_of
from repose.sim.experiment.results import conditions
from repose.sim.experiment.run_answer import answer_of, own_words
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.snapshot import (
    DisplacementMark,
    ParameterValues,
    ShownContacts,
    ShownGeometry,
    ShownGrains,
    ShownHand,
    ShownInstrument,
    ShownRun,
    ShownStability,
    Snapshot,
    WallCurve,
)
from repose.sim.experiment.stepping import at_rest
from repose.sim.measure.colour_source import colour_values, sums_over_contacts
from repose.sim.measure.contact_forces import contact_forces
from repose.sim.measure.contact_sums import touching_pairs
from repose.sim.measure.display import Curve, Reading, SampledQuantity
from repose.sim.measure.energy import Energy
from repose.sim.measure.grains import grain_count
from repose.sim.measure.measurement import Measurement
from repose.sim.measure.stress import STRESS_UNIT
from repose.sim.message import Message
from repose.sim.parameter_curves import is_curve

READING_INTERVAL, READING_SHARE = 0.25, 0.01
"""Wall time between two samples for the readings [s], and the largest share of wall time of these samples [-]; no
result depends on them."""

LONGEST_WAIT = 2.0
"""Wall time after which a new sample is taken for any cost of the last one [s]: the cost of the first sample can
include compiling."""

FEW_PAIRS, CONTACT_SHARE = 5000, 0.01
"""Number of pairs up to which every snapshot surveys all contacts, and the largest share of wall time that surveys may
take in larger worlds [-]; one survey costs as much as three to five steps."""


def shown_contacts(experiment: Experiment) -> tuple[Survey, Energy]:
    """Survey and energy of all contacts; in a large world repeated only as often as `CONTACT_SHARE` allows."""
    small = bool(experiment.run.world.counters[PAIR_COUNT] <= FEW_PAIRS)

    def made() -> tuple[Survey, Energy]:
        survey = survey_contacts(experiment)
        return survey, energy_of(experiment, survey)

    return experiment.session.latest["contacts"].get(
        (experiment.run, experiment.parameters, small),
        made,
        lambda cost: 0.0 if small else min(cost / CONTACT_SHARE, LONGEST_WAIT),
    )


def shown_layers(experiment: Experiment) -> int:
    """Number of layers once all grains are poured, computed once in each phase."""
    run, phase = experiment.run, experiment.phase
    return experiment.session.latest["layers"].get(
        (run, run.built, phase), lambda: experiment.scene.view.layers(experiment)
    )


def shown_comparison(experiment: Experiment) -> Curve | None:
    """The comparison of the runs of this session; computed again if runs, parameters or scene have changed."""
    scene, parameters = experiment.scene, experiment.parameters
    points = experiment.session.measured.get(scene.name, ())
    now = conditions(experiment)

    def made() -> Curve | None:
        return compare_session(scene.study, parameters.declared(), points, now) if scene.study else None

    return experiment.session.latest["comparison"].get((parameters, scene.name, len(points), bool(now[PREPARED])), made)


def shown_readings(experiment: Experiment) -> tuple[Reading, ...]:
    """Readings of the measurements that apply to this scene, sampled at most every `READING_INTERVAL` and for at most
    `READING_SHARE` of the time."""

    def made() -> tuple[Reading, ...]:
        system = system_of(experiment)
        touching = "contacts" in experiment.scene.plots
        entries = [entry.reading(system) for entry in sorted_measurements() if touching or not entry.of_grains]
        return tuple(reading for reading in entries if reading is not None)

    return experiment.session.latest["readings"].get(
        (experiment.run,), made, lambda cost: min(max(READING_INTERVAL, cost / READING_SHARE), LONGEST_WAIT)
    )


def shown_parameters(experiment: Experiment) -> ParameterValues:
    """The present parameters as data; the same object until they change."""
    parameters = experiment.parameters
    return experiment.session.latest["parameters"].get((parameters,), lambda: values_of(parameters))


def shown_quantities(experiment: Experiment) -> tuple[SampledQuantity, ...]:
    """What is sampled over time, in the order in which it is shown; made again if another measurement is found."""
    measurements, dimension = sorted_measurements(), experiment.scene.model.dimension
    instruments = experiment.run.placed.instruments

    def made() -> tuple[SampledQuantity, ...]:
        own = (kind_of(instrument).sampled(instrument, dimension) for instrument in instruments)
        return (*(entry.sampled(dimension) for entry in measurements), *itertools.chain.from_iterable(own))

    return experiment.session.latest["quantities"].get((measurements, dimension, instruments), made)


def shown_instruments(experiment: Experiment) -> tuple[ShownInstrument, ...]:
    """The instruments at their places, without values."""
    placed = experiment.run.placed

    def made() -> tuple[ShownInstrument, ...]:
        kinds = [kind_of(instrument) for instrument in placed.instruments]
        return tuple(
            ShownInstrument(
                instrument,
                tuple(kind.outline(instrument.points)) if instrument.points else (),
                kind.handles(instrument.points),
                since=passed.since if kind.has_moment else None,
            )
            for instrument, kind, passed in zip(placed.instruments, kinds, placed.passed, strict=True)
        )

    return experiment.session.latest["instruments"].get((placed.instruments,), made)


def with_readings(experiment: Experiment, shown: tuple[ShownInstrument, ...]) -> tuple[ShownInstrument, ...]:
    """The instruments with their present values; costly ones are read as seldom as contacts are surveyed."""
    run, dimension, system = experiment.run, experiment.scene.model.dimension, system_of(experiment)
    small = bool(run.world.counters[PAIR_COUNT] <= FEW_PAIRS)
    entries = []
    for number, entry in enumerate(shown):
        instrument, kind = entry.instrument, kind_of(entry.instrument)

        def made(number: int = number) -> dict[str, float]:
            return reading_values(experiment, system, number)

        values = (
            made()
            if small or not kind.costly
            else experiment.session.latest[f"instrument {instrument.name}"].get(
                (run, instrument), made, lambda cost: min(cost / CONTACT_SHARE, LONGEST_WAIT)
            )
        )
        known = [
            quantity
            for quantity in kind.quantities(dimension)
            if quantity.beside and math.isfinite(values[quantity.column(instrument)])
        ]
        readings = tuple(quantity.reading(instrument, values[quantity.column(instrument)]) for quantity in known)
        symbols = tuple(quantity.symbol for quantity in known)
        since = None if entry.since is None else run.placed.passed[number].since
        entries.append(replace(entry, readings=readings, symbols=symbols, since=since))
    return tuple(entries)


def sorted_measurements() -> tuple[Measurement, ...]:
    """Every measurement in the order in which it is shown."""
    return tuple(sorted(registry.measurements().values(), key=lambda entry: entry.order))


def wall_facets(world: World) -> Floats:
    """The facets among the walls at their present positions [m], shape (facets, dimension, dimension)."""
    dimension = world.dimension
    rows = world.walls.shape == FACET
    return world.walls.corner[rows, :dimension] + world.walls.moved[rows, None, :]


LONG = 0.75
"""Length of a body over the period from which on its members are drawn in the cell one by one [-]."""


def shown_images(world: World) -> NDArray[np.int64]:
    """How many periods each sphere is drawn away from its position, shape (spheres, dimension): the centres of loose
    spheres and of bodies are drawn in the cell. Of a body nearly as long as the cell, such as a wall of glued spheres,
    each member is drawn in the cell."""
    images = images_of(world.motion[: world.dimension, 0].T, world.boundary)
    if world.bodies and world.is_periodic:
        extent = np.zeros(world.bodies.body_id.size)
        member = world.body >= 0
        np.maximum.at(extent, world.body[member], np.sqrt((world.bodies.offset[:, member] ** 2).sum(axis=0)))
        periods = world.boundary[PERIOD]
        long = 2.0 * extent > LONG * periods[periods > 0.0].min()
        member &= ~long[world.body]
        of_bodies = images_of(world.bodies.motion[: world.dimension, 0].T, world.boundary)
        images[member] = of_bodies[world.body[member]]
    return images


def shown_positions(world: World) -> Floats:
    """Centres of the spheres where they are drawn [m], shape (spheres, dimension)."""
    position: Floats = world.motion[: world.dimension, 0].T
    return position - shown_images(world) * world.boundary[PERIOD] if world.is_periodic else position


def in_picture(experiment: Experiment, mark: DisplacementMark | None) -> DisplacementMark | None:
    """The mark with positions moved as far as the spheres are drawn from theirs."""
    world = experiment.run.world
    if mark is None or not world.is_periodic:
        return mark
    _, now, then = np.intersect1d(world.sphere_id, mark.sphere_id, assume_unique=True, return_indices=True)
    position = mark.position.copy()
    position[then] -= (shown_images(world) * world.boundary[PERIOD])[now]
    return replace(mark, position=position)


def rotational_energy(world: World, dimension: int) -> Floats:
    """Energy of the spin of every sphere [J], shape (count,); 0 for spheres without rotation of their own."""
    inverse, spin = world.inverse_mass[dimension:], world.motion[dimension:, 1]
    energy: Floats = 0.5 * (np.divide(spin**2, inverse, out=np.zeros_like(spin), where=inverse > 0.0)).sum(axis=0)
    return energy


def intact_bonds(world: World) -> NDArray[np.int64]:
    """Rows of the two spheres of every bond that is not broken, shape (bonds, 2)."""
    if not world.bonds:
        return np.empty((0, 2), np.int64)
    intact = world.bonds.intact != 0
    return np.column_stack([world.bonds.i[intact], world.bonds.j[intact]]).astype(np.int64)


def take_picture(experiment: Experiment, snapshot: Snapshot) -> None:
    """Copy the data that need no compiled function: positions, parameters, phase, actions."""
    world, scene, dimension = experiment.run.world, experiment.scene, experiment.scene.model.dimension
    speed = np.sqrt(np.sum(world.motion[:dimension, 1] ** 2, axis=0))
    snapshot.run = shown_run(experiment, snapshot.run)
    snapshot.grains = shown_grains(experiment, snapshot.grains.mark)
    snapshot.contacts = ShownContacts(ends=np.empty((0, 2 * dimension), np.float32), bonds=intact_bonds(world))
    ghosts, facets = scene.view.ghosts(experiment), scene.view.facets(experiment)
    snapshot.geometry = ShownGeometry(
        gravity=experiment.engine.gravity,
        box=scene.view.box(experiment),
        focus=scene.view.focus(experiment),
        followed=scene.view.followed(experiment),
        facets=(wall_facets(world) if facets is None else facets).astype(np.float32),
        ghosts=(np.empty((0, 4)) if ghosts is None else ghosts).astype(np.float32),
        boundary=world.boundary.copy(),
        liquid=scene.view.liquid(experiment),
        instruments=shown_instruments(experiment),
    )
    snapshot.hand = ShownHand(shown_pull(experiment), shown_push(experiment), shown_shaking(experiment))
    moving = ~world.fixed
    snapshot.results = replace(
        snapshot.results,
        slope=scene.view.slope(experiment),
        slope_since=scene.view.slope_since,
        readings=readings_of(experiment),
        # Readings and curves of an earlier run must not be shown while the engine of this one is compiled.
        bulk_readings=(),
        curves=(),
        outcomes=outcomes_of(experiment),
        answer=answer_of(experiment),
        audience=next((entry for entry in experiment.audience[-1:] if entry.shown), None),
        mean_speed=float(speed[moving].mean()) if moving.any() else 0.0,
        series=shown_columns(experiment),
    )


def wall_curves(experiment: Experiment) -> Iterator[WallCurve]:
    """The curves that walls follow, each with its name and unit."""
    area_unit = STRESS_UNIT[experiment.scene.model.dimension]
    for driven in experiment.run.driven_walls:
        for axis, value in zip("xyz", driven.velocity, strict=False):
            if is_curve(value):
                label = Message("velocity {component} of wall {wall}", component=axis, wall=driven.wall)
                yield WallCurve(label, "m/s", str(value))
        if is_curve(driven.load):
            label = Message("load of wall {wall}", wall=driven.wall)
            yield WallCurve(label, "N" if driven.area == 1.0 else area_unit, str(driven.load))


def shown_run(experiment: Experiment, before: ShownRun) -> ShownRun:
    """Which experiment it is, its time and its phase; the rest is that of the snapshot before."""
    scene = experiment.scene
    name, label, progress = scene.course.describe(experiment)
    return replace(
        before,
        scene=scene.name,
        seed=experiment.seed,
        ready=experiment.ready,
        step=experiment.step,
        time=experiment.time,
        dt=experiment.dt,
        parameters=shown_parameters(experiment),
        direction=experiment.direction,
        own_answer=bool(own_words(experiment)),
        wall_curves=tuple(wall_curves(experiment)),
        time_scale=scene.limits.time_scale(experiment.run.built),
        phase=scene.phase(name),
        phase_label=label,
        progress=progress,
        actions=scene.course.actions(experiment),
    )


def shown_grains(experiment: Experiment, mark: DisplacementMark | None) -> ShownGrains:
    """The spheres without sums over contacts."""
    world, dimension = experiment.run.world, experiment.scene.model.dimension
    radius = world.radius.astype(np.float32)
    columns = {
        **colour_values(world),
        "rotational": rotational_energy(world, dimension).astype(np.float32),
    }
    coefficients = {0: 0, 1: 1, 3: 4}[experiment.engine.model.spin_length]
    held = experiment.scene.course.held_velocities(experiment)
    return ShownGrains(
        position=shown_positions(world).astype(np.float32),
        velocity=(world.motion[:dimension, 1].T if held is None else held).astype(np.float32),
        radius=radius,
        mass=np.where(world.fixed, np.inf, world.movable_mass).astype(np.float32),
        body=world.body.astype(np.int64),
        fixed=world.fixed & (world.layer < 0),  # a grain that is fixed until its release is not a wall
        sphere_id=world.sphere_id.copy(),
        orientation=world.orientation[:coefficients].T.astype(np.float32),
        columns=columns,
        layers=shown_layers(experiment),
        parts=experiment.scene.view.parts,
        labels=experiment.scene.view.labels(experiment),
        tracks=experiment.scene.view.tracks(experiment),
        mark=mark,
        moving_count=grain_count(experiment.grains),
    )


def take_snapshot(experiment: Experiment, snapshot: Snapshot, contacts: bool = True, forces: bool = False) -> None:
    """Copy the public data of an experiment into float32 columns; ends and forces of contacts only if requested.

    The physics thread makes no steps meanwhile: every operation is a copy or one pass over the lists.
    """
    take_picture(experiment, snapshot)
    world, history = experiment.run.world, experiment.history
    survey, ledger = shown_contacts(experiment)
    columns = snapshot.grains.columns | sums_over_contacts(experiment.grains)
    snapshot.grains = replace(snapshot.grains, columns=columns, mark=in_picture(experiment, present_mark(experiment)))
    if contacts:
        ends, force = touching_pairs(world, snapshot.grains.position)
        if world.is_periodic:
            first, second = ends[:, : world.dimension], ends[:, world.dimension :]
            second[:] = first - shortest_branch(first - second, world.boundary)
        snapshot.contacts = replace(snapshot.contacts, ends=ends, force=force)
    if forces:
        table = experiment.engine.contact_table(world, experiment.engine.law_parameters)
        rotates = bool(experiment.engine.model.rotation)
        contact_table = contact_forces(world, table, experiment.engine.law_parameters, rotates)
        if world.is_periodic:
            moved = (shown_images(world) * world.boundary[PERIOD])[contact_table.i]
            contact_table = replace(contact_table, point=contact_table.point - moved)
        snapshot.contacts = replace(snapshot.contacts, forces=contact_table)
    if (seek := history.seek) is not None:
        label = Message("moving to step {at}, now at {at2}", at=seek.at, at2=history.at)
        share = (history.at - seek.origin) / (seek.at - seek.origin)
        snapshot.run = replace(snapshot.run, phase_label=label, progress=share)
    snapshot.run = replace(snapshot.run, at_rest=at_rest(experiment))
    if shown := snapshot.geometry.instruments:
        snapshot.geometry = replace(snapshot.geometry, instruments=with_readings(experiment, shown))
    snapshot.results = replace(
        snapshot.results,
        bulk_readings=shown_readings(experiment),
        curves=curves_of(experiment),
        measured=len(experiment.session.measured.get(experiment.scene.name, ())),
        comparison=shown_comparison(experiment),
        kinetic_energy=ledger.kinetic,
        energy=ledger.as_dict(),
        quantities=shown_quantities(experiment),
    )
    snapshot.dissipation = experiment.session.dissipation.shown()
    warning = dt_warning(experiment, survey)
    snapshot.stability = ShownStability(
        contact_time=experiment.engine.contact_time,
        largest_overlap=survey.largest_overlap,
        omega_dt=survey.omega * experiment.dt,
        omega_dt_limit=survey.omega * survey.stable_dt if survey.contacts else 1.0,
        dt_warning=warning,
        dt_inaccurate=bool(warning) and is_stable(experiment, survey),
    )
    snapshot.history = replace(
        snapshot.history,
        at=history.at,
        log_end=history.log.end,
        logs=history.logs,
        cuts=history.cuts,
        commands=len(history.log.entries),
        moments=history.checkpoints.shown,
        moments_bytes=history.checkpoints.bytes,
        moments_budget=history.checkpoints.budget,
    )
    snapshot.messages = replace(
        snapshot.messages,
        latest=experiment.message,
        repeats=experiment.message_repeats,
        count=experiment.messages,
        notice=experiment.scene.course.notice(experiment) or gap_notice(experiment, ledger),
        fault=experiment.fault,
    )

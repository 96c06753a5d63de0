"""Instruments in an experiment: placed, moved, removed, counted at the checks. The only writer of `Run.placed`.

An instrument reads the world and changes no bit of the run. What a line counts is the way of every grain from one check
to the next one, and to every command that acts between them; where a scene or a command puts grains elsewhere, the way
ends and begins anew, and nothing is counted. What marks grains does so once, at the first check or command at or after
its time at which there are grains.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
from repose.sim import registry
from repose.sim.engine.boundaries import in_cell
from repose.sim.experiment import history
from repose.sim.experiment.commands import OfInstruments, PlaceInstrument, RemoveInstrument, SetInstrument
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.hand import checked_place, require_running
from repose.sim.experiment.instrument_values import (
    LONGEST_NAME,
    MOST_COLOURS,
    NOT_IN_NAMES,
    columns_of,
    is_name,
    kind_of,
    limits_of,
)
from repose.sim.experiment.notices import notify
from repose.sim.experiment.run import PlacedInstruments, Run
from repose.sim.experiment.series import Series
from repose.sim.instruments.instrument import Instrument, InstrumentKind, Passed
from repose.sim.measure.grains import movable_grains
from repose.sim.message import EMPTY, Message, _, length_text
from repose.sim.parameters import ParameterError, require_known
from repose.sim.wording import message_of, value_text

MOST = 20
"""Largest number of instruments."""


def names_of(experiment: Experiment) -> tuple[str, ...]:
    """Names of the instruments that are there."""
    return tuple(instrument.name for instrument in experiment.run.placed.instruments)


def refusal(experiment: Experiment, command: OfInstruments) -> Message:
    """Why a command would be refused; empty if it would be carried out."""
    try:
        _planned(experiment, command, experiment.run.placed.instruments)
    except ParameterError as error:
        return message_of(error)
    return EMPTY


def carry_out(experiment: Experiment, command: OfInstruments) -> None:
    """Place, move or remove an instrument; raises `ParameterError`, and nothing has changed.

    The samples of a removed instrument stay in the series without being shown, until another one has its name.
    """
    planned = _planned(experiment, command, experiment.run.placed.instruments)
    count(experiment)
    run = experiment.run
    if isinstance(command, PlaceInstrument) and not command.goes_on:
        _drop_columns(run, command.instrument.name)
    before = run.placed.passed
    passed = tuple(Passed(run.time) if row is None else before[row] for _instrument, row in planned)
    run.placed = replace(run.placed, instruments=tuple(instrument for instrument, _row in planned), passed=passed)
    dimension = experiment.scene.model.dimension
    _add_columns(run, dimension)
    note_places(experiment)
    history.change_restart_points(experiment, lambda point: _fitted(point, run.placed.instruments, dimension))
    notify(experiment, _told(command))


def _told(command: OfInstruments) -> Message:
    """What a command has done, one sentence."""
    match command:
        case PlaceInstrument(instrument):
            return Message("{name} is placed.", name=instrument.name)
        case SetInstrument(instrument):
            return Message("{name} is moved.", name=instrument.name)
        case RemoveInstrument(name):
            return Message("{name} is removed.", name=name)


def _planned(
    experiment: Experiment, command: OfInstruments, placed: tuple[Instrument, ...]
) -> list[tuple[Instrument, int | None]]:
    """The instruments after a command to those that are `placed`, each with the row of its count; None for a count that
    begins at zero. Raises `ParameterError`."""
    rows: list[tuple[Instrument, int | None]] = [(instrument, row) for row, instrument in enumerate(placed)]
    match command:
        case PlaceInstrument(instrument):
            what = _("Placing an instrument")
            checked = _checked(experiment, instrument, what)
            if checked.name in (entry.name for entry in placed):
                raise ParameterError(
                    Message(
                        "{what} is refused: there is one called '{name}' already; give it another name.",
                        what=what,
                        name=checked.name,
                    )
                )
            if len(placed) >= MOST:
                raise ParameterError(
                    Message("{what} is refused: there are {most} already; remove one first.", what=what, most=MOST)
                )
            return [*rows, (checked, None)]
        case SetInstrument(instrument):
            what = _("Moving an instrument")
            number = _number_of(placed, instrument.name, what)
            checked = _checked(experiment, instrument, what)
            if checked.kind != placed[number].kind:
                raise ParameterError(
                    Message(
                        "{what} is refused: '{name}' is of the kind {kind}, not {other}.",
                        what=what,
                        name=checked.name,
                        kind=placed[number].kind,
                        other=checked.kind,
                    )
                )
            same = replace(checked, colour=placed[number].colour) == placed[number]
            rows[number] = checked, number if same else None
            return rows
        case RemoveInstrument(name):
            del rows[_number_of(placed, name, _("Removing an instrument"))]
            return rows


def require_placeable(experiment: Experiment, instruments: Iterable[Instrument]) -> None:
    """Raise `ParameterError` if one of these instruments could not be placed now; nothing is placed."""
    placed = experiment.run.placed.instruments
    for instrument in instruments:
        placed = tuple(entry for entry, _row in _planned(experiment, PlaceInstrument(instrument), placed))


def begin(experiment: Experiment, instruments: Iterable[Instrument]) -> None:
    """Place instruments at the beginning of a run; raises `ParameterError`."""
    for instrument in instruments:
        carry_out(experiment, PlaceInstrument(instrument))


def keep(run: Run, experiment: Experiment) -> None:
    """Place the instruments of an experiment in a run that begins anew; their counts are zero."""
    instruments = experiment.run.placed.instruments
    run.placed = PlacedInstruments(instruments, (Passed(),) * len(instruments))
    _add_columns(run, experiment.scene.model.dimension)


def _fitted(point: Run, instruments: tuple[Instrument, ...], dimension: int) -> Run:
    """The run of a restart point with these instruments; what is new there counts from then on."""
    run = copy.copy(point)
    counts = dict(zip(run.placed.instruments, run.placed.passed, strict=True))
    passed = tuple(counts.get(instrument, Passed(run.time)) for instrument in instruments)
    run.placed = replace(run.placed, instruments=instruments, passed=passed)
    _add_columns(run, dimension)
    return run


def _add_columns(run: Run, dimension: int) -> None:
    """Add a column to the series for every quantity of the instruments."""
    missing = tuple(name for name in columns_of(run.placed, dimension) if name not in run.series.names)
    if missing:
        table = run.series.table[:, : run.series.count]
        run.series = Series.of((*run.series.names, *missing), table, run.series.names)


def _drop_columns(run: Run, name: str) -> None:
    """Forget the samples of a removed instrument whose name another one gets."""
    kept = tuple(column for column in run.series.names if not column.startswith(f"{name}."))
    if kept != run.series.names:
        run.series = Series.of(kept, run.series.table[:, : run.series.count], run.series.names)


def _number_of(placed: tuple[Instrument, ...], name: str, what: Message) -> int:
    names = [entry.name for entry in placed]
    if name not in names:
        raise ParameterError(
            Message("{what} is refused: there is none called {name}.", what=what, name=value_text(name))
        )
    return names.index(name)


def _checked(experiment: Experiment, instrument: Instrument, what: Message) -> Instrument:
    """The instrument, if it can be in this experiment; raises `ParameterError`."""
    require_running(experiment, what)
    require_known(instrument.kind, registry.instruments(), _("instrument"))
    kind, dimension = kind_of(instrument), experiment.scene.model.dimension
    name, colour = instrument.name, instrument.colour
    if not isinstance(name, str) or not is_name(name):
        raise ParameterError(
            Message(
                "{what} is refused: its name is {name}; give one of 1 to {longest} printable characters without "
                "{characters} that no measurement has.",
                what=what,
                name=value_text(name),
                longest=LONGEST_NAME,
                characters=" ".join(NOT_IN_NAMES),
            )
        )
    if type(colour) is not int or not 0 <= colour < MOST_COLOURS:
        raise ParameterError(
            Message(
                "{what} is refused: its colour is {colour}; give a whole number from 0 to {most}.",
                what=what,
                colour=value_text(colour),
                most=MOST_COLOURS - 1,
            )
        )
    _require_grain(experiment, instrument, kind, what)
    _require_time(instrument, kind, what)
    points = tuple(instrument.points) if isinstance(instrument.points, tuple | list) else ()
    if len(points) != kind.points[dimension]:
        raise ParameterError(
            Message(
                "{what} is refused: the number of its points is {found}; a {kind} needs {needed} here.",
                what=what,
                found=len(points),
                kind=kind.name,
                needed=kind.points[dimension],
            )
        )
    points = tuple(checked_place(experiment, point, what) for point in points)
    _require_inside(experiment, points, what)
    least = kind.shortest * experiment.scene.model.smallest_grain(experiment.run.built)[1]
    for length in kind.lengths(points) if points else ():
        if not length >= least:
            raise ParameterError(
                Message(
                    "{what} is refused: it is {length} long; give it at least {least}.",
                    what=what,
                    length=length_text(length),
                    least=length_text(least),
                )
            )
    return replace(instrument, points=points)


def _require_grain(experiment: Experiment, instrument: Instrument, kind: InstrumentKind, what: Message) -> None:
    """Raise `ParameterError` unless the instrument is attached to a grain, if its kind is. The grain can come later."""
    grain, world = instrument.grain, experiment.grains
    if not kind.of_grain:
        if grain is not None:
            raise ParameterError(
                Message("{what} is refused: a {kind} is attached to no grain.", what=what, kind=kind.name)
            )
        return
    if grain is None:
        raise ParameterError(
            Message("{what} is refused: a {kind} is attached to a grain; give its number.", what=what, kind=kind.name)
        )
    if type(grain) is not int or grain < 0 or bool(world.fixed[world.sphere_id == grain].any()):
        raise ParameterError(
            Message(
                "{what} is refused: its grain is {grain}; give the number of a grain that can move.",
                what=what,
                grain=value_text(grain),
            )
        )


def _require_time(instrument: Instrument, kind: InstrumentKind, what: Message) -> None:
    """Raise `ParameterError` for a time that is none, or of an instrument that marks no grains."""
    time = instrument.time
    if type(time) not in (int, float) or not 0.0 <= time < math.inf:
        raise ParameterError(
            Message(
                "{what} is refused: its time is {time}; give the simulated time [s] at which it marks the grains, from "
                "0 on.",
                what=what,
                time=value_text(time),
            )
        )
    if time and kind.marks is None:
        raise ParameterError(
            Message("{what} is refused: a {kind} marks no grains and has no time.", what=what, kind=kind.name)
        )


def _require_inside(experiment: Experiment, points: Iterable[tuple[float, ...]], what: Message) -> None:
    """Raise `ParameterError` for a point outside the region of the picture; a millionth of it is rounding."""
    low, high = limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    slack = 1e-6 * (high - low)
    for point in points:
        if not ((np.array(point) >= low - slack) & (np.array(point) <= high + slack)).all():
            raise ParameterError(
                Message(
                    "{what} is refused: its point {point} is outside the box from {low} to {high}.",
                    what=what,
                    point=length_text(*point),
                    low=length_text(*low),
                    high=length_text(*high),
                )
            )


def _counting(run: Run) -> list[int]:
    return [number for number, entry in enumerate(run.placed.instruments) if kind_of(entry).count is not None]


def note_places(experiment: Experiment) -> None:
    """Begin the ways of all grains at their present places, if an instrument counts; mark grains for those that wait
    for it."""
    run = experiment.run
    _mark(experiment)
    if not _counting(run):
        if run.placed.ids.size:
            run.placed = PlacedInstruments(run.placed.instruments, run.placed.passed)
        return
    grains = movable_grains(experiment.grains)
    run.placed = replace(run.placed, ids=grains.ids.astype(float), places=grains.position)


def _mark(experiment: Experiment) -> None:
    """Let the instruments whose time has come mark the grains."""
    run = experiment.run
    passed = list(run.placed.passed)
    for number, instrument in enumerate(run.placed.instruments):
        marks, before = kind_of(instrument).marks, passed[number]
        if marks is None or before.marked or before.others or run.time < instrument.time:
            continue
        grains = movable_grains(experiment.grains)
        first = marks(instrument, in_cell(grains.position, run.world.boundary))
        marked, others = (tuple(grains.ids[side].astype(float).tolist()) for side in (first, ~first))
        passed[number] = replace(before, since=run.time, marked=marked, others=others)
        run.placed = replace(run.placed, passed=tuple(passed))


def count(experiment: Experiment) -> None:
    """Count what has crossed on the ways from the places noted last to the present ones, where they begin anew."""
    experiment.run.placed = _counted(experiment)


def _counted(experiment: Experiment) -> PlacedInstruments:
    """`Run.placed` with the ways to the present places counted."""
    run = experiment.run
    if not (counting := _counting(run)):
        return run.placed
    grains, ids, places = movable_grains(experiment.grains), run.placed.ids, run.placed.places
    position, mass = grains.position, grains.mass
    if not np.array_equal(grains.ids, ids):  # grains have been poured or removed
        _known, now, then = np.intersect1d(grains.ids, ids, assume_unique=True, return_indices=True)
        position, mass, places = position[now], mass[now], places.reshape(-1, position.shape[1])[then]
    passed = list(run.placed.passed)
    for number in counting if len(position) else ():
        instrument, before = run.placed.instruments[number], passed[number]
        crossings = kind_of(instrument).count
        if crossings is not None and (signs := crossings(instrument, places, position, run.world.boundary)).any():
            passed[number] = replace(
                before, number=before.number + int(signs.sum()), mass=before.mass + float(signs @ mass)
            )
    return replace(run.placed, passed=tuple(passed), ids=grains.ids.astype(float), places=grains.position)


@contextmanager
def interrupted(experiment: Experiment) -> Iterator[None]:
    """Inside the block a command acts that can put grains elsewhere: their ways before it are counted, unless it is
    refused, and begin anew after it."""
    run, before = experiment.run, experiment.run.placed
    counted = _counted(experiment)
    yield
    if experiment.run is run and run.placed is before:  # otherwise it has begun anew or is another state
        run.placed = counted
    note_places(experiment)

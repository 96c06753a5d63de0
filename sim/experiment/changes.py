"""Changes of an experiment: start, parameters, actions, removal of a grain, continuation of a saved run."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from repose.sim import registry
from repose.sim.direction import Direction
from repose.sim.engine.builder import with_parts
from repose.sim.engine.world import World
from repose.sim.experiment import displacement_reference, faults, hand, history, placed_instruments
from repose.sim.experiment.activation import (
    activate,
    engine_for,
    find_accelerations,
    fit_ramp,
    request_parameters,
    take_engine,
)
from repose.sim.experiment.beginning import checked_world
from repose.sim.experiment.command_log import SavedRun
from repose.sim.experiment.drawn_walls import keep_walls
from repose.sim.experiment.driven import require_resolvable, require_resolved
from repose.sim.experiment.experiment import Experiment, Scene, Session
from repose.sim.experiment.ledger import book_initial_energy
from repose.sim.experiment.named_records import curves_of, readings_of, require_names
from repose.sim.experiment.notices import notify, recall
from repose.sim.experiment.relaxation import relax_where_unbalanced
from repose.sim.experiment.results import adopt_measured, results_of
from repose.sim.experiment.run import Checkpoint, Run, copied_state
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.instruments.instrument import Instrument
from repose.sim.io.plain import require_plain
from repose.sim.measure.display import COMPARISON
from repose.sim.message import Message, _, joined, plural, sentence, time_text, with_prefix
from repose.sim.parameters import ParameterError, Value, checked_seed, require_known, shared_names
from repose.sim.wording import reason_of


def new_experiment(
    scene: str | Scene | None = None,
    values: Mapping[str, Value] | None = None,
    seed: int = 1,
    ready: str | None = None,
    session: Session | None = None,
    direction: Direction | None = None,
    instruments: Sequence[Instrument] = (),
) -> Experiment:
    """An experiment at its beginning: a scene, or the default one, with `values` over its default parameters, shown by
    its own direction or that of a preset, with instruments; raises `ParameterError`."""
    checked, parameters = _checked(registry.default_scene() if scene is None else scene, values or {}, seed, ready)
    made = _made_world(checked, parameters, seed, ready)
    experiment = _bare(checked, seed, ready, parameters, Run(*made, parameters), session)
    _require_possible(experiment, instruments)
    experiment.direction = direction or checked.direction
    begin_anew(experiment, parameters, made)
    require_names(experiment)
    placed_instruments.begin(experiment, instruments)
    require_resolved(experiment.parameters.curves, experiment.dt)
    _begin_log(experiment)
    return experiment


def _require_possible(experiment: Experiment, instruments: Sequence[Instrument]) -> None:
    """Raise `ParameterError` if a bare experiment cannot begin with these instruments and its curves. What is found
    here is refused before the engine is compiled, which takes much longer."""
    whole = replace(experiment.run, world=with_parts(experiment.run.world, experiment.engine.model))
    placed_instruments.require_placeable(experiment, instruments)
    require_resolvable(replace(experiment, run=whole))


def resumed_experiment(saved: SavedRun, session: Session | None = None) -> Experiment:
    """An experiment that continues a saved run."""
    experiment = _bare_of(saved, saved.now.now.run, session)
    resume(experiment, saved)  # it copies the run
    return experiment


def require_continuable(saved: SavedRun, values: Mapping[str, Value], instruments: Sequence[Instrument]) -> None:
    """Raise `ParameterError` if a saved run cannot continue with these changes of parameters and these instruments; the
    engine is not compiled."""
    experiment = _bare_of(saved, saved.now.now.restored())
    placed_instruments.require_placeable(experiment, instruments)
    require_resolved(experiment.parameters.changed(**values).curves, experiment.dt)


def _bare_of(saved: SavedRun, run: Run, session: Session | None = None) -> Experiment:
    """An experiment with the scene and parameters of a saved run, in the state of this run."""
    return _bare(_scene_of(saved), saved.log.seed, saved.log.ready, saved.now.now.parameters, run, session)


def start(
    experiment: Experiment,
    scene: str,
    values: Mapping[str, Value],
    seed: int,
    ready: str | None = None,
    direction: Direction | None = None,
    instruments: Sequence[Instrument] = (),
) -> None:
    """Replace this experiment by a new one; after a refusal nothing has changed."""
    checked, parameters = _checked(scene, values, seed, ready)
    made, before = _made_world(checked, parameters, seed, ready), save_state(experiment)
    bare = _bare(checked, seed, ready, parameters, Run(*made, parameters))
    _require_possible(bare, instruments)
    take_engine(experiment, bare)
    experiment.scene, experiment.seed, experiment.ready = checked, seed, ready
    experiment.direction = direction or checked.direction
    experiment.audience = ()
    begin_anew(experiment, parameters, made, by_hand=False)
    try:
        require_names(experiment)
        placed_instruments.begin(experiment, instruments)
        require_resolved(experiment.parameters.curves, experiment.dt)
    except ParameterError:
        restore_state(experiment, before)
        raise
    _begin_log(experiment)


def resume(experiment: Experiment, saved: SavedRun) -> None:
    """Replace this experiment by a saved run; after a refusal nothing has changed."""
    before = vars(experiment) | {"history": copy.copy(experiment.history), "session": copy.copy(experiment.session)}
    before["history"].checkpoints = copy.copy(experiment.history.checkpoints)
    before["session"].measured = copy.copy(experiment.session.measured)
    try:
        _resume(experiment, saved)
        take_snapshot(experiment, Snapshot())
        results_of(experiment)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        vars(experiment).update(before)
        reason = reason_of(error, _("its state is none that a run of this scene can have"))
        raise ParameterError(
            Message("The saved run cannot be continued: {reason}. Its file is damaged.", reason=reason)
        ) from None


def save_state(experiment: Experiment) -> tuple[dict[str, Any], ...]:
    """The present state for `restore_state`; worlds are not copied, because a change replaces them."""
    run = experiment.run
    own = vars(run) | {"state": copied_state(run.state), "booked": copy.copy(run.booked)}
    return dict(vars(experiment)), own, dict(vars(experiment.history))


def restore_state(experiment: Experiment, before: tuple[dict[str, Any], ...]) -> None:
    """Undo a change that was stopped before its end, from the result of `kept`."""
    own, run, run_history = before
    vars(experiment).update(own)
    vars(experiment.run).update(run)
    vars(experiment.history).update(run_history)


def _resume(experiment: Experiment, saved: SavedRun) -> None:
    log = saved.log
    experiment.scene, experiment.seed, experiment.ready = _scene_of(saved), log.seed, log.ready
    experiment.direction = saved.direction or experiment.scene.direction
    experiment.audience = saved.audience
    history.adopt_log(experiment, saved)
    restore(experiment, saved.now)
    notify(experiment, experiment.message, repeats=True)  # the message of the saved run, which the user has read
    adopt_measured(experiment, saved)


def _scene_of(saved: SavedRun) -> Scene:
    """The scene of a saved run: from the list, or made again of the data in the run."""
    if saved.made_of is None:
        listed: Scene = registry.scenes()[saved.log.scene]
        return listed
    made: Scene = registry.by_hand().scene_of(saved.made_of.world, saved.made_of.recipe)
    return made


def restore(experiment: Experiment, point: Checkpoint) -> None:
    """Restore the state of a checkpoint."""
    history.restore_cursor(experiment, point)
    recall(experiment, point.message)
    activate(experiment, point.now.parameters, point.now.restored(), adapt=False)
    faults.restore_fault(experiment, point.fault)


def begin_anew(
    experiment: Experiment, parameters: Any = None, made: tuple[World, Any] | None = None, by_hand: bool = True
) -> None:
    """Restart the experiment with the given or the present parameters. `made` are world and state; if they are None,
    the scene creates them. With `by_hand`, walls that the user has drawn, and instruments, stay."""
    parameters = (parameters or experiment.parameters).at(0.0)
    world, state = made or _made_world(experiment.scene, parameters, experiment.seed, experiment.ready)
    made = (keep_walls(experiment, world, experiment.run.world) if by_hand else world), state
    faults.clear(experiment)
    history.forget_changes(experiment)
    run = Run(*made, parameters)
    if by_hand:
        placed_instruments.keep(run, experiment)
    activate(experiment, parameters, run)
    if experiment.ready is not None:
        relax_where_unbalanced(experiment)
    find_accelerations(experiment)
    book_initial_energy(experiment)
    history.mark_good(experiment, forget_change=True)
    faults.update_dt(experiment, first=True)
    if experiment.fault is None:
        history.mark_good(experiment, forget_change=True)


def set_parameters(experiment: Experiment, values: Mapping[str, Value]) -> None:
    """Change parameters of the running world; after a fault, from the last good state."""
    previous = experiment.parameters
    changed = previous.changed(**values).at(experiment.time, values)
    require_resolved(changed.curves, experiment.dt)
    declared = changed.declared()
    shared = shared_names(changed, previous)
    differing = [name for name in declared if name in shared and changed.given(name) != previous.given(name)]
    differing += [name for name in declared if name not in shared and name in values]
    effects = {declared[name].quantity.effect for name in differing}
    grains = int((~experiment.run.world.fixed).sum())
    under = "base" in effects and grains > 0 and experiment.scene.hand.rebuild is not None
    anew = "anew" in effects or ("base" in effects and not under)
    anew = anew or (not effects.isdisjoint(("restart", "prepare")) and not experiment.present_phase.begun)
    if anew:
        changed = previous.changed(**values).at(0.0, values)  # a curve counts from the new beginning
    made = _made_world(experiment.scene, changed, experiment.seed, experiment.ready) if anew else None
    stopped = experiment.fault is not None
    if stopped:
        clear_fault(experiment)
    if not differing:
        if stopped and changed.dt == "auto":
            _follow(experiment, first=False)
        return
    # A parameter that only the new law has cannot be undone without the law.
    history.note_change(experiment, "law" if "law" in differing else differing[-1])
    shown = changed.in_units()
    label = joined(
        [
            shown[name].change(previous.given(name), changed.given(name))
            if name in shared
            else joined((shown[name].quantity.label, shown[name].shown(getattr(changed, name))), ": ")
            for name in differing
        ]
    )
    if made is not None:
        history.keep_return(experiment)
        begin_anew(experiment, changed, made)
        notify(
            experiment,
            Message("{label}: rebuilt", label=label)
            + (
                plural(
                    ", and the fill of {count} grain starts again.",
                    ", and the fill of {count} grains starts again.",
                    count=grains,
                )
                if grains
                else "."
            ),
        )
        return
    work = experiment.run.booked.work
    if under and experiment.scene.hand.rebuild is not None:
        experiment.scene.hand.rebuild(experiment, changed)
    law = experiment.engine.model.law
    relaxed = request_parameters(experiment, changed)
    if effects == {"restart"}:
        label += _(" at the next start")
    elif experiment.engine.model.law != law:
        label += Message("; friction springs are kept, {experiment}", experiment=_booked_since(experiment, work))
    elif under or relaxed:
        words = _("rebuilt under the grains") if under else _("the grains moved apart")
        label = joined((label, joined((words, _booked_since(experiment, work)))), "; ")
    notify(experiment, Message("{label}.", label=label))
    _follow(experiment, first=previous.dt != changed.dt)
    if under:
        # A later fault restores this state: earlier states have another base.
        history.mark_good(experiment, forget_change=True)
    if "ramp" in effects and experiment.run.ramp is not None and experiment.fault is None:
        notify(
            experiment,
            Message(
                "{label}, over {time_text}.",
                label=label,
                time_text=time_text(experiment.run.ramp.steps * experiment.dt),
            ),
        )


def _booked_since(experiment: Experiment, before: float) -> Message:
    """The work of a change in words; `before` is the work booked before it [J]."""
    return Message(
        "{with_prefix} are counted as work", with_prefix=with_prefix(experiment.run.booked.work - before, "J", 3)
    )


def act(experiment: Experiment, action: str) -> None:
    """Carry out an action of the scene; raises `ParameterError` while it is not possible."""
    offered = {entry.name: entry for entry in experiment.scene.course.actions(experiment)}
    require_known(action, offered, _("action"))
    if not offered[action].enabled:
        phase = experiment.scene.course.describe(experiment)[1]
        raise ParameterError(
            offered[action].obstacle
            or Message("'{label}' is not possible now: {phase}.", label=offered[action].label, phase=phase)
        )
    if experiment.fault is not None:
        clear_fault(experiment)
    notify(experiment, experiment.scene.course.act(experiment, action))
    displacement_reference.note_begin(experiment, acted=True)
    if faults.check(experiment) is None:
        history.mark_good(experiment)  # a later fault does not undo the action


def remove_grain(experiment: Experiment, sphere_id: int) -> None:
    """Remove one grain; after a fault the last good state is restored first."""
    hand.require_removable(experiment, sphere_id)
    if experiment.fault is not None:
        clear_fault(experiment)
    hand.remove_grain(experiment, sphere_id)
    keep_in_good_state(experiment)


def keep_in_good_state(experiment: Experiment) -> None:
    """Save the state after a change of grains or walls as last good state, so that a later fault does not undo it."""
    history.mark_good(experiment, forget_change=True)


def clear_fault(experiment: Experiment) -> None:
    """Clear a fault and end pull and push; the run can continue from the last good state."""
    faults.clear(experiment)
    hand.release(experiment)  # the user has seen the run stop
    notify(experiment, _("The last good state is restored."))


def _follow(experiment: Experiment, first: bool) -> None:
    """Adapt the time step to a change, and the length of a ramp to the time step."""
    faults.update_dt(experiment, first)
    fit_ramp(experiment)


@cache
def offered_actions(scene: str) -> tuple[str, ...]:
    """Names of all actions of a scene, possible at the beginning or later."""
    experiment = _smallest(scene)
    return tuple(action.name for action in experiment.scene.course.actions(experiment))


@cache
def offered_plots(scene: str) -> tuple[str, ...]:
    """Names of all plots of a scene, from the beginning of a run on or later."""
    experiment = _smallest(scene)
    record = experiment.scene
    over_time = dict.fromkeys(entry.plot for entry in registry.measurements().values() if entry.plot is not None)
    return (
        *(curve.name for curve in (*curves_of(experiment), *record.view.later_curves)),
        *(plot.name for plot in over_time if plot.needs in (*record.plots, "values")),
        *(() if record.study is None else (COMPARISON,)),
    )


@cache
def offered_readings(scene: str) -> tuple[str, ...]:
    """Names of the quantity that studies of the scene compare, of the readings that it has at the beginning or later,
    and of the measurements; a scene of a plug-in can have others later."""
    experiment = _smallest(scene)
    study = experiment.scene.study
    shown = (entry.name for entry in registry.measurements().values() if entry.shown is not False)
    compared = () if study is None else (study.name,)
    now = (reading.name for reading in readings_of(experiment))
    later = experiment.scene.course.later_readings or ()
    return tuple(dict.fromkeys((*compared, *now, *later, *shown)))


def _smallest(scene: str) -> Experiment:
    """A small experiment of a scene at its beginning, whose model is not compiled."""
    record = registry.scenes()[scene]
    parameters = record.parameters.checked(record.test_values)
    return _bare(record, 1, None, parameters, Run(*_made_world(record, parameters, 1, None), parameters))


def _checked(scene: str | Scene, values: Mapping[str, Value], seed: int, ready: str | None) -> tuple[Scene, Any]:
    """The scene, by its name or as its record, and its checked parameters; raises `ParameterError`."""
    if isinstance(scene, str):
        require_known(scene, registry.scenes(), _("scene"))
    record: Scene = registry.scenes()[scene] if isinstance(scene, str) else scene
    require_plain(record.state_type, Message("The state of the scene '{name}'", name=record.name))
    parameters = record.parameters.checked(values)
    if ready is not None:
        require_known(ready, record.course.prepared, _("prepared state"))
    checked_seed(seed)
    return record, parameters


def _made_world(scene: Scene, parameters: Any, seed: int, ready: str | None) -> tuple[World, Any]:
    """World and scene state at the beginning of a run: the prepared state if it fits the parameters."""
    prepared = scene.course.prepared[ready](parameters) if ready else None
    return checked_world(scene, parameters, prepared or scene.course.begin(parameters, seed))


def _bare(
    scene: Scene, seed: int, ready: str | None, parameters: Any, run: Run, session: Session | None = None
) -> Experiment:
    """An experiment whose history has not begun."""
    run_history = history.new_history(scene.name, seed, ready, parameters, run)
    engine = engine_for(scene, parameters, run.built)
    return Experiment(
        scene, seed, ready, parameters, scene.direction, run, engine, run_history, session=session or Session()
    )


def _begin_log(experiment: Experiment) -> None:
    notify(experiment, sentence(experiment.scene.course.describe(experiment)[1]), repeats=True)
    history.begin_log(experiment)

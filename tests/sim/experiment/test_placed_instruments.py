"""Instruments measure a run without changing it: same bits with and without, in every batch, file and replay."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from repose.sim.engine.world import World
from repose.sim.experiment import instrument_values, placed_instruments
from repose.sim.experiment.changes import new_experiment, require_continuable
from repose.sim.experiment.commands import (
    Act,
    AddGrains,
    Command,
    PlaceInstrument,
    Recover,
    RemoveGrain,
    RemoveInstrument,
    Rewind,
    SetInstrument,
    SetParameters,
    Start,
    StartSideBySide,
)
from repose.sim.experiment.control import apply, carry_out
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.export_state import state_of
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import results_of, state_hash
from repose.sim.experiment.sampling import system_of
from repose.sim.experiment.side_by_side import SideBySide
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.instruments.instrument import Instrument
from repose.sim.io.export_graphml import node_columns
from repose.sim.measure.bulk import bulk_of
from repose.sim.measure.coordination import contacts_per_sphere, coordination_of
from repose.sim.measure.network import contact_network, network_now, network_numbers
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

from tests.reliability.runs import SMALL, resumed, saved

LEVEL = 4e-3
LINE = Instrument("line", "cut", ((-2e-3, LEVEL), (16e-3, LEVEL)))
BOX = Instrument("box", "box", ((0.0, 0.0), (10e-3, 8e-3)), colour=1)
RULER = Instrument("ruler", "ruler", ((0.0, 0.0), (3e-3, 4e-3)), colour=2)
ANGLE = Instrument("protractor", "angle", ((0.0, 0.0), (1e-3, 1e-3), (1e-3, 0.0)), colour=3)
PROBE = Instrument("probe", "probe", grain=60, colour=4)
HALVES = Instrument("halves", "halves", ((5e-3, 0.0), (5e-3, 8e-3)), colour=5)
ALL = (LINE, BOX, RULER, ANGLE, PROBE, HALVES)


def done(experiment: Experiment, *commands: Command) -> Experiment:
    for command in commands:
        assert not apply(experiment, command)
    return experiment


def pouring(*instruments: Instrument) -> Experiment:
    """A layer of grains, and twelve that fall onto it through the level, with instruments."""
    experiment = new_experiment("heap", SMALL, instruments=instruments)
    return done(experiment, Act("fill"), AddGrains((9e-3, 15e-3), 0.8e-3, 12))


def go(experiment: Experiment, steps: int, batch: int = 997) -> Experiment:
    while steps:
        steps -= advance(experiment, min(batch, steps))
    return experiment


FIRST = 6
"""Grains of the first layer, which are below the level from the beginning on."""


def below(world: World, level: float = LEVEL) -> set[int]:
    """Ids of the movable grains below a level."""
    return set(world.sphere_id[~world.fixed & (world.motion[1, 0] <= level)].tolist())


def passed(experiment: Experiment, name: str = "cut") -> int:
    placed = experiment.run.placed
    return dict(zip((entry.name for entry in placed.instruments), placed.passed, strict=True))[name].number


def test_instruments_change_no_bit_of_a_run() -> None:
    plain, measured = go(pouring(), 4_000), go(pouring(*ALL), 4_000)
    assert state_hash(measured.run) == state_hash(plain.run)
    assert (
        measured.run.series.columns()["kinetic_energy"].tolist()
        == plain.run.series.columns()["kinetic_energy"].tolist()
    )


def test_a_line_counts_every_grain_that_crosses() -> None:
    experiment = pouring(LINE)
    first = below(experiment.run.world)
    for _ in range(100):
        go(experiment, 50)
        assert passed(experiment) == len(below(experiment.run.world) - first)
    world, (count,) = experiment.run.world, experiment.run.placed.passed
    crossed = below(world) - first
    assert len(crossed) > 4
    assert math.isclose(count.mass, float(world.own_mass[np.isin(world.sphere_id, [*crossed])].sum()), rel_tol=1e-12)


def test_the_count_is_the_same_for_every_batch_after_loading_and_in_a_replay() -> None:
    experiment = go(pouring(LINE), 5_000)
    count = experiment.run.placed.passed
    assert count[0].number > 0
    assert go(pouring(LINE), 5_000, batch=7).run.placed.passed == count
    part = go(pouring(LINE), 2_017)
    other = go(resumed(saved(part)), 5_000 - 2_017)
    assert other.run.placed.passed == count
    assert other.run.series.columns()["cut.mass"].tolist() == experiment.run.series.columns()["cut.mass"].tolist()
    done(experiment, Rewind(1_000), Rewind(5_000))
    assert experiment.run.placed.passed == count
    assert verify(saved_copy(experiment)).differs_at is None


def test_an_instrument_placed_in_a_replay_keeps_the_later_run_and_its_bits() -> None:
    experiment = done(go(pouring(), 3_000), RemoveGrain(60))
    go(experiment, 2_000)
    end, digest, marks = experiment.history.log.end, state_hash(experiment.run), list(experiment.history.log.marks)
    done(experiment, Rewind(2_000), PlaceInstrument(LINE))
    before = below(experiment.run.world)
    assert experiment.history.log.end == end
    done(experiment, Rewind(end))
    assert state_hash(experiment.run) == digest
    assert experiment.history.log.marks == marks
    assert passed(experiment) == len(below(experiment.run.world)) - len(before - {60})
    assert verify(saved_copy(experiment)).differs_at is None


def test_a_box_reads_what_the_bulk_measurement_reads_at_the_same_place() -> None:
    experiment = go(new_experiment("heap", {}, ready="column"), 200)
    system = system_of(experiment)
    bulk = system.derived(bulk_of)
    assert bulk is not None
    done(experiment, PlaceInstrument(Instrument("box", "b", (tuple(bulk.box.lower), tuple(bulk.box.upper)))))
    low, high = instrument_values.limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    done(experiment, PlaceInstrument(Instrument("box", "all", (tuple(low.tolist()), tuple(high.tolist())))))
    values = instrument_values.present_values(experiment, system)
    assert values["b.packing_fraction"] == bulk.packing_fraction
    assert values["b.pressure"] == bulk.stress.pressure
    assert values["b.largest_shear"] == bulk.stress.largest_shear
    kinetic = float(np.trace(bulk.stress.kinetic)) * float(np.prod(bulk.box.upper - bulk.box.lower))
    world = experiment.run.world
    inside = ((bulk.box.lower <= world.motion[:2, 0].T) & (bulk.box.upper >= world.motion[:2, 0].T)).all(axis=1)
    mass = float(world.own_mass[inside & ~world.fixed].sum())
    assert math.isclose(values["b.temperature"], kinetic / (2.0 * mass), rel_tol=1e-12)
    assert values["all.coordination"] == system.derived(coordination_of).mean
    assert values["all.grains"] == (~world.fixed).sum()


def test_ruler_protractor_and_probe_read_their_place() -> None:
    experiment = go(pouring(RULER, ANGLE, PROBE), 1_000)
    values = instrument_values.present_values(experiment, system_of(experiment))
    assert math.isclose(values["ruler.distance"], 5e-3)
    assert math.isclose(values["ruler.slope"], math.atan2(4.0, 3.0))
    assert math.isclose(values["angle.angle"], math.pi / 4.0)
    world = experiment.run.world
    row = int(np.flatnonzero(world.sphere_id == 60)[0]) if (world.sphere_id == 60).any() else None
    if row is not None:
        assert values["probe.position_y"] == world.motion[1, 0, row]


def test_a_rate_is_the_growth_over_a_quarter_of_a_second_or_since_the_count_began(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    experiment = go(pouring(LINE), 3_500)
    series = experiment.run.series.columns()
    time, number, rate = (series[name] for name in ("time", "cut.number", "cut.number_rate"))
    assert number[-1] > 0.0
    assert math.isclose(rate[-1], number[-1] / time[-1], rel_tol=1e-12)
    monkeypatch.setattr(instrument_values, "RATE_TIME", 0.025)
    go(experiment, 1_500)
    series = experiment.run.series.columns()
    time, number, rate = (series[name] for name in ("time", "cut.number", "cut.number_rate"))
    first = int(np.searchsorted(time, time[-1] - 0.025))
    assert math.isclose(rate[-1], (number[-1] - number[first]) / (time[-1] - time[first]), rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("instrument", "words"),
    [
        (Instrument("line", "a", ((-2e-3, LEVEL), (1.0, LEVEL))), "(1000, 4) mm is outside the box"),
        (Instrument("line", "a", ((1e-3, LEVEL), (1e-3, LEVEL))), "it is 0 mm long"),
        (Instrument("box", "a", ((1e-3, 1e-3), (4e-3, 1e-3))), "it is 0 mm long"),
        (Instrument("line", "cut", LINE.points), "there is one called 'cut' already"),
        (Instrument("line", "a.b", LINE.points), "its name is 'a.b'"),
        (Instrument("line", "energy", LINE.points), "its name is 'energy'"),
        (Instrument("line", "", LINE.points), "its name is ''"),
        (Instrument("line", "a", LINE.points[:1]), "the number of its points is 1"),
        (Instrument("line", "a", ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0))), "none of 2 coordinates"),
        (Instrument("line", "a", ((0.0, math.nan), (1e-3, 0.0))), "none of 2 coordinates"),
        (Instrument("line", "a", LINE.points, grain=3), "attached to no grain"),
        (Instrument("probe", "a"), "a probe is attached to a grain; give its number"),
        (Instrument("probe", "a", grain=0), "its grain is 0"),
        (Instrument("line", "a", LINE.points, colour=-1), "its colour is -1"),
        (Instrument("lyne", "a", LINE.points), "lyne"),
    ],
)
def test_a_refused_instrument_changes_nothing(instrument: Instrument, words: str) -> None:
    experiment = go(pouring(LINE), 100)
    before, names, entries = experiment.run.placed, experiment.run.series.names, list(experiment.history.log.entries)
    refusal = str(apply(experiment, PlaceInstrument(instrument)))
    assert words in refusal
    assert "\n" not in refusal
    assert experiment.run.placed is before
    assert (experiment.run.series.names, experiment.history.log.entries) == (names, entries)


def test_more_than_the_largest_number_and_unknown_names_are_refused() -> None:
    experiment = pouring(*(Instrument("ruler", f"r{k}", RULER.points) for k in range(placed_instruments.MOST)))
    assert "there are 20 already" in str(apply(experiment, PlaceInstrument(LINE)))
    assert "none called 'cut'" in str(apply(experiment, RemoveInstrument("cut")))
    assert "none called 'cut'" in str(apply(experiment, SetInstrument(LINE)))


def test_a_moved_line_counts_anew_and_a_recoloured_one_goes_on() -> None:
    experiment = go(pouring(LINE, BOX), 3_000)
    count = passed(experiment)
    done(experiment, SetInstrument(Instrument("line", "cut", LINE.points, colour=7)))
    assert passed(experiment) == count > 0
    higher = ((-2e-3, 2 * LEVEL), (16e-3, 2 * LEVEL))
    before = below(experiment.run.world, 2 * LEVEL)
    done(experiment, SetInstrument(Instrument("line", "cut", higher)))
    assert experiment.run.placed.passed[0].since == experiment.time
    go(experiment, 2_000)
    assert passed(experiment) == len(below(experiment.run.world, 2 * LEVEL)) - len(before)
    assert "is of the kind line, not box" in str(apply(experiment, SetInstrument(Instrument("box", "cut", BOX.points))))


def test_a_second_line_leaves_the_count_of_the_first_one_alone() -> None:
    experiment = go(pouring(LINE), 2_513)
    done(experiment, PlaceInstrument(Instrument("line", "other", LINE.points)))
    go(experiment, 1_000)
    done(experiment, RemoveInstrument("other"))
    go(experiment, 1_011)
    assert passed(experiment) == len(below(experiment.run.world)) - FIRST


def test_a_removed_instrument_leaves_exports_and_comes_back_with_its_samples() -> None:
    experiment = go(pouring(LINE), 5_000)
    column = instrument_values.shown_columns(experiment)["cut.number"].copy()
    done(experiment, RemoveInstrument("cut"))
    assert "cut.number" not in instrument_values.shown_columns(experiment)
    go(experiment, 1_000)
    done(experiment, PlaceInstrument(LINE, goes_on=True))
    assert instrument_values.shown_columns(experiment)["cut.number"][: len(column)].tolist() == column.tolist()
    done(experiment, RemoveInstrument("cut"), PlaceInstrument(LINE))
    assert np.isnan(instrument_values.shown_columns(experiment)["cut.number"]).all()


def test_instruments_stay_when_the_run_begins_anew_and_leave_with_another_one() -> None:
    experiment = go(pouring(LINE), 5_000)
    assert passed(experiment)
    done(experiment, Act("fill") if _offers(experiment, "fill") else Act("reset"))
    assert [entry.name for entry in experiment.run.placed.instruments] == ["cut"]
    assert passed(experiment) == 0
    done(experiment, SetParameters({"grain_count": 30}))
    assert [entry.name for entry in experiment.run.placed.instruments] == ["cut"]
    go(experiment, 500)
    done(experiment, Start("heap", SMALL, 1))
    assert experiment.run.placed.instruments == ()
    done(experiment, Start("heap", SMALL, 1, instruments=(BOX,)))
    assert experiment.run.placed.instruments == (BOX,)
    before = state_hash(experiment.run)
    outside = Instrument("box", "b", ((0.0, 0.0), (9.0, 9.0)))
    assert "outside the box" in str(apply(experiment, Start("heap", SMALL, 2, instruments=(outside,))))
    assert (state_hash(experiment.run), experiment.seed, experiment.run.placed.instruments) == (before, 1, (BOX,))


def test_only_rounding_may_take_a_point_beyond_the_box() -> None:
    experiment = pouring()
    low, high = instrument_values.limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    for beyond, refused in ((1e-9, False), (1e-4, True)):
        for x, side in ((low[0], -1.0), (high[0], 1.0)):
            end = float(x + side * beyond * (high[0] - low[0]))
            ruler = Instrument("ruler", f"r{end}".replace(".", "_"), ((5e-3, LEVEL), (end, LEVEL)))
            assert ("outside the box" in str(apply(experiment, PlaceInstrument(ruler)))) == refused


@pytest.mark.parametrize("scene", ["heap", "bounce", "silo", "plane_shear"])
def test_an_instrument_outside_the_box_is_refused_before_the_engine_is_compiled(
    scene: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def not_compiled(*_args: object, **_options: object) -> None:
        raise AssertionError("the engine is compiled before the refusal")

    monkeypatch.setattr("repose.sim.experiment.changes.activate", not_compiled)
    record = scenes()[scene]
    dimension = record.model.dimension
    inside, outside = (
        Instrument("ruler", "r", ((0.0,) * (dimension - 1) + (1e-3,), (far,) + (0.0,) * (dimension - 1)))
        for far in (1e-2, 90.0)
    )
    with pytest.raises(ParameterError, match="is outside the box from"):
        new_experiment(scene, record.test_values, instruments=(outside,))
    with pytest.raises(ParameterError, match="there is one called 'r' already"):
        new_experiment(scene, record.test_values, instruments=(inside, inside))
    with pytest.raises(ParameterError, match="a probe is attached to a grain; give its number"):
        new_experiment(scene, record.test_values, instruments=(Instrument("probe", "p"),))
    with pytest.raises(AssertionError, match="compiled"):
        new_experiment(scene, record.test_values, instruments=(inside,))


def _offers(experiment: Experiment, action: str) -> bool:
    return any(entry.name == action and entry.enabled for entry in experiment.scene.course.actions(experiment))


def test_an_instrument_outlasts_a_fault_and_changes_no_bit_after_it() -> None:
    def after_fault(*commands: Command) -> Experiment:
        experiment = go(pouring(), 2_000)
        done(experiment, *commands)
        go(experiment, 500)
        done(experiment, SetParameters({"dt": 2e-4}))
        advance(experiment, 50_000)
        assert experiment.fault is not None
        done(experiment, Recover({"dt": "auto"}))
        return go(experiment, 1_000)

    measured = after_fault(PlaceInstrument(LINE))
    assert measured.run.placed.instruments == (LINE,)
    assert state_hash(measured.run) == state_hash(after_fault().run)


def test_a_grain_that_a_command_puts_elsewhere_has_not_crossed() -> None:
    experiment = go(pouring(LINE), 5_000)
    count = passed(experiment)
    with placed_instruments.interrupted(experiment):
        world = experiment.run.world
        world.motion[1, 0, ~world.fixed] += 0.02
    placed_instruments.count(experiment)
    assert passed(experiment) == count


def test_results_and_files_contain_the_values() -> None:
    experiment = go(pouring(*ALL), 5_000)
    entries: dict[str, Any] = results_of(experiment)["instruments"]
    assert entries["cut"]["number"] == passed(experiment)
    assert entries["cut"]["kind"] == "line"
    assert entries["ruler"]["distance"] == pytest.approx(5e-3)
    assert resumed(saved(experiment)).run.placed.instruments == ALL


def test_side_by_side_an_instrument_is_in_all_runs_or_in_none() -> None:
    together = SideBySide([new_experiment("heap", SMALL)])
    wide = SMALL | {"width": 0.03}
    assert not carry_out(together, StartSideBySide((Start("heap", SMALL, 1), Start("heap", wide, 1))))
    outside = Instrument("ruler", "far", ((0.0, 0.0), (0.03, 0.0)))
    assert "outside the box" in str(carry_out(together, PlaceInstrument(outside), chosen=1))
    assert [run.run.placed.instruments for run in together.runs] == [(), ()]
    assert not carry_out(together, PlaceInstrument(LINE))
    assert [run.run.placed.instruments for run in together.runs] == [(LINE,), (LINE,)]
    assert not carry_out(together, PlaceInstrument(Instrument("probe", "probe", grain=900)), chosen=1)
    assert [len(run.run.placed.instruments) for run in together.runs] == [1, 2]
    assert not carry_out(together, RemoveInstrument("probe"))
    assert not carry_out(together, RemoveInstrument("cut"))
    assert [run.run.placed.instruments for run in together.runs] == [(), ()]


STRETCH = 1_000
"""Steps between two comparisons; after 14 of them grains of this chute rise above the line."""


def crossed_upright(before: dict[int, float], now: dict[int, float], at: float, period: float) -> int:
    """Net number of grains whose unwrapped abscissa [m] has passed `at` or one of its images, to the right."""
    return sum(math.floor((now[i] - at) / period) - math.floor((before[i] - at) / period) for i in now if i in before)


def test_in_a_flow_without_ends_a_line_counts_the_grains_that_pass_it_and_its_images() -> None:
    values = {"slope": math.radians(30.0), "tilt_rate": math.radians(360.0)}
    experiment = new_experiment("chute", dict(scenes()["chute"].test_values) | values)
    low, high = instrument_values.limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    at, period = float(low[0] + 0.3 * (high[0] - low[0])), float(high[0] - low[0])
    done(experiment, PlaceInstrument(Instrument("line", "cut", ((at, float(high[1])), (at, float(low[1]))))))
    done(experiment, Act("run"))
    world, right = experiment.run.world, 0

    def places() -> dict[int, float]:
        world = experiment.run.world
        return dict(zip(world.sphere_id.tolist(), world.motion[0, 0].tolist(), strict=True))

    known = places()
    for stretch in range(14):
        if stretch == 6:
            experiment = resumed(saved(experiment))
        go(experiment, STRETCH)
        now = places()
        right += crossed_upright(known, now, at, period)
        known = now
        assert passed(experiment) == -right, "downwards in the picture counts to the left"
    world, count = experiment.run.world, experiment.run.placed.passed
    assert abs(right) > 1
    masses = world.own_mass[~world.fixed]
    assert abs(right) * masses.min() <= abs(count[0].mass) <= abs(right) * masses.max()
    done(experiment, Rewind(3 * STRETCH), Rewind(14 * STRETCH))
    assert experiment.run.placed.passed == count


def test_a_wall_that_is_a_rigid_body_is_no_grain_that_crosses() -> None:
    experiment = new_experiment("plane_shear", dict(scenes()["plane_shear"].test_values))
    low, high = instrument_values.limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    at, period = float(low[0] + 0.7 * (high[0] - low[0])), float(high[0] - low[0])
    done(experiment, PlaceInstrument(Instrument("line", "cut", ((at, float(low[1])), (at, float(high[1]))))))
    world = experiment.run.world
    grains, way = world.layer >= 0, 0.5 * period
    before = world.motion[0, 0, grains].copy()
    world.motion[0, 0, ~world.fixed] += way
    world.bodies.motion[0, 0] += way
    placed_instruments.count(experiment)
    crossed = sum(math.floor((x + way - at) / period) - math.floor((x - at) / period) for x in before.tolist())
    assert passed(experiment) == crossed > 0
    assert experiment.run.placed.passed[0].mass < 1.5 * crossed * float(world.own_mass[grains].mean())


def test_a_machine_that_is_a_rigid_body_is_no_grain_of_any_measurement() -> None:
    experiment = go(new_experiment("plane_shear", dict(scenes()["plane_shear"].test_values)), 600)
    low, high = instrument_values.limits_of(experiment.scene.view.box(experiment), experiment.run.world.boundary)
    middle = 0.5 * float(low[0] + high[0])
    corners = tuple(low.tolist()), tuple(high.tolist())
    upright = (middle, float(low[1])), (middle, float(high[1]))
    done(experiment, PlaceInstrument(Instrument("box", "all", corners)))
    done(experiment, PlaceInstrument(Instrument("halves", "sides", upright)))
    world = experiment.run.world
    loose, plate = world.layer >= 0, world.body >= 0
    count, moving = int(loose.sum()), int((~world.fixed).sum())
    assert plate.any()
    assert moving == count + int(plate.sum())
    system, placed = system_of(experiment), experiment.run.placed
    values = instrument_values.present_values(experiment, system)
    contacts = contacts_per_sphere(world)
    assert contacts[plate].sum() > 0
    assert system.derived(network_now).degree == network_numbers(contact_network(system.grains)).degree
    assert contact_network(system.grains).nodes == values["all.grains"] == count
    assert system.derived(coordination_of).mean == pytest.approx(float(contacts[loose].mean()))
    assert len(placed.passed[1].marked) + len(placed.passed[1].others) == count
    own = world.own_mass[loose]
    velocity = world.motion[:2, 1, loose] - system.velocity_shift * world.motion[:2, 2, loose]
    assert values["all.velocity_x"] == pytest.approx(float(velocity[0] @ own / own.sum()), rel=1e-9)
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    assert snapshot.grains.moving_count == count
    assert np.isnan(snapshot.grains.columns["cluster"][plate]).all()
    assert np.isfinite(snapshot.grains.columns["cluster"][loose]).all()
    kinds = node_columns(state_of(experiment))["kind"].tolist()
    assert (kinds.count("sphere"), kinds.count("body")) == (count, 0)
    attached = Instrument("probe", "p", grain=int(world.sphere_id[plate][0]))
    assert "the number of a grain that can move" in str(apply(experiment, PlaceInstrument(attached)))
    assert int((~world.fixed).sum()) == moving, "the world itself is not changed"
    later = saved_copy(experiment)
    require_continuable(later, {}, (replace(attached, grain=int(world.sphere_id[loose][0])),))
    with pytest.raises(ParameterError, match="the number of a grain that can move"):
        require_continuable(later, {}, (attached,))

"""Experiments side by side: the bits of single runs, equal times, one set of commands, one file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repose.sim.experiment import saved_side_by_side, side_by_side
from repose.sim.experiment.changes import new_experiment
from repose.sim.experiment.command_log import SavedSideBySide
from repose.sim.experiment.commands import (
    PULLED,
    Act,
    Command,
    Copy,
    DoAgain,
    From,
    KeepOne,
    Pull,
    Release,
    Resume,
    Rewind,
    SetParameters,
    Start,
    StartSideBySide,
    TakeBack,
)
from repose.sim.experiment.control import apply
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.side_by_side import SideBySide, advance_all, all_of, carry_out, labels, meet
from repose.sim.experiment.stepping import advance
from repose.sim.io.archive import ArchiveError

from tests.sim.experiment.test_runner import SMALL

FRICTIONS = (0.1, 0.3)
PART = 2e-3
"""Simulated time between two commands of the tests [s]."""


def started(values: tuple[dict[str, Any], ...] = tuple({"friction": mu} for mu in FRICTIONS)) -> Any:
    """Experiments that differ in these values, and the function that carries out a command."""
    lead, beside = new_experiment("heap", SMALL), SideBySide()
    lead.history.checkpoints.budget = 50_000_000
    starts = tuple(Start("heap", SMALL | own, 1) for own in values)
    assert carry_out(lead, beside, StartSideBySide(starts)) == ""

    def do(command: Command, run: int = 0) -> str:
        return carry_out(lead, beside, command, run)

    return lead, beside, do


def go(lead: Experiment, beside: SideBySide, duration: float = PART) -> None:
    """Advance all by so much simulated time [s]."""
    advance_all(lead, beside, lead.time + duration)


def copied(do: Callable[[Command], str]) -> SavedSideBySide:
    found: list[SavedSideBySide] = []
    assert do(Copy(found.append)) == ""
    return found[0]


def test_every_run_has_the_bits_of_the_same_run_alone() -> None:
    lead, beside, do = started()
    do(Act("fill"))
    go(lead, beside)
    do(SetParameters({"gravity": 5.0}))
    go(lead, beside, 0.1)  # until grains touch the base, where friction acts
    for run, friction in zip(all_of(lead, beside), FRICTIONS, strict=True):
        single = new_experiment("heap", SMALL | {"friction": friction})
        for at, command in run.history.log.entries:
            advance(single, at - single.step)
            assert apply(single, command) == ""
        advance(single, run.step - single.step)
        assert state_hash(single.run) == state_hash(run.run)
    assert state_hash(lead.run) != state_hash(beside.others[0].run)


def test_all_runs_are_at_the_same_time_also_with_other_time_steps() -> None:
    lead, beside, do = started(({"dt": 1e-5}, {"dt": 1.7e-5}))
    do(Act("fill"))
    for _ in range(5):
        until = lead.time + 0.37e-3
        advance_all(lead, beside, until)
        for run in all_of(lead, beside):
            assert 0.0 <= run.time - until + 1e-3 * run.dt < run.dt
    assert beside.others[0].step < lead.step


def test_a_pool_of_threads_gives_the_bits_of_taking_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for processors in (1, 2):
        monkeypatch.setattr(side_by_side, "available", lambda processors=processors: processors)
        lead, beside, do = started()
        assert (beside.pool is not None) == (processors == 2)
        do(Act("fill"))
        go(lead, beside)
        hashes.append([state_hash(run.run) for run in all_of(lead, beside)])
        do(KeepOne(0))
    assert hashes[0] == hashes[1]


def test_a_change_acts_on_all_runs_but_that_of_a_parameter_in_which_they_differ_on_one() -> None:
    lead, beside, do = started()
    assert do(SetParameters({"gravity": 1.62}), 1) == ""
    assert do(SetParameters({"friction": 0.5}), 1) == ""
    assert [run.parameters.gravity for run in all_of(lead, beside)] == [1.62, 1.62]
    assert [run.parameters.friction for run in all_of(lead, beside)] == [FRICTIONS[0], 0.5]
    assert labels(all_of(lead, beside), beside.own) == ("μ = 0.1", "μ = 0.5")


def test_an_action_acts_on_every_run_that_offers_it_and_is_refused_where_none_does() -> None:
    lead, beside, do = started()
    assert do(Act("fill"), 1) == ""
    assert [run.phase for run in all_of(lead, beside)] == ["filling", "filling"]
    assert "fill" in do(Act("fill")).lower()


def test_going_back_leads_all_runs_to_equal_times_and_on_to_the_same_bits() -> None:
    lead, beside, do = started(({"dt": 1e-5}, {"dt": 1.7e-5}))
    do(Act("fill"))
    go(lead, beside)
    meet(lead, beside)
    middle = [run.step for run in all_of(lead, beside)], [state_hash(run.run) for run in all_of(lead, beside)]
    go(lead, beside)
    meet(lead, beside)
    end = [state_hash(run.run) for run in all_of(lead, beside)]
    assert do(Rewind(beside.meetings[-2][1]), 1) == ""
    assert ([run.step for run in all_of(lead, beside)], [state_hash(run.run) for run in all_of(lead, beside)]) == middle
    assert do(Rewind(lead.history.log.end)) == ""
    assert [state_hash(run.run) for run in all_of(lead, beside)] == end


def test_a_step_on_from_an_earlier_state_leads_to_the_next_equal_times() -> None:
    lead, beside, do = started()
    for _ in range(3):
        go(lead, beside)
        meet(lead, beside)
    do(Rewind(beside.meetings[1][0]))
    do(Rewind(lead.history.at + 1))
    assert tuple(run.history.at for run in all_of(lead, beside)) == beside.meetings[2]
    do(Rewind(lead.history.at - 1))
    assert tuple(run.history.at for run in all_of(lead, beside)) == beside.meetings[1]


def test_undo_of_a_change_of_one_run_takes_the_others_back_to_its_time() -> None:
    lead, beside, do = started()
    go(lead, beside)
    do(SetParameters({"friction": 0.5}), 1)
    times = [run.time for run in all_of(lead, beside)]
    go(lead, beside)
    assert do(TakeBack("friction"), 1) == ""
    assert [run.time for run in all_of(lead, beside)] == times
    assert beside.others[0].parameters.friction == FRICTIONS[1]


def test_undo_of_a_pull_in_one_run_leaves_an_earlier_pull_in_another_one_of_another_time_step() -> None:
    lead, beside, do = started(({"dt": 2e-5}, {"dt": 3e-5}))
    do(Act("fill"))
    go(lead, beside, 0.01)
    grain = int(lead.run.world.sphere_id[~lead.run.world.fixed][0])
    pulled = Pull(grain, (0.0, 0.0), 1e-6)
    for run in (0, 1):
        assert do(pulled, run) == ""
        times = [one.time for one in all_of(lead, beside)]
        go(lead, beside)
    assert do(TakeBack(PULLED), 1) == ""
    assert [run.time for run in all_of(lead, beside)] == times
    assert lead.history.log.entries[-1].command == pulled
    assert (lead.run.target is None, beside.others[0].run.target is None) == (False, True)
    assert do(DoAgain(PULLED), 1) == ""
    assert [type(entry.command) for entry in beside.others[0].history.log.entries[-2:]] == [Pull, Release]
    assert lead.history.log.entries[-1].command == pulled


def test_one_run_is_kept_with_its_state_and_its_history() -> None:
    lead, beside, do = started()
    do(Act("fill"))
    go(lead, beside)
    kept = beside.others[0]
    step, digest, commands = kept.step, state_hash(kept.run), list(kept.history.log.entries)
    assert do(KeepOne(1)) == ""
    assert not beside.others
    assert (lead.step, state_hash(lead.run), lead.history.log.entries) == (step, digest, commands)
    assert lead.parameters.friction == FRICTIONS[1]
    assert "no experiment 3" in do(KeepOne(2))


def test_another_scene_ends_the_runs_side_by_side() -> None:
    lead, beside, do = started()
    assert do(Start("heap", SMALL, 2)) == ""
    assert not beside.others
    assert lead.seed == 2


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ((Start("heap", SMALL, 1),), "1 experiments side by side are refused: choose 2 to 4"),
        (tuple(Start("heap", SMALL, seed) for seed in range(5)), "5 experiments side by side are refused"),
        ((Start("heap", SMALL, 1), Start("heap", SMALL | {"friction": 9.0}, 1)), "friction"),
        ((Start("heap", SMALL, 1), Start("hepa", SMALL, 1)), "hepa"),
    ],
)
def test_a_refused_start_loses_nothing(starts: tuple[Start, ...], words: str) -> None:
    lead, beside, do = started()
    go(lead, beside)
    before = [state_hash(run.run) for run in all_of(lead, beside)]
    assert words in do(StartSideBySide(starts))
    assert [state_hash(run.run) for run in all_of(lead, beside)] == before


def test_too_little_memory_is_said_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lead, beside, do = started()

    def none_left(*_: object) -> Experiment:
        raise MemoryError

    monkeypatch.setattr(side_by_side.changes, "new_experiment", none_left)
    refusal = do(StartSideBySide((Start("heap", SMALL, 1), Start("heap", SMALL, 2))))
    assert "more memory than there is" in refusal
    assert len(all_of(lead, beside)) == 2


def test_a_file_has_every_run_each_readable_alone_and_continues_all_bit_by_bit(tmp_path: Path) -> None:
    lead, beside, do = started()
    do(Act("fill"))
    go(lead, beside)
    path = tmp_path / "both.repose"
    saved_side_by_side.save(copied(do), path)
    go(lead, beside)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    alone = saved_side_by_side.load(tmp_path / "run-2.repose")
    assert verify(alone).differs_at is None  # type: ignore[arg-type]

    other, others = new_experiment("heap", SMALL), SideBySide()
    read = saved_side_by_side.load(path)
    assert carry_out(other, others, Resume(read)) == ""
    go(other, others)
    assert [state_hash(run.run) for run in all_of(other, others)] == [
        state_hash(run.run) for run in all_of(lead, beside)
    ]
    assert others.own == {"friction"}
    assert others.meetings[0] == (0, 0)


def test_a_damaged_file_is_refused_with_a_sentence() -> None:
    *_, do = started()
    whole = io.BytesIO()
    saved_side_by_side.write(copied(do), whole)
    with zipfile.ZipFile(whole) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    contents = saved_side_by_side.CONTENTS
    for name, content, words in (
        (contents, b"{", "cannot be read as runs side by side"),
        (contents, members[contents].replace(b'"runs": 2', b'"runs": 9'), "9 runs side by side"),
        (contents, members[contents].replace(b'"meetings": [[0', b'"meetings": [[7'), "equal times"),
        (contents, members[contents].replace(b'"own"', b'"one"'), "own = null"),
        ("run-2.repose", b"nothing", "cannot be read as a saved run"),
    ):
        damaged = io.BytesIO()
        with zipfile.ZipFile(damaged, "w") as archive:
            for member, kept in members.items():
                archive.writestr(member, content if member == name else kept)
        with pytest.raises(ArchiveError, match=words):
            saved_side_by_side.read(damaged)


def test_the_physics_thread_publishes_and_films_all_runs_at_equal_times() -> None:
    lead = new_experiment("heap", SMALL)
    runner = Runner(lambda: lead)
    starts = tuple(Start("heap", SMALL | own, 1) for own in ({"dt": 1e-5}, {"dt": 1.7e-5}))
    runner.set_speed(None)
    for command in (StartSideBySide(starts), Act("fill")):
        runner.send(command)
    frames = runner.record(1e-3)
    for _ in range(12):
        runner._publish_at = 0.0
        runner._turn(lead)
    shots = [runner.latest(), *(frames.get_nowait() for _ in range(frames.qsize()))]
    assert len(shots) > 3
    for shot in shots:
        (other,) = shot.beside
        assert shot.run.label.startswith("Δt = ")
        assert abs(shot.run.time - other.run.time) < other.run.dt
    assert max(shot.beside[0].run.step for shot in shots) > 0
    cuts = runner.latest().history.cuts
    runner.announce_compiling(lead)  # as the first push does: the window keeps cameras, choice and drag
    assert (runner.latest().engine.compiling, runner.latest().history.cuts, len(runner.latest().beside)) == (
        True,
        cuts,
        1,
    )
    runner.send(From(1, SetParameters({"dt": 2e-5})))
    runner._turn(lead)
    assert [shot.run.dt for shot in (runner.latest(), *runner.latest().beside)] == [1e-5, 2e-5]

"""Experiments side by side: the bits of single runs, equal times, one set of commands, one file."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from repose.sim.experiment import changes, saved_side_by_side, side_by_side
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
from repose.sim.experiment.control import apply, carry_out
from repose.sim.experiment.experiment import Experiment
from repose.sim.experiment.replay import verify
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.runner import Runner
from repose.sim.experiment.side_by_side import SideBySide, advance_all, labels, meet
from repose.sim.experiment.stepping import advance
from repose.sim.io.archive import ArchiveError

from tests.english import english
from tests.sim.experiment.test_runner import SMALL

FRICTIONS = (0.1, 0.3)
PART = 2e-3
"""Simulated time between two commands of the tests [s]."""


def started(values: tuple[dict[str, Any], ...] = tuple({"friction": mu} for mu in FRICTIONS)) -> Any:
    """Experiments that differ in these values, and the function that carries out a command."""
    together = SideBySide([new_experiment("heap", SMALL)])
    together.first.history.checkpoints.budget = 50_000_000
    starts = tuple(Start("heap", SMALL | own, 1) for own in values)
    assert not carry_out(together, StartSideBySide(starts))

    def do(command: Command, run: int = 0) -> str:
        return str(carry_out(together, command, run))

    return together, do


def go(together: SideBySide, duration: float = PART) -> None:
    """Advance all by so much simulated time [s]."""
    advance_all(together, together.first.time + duration)


def copied(do: Callable[[Command], str]) -> SavedSideBySide:
    found: list[SavedSideBySide] = []
    assert do(Copy(found.append)) == ""
    return found[0]


def test_every_run_has_the_bits_of_the_same_run_alone() -> None:
    together, do = started()
    do(Act("fill"))
    go(together)
    do(SetParameters({"gravity": 5.0}))
    go(together, 0.1)  # until grains touch the base, where friction acts
    for run, friction in zip(together.runs, FRICTIONS, strict=True):
        single = new_experiment("heap", SMALL | {"friction": friction})
        for at, command in run.history.log.entries:
            advance(single, at - single.step)
            assert not apply(single, command)
        advance(single, run.step - single.step)
        assert state_hash(single.run) == state_hash(run.run)
    assert state_hash(together.first.run) != state_hash(together.runs[1].run)


def test_all_runs_are_at_the_same_time_also_with_other_time_steps() -> None:
    together, do = started(({"dt": 1e-5}, {"dt": 1.7e-5}))
    do(Act("fill"))
    for _ in range(5):
        until = together.first.time + 0.37e-3
        advance_all(together, until)
        for run in together.runs:
            assert 0.0 <= run.time - until + 1e-3 * run.dt < run.dt
    assert together.runs[1].step < together.first.step


def test_a_pool_of_threads_gives_the_bits_of_taking_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    hashes = []
    for processors in (1, 2):
        monkeypatch.setattr(side_by_side, "available", lambda processors=processors: processors)
        together, do = started()
        assert (together.pool is not None) == (processors == 2)
        do(Act("fill"))
        go(together)
        hashes.append([state_hash(run.run) for run in together.runs])
        do(KeepOne(0))
    assert hashes[0] == hashes[1]


def test_a_change_acts_on_all_runs_but_that_of_a_parameter_in_which_they_differ_on_one() -> None:
    together, do = started()
    assert do(SetParameters({"gravity": 1.62}), 1) == ""
    assert do(SetParameters({"friction": 0.5}), 1) == ""
    assert [run.parameters.gravity for run in together.runs] == [1.62, 1.62]
    assert [run.parameters.friction for run in together.runs] == [FRICTIONS[0], 0.5]
    assert english(labels(together.runs, together.differing)) == ("μ = 0.1", "μ = 0.5")


def test_an_action_acts_on_every_run_that_offers_it_and_is_refused_where_none_does() -> None:
    together, do = started()
    assert do(Act("fill"), 1) == ""
    assert [run.phase for run in together.runs] == ["filling", "filling"]
    assert "fill" in do(Act("fill")).lower()


def test_going_back_leads_all_runs_to_equal_times_and_on_to_the_same_bits() -> None:
    together, do = started(({"dt": 1e-5}, {"dt": 1.7e-5}))
    do(Act("fill"))
    go(together)
    meet(together)
    middle = [run.step for run in together.runs], [state_hash(run.run) for run in together.runs]
    go(together)
    meet(together)
    end = [state_hash(run.run) for run in together.runs]
    assert do(Rewind(together.meetings[-2][1]), 1) == ""
    assert ([run.step for run in together.runs], [state_hash(run.run) for run in together.runs]) == middle
    assert do(Rewind(together.first.history.log.end)) == ""
    assert [state_hash(run.run) for run in together.runs] == end


def test_a_step_on_from_an_earlier_state_leads_to_the_next_equal_times() -> None:
    together, do = started()
    for _ in range(3):
        go(together)
        meet(together)
    do(Rewind(together.meetings[1][0]))
    do(Rewind(together.first.history.at + 1))
    assert tuple(run.history.at for run in together.runs) == together.meetings[2]
    do(Rewind(together.first.history.at - 1))
    assert tuple(run.history.at for run in together.runs) == together.meetings[1]


def test_undo_of_a_change_of_one_run_takes_the_others_back_to_its_time() -> None:
    together, do = started()
    go(together)
    do(SetParameters({"friction": 0.5}), 1)
    times = [run.time for run in together.runs]
    go(together)
    assert do(TakeBack("friction"), 1) == ""
    assert [run.time for run in together.runs] == times
    assert together.runs[1].parameters.friction == FRICTIONS[1]


def test_undo_of_a_pull_in_one_run_leaves_an_earlier_pull_in_another_one_of_another_time_step() -> None:
    together, do = started(({"dt": 2e-5}, {"dt": 3e-5}))
    do(Act("fill"))
    go(together, 0.01)
    grain = int(together.first.run.world.sphere_id[~together.first.run.world.fixed][0])
    pulled = Pull(grain, (0.0, 0.0), 1e-6)
    for run in (0, 1):
        assert do(pulled, run) == ""
        times = [one.time for one in together.runs]
        go(together)
    assert do(TakeBack(PULLED), 1) == ""
    assert [run.time for run in together.runs] == times
    assert together.first.history.log.entries[-1].command == pulled
    assert (together.first.run.target is None, together.runs[1].run.target is None) == (False, True)
    assert do(DoAgain(PULLED), 1) == ""
    assert [type(entry.command) for entry in together.runs[1].history.log.entries[-2:]] == [Pull, Release]
    assert together.first.history.log.entries[-1].command == pulled


def test_one_run_is_kept_with_its_state_and_its_history() -> None:
    together, do = started()
    do(Act("fill"))
    go(together)
    kept = together.runs[1]
    step, digest, commands = kept.step, state_hash(kept.run), list(kept.history.log.entries)
    assert do(KeepOne(1)) == ""
    (kept,) = together.runs
    assert (kept.step, state_hash(kept.run), kept.history.log.entries) == (step, digest, commands)
    assert together.first.parameters.friction == FRICTIONS[1]
    assert "no experiment 3" in do(KeepOne(2))


def test_another_scene_ends_the_runs_side_by_side() -> None:
    together, do = started()
    assert do(Start("heap", SMALL, 2)) == ""
    assert len(together.runs) == 1
    assert together.first.seed == 2


@pytest.mark.parametrize(
    ("starts", "words"),
    [
        ((Start("heap", SMALL, 1),), "1 experiment side by side is refused: choose 2 to 4"),
        (tuple(Start("heap", SMALL, seed) for seed in range(5)), "5 experiments side by side are refused"),
        ((Start("heap", SMALL, 1), Start("heap", SMALL | {"friction": 9.0}, 1)), "friction"),
        ((Start("heap", SMALL, 1), Start("hepa", SMALL, 1)), "hepa"),
    ],
)
def test_a_refused_start_loses_nothing(starts: tuple[Start, ...], words: str) -> None:
    together, do = started()
    go(together)
    before = [state_hash(run.run) for run in together.runs]
    assert words in do(StartSideBySide(starts))
    assert [state_hash(run.run) for run in together.runs] == before


def test_too_little_memory_is_said_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    together, do = started()

    def none_left(*_: object) -> Experiment:
        raise MemoryError

    monkeypatch.setattr(changes, "new_experiment", none_left)
    refusal = do(StartSideBySide((Start("heap", SMALL, 1), Start("heap", SMALL, 2))))
    assert "more memory than there is" in refusal
    assert len(together.runs) == 2


def test_a_file_has_every_run_each_readable_alone_and_continues_all_bit_by_bit(tmp_path: Path) -> None:
    together, do = started()
    do(Act("fill"))
    go(together)
    path = tmp_path / "both.repose"
    saved_side_by_side.save(copied(do), path)
    go(together)
    with zipfile.ZipFile(path) as archive:
        archive.extractall(tmp_path)
    alone = saved_side_by_side.load(tmp_path / "run-2.repose")
    assert verify(alone).differs_at is None  # type: ignore[arg-type]

    others = SideBySide([new_experiment("heap", SMALL)])
    read = saved_side_by_side.load(path)
    assert not carry_out(others, Resume(read))
    go(others)
    assert [state_hash(run.run) for run in others.runs] == [state_hash(run.run) for run in together.runs]
    assert others.differing == {"friction"}
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
        (contents, members[contents].replace(b'"runs": 2', b'"runs": 9'), "number of runs side by side is 9"),
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
    runner._begin()
    starts = tuple(Start("heap", SMALL | own, 1) for own in ({"dt": 1e-5}, {"dt": 1.7e-5}))
    runner.set_speed(None)
    for command in (StartSideBySide(starts), Act("fill")):
        runner.send(command)
    frames = runner.record(1e-3)
    for _ in range(1_000):  # a busy machine does few steps in a turn
        runner._publish_at = 0.0
        runner._turn()
        if frames.qsize() > 3:
            break
    shots = [runner.latest(), *(frames.get_nowait() for _ in range(frames.qsize()))]
    assert len(shots) > 3
    for shot in shots:
        (other,) = shot.beside
        assert str(shot.run.label).startswith("Δt = ")
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
    runner._turn()
    assert [shot.run.dt for shot in (runner.latest(), *runner.latest().beside)] == [1e-5, 2e-5]

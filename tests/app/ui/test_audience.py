"""Phones in the window: rounds follow the questions, answers reach the run, buttons and keys switch and show."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from repose.app.audience.exchange import Answered
from repose.app.audience.interfaces import LOOPBACK
from repose.app.lectures.lecture_file import parse
from repose.app.storage.run_saver import Writer
from repose.app.ui import phones
from repose.app.ui.layout import draw_panels
from repose.app.ui.panels.guess import guessed
from repose.app.ui.phones import Audience, present
from repose.app.ui.questions import answer as answer_question
from repose.app.ui.questions import open_question
from repose.app.ui.toasts import Toasts
from repose.app.ui.ui import Ui
from repose.sim.experiment.commands import KeepGuesses
from repose.sim.measure.display import Answer
from repose.sim.message import Message, plain
from repose.sim.registry import scenes

from tests.app.audience.phones import Phone, until
from tests.app.ui.panels.panel_harness import PanelHarness, full_snapshot, open_harness
from tests.snapshots import with_fields

SCENE = next(name for name, scene in scenes().items() if scene.guess is not None)


def draw(ui: Ui) -> None:
    """A frame of the window."""
    phones.see(ui)
    draw_panels(ui)


@contextmanager
def opened(folder: Path, size: tuple[int, int] = (1280, 720), on: bool = True) -> Iterator[PanelHarness]:
    """The window in a scene with a question, with phones switched on for this machine."""
    shot = with_fields(full_snapshot(), scene=SCENE, parameters=scenes()[SCENE].parameters())
    with open_harness(folder, shot, size, draw) as harness:
        harness.ui.control.actions["audience"] = lambda: harness.done.append("audience")
        try:
            if on:
                phones.switch_on(harness.ui, LOOPBACK)
            harness.frame(2)
            yield harness
        finally:
            phones.switch_off(harness.ui)


def state(harness: PanelHarness) -> Audience:
    return harness.ui.states[Audience]


def put(harness: PanelHarness, **values: float) -> None:
    """Answers of phones to the present question."""
    for client, value in values.items():
        state(harness).exchange.put_answer(client, Answered(state(harness).number, value))
    harness.frame(2)


def kept(harness: PanelHarness) -> list[tuple[tuple[float, ...], float | None, bool]]:
    found = [command.guesses for command in harness.commands if isinstance(command, KeepGuesses)]
    return [(entry.values, entry.result, entry.shown) for entry in found]


def test_nothing_is_open_before_phones_are_switched_on(tmp_path: Path) -> None:
    with opened(tmp_path, on=False) as harness:
        assert state(harness).server is None
        assert state(harness).rounds == []
        harness.click("guess.phones")
        assert harness.done == ["audience"]
        harness.ui.mode.overlay = "audience"
        harness.frame(2)
        assert "audience.qr" not in harness.widgets
        state(harness).address = LOOPBACK
        harness.click("audience.on")
        assert state(harness).server is not None
        assert "audience.qr" in harness.widgets
        harness.click("audience.off")
        assert state(harness).server is None


def test_answers_are_hidden_until_they_are_shown_and_reach_the_run(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        put(harness, a=12.0, b=30.0)
        assert "guess.histogram" not in harness.widgets
        assert kept(harness) == [((12.0, 30.0), None, False)]
        harness.click("guess.show_answers")
        assert "guess.histogram" in harness.widgets
        assert kept(harness)[-1] == ((12.0, 30.0), None, True)
        harness.click("guess.show_answers")
        assert "guess.histogram" not in harness.widgets
        assert guessed(harness.ui) is None, "the slider of the window is another guess"


def test_a_result_closes_the_round_and_the_next_run_begins_another(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        before = harness.ui.snapshot
        put(harness, a=12.0)
        phones.show(harness.ui, True)
        harness.ui.snapshot = with_fields(before, answer=Answer(31.25, plain("31°.")))
        harness.frame(2)
        question = state(harness).exchange.question
        assert question is not None
        assert not question.is_open
        assert kept(harness)[-1] == ((12.0,), 31.25, True)
        assert "guess.histogram" in harness.widgets
        harness.ui.snapshot = before
        harness.frame(2)
        assert state(harness).number == 2
        assert not state(harness).shown
        assert kept(harness)[-1] == ((), None, False), "a film of the new run does not show the old answers"
        put(harness, b=20.0)
        assert [list(entry.values.values()) for entry in state(harness).rounds] == [[12.0], [20.0]]


def test_an_earlier_step_of_the_run_does_not_open_the_question_again(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        before = harness.ui.snapshot
        harness.ui.snapshot = with_fields(before, answer=Answer(31.25, plain("31°.")))
        harness.frame(2)
        harness.ui.snapshot = with_fields(before, at=10, log_end=20)
        harness.frame(2)
        assert state(harness).number == 1
        question = state(harness).exchange.question
        assert question is not None
        assert not question.is_open


def test_a_late_answer_belongs_to_its_own_question(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        before = harness.ui.snapshot
        harness.ui.snapshot = with_fields(before, answer=Answer(31.25, plain("31°.")))
        harness.frame(2)
        harness.ui.snapshot = before
        state(harness).exchange.put_answer("a", Answered(1, 12.0))
        harness.frame(2)
        assert [entry.values for entry in state(harness).rounds] == [{"a": 12.0}, {}]


def test_a_step_of_a_lecture_is_asked_in_all_its_languages(tmp_path: Path) -> None:
    step = '[[step]]\ntitle = "A"\nscene = "heap"\nguess = { words = { en = "How steep?", de = "Wie steil?" }, '
    step += 'low = 0, high = 60, unit = "°", reading = "table_angle" }\n[[step]]\ntitle = "B"\nscene = "heap"\n'
    with opened(tmp_path) as harness:
        mode = harness.ui.mode.lecture
        mode.lecture, mode.on = parse(step, "mine"), True
        harness.frame(2)
        question = state(harness).exchange.question
        assert question is not None
        assert question.words_in == {"en": "How steep?", "de": "Wie steil?"}
        put(harness, a=12.0)
        mode.number = 1
        harness.frame(2)
        assert state(harness).exchange.question is None, "the next step asks nothing"
        assert present(harness.ui) is None


def test_a_step_that_waits_for_its_run_shows_no_answers_of_the_step_before(tmp_path: Path) -> None:
    step = '[[step]]\ntitle = "{0}"\nscene = "heap"\n'
    step += 'guess = {{ words = "{0}", low = 0, high = {1}, reading = "grains_left" }}\n'
    with opened(tmp_path) as harness:
        mode = harness.ui.mode.lecture
        mode.lecture, mode.on = parse(step.format("A", 60) + step.format("B", 8), "mine"), True
        harness.frame(2)
        put(harness, a=12.0)
        phones.show(harness.ui, True)
        harness.frame(2)
        assert "guess.histogram" in harness.widgets
        mode.number, mode.awaited = 1, harness.ui.snapshot.history.logs + 1
        harness.frame(2)
        assert present(harness.ui) is None
        assert state(harness).exchange.question is None
        assert "guess.histogram" not in harness.widgets
        mode.awaited = harness.ui.snapshot.history.logs
        harness.frame(2)
        question = state(harness).exchange.question
        assert question is not None
        assert (str(question.guess.words), question.number) == ("B", state(harness).number)
        assert [entry.values for entry in state(harness).rounds[-2:]] == [{"a": 12.0}, {}]


def test_answers_are_deleted_after_a_question_only(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        put(harness, a=12.0, b=13.0)
        harness.ui.mode.overlay = "audience"
        harness.frame(2)
        harness.click("audience.delete")
        question = open_question(harness.ui)
        assert question is not None
        assert "all 2 answers" in str(question.text)
        answer_question(harness.ui, False)
        harness.frame(2)
        assert len(state(harness).rounds[-1].values) == 2
        phones.ask_to_delete(harness.ui)
        answer_question(harness.ui, True)
        harness.frame(2)
        assert [entry.values for entry in state(harness).rounds] == [{}]
        assert kept(harness)[-1][0] == ()
        assert state(harness).number == 2, "phones that have answered are asked again"


def test_a_taken_port_is_one_sentence(tmp_path: Path) -> None:
    with opened(tmp_path) as first:
        server = state(first).server
        assert server is not None
        other = tmp_path / "other"
        other.mkdir()
        state(first).server = None
        phones.switch_on(first.ui, LOOPBACK, server.port)
        assert state(first).server is None
        assert "is used by another program" in str(state(first).trouble)
        assert [toast.bad for toast in first.ui.states[Toasts].shown] == [True]
        state(first).server = server


def test_a_phone_answers_and_the_window_counts_it(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        server = state(harness).server
        assert server is not None
        phone = Phone(server)
        phone.open()
        assert phone.answer(3, state(harness).number).status == 200
        until(lambda: (harness.frame(), state(harness).rounds[-1].values)[1], "answer")
        assert list(state(harness).rounds[-1].values.values()) == [3.0]


def test_answers_and_clients_are_forgotten_with_the_server_but_the_rounds_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        put(harness, a=12.0)
        server = state(harness).server
        assert server is not None
        phones.switch_off(harness.ui)
        harness.frame(2)
        until(lambda: not server.is_on, "end of the server")
        assert list(state(harness).rounds[-1].values.values()) == [12.0]
        assert "guess.show_answers" in harness.widgets


def test_answers_that_were_not_exported_are_written_when_the_window_closes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def write(what: Message, folder: Path, name: str, writers: Mapping[str, Writer]) -> None:
        file = io.BytesIO()
        writers[".csv"](file)
        written.append(file.getvalue().decode("utf-8"))

    with opened(tmp_path) as harness:
        monkeypatch.setattr(harness.ui.work.run_saver, "save_files", write)
        phones.end(harness.ui)
        assert written == [], "there are no answers"
        phones.switch_on(harness.ui, LOOPBACK)
        put(harness, a=12.0)
        phones.export(harness.ui)
        phones.end(harness.ui)
        assert len(written) == 1, "all answers were exported"
        phones.switch_on(harness.ui, LOOPBACK)
        server = state(harness).server
        assert server is not None
        state(harness).exchange.put_answer("b", Answered(state(harness).number, 30.0))
        phones.end(harness.ui)
        assert [row["guess"] for row in csv.DictReader(io.StringIO(written[-1]))] == ["12", "30"]
        until(lambda: not server.is_on, "end of the server")
        assert len(written) == 2


def test_pictures_are_read_only_while_the_remote_looks(tmp_path: Path) -> None:
    with opened(tmp_path) as harness:
        read: list[int] = []

        def pixels() -> tuple[int, int, bytes]:
            read.append(1)
            return 1, 1, b"abc"

        phones.give_picture(harness.ui, pixels)
        assert read == []
        state(harness).exchange.watched = time.monotonic()
        for _ in range(5):
            phones.give_picture(harness.ui, pixels)
        assert read == [1], "a few per second"
        picture = state(harness).exchange.picture
        assert picture is not None
        state(harness).exchange.picture = replace(picture, at=picture.at - 10.0)
        phones.give_picture(harness.ui, pixels)
        assert read == [1, 1]


@pytest.mark.parametrize("size", [(1024, 640), (1280, 720)])
def test_the_panel_fits_into_the_window(tmp_path: Path, size: tuple[int, int]) -> None:
    with opened(tmp_path, size) as harness:
        put(harness, **{f"c{k}": float(k) for k in range(30)})
        harness.ui.mode.overlay = "audience"
        harness.frame(3)
        for name in ("audience.qr", "audience.off", "audience.remote", "audience.export", "audience.close"):
            left, top, right, bottom = harness.widgets[name]
            assert 0 <= left < right <= size[0], name
            assert 0 <= top < bottom <= size[1] - harness.ui.window.inset[3], name

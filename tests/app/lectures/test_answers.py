"""The guess of a lecture is answered by a reading in the unit of the guess, or refused with what to do."""

from __future__ import annotations

import pytest
from repose.app.language import NATIVE, read_language
from repose.app.lectures import lecture_file, old_labels
from repose.app.lectures.answers import answer_of, unanswered
from repose.app.lectures.lecture_file import GuessQuestion, Lecture, load, parse
from repose.sim.experiment.changes import offered_plots
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.measure.display import Reading
from repose.sim.message import _
from repose.sim.registry import scenes
from repose.sim.scene_fields import NAME

from tests.snapshots import snapshot_of, with_fields

READINGS = (
    Reading("mean_time", "mean time", 0.0008, "s"),
    Reading("angle_of_repose", _("angle of repose"), 12.6, "°"),
    Reading("none_yet", "none yet", float("nan")),
)
SHOT = snapshot_of(readings=READINGS, bulk_readings=(Reading("coordination_number", "coordination number", 3.9),))


@pytest.fixture(autouse=True)
def as_of_a_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    """A scene that does not declare its later readings: no name is refused before the end of a step."""
    monkeypatch.setattr(lecture_file, "_has_reading", lambda scene, reading: True)


def asking(reading: str, unit: str, more: str = "") -> Lecture:
    guess = f'guess = {{ words = "w", unit = "{unit}", low = 0, high = 2, reading = "{reading}" }}\n'
    return parse(f'[[step]]\ntitle = "A"\nscene = "heap"\n{guess}{more.format(guess=guess)}', "mine.toml")


def question(reading: str, unit: str) -> GuessQuestion:
    asked = asking(reading, unit).steps[0].guess
    assert isinstance(asked, GuessQuestion)
    return asked


@pytest.mark.parametrize(("unit", "value"), [("s", 0.0008), ("ms", 0.8), ("µs", 800.0), ("μs", 800.0)])
def test_a_reading_answers_in_the_unit_of_the_slider_whatever_prefix_the_window_shows(unit: str, value: float) -> None:
    assert READINGS[0].readable().unit == "µs"
    answer = answer_of(question("mean_time", unit), SHOT)
    assert answer is not None
    assert answer.value == pytest.approx(value, rel=1e-12)
    assert not unanswered(asking("mean_time", unit), 0, SHOT)


@pytest.mark.parametrize(
    ("reading", "unit", "found", "needed"),
    [("mean_time", "m", "0.0008 s", "s"), ("angle_of_repose", "rad", "12.6 °", "°"), ("angle_of_repose", "", "", "°")],
)
def test_a_reading_of_another_quantity_stands_beside_no_guess(reading: str, unit: str, found: str, needed: str) -> None:
    assert answer_of(question(reading, unit), SHOT) is None
    sentence = unanswered(asking(reading, unit), 0, SHOT)
    for words in (f'unit = "{unit}"', f"'{reading}'", found, f'write unit = "{needed}"'):
        assert words in str(sentence)


def test_a_name_that_no_reading_has_is_reported_with_the_names_there_are() -> None:
    lecture = asking("angle_of_repos", "°")
    assert answer_of(question("angle_of_repos", "°"), SHOT) is None
    sentence = unanswered(lecture, 0, SHOT)
    assert "'angle_of_repos'" in str(sentence)
    assert str(sentence).endswith(
        ": mean_time (mean time), angle_of_repose (angle of repose), coordination_number (coordination number)."
    )
    assert "none_yet" not in str(sentence), "a reading without a value answers nothing"
    assert str(unanswered(lecture, 0, Snapshot())).endswith(": none.")


@pytest.mark.parametrize(("later", "silent"), [("continue = true", True), ('scene = "heap"', False)])
def test_a_guess_taken_before_the_run_is_answered_by_a_later_step_of_the_same_run(later: str, silent: bool) -> None:
    lecture = asking("tilting_angle", "°", f'[[step]]\ntitle = "B"\n{later}\n{{guess}}')
    assert (not unanswered(lecture, 0, SHOT)) is silent
    assert unanswered(lecture, 1, SHOT)
    shipped = load("heap-slope")
    first = next(number for number, step in enumerate(shipped.steps) if isinstance(step.guess, GuessQuestion))
    assert not unanswered(shipped, first, with_fields(SHOT, readings=()))


@pytest.mark.parametrize("language", NATIVE)
def test_a_label_in_a_lecture_of_an_earlier_version_is_read_as_the_name_of_its_reading(language: str) -> None:
    label = read_language(language).translated(_("angle of repose"))
    assert question(label, "°").reading == "angle_of_repose"
    answer = answer_of(question(label, "°"), SHOT)
    assert answer is not None
    assert answer.value == 12.6


def test_every_label_of_an_earlier_version_leads_to_a_name_that_is_read_as_itself() -> None:
    for label, name in old_labels.READINGS.items():
        assert NAME.fullmatch(name)
        assert question(str(label), "").reading == name
        assert question(name, "").reading == name


def test_a_title_in_a_lecture_of_an_earlier_version_is_read_as_the_name_of_its_plot() -> None:
    def plot(scene: str, title: str) -> str:
        return parse(f'[[step]]\ntitle = "A"\nscene = "{scene}"\nplot = "{title}"\n', "mine.toml").steps[0].plot

    assert [plot("hourglass", "Flow"), plot("silo", "Flow rate"), plot("janssen", "Force")] == [
        "flow",
        "flow_rate",
        "force",
    ]
    assert [plot(scene, "Angle") for scene in ("drum", "two_sided")] == ["angle_in_time", "flank_angle"]
    assert plot("heap", "angle") == "angle", "a plot of measurements keeps its name"
    for title, names in old_labels.PLOTS.items():
        scene = next(scene for scene in scenes() if set(names) & set(offered_plots(scene)))
        assert plot(scene, title) in names


CHOICES = 'guess = { words = "w", reading = "angle_of_repose", unit = "rad", choices = ["a", "b", "c"], bounds = %s }\n'


@pytest.mark.parametrize(
    ("value", "number"), [(-1.0, 1.0), (9.99, 1.0), (10.0, 2.0), (12.6, 2.0), (20.0, 3.0), (90.0, 3.0)]
)
def test_a_reading_answers_with_the_choice_between_whose_bounds_it_is(value: float, number: float) -> None:
    asked = parse('[[step]]\ntitle = "A"\nscene = "heap"\n' + CHOICES.replace("rad", "°") % "[10, 20]", "a.toml")
    choice = asked.steps[0].guess
    assert isinstance(choice, GuessQuestion)
    shot = snapshot_of(readings=(Reading("angle_of_repose", _("angle of repose"), value, "°"),))
    answer = answer_of(choice, shot)
    assert answer is not None
    assert answer.value == number
    assert str(choice.in_language("de").shown(number)) == "abc"[int(number) - 1]


def test_bounds_in_another_unit_than_the_reading_are_reported() -> None:
    asked = parse('[[step]]\ntitle = "A"\nscene = "heap"\n' + CHOICES % "[0.1, 0.2]", "a.toml")
    choice = asked.steps[0].guess
    assert isinstance(choice, GuessQuestion)
    assert answer_of(choice, SHOT) is None
    assert str(unanswered(asked, 0, SHOT)).endswith('write unit = "°" in the lecture, and bounds in it.')

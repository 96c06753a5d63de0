"""Lecture files: what is read, and what is refused with file, step, value and the nearest known name."""

from __future__ import annotations

from pathlib import Path

import pytest
from repose.app.lectures import lecture_file
from repose.app.lectures.lecture_file import GuessQuestion, load, names, parse, text_in
from repose.sim.io import presets
from repose.sim.parameters import ParameterError

LANGUAGES = {"en", "de", "pl", "es", "ru", "ja"}
STEP = '[[step]]\ntitle = "One"\nscene = "heap"\n'


def refusal(text: str) -> str:
    with pytest.raises(ParameterError) as error:
        parse(text, "mine.toml")
    return str(error.value)


def test_every_shipped_lecture_is_read_and_every_step_has_notes() -> None:
    assert set(names()) == {"granular-flow", "heap-slope", "sand-castle", "your-heap"}
    for name in names():
        lecture = load(name)
        assert len(lecture.steps) >= 4
        for step in lecture.steps:
            assert len(text_in(step.notes)) > 150
            assert text_in(step.question)
        assert [card.name for card in lecture_file.cards() if card.title == text_in(lecture.title)] == [name]


def test_a_step_has_the_values_of_its_preset_and_its_own() -> None:
    lecture = parse(
        'title = "T"\n[[step]]\ntitle = "A"\npreset = "moon"\nparameters = { friction = 0.3 }\nseed = 7\n'
        'actions = ["fill", "open"]\nspeed = "max"\nshow = ["force_chains"]\ncolour = "force"\n'
        "box = [[0, 0], [0.1, 0.05]]\n"
        '[step.guess]\nwords = "w"\nunit = "°"\nlow = 0\nhigh = 60\nreading = "angle_of_repose"\n'
        '[[step]]\ntitle = "B"\ncontinue = true\nparameters = { friction = 0 }\nuntil = "rested"\nseconds = 4\n',
        "mine.toml",
    )
    first, second = lecture.steps
    assert first.preset is not None
    assert (first.preset.values["gravity"], first.preset.values["friction"], first.preset.seed) == (1.62, 0.3, 7)
    assert (first.actions, first.speed, first.show, first.colour) == (
        ("fill", "open"),
        None,
        ("force_chains",),
        "force",
    )
    assert first.box == ((0.0, 0.0), (0.1, 0.05))
    assert isinstance(first.guess, GuessQuestion)
    assert second.preset is None
    assert (second.values, second.until, second.seconds) == ({"friction": 0.0}, "rested", 4.0)
    assert (lecture.scene_of(1), lecture.beginning_of(1)) == ("heap", 0)


def test_texts_have_languages_and_english_stands_in() -> None:
    lecture = parse('title = { en = "Sand", de = "Sandhaufen" }\n' + STEP, "mine.toml")
    assert [text_in(lecture.title, language) for language in ("en", "de", "de-AT", "pl")] == [
        "Sand",
        "Sandhaufen",
        "Sandhaufen",
        "Sand",
    ]


def test_a_table_of_a_language_translates_every_step() -> None:
    text = (
        'title = "Sand"\n'
        + STEP
        + 'question = "Why?"\nguess = { words = "w", low = 0, high = 1, reading = "grains_left" }\n'
        '[pl]\ntitle = "Piasek"\n[[pl.step]]\ntitle = "Jeden"\nquestion = "Dlaczego?"\nguess = "s"\n'
    )
    lecture = parse(text, "mine.toml")
    step = lecture.steps[0]
    assert isinstance(step.guess, GuessQuestion)
    texts = (lecture.title, step.title, step.question, step.guess.words)
    assert [text_in(text, "pl") for text in texts] == ["Piasek", "Jeden", "Dlaczego?", "s"]
    assert [text_in(text, "de") for text in texts] == ["Sand", "One", "Why?", "w"]
    assert "pl has 2 steps, the lecture 1" in refusal(text + '[[pl.step]]\ntitle = "Dwa"\n')
    assert "pl.step 1 of 1: answer = 'Bo tak.' is refused" in refusal(text + 'answer = "Bo tak."\n')
    assert "pl.step 1 of 1: Unknown key 'titel'" in refusal(text + 'titel = "x"\n')
    assert "pl = 3 is refused" in refusal("pl = 3\n" + STEP)


@pytest.mark.parametrize("name", names())
def test_every_text_of_a_shipped_lecture_has_every_language(name: str) -> None:
    lecture = load(name)
    for step in lecture.steps:
        for text in (lecture.title, lecture.about, step.title, step.question, step.answer, step.notes):
            assert not text or set(text) >= LANGUAGES
        if isinstance(step.guess, GuessQuestion):
            assert set(step.guess.words) >= LANGUAGES


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ["the key 'step' is missing", "a list of 1 to 100 entries", "[[step]]"]),
        ("title = ", ["not valid TOML"]),
        ("step = 3", ["[[step]]"]),
        ("format = 2\n" + STEP, ["format = 2", "reads format 1", "newer version of Repose"]),
        ("format = true\n" + STEP, ["format = true"]),
        ('titel = "x"\n' + STEP, ["Unknown key 'titel'", "'title'"]),
        ("title = 3\n" + STEP, ["title = 3", "must be a text"]),
        ('title = { deutsch = "x" }\n' + STEP, ["title.deutsch", "two small letters"]),
        ('[[step]]\nscene = "heap"', ["step 1 of 1", "'title' is missing"]),
        ('[[step]]\ntitle = "A"', ["step 1 of 1", "either preset or scene"]),
        ('[[step]]\ntitle = "A"\nscene = "heap"\npreset = "moon"', ["either preset or scene", "both are given"]),
        ('[[step]]\ntitle = "A"\ncontinue = true', ["step 1 of 1", "first step"]),
        ('[[step]]\ntitle = "A"\nscene = "heep"', ["step 1 of 1", "Unknown scene 'heep'", "'heap'"]),
        ('[[step]]\ntitle = "A"\npreset = "mon"', ["Unknown preset 'mon'", "'moon'"]),
        ('[[step]]\ntitle = "A"\npreset = "missing.toml"', ["missing.toml", "cannot be read"]),
        (STEP + "parameters = { fricton = 0.2 }", ["step 1 of 1", "fricton", "friction"]),
        (STEP + "parameters = { friction = 20 }", ["step 1 of 1", "friction = 20", "number from"]),
        (
            STEP + '[[step]]\ntitle = "B"\ncontinue = true\nparameters = { friction = -1 }',
            ["step 2 of 2", "friction = -1"],
        ),
        (STEP + '[[step]]\ntitle = "B"\ncontinue = true\nseed = 3', ["step 2 of 2", "seed is refused"]),
        (STEP + "side_by_side = { friction = [0.1] }", ["step 1 of 1", "side by side are 2 to 4"]),
        (STEP + 'ready = "smal"', ["step 1 of 1", "Unknown ready state 'smal'", "'small'"]),
        (STEP + "ready = 3", ["step 1 of 1", "ready = 3", "true, false or the name of a ready state"]),
        (STEP + 'actions = ["opne"]', ["step 1 of 1", "Unknown action 'opne'", "'open'"]),
        (STEP + 'actions = "open"', ["actions = 'open'", "list of names"]),
        (STEP + "speed = 0.3", ["speed = 0.3", "0.01, 0.02", '"max"']),
        (STEP + 'colour = "sped"', ["Unknown colour 'sped'", "'speed'"]),
        (STEP + 'show = ["force_chain"]', ["Unknown switch 'force_chain'", "'force_chains'"]),
        (STEP + 'look = "top"', ["in the plane; use box"]),
        ('[[step]]\ntitle = "A"\nscene = "heap3d"\nlook = "up"', ["Unknown look 'up'"]),
        (
            '[[step]]\ntitle = "A"\nscene = "heap3d"\nbox = [[0, 0], [1, 1]]',
            ["box = [[0, 0], [1, 1]]", "[0.1, 0.1, 0.2]"],
        ),
        (STEP + "box = [[0, 0], [0, 1]]", ["box = [[0, 0], [0, 1]]", "lower and upper corner in m"]),
        (STEP + 'controls = ["fricton"]', ["Unknown parameter 'fricton'", "'friction'"]),
        (
            STEP + 'until = "restet"',
            ["until = 'restet' is refused", "only empty, filling, filled, flowing, rested, tilting"],
        ),
        (STEP + 'until = "clogged"', ["the scene 'heap' has no such phase"]),
        (STEP + 'plot = "Flow"', ["step 1 of 1", "Unknown plot 'Flow'", "comparison"]),
        (STEP + "seconds = 0", ["seconds = 0", "0.5 to 600 s"]),
        (STEP + 'paused = "yes"', ["paused = 'yes'", "true or false"]),
        (STEP + "guess = true", ["scene 'heap' asks for none"]),
        (
            STEP + 'guess = { words = "w", low = 1, high = 0, reading = "grains_left" }',
            ["guess.low = 1.0 is refused", "below high = 0"],
        ),
        (
            STEP + 'guess = { words = "w", low = 0, high = 1, reading = " " }',
            ["reading = ''", "write the name of a reading, such as angle_of_repose, grains_left, "],
        ),
        (
            STEP + 'guess = { words = "w", low = 0, high = 1, reading = "Grains left now" }',
            ["reading = 'Grains left now'", "such as grains_left, and not its label"],
        ),
        (
            STEP + 'guess = { words = "w", low = 0, high = 1, reading = "angle_of_repos" }',
            ["guess.reading = 'angle_of_repos' is refused: the scene 'heap' has no", "such as angle_of_repose."],
        ),
        (STEP + 'guess = { words = "w", low = 1, high = 2 }', ["'reading' of guess is missing"]),
        (STEP + f'question = "{"x" * 301}"', ["question has 301 characters", "at most 300"]),
        (STEP + 'notez = "x"', ["Unknown key 'notez'", "'notes'"]),
        (101 * STEP, ["step has 101 entries", "1 to 100"]),
    ],
)
def test_bad_input_is_refused_in_a_sentence_with_file_and_step(text: str, words: list[str]) -> None:
    said = refusal(text)
    assert said.startswith("mine.toml")
    for word in words:
        assert word in said


def test_a_lecture_that_does_not_exist_is_refused_with_those_that_do(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="did you mean 'heap-slope'"):
        load("heap-slop")
    with pytest.raises(ParameterError, match="Shipped lectures: granular-flow, heap-slope, sand-castle, your-heap"):
        load(tmp_path / "none.toml")


def test_the_lecture_of_the_manual_is_read() -> None:
    page = (Path(__file__).parents[3] / "docs" / "howto" / "lecture.md").read_text(encoding="utf-8")
    text = next(block for block in page.split("```") if block.startswith('\ntitle = "Two heaps"'))
    assert len(parse(text, "lecture.md").steps) == 2


def test_presets_are_looked_for_beside_the_file(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('scene = "heap"\n[parameters]\nfriction = 0.7\n', encoding="utf-8")
    path = tmp_path / "lecture.toml"
    path.write_text('[[step]]\ntitle = "A"\npreset = "own.toml"\n', encoding="utf-8")
    preset = load(path).steps[0].preset
    assert preset is not None
    assert preset.values == {"friction": 0.7}


def test_a_lecture_is_told_from_a_preset_and_from_a_study() -> None:
    texts = {STEP: "lecture", 'scene = "heap"': "preset", "[[": "preset", "[grid]\nfriction = [0.1]": "study"}
    assert [presets.kind_of(text) for text in texts] == [*texts.values()]


def test_a_step_that_goes_on_changes_parameters_of_the_law_that_its_run_has() -> None:
    began = '[[step]]\ntitle = "Wet"\nscene = "heap"\nparameters = { law = "capillary" }\n'
    goes_on = '[[step]]\ntitle = "Dry"\ncontinue = true\nparameters = { pull_off_force = 0.0 }\n'
    lecture = parse(began + goes_on + 'controls = ["pull_off_force"]\n', "drying.toml")
    assert lecture.steps[1].values == {"pull_off_force": 0.0}
    with pytest.raises(ParameterError, match="Unknown parameter 'pull_off_force'"):
        parse(began.replace("capillary", "memoryless") + goes_on, "drying.toml")


CHOICES = '[[step]]\ntitle = "A"\nscene = "heap"\n[step.guess]\nwords = "w"\nreading = "grains_left"\n'


def test_choices_have_languages_of_their_own_and_in_tables() -> None:
    text = CHOICES + 'choices = [{ en = "yes", de = "ja" }, "no"]\nbounds = [3]\n'
    lecture = parse(text + '[pl]\n[[pl.step]]\ntitle = "B"\nguess = "p"\nchoices = ["tak", "nie"]\n', "a.toml")
    asked = lecture.steps[0].guess
    assert isinstance(asked, GuessQuestion)
    assert asked.choices == ({"en": "yes", "de": "ja", "pl": "tak"}, {"en": "no", "pl": "nie"})
    assert [list(map(str, asked.in_language(code).choices)) for code in ("de", "pl", "ja")] == [
        ["ja", "no"],
        ["tak", "nie"],
        ["yes", "no"],
    ]


@pytest.mark.parametrize(
    ("lines", "refusal"),
    [
        ('choices = ["a"]\nbounds = []', "guess.choices = 1 is refused: write 2 to 6 choices."),
        ('choices = ["a", "b", "c", "d", "e", "f", "g"]\nbounds = [1]', "guess.choices = 7 is refused"),
        ('choices = ["a", "b"]', "guess.bounds = [] is refused: write one number fewer than choices, each above the"),
        ('choices = ["a", "b", "c"]\nbounds = [2, 1]', "guess.bounds = [2.0, 1.0] is refused"),
        ('choices = ["a", "b", "c"]\nbounds = [1, 1]', "guess.bounds = [1.0, 1.0] is refused"),
        (
            'choices = ["a", "b"]\nbounds = [1]\nlow = 0',
            "guess.low = 0.0 is refused: choices have bounds and no slider.",
        ),
        ("bounds = [1]\nlow = 0\nhigh = 1", "guess.low = 0.0 is refused"),
        ("low = 0", "the key 'high' of guess is missing: write low and high, or choices and bounds."),
        ('choices = ["a", 3]\nbounds = [1]', "choices"),
        ('choices = ["a", "b"]\nbounds = [inf]', "bounds"),
        (
            'choices = ["a", "b"]\nbounds = [1]\n[de]\n[[de.step]]\ntitle = "B"\nchoices = ["c"]',
            "choices = ['c'] is refused: the step has 2 choices: translate each of them.",
        ),
    ],
)
def test_choices_that_no_reading_can_answer_are_refused(lines: str, refusal: str) -> None:
    with pytest.raises(ParameterError) as found:
        parse(CHOICES + lines + "\n", "a.toml")
    assert refusal in str(found.value)
    assert str(found.value).startswith("a.toml: ")

"""Languages: every sentence of the window in each, values and numbers in them, and fonts that have their letters."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from repose.app import language
from repose.app.jobs import sentences
from repose.app.language import ENGLISH, NATIVE, Language, language_for, read_language
from repose.app.render.passes import all_switches
from repose.app.ui.fields import describe, words
from repose.app.ui.panels import all_keys, all_panels
from repose.app.ui.tools import all_tools
from repose.sim.registry import measurements, scenes
from repose.sim.scenes.lecture.discs import outcome_above

OTHER_NAMES = ("Chung", "Duffau", "Lynch", "Enter", "Ctrl", "Shift", "repose", "clump")
"""Of authors, keys and commands, which no language translates."""
OTHERS = [code for code in NATIVE if code != ENGLISH]
GERMAN = Language(
    "de",
    ",",
    {
        "Close": "Schließen",
        "friction": "Reibung",
        "Recording to {path}.": "Aufnahme nach {path}.",
        "{left} of {total} grains left": "Von {total} Körnern bleiben {left}",
        "over the last 20 s": "über die letzten 20 s",
        "{y_label} over {x_label}": "{y_label} über {x_label}",
        "height of the large grain": "Höhe des großen Korns",
        "time": "Zeit",
        "cells": "Zellen",
        "Normal force, sum": "Normalkraft, Summe",
        "The heap moves.": "Der Haufen bewegt sich.",
        "{label} = {said} is refused: {limits}": "{label} = {said} wird abgelehnt: {limits}",
        "{noun} from {low} to {high}": "{noun} von {low} bis {high}",
        "it must be {allowed}.": "erlaubt ist {allowed}.",
        "a number": "eine Zahl",
        "Displacement since {time}": "{time}: Verschiebung seitdem",
        "Press and drag. An arrow shows the force.": "Drücken und ziehen. Ein Pfeil zeigt die Kraft.",
        "Free fall: 9.81 on Earth.": "Fallbeschleunigung: 9,81 auf der Erde.",
        "{scatter} of a single run": "{scatter} eines einzelnen Laufs",
        "{count} tests are refused: choose 2 to {most}.": "{count} Versuche werden abgelehnt: 2 bis {most} wählen.",
        "empty": "leer",
        "empty container; {words}": "leerer Behälter; {words}",
        "{count} clumps of {size} spheres": "aus {size} Kugeln: {count} Klumpen",
        "test {number}, {title}": "Versuch {number}, {title}",
        "five spheres that fall": "fünf Kugeln, die fallen",
        "{done} of {runs}": "{done} von {runs}",
        "angle": "Winkel",
        "angle of repose": "Böschungswinkel",
        "largest {measurement}": "größter Wert von {measurement}",
        "largest shear τ": "größter Schub τ",
        "Use a point: {whole}.{decimals}.": "Einen Punkt verwenden: {whole}.{decimals}.",
        "mean": "Mittelwert",
        "line fit": "Geradenanpassung",
    },
)


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    return sentences.collect()


@pytest.mark.parametrize("code", OTHERS)
def test_every_sentence_exists_in_every_language(code: str, shown: dict[str, str]) -> None:
    known = read_language(code).sentences
    lacking = [f"{place}: {text!r}" for text, place in shown.items() if text not in known]
    how = f"`python -m repose.app.jobs.sentences {code} --missing` prints them to be filled in (CONTRIBUTING.md)"
    assert not lacking, f"{len(lacking)} sentences lack in assets/languages/{code}.toml; {how}:\n" + "\n".join(lacking)


@pytest.mark.parametrize("code", OTHERS)
def test_no_language_has_a_sentence_that_is_not_used(code: str, shown: dict[str, str]) -> None:
    unused = [text for text in read_language(code).sentences if text not in shown]
    assert unused == [], f"`python -m repose.app.jobs.sentences {code} --tidy` removes them"


@pytest.mark.parametrize("code", OTHERS)
def test_translations_have_the_values_of_their_sentence(code: str) -> None:
    known = read_language(code).sentences
    faults = {english: sentences.fault_of(english, text) for english, text in known.items()}
    assert {english: fault for english, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("name", ["Inter-Regular.otf", "Inter-SemiBold.otf"])
def test_fonts_have_every_letter_of_every_language(name: str) -> None:
    from PIL import ImageFont

    folder = files("repose.assets").joinpath("fonts")
    fonts = [ImageFont.truetype(str(folder.joinpath(font)), 32) for font in (name, "NotoSansJP-Regular.otf")]
    nothing = [font.getmask("\U0010fffe").getbbox() and bytes(font.getmask("\U0010fffe")) for font in fonts]

    def has(letter: str) -> bool:
        return any(bytes(font.getmask(letter)) != box for font, box in zip(fonts, nothing, strict=True))

    texts = [*NATIVE.values(), *(text for code in OTHERS for text in read_language(code).sentences.values())]
    letters = {letter for text in texts for letter in text if not letter.isspace()}
    assert sorted(letter for letter in letters if not has(letter)) == []


def test_collector_reads_texts_and_templates_but_no_names_in_the_code() -> None:
    source = '''
"""A docstring of a module."""
SHOWN = "entry of memory"
"""Entry of `Ui.memory`."""
def draw(ui):
    button(ui, "notice.close", "Close", help=f"Close {ui.film.path} and {path}.")
    imgui.begin("window name", None)
    log.warning("a line of the log")
'''
    assert [*sentences.Reader(source, True).sentences()] == ["Close", "Close {path} and {path2}."]


def test_collector_reads_label_group_and_help_of_a_parameter_but_no_symbol_unit_or_default() -> None:
    source = """
class Parameters(ParameterSet):
    load: float = number(0.5, 0.0, 2.0, "load", "MM", "mPa s", effect="restart", group="Beam", help="Of the end.")
    method: Literal["one_way"] = choice("one_way", "angle from", help="How it is fitted.")
    mesh: str = file_path("shape", ("a stl",), empty="the goblet", replaces=("load it",), help="A file.")
    young: YoungsModulus = variant(1e7, help="Soft grains.")
words = text.count("two words")
"""
    found = {*sentences.Reader(source, False).sentences()}
    labels = {"load", "angle from", "shape"}
    assert found == labels | {
        "Beam",
        "Of the end.",
        "one way",
        "How it is fitted.",
        "the goblet",
        "A file.",
        "Soft grains.",
        "two words",
    }


@pytest.mark.parametrize(
    ("english", "german"),
    [
        ("Close", "Schließen"),
        ("Friction", "Reibung"),
        ("Close  Esc", "Schließen  Esc"),
        ("friction: 0.1 → 0.25", "Reibung: 0,1 → 0,25"),
        ("Recording to /tmp/run-1.5.mp4.", "Aufnahme nach /tmp/run-1.5.mp4."),
        ("3 of 12.5 grains left", "Von 12,5 Körnern bleiben 3"),
        ("height of the large grain [mm] over time [s]", "Höhe des großen Korns [mm] über Zeit [s]"),
        ("64 cells", "64 Zellen"),
        ("Displacement since t = 1.5 s", "t = 1,5 s: Verschiebung seitdem"),
        ("Normal force, sum  ΣF  [N]", "Normalkraft, Summe  ΣF  [N]"),
        ("over the last 20 s", "über die letzten 20 s"),
        ("The heap moves. friction = 2.5·10⁶ N/m^1.5", "Der Haufen bewegt sich. Reibung = 2,5·10⁶ N/m^1.5"),
        (
            "friction = 3 is refused: it must be a number from 0 to 1.5.",
            "Reibung = 3 wird abgelehnt: erlaubt ist eine Zahl von 0 bis 1,5.",
        ),
        ("Repose 0.2.0", "Repose 0.2.0"),
        ("not known at all", "not known at all"),
        ("Recording to a file. The heap moves.", "Aufnahme nach a file. Der Haufen bewegt sich."),
        ("Recording to a file.  Close", "Aufnahme nach a file.  Schließen"),
        ("Free fall: 9.81 on Earth.\nfriction: 0.5", "Fallbeschleunigung: 9,81 auf der Erde.\nReibung: 0,5"),
        ("empty container; 5 clumps of 2 spheres", "leerer Behälter; aus 2 Kugeln: 5 Klumpen"),
        ("Test 4, five spheres that fall", "Versuch 4, fünf Kugeln, die fallen"),
        ("± 3.7° line fit", "± 3,7° Geradenanpassung"),
        ("angle of repose θ [°]", "Böschungswinkel θ [°]"),
        ("largest shear τ [N/m]", "größter Schub τ [N/m]"),
        ("3.5 of 10 ± 1", "3,5 von 10 ± 1"),
        ("angle of the wall", "angle of the wall"),
        ("Recording to run-2.mp4. The heap moves.", "Aufnahme nach run-2.mp4. Der Haufen bewegt sich."),
        ("1.5 tests are refused: choose 2 to 4.5.", "1,5 Versuche werden abgelehnt: 2 bis 4,5 wählen."),
        (
            "The heap moves. 9 tests are refused: choose 2 to 4.",
            "Der Haufen bewegt sich. 9 Versuche werden abgelehnt: 2 bis 4 wählen.",
        ),
        ("mean ± line fit of a single run", "Mittelwert ± Geradenanpassung eines einzelnen Laufs"),
        ("Press and drag. An arrow shows the force.  Key K", "Drücken und ziehen. Ein Pfeil zeigt die Kraft.  Key K"),
        (
            "The heap moves. Press and drag. An arrow shows the force. The heap moves.",
            "Der Haufen bewegt sich. Drücken und ziehen. Ein Pfeil zeigt die Kraft. Der Haufen bewegt sich.",
        ),
    ],
)
def test_drawn_text_is_translated_with_its_values(english: str, german: str) -> None:
    assert GERMAN.translated(english) == german
    assert GERMAN.translated(german) == german  # a text that is measured and then drawn passes twice


def test_the_expected_number_of_an_outcome_is_translated_with_and_without_a_unit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(language, "_language", language._language)
    assert language.use_language("de") == ""
    for unit, german in (("°", "über 22,3°"), ("", "über 22,3"), ("1/s", "über 22,3 1/s")):
        assert language.translated(outcome_above("", 30.0, 22.3, unit).expected) == german


def test_a_number_that_is_to_be_typed_with_a_point_keeps_it() -> None:
    assert GERMAN.translated("9.5 of 10. Use a point: 0.5.") == "9,5 von 10. Einen Punkt verwenden: 0.5."


def test_texts_that_differ_in_a_number_are_matched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    GERMAN.translated("7 of 8 grains left")
    monkeypatch.setattr(Language, "_filled", lambda self, text: pytest.fail("matched again"))
    assert GERMAN.translated("5.5 of 9 grains left") == "Von 9 Körnern bleiben 5,5"


def test_no_english_is_left_in_names_and_helps_of_records() -> None:
    texts = {text for scene in scenes().values() for text in (scene.title, scene.summary)}
    names = set(OTHER_NAMES)
    for parameter in (entry for scene in scenes().values() for entry in scene.parameters.declared().values()):
        names.update(part for choice in parameter.choices for part in re.findall("[A-Za-z]+", words(choice)))
        texts.update(describe(parameter, 1e-4).split("\n")[1:], [parameter.quantity.label])
    for measurement in measurements().values():
        texts.update(measurement.axis_label(dimension) for dimension in (2, 3))
        texts.update((measurement.title, measurement.plot.title if measurement.plot is not None else ""))
    for record in (*all_panels(), *all_tools()):
        texts.add(record.title)
    texts.update(text for switch in all_switches() for text in (switch.label, switch.help))
    texts.update(key.help for key in all_keys())
    left = {text: set(re.findall("[A-Za-z]{4,}", read_language("ru").translated(text))) - names for text in texts}
    assert {text: found for text, found in left.items() if found} == {}


@pytest.mark.parametrize(
    ("wanted", "code"), [(["de-AT"], "de"), (["fr", "de_DE"], "de"), (["fr"], "en"), ([], "en"), (["EN"], "en")]
)
def test_language_of_the_system_is_used_where_it_exists(wanted: list[str], code: str) -> None:
    assert language_for(wanted) == code


def test_numbers_of_versions_and_files_keep_their_points() -> None:
    for text in ("run-1.2.repose", "Repose 0.3.1", "C:\\runs\\heap 1.5x.csv", "N/m^1.5"):
        assert re.sub(",", ".", GERMAN.translated(text)) == text == GERMAN.translated(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file"),
        ('decimal = ","\n[sentences]\n"Close" = "Schl', "Unbalanced|Illegal|Unterminated|Expected"),
        ('[sentences]\n"Close" = "Zu"\n', "another form"),
        ('decimal = ","\nsentences = 3\n', "another form"),
    ],
)
def test_a_file_that_cannot_be_read_leaves_the_window_english_and_is_named(
    text: str | None, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(language, "files", lambda package: tmp_path)
    monkeypatch.setattr(language, "read_language", language.read_language.__wrapped__)
    monkeypatch.setattr(language, "_language", read_language("en"))
    if text is not None:
        (tmp_path / "languages").mkdir()
        (tmp_path / "languages" / "de.toml").write_text(text, encoding="utf-8")
    trouble = language.use_language("de")
    assert "Deutsch" in trouble
    assert re.search(words, trouble)
    assert (language.current_language(), language.translated("Close")) == ("en", "Close")


def test_a_translation_with_an_unknown_value_is_not_used() -> None:
    edited = Language("de", ",", {"Close {name}.": "{nome} schließen.", "Close": "Zu"})
    assert edited.translated("Close 3.5 times. Close") == "Close 3,5 times. Zu"


def test_a_template_with_a_number_comes_before_the_word_alone_for_the_sake_of_the_plural() -> None:
    polish = Language("pl", ",", {"grains": "ziarna", "{window} grains": "{window} ziaren"})
    assert polish.translated("100 grains") == "100 ziaren"
    assert polish.translated("2.5 grains") == "2,5 ziaren"
    assert Language("pl", ",", {"grains": "ziarna"}).translated("100 grains") == "100 ziarna"

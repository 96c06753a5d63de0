"""Languages: every sentence of the window in each, values and numbers in them, and fonts that have their letters."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

import pytest
from babel.messages.catalog import Catalog
from repose.app import language
from repose.app.language import ENGLISH, NATIVE, Language, language_for, read_language
from repose.app.render.passes import all_switches
from repose.app.ui.panels import all_keys, all_panels
from repose.app.ui.parameter_rows import describe
from repose.app.ui.tools import all_tools
from repose.sim.message import EMPTY, Capital, Clause, Joined, Message, Number, _, joined, plain, plural
from repose.sim.parameters import Quantity
from repose.sim.registry import measurements, scenes
from repose.sim.scenes.lecture.disc_scene import outcome_above

from tests.tools import catalogues

OTHER_NAMES = ("Chung", "Duffau", "Lynch", "Enter", "Ctrl", "Shift", "repose", "clump")
"""Of authors, keys and commands, which no language translates."""
OTHERS = [code for code in NATIVE if code != ENGLISH]


@pytest.fixture(scope="module")
def templates() -> dict[catalogues.Template, str]:
    return catalogues.collect()


@pytest.mark.parametrize("code", OTHERS)
def test_a_catalogue_has_every_template_with_its_values_and_plural_forms_and_no_other(
    code: str, templates: dict[catalogues.Template, str]
) -> None:
    faults = [*catalogues.faults(code, templates)]
    assert not faults, "`python -m tests.tools.catalogues` adds and removes templates:\n" + "\n".join(faults)


def test_the_check_of_a_catalogue_finds_what_is_missing_unused_and_different(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogues, "file_of", lambda code: tmp_path / f"{code}.po")
    known = catalogues.updated("pl", Catalog(locale="pl"), {"Close": "", "Save {path}.": "", "Old": "", **GRAINS})
    for entry, translation in (
        ("Save {path}.", "Zapisz {name}."),
        ("Old", "Stary"),
        ("{count} grain", "{count} ziarno"),
    ):
        known.get(entry).string = (translation, "", "", "") if "grain" in entry else translation
    catalogues.write("pl", known)
    found = [*catalogues.faults("pl", {"Close": "a.py", "Save {path}.": "b.py", **GRAINS})]
    assert [re.sub("^.*: ", "", line)[:12] for line in found] == [
        "'Close' has ",
        "'Zapisz {nam",
        "'{count} gra",
        "'Old' is no ",
    ]


GRAINS: dict[catalogues.Template, str] = {("{count} grain", "{count} grains"): "c.py"}
FORMS_OF_GRAINS = {
    "de": "1 Korn, 2 Körner, 4 Körner, 5 Körner, 21 Körner, 1,5 Körner",
    "es": "1 grano, 2 granos, 4 granos, 5 granos, 21 granos, 1,5 granos",
    "ja": "1個, 2個, 4個, 5個, 21個, 1.5個",
    "pl": "1 ziarno, 2 ziarna, 4 ziarna, 5 ziaren, 21 ziaren, 1,5 ziarna",
    "ru": "1 зерно, 2 зерна, 4 зерна, 5 зёрен, 21 зерно, 1,5 зерна",
}


@pytest.mark.parametrize("code", OTHERS)
def test_the_plural_follows_the_number(code: str) -> None:
    forms = {
        "de": ("{count} Korn", "{count} Körner"),
        "es": ("{count} grano", "{count} de granos", "{count} granos"),
        "ja": ("{count}個",),
        "pl": ("{count} ziarno", "{count} ziarna", "{count} ziaren", "{count} ziarna"),
        "ru": ("{count} зерно", "{count} зерна", "{count} зёрен", "{count} зерна"),
    }
    language = Language(code, {"{count} grain": forms[code]})
    shown = (plural("{count} grain", "{count} grains", count=count) for count in (1, 2, 4, 5, 21, 1.5))
    assert ", ".join(map(language.translated, shown)) == FORMS_OF_GRAINS[code]


def templates_left_out(root: Path, collected: Iterable[catalogues.Template]) -> list[str]:
    """Templates in the calls of the source code that are not among those collected, such as one in parentheses."""
    known = {text for template in collected for text in ((template,) if isinstance(template, str) else template)}
    texts = (
        text
        for folder in ("sim", "app")
        for path in sorted((root / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        for text in node.args[: len(catalogues.KEYWORDS.get(node.func.id, ()))]
    )
    return [str(text.value) for text in texts if isinstance(text, ast.Constant) and text.value not in known]


def test_every_template_of_the_source_code_is_collected(
    templates: dict[catalogues.Template, str], tmp_path: Path
) -> None:
    assert templates_left_out(Path(str(files("repose.app"))).parent, templates) == []
    (tmp_path / "sim").mkdir()
    (tmp_path / "app").mkdir()
    (tmp_path / "sim" / "a.py").write_text('_("Close")\nplural("{count} grain", ("{count} grains"), count=2)\n')
    assert templates_left_out(tmp_path, catalogues.collect(tmp_path)) == ["{count} grain", "{count} grains"]


def spanish_forms_exchanged(catalogue: Catalog) -> list[str]:
    """Forms for millions, "un millón de granos", that are not those of other numbers with "de" after the count."""
    found = []
    for entry in (entry for entry in catalogue if entry.pluralizable):
        _one, many, other = catalogues.forms_of(entry)
        noun_follows = re.search(r"\{count\} [^\W\d_]", other) is not None
        if many != (re.sub(r"\{count\} (?=[^\W\d_])", "{count} de ", other) if noun_follows else other):
            found.append(many)
    return found


def test_spanish_says_de_before_a_noun_after_millions_and_after_no_other_number() -> None:
    assert spanish_forms_exchanged(catalogues.read("es")) == []
    exchanged = Catalog(locale="es")
    exchanged.add(("{count} grain", "{count} grains"), ("{count} grano", "{count} granos", "{count} de granos"))
    assert spanish_forms_exchanged(exchanged) == ["{count} granos"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("de", "1 Bild: 1 Korn, 2 Bilder: 2 Körner, 21 Bilder: 21 Körner, 25 Bilder: 25 Körner"),
        ("pl", "1 klatka: 1 ziarno, 2 klatki: 2 ziarna, 21 klatek: 21 ziaren, 25 klatek: 25 ziaren"),
        ("ru", "1 кадр: 1 зерно, 2 кадра: 2 зерна, 21 кадр: 21 зерно, 25 кадров: 25 зёрен"),
    ],
)
def test_each_of_two_counts_has_its_own_plural(code: str, shown: str) -> None:
    words = [
        joined(
            (plural("{count} frame", "{count} frames", count=k), plural("{count} grain", "{count} grains", count=k)),
            ": ",
        )
        for k in (1, 2, 21, 25)
    ]
    assert ", ".join(map(read_language(code).translated, words)) == shown


def test_a_message_is_translated_with_the_messages_and_numbers_in_it_but_not_the_names() -> None:
    language = Language(
        "de",
        {
            "{label}: {value} in {file}, {notes}.": ("{file}: {label} {value}, {notes}.",),
            "friction": ("Reibung",),
            "slow": ("langsam",),
        },
    )
    message = Message(
        "{label}: {value} in {file}, {notes}.",
        label=_("friction"),
        value=Number(1.25e-3, "m"),
        file="run 1.5.repose",
        notes=Joined((_("slow"), _("not known"), 2.5)),
    )
    assert str(message) == "friction: 1.25 mm in run 1.5.repose, slow, not known, 2.5."
    assert language.translated(message) == "run 1.5.repose: Reibung 1,25 mm, langsam, not known, 2,5."


@pytest.mark.parametrize("name", ["Inter-Regular.otf", "Inter-SemiBold.otf"])
def test_fonts_have_every_letter_of_every_language(name: str) -> None:
    from PIL import ImageFont

    folder = files("repose.assets").joinpath("fonts")
    fonts = [ImageFont.truetype(str(folder.joinpath(font)), 32) for font in (name, "NotoSansJP-Regular.otf")]
    # A letter of private use: one that no font may have, such as U+10FFFE, is drawn as nothing, not as missing.
    nothing = [bytes(font.getmask("\ue123")) for font in fonts]

    def has(letter: str) -> bool:
        return any(bytes(font.getmask(letter)) != box for font, box in zip(fonts, nothing, strict=True))

    texts = [
        *NATIVE.values(),
        *(text for code in OTHERS for forms in read_language(code).templates.values() for text in forms),
    ]
    letters = {letter for text in texts for letter in text if not letter.isspace()}
    assert sorted(letter for letter in letters if not has(letter)) == []


def test_no_english_is_left_in_names_and_helps_of_records() -> None:
    texts: set[Message | str] = {text for scene in scenes().values() for text in (scene.title, scene.summary)}
    names = set(OTHER_NAMES)
    for parameter in (entry for scene in scenes().values() for entry in scene.parameters.declared().values()):
        names.update(part for choice in parameter.choices for part in re.findall("[A-Za-z]+", choice))
        shown = read_language("ru").translated(describe(parameter, 1e-4)).split("\n")
        texts.update((*shown[1:], parameter.quantity.label))  # the symbol in the first line has Latin letters
    for measurement in measurements().values():
        texts.update(measurement.axis_in(dimension).label for dimension in (2, 3))
        texts.update((measurement.title, measurement.plot.title if measurement.plot is not None else EMPTY))
    for record in (*all_panels(), *all_tools()):
        texts.add(record.title)
    texts.update(text for switch in all_switches() for text in (switch.label, switch.help))
    texts.update(key.help for key in all_keys())
    left = {text: set(re.findall("[A-Za-z]{4,}", read_language("ru").drawn(text))) - names for text in texts}
    assert {text: found for text, found in left.items() if found} == {}


@pytest.mark.parametrize(
    ("wanted", "code"), [(["de-AT"], "de"), (["fr", "de_DE"], "de"), (["fr"], "en"), ([], "en"), (["EN"], "en")]
)
def test_language_of_the_system_is_used_where_it_exists(wanted: list[str], code: str) -> None:
    assert language_for(wanted) == code


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "No such file"),
        ("Close = Zu", "misformatted"),
        ('msgid "Close"\nmsgstr "Schlie\udcdfen"\n', "not UTF-8"),
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
        (tmp_path / "languages" / "de.po").write_bytes(text.encode("utf-8", "surrogateescape"))
    trouble = language.use_language("de")
    assert trouble is not None
    assert "Deutsch" in str(trouble)
    assert re.search(words, str(trouble))
    assert (language.current_language(), language.translated(_("Close"))) == ("en", "Close")


def test_a_translation_with_an_unknown_value_is_not_used() -> None:
    edited = Language("de", {"Close {name}.": ("{nome} schließen.",), "Close {count}.": ("{count schließen.",)})
    assert edited.translated(Message("Close {name}.", name=Number(3.5))) == "Close 3,5."
    assert edited.translated(Message("Close {count}.", count=2)) == "Close 2."


def test_a_number_in_the_window_has_a_minus_sign_and_powers_of_ten() -> None:
    for number, shown in ((Number(-2.5e-9, "m/s", ".2g"), "−2,5·10⁻⁹ m/s"), (Number(1e6, "N", "g"), "10⁶ N")):
        assert Language("de").translated(plain(number)) == shown


def test_a_message_may_begin_with_a_capital_or_be_a_part_of_a_sentence() -> None:
    language = Language("de", {"at rest": ("in Ruhe",), "The end.": ("Das Ende.",)})
    message = joined((Capital(_("at rest")), Clause(_("The end."))), ": ")
    assert (str(message), language.translated(message)) == ("At rest: The end", "In Ruhe: Das Ende")


@pytest.mark.parametrize("code", OTHERS)
def test_the_expected_number_of_an_outcome_is_translated_with_and_without_a_unit(code: str) -> None:
    for unit, number in (("°", "22,3°"), ("", "22,3"), ("1/s", "22,3 1/s")):
        words = read_language(code).translated(outcome_above("angle", EMPTY, 30.0, 22.3, unit).expected)
        assert number.replace(",", read_language(code).decimal) in words
        assert "above" not in words


def test_a_name_with_the_text_of_a_message_is_not_translated_with_it() -> None:
    german = read_language("de")
    word = _("spheres")
    assert german.translated(word) != "spheres"
    assert german.translated(joined(("spheres", "x"))) == "spheres, x"
    assert german.translated(joined((word, "x"))) == f"{german.translated(word)}, x"
    assert [german.translated(plain(value)) for value in (3.0, 3)] == ["3,0", "3"]


def test_a_percent_sign_has_a_gap_in_every_text(templates: dict[catalogues.Template, str]) -> None:
    bare, bare_format = re.compile(r"[\d}]%"), re.compile(r":[^{}\"']*\.\d%\}")
    texts = [text for template in templates for text in ((template,) if isinstance(template, str) else template)]
    texts += [form for code in OTHERS for entry in catalogues.read(code) for form in catalogues.forms_of(entry)]
    assert [text for text in texts if bare.search(text)] == []
    root = Path(str(files("repose.app"))).parent
    sources = [path for folder in ("app", "sim") for path in (root / folder).rglob("*.py")]
    assert [path.name for path in sources if bare_format.search(path.read_text(encoding="utf-8"))] == []
    assert bare.search("100%")
    assert bare_format.search('f"{share:.0%}"')


COUNTED = (
    *("avalanche", "body", "bond", "cell", "character", "checkpoint", "clump", "contact", "coordinate", "corner"),
    *(
        "digit",
        "dimension",
        "disc",
        "edge",
        "experiment",
        "facet",
        "file",
        "frame",
        "grain",
        "group",
        "layer",
        "member",
    ),
    *("number", "parameter", "part", "particle", "piece", "point", "run", "sector", "seed", "sphere", "step", "thread"),
    *("triangle", "value", "voxel", "wall"),
)
"""Nouns for things that are counted; units are not among them."""
NOUN = "|".join(noun.replace("body", "bod(?:y|ie)") for noun in COUNTED)
NUMBER_AND_NOUN = re.compile(rf"\{{\w+\}} (?:(?:more|open|loose|surface|changed|whole) )?(?:{NOUN})s?\b")
"""A value before such a noun, also with an adjective between them."""
CONSTANT, LENGTH, NO_NUMBER = "a constant above 4", "a length in radii of grains", "no number"
WITHOUT_PLURAL = {
    "{digits} digits": CONSTANT,
    "{dt_check_steps} steps": CONSTANT,
    "{grains_per_thread} grains": CONSTANT,
    "{most_poured} spheres": CONSTANT,
    "{most} walls": CONSTANT,
    "{runs} seeds": CONSTANT,
    "{sectors} sectors": CONSTANT,
    "{contacts} contacts": "a mean with one decimal, whose form no number changes",
    "{dimension} coordinates": "2 or 3, which have the same form in every language",
    "{push_size} grains": LENGTH,
    "{rod_size} grains": LENGTH,
    "{radius} grains": LENGTH,
    "{kind} file": NO_NUMBER,
    "{syntax} file": NO_NUMBER,
    "{webp} files": NO_NUMBER,
    "{grains} grains": CONSTANT,
    "{steps} steps": CONSTANT,
}
"""Pairs that need no plural, and why."""


def pairs_without_plural(templates: Iterable[catalogues.Template]) -> list[str]:
    """Numbers before a noun in templates without plural forms."""
    return [pair for text in templates if isinstance(text, str) for pair in NUMBER_AND_NOUN.findall(text)]


def test_a_noun_after_a_number_follows_it(templates: dict[catalogues.Template, str]) -> None:
    found = pairs_without_plural(templates)
    assert sorted(set(found) - WITHOUT_PLURAL.keys()) == [], "`plural` makes the forms of these nouns"
    assert sorted(WITHOUT_PLURAL.keys() - set(found)) == [], "these exceptions are no longer needed"
    wrong = ["{poured} grains are stuck.", "; {left} more groups of runs", "{n} bodies fall", "one of {k} checkpoints."]
    right = ["Grain {id} moves.", "grains: {count}", "{name} stepped aside", ("{count} grain", "{count} grains")]
    assert len(pairs_without_plural([*wrong, *right])) == len(pairs_without_plural(wrong)) == len(wrong)


MAKERS = ("_", "Message", "plural", "joined", "plain")
"""Functions that make a message."""


def english_beside_messages(source: str) -> list[str]:
    """Words that stand untranslated in one branch of a condition whose other branch is a message."""
    found = []
    for node in ast.walk(ast.parse(source)):
        branches = [node.body, node.orelse] if isinstance(node, ast.IfExp) else []
        if any(isinstance(part, ast.Call) and getattr(part.func, "id", "") in MAKERS for part in branches):
            words = [part.value for part in branches if isinstance(part, ast.Constant) and isinstance(part.value, str)]
            found += [text for text in words if re.search("[A-Za-z]{2}", text)]
    return found


def test_no_condition_has_english_in_place_of_a_message() -> None:
    root = Path(str(files("repose.app"))).parent
    sources = [path for folder in ("app", "sim") for path in sorted((root / folder).rglob("*.py"))]
    left = {path.name: english_beside_messages(path.read_text(encoding="utf-8")) for path in sources}
    assert {name: words for name, words in left.items() if words} == {}
    wrong = 'way = _("up and down") if upright else "sideways"'
    assert english_beside_messages(wrong) == ["sideways"]
    assert english_beside_messages('label = _("Wide") if wide else ""; unit = "m" if long else "mm"') == []


def test_a_plain_text_of_a_plug_in_is_shown_as_it_stands() -> None:
    text: Any = "friction"  # a plug-in is not checked for its types
    with language.in_language("de"):
        assert language.translated(_("friction")) == "Reibung"
        assert language.translated(text) == "friction"
        assert language.translated(joined((text, _("friction")))) == "friction, Reibung"
    quantity = Quantity(text, "μ", group=cast(Any, "Gravity"))
    assert quantity.label == plain("friction")
    assert quantity.group == _("Gravity"), "it is listed under the heading that exists"

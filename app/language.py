"""The language of the window: English sentences to sentences of the chosen language, and its decimal sign.

All modules write English, with values inside; `sim`, files and the command line stay English. Only what is drawn in the
window passes through `translated`. `assets/languages/xx.toml` has the sentences of one language. A key is an English
sentence; where the source code inserts a value, key and translation have `{name}`:

    "Recording to {path}." = "Aufnahme in {path}."

A drawn text is compared with the sentences: first as a whole, then with the values taken for `{name}`, then line by
line, sentence by sentence and between signs such as ": ". A text therefore is translated wherever it comes from, also
from another thread or process or from a saved run. A text that no sentence fits stays English.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

ENGLISH = "en"
"""The language of the sentences in the source code."""
NATIVE = {
    "en": "English",
    "de": "Deutsch",
    "pl": "Polski",
    "es": "Español",
    "ru": "Русский",
    "ja": "日本語",
}
"""Languages, by their code in ISO 639-1, with their own names."""
PLACE = re.compile(r"\{(\w*)\}")
"""Place of a value in a sentence."""
TWO_PARTS = "}.{"
"""In a sentence with the digits before and after a decimal point as two values."""
WORD = re.compile(r"[^\W\d_]{2,}")
NUMBER = re.compile(r"(?<![\w./\\^-])[-−]?\d+(?:\.\d+)?(?![\w/\\]|\.[\w])")
"""A number of a text; not a part of a version, a file name, an exponent of a unit or a word."""
LINE = re.compile(r"(\n)")
END = re.compile(r"((?<=[.?!…])\s+)(?=\S)")
"""Between two sentences."""
COLON = re.compile(r"(: )")
CLAUSE = "; "
"""Between two sentences of a text without a full stop."""
GAP = re.compile(r"(\s{2,})")
IN_VALUE = r"(?:(?!\s\s).)"
"""A letter of a value, which has no gap in it: what comes after a gap, such as a key, is no part of the sentence."""
SIGNS = re.compile(r"( × | ± | …|; |, | → | = | – | · | \+ | / | \(|\)| \[[^\]]*\]|[✓✗]\s)")
"""Between the parts of a text that is no sentence: a name with its value, a list."""
LEAST_FIXED = 2
"""Least number of letters of a sentence outside its values; fewer fit any text."""
LONGEST_SYMBOL = 3
"""Most characters of a symbol after a name."""
FIRST_MARK = 0xF0000
"""Code point that stands for the first number of a text while it is translated; no font has it."""
MOST_VAGUE, LONGEST_VAGUE = 5, 16
"""A sentence with at most so many letters outside its values, such as {low} to {high}, fits values no longer, except
sentences and names with a unit: height of the large grain [mm] over time [s]."""
NAME_WITH_UNIT = re.compile(r"(?P<name>[^.:]*[^.: ])(?P<unit> +\[[^\]]+\])")
COUNT = re.compile(rf"\W*[\d{chr(FIRST_MARK)}-\U000fffff].*|\W*", re.DOTALL)
"""A value that begins with a number."""
MOST_KEPT = 8192
"""Number of translated texts that are kept."""


@dataclass(frozen=True)
class Template:
    """A sentence with places for values."""

    pattern: re.Pattern[str]
    """Fits the English text; one group per place."""
    names: tuple[str, ...]
    """Name of every place, in English order."""
    translation: str
    fixed: int
    """Number of letters outside the places: of two templates that fit, the one with more is meant."""


@dataclass
class Language:
    """The sentences of one language."""

    code: str
    decimal: str = "."
    """Decimal sign of numbers in the window."""
    sentences: dict[str, str] = field(default_factory=dict)
    """Translation of every English sentence."""
    _templates: dict[str, list[Template]] = field(default_factory=dict)
    """Sentences with places, by the longest word outside the places."""
    _texts: dict[str, str] = field(default_factory=dict)
    """Translations of drawn texts."""
    _shapes: dict[str, str] = field(default_factory=dict)
    """Translations of drawn texts with marks in place of their numbers: the texts of a clock differ in these only."""
    _numbered: list[str] = field(default_factory=list)
    """Pieces of sentences with numbers of their own, which are no values, or with a number in two values, which keeps
    its point: each begins after the first letter, which may be small or a capital, and ends before the full stop."""

    def __post_init__(self) -> None:
        for english, translation in self.sentences.items():
            if not set(PLACE.findall(translation)) <= set(PLACE.findall(english)):
                continue  # of an edited file: a value that the English sentence has not
            if PLACE.search(english):
                self._add_template(english, translation)
            if NUMBER.search(english) or TWO_PARTS in english:
                fixed = re.split(r"\{\w*\}", english)
                self._numbered.append(max([*filter(NUMBER.search, fixed)] or fixed, key=len)[1:].rstrip("."))
        for templates in self._templates.values():
            templates.sort(key=lambda template: -template.fixed)

    def translated(self, text: str) -> str:
        """The text in this language, its numbers with the decimal sign of the language."""
        found = self._texts.get(text)
        if found is None:
            if len(self._texts) >= MOST_KEPT:
                self._texts.clear()
            found = self._texts[text] = self._translate(text)
        return found

    def _translate(self, text: str) -> str:
        if text in self.sentences:
            return self.sentences[text]
        numbers = NUMBER.findall(text)
        if not numbers or any(piece in text for piece in self._numbered):
            return self._composed(text)
        marks = iter(range(FIRST_MARK, FIRST_MARK + len(numbers)))
        shape = NUMBER.sub(lambda match: chr(next(marks)), text)
        found = self._shapes.get(shape)
        if found is None:
            if len(self._shapes) >= MOST_KEPT:
                self._shapes.clear()
            found = self._shapes[shape] = self._composed(shape)
        for place, number in enumerate(numbers):
            found = found.replace(chr(FIRST_MARK + place), self._localised(number))
        return found

    def _localised(self, text: str) -> str:
        """The numbers of a text that is no sentence with the decimal sign of the language."""
        return NUMBER.sub(lambda match: match[0].replace(".", self.decimal), text)

    def _unended(self, text: str) -> str | None:
        """A sentence whose full stop was taken off, because it stands in a list."""
        found = self.sentences.get(f"{text}.")
        return found and found.rstrip(".。")

    def _named(self, text: str) -> str | None:
        """A name with its symbol: packing fraction φ."""
        name, _, symbol = text.rpartition(" ")
        found = self.sentences.get(name) if len(symbol) <= LONGEST_SYMBOL or "_" in symbol else None
        return f"{found} {self._localised(symbol)}" if found else None

    def _measured(self, text: str) -> str | None:
        """A name with its unit, perhaps with a symbol between: angle of repose θ [°]."""
        match = NAME_WITH_UNIT.fullmatch(text)
        found = match and (self.sentences.get(match["name"]) or self._named(match["name"]))
        return f"{found}{match['unit']}" if match and found else None

    def _counted(self, text: str) -> str | None:
        """A number with a unit or a name after it: 64 cells, ± 3.7° line fit."""
        word = WORD.search(text)
        number, words = (text[: word.start()], text[word.start() :]) if word else ("", text)
        found = self.sentences.get(words) if number.endswith(" ") else None
        return f"{self._localised(number)}{found}" if found else None

    def _composed(self, text: str) -> str:
        """A text of values and sentences; its first letter may be small in one place and a capital in the other."""
        if not WORD.search(text):
            return self._localised(text)
        if found := self._whole(text):
            return found
        for separator in (LINE, GAP, END, COLON, SIGNS):
            pieces = separator.split(text)
            if len(pieces) > 1:
                return self._joined(pieces)
        bare = text.strip()
        return text.replace(bare, self._composed(bare)) if bare != text else self._localised(text)

    def _whole(self, text: str) -> str | None:
        """A text that is one sentence or name; None if none fits."""
        small, capital = text[:1].lower() + text[1:], text[:1].upper() + text[1:]
        forms = tuple(dict.fromkeys((text, small, capital)))
        for look_up in (self.sentences.get, self._unended, self._named, self._measured, self._counted):
            for form in forms:
                if found := look_up(form):
                    return found[:1].upper() + found[1:] if form != text == capital else found
        form, found = self._filled(forms)
        return (found[:1].upper() + found[1:] if form != text == capital else found) or None

    def _joined(self, pieces: list[str]) -> str:
        """Pieces at even places with what separates them between; several may be translated as one."""
        done = ""
        while pieces:
            count = next((n for n in range(len(pieces), 1, -2) if "".join(pieces[:n]) in self.sentences), 1)
            done += self._composed("".join(pieces[:count])) + "".join(pieces[count : count + 1])
            pieces = pieces[count + 1 :]
        return done

    def _filled(self, forms: tuple[str, ...]) -> tuple[str, str]:
        """The form of the text that a sentence with places fits, and that sentence, its values translated too; both
        empty if none fits."""
        fitting = {
            (id(template), form): template
            for form in forms
            for word in WORD.findall(form)
            for template in self._templates.get(word, ())
        }
        for (_, form), template in sorted(fitting.items(), key=lambda entry: -entry[1].fixed):
            match = template.pattern.fullmatch(form)
            if match is not None and CLAUSE in form[: match.end(1)] and match.start(1) == 0:
                continue  # the value at its beginning has a sentence before it
            if match is not None and self._are_values(template, match):
                values = {name: self._composed(text) for name, text in zip(template.names, match.groups())}
                pieces = PLACE.split(template.translation)
                return form, "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))
        return "", ""

    def _are_values(self, template: Template, match: re.Match[str]) -> bool:
        """Whether the sentence may have these values: none contains the end of a sentence where all sentences of the
        text are known; a sentence of few letters has short values; one such as {done} of {runs}, which would fit many
        texts, begins with a number."""
        if any(map(END.search, match.groups())) and self._are_sentences(match.string):
            return False
        if template.fixed <= LEAST_FIXED and match.start(1) == 0 and not COUNT.fullmatch(match[1]):
            return False
        return template.fixed > MOST_VAGUE or all(map(self._is_value, match.groups()))

    def _is_value(self, text: str) -> bool:
        """Whether a sentence of few letters may have this value."""
        if 0 < len(text) <= LONGEST_VAGUE or text in self.sentences:
            return True
        return NAME_WITH_UNIT.fullmatch(text) is not None or (text[:1].isdigit() or text[:1] >= chr(FIRST_MARK))

    def _are_sentences(self, text: str) -> bool:
        """Whether a text is several sentences, each of which is known: then none of them is part of a value."""
        return all(self._whole(piece) for piece in END.split(text)[::2])

    def _add_template(self, english: str, translation: str) -> None:
        pieces = PLACE.split(english)
        words = WORD.findall(" ".join(pieces[::2]))
        fixed = sum(map(len, words))
        if fixed < LEAST_FIXED:
            return
        value = f"({IN_VALUE}*?)"
        pattern = "".join(value if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
        template = Template(re.compile(pattern, re.DOTALL), tuple(pieces[1::2]), translation, fixed)
        self._templates.setdefault(max(words, key=len), []).append(template)


_language = Language(ENGLISH)


def translated(text: str) -> str:
    """The text in the language of the window."""
    return text if _language.code == ENGLISH else _language.translated(text)


def decimal_sign() -> str:
    """Decimal sign of numbers in the window."""
    return _language.decimal


def current_language() -> str:
    """Code of the language of the window."""
    return _language.code


def use_language(code: str) -> str:
    """Show the window in this language from now on; `code` is a key of `NATIVE`.

    Returns an empty string, or why its file cannot be read; then the window is in English.
    """
    global _language
    try:
        _language = read_language(code)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        _language = Language(ENGLISH)
        reason = error.strerror if isinstance(error, OSError) else " ".join(str(error).split())
        return f"The file of the language {NATIVE[code]} cannot be used ({reason}): install Repose again."
    return ""


@cache
def read_language(code: str) -> Language:
    """The sentences of a language, from its file."""
    if code == ENGLISH:
        return Language(ENGLISH)
    text = files("repose.assets").joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return Language(code, content["decimal"], content["sentences"])


def language_for(wanted: list[str]) -> str:
    """The first of the wanted languages, such as de or de-AT, that there is; English if there is none."""
    codes = (code.replace("_", "-").partition("-")[0].lower() for code in wanted)
    return next((code for code in codes if code in NATIVE), ENGLISH)

"""Translation of the window's texts from English into the chosen language, with its decimal sign.

All modules write English, with values inside; `sim`, files and the command line stay English. Only what is drawn in the
window passes through `translated`. `assets/languages/xx.toml` has the sentences of one language. A key is an English
sentence; where the source code inserts a value, key and translation have `{name}`:

    "Recording to {path}." = "Aufnahme in {path}."

A drawn text is compared with the sentences: first as a whole, then with the values taken for `{name}`, then line by
line, sentence by sentence and between signs such as ": ". The source of a text does not matter: another thread, another
process or a saved run. A text that fits no sentence stays English.
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
WORD = re.compile(r"[^\W\d_]{2,}")
NUMBER = re.compile(r"(?<![\w./\\^-])[-−]?\d+(?:\.\d+)?(?![\w/\\]|\.[\w])")
"""A number of a text; not a part of a version, a file name, an exponent of a unit or a word."""
LINE = re.compile(r"(\n)")
END = re.compile(r"((?<=[.?!…])\s+)(?=\S)")
"""Between two sentences."""
COLON = re.compile(r"(: )")
GAP = re.compile(r"(\s{2,})")
IN_VALUE = r"(?:(?!\s\s).)"
"""One character of a value. A value has no gap: text after a gap, such as a key, is not part of the sentence."""
SIGNS = re.compile(r"( × | ± | …|; |, | → | = | – | · | \+ | / | \(|\)| \[[^\]]*\]|[✓✗]\s)")
"""Separators in a text that is not a sentence, such as a name with its value, or a list."""
FIRST_MARK = 0xF0000
"""Code point that stands for the first number of a text while it is translated; no font has it."""
LEAST_FIXED = 2
"""Least number of letters of a sentence outside its values; a sentence with fewer letters fits any text."""
LONGEST_SYMBOL = 3
"""Most characters of a symbol after a name."""
MOST_VAGUE, LONGEST_VAGUE = 5, 16
"""A sentence with at most `MOST_VAGUE` letters outside its values, such as {low} to {high}, fits only values of at most
`LONGEST_VAGUE` characters, and names with a unit: height of the large grain [mm] over time [s]."""
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
    """Number of letters outside the places; of several templates that fit, the one with most letters applies."""


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
    """Translations of drawn texts with marks in place of numbers; the texts of a clock differ only in numbers."""

    def __post_init__(self) -> None:
        for english, translation in self.sentences.items():
            if PLACE.search(english):
                self._add_template(english, translation)
        for templates in self._templates.values():
            templates.sort(key=lambda template: -template.fixed)

    def translated(self, text: str) -> str:
        """The text in this language; its numbers get the decimal sign of the language."""
        translation = self._texts.get(text)
        if translation is None:
            if len(self._texts) >= MOST_KEPT:
                self._texts.clear()
            translation = self._texts[text] = self._translate(text)
        return translation

    def _translate(self, text: str) -> str:
        if text in self.sentences:
            return self.sentences[text]
        numbers = NUMBER.findall(text)
        if not numbers:
            return self._composed(text)
        marks = iter(range(FIRST_MARK, FIRST_MARK + len(numbers)))
        shape = NUMBER.sub(lambda match: chr(next(marks)), text)
        translation = self._shapes.get(shape)
        if translation is None:
            if len(self._shapes) >= MOST_KEPT:
                self._shapes.clear()
            translation = self._shapes[shape] = self._composed(shape)
        if translation == shape:  # no sentence fits: its numbers may be part of a sentence
            translation = self._composed(text)
            return NUMBER.sub(lambda match: self._number(match[0]), translation) if translation == text else translation
        for place, number in enumerate(numbers):
            translation = translation.replace(chr(FIRST_MARK + place), self._number(number))
        return translation

    def _number(self, number: str) -> str:
        return number.replace(".", self.decimal)

    def _unended(self, text: str) -> str | None:
        """Translation of a sentence that stands in a list without its full stop."""
        translation = self.sentences.get(f"{text}.")
        return translation and translation.rstrip(".。")

    def _measured(self, text: str) -> str | None:
        """Translation of a name with its unit, and perhaps a symbol between them: angle of repose θ [°]."""
        name, _, unit = text.rpartition(" [")
        translation = self.sentences.get(name) or self._named(name) if unit.endswith("]") else None
        return f"{translation} [{unit}" if translation else None

    def _named(self, text: str) -> str | None:
        """Translation of a name with its symbol: packing fraction φ."""
        name, _, symbol = text.rpartition(" ")
        translation = self.sentences.get(name) if len(symbol) <= LONGEST_SYMBOL or "_" in symbol else None
        return f"{translation} {symbol}" if translation else None

    def _counted(self, text: str) -> str | None:
        """Translation of a number with a unit that is a word: 64 cells."""
        number, _, unit = text.partition(" ")
        translation = None if WORD.search(number) else self.sentences.get(unit)
        return f"{number} {translation}" if translation else None

    def _composed(self, text: str) -> str:
        """Translation of a text of values and sentences, piece by piece."""
        if not WORD.search(text):
            return text
        if translation := self._whole(text):
            return translation
        for separator in (LINE, GAP, END, COLON, SIGNS):
            pieces = separator.split(text)
            if len(pieces) > 1:
                return self._joined(pieces)
        bare = text.strip()
        return text.replace(bare, self._composed(bare)) if bare != text else text

    def _whole(self, text: str) -> str | None:
        """Translation of a text that is one sentence or name, whose first letter may have the other case; or None."""
        small, capital = text[:1].lower() + text[1:], text[:1].upper() + text[1:]
        forms = tuple(dict.fromkeys((text, small, capital)))
        for look_up in (self.sentences.get, self._unended, self._named, self._measured, self._counted, self._filled):
            for form in forms:
                if translation := look_up(form):
                    return translation[:1].upper() + translation[1:] if form != text == capital else translation
        return None

    def _joined(self, pieces: list[str]) -> str:
        """Translation of pieces (even places) and their separators (odd places); several pieces may be one sentence."""
        done = ""
        while pieces:
            count = next((n for n in range(len(pieces), 1, -2) if "".join(pieces[:n]) in self.sentences), 1)
            done += self._composed("".join(pieces[:count])) + "".join(pieces[count : count + 1])
            pieces = pieces[count + 1 :]
        return done

    def _filled(self, text: str) -> str | None:
        """Translation by the template that fits the text, with translated values; None if no template fits."""
        fitting = {id(template): template for word in WORD.findall(text) for template in self._templates.get(word, ())}
        for template in sorted(fitting.values(), key=lambda template: -template.fixed):
            match = template.pattern.fullmatch(text)
            if match is not None and not (any(map(END.search, match.groups())) and self._are_sentences(text)):
                values = {name: self._composed(text) for name, text in zip(template.names, match.groups())}
                pieces = PLACE.split(template.translation)
                return "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))
        return None

    def _are_sentences(self, text: str) -> bool:
        """Whether every sentence of the text has a translation; then no sentence is part of a value."""
        return all(self._whole(piece) for piece in END.split(text)[::2])

    def _add_template(self, english: str, translation: str) -> None:
        pieces = PLACE.split(english)
        words = WORD.findall(" ".join(pieces[::2]))
        fixed = sum(map(len, words))
        if fixed < LEAST_FIXED:
            return
        value = f"({IN_VALUE}*?)"
        if fixed <= MOST_VAGUE:
            value = rf"({IN_VALUE}{{1,{LONGEST_VAGUE}}}?|[^.:]+ \[[^\]]+\])"
        pattern = "".join(value if place % 2 else re.escape(piece) for place, piece in enumerate(pieces))
        template = Template(re.compile(pattern, re.DOTALL), tuple(pieces[1::2]), translation, fixed)
        self._templates.setdefault(max(words, key=len), []).append(template)


_language = Language(ENGLISH)


def translated(text: str) -> str:
    """The text in the language of the window."""
    return text if _language.code == ENGLISH else _language.translated(text)


def current_language() -> str:
    """Code of the language of the window."""
    return _language.code


def use_language(code: str) -> None:
    """Show the window in this language from now on; `code` is a key of `NATIVE`."""
    global _language
    _language = read_language(code)


@cache
def read_language(code: str) -> Language:
    """The sentences of a language, from its file."""
    if code == ENGLISH:
        return Language(ENGLISH)
    text = files("repose.assets").joinpath("languages", f"{code}.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return Language(code, content["decimal"], content["sentences"])


def language_for(wanted: list[str]) -> str:
    """Code of the first wanted language, such as de or de-AT, that has sentences here; English if none has."""
    codes = (code.replace("_", "-").partition("-")[0].lower() for code in wanted)
    return next((code for code in codes if code in NATIVE), ENGLISH)

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
from dataclasses import dataclass, field
from operator import itemgetter

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
"""One character of a value. A value has no gap: text after a gap, such as a key, is not part of the sentence."""
SIGNS = re.compile(r"( × | ± | …|; |, | → | = | – | · | \+ | / | \(|\)| \[[^\]]*\]|[✓✗]\s)")
"""Separators in a text that is not a sentence, such as a name with its value, or a list."""
LEAST_FIXED = 2
"""Least number of letters of a sentence outside its values; a sentence with fewer letters fits any text."""
LONGEST_SYMBOL = 3
"""Most characters of a symbol after a name."""
FIRST_MARK = 0xF0000
"""Code point that stands for the first number of a text while it is translated; no font has it."""
MOST_VAGUE, LONGEST_VAGUE = 5, 16
"""A sentence with at most `MOST_VAGUE` letters outside its values, such as {low} to {high}, fits only values of at most
`LONGEST_VAGUE` characters, sentences, and names with a unit: height of the large grain [mm] over time [s]."""
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
    """Number of letters outside the places; of several templates that fit, the one with most letters applies."""


@dataclass
class Guesses:
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
    _numbered: list[str] = field(default_factory=list)
    """Pieces of sentences with a number that is not a value, or with a number in two values, which keeps its point.

    Each piece begins after the first letter, which may be small or a capital, and ends before the full stop.
    """

    def __post_init__(self) -> None:
        for english, translation in self.sentences.items():
            if not set(PLACE.findall(translation)) <= set(PLACE.findall(english)):
                continue  # an edited file may have a value that is not in the English sentence
            if PLACE.search(english):
                self._add_template(english, translation)
            if NUMBER.search(english) or TWO_PARTS in english:
                fixed = re.split(r"\{\w*\}", english)
                self._numbered.append(max([*filter(NUMBER.search, fixed)] or fixed, key=len)[1:].rstrip("."))
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
        if not numbers or any(piece in text for piece in self._numbered):
            return self._composed(text)
        marks = iter(range(FIRST_MARK, FIRST_MARK + len(numbers)))
        shape = NUMBER.sub(lambda match: chr(next(marks)), text)
        translation = self._shapes.get(shape)
        if translation is None:
            if len(self._shapes) >= MOST_KEPT:
                self._shapes.clear()
            translation = self._shapes[shape] = self._composed(shape)
        for place, number in enumerate(numbers):
            translation = translation.replace(chr(FIRST_MARK + place), self._localised(number))
        return translation

    def _localised(self, text: str) -> str:
        """The text, which is not a sentence, with numbers in the decimal sign of the language."""
        return NUMBER.sub(lambda match: match[0].replace(".", self.decimal), text)

    def _unended(self, text: str) -> str | None:
        """Translation of a sentence that stands in a list without its full stop."""
        translation = self.sentences.get(f"{text}.")
        return translation and translation.rstrip(".。")

    def _named(self, text: str) -> str | None:
        """Translation of a name with its symbol: packing fraction φ."""
        name, _, symbol = text.rpartition(" ")
        translation = self.sentences.get(name) if len(symbol) <= LONGEST_SYMBOL or "_" in symbol else None
        return f"{translation} {self._localised(symbol)}" if translation else None

    def _measured(self, text: str) -> str | None:
        """Translation of a name with its unit, and perhaps a symbol between them: angle of repose θ [°]."""
        match = NAME_WITH_UNIT.fullmatch(text)
        translation = match and (self.sentences.get(match["name"]) or self._named(match["name"]))
        return f"{translation}{match['unit']}" if match and translation else None

    def _counted(self, text: str) -> str | None:
        """Translation of a number with a unit or a name after it: 64 cells, ± 3.7° line fit."""
        word = WORD.search(text)
        number, words = (text[: word.start()], text[word.start() :]) if word else ("", text)
        translation = self.sentences.get(words) if number.endswith(" ") else None
        return f"{self._localised(number)}{translation}" if translation else None

    def _composed(self, text: str) -> str:
        """Translation of a text of values and sentences, piece by piece."""
        if not WORD.search(text):
            return self._localised(text)
        if translation := self._whole(text):
            return translation
        for separator in (LINE, GAP, END, COLON, SIGNS):
            pieces = separator.split(text)
            if len(pieces) > 1:
                return self._joined(pieces)
        bare = text.strip()
        return text.replace(bare, self._composed(bare)) if bare != text else self._localised(text)

    def _whole(self, text: str) -> str | None:
        """Translation of a text that is one sentence or name, whose first letter may have the other case; or None."""
        small, capital = text[:1].lower() + text[1:], text[:1].upper() + text[1:]
        forms = tuple(dict.fromkeys((text, small, capital)))
        look_ups = (self.sentences.get, self._unended, self._named, self._measured)
        found = ((form, look_up(form)) for look_up in look_ups for form in forms)
        form, translation = next(filter(itemgetter(1), found), ("", None))
        if not translation:  # a template has the plural that a number requires, a word alone has not
            form, translation = self._filled(forms)
        if not translation:
            form, translation = next(filter(itemgetter(1), zip(forms, map(self._counted, forms))), ("", None))
        return translation and (translation[:1].upper() + translation[1:] if form != text == capital else translation)

    def _joined(self, pieces: list[str]) -> str:
        """Translation of pieces (even places) and their separators (odd places); several pieces may be one sentence."""
        done = ""
        while pieces:
            count = next((n for n in range(len(pieces), 1, -2) if "".join(pieces[:n]) in self.sentences), 1)
            done += self._composed("".join(pieces[:count])) + "".join(pieces[count : count + 1])
            pieces = pieces[count + 1 :]
        return done

    def _filled(self, forms: tuple[str, ...]) -> tuple[str, str]:
        """The form of the text that fits a template, and the translation with translated values; both empty if no
        template fits."""
        fitting = {
            (id(template), form): template
            for form in forms
            for word in WORD.findall(form)
            for template in self._templates.get(word, ())
        }
        for (_, form), template in sorted(fitting.items(), key=lambda entry: -entry[1].fixed):
            match = template.pattern.fullmatch(form)
            if match is not None and CLAUSE in form[: match.end(1)] and match.start(1) == 0:
                continue  # the value at the beginning of the text contains another sentence
            if match is not None and self._are_values(template, match):
                values = {name: self._composed(text) for name, text in zip(template.names, match.groups())}
                pieces = PLACE.split(template.translation)
                return form, "".join(values[piece] if place % 2 else piece for place, piece in enumerate(pieces))
        return "", ""

    def _are_values(self, template: Template, match: re.Match[str]) -> bool:
        """Whether the sentence may have these values.

        No value contains the end of a sentence if all sentences of the text have translations. A sentence of few
        letters has short values. A sentence such as {done} of {runs}, which would fit many texts, begins with a number.
        """
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
        """Whether every sentence of the text has a translation; then no sentence is part of a value."""
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

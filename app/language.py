"""Translation of messages from English into the language of the window, with its decimal sign.

All modules write English messages (`repose.sim.message`); files and the command line stay English. Only what is drawn
in the window, or in the film of a lecture, passes through `translated`. `assets/languages/xx.po` has the templates of
one language: a catalogue of gettext, which translators edit with the programs they know (CONTRIBUTING.md, Languages).
The numbers of its plural forms are those of the Unicode CLDR, in the order of `FORMS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files

from babel import Locale
from babel.messages.pofile import PoFileError, read_po
from babel.numbers import get_decimal_symbol
from repose.sim.message import POINT, Joined, Message, Number, filled
from repose.sim.wording import reason_of

ENGLISH = "en"
"""The language of the messages in the source code."""
NATIVE = {
    "en": "English",
    "de": "Deutsch",
    "pl": "Polski",
    "es": "Español",
    "ru": "Русский",
    "ja": "日本語",
}
"""Languages, by their code in ISO 639-1, with their own names."""
FORMS = ("zero", "one", "two", "few", "many", "other")
"""Names of plural forms in the order in which a language has them, as in the file."""
MOST_KEPT = 8192
"""Number of translated messages that are kept."""


@dataclass
class Language:
    """The translations into one language."""

    code: str
    templates: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Translation of every template; for a template with a plural one for each of `plural_forms`."""
    _texts: dict[object, str] = field(default_factory=dict)
    """Messages in this language, by template and values."""

    def __post_init__(self) -> None:
        self.decimal: str = get_decimal_symbol(self.code)
        self._form_of = Locale.parse(self.code).plural_form

    def translated(self, message: Message) -> str:
        """The message in this language."""
        key = exact(message)
        text = self._texts.get(key)
        if text is None:
            if len(self._texts) >= MOST_KEPT:
                self._texts.clear()
            text = self._texts[key] = self._translate(message)
        return text

    def drawn(self, text: Message | str) -> str:
        """A message in this language; a text that is no message stays as it is."""
        return self.translated(text) if isinstance(text, Message) else text

    def _translate(self, message: Message) -> str:
        forms = self.templates.get(message.template, ())
        index = plural_forms(self.code).index(self._form_of(message.counted)) if message.plural else 0
        template = forms[index] if index < len(forms) else ""
        if template and not message.values:
            return template
        try:
            return filled(template, message.values, self._value) if template else self._english(message)
        except (KeyError, ValueError, IndexError):  # an edited file may name a value that the message has not
            return self._english(message)

    def _english(self, message: Message) -> str:
        template = message.plural if message.plural and message.counted != 1 else message.template
        return filled(template, message.values, self._value) if message.values else template

    def _value(self, value: object) -> str:
        if isinstance(value, Message):
            return self.translated(value)
        if isinstance(value, Number):
            word = self.templates.get(value.unit, ("",))[0]  # a unit can be a word, such as "times"
            return typeset((replace(value, unit=word) if word else value).written(self.decimal))
        return str(value).replace(POINT, self.decimal) if isinstance(value, float) else str(value)


POWER = re.compile(r"(?P<mantissa>\d+(?:[.,]\d+)?)e(?P<sign>[+-])0*(?P<exponent>\d+)")
DIGITS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def typeset(number: str) -> str:
    """A number with a minus sign instead of a hyphen, and 2.5·10⁶ instead of 2.5e+06."""

    def power(match: re.Match[str]) -> str:
        sign = "⁻" if match["sign"] == "-" else ""
        times = "" if match["mantissa"] == "1" else f"{match['mantissa']}·"
        return f"{times}10{sign}{match['exponent'].translate(DIGITS)}"

    return re.sub(r"^-", "−", POWER.sub(power, number))


def exact(value: object) -> object:
    """A key that tells apart values that are equal but are written in different ways: a name and a message with the
    same text in English, 1 and 1.0."""
    if isinstance(value, Message):
        return value.template, value.plural, tuple((name, exact(entry)) for name, entry in value.values)
    if isinstance(value, Joined):
        return Joined, tuple(map(exact, value.values)), value.separator
    return type(value), value


@cache
def plural_forms(code: str) -> tuple[str, ...]:
    """Names of the plural forms of a language, in the order of its file."""
    used = {*Locale.parse(code).plural_form.tags, "other"}
    return tuple(form for form in FORMS if form in used)


_language = Language(ENGLISH)


def translated(message: Message) -> str:
    """The message in the language of the window."""
    return as_drawn(message)  # a plug-in may give a plain text, which stays as it is


def as_drawn(text: Message | str) -> str:
    """What is drawn: a message in the language of the window; a name, a symbol or a text in this language stays as it
    is."""
    return _language.drawn(text)


def decimal_sign() -> str:
    """Decimal sign of numbers in the window."""
    return _language.decimal


def current_language() -> str:
    """Code of the language of the window."""
    return _language.code


def use_language(code: str) -> Message | None:
    """Show the window in this language from now on; `code` is a key of `NATIVE`.

    Returns None, or why its file cannot be read; then the window is in English.
    """
    global _language
    try:
        _language = read_language(code)
    except (OSError, ValueError, PoFileError) as error:
        _language = Language(ENGLISH)
        return Message(
            "The file of the language {language} cannot be used ({reason}): install Repose again.",
            language=NATIVE[code],
            reason=reason_of(error),
        )
    return None


@contextmanager
def in_language(code: str) -> Iterator[Message | None]:
    """Show everything in this language within the context; gives what `use_language` returns."""
    global _language
    before = _language
    try:
        yield use_language(code)
    finally:
        _language = before


@cache
def read_language(code: str) -> Language:
    """The translations into a language, from its file."""
    if code == ENGLISH:
        return Language(ENGLISH)
    with files("repose.assets").joinpath("languages", f"{code}.po").open("rb") as file:
        catalogue = read_po(file, locale=code, abort_invalid=True)
    templates = {
        (entry.id if isinstance(entry.id, str) else entry.id[0]): (
            (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ())
        )
        for entry in catalogue
        if entry.id
    }
    return Language(code, templates)


def language_for(wanted: list[str]) -> str:
    """Code of the first wanted language, such as de or de-AT, that has translations here; English if none has."""
    codes = (code.replace("_", "-").partition("-")[0].lower() for code in wanted)
    return next((code for code in codes if code in NATIVE), ENGLISH)

"""The pages of phones and remote: HTML from the files of `assets/audience`, in the language of the phone.

Every text is put into a page by `html.escape`; scripts get theirs as data, which they show as text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from html import escape
from importlib.resources import files
from string import Template
from types import MappingProxyType
from typing import Any

from babel.messages.pofile import PoFileError
from repose.app.audience.exchange import AskedQuestion
from repose.app.language import ENGLISH, Language, language_for, read_language
from repose.sim.choices import choice_name
from repose.sim.message import Message, _

TITLE = _("Your guess")
WAITING = _("No question is asked now. This page shows the next one by itself.")
ASKED = _("Move the slider or type a number, and send it. You can change it until the run has answered.")
ASKED_CHOICE = _("Choose an answer and send it. You can change it until the run has answered.")
CHOICES = _("Answers")
CLOSED = _("The run has answered this question. Look at the picture.")
SENT = _("Your guess was sent.")
LOST = _("No connection to the lecture. The page tries again by itself.")
CODE_TITLE = _("Enter the code")
CODE_WORDS = _("The code is beside the QR code in the picture. Blanks do not matter.")
CODE_WRONG = _("This code is not known. It is beside the QR code in the picture.")
SEND, NUMBER, RELOAD, CODE, OPEN = _("Send"), _("Number"), _("Show the present question"), _("Code"), _("Open")
SLIDER = _("Slider of the guess")
REMOTE_WORDS: Mapping[str, Message] = {
    "title": _("Remote control"),
    "lost": LOST,
    "next": _("Next step"),
    "back": _("Step before"),
    "pause": _("Pause"),
    "continue": _("Continue"),
    "speed": _("Speed"),
    "actions": _("Actions"),
    "parameters": _("Parameters"),
    "notes": _("Notes"),
    "picture": _("Picture of the window"),
    "no": _("Cancel"),
    "show": _("Show answers"),
    "hide": _("Hide answers"),
    "start": _("Start the lecture"),
}
"""Words of the remote by the names in its script."""
FILES = {
    "style.css": "text/css; charset=utf-8",
    "audience.js": "text/javascript; charset=utf-8",
    "remote.js": "text/javascript; charset=utf-8",
}
"""What the pages load, with its type; no other name is served."""
ACCEPTED = re.compile(r"\s*([A-Za-z]{1,8})(?:-[A-Za-z0-9-]*)?\s*(?:;\s*q=([01](?:\.\d{1,3})?)\s*)?")
"""One language of a header Accept-Language, with its weight."""


@cache
def asset(name: str) -> str:
    """The text of a file of `assets/audience`."""
    return files("repose.assets").joinpath("audience", name).read_text(encoding="utf-8")


def language_of(accepted: str) -> Language:
    """The language that a header Accept-Language prefers among those of the program; English if none is there."""
    wanted = [found for part in accepted[:200].split(",") if (found := ACCEPTED.fullmatch(part))]
    wanted.sort(key=lambda found: -float(found[2] or 1.0))
    try:
        return read_language(language_for([found[1] for found in wanted if float(found[2] or 1.0) > 0.0]))
    except (OSError, ValueError, PoFileError):  # the window says so, too
        return Language(ENGLISH)


def said_of(question: AskedQuestion | None, value: float | None) -> Message:
    """What to do, or that the guess of this phone was sent, in a sentence."""
    if question is None:
        return WAITING
    if not question.is_open:
        return CLOSED
    if value is not None:
        return SENT
    return ASKED_CHOICE if question.guess.choices else ASKED


def words_of(question: AskedQuestion, language: Language) -> str:
    """The name of the number in this language."""
    return _named(question.words_in, question.guess.words, language)


def choices_of(question: AskedQuestion, language: Language) -> list[dict[str, Any]]:
    """Number and name of each choice in this language."""
    guess = question.guess
    given = question.choices_in or ({},) * len(guess.choices)
    return [
        {"value": guess.low + number, "words": _named(own, words, language)}
        for number, (own, words) in enumerate(zip(given, guess.choices, strict=True))
    ]


def _named(given: Mapping[str, str], words: Message, language: Language) -> str:
    """The text of a lecture in this language, otherwise the words of the program."""
    if given:
        return given.get(language.code) or given.get(ENGLISH) or next(iter(given.values()))
    return language.drawn(words)


def shown_question(question: AskedQuestion | None, value: float | None, language: Language) -> dict[str, Any]:
    """The question as the script of the page shows it, with the value that the phone has sent."""
    if question is None:
        return {"number": 0, "open": False, "said": language.drawn(WAITING)}
    guess = question.guess
    return {
        "number": question.number,
        "open": question.is_open,
        "said": language.drawn(said_of(question, value)),
        "words": words_of(question, language),
        "unit": language.drawn(choice_name(guess.unit)) if guess.unit else "",
        "low": guess.low,
        "high": guess.high,
        "decimals": guess.decimals,
        "choices": choices_of(question, language),
        "value": value,
    }


def audience_page(
    question: AskedQuestion | None,
    value: float | None,
    language: Language,
    code: str,
    client: str,
) -> str:
    """The page of a phone; without JavaScript its form is sent as it is."""
    shown = shown_question(question, value, language)
    low, high = shown.get("low", 0.0), shown.get("high", 1.0)
    step = 10.0 ** -shown.get("decimals", 0)
    choices = shown.get("choices", [])
    return _filled(
        "audience.html",
        {"buttons": "".join(_radio_button(choice, value) for choice in choices)},
        no_number="hidden disabled" if choices else "",
        no_choices="" if choices else "hidden disabled",
        choices=language.drawn(CHOICES),
        language=language.code,
        title=language.drawn(TITLE),
        code=code,
        client=client,
        lost=language.drawn(LOST),
        said=shown["said"],
        words=shown.get("words", ""),
        unit=shown.get("unit", ""),
        number=str(shown["number"]),
        low=f"{low:.10g}",
        high=f"{high:.10g}",
        step=f"{step:.10g}",
        value="" if value is None else f"{value:.10g}",
        send=language.drawn(SEND),
        label=language.drawn(NUMBER),
        slider=language.drawn(SLIDER),
        reload=language.drawn(RELOAD),
        hidden="" if shown["open"] else "hidden",
    )


def code_page(language: Language, said: Message = CODE_WORDS) -> str:
    """The page at the short address, which asks for the code."""
    return _filled(
        "code.html",
        language=language.code,
        title=language.drawn(CODE_TITLE),
        said=language.drawn(said),
        label=language.drawn(CODE),
        send=language.drawn(OPEN),
    )


def remote_page(language: Language, code: str) -> str:
    """The page of the remote."""
    words = {name: language.drawn(text) for name, text in REMOTE_WORDS.items()}
    return _filled("remote.html", language=language.code, code=code, **words)


def message_page(language: Language, said: Message, back: str) -> str:
    """A page with a sentence and a link to the address `back`."""
    return _filled(
        "message.html",
        language=language.code,
        title=language.drawn(TITLE),
        said=language.drawn(said),
        back=back,
        reload=language.drawn(RELOAD),
    )


def in_language(value: Any, language: Language) -> Any:
    """Data with the words of the language in place of each message."""
    if isinstance(value, Message):
        return language.drawn(value)
    if isinstance(value, Mapping):
        return {key: in_language(entry, language) for key, entry in value.items()}
    return [in_language(entry, language) for entry in value] if isinstance(value, tuple | list) else value


def _radio_button(choice: Mapping[str, Any], value: float | None) -> str:
    """One choice as HTML."""
    return Template(
        '<label><input type="radio" name="value" value="$value" required $checked><span>$words</span></label>'
    ).substitute(
        value=f"{choice['value']:.0f}",
        words=escape(choice["words"]),
        checked="checked" if value == choice["value"] else "",
    )


def _filled(name: str, parts: Mapping[str, str] = MappingProxyType({}), /, **texts: str) -> str:
    """A page with these texts, and with parts that are HTML already."""
    return Template(asset(name)).substitute({key: escape(text) for key, text in texts.items()} | dict(parts))

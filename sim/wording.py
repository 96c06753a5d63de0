"""Values, names and errors from outside as parts of a message: printable, short, and without words of Python.

Text from a file, a code or a plug-in can contain control characters, which a terminal obeys, and any number of
letters. What a library or the interpreter says about an error in data is about its own functions, not about the data.
"""

from __future__ import annotations

import datetime
import math
import unicodedata
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from repose.sim.message import Clause, Message, _, as_message, plain

LONGEST = 200
"""Largest number of characters of one text from outside in a message."""
DEEPEST = 6
"""Levels of nested lists and tables that a message shows."""
DIGITS = 60
"""Largest number of decimal digits of a whole number in a message."""
SPOKEN = {
    UnicodeError: _("it is not UTF-8 text"),
    RecursionError: _("its lists are nested too deeply"),
    MemoryError: _("it needs more memory than there is"),
    EOFError: _("it ends early"),
}
"""What errors of reading mean for the file."""
LONG_NUMBER = "integer string conversion"
"""Words of Python about a whole number that has more digits than it converts."""
OTHER_FORM = _("its content has another form than expected")
"""What an error says that is about the program and not about the data."""
INTERNAL = (LookupError, TypeError, AttributeError, ArithmeticError, AssertionError, NameError, NotImplementedError)
"""Errors whose texts name parts of a program, not of the data that caused them."""


def printable(text: str) -> str:
    """The text with escapes such as \\x1b in place of control and format characters, tabs excepted."""
    if text.isprintable():
        return text
    return "".join(_escaped(letter) if letter != "\t" and _is_control(letter) else letter for letter in text)


def printable_message(message: Message | str) -> Message:
    """The message, or the text as a message; with escapes as in `printable` it is no longer translated."""
    text = str(message)
    return as_message(message) if text.isprintable() else plain(printable(text))


def short(text: str, longest: int = LONGEST) -> str:
    """The printable text, without tabs, whose middle is left out if it has more than `longest` characters."""
    text = text.replace("\t", "\\t")
    shown = printable(text[: longest + 1])
    if len(text) <= longest and len(shown) <= longest:
        return shown
    half = (longest - 3) // 2
    return f"{printable(text[:half])[:half]}...{printable(text[-half:])[-half:]}"


OF_SYSTEM = {
    str(words): words
    for words in (
        _("Cannot allocate memory"),
        _("Disk quota exceeded"),
        _("File exists"),
        _("File name too long"),
        _("Input/output error"),
        _("Is a directory"),
        _("No space left on device"),
        _("No such file or directory"),
        _("Not a directory"),
        _("Operation not permitted"),
        _("Permission denied"),
        _("Read-only file system"),
        _("Too many open files"),
    )
}
"""The usual words of operating systems about files, which the catalogues translate."""


def path_text(path: Any) -> str:
    """The path of a file or folder, printable and short."""
    return short(str(path))


def value_text(value: Any, longest: int = LONGEST) -> str:
    """A value from a file or an option as a TOML or JSON file writes it: 'heap', 0.5, true, 1979-05-27, [1, 2]."""
    return short(_written(value, longest, DEEPEST - 1), longest)


def name_text(name: Any) -> str:
    """A name from a file or an option, without quotes, with escapes in place of all that is not printable."""
    return value_text(name)[1:-1] if isinstance(name, str) else value_text(name)


def message_of(error: BaseException) -> Message:
    """The sentence of an error of Repose; of another error its text."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Message) else plain(printable(str(error)))


def reason_of(error: BaseException, otherwise: Message | str = OTHER_FORM) -> Message:
    """Why a file or another input cannot be used, as the last part of a sentence without its full stop.

    The words are those of Repose, of the operating system or of the library that reads the file. `otherwise` replaces
    words about the program that reads it.
    """
    if is_own(error):
        return plain(Clause(message_of(error)))
    if error.args and isinstance(error.args[0], Message):
        return plain(Clause(error.args[0]))
    # A library of videos names its errors like the operating system, some of which are no `OSError`.
    if isinstance(of_system := getattr(error, "strerror", None), str) and of_system:
        return OF_SYSTEM.get(of_system, plain(short(of_system)))
    for kind, words in SPOKEN.items():
        if isinstance(error, kind):
            return words
    said = _text_of(error)
    if LONG_NUMBER in said:
        return _("it has a number of too many digits")
    if isinstance(error, INTERNAL) or not said:
        return as_message(otherwise)
    return plain(Clause(said))


def sentence_of(error: BaseException) -> Message:
    """The message of an error that ends some work: the sentence of Repose itself, or the reason in a sentence."""
    return (
        message_of(error)
        if is_own(error)
        else Message("That failed: {error}.", error=reason_of(error, described(error)))
    )


def is_own(error: BaseException) -> bool:
    """Whether the text of an error is a sentence for the user, because a module of Repose has defined it."""
    return type(error).__module__.startswith("repose.")


def described(error: BaseException, whole: bool = False) -> str:
    """Type and first line, or `whole` text, of an error of a program, as part of a sentence."""
    said = _text_of(error, whole).removesuffix(".")
    return short(f"{type(error).__name__}: {said}" if said else type(error).__name__)


def _text_of(error: BaseException, whole: bool = True) -> str:
    """The text of an error, or its first line, in one line; empty if it has none, or if making the text fails."""
    try:
        if isinstance(error, OSError) and error.strerror:
            return f"{error.strerror}: {value_text(error.filename)}" if error.filename else error.strerror
        text = str(error).strip()
        return short(" ".join((text if whole else text.partition("\n")[0]).split()))
    except (Exception, SystemExit):  # the class of a plug-in can raise any error here
        return ""


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter)[0] == "C" or letter in "\u2028\u2029"


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape", "surrogatepass").decode("ascii")


def _written(value: Any, room: int, depth: int) -> str:
    """The value in at least `room` characters, or completely; below `depth` levels "..."."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        large = abs(value) >= 10**DIGITS
        return str(Message("a number of more than {digits} digits", digits=DIGITS) if large else int(value))
    if isinstance(value, float):
        return repr(float(value)) if math.isfinite(value) else str(float(value))
    if isinstance(value, str | PurePath | Message):
        value = str(value)
        return repr(value[: room + 1])
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        return _list_written(value, room, depth)
    return repr(value)


def _list_written(value: Any, room: int, depth: int) -> str:
    """A list [1, 2] or a table {a = 1}."""
    table = isinstance(value, Mapping)
    entries: list[str] = []
    for entry in value if depth else ():
        words = _written(value[entry] if table else entry, room, depth - 1)
        entries.append(f"{_key(entry, room)} = {words}" if table else words)
        room -= len(entries[-1])
        if room < 0:
            entries.append("...")
            break
    inside = "..." if value and not depth else ", ".join(entries)
    return f"{{{inside}}}" if table else f"[{inside}]"


def _key(key: Any, room: int) -> str:
    """The name of an entry of a table, in quotes where it is not one word."""
    return str(key) if isinstance(key, str) and key.isidentifier() else _written(key, room, 0)

"""Texts of a page in all languages: each message once, with its number."""

from __future__ import annotations

from typing import Any

from repose.app.language import NATIVE, exact, read_language
from repose.sim.message import EMPTY, Message, as_message


class Texts:
    """Messages by number, in the order in which they are added; number 0 is the empty text."""

    def __init__(self) -> None:
        self._numbers: dict[object, int] = {}
        self._messages: list[Message] = []
        self.number(EMPTY)

    def number(self, text: Message | str) -> int:
        """Number of a message, or of a text of a plug-in, which is shown as it stands."""
        message = as_message(text)
        key = exact(message)
        if key not in self._numbers:
            self._numbers[key] = len(self._messages)
            self._messages.append(message)
        return self._numbers[key]

    def data(self) -> list[Any]:
        """Each text: a text that all languages have, or a list in the order of `NATIVE`."""
        languages = [read_language(code) for code in NATIVE]
        rows = ([language.translated(message) for language in languages] for message in self._messages)
        return [row[0] if len({*row}) == 1 else row for row in rows]

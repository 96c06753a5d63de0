"""What a sentence is."""

from __future__ import annotations

import re

SECOND = re.compile(r"[.!?] [A-Z]")
"""Where a second sentence begins."""


def require_sentence(words: str) -> None:
    """One sentence with a number."""
    assert words.endswith("."), words
    assert not SECOND.search(words), words
    assert re.search(r"\d", words), words

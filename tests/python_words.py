"""Words of Python's own errors, which no refusal contains."""

from __future__ import annotations

import re

PYTHON_WORDS = re.compile(
    "|".join(
        (
            *("NoneType", r"datetime\.", "Traceback", "object is not", "object has no", "has no attribute"),
            *("not iterable", "not subscriptable", "unhashable", "index out of range", "unexpected keyword"),
            *("positional argument", "unsupported operand", "must be str", r"must be an? (?:str|int)\b"),
            *("indices must be", "not supported between", "in the archive", "codec can't", "maximum recursion"),
            *("invalid literal", "KeyError", "TypeError", "ValueError", "not enough values", "too many values"),
            *("could not convert", r"\[Errno", "<class"),
        )
    )
)

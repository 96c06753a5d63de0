"""Codes that name an experiment in one line of text: scene, seed, ready state, parameters that differ from defaults.

    repose1-eJyLjlbKSE1...

A code is the number of its format and, in base64 for URLs without padding, a compressed JSON array [scene, seed, ready,
parameters, version of the program] followed by its CRC-32. The code of runs side by side has format 2; the last entry
of its array is the parameters with a value for each run. A code contains data only, like a preset.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any

from repose.sim.message import Message, _, plural
from repose.sim.parameters import ParameterError, Value
from repose.sim.wording import short

SINGLE, TOGETHER = 1, 2
"""Formats of codes written and read here: of one run, and of runs side by side."""
ENTRIES = {SINGLE: 5, TOGETHER: 6}
"""Length of the array in a code, by its format."""
CODE = re.compile(r"(?i:repose)([0-9]{1,6})-([A-Za-z0-9_-]+)")
LIKE = re.compile(r"\s*(?i:repose)[0-9]+-[^/\\.]*")
"""Text that is meant as a code, also a damaged one; file names have an ending. Some programs capitalise the first
letter of a line."""
LONGEST = 2000
"""Largest number of characters of a code: it fits into a QR code of medium error correction."""
LARGEST = 65_536
"""Largest size of the content of a code [bytes]."""
DIGEST = 4
"""Size of the checksum [bytes]."""


def is_code(text: str) -> bool:
    """Whether a text is meant as a code and not as the name of a preset or file."""
    return LIKE.fullmatch(text) is not None


def encode(
    scene: str,
    seed: int,
    ready: str | None,
    values: Mapping[str, Value],
    side_by_side: Mapping[str, Sequence[Value]] | None = None,
) -> str:
    """The code of an experiment; raises `ParameterError` if it would be too long.

    `side_by_side` has the parameters with a value for each of several runs.
    """
    content = [scene, seed, ready, dict(values), metadata.version("repose")]
    version = TOGETHER if side_by_side else SINGLE
    if side_by_side:
        content.append({name: list(given) for name, given in side_by_side.items()})
    body = _deflated(json.dumps(content, separators=(",", ":"), allow_nan=False).encode())
    letters = base64.urlsafe_b64encode(body + _digest(body, version)).decode("ascii").rstrip("=")
    code = f"repose{version}-{letters}"
    if len(code) > LONGEST:
        raise ParameterError(
            plural(
                "The code would have {count} character, more than {longest}: share a saved preset or run instead.",
                "The code would have {count} characters, more than {longest}: share a saved preset or run instead.",
                count=len(code),
                longest=LONGEST,
            )
        )
    return code


def decode(text: str) -> dict[str, Any]:
    """The content of a code as in the file of a preset, with the `program` that made it; values are not checked.

    Raises `ParameterError`.
    """
    code = "".join(text.split())  # mail programs divide long lines
    match = CODE.fullmatch(code)
    version = int(match[1]) if match else 0
    if version > max(ENTRIES):
        raise ParameterError(
            Message(
                "The code has format {version}, this program reads {single} and {together}: a newer "
                "version of Repose made it; use that version.",
                version=version,
                single=SINGLE,
                together=TOGETHER,
            )
        )
    content = _content(match[2], version) if match and version in ENTRIES and len(code) <= LONGEST else None
    if content is None:
        raise ParameterError(
            _("The code is damaged: its checksum does not agree. Copy it again from its first to its last letter.")
        )
    scene, seed, ready, values, program, *together = content
    document = {"scene": scene, "seed": seed, "parameters": values, "program": short(str(program), 40)}
    document |= {"side_by_side": together[0]} if together else {}
    return document if ready is None else document | {"ready": ready}


def _content(letters: str, version: int) -> list[Any] | None:
    """The array in a code of that format; None if it is damaged."""
    try:
        blob = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        body, digest = blob[:-DIGEST], blob[-DIGEST:]
        if digest != _digest(body, version):
            return None
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        text = inflate.decompress(body, LARGEST)
        content = json.loads(text) if not inflate.unconsumed_tail else None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        return None
    whole = isinstance(content, list) and len(content) == ENTRIES[version] and isinstance(content[3], dict)
    return content if whole else None


def _deflated(content: bytes) -> bytes:
    """Compressed without a header."""
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(content) + compress.flush()


def _digest(body: bytes, version: int) -> bytes:
    return zlib.crc32(f"repose{version}".encode() + body).to_bytes(DIGEST, "big")

"""Codes that name an experiment in one line of text: scene, seed, ready state, parameters that differ from defaults.

    repose1-eJyLjlbKSE1...

A code is the number of its format and, in base64 for URLs without padding, a compressed JSON array [scene, seed, ready,
parameters, version of the program] followed by its CRC-32. It contains data only, as a preset does.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Mapping
from importlib import metadata
from typing import Any

from repose.sim.parameters import ParameterError, Value

FORMAT = 1
"""Format of codes written and read here."""
CODE = re.compile(r"repose([0-9]{1,6})-([A-Za-z0-9_-]+)")
LIKE = re.compile(r"\s*repose[0-9]+-[^/\\.]*")
"""What is meant as a code, damaged ones included; file names have an ending."""
LONGEST = 2000
"""Most characters of a code, so that it fits into a QR code of medium error correction."""
LARGEST = 65_536
"""Most bytes of what a code contains."""
DIGEST = 4
"""Bytes of the checksum."""


def is_code(text: str) -> bool:
    """Whether a text is meant as a code and not as the name of a preset or file."""
    return LIKE.fullmatch(text) is not None


def encode(scene: str, seed: int, ready: str | None, values: Mapping[str, Value]) -> str:
    """The code of an experiment; raises `ParameterError` if it would be too long."""
    content = [scene, seed, ready, dict(values), metadata.version("repose")]
    body = _deflated(json.dumps(content, separators=(",", ":"), allow_nan=False).encode())
    code = f"repose{FORMAT}-{base64.urlsafe_b64encode(body + _digest(body)).decode('ascii').rstrip('=')}"
    if len(code) > LONGEST:
        raise ParameterError(
            f"The code would have {len(code)} characters, more than {LONGEST}: share a saved preset or run instead."
        )
    return code


def decode(text: str) -> dict[str, Any]:
    """The content of a code as in the file of a preset, with the `program` that made it; values are not checked.

    Raises `ParameterError`.
    """
    code = "".join(text.split())  # a mail divides long lines
    found = CODE.fullmatch(code)
    if found and int(found[1]) > FORMAT:
        raise ParameterError(
            f"The code has format {int(found[1])}, this program reads {FORMAT}: a newer version of Repose made it; "
            "use that version."
        )
    content = _content(found[2]) if found and int(found[1]) == FORMAT and len(code) <= LONGEST else None
    if content is None:
        raise ParameterError(
            "The code is damaged: its checksum does not agree. Copy it again from its first to its last letter."
        )
    scene, seed, ready, values, program = content
    document = {"scene": scene, "seed": seed, "parameters": values, "program": str(program)[:40]}
    return document if ready is None else document | {"ready": ready}


def _content(letters: str) -> list[Any] | None:
    """The array in a code; None if it is damaged."""
    try:
        blob = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
        body, digest = blob[:-DIGEST], blob[-DIGEST:]
        if digest != _digest(body):
            return None
        inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        text = inflate.decompress(body, LARGEST)
        content = json.loads(text) if not inflate.unconsumed_tail else None
    except (ValueError, zlib.error, binascii.Error, RecursionError):
        return None
    whole = isinstance(content, list) and len(content) == 5 and isinstance(content[3], dict)
    return content if whole else None


def _deflated(content: bytes) -> bytes:
    """Compressed without a header."""
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    return compress.compress(content) + compress.flush()


def _digest(body: bytes) -> bytes:
    return zlib.crc32(f"repose{FORMAT}".encode() + body).to_bytes(DIGEST, "big")

"""Secrets: the codes of phones and remote, and the names of clients."""

from __future__ import annotations

import secrets
from base64 import b32encode

LENGTH = 16
"""Length of a secret [bytes]: 128 bits."""
GROUP = 4
"""Letters of a code between two blanks."""


def new_secret() -> str:
    """128 random bits in letters that can be typed."""
    return written(secrets.token_bytes(LENGTH))


def written(value: bytes) -> str:
    """Bytes as small letters and the digits 2 to 7, none of which is taken for another one."""
    return b32encode(value).decode("ascii").rstrip("=").lower()


def in_groups(code: str) -> str:
    """A code with blanks, to be read and typed."""
    return " ".join(code[k : k + GROUP] for k in range(0, len(code), GROUP))

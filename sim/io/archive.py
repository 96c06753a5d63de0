"""Archives: an .npz file with a manifest (JSON) that lists every table with shape, type and SHA-256.

Everything is checked before use: sizes before memory is allocated, headers before data, data against the digest.
Tables of equal content are stored once. Nothing is unpickled, extracted or executed. numpy can read the file.
"""

from __future__ import annotations

import hashlib
import json
import math
import zipfile
import zlib
from collections.abc import Container
from typing import Any, BinaryIO

import numpy as np
from repose.sim.engine.tables import zeros
from repose.sim.message import Message, _, plural
from repose.sim.wording import is_own, printable_message, reason_of

LARGEST_FILE = 4 * 2**30
"""Largest size of a file, and of its unpacked content [bytes]."""
LARGEST_MANIFEST = 64 * 2**20
MOST_MEMBERS = 4096
MOST_PACKED = 250
"""Largest accepted compression ratio of a member above one megabyte [-]: numbers compress less, decompression bombs
more."""
SAMPLES, SAMPLE, WORTH = 64, 4096, 0.75
"""Number and length [bytes] of the samples of a table, and the share of their size below which it is compressed."""
READ_AT_ONCE = 2**22
"""Number of bytes of a table that are in memory twice while it is read."""
SUFFIX = ".repose"
"""Ending of the file of a saved run."""
MANIFEST = "manifest"
DAMAGED = _("it is no archive of this program, or it is damaged; copy it again")
"""Reason for which an archive cannot be read, in place of the words of the libraries about bytes in it."""
KINDS = "biuf"
"""Kinds of numbers in a table, as in `numpy.dtype.kind`."""


class ArchiveError(ValueError):
    """A file that cannot be used; the message is one sentence without control characters."""

    def __init__(self, message: Message) -> None:
        super().__init__(printable_message(message))


def write(file: BinaryIO, manifest: dict[str, Any], tables: dict[str, Any]) -> None:
    """Write manifest and tables to an open file; equal input makes equal files."""
    members: dict[str, Any] = {}
    listed = {}
    first: dict[tuple[Any, ...], str] = {}
    known: dict[int, str] = {}
    for name, given in tables.items():
        table = np.ascontiguousarray(given)
        if id(given) not in known:  # restart points share tables
            known[id(given)] = hashlib.sha256(table.data).hexdigest()
        said = (table.shape, table.dtype.str, known[id(given)])
        member = first.setdefault(said, name)
        members[member] = table
        listed[name] = {"shape": said[0], "dtype": said[1], "sha256": said[2]}
        if member != name:
            listed[name]["same_as"] = member
    text = json.dumps(manifest | {"tables": listed}, allow_nan=False).encode()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, table in {MANIFEST: np.frombuffer(text, np.uint8), **members}.items():
            archive.compression = zipfile.ZIP_DEFLATED if compresses(table) else zipfile.ZIP_STORED
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member_file:
                np.lib.format.write_array(member_file, table, allow_pickle=False)


def compresses(table: Any) -> bool:
    """Whether compression makes a table much smaller, judged by samples of a long one: of the positions of a million
    grains it saves a tenth of the size in half a minute."""
    if table.nbytes < SAMPLES * SAMPLE:
        return True
    content = memoryview(table).cast("B")
    begins = range(0, table.nbytes - SAMPLE + 1, (table.nbytes - SAMPLE) // (SAMPLES - 1))
    sample = b"".join(content[at : at + SAMPLE] for at in begins)
    return len(zlib.compress(sample, 1)) < WORTH * len(sample)


def read(file: BinaryIO, what: Message, only: Container[str] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Manifest and tables, all or `only` those, of an open file of unknown content; raises `ArchiveError`.

    The error says that the file is not `what`.
    """
    try:
        size = file.seek(0, 2)
        if size > LARGEST_FILE:
            raise ArchiveError(
                Message(
                    "The file has {size} bytes; at most {largest_file} are read.", size=size, largest_file=LARGEST_FILE
                )
            )
        with zipfile.ZipFile(file) as archive:
            _check_sizes(archive, size)
            manifest = json.loads(_manifest(archive), parse_constant=_no_number, parse_float=_finite)
            listed = {name: said for name, said in manifest["tables"].items() if only is None or name in only}
            members = {name: _table(archive, name, said) for name, said in listed.items() if "same_as" not in said}
            return manifest, {name: _shared(members, listed, name) for name in listed}
    except ArchiveError:
        raise
    except Exception as error:  # a damaged archive can raise any error in the libraries that read it
        raise ArchiveError(
            Message("The file cannot be read as {what}: {error}.", what=what, error=why_unreadable(error))
        ) from None


def why_unreadable(error: Exception) -> Message:
    """Why an archive cannot be read, as the last part of a sentence."""
    has_sentence = is_own(error) or isinstance(error, OSError | MemoryError | RecursionError | UnicodeError)
    return reason_of(error) if has_sentence else DAMAGED


def unpacked_size(file: BinaryIO) -> int:
    """Size of the unpacked content of an archive [bytes], as its directory states; 0 if it is no archive."""
    try:
        with zipfile.ZipFile(file) as archive:
            return sum(entry.file_size for entry in archive.infolist())
    except Exception:  # `read` reports the reason
        return 0
    finally:
        file.seek(0)


def _check_sizes(archive: zipfile.ZipFile, size: int) -> None:
    entries = archive.infolist()
    if len(entries) > MOST_MEMBERS or len({entry.filename for entry in entries}) < len(entries):
        raise ArchiveError(
            plural(
                "The file has {count} part, too many or some of them twice; it is not read.",
                "The file has {count} parts, too many or some of them twice; it is not read.",
                count=len(entries),
            )
        )
    limit = min(LARGEST_FILE, 2**20 + MOST_PACKED * size)
    if (unpacked := sum(entry.file_size for entry in entries)) > limit:
        raise ArchiveError(
            Message(
                "The file unpacks to more than {limit} bytes ({unpacked}); it is not read.",
                limit=limit,
                unpacked=unpacked,
            )
        )


def _manifest(archive: zipfile.ZipFile) -> bytes:
    size = archive.getinfo(f"{MANIFEST}.npy").file_size
    if size > LARGEST_MANIFEST:
        raise ArchiveError(
            Message(
                "The file's manifest has {size} bytes; at most {largest_manifest} are read.",
                size=size,
                largest_manifest=LARGEST_MANIFEST,
            )
        )
    with archive.open(f"{MANIFEST}.npy") as member:
        return bytes(np.lib.format.read_array(member, allow_pickle=False).tobytes())


def _table(archive: zipfile.ZipFile, name: str, said: dict[str, Any]) -> Any:
    with archive.open(f"{name}.npy") as member:
        if np.lib.format.read_magic(member) != (1, 0):
            raise ArchiveError(Message("Table '{name}' of the file has a header that is not read here.", name=name))
        shape, by_columns, kind = np.lib.format.read_array_header_1_0(member)
        if not kind.isnative:
            raise ArchiveError(
                Message(
                    "Table '{name}' of the file has another byte order than this program reads: {str}.",
                    name=name,
                    str=kind.str,
                )
            )
        sound = kind.kind in KINDS and not by_columns and (list(shape), kind.str) == (said["shape"], said["dtype"])
        room = archive.getinfo(f"{name}.npy").file_size
        if sound and math.prod(shape) * kind.itemsize <= room:
            table = zeros(math.prod(shape), kind)
            content, filled = table.view(np.uint8), 0
            while filled < content.size and (read := member.read(min(READ_AT_ONCE, content.size - filled))):
                content[filled : filled + len(read)] = np.frombuffer(read, np.uint8)
                filled += len(read)
            whole = filled == content.size and not member.read(1)
            if whole and hashlib.sha256(table.data).hexdigest() == said["sha256"]:
                return table.reshape(shape)
    raise ArchiveError(
        Message("Table '{name}' of the file is not what its manifest says: the file is damaged.", name=name)
    )


def _shared(members: dict[str, Any], listed: dict[str, Any], name: str) -> Any:
    """The table, also if the file contains it under another name; nobody writes to a table of a file."""
    source = listed[name].get("same_as")
    if source is None:
        return members[name]
    if {**listed[source], "same_as": source} != listed[name]:
        raise ArchiveError(
            Message("Table '{name}' of the file is not what its manifest says: the file is damaged.", name=name)
        )
    return members[source]


def _finite(text: str) -> float:
    """The number in a text; refused if a float cannot represent it, such as 1e999."""
    number = float(text)
    return number if math.isfinite(number) else _no_number(text[:40])


def _no_number(word: str) -> float:
    raise ArchiveError(Message("The file's manifest contains {word}, which is not a number.", word=word))

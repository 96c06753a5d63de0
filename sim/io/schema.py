"""Files that users write: TOML or JSON, read by pydantic models, whose errors become one sentence.

A model declares each key of a file once, with its type and limits, and in words where these do not say what is allowed
(`Allowed`, `Known`, `FileFormat`). The sentence is made of data: the type of pydantic's error, its position in the
file, the value there and that declaration. What only the program knows, such as the phases of a scene, is checked by
validators of a model or after reading; they raise `ParameterError`, whose message is the sentence.
"""

from __future__ import annotations

import json
import re
import stat
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, is_dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import annotated_types
import tomlkit
from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, Strict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, ErrorDetails, core_schema
from repose.sim.io.json_text import whole_number
from repose.sim.message import EMPTY, Capital, Message, Number, _, joined, plural
from repose.sim.numbers import as_written
from repose.sim.parameters import LARGEST_SEED, ParameterError, any_of, either, require_known, unknown
from repose.sim.wording import message_of, name_text, path_text, reason_of, short, value_text
from tomlkit.exceptions import TOMLKitError

T = TypeVar("T")

LARGEST_FILE = 65_536
"""Largest size of a file, if its reader states no other [bytes]; a preset is a page of text."""
TOML, JSON = "TOML", "JSON"
LAX = re.compile(r"[0-9]_[0-9]|0[xob]")
"""Notations of numbers that TOML allows and `repose.sim.numbers` refuses."""
LONGEST_NAMES = 800
"""Largest number of characters of the allowed names in a sentence."""
LONGEST_SHOWN = 12
"""Largest number of entries of a list of a wrong length that a sentence shows; it counts those of a longer one."""


class FilePart(BaseModel):
    """A table of a file: its types are strict, its numbers are finite, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True)


@dataclass(frozen=True)
class Allowed:
    """What a value can be, in words that follow "it must be"; part of the metadata of a field or of an entry."""

    words: Message


def such_as(words: Message, example: str) -> Allowed:
    """What a value can be, with an example."""
    return Allowed(Message("{words}, such as {example}", words=words, example=example))


def a_table(header: str) -> Allowed:
    """A table with this line above it."""
    return Allowed(Message("a table, {header}", header=header))


def a_table_of_lists(header: str) -> Allowed:
    """A table with this line above it, which has several values of every parameter."""
    return Allowed(Message("a table, {header}, with a list of values for every parameter", header=header))


@dataclass(frozen=True)
class Known:
    """Marks a text as a name that the program must know; the names are asked for when a file is read, because plug-ins
    add some. The sentence about another name suggests the nearest one."""

    what: Message
    names: Callable[[], Iterable[str]]
    empty: bool = False
    """Whether the text can be empty."""

    @property
    def words(self) -> Message:
        """What is allowed, as in `Allowed`."""
        return Message("one of {names}", names=short(", ".join(self.names()), LONGEST_NAMES))

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def _check(self, value: str) -> str:
        if value or not self.empty:
            require_known(value, [*self.names()], self.what)
        return value


@dataclass(frozen=True)
class KnownOfFew(Known):
    """Marks a text as one of a few names, all of which the sentence about another one contains, after key and value."""

    def _check(self, value: str) -> str:
        if value is not None and value not in self.names():
            raise ValueError
        return value


@dataclass(frozen=True)
class EntryName:
    """What one entry of a list is called in a sentence, if the key of the list says it differently."""

    name: str


class FormatError(ParameterError):
    """A file of another version of the format, which explains all other errors in it."""


@dataclass(frozen=True)
class FileFormat:
    """Marks the number of the version of a file format; only one is read."""

    key: str
    known: int

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def _check(self, value: Any) -> int:
        if type(value) is int and value == self.known:
            return self.known
        remedy = Message("write {key} = {known}", key=self.key, known=self.known)
        if type(value) is int and value > self.known:
            remedy = _("a newer version of Repose made the file; use that version")
        raise FormatError(
            Message(
                "{key} = {value} is unknown; this program reads {key} {known}: {remedy}.",
                key=self.key,
                value=value_text(value),
                known=self.known,
                remedy=remedy,
            )
        )


ListOf = Annotated[tuple[T, ...], Strict(False)]
"""A list of a file, which becomes a tuple."""
Seed = Annotated[int, annotated_types.Ge(0), annotated_types.Le(LARGEST_SEED)]
Scalar = bool | int | Annotated[float, Field(allow_inf_nan=True)] | str
"""A value of a parameter, whose range the parameter sets check."""
Values = Annotated[list[Scalar], such_as(_("a list of values"), "[0.1, 0.2]")]


# Reading


def read_text(
    path: Path, what: Message, instead: Message = EMPTY, *, syntax: str = TOML, largest: int = LARGEST_FILE
) -> str:
    """The text of a file of unknown content and of at most `largest` bytes.

    Raises `ParameterError`; the message names `what` the file should be and the alternative `instead`.
    """
    file: dict[str, Any] = {"name": Capital(what), "path": path_text(path)}
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):  # reading a pipe or a device may never end
            kind = _("a folder") if stat.S_ISDIR(mode) else _("not a file")
            raise ParameterError(
                Message(
                    "{name} {path} is {kind}; a {what} is a {syntax} file.", **file, kind=kind, what=what, syntax=syntax
                )
            )
        with path.open("rb") as opened:
            content = opened.read(largest + 1)
    except ParameterError:
        raise
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise ParameterError(
            Message("{name} {path} cannot be read: {reason}.{instead}", **file, reason=reason, instead=instead)
        ) from None
    if len(content) > largest:
        raise ParameterError(
            Message(
                "{name} {path} is larger than {largest_file} bytes, too large for a {what}.",
                **file,
                largest_file=largest,
                what=what,
            )
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ParameterError(Message("{name} {path} is not UTF-8 text; save it as UTF-8.", **file)) from None


TOML_LINE = re.compile(r"\(at line ([0-9]+), column [0-9]+\)")
"""The position in the message of an error of `tomllib`, which has none at the end of the text."""
TOML_TWICE = ("Cannot overwrite", "Cannot declare", "twice", "Duplicate", "Cannot mutate")
"""Words in such a message about a key or table that occurs twice."""


def from_toml(text: str, name: Message | str, *, decimal: bool = False) -> dict[str, Any]:
    """The content of a TOML file; raises `ParameterError` with its name and, if known, the line.

    With `decimal`, numbers that no user would type, such as 1_0 and 0x10, become texts, which a model refuses.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    try:
        document = tomllib.loads(text)
        if decimal and LAX.search(text):
            document = as_written(tomlkit.parse(text))
    except tomllib.TOMLDecodeError as error:
        raise _not_valid(name, TOML, ValueError(_wrong_line(text, str(error)))) from None
    except (ValueError, RecursionError, TOMLKitError) as error:
        raise _not_valid(name, TOML, error) from None
    return document


def _wrong_line(text: str, error: str) -> Message:
    """Which line of a TOML file is wrong, in words of Repose; the library speaks of statements and key parts."""
    lines = text.split("\n")
    written = [number for number, line in enumerate(lines, 1) if line.strip()]
    found = TOML_LINE.search(error)
    number = int(found[1]) if found else written[-1] if written else 1
    if any(words in error for words in TOML_TWICE):
        return Message("line {number} gives a key once more that has a value already", number=number)
    return Message(
        "line {number}, '{line}', is neither key = value nor [table]; a text is in quotes, a list in brackets",
        number=number,
        line=name_text(lines[number - 1].strip()),
    )


def from_json(text: str, name: Message | str) -> Any:
    """The content of a JSON file; raises `ParameterError` with its name and the line."""
    try:
        return json.loads(text, parse_int=whole_number, object_pairs_hook=_table)
    except (ValueError, RecursionError) as error:
        raise _not_valid(name, JSON, error) from None


def _not_valid(name: Message | str, syntax: str, error: Exception) -> ParameterError:
    return ParameterError(
        Message("{name} is not valid {syntax}: {error}.", name=name, syntax=syntax, error=reason_of(error))
    )


def _table(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) < len(pairs):
        names = [name for name, __ in pairs]
        twice = next(name for name in table if names.count(name) > 1)
        raise ValueError(Message("the key '{key}' occurs twice", key=name_text(twice)))
    return table


@contextmanager
def positioned(position: Message | str) -> Iterator[None]:
    """Put the name of the file, or the position in it, before the sentence of a `ParameterError`."""
    try:
        yield
    except ParameterError as error:
        raise ParameterError(joined((position, error.message), ": ")) from None


def entry_of(entry: str, number: int, count: int) -> Message:
    """The position of an entry of a list: "step 2 of 3"."""
    return Message("{entry} {number} of {count}", entry=name_text(entry), number=number, count=count)


def checked(kind: type[T], document: Any) -> T:
    """The content of a file as a model, or another type, whose fields are declared; raises `ParameterError`."""
    try:
        content: T = reader_of(cast(Any, kind)).validate_python(document)
    except ValidationError as error:
        raise ParameterError(sentence_about(kind, document, error)) from None
    return content


def usable(kind: type[T], document: Mapping[str, Any]) -> tuple[T, list[Message]]:
    """The content without the entries that are refused, which have defaults, and the sentence about each of these."""
    reader, kept = reader_of(cast(Any, kind)), deepcopy({**document})
    try:
        return reader.validate_python(kept), []
    except ValidationError as error:
        refusals = problems(kind, document, error)
    for problem in refusals:
        table: Any = kept
        for key in problem.keys[:-1]:
            table = table[key]
        del table[problem.keys[-1]]
    return reader.validate_python(kept), [sentence(problem) for problem in refusals]


@cache
def reader_of(kind: Any) -> TypeAdapter[Any]:
    """What validates data of this type."""
    return TypeAdapter(kind)


def refused(key: str, value: Any, reason: Message) -> ParameterError:
    """The error about a value of a file; `reason` ends its sentence."""
    return ParameterError(_refused(key, value, reason))


# Errors as sentences


class Declared(NamedTuple):
    """A declared type and its metadata: limits, and the records of this module."""

    kind: Any
    metadata: tuple[Any, ...] = ()

    def words(self) -> Message:
        """What is allowed, if the metadata say it; empty otherwise. What is added to a type comes last and counts."""
        words = (entry.words for entry in reversed(self.metadata) if isinstance(entry, Allowed | Known))
        return next(words, EMPTY)


class Problem(NamedTuple):
    """One error of a file."""

    keys: tuple[str | int, ...]
    """Keys, and numbers of entries from 0, from the whole file to the refused value."""
    values: tuple[Any, ...]
    """The whole file, what its first key is, and so on; the refused value is the last one."""
    declared: tuple[Declared, ...]
    """Declarations of `values`."""
    detail: ErrorDetails
    """What pydantic says about it."""

    @property
    def own(self) -> Message:
        """The sentence of a validator; empty for an error that pydantic found."""
        error = self.detail.get("ctx", {}).get("error")
        return message_of(error) if isinstance(error, Exception) and error.args else EMPTY


def sentence_about(kind: Any, document: Any, error: ValidationError) -> Message:
    """The sentence about the first error of a file. An unknown format or key may explain others, such as a missing key,
    and comes first."""
    details = error.errors(include_url=False)
    first = min(range(len(details)), key=lambda number: _rank(details[number]))
    every = (_whole(located(kind, document, detail)) for detail in details[first:])
    keys = _whole(located(kind, document, details[first])).keys
    # A value that can have several types has the errors of each: the deepest one is of the type that is meant.
    same = takewhile(lambda problem: problem.keys[: len(keys)] == keys, every)
    return sentence(max(same, key=lambda problem: (len(problem.keys), bool(problem.own))))


def problems(kind: Any, document: Any, error: ValidationError) -> list[Problem]:
    """One error for each refused value: that of a validator, or the first one."""
    by_keys: dict[Any, Problem] = {}
    for detail in error.errors(include_url=False):
        problem = _whole(located(kind, document, detail))
        if problem.keys not in by_keys or problem.own:
            by_keys[problem.keys] = problem
    return [*by_keys.values()]


def sentence(problem: Problem) -> Message:
    """The error in a sentence: position, key, value and what is allowed."""
    position: list[Message] = []
    names: list[str] = []
    for key, above, declared in zip(problem.keys, problem.values, problem.declared):
        if isinstance(key, str):
            names.append(key)
        else:
            name = next((entry.name for entry in declared.metadata if isinstance(entry, EntryName)), ".".join(names))
            position.append(entry_of(name, key + 1, len(above)))
            names = []
    return joined((*position, problem.own or _refusal(problem, names)), ": ")


def reason(problem: Problem) -> Message:
    """Why a value is refused, as the end of a sentence."""
    return Message("it must be {allowed}", allowed=_allowed(problem.declared[-1], problem.detail["type"]))


MISSING = ("missing", "missing_argument")
UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
LENGTHS = ("too_long", "too_short")
KEY = "[key]"
"""Last part of a position for an error of a key itself."""


def _rank(detail: ErrorDetails) -> int:
    if isinstance(detail.get("ctx", {}).get("error"), FormatError):
        return 0
    return 1 if detail["type"] in UNKNOWN else 2


def _refusal(problem: Problem, names: Sequence[str]) -> Message:
    """The sentence after the position; `names` are the keys since the last entry of a list."""
    kind, key, value, why = problem.detail["type"], name_text(".".join(names)), problem.values[-1], reason(problem)
    table = name_text(".".join(names[:-1]))
    if kind in UNKNOWN:
        what = Message("key of {table}", table=table) if table else _("key")
        return unknown(names[-1], _keys(problem.declared[-2]), what)
    if kind in MISSING and table:
        return Message(
            "the key '{key}' of {table} is missing: {reason}.", key=name_text(names[-1]), table=table, reason=why
        )
    if kind in MISSING:
        return Message("the key '{key}' is missing: {reason}.", key=name_text(names[-1]), reason=why)
    if problem.detail["loc"][-1:] == (KEY,):
        return Message("the key '{key}' is refused: {reason}.", key=key, reason=why)
    if kind == "string_too_long":
        return plural(
            "{key} has {count} character, at most {most} are allowed.",
            "{key} has {count} characters, at most {most} are allowed.",
            count=len(value),
            key=key,
            most=problem.detail["ctx"]["max_length"],
        )
    if kind in LENGTHS and len(value) > LONGEST_SHOWN:
        return plural(
            "{key} has {count} entry: {reason}.",
            "{key} has {count} entries: {reason}.",
            count=len(value),
            key=key,
            reason=why,
        )
    return _refused(key, value, why)


def _refused(key: str, value: Any, why: Message) -> Message:
    shown = value_text(value)
    if not key:
        return Message("{value} is refused: {reason}.", value=shown, reason=why)
    return Message("{key} = {value} is refused: {reason}.", key=key, value=shown, reason=why)


def located(kind: Any, document: Any, detail: ErrorDetails) -> Problem:
    """An error with the values and declarations on the way to it; the rest of its position names members of unions."""
    keys: list[str | int] = []
    values, declared = [document], [_declared(kind)]
    for number, key in enumerate(detail["loc"]):
        above: Any = values[-1]
        if key in above if isinstance(above, Mapping) else isinstance(above, list) and key in range(len(above)):
            value = above[key]
        elif detail["type"] in MISSING and number == len(detail["loc"]) - 1:
            value = None
        else:
            continue
        keys.append(key)
        values.append(value)
        declared.append(_entry(declared[-1], key))
    if detail["loc"][-1:] == (KEY,):
        declared[-1] = _declared(get_args(declared[-2].kind)[0])
    return Problem(tuple(keys), tuple(values), tuple(declared), detail)


def _whole(problem: Problem) -> Problem:
    """The error of a whole list instead of one of its entries, unless these are tables or say what is allowed."""
    depth = len(problem.keys)
    while depth and isinstance(problem.keys[depth - 1], int):
        if problem.declared[depth].words() or _keys(problem.declared[depth]):
            break
        depth -= 1
    return Problem(problem.keys[:depth], problem.values[: depth + 1], problem.declared[: depth + 1], problem.detail)


def _declared(kind: Any) -> Declared:
    if get_origin(kind) is not Annotated:
        return Declared(kind)
    inner, *metadata = get_args(kind)
    entries = (part for entry in metadata for part in (entry.metadata if isinstance(entry, FieldInfo) else [entry]))
    return Declared(inner, tuple(entries))


def _members(declared: Declared) -> list[Declared]:
    """The types of a union, without None, which is what a missing key means; any other type alone."""
    if get_origin(declared.kind) not in (Union, UnionType):
        return [declared]
    return [_declared(kind) for kind in get_args(declared.kind) if kind is not NoneType]


def _entry(declared: Declared, key: str | int) -> Declared:
    """Declaration of an entry of a list or table."""
    for kind, __ in _members(declared):
        inner = get_args(kind)
        if get_origin(kind) in (list, tuple) and isinstance(key, int):
            return _declared(inner[0] if len(inner) == 1 or inner[1] is ... else inner[key])
        if _is_table(kind) and isinstance(key, str):
            return _declared(inner[1])
    return _keys(declared).get(str(key), Declared(Any))


def _keys(declared: Declared) -> dict[str, Declared]:
    """Declarations of the keys of a table, which can be one of several."""
    return {key: entry for kind, __ in _members(declared) for key, entry in _fields(kind).items()}


def _is_table(kind: Any) -> bool:
    origin = get_origin(kind)
    return isinstance(origin, type) and issubclass(origin, Mapping)


@cache
def _fields(kind: Any) -> Mapping[str, Declared]:
    """Declarations of the fields of a model or dataclass, by the key in a file; empty for any other type."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items()
        return {field.alias or name: Declared(field.annotation, tuple(field.metadata)) for name, field in fields}
    if is_dataclass(kind):
        return {name: _declared(hint) for name, hint in get_type_hints(kind, include_extras=True).items()}
    return {}


def _allowed(declared: Declared, error: str = "") -> Message:
    if words := declared.words():
        return words
    members = _members(declared)
    if len(members) > 1:
        return any_of([_allowed(member) for member in members])
    kind, metadata = members[0].kind, (*declared.metadata, *members[0].metadata)
    limits = {type(entry): entry for entry in metadata}
    if kind is bool:
        return _("true or false")
    if kind in (int, float):
        return _range(_("a whole number") if kind is int else _("a number"), limits, error)
    if get_origin(kind) is Literal:
        return either(get_args(kind))
    most = getattr(limits.get(annotated_types.MaxLen), "max_length", 0)
    if kind is str:
        words = plural("text of at most {count} character", "text of at most {count} characters", count=most)
        return words if most else _("text")
    if get_origin(kind) in (list, tuple):
        least = getattr(limits.get(annotated_types.MinLen), "min_length", 0)
        values: dict[str, Any] = {"entry": _allowed(_entry(members[0], 0)), "least": least, "most": most}
        if not most:
            return Message("a list of entries, each {entry}", **values)
        if least == most:
            return Message("a list of {most} entries, each {entry}", **values)
        return Message("a list of {least} to {most} entries, each {entry}", **values)
    if _fields(kind) or _is_table(kind):
        return Message("a table of at most {most} keys", most=most) if most else _("a table")
    return _("of another type")


def _range(noun: Message, limits: Mapping[type, Any], error: str) -> Message:
    """A number within its limits, with its unit."""

    def limit(kind: Any, name: str) -> Any:
        value = getattr(limits.get(kind), name, None)
        return value if value is None or isinstance(value, int) else Number(value, format="g")

    values: dict[str, Any] = {
        "noun": noun,
        "low": limit(annotated_types.Ge, "ge"),
        "above": limit(annotated_types.Gt, "gt"),
        "high": limit(annotated_types.Le, "le"),
        "unit": f" {limits[annotated_types.Unit].unit}" if annotated_types.Unit in limits else "",
    }
    given = {name: value for name, value in values.items() if value is not None}
    if "above" in given and "high" in given:
        return Message("{noun} above {above} and at most {high}{unit}", **given)
    if "low" in given and "high" in given:
        return Message("{noun} from {low} to {high}{unit}", **given)
    if error == "finite_number":
        given["noun"] = _("a finite number")
    if "above" in given:
        return Message("{noun} above {above}{unit}", **given)
    return Message("{noun} of at least {low}{unit}", **given) if "low" in given else given["noun"]

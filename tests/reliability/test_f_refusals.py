"""Group F, texts and files of any content: read, or refused in a short sentence without the words of Python."""

from __future__ import annotations

import base64
import datetime
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from repose.app.lectures import lecture_file
from repose.sim.clumps.clump_file import clump_from
from repose.sim.io import presets, share_code
from repose.sim.io.lammps.read_dump import read_dump
from repose.sim.parameters import ParameterError
from repose.sim.study.plan_file import read_plan

from tests.python_words import PYTHON_WORDS

ODD = (datetime.date(1979, 5, 27), datetime.time(7, 32), 10**400, -(10**400), "\x1b[2J", "\x9b", "x" * 5000, {}, [])
SCALARS = st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.sampled_from(ODD)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
HEAP = {"scene": "heap"}
STUDY = {
    "scene": "heap",
    "seeds": 2,
    "grid": {"friction": [0.1, 0.2]},
    "values": {"grain_count": 5},
    "case": [{"label": "a", "values": {"gravity": 1.62}}],
    "reference": [{"label": "b", "points": [[0.1, 12.0, 1.5]]}],
    "measured": ["angle_of_repose"],
}
LECTURE = {"title": "A", "step": [{"title": "One", "scene": "heap", "run": True, "values": {"friction": 0.2}}]}
PRESET = {
    "title": "A",
    "scene": "heap",
    "seed": 1,
    "parameters": {"friction": 0.2},
    "side_by_side": {"gravity": [1.0, 2.0]},
}


def toml(value: Any) -> str:
    """A value as an inline value of TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(name)} = {toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return key(value)
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else repr(value)


def key(text: str) -> str:
    """A text in quotes, as a key or a value."""
    return json.dumps(text, ensure_ascii=text.isascii()).replace("\x7f", "\\u007f")


@st.composite
def changed(draw: st.DrawFn, sound: dict[str, Any]) -> dict[str, Any]:
    """The document with one entry, on any level, of another value."""
    document = json.loads(json.dumps(sound))
    inner: Any = document
    while True:
        names = [*inner] if isinstance(inner, dict) else [*range(len(inner))]
        name = draw(st.sampled_from(names))
        if not isinstance(inner[name], dict | list) or not inner[name] or draw(st.booleans()):
            inner[name] = draw(VALUES)
            return document  # type: ignore[no-any-return]
        inner = inner[name]


def refusal(read: Callable[[], object]) -> str:
    """Why the input is refused; empty if it is read."""
    try:
        read()
    except ParameterError as error:
        return str(error)
    return ""


def require_sentence(said: str) -> None:
    controls = [letter for letter in said if not letter.isprintable()]
    assert (controls, len(said) < 1000, PYTHON_WORDS.search(said)) == ([], True, None), said


@given(changed(STUDY) | st.dictionaries(st.sampled_from([*STUDY, "title", "error", "most_seeds", "preset"]), VALUES))
@example(STUDY | {"grid": {"\xa0": False}})
@example(STUDY | {"\u2028": 1})
@settings(max_examples=200)
def test_f_a_study_of_any_content(tmp_path_factory: pytest.TempPathFactory, document: dict[str, Any]) -> None:
    path = tmp_path_factory.getbasetemp() / "study.toml"
    path.write_text("".join(f"{key(name)} = {toml(value)}\n" for name, value in document.items()), encoding="utf-8")
    require_sentence(refusal(lambda: read_plan(path)))


@given(changed(LECTURE) | st.dictionaries(st.sampled_from([*LECTURE, "format", "about", "de"]), VALUES))
@settings(max_examples=200)
def test_f_a_lecture_of_any_content(document: dict[str, Any]) -> None:
    text = "".join(f"{key(name)} = {toml(value)}\n" for name, value in document.items())
    require_sentence(refusal(lambda: lecture_file.parse(text, "a.toml")))


@given(changed(PRESET) | st.dictionaries(st.sampled_from(presets.KEYS), VALUES))
@settings(max_examples=200)
def test_f_a_preset_of_any_content(document: dict[str, Any]) -> None:
    text = "".join(f"{key(name)} = {toml(value)}\n" for name, value in document.items())
    require_sentence(refusal(lambda: presets.parse(text, "a.toml")))


@given(st.text())
@example("a = " + "[" * 30_000)
@example("seed = " + 5000 * "9")
@example("seed = 0x" + 5000 * "f")
@example("day = 1979-05-27\n")
@example("scene = 1979-05-27\n")
@example("\x1b[2J = 3")
def test_f_a_text_that_is_no_toml(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "text.toml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    for read in (read_plan, presets.load, lecture_file.load):
        require_sentence(refusal(lambda read=read: read(path)))


@given(st.lists(VALUES, max_size=7) | VALUES, st.sampled_from([1, 2]))
@example(["heap", 1, None, {"friction": "\x1b[2J"}, "\x1b[2J"], 1)
@example(["\x1b[2J" + 60_000 * "x", 1, None, {}, "1"], 1)
def test_f_a_code_of_any_content(content: Any, version: int) -> None:
    body = share_code._deflated(json.dumps(content, default=str).encode())
    blob = base64.urlsafe_b64encode(body + zlib.crc32(f"repose{version}".encode() + body).to_bytes(4, "big"))
    require_sentence(refusal(lambda: presets.load(f"repose{version}-{blob.decode().rstrip('=')}")))


DUMP = (
    *("ITEM: TIMESTEP", "ITEM: NUMBER OF ATOMS", "ITEM: ATOMS id x y z radius", "ITEM: ATOMS id xu yu zu x"),
    *("ITEM: TIME", "0", "1", "2"),
)
ROWS = st.lists(st.sampled_from(["1", "1.5", "nan", "x", "1e400", "", "-3", "\x1b[2J", "9" * 5000]), max_size=7)


@given(
    st.lists(
        st.sampled_from(
            [
                "ITEM: TIMESTEP",
                "ITEM: NUMBER OF ATOMS",
                "ITEM: ATOMS id x y z radius",
                "ITEM: ATOMS id xu yu zu x",
                "ITEM: TIME",
            ]
        )
        | ROWS.map(" ".join)
        | st.text(max_size=10),
        max_size=12,
    )
)
@example(["ITEM: TIMESTEP", "0", "ITEM: NUMBER OF ATOMS", "1", "ITEM: ATOMS id x y z radius", "nan 0 0 0 1"])
@example(["ITEM: TIMESTEP", "0", "ITEM: NUMBER OF ATOMS", "1", "ITEM: ATOMS id x y z radius", "1 0 x 0 1"])
@example(["ITEM: TIMESTEP", "0", "ITEM: NUMBER OF ATOMS", "2", "ITEM: ATOMS id x y z radius", "1 0 0 0 1", "1 2"])
@example(["ITEM: TIMESTEP", "zero"])
@example(["\x89PNG"])
def test_f_a_dump_of_any_content(tmp_path_factory: pytest.TempPathFactory, lines: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "a.dump"
    path.write_bytes("\n".join([*lines, ""]).encode("utf-8", "surrogatepass"))
    require_sentence(refusal(lambda: read_dump(path)))


def test_f_a_picture_is_no_dump(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    said = refusal(lambda: read_dump(tmp_path / "x.png"))
    assert "is no text dump of LAMMPS: it has no ITEM: TIMESTEP at its beginning" in said


@given(VALUES)
@example({"spheres": [{"x": 10**400}]})
@example({"\xa0": False})
def test_f_a_clump_of_any_content(content: Any) -> None:
    require_sentence(refusal(lambda: clump_from(json.dumps(content, default=str))))

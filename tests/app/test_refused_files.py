"""What is said about files that users write and that cannot be used: lectures, studies, presets, clumps and settings.

`refused_files.toml` has the sentences: file, position in it, key, value and what is allowed. A sentence may become more
precise, and never vaguer.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repose.app.language import read_language
from repose.app.lectures import lecture_file
from repose.app.storage.settings import Choices, load_settings
from repose.sim.clumps.clump import Clump, mass_properties
from repose.sim.clumps.clump_file import file_of, read_clump, text_of
from repose.sim.io import presets
from repose.sim.message import EMPTY, Capital, Clause, Joined, Message
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.study.plan_file import read_plan

from tests.python_words import PYTHON_WORDS

CASES = tomllib.loads(Path(__file__).with_name("refused_files.toml").read_text(encoding="utf-8"))
READERS: dict[str, Callable[[Path], object]] = {
    "lecture": lecture_file.load,
    "study": read_plan,
    "preset": presets.load,
    "clump": read_clump,
}
FILES = {"lecture": "a.toml", "study": "a.toml", "preset": "a.toml", "clump": "a.json", "settings": "a.toml"}
SCENES = "{scenes}"
"""Stands for the names of all scenes."""
PARAMETERS = "{parameters}"
"""Stands for the names of the parameters of the scene heap in the order of their declaration."""


def clump(changes: str) -> str:
    """A sound clump file with other values of some keys, a JSON object; null removes a key."""
    pair = Clump("pair", "by hand", np.array([[-0.01, 0.0, 0.002], [0.01, 0.0, 0.0]]), np.array([0.012, 0.015]))
    content: dict[str, Any] = json.loads(text_of(file_of(pair, mass_properties(pair, 0.001))))
    for key, value in json.loads(changes).items():
        content[key] = value
        if value is None:
            del content[key]
    return json.dumps(content)


SOUND = {
    "lecture": 'title = { en = "A", de = "B" }\n[[step]]\ntitle = "A"\nscene = "heap"\nbox = [[0, 0], [1, 1]]\n',
    "study": "scene = 'heap'\ngrid = { friction = [0.1, 0.2] }\n[[reference]]\npoints = [[1, 2], [1, 2, 0.5]]\n",
    "preset": "scene = 'heap'\nside_by_side = { friction = [0.1, 0.2] }\n",
    "clump": clump("{}"),
    "settings": "theme = 'light'\nview = { colour_by = 'speed' }\n",
}


def refusal(kind: str, content: str | bytes) -> Message:
    """Why the file is refused; empty if it is read."""
    path = Path(FILES[kind])
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    if kind == "settings":
        return load_settings(path).trouble
    try:
        READERS[kind](path)
    except ParameterError as error:
        return error.message
    return EMPTY


def templates_of(value: Any) -> Iterator[str]:
    """Templates with words in a message and in the messages among its values."""
    if isinstance(value, Message):
        if re.sub(r"\{\w+\}", "", value.template).strip():
            yield value.template
        for __, inner in value.values:
            yield from templates_of(inner)
    elif isinstance(value, Joined):
        for inner in value.values:
            yield from templates_of(inner)
    elif isinstance(value, Capital | Clause):
        yield from templates_of(value.value)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, cases in CASES.items() for name in cases])
def test_a_refusal_has_file_position_key_value_and_what_is_allowed(kind: str, name: str) -> None:
    content, *sentences = CASES[kind][name]
    message = refusal(kind, clump(content) if kind == "clump" and content.startswith('{"') else content)
    german = read_language("de")
    parameters = ", ".join(scenes()["heap"].parameters.declared())
    names = [(", ".join(scenes()), SCENES), (parameters, PARAMETERS)]
    written = [text.replace(*names[0]).replace(*names[1]) for text in (str(message), german.translated(message))]
    assert written[: len(sentences)] == sentences
    assert FILES[kind] in written[0]
    assert not PYTHON_WORDS.search(written[0])
    assert "nput should" not in written[0]
    assert [template for template in templates_of(message) if template not in german.templates] == []


@pytest.mark.parametrize("kind", FILES)
def test_the_kinds_of_errors_are_in_the_table(kind: str) -> None:
    assert len(CASES[kind]) >= 12


@pytest.mark.parametrize("kind", FILES)
def test_a_sound_file_is_not_refused(kind: str) -> None:
    assert refusal(kind, SOUND[kind]) == EMPTY


@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (SOUND["lecture"].encode("utf-16"), "is not UTF-8 text; save it as UTF-8."),
        (b" " * (16 * 2**20 + 1), " bytes, too large for a "),
        (b"a = " + b"[" * 30_000, "its lists are nested too deeply."),
    ],
    ids=["UTF-16", "too large", "nested"],
)
def test_a_file_that_is_no_text_of_its_kind_is_refused(kind: str, content: bytes, words: str) -> None:
    content = content.removeprefix(b"a = ") if kind == "clump" else content
    assert words in str(refusal(kind, content))


def test_a_folder_is_refused_in_the_same_words_for_every_kind() -> None:
    for kind, name in FILES.items():
        Path(name).mkdir(exist_ok=True)
        with_trouble = load_settings(Path(name)).trouble if kind == "settings" else _refusal(READERS[kind], Path(name))
        syntax = "JSON" if kind == "clump" else "TOML"
        assert f"{name} is a folder; a " in str(with_trouble)
        assert f" is a {syntax} file." in str(with_trouble)


def _refusal(read: Callable[[Path], object], path: Path) -> Message:
    with pytest.raises(ParameterError) as caught:
        read(path)
    return caught.value.message


def test_a_refused_setting_has_its_default_and_stays_in_the_file_beside_the_others() -> None:
    path = Path("a.toml")
    text = "[view]\nstress_width = 100.0\ncolour_map = 'magma'\nof_another_version = 1  # mine\n"
    path.write_text(text)
    settings = load_settings(path)
    assert settings.choices.view == Choices().view.model_copy(update={"colour_map": "magma"})
    settings.choices.view.white_light = False
    assert settings.save()
    assert path.read_text() == text + "white_light = false\n"

"""Codes of experiments: short, the same experiment again, and one sentence for every code that cannot be used."""

from __future__ import annotations

import base64
import json
import re
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repose.sim.io import presets, share_code
from repose.sim.io.presets import Preset, code_of
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes

MOON = Preset("moon", "Moon", "heap", 7, {"gravity": 1.62, "rotation": True, "law": "memoryless"}, "column")


def forged(content: object, version: int = share_code.SINGLE) -> str:
    """A code with any content and a checksum that agrees."""
    compress = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    body = compress.compress(json.dumps(content).encode()) + compress.flush()
    digest = zlib.crc32(f"repose{version}".encode() + body).to_bytes(4, "big")
    return f"repose{version}-" + base64.urlsafe_b64encode(body + digest).decode().rstrip("=")


@pytest.mark.parametrize("name", presets.names())
def test_every_shipped_preset_has_a_short_code_for_urls_that_is_the_same_experiment(name: str) -> None:
    preset = presets.load(name)
    code = code_of(preset)
    assert re.fullmatch(r"[A-Za-z0-9_-]{30,600}", code)
    found = presets.load(code)
    assert (found.scene, found.seed, found.ready, found.values, found.side_by_side) == (
        preset.scene,
        preset.seed,
        preset.ready,
        preset.values,
        preset.side_by_side,
    )
    assert code.startswith("repose2-" if preset.side_by_side else "repose1-")


def test_a_code_broken_into_lines_by_a_mail_is_read() -> None:
    code = code_of(MOON)
    assert presets.load(f" {code[:20]}\n{code[20:]} \n").values == MOON.values
    assert presets.load(code).ready == "column"


def test_a_code_at_the_beginning_of_a_line_may_begin_with_a_capital() -> None:
    code = code_of(MOON)
    assert presets.load(code[:1].upper() + code[1:]).values == MOON.values
    with pytest.raises(ParameterError, match="from its first to its last letter"):
        presets.load(code.upper())


def test_every_changed_missing_or_exchanged_letter_is_found() -> None:
    code = code_of(MOON)
    head = code.index("-") + 1
    last = len(code) - 1  # its lowest bits are padding, so that some letters there mean the same
    damaged = [code[:k] + ("A" if code[k] != "A" else "B") + code[k + 1 :] for k in range(head, last)]
    damaged += [code[:k] + code[k + 1 :] for k in range(head, last)] + [code[:k] for k in range(head + 1, last)]
    for wrong in (*damaged, code[:head], f"{code}*"):
        with pytest.raises(ParameterError, match=r"^The code is damaged: its checksum does not agree\. Copy"):
            presets.load(wrong)


def test_a_code_of_a_future_version_is_refused_with_both_versions() -> None:
    for version in (3, 999):
        with pytest.raises(ParameterError, match=f"format {version}, this program reads 1 and 2: a newer version"):
            presets.load(code_of(MOON).replace("repose1-", f"repose{version}-"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (["heap", 1, None, {"friction": 7}, "0.2.0"], "from 0 to 2"),
        (["heap", 1, None, {"fiction": 0.2}, "0.1.0"], r"did you mean 'friction'\? Repose 0\.1\.0 made it, this is"),
        (["heep", 1, None, {}, "0.2.0"], "Unknown scene 'heep'"),
        ([["heap"], 1, None, {}, "0.2.0"], r"scene = \['heap'\] is refused: it must be one of "),
        (["heap", -1, None, {}, "0.2.0"], "seed"),
        (["heap", 1, "tower", {}, "0.2.0"], "Unknown ready state 'tower': known: column"),
        (["hourglass", 1, "tower", {}, "0.2.0"], "Unknown ready state 'tower': known: none"),
        (["vessel", 1, None, {"mesh": "/etc/passwd.stl"}, "0.2.0"], "a file of one machine"),
        (["vessel", 1, None, {"mesh": "//host/a.stl"}, "0.2.0"], "mesh"),
        (["heap", 1, None, {"friction": "__import__('os')"}, "0.2.0"], "friction"),
        (["heap", 1, None], "damaged"),
        ({"scene": "heap"}, "damaged"),
    ],
)
def test_a_code_with_impossible_content_is_refused_in_one_sentence(content: object, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as refused:
        presets.load(forged(content))
    assert str(refused.value).startswith("The code ")
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("scene", "together", "words"),
    [
        ("heap", {"friction": [0.1]}, "1 value is refused"),
        ("heap", {"friction": [0.1, 9]}, "from 0 to 2"),
        ("heap", {"friction": [0.1, 0.1]}, "equal"),
        ("heap", {"preset": ["/etc/passwd.toml", "honey"]}, "Unknown preset"),
        ("heap", {"preset": ["repose1-abc", "honey"]}, "Unknown preset"),
        ("heap", {"friction": 0.1}, "side_by_side"),
        ("heap", "friction", "side_by_side"),
        ("vessel", {"mesh": ["/a.stl", "/b.stl"]}, "files of one machine"),
    ],
)
def test_a_code_of_impossible_runs_side_by_side_is_refused_in_one_sentence(
    scene: str, together: object, words: str
) -> None:
    with pytest.raises(ParameterError, match=words) as refused:
        presets.load(forged([scene, 1, None, {}, "0.2.0", together], share_code.TOGETHER))
    assert str(refused.value).startswith("The code ")


def test_a_code_that_would_unpack_to_gigabytes_is_refused() -> None:
    assert len(forged("a" * 1_000_000)) < share_code.LONGEST
    with pytest.raises(ParameterError, match="damaged"):
        presets.load(forged("a" * 1_000_000))


def test_what_a_code_cannot_contain_is_said_where_it_is_made() -> None:
    with pytest.raises(ParameterError, match=r"bowl\.stl, a file of one machine"):
        code_of(Preset("own", "Own", "vessel", 1, {"mesh": "/home/me/bowl.stl"}))
    with pytest.raises(ParameterError, match="more than 2000"):
        share_code.encode("heap", 1, None, {f"name{k * 7919}": k / 7 for k in range(400)})


@given(text=st.text(max_size=80) | st.binary(max_size=60).map(lambda b: base64.urlsafe_b64encode(b).decode()))
@settings(max_examples=30, deadline=None)
def test_any_text_after_the_head_is_read_or_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        presets.load(f"repose1-{text}")


def test_names_of_files_and_presets_are_no_codes() -> None:
    for name in ("heap", "repose1-x.repose", "repose-heap-1", "C:\\repose1-a", "repose1-a/b", *scenes()):
        assert not share_code.is_code(name)

"""The file of a page: it asks no network, no text of a run is HTML, and a long run leaves out frames evenly."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace

import numpy as np
import pytest
from repose.app.language import NATIVE
from repose.app.page import page_file
from repose.app.page.page_file import WORDS, Page
from repose.sim.message import Message, plain

from tests.app.fake_heap import fake_heap
from tests.app.page.columns_of import columns_of
from tests.app.page.recorded import moved, page_of_snapshots

EVIL = '</script><script>document.title="caught"</script><img src=x onerror=alert(1)>&'


def content_of(page: Page) -> tuple[dict, dict[str, np.ndarray]]:
    return columns_of(page.document)


@pytest.fixture(scope="module")
def page() -> Page:
    return page_of_snapshots([fake_heap(), moved(fake_heap(), 1e-4, 1.3)])


def test_a_page_names_no_address_and_forbids_every_request(page: Page) -> None:
    text = page.document.decode()
    data = content_of(page)[0]
    asking = r"https?:|\bwss?:|\bfetch\(|XMLHttpRequest|import\(|localStorage|cookie|@import|url\("
    for part in (re.sub(r'id="run">[^<]*<', "", text), str(data)):
        assert not re.search(asking, part)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy is not None
    assert policy[1].startswith("default-src &#x27;none&#x27;; script-src")
    for kind in ("script", "style"):
        inner = re.search(rf"<{kind}>(.*?)</{kind}>", text, re.S)
        assert inner is not None
        digest = base64.b64encode(hashlib.sha256(inner[1].encode()).digest()).decode()
        assert f"sha256-{digest}" in policy[1]


def test_no_text_of_a_run_is_html() -> None:
    heap = fake_heap()
    heap.run = replace(heap.run, phase_label=plain(EVIL))
    text = page_of_snapshots([heap], title=EVIL).document.decode()
    assert EVIL not in text
    assert text.count("<script") == 2
    assert text.count("</script>") == 2
    assert "<title>&lt;/script&gt;" in text
    assert "onerror=" not in re.sub(r"<title>.*</title>", "", text)


def test_a_page_has_its_texts_in_all_languages(page: Page) -> None:
    data = content_of(page)[0]
    assert [code for code, _ in data["languages"]] == list(NATIVE)
    assert data["words"].keys() == WORDS.keys()
    shown = data["texts"][data["words"]["colour"]]
    assert shown[:2] == ["Colour", "Farbe"]
    values = {data["texts"][label][0]: (symbol, value) for label, symbol, value, _ in data["parameters"]}
    assert not values or "friction" in values
    assert "MIT" in data["licence"]
    origin = data["texts"][data["origin"][0]]
    assert (origin if isinstance(origin, str) else origin[0]).startswith("seed ")


def test_a_run_that_is_too_long_leaves_out_frames_evenly_and_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "FEWEST", 4)
    shots = [moved(fake_heap(), 1e-3, 1.0 + 0.01 * k) for k in range(24)]
    whole, few = page_of_snapshots(shots), page_of_snapshots(shots[:4])
    assert (whole.frames, whole.total, str(whole.left_out)) == (24, 24, "")
    limit = (len(whole.document) + len(few.document)) // 2
    assert limit < len(whole.document)
    shorter = page_of_snapshots(shots, largest=limit)
    assert len(shorter.document) <= limit
    assert 4 < shorter.frames < 24
    data, columns = content_of(shorter)
    at = columns["at"]
    assert (at[0], at[-1]) == (0, 23)
    assert np.ptp(np.diff(at)) <= 1
    words = f"it has {shorter.frames} frames, evenly spaced, and {24 - shorter.frames} are left out."
    assert words in str(shorter.left_out)
    assert words in str(data["texts"][data["left"]])


def test_a_large_system_keeps_its_fewest_frames_in_a_larger_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_file, "FEWEST", 3)
    page = page_of_snapshots([moved(fake_heap(), 1e-3, 1.0 + 0.01 * k) for k in range(6)], largest=1000)
    assert page.frames == 3


def test_one_frame_is_left_out_in_the_singular() -> None:
    assert str(page_file.left_out(3, 4)).endswith("and 1 is left out.")
    assert page_file.left_out(4, 4) == Message("")

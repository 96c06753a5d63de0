"""Whatever a panel draws in words is a message, which the window can translate, and not the English text of one."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from repose.app import language
from repose.app.language import Language, as_drawn, read_language, use_language
from repose.app.ui.panels import all_panels
from repose.app.ui.places import TOOLS
from repose.app.ui.tools import all_tools, choose_tool, pointer
from repose.app.ui.ui import Ui
from repose.app.ui.widgets import WidgetState
from repose.sim.message import Message, _

from tests.app.ui.panels.panel_harness import PanelHarness

SAME = ("SVG", "PNG", "CSV", "Esc", "Tab")
"""Names that a language may leave as they are."""


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """The texts that are drawn and are no messages, while the window is German."""
    use_language("de")
    found: set[str] = set()
    draw = Language.drawn

    def drawn(self: Language, text: Message | str) -> str:
        if not isinstance(text, Message):
            found.add(text)
        return draw(self, text)

    monkeypatch.setattr(Language, "drawn", drawn)
    yield found
    use_language("en")


def english_in(texts: set[str]) -> set[str]:
    """The texts that are templates, or that begin or end with the words of one, with the case of their first letter
    changed or not."""
    known = {template.casefold() for template in read_language("de").templates if re.search(r"[^\W\d_]{3}", template)}
    german = {form.casefold() for forms in read_language("de").templates.values() for form in forms}
    return {text for text in texts if text.casefold().strip(" .:…") in known - german and text not in SAME}


def test_no_panel_draws_the_english_text_of_a_message(harness: PanelHarness, drawn: set[str]) -> None:
    for panel in all_panels():
        harness.ui.settings.choices.tabs = {TOOLS: panel.name}
        harness.ui.states[WidgetState].found_tabs.clear()
        harness.ui.mode.overlay = panel.name
        harness.frame(3)
    assert harness.ui.program.broken == {}
    assert english_in(drawn) == set()


def test_a_forgotten_mark_is_found(harness: PanelHarness, drawn: set[str]) -> None:
    for text in (_("Close"), "Close", "close", "Schließen"):
        language.as_drawn(text)
    assert english_in(drawn) == {"Close", "close"}


def test_the_options_of_tools_are_messages_in_every_width(
    harness: PanelHarness, drawn: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    offered: dict[str, Message | str] = {}

    def slide(ui: Ui, name: str, texts: tuple[Message, ...], where: float, **_: float) -> None:
        offered.update({f"{name} {index}": text for index, text in enumerate(texts)})

    monkeypatch.setattr(pointer, "slide", slide)
    for tool in all_tools():
        if tool.options is not None:
            choose_tool(harness.ui, tool)
            harness.frame(2)
    assert {"tool.strength 1", "tool.rod_size 1", "tool.push_size 1", "tool.drop_count 0"} <= offered.keys()
    assert as_drawn(offered["tool.amplitude 0"]) == "± 0,5 mm"
    assert as_drawn(offered["tool.drop_count 0"]) == "10 Körner"
    assert {
        name: text for name, text in offered.items() if not isinstance(text, Message) and re.search(r"[^\W\d_]", text)
    } == {}

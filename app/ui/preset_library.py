"""The presets shipped with the program and those saved by the user; each starts a run with one command."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from repose.app.storage import paths
from repose.sim.experiment.commands import Command, Start, StartSideBySide
from repose.sim.experiment.preset_start import start_of
from repose.sim.experiment.run_answer import direction_for
from repose.sim.experiment.snapshot import ShownRun, Snapshot
from repose.sim.instruments.instrument import Instrument
from repose.sim.io import presets
from repose.sim.io.atomic_file import write_new_file, write_whole_file
from repose.sim.message import EMPTY, Message, _, plain
from repose.sim.parameters import ParameterError, ParameterSet, Value
from repose.sim.registry import scenes
from repose.sim.wording import message_of, reason_of

NAME = re.compile(r"[\w][\w -]{0,59}")


class Awaited(NamedTuple):
    """A requested experiment that is not in the window yet."""

    number: int
    """Its number, as counted by `Snapshot.starts`."""
    preset: str
    """Name of its preset; empty for a saved run."""
    since: float
    """Wall time of the request [s, clock of `time.monotonic`]."""


class Planned(NamedTuple):
    """A preset that can be started."""

    name: str
    preset: presets.Preset
    command: Start | StartSideBySide


@dataclass
class PresetLibrary:
    """The presets by name or path, and the preset in use."""

    send: Callable[[Command], None]
    starts: Callable[[], int] = lambda: 0
    """Number of commands sent so far that begin another experiment."""
    current: str = ""
    """The preset of the experiment in the window; empty for none."""
    awaited: list[Awaited] = field(default_factory=list)
    """In the order of the requests."""
    _side_by_side: bool = False
    """Whether the last snapshot contained experiments side by side."""
    folder: Path = field(default_factory=paths.presets_folder)
    trouble: Message = EMPTY
    take_picture: Callable[[], bytes] = bytes
    """Draws a small picture of the run in the window; empty if it cannot be drawn."""
    cards: dict[str, presets.PresetCard] = field(default_factory=dict)
    """Presets of the list, by name or path."""

    def refresh(self) -> None:
        """List the presets again; skips files that are not presets. Values are checked at the start of a preset."""
        saved = sorted(self.folder.glob("*.toml")) if self.folder.is_dir() else []
        used = {self.current, *(awaited.preset for awaited in self.awaited)}
        kept = {name: self.cards[name] for name in used & self.cards.keys()}  # their files may be in another folder
        self.cards = {}
        for name in (*presets.listed(), *map(str, saved)):
            try:
                self.cards[name] = presets.card_of(name)
            except ParameterError:
                continue
        self.cards = kept | self.cards

    def plan(self, name: str) -> Planned | None:
        """What starts a preset; None, with the reason in `trouble`, if it cannot be used."""
        self.trouble = EMPTY
        try:
            preset = presets.load(name)
            return Planned(name, preset, start_of(preset))
        except ParameterError as error:
            self.trouble = message_of(error)
            return None

    def begin(self, planned: Planned) -> None:
        """Start what was planned."""
        self.send(planned.command)
        self.expect(replace(planned.preset.card, name=planned.name))

    def take(self, name: str) -> bool:
        """Start from a preset; False, with the reason in `trouble`, if it cannot be used."""
        planned = self.plan(name)
        if planned is not None:
            self.begin(planned)
        return planned is not None

    def expect(self, card: presets.PresetCard | None = None) -> None:
        """Record which preset the experiment comes from that was requested last, None for a saved run; a preset from
        a file is added to the list. It becomes the current one together with the picture, in `see`."""
        if card is not None:
            self.cards.setdefault(card.name, card)
        self.awaited.append(Awaited(self.starts(), card.name if card is not None else "", time.monotonic()))

    def see(self, snapshot: Snapshot) -> bool:
        """Whether the awaited experiment is in the window now, with the first snapshot that shows it. One that has been
        left from a preset of several side by side no longer comes from this preset."""
        before, self._side_by_side = self._side_by_side, bool(snapshot.beside)
        if before and not snapshot.beside and self.current in self.cards and self.cards[self.current].together:
            self.current = ""
        done = [awaited for awaited in self.awaited if awaited.number <= snapshot.history.starts]
        self.awaited = self.awaited[len(done) :]
        shown = [
            awaited for awaited in done if awaited.number == snapshot.history.begun_by
        ]  # others were refused or replaced
        if shown:
            self.current = shown[0].preset
        return bool(shown)

    def note(self, card: presets.PresetCard) -> None:
        """Record which preset is running, without starting it; a preset from a file is added to the list."""
        self.current, self.awaited = card.name, []
        self.cards.setdefault(card.name, card)

    def forget(self) -> None:
        """Record that the running experiment does not come from a preset."""
        self.current, self.awaited = "", []

    @property
    def titles(self) -> dict[str, Message]:
        """Title of every preset, by name or path."""
        return {name: Message(card.title) for name, card in self.cards.items()}

    def title(self, scene: str) -> Message:
        """Title of the preset in use, or of the running scene where a run of another scene was opened."""
        card = self.cards.get(self.current)
        if card is not None and card.scene == scene:
            return Message(card.title)
        return scenes()[scene].title if scene in scenes() else EMPTY

    def sentences(self, scene: str) -> tuple[Message, Message]:
        """Description of the preset in use and its question to the audience; otherwise the summary of the running
        scene."""
        card = self.cards.get(self.current)
        if card is not None and card.scene == scene and (card.about or card.question):
            return Message(card.about), Message(card.question)
        return (scenes()[scene].summary if scene in scenes() else EMPTY), EMPTY

    def restart(
        self, shown: ShownRun, parameters: ParameterSet, seed: int, instruments: tuple[Instrument, ...] = ()
    ) -> None:
        """Restart the same experiment with another seed."""
        direction, card = shown.direction, self.cards.get(self.current)
        if card is not None and card.scene == shown.scene and direction.answer:
            with suppress(ParameterError):  # the file of the preset can have been removed or changed
                preset = scenes()[card.scene].parameters.checked(presets.load(card.name).values)
                direction = direction_for(direction, parameters, preset)
        self.send(Start(shown.scene, different(parameters), seed, None, direction, instruments))

    def save(
        self, name: str, scene: str, parameters: ParameterSet, seed: int, instruments: tuple[Instrument, ...] = ()
    ) -> bool:
        """Save the parameters in effect, and the instruments, as a preset; False, with the reason in `trouble`, if that
        fails."""
        self.trouble = EMPTY
        if not NAME.fullmatch(name.strip()):
            self.trouble = Message(
                "'{name}' cannot be a preset's name: use letters, digits, spaces and hyphens, at most 60.", name=name
            )
            return False
        path = self.folder / f"{name.strip().lower().replace(' ', '-')}.toml"
        preset = presets.Preset(str(path), name.strip(), scene, seed, different(parameters), instruments=instruments)
        try:
            text = presets.dumps(preset)
        except ParameterError as error:
            self.trouble = message_of(error)
            return False
        try:
            paths.make_private(self.folder)
            write_new_file(path, lambda file: file.write(text.encode("utf-8")))
        except FileExistsError:
            self.trouble = Message(
                "A preset '{stem}' exists already and is not overwritten: choose another name.", stem=path.stem
            )
            return False
        except OSError as error:
            self.trouble = Message(
                "The preset could not be saved to {path}: {error}.", path=str(path), error=reason_of(error)
            )
            return False
        if picture := self.take_picture():
            with suppress(OSError):  # a preset needs no picture
                write_whole_file(path.with_suffix(".webp"), lambda file: file.write(picture))
        self.refresh()
        self.note(preset.card)
        return True


def being_built(library: PresetLibrary) -> Message:
    """Why the parameters in the window cannot be changed now: another scene has been chosen and is being built; empty
    if they can."""
    if not library.awaited:
        return EMPTY
    preset = library.awaited[-1].preset
    title = library.titles.get(preset) or plain(preset)
    if not preset:
        return _("A saved run is being opened: change its parameters as soon as it is there.")
    return Message("{title} is being built: change its parameters as soon as it is there.", title=title)


def different(parameters: ParameterSet) -> dict[str, Value]:
    """The values that differ from the defaults, and values that were set although they can follow from others, SI."""
    declared = type(parameters).declared()
    values: dict[str, Value] = {name: parameters.given(name) for name in declared}
    kept = {name for name in parameters.followers if name in parameters.kept({})}
    return {name: value for name, value in values.items() if value != declared[name].default or name in kept}


def all_presets() -> list[tuple[str, str, str, str]]:
    """Name, scene, title and changed parameters of every shipped or saved preset."""
    folder = paths.presets_folder()
    saved = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    rows: list[tuple[str, str, str, str]] = []
    for name in (*presets.listed(), *map(str, saved)):
        try:
            preset = presets.load(name)
        except ParameterError as error:  # one damaged file must not hide the others
            rows.append((name, "", "", str(Message("cannot be used: {error}", error=message_of(error)))))
            continue
        declared = scenes()[preset.scene].parameters.chosen(preset.values).checked(preset.values).in_units()
        differing = ", ".join(f"{key} = {declared[key].shown(value)}" for key, value in preset.values.items())
        rows.append((name, preset.scene, preset.title, differing or str(_("all at their defaults"))))
    return rows

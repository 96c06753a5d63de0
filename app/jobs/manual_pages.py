"""Pages of the manual that follow from declarations: commands, parameters, scenes, presets, measurements.

They are written when the manual is built, plug-ins included, so that nothing is stated twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from repose.app.storage.thumbnails import PICTURES
from repose.app.ui.panels import all_keys
from repose.app.ui.tools import all_tools
from repose.sim.experiment.sampling import COSTLY_STEPS
from repose.sim.io import presets
from repose.sim.io.lammps.in_scenes import IN_LAMMPS
from repose.sim.message import Message
from repose.sim.parameters import Parameter, ParameterError, allowed_values
from repose.sim.registry import instruments, integrators, laws, measurements, records, scenes, studies
from repose.sim.wording import printable

ACTS = {
    "now": "at once",
    "ramp": "over one contact time",
    "base": "at once; walls and base are built again",
    "anew": "at once; the experiment starts again",
    "restart": "at the next start",
}
"""When a change of a parameter acts, by `Quantity.effect`."""
WRITTEN = "Written from the declarations of the program when this manual was built, plug-ins included.\n"
"""What each of these pages says about itself."""


def pages(commands: Mapping[str, str]) -> dict[str, str]:
    """The text of every page in Markdown, by its path below `docs`; `commands` is the help of each command."""
    by_scene = _presets_by_scene()
    return {
        "reference/commands.md": _commands(commands),
        "reference/keys.md": _keys(),
        "reference/parameters.md": _parameters(),
        "reference/measurements.md": _measurements(),
        "reference/scenes/index.md": _scenes(),
        "reference/scenes-in-lammps.md": _scenes_in_lammps(),
        "gallery.md": _gallery(by_scene),
        **{f"reference/scenes/{name}.md": _scene(name, by_scene.get(name, ())) for name in scenes()},
    }


def _cell(text: Any) -> str:
    """A text in a cell of a table: one line, and no sign that Markdown reads as its own."""
    line = " ".join(printable(str(text).replace("\n", " ")).split())
    for sign in "\\|<*_`[{$":
        line = line.replace(sign, f"\\{sign}")
    return line


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def _commands(commands: Mapping[str, str]) -> str:
    parts = [f"## {name}\n\n```text\n{text.rstrip()}\n```\n" for name, text in commands.items()]
    return "\n".join(["# Commands\n", WRITTEN, *parts])


def _keys() -> str:
    keys = (*all_keys(), *(key for tool in all_tools() for key in tool.keys))
    groups = dict.fromkeys(str(key.group) for key in keys)
    of_scenes = (
        "The experiment has keys of its own: A runs the whole, R begins again, and F, O, M, T, G do its single "
        "steps ([use the window](../howto/window.md)). F1 in the window lists those of the present scene.\n"
    )
    parts = ["# Keys\n", of_scenes, WRITTEN]
    for group in groups:
        rows = [(_cell(key.shown), _cell(key.help)) for key in keys if str(key.group) == group]
        parts += [f"## {group}\n", _table(("key", "does"), rows)]
    return "\n".join(parts)


def _row(entry: Parameter) -> tuple[str, ...]:
    quantity = entry.quantity
    return (
        f"`{entry.name}`",
        _cell(f"{quantity.label}{f' {quantity.symbol}' if quantity.symbol else ''}"),
        _cell(quantity.unit),
        _cell(entry.shown(entry.default)),
        _cell(allowed_values(entry, in_units=True)),
        ACTS.get(quantity.effect, quantity.effect),
        _cell(entry.help),
    )


COLUMNS = ("name", "quantity", "unit shown", "default", "allowed", "a change acts", "meaning")
"""Of a table of parameters."""


def _parameters() -> str:
    """Every declared parameter once for each different declaration, with the scenes and laws that have it."""
    found: dict[tuple[str, ...], list[str]] = {}
    owners = [(name, scene.parameters) for name, scene in scenes().items()]
    owners += [(f"law {name}", law.parameters) for name, law in laws().items()]
    for owner, kind in owners:
        for entry in kind.declared().values():
            found.setdefault(_row(entry), []).append(owner)
    rows = [(*row, ", ".join(f"`{owner}`" for owner in names)) for row, names in sorted(found.items())]
    words = (
        "`--set`, presets, lectures, studies and scripts take SI values under these names; the window shows the unit "
        "of the third column. A number that acts during a run can also be a curve over time.\n"
    )
    return "\n".join(["# Parameters\n", words, WRITTEN, _table((*COLUMNS, "of"), rows)])


def _unit(unit: str | Mapping[int, str]) -> str:
    if isinstance(unit, str):
        return _cell(unit or "–")
    return ", ".join(
        f"{_cell(words or '–')} ({'plane' if dimension == 2 else 'space'})" for dimension, words in unit.items()
    )


def _measurements() -> str:
    """Measurements, colours, instruments, laws, integrators and studies by name."""
    quantities = [
        (f"`{name}`{' *' * entry.costly}", _cell(entry.label()), _unit(entry.unit), _help(entry.help))
        for name, entry in sorted(measurements().items())
    ]
    colours = [(f"`{name}`", _cell(entry.title), _unit(entry.unit)) for name, entry in records("colours").items()]
    placed = [(f"`{name}`", _cell(entry.title)) for name, entry in instruments().items()]
    of_laws = [
        (f"`{name}`", ", ".join(f"`{each}`" for each in law.parameters.declared())) for name, law in laws().items()
    ]
    done = [(f"`{name}`", _cell(entry.title), _cell(entry.about)) for name, entry in studies().items()]
    return "\n".join(
        [
            "# Measurements, instruments, laws, studies\n",
            WRITTEN,
            "## Measurements\n",
            "Sampled over time: keys of `result.json`, columns of a series, `measure(NAME)` in a script. A quantity "
            f"with * is costly: a series, and its last row too, repeats the sample of up to {COSTLY_STEPS} steps "
            "before. `result.json`, `measure` and exports such as GraphML have the value of the present state.\n",
            _table(("name", "quantity", "unit", "meaning"), quantities),
            "## Colours\n",
            _table(("name", "quantity", "SI unit"), colours),
            "## Instruments\n",
            _table(("kind", "title"), placed),
            "## Contact laws\n",
            _table(("name", "parameters"), of_laws),
            "## Integrators\n",
            _table(("name",), [(f"`{name}`",) for name in integrators()]),
            "## Studies\n",
            _table(("name", "title", "about"), done),
        ]
    )


def _help(help: Any) -> str:
    """The explanation of a measurement, unless it depends on the state of a run."""
    return _cell(help) if isinstance(help, Message | str) else ""


def _presets_by_scene() -> dict[str, list[tuple[str, presets.Preset]]]:
    found: dict[str, list[tuple[str, presets.Preset]]] = {}
    for name in presets.listed():
        try:
            preset = presets.load(name)
        except ParameterError:  # of the plug-in folder; `repose doctor` names it
            continue
        found.setdefault(preset.scene, []).append((name, preset))
    return found


def _scenes() -> str:
    rows = [
        (f"[{name}]({name}.md)", _cell(scene.title), _cell(scene.summary)) for name, scene in sorted(scenes().items())
    ]
    hidden = "\n".join(sorted(scenes()))
    return "\n".join(
        [
            "# Scenes\n",
            WRITTEN,
            _table(("scene", "title", "summary"), rows),
            f"```{{toctree}}\n:hidden:\n\n{hidden}\n```\n",
        ]
    )


def _scenes_in_lammps() -> str:
    """What LAMMPS continues of each scene."""
    rows = [
        (f"[{name}](scenes/{name}.md)", *((entry.state, entry.words) if entry else ("not tried", "")))
        for name in sorted(scenes())
        for entry in (IN_LAMMPS.get(name),)
    ]
    words = (
        "`repose export RUN --to DIR --for lammps` writes the files with which LAMMPS continues a run. *Exact*: at the "
        "first step the force of every contact and the sum of the forces on every grain are those of Repose within "
        "10⁻⁹ of the largest force, friction springs without stretch in both and without spins, as long as no damper "
        "pulls ([why](../howto/lammps.md)). Tests do this for each scene.\n"
    )
    return "\n".join(["# Scenes in LAMMPS\n", words, WRITTEN, _table(("scene", "in LAMMPS", "what differs"), rows)])


def _scene(name: str, of_it: Sequence[tuple[str, presets.Preset]]) -> str:
    scene = scenes()[name]
    parts = [f"# {_cell(scene.title)}\n", f"{_cell(scene.summary)}\n", f"```text\nrepose run {name}\n```\n"]
    if str(scene.direction.see):
        parts.append(f"What to see: {_cell(scene.direction.see)}\n")
    for preset, entry in of_it:
        parts.append(_preset(preset, entry, "../..", "##"))
    rows = [_row(entry) for entry in scene.parameters.declared().values()]
    phases = [(f"`{phase.name}`", _cell(phase.label)) for phase in scene.course.phases]
    parts += ["## Phases\n", _table(("name", "title"), phases)]
    parts += ["## Parameters\n", _table(COLUMNS, rows)]
    return "\n".join(parts)


def _preset(name: str, entry: presets.Preset, up: str, level: str) -> str:
    """Heading, picture, question and command of a preset; `up` leads from the page to the folder `docs`."""
    words = [text for text in (str(entry.about), str(entry.question)) if text]
    drawn = files("repose.assets").joinpath("presets", PICTURES, f"{name}.webp").is_file()
    place = f"{up}/../assets/presets/{PICTURES}/{name}.webp"
    picture = f"![{_cell(entry.title)}]({place})\n\n" if drawn else ""
    return (
        f"{level} {_cell(entry.title)}\n\n{picture}{_cell(' '.join(words))}\n\n"
        f"```text\nrepose run --preset {name}\n```\n"
    )


def _gallery(by_scene: Mapping[str, Sequence[tuple[str, presets.Preset]]]) -> str:
    parts = [
        "# Gallery\n",
        "A picture of each preset with its command; without `run`, `repose --preset NAME` opens it in the window. "
        "The list is that of the program that built this page.\n",
    ]
    for name, of_it in sorted(by_scene.items()):
        scene = scenes()[name]
        parts.append(f"## Scene {_cell(scene.title)}\n")
        parts.append(f"{_cell(scene.summary)} Its parameters: [`{name}`](reference/scenes/{name}.md).\n")
        parts += [_preset(preset, entry, ".", "###") for preset, entry in of_it]
    return "\n".join(parts)

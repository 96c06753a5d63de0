"""The sentences of the window, collected from the source code, and their translations that are missing.

`python -m repose.app.jobs.sentences` counts them, `--missing` prints those without translation as lines to fill in,
`--take FILE` adds such lines to the file of their language, and `--tidy` removes sentences that are no longer used and
sorts the rest. Code and texts of records are read without running them.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path

from repose.app.language import ENGLISH, NATIVE, PLACE, WORD, Language, read_language
from repose.app.render.theme import PALETTES
from repose.sim.registry import scenes

FOLDERS = (
    "app/lectures/answers.py",
    "app/lectures/course.py",
    "app/ui",
    "app/render",
    "app/window",
    "app/storage",
    "sim/parameters.py",
    "sim/numbers.py",
    "sim/wording.py",
    "sim/scenes",
    "sim/experiment",
    "sim/measure",
    "sim/laws",
    "sim/integrators",
    "sim/fields",
    "sim/bonds",
    "sim/clumps",
    "sim/io",
    "sim/study/preparation.py",
)
"""Files and folders of the source code with sentences of the window."""
ELSEWHERE = {
    "app/render/gpu.py",
    "app/storage/plot_files.py",
    "app/storage/png.py",
    "app/window/gl_context.py",
    "app/window/start.py",
    "app/window/window.py",
    "sim/clumps/exports.py",
    "sim/experiment/beginning.py",
    "sim/experiment/beside_process.py",
    "sim/experiment/lammps_export.py",
    "sim/experiment/script_values.py",
    "sim/experiment/simulation.py",
    "sim/experiment/step_notice.py",
    "sim/io/export.py",
    "sim/io/export_hdf5.py",
    "sim/io/export_svg.py",
    "sim/io/export_text.py",
    "sim/io/export_vtk.py",
    "sim/io/lammps_dump.py",
    "sim/measure/beverloo.py",
    "sim/scenes/common/by_hand.py",
}
"""Modules in these folders whose texts go to files and to the terminal, which stay English."""
SHOWN = {
    "Action", "Answer", "Bond", "CardFace", "Case", "Choice", "Colouring", "Component", "Curve", "Entry",
    "Event", "Explanation", "Fault", "Field", "Guess", "Integrator", "Key", "Label", "Law", "Line", "Look",
    "Measurement", "Notice", "Outcome", "Panel", "Part", "Plot", "Question", "Reading", "Reference",
    "Remedy", "Scene", "Shape", "StudyPlan", "Switch", "Task", "Tool", "button", "button_width", "checkbox", "choose",
    "draw_text", "heading", "note", "row", "slide", "tell", "text", "text_width", "tooltip", "translated", "write",
}  # fmt: skip
"""Records and functions whose texts are shown, also single words."""
DECLARING = {"number": 3, "count": 3, "length": 3, "choice": 1, "switch": 1, "file_path": 0, "variant": None}
"""Position of the label among the arguments of the functions that declare a parameter (`repose.sim.parameters`)."""
HIDDEN = {
    "TypeAdapter", "TypeVar", "__import__", "add_argument", "begin", "begin_child", "begin_combo", "begin_over_picture",
    "cast",
    "begin_popup", "begin_tab_bar", "begin_table", "compile", "critical", "debug", "encode", "error", "exception",
    "getLogger", "import_module", "info", "invisible_button", "log", "mark", "mark_area", "match", "open_popup",
    "push_id", "search", "startswith", "endswith", "strftime", "sub", "warning",
}  # fmt: skip
"""Functions whose texts are not shown."""
NAMING = {
    "after", "characters", "colour", "effect", "key", "kind", "law", "lecture", "name", "scene", "shader", "shown",
    "side", "symbol", "unit",
}  # fmt: skip
"""Arguments of records that are not texts."""
NAMED_FIRST = {
    "Action", "Bond", "CardFace", "Field", "Integrator", "Key", "Law", "Measurement", "Panel", "Scene", "Shape",
    "StudyPlan", "Switch", "Tool",
}  # fmt: skip
"""Records whose first argument is a name in the code."""
AFTER_UI = {"button", "checkbox", "choose", "slide"}
"""Functions whose second argument, after `ui`, is the name of a widget."""
NOT_SHOWN = {
    "integer string conversion",
    ',\n "spheres": [\n{lines}\n ]\n}', "1/min", "1/m³", "500 mm",
    "A frame of shape {shape} cannot be added: the film is {state}.", "GPa", "Hz", "MPa", "Pa", "Pa s", "P₂",
    "Repose", "Repose {version}", "The series '{name}' has no sample yet.", "Value error,", "^fo?[ \\t]",
    "a picture of {size} x {size2} pixels cannot be drawn: both sides must be positive", "a statement of the format",
    "auto", "back", "bottom", "changed", "column", "column instead", "continuous", "coordination",
    "cuts of the marks", "discrete", "f with numbers of points", "f with three points or more", "facet normal 3",
    "force {axis} [N]", "forward", "from repose.sim.experiment.beside_process import main; main()", "gear5", "halve",
    "ignored", "instead", "kept", "kg m²", "kg/m³", "kg/s", "last focus", "layer", "leave", "lecture offer",
    "left error", "low", "l₀", "m/s²", "mN", "mPa s", "made for {width}x{height} frames", "measured", "mesh = {path}",
    "mm", "mm/s", "m³/s²", "not saved", "outer loop", "over", "parameter search", "phase", "plot shown", "rad/s",
    "recent runs", "remove", "repose run", "right error", "rk4", "run saver", "save preset", "search is asked for",
    "share", "size", "spin {axes} [rad/s]", "steel", "stress {stress_component} {stress_width}", "tabs found",
    "tested",
    "the parameter {name} of {name2} has no default value",
    "the panel '{name}' has the side '{side}': use one of {join}", "toasts seen", "tools", "v with three numbers",
    "value = {strip}", "vertex 3", "water", "wood", "{kind} with numbers",
    "{name} declares no range, so that it cannot have a slider.", "{wanted} or endsolid", "µm", "µs", "ΔR/R", "Δt",
    "Δθ", "θ_MS − θ_R", "ΣF", "ω Δt",
}  # fmt: skip
"""Names in the code that look like words, units, and texts of errors of a program."""
NAME_IN_CODE = re.compile(r"\w*([._]\w*)+|[0-9a-f]{6}|\{\w+\}\.\w+")
ALSO_SHOWN = (
    "a number", "aluminium", "arrows", "beside", "caltrop", "cells", "centre", "counted", "Ctrl-click", "Ctrl-drag",
    "cube and particle", "discs", "double-click", "drag", "dumbbell", "elastic", "ellipsoid", "end", "ended",
    "expected", "filled", "fitted", "found", "from", "front", "greedy", "inch", "Keyboard in a panel",
    "left", "left flank", "limestone", "magnesium", "moving wall", "offset", "other end", "outcome", "paused", "peanut",
    "pieces", "playing", "potential", "right", "right flank", "right wall", "right-click", "right-drag", "rolls",
    "seeds", "slides", "sphericity", "struck end", "tetrapod",
    "The preset of the last session is not used: {error}",
    "to", "torus", "unbooked", "vertebra", "Waiting for the compiler", "wheel",
)  # fmt: skip
"""Words that the rules below do not find, and a sentence of `app/window/start.py`."""
SENTENCE = re.compile(r"[^\W\d_]{2,}.*\s.*[^\W_]|^[A-Z][a-z]+$", re.DOTALL)
"""Two words, or one with a capital letter."""


def collect(root: Path | None = None) -> dict[str, str]:
    """Every sentence of the window in the order of the source, with the file where it occurs first."""
    root = root or Path(str(files("repose.app"))).parent
    found: dict[str, str] = {}
    for folder in FOLDERS:
        place = root / folder
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            name = path.relative_to(root).as_posix()
            if name in ELSEWHERE:
                continue
            for sentence in Reader(path.read_text(encoding="utf-8"), name.startswith("app/ui")).sentences():
                found.setdefault(sentence, name)
    for path in sorted((root / "assets" / "presets").glob("*.toml")):
        preset = tomllib.loads(path.read_text(encoding="utf-8"))
        for key in ("title", "about", "question"):
            if preset.get(key):
                found.setdefault(str(preset[key]), path.relative_to(root).as_posix())
    for scene in scenes().values():
        for phase in scene.phases:
            found.setdefault(phase.label, "sim/scenes")
    for theme in PALETTES:
        found.setdefault(theme, "app/render/theme.py")
    for word in ALSO_SHOWN:
        found.setdefault(word, "app/ui/keys.py")
    return found


class Reader:
    """Reads the texts of one module."""

    def __init__(self, source: str, in_window: bool) -> None:
        self._in_window = in_window
        self._tree = ast.parse(source)
        self._parents = {child: node for node in ast.walk(self._tree) for child in ast.iter_child_nodes(node)}

    def sentences(self) -> Iterator[str]:
        """Texts that are shown, with `{name}` where a value is inserted."""
        for node in ast.walk(self._tree):
            if isinstance(node, ast.JoinedStr) and not isinstance(self._parents[node], ast.FormattedValue):
                text = template_of(node)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                text = node.value
                if isinstance(self._parents[node], ast.JoinedStr):
                    continue
            else:
                continue
            if text.strip() in NOT_SHOWN or not WORD.search(PLACE.sub("", text)):
                continue
            if self._is_choice(self._parents[node]):
                yield text.replace("_", " ")
            elif self._is_shown(node, text):
                yield text.strip()

    def _is_shown(self, node: ast.expr, text: str) -> bool:
        if text.startswith("##") or NAME_IN_CODE.fullmatch(text):
            return False
        parent: ast.AST = self._parents[node]
        if isinstance(parent, ast.Expr):  # a docstring
            return False
        if isinstance(parent, ast.Dict) and node in parent.keys:
            return self._in_window and text[:1].isupper() and " " in text
        if isinstance(parent, ast.Dict) and self._in_window:
            return True
        if isinstance(parent, (ast.Subscript, ast.Compare)):
            return False
        holder = self._parents[parent] if isinstance(parent, ast.Tuple) else parent
        if isinstance(holder, ast.Assign) and self._is_memory(holder):
            return False
        inside: ast.AST = node
        while not isinstance(parent, ast.stmt):
            if isinstance(parent, ast.Call):
                called = parent.func
                if isinstance(called, ast.Name) and called.id in DECLARING:
                    return self._is_text_of_parameter(parent, called.id, inside)
                name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
                if name in HIDDEN:
                    return False
                if name in SHOWN:
                    return self._is_text_of(parent, name, inside, text)
            inside, parent = parent, self._parents[parent]
        return bool(SENTENCE.search(PLACE.sub("x", text)))

    def _is_choice(self, parent: ast.AST) -> bool:
        """Whether the text is a word that a parameter accepts."""
        parent = self._parents[parent] if isinstance(parent, ast.Tuple) else parent
        if not (isinstance(parent, ast.Subscript) and getattr(parent.value, "id", "") == "Literal"):
            return False
        while not isinstance(parent, (ast.ClassDef, ast.Module)):
            parent = self._parents[parent]
        return "Parameters" in getattr(parent, "name", "")

    def _is_memory(self, statement: ast.Assign) -> bool:
        """Whether the docstring below calls the constant an entry of `Ui.memory`."""
        body = getattr(self._parents[statement], "body", [])
        after = body[body.index(statement) + 1 :][:1] if statement in body else []
        return any(
            isinstance(entry, ast.Expr) and isinstance(entry.value, ast.Constant) and "memory" in str(entry.value.value)
            for entry in after
        )

    @staticmethod
    def _is_text_of_parameter(call: ast.Call, name: str, inside: ast.AST) -> bool:
        if isinstance(inside, ast.keyword):
            return inside.arg in ("empty", "group", "help")
        return inside in call.args and call.args.index(inside) == DECLARING[name]

    def _is_text_of(self, call: ast.Call, name: str, inside: ast.AST, text: str) -> bool:
        if isinstance(inside, ast.keyword):
            return inside.arg not in NAMING
        first = call.args[0] if call.args else None
        if name in NAMED_FIRST and inside is first:
            return False
        return not (name in AFTER_UI and len(call.args) > 1 and inside is call.args[1])


def template_of(node: ast.JoinedStr) -> str:
    """The text of an f-string with `{name}` in place of every value."""
    pieces, names = [], set()
    for part in node.values:
        if isinstance(part, ast.Constant):
            pieces.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            name = base = _name_of(part.value)
            number = 2
            while name in names:
                name, number = f"{base}{number}", number + 1
            names.add(name)
            pieces.append(f"{{{name}}}")
    return "".join(pieces)


def _name_of(value: ast.expr) -> str:
    """Name of a value: the last name in its expression."""
    if isinstance(value, ast.Name):
        return value.id.strip("_").lower() or "value"
    if isinstance(value, ast.Attribute):
        return value.attr.strip("_").lower()
    if isinstance(value, ast.Call) and isinstance(value.func, (ast.Name, ast.Attribute)):
        if value.args and isinstance(value.args[0], (ast.Name, ast.Attribute)):
            return _name_of(value.args[0])
        return _name_of(value.func)
    if isinstance(value, ast.BinOp):
        return _name_of(value.right if isinstance(value.left, ast.Constant) else value.left)
    if isinstance(value, ast.Subscript):
        return _name_of(value.value)
    return "value"


def file_of(code: str) -> Path:
    """The file of a language in the checkout."""
    return Path(str(files("repose.assets").joinpath("languages", f"{code}.toml")))


def known_in(code: str) -> Language:
    """The translations into a language; empty for a language without a file."""
    return read_language(code) if file_of(code).exists() else Language(code, ",")


def missing(code: str) -> list[str]:
    """Sentences without translation into a language."""
    known = known_in(code).sentences
    return [sentence for sentence in collect() if sentence not in known]


def write(code: str, decimal: str, sentences: dict[str, str]) -> None:
    """Write the file of a language, one sentence a line in alphabetical order."""
    lines = [f"{quoted(english)} = {quoted(sentences[english])}" for english in sorted(sentences, key=_order)]
    head = f"# {NATIVE.get(code, code)}: the sentences of the window (CONTRIBUTING.md, Languages)\n"
    text = f"{head}decimal = {quoted(decimal)}\n\n[sentences]\n" + "".join(f"{line}\n" for line in lines)
    file_of(code).write_text(text, encoding="utf-8")


def quoted(text: str) -> str:
    """A basic string of TOML."""
    return json.dumps(text, ensure_ascii=False)


def _order(sentence: str) -> tuple[str, str]:
    return sentence.casefold(), sentence


def take(path: Path) -> list[str]:
    """Add the translations in a filled-in file of `--missing`; returns the refused ones, each with the reason."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    wrong, known_sentences = [], collect()
    for code, sentences in content.items():
        known = known_in(code)
        good = {}
        for english, translation in sentences.items():
            if not translation:
                continue
            trouble = fault_of(english, translation)
            if trouble or english not in known_sentences:
                wrong.append(f"{code}: {quoted(english)}: {trouble or 'the window has no such sentence'}")
            else:
                good[english] = translation
        write(code, known.decimal, known.sentences | good)
    return wrong


def fault_of(english: str, translation: str) -> str:
    """What is wrong with a translation, or empty."""
    there, here = (sorted(PLACE.findall(text)) for text in (english, translation))
    if there != here:
        return f"its values are {', '.join(here) or 'none'} instead of {', '.join(there) or 'none'}"
    return "" if translation.strip() else "it is empty"


def tidy(code: str) -> int:
    """Remove sentences that are no longer used from the file of a language; returns their number."""
    used, known = collect(), known_in(code)
    kept = {english: text for english, text in known.sentences.items() if english in used}
    write(code, known.decimal, kept)
    return len(known.sentences) - len(kept)


def main(arguments: Sequence[str]) -> int:
    """Count, print, add or tidy sentences."""
    parser = argparse.ArgumentParser(prog="python -m repose.app.jobs.sentences", description=__doc__)
    parser.add_argument("languages", nargs="*", help="codes of languages; all if none is given")
    parser.add_argument("--missing", action="store_true", help="print sentences without translation, to be filled in")
    parser.add_argument("--take", type=Path, metavar="FILE", help="add the translations of such a file")
    parser.add_argument("--tidy", action="store_true", help="remove sentences that are no longer used")
    options = parser.parse_args(arguments)
    codes = options.languages or [code for code in NATIVE if code != ENGLISH]
    if options.take:
        wrong = take(options.take)
        sys.stdout.writelines(f"{line}\n" for line in wrong)
        return 1 if wrong else 0
    places = collect()
    for code in codes:
        if options.tidy:
            sys.stdout.write(f"{code}: {tidy(code)} sentences removed\n")
        lacking = missing(code)
        if not options.missing:
            sys.stdout.write(f"{code}: {len(places) - len(lacking)} of {len(places)} sentences\n")
        elif lacking:
            sys.stdout.write(f"[{code}]\n" + "".join(f'{quoted(text)} = ""  # {places[text]}\n' for text in lacking))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

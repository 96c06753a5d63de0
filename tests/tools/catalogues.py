"""The catalogues of the languages: bring them up to date with the source code, and check them.

`python -m tests.tools.catalogues` adds new templates to `assets/languages/xx.po`, with an empty translation to be
filled in, and removes those that are no longer used; what is missing is counted. The templates are those that stand in
the source code as the first argument of `_` and `Message` and as the first two of `plural`, and the texts of the
presets.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Formatter

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po
from babel.plural import to_gettext
from repose.app.language import ENGLISH, NATIVE, plural_forms

KEYWORDS = {"_": (1,), "Message": (1,), "plural": (1, 2)}
"""Functions with templates, and the places of these among their arguments."""
OF_PRESET, OF_DIRECTION = ("title", "about", "question"), ("see", "answer")
"""Entries of a preset, and of its table [direction], that the window shows."""
LEFT_OUT = tuple(
    f'"{name}:'
    for name in (
        "Project-Id-Version",
        "Report-Msgid-Bugs-To",
        "POT-Creation-Date",
        "PO-Revision-Date",
        "Last-Translator",
        "Language-Team",
        "Generated-By",
    )
)
"""Lines of the head of a file that would differ from one day or writer to the next."""
Template = str | tuple[str, str]


def collect(root: Path | None = None) -> dict[Template, str]:
    """Every template of the source code, a pair for one with a plural, with the file where it occurs first."""
    root = root or Path(str(files("repose.app"))).parent
    found: dict[Template, str] = {}
    for path in [*sorted((root / "sim").rglob("*.py")), *sorted((root / "app").rglob("*.py"))]:
        name = path.relative_to(root).as_posix()
        for _, template, _, _ in extract_from_file("python", str(path), keywords=KEYWORDS):
            found.setdefault(template if isinstance(template, str) else (template[0], template[1]), name)
    for path in sorted((root / "assets" / "presets").glob("*.toml")):
        preset = tomllib.loads(path.read_text(encoding="utf-8"))
        for key in OF_PRESET:
            if preset.get(key):
                found.setdefault(str(preset[key]), path.relative_to(root).as_posix())
        for key in OF_DIRECTION:
            if text := preset.get("direction", {}).get(key):
                found.setdefault(str(text), path.relative_to(root).as_posix())
    return found


def file_of(code: str) -> Path:
    """The catalogue of a language in the checkout."""
    return Path(str(files("repose.assets").joinpath("languages", f"{code}.po")))


def read(code: str) -> Catalog:
    """The catalogue of a language; an empty one for a language without a file."""
    if not file_of(code).exists():
        return Catalog(locale=code, fuzzy=False)
    with file_of(code).open("rb") as file:
        return read_po(file, locale=code, abort_invalid=True)


def write(code: str, catalogue: Catalog) -> None:
    """Write the catalogue of a language, its entries in alphabetical order."""
    buffer = BytesIO()
    write_po(buffer, catalogue, width=0, no_location=True, sort_output=True)
    lines = buffer.getvalue().decode("utf-8").splitlines(keepends=True)
    text = "".join(line for line in lines if not line.startswith(LEFT_OUT))
    file_of(code).write_text(text, encoding="utf-8")


def updated(code: str, known: Catalog, templates: dict[Template, str]) -> Catalog:
    """A catalogue with exactly these templates; it keeps the known translations."""
    head = f"# {NATIVE.get(code, code)}: the templates of the window (CONTRIBUTING.md, Languages)"
    fresh = Catalog(locale=code, header_comment=head, fuzzy=False)
    rule = ("Plural-Forms", to_gettext(Locale.parse(code).plural_form))
    fresh.mime_headers = [*(entry for entry in fresh.mime_headers if entry[0] != rule[0]), rule]
    for template in templates:
        entry = known.get(template if isinstance(template, str) else template[0])
        fits = entry is not None and entry.pluralizable == isinstance(template, tuple)
        fresh.add(template, entry.string if entry is not None and fits else None)
    return fresh


def faults(code: str, templates: dict[Template, str]) -> Iterator[str]:
    """What is wrong with a catalogue, one sentence a template."""
    known = read(code)
    for template, position in templates.items():
        first = template if isinstance(template, str) else template[0]
        entry = known.get(first)
        if entry is None or not all(forms_of(entry)):
            yield f"{position}: {first!r} has no translation"
        elif entry.pluralizable != isinstance(template, tuple):
            yield f"{position}: {first!r} has plural forms in only one of source and catalogue"
        elif entry.pluralizable and len(forms_of(entry)) != len(plural_forms(code)):
            yield f"{position}: {first!r} needs {len(plural_forms(code))} forms: {', '.join(plural_forms(code))}"
        else:
            yield from (
                f"{position}: {form!r} does not have the values of {template!r}"
                for form in forms_of(entry)
                if not fits(form, template)
            )
    used = {template if isinstance(template, str) else template[0] for template in templates}
    for entry in known:
        if entry.id and (entry.id if isinstance(entry.id, str) else entry.id[0]) not in used:
            yield f"{entry.id!r} is no longer used"


def forms_of(entry: Message) -> tuple[str, ...]:
    """The translations of an entry: one, or one for each plural form."""
    return (entry.string,) if isinstance(entry.string, str) else tuple(entry.string or ("",))


def fits(form: str, template: Template) -> bool:
    """Whether a translation has the values of its template; a form such as "one grain" may leave out the count."""
    if isinstance(template, str):
        return values_of(form) == values_of(template)
    here, there = values_of(form), values_of(template[1])
    return here | {"count"} == there | {"count"} and here <= there


def values_of(template: str) -> set[str]:
    """Names of the values of a template; a template without values is shown as it stands, braces included."""
    try:
        return {name for _, name, _, _ in Formatter().parse(template) if name}
    except ValueError:
        return set()


def main() -> int:
    """Update all catalogues and count what is missing; 1 if anything is."""
    templates, complete = collect(), True
    for code in NATIVE:
        if code != ENGLISH:
            write(code, updated(code, read(code), templates))
            lacking = [*faults(code, templates)]
            complete &= not lacking
            sys.stdout.writelines(f"{code}: {line}\n" for line in lacking)
            sys.stdout.write(f"{code}: {len(templates) - len(lacking)} of {len(templates)} templates\n")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())

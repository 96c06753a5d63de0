"""Pages of the manual: the program accepts every command, every example is read, every link leads somewhere."""

from __future__ import annotations

import inspect
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from repose.app.cli.record_options import filled
from repose.app.cli.subcommands import cli
from repose.app.jobs.manual_pages import pages
from repose.app.jobs.options import Request, option_fields
from repose.sim.study.plan_file import read_plan

ROOT = Path(__file__).resolve().parents[2]
WRITTEN = {ROOT / "README.md", *(ROOT / "docs").rglob("*.md")}
BLOCK = re.compile(r"^```(?:text)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return pages({"repose": "--help"})


def commands(texts: Iterator[str]) -> list[list[str]]:
    """The words of every line of a code block that begins with `repose`."""
    lines = (line for text in texts for block in BLOCK.findall(text) for line in block.splitlines())
    typed = (line.partition(" > ")[0] for line in lines if re.match(r"repose(?: |$)", line))
    return [shlex.split(line, comments=True)[1:] for line in typed]


def accept(words: list[str]) -> None:
    """Parse the words of a command, and make its requests, which checks their values; nothing is run."""
    group: Any = typer.main.get_command(cli)
    of_window = not words or words[0].startswith("-")
    command = group if of_window else group.commands[words[0]]
    context = command.make_context("repose", list(words if of_window else words[1:]))
    for entry in option_fields(inspect.unwrap(command.callback)):
        if isinstance(entry.kind, type) and issubclass(entry.kind, Request):
            filled(entry.kind, context.params)


def test_every_command_of_the_manual_is_accepted(generated: dict[str, str]) -> None:
    written = (path.read_text(encoding="utf-8") for path in WRITTEN)
    found = commands(iter((*written, *generated.values())))
    assert len(found) > 150
    for words in found:
        try:
            accept(words)
        except Exception as error:  # whatever the parser raises, with the line of the page
            pytest.fail(f"repose {shlex.join(words)}: {error}")


def test_an_unknown_option_and_a_value_out_of_range_are_not_accepted() -> None:
    for line in ("run heap --frictoin 1", "run heap --fps 0 --video a.mp4", "nowhere"):
        with pytest.raises(Exception, match=r"."):
            accept(line.split())


def test_every_preset_scene_study_and_lecture_named_in_a_command_exists(generated: dict[str, str]) -> None:
    from repose.app.lectures import lecture_file
    from repose.sim.io import presets
    from repose.sim.registry import scenes, studies

    lectures = {card.name for card in lecture_file.cards()}
    known = {"run": set(scenes()), "sweep": set(scenes()), "study": set(studies()), "lecture": lectures}
    for words in commands(path.read_text(encoding="utf-8") for path in WRITTEN):
        if words and words[0] in known and len(words) > 1 and not words[1].startswith("-") and "." not in words[1]:
            assert words[1] in known[words[0]] | {"thesis-4.3"}, words
        named = words[words.index("--preset") + 1] if "--preset" in words else ""
        if named and not named.endswith(".toml"):
            assert named in presets.names(), words


def test_every_link_leads_to_a_file_or_to_a_generated_page(generated: dict[str, str]) -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in WRITTEN}
    texts |= {ROOT / "docs" / name: text for name, text in generated.items()}
    links = [(path, link) for path, text in texts.items() for link in LINK.findall(text) if "://" not in link]
    assert len(links) > 100
    dead = [
        f"{path.relative_to(ROOT)}: {link}"
        for path, link in links
        if not (target := (path.parent / link).resolve()).exists() and target not in texts
    ]
    assert dead == []


def test_the_table_of_contents_names_every_page(generated: dict[str, str]) -> None:
    listed = {ROOT / "docs" / "index.md", ROOT / "docs" / "paper.md"}
    texts = {path: path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md")}
    texts |= {ROOT / "docs" / name: text for name, text in generated.items()}
    for path, text in texts.items():
        for tree in re.findall(r"^```{toctree}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            names = [line for line in tree.splitlines() if line and not line.startswith(":")]
            listed |= {(path.parent / f"{name}.md").resolve() for name in names}
    assert set(texts) == listed


def test_the_paper_cites_every_program_that_it_compares_with_and_every_reference_is_cited() -> None:
    paper = (ROOT / "docs" / "paper.md").read_text(encoding="utf-8")
    entries = re.split(r"^@", (ROOT / "docs" / "paper.bib").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    named = {entry.partition("{")[2].partition(",")[0]: entry for entry in entries}
    assert set(re.findall(r"@(\w+)", paper)) == set(named)
    for entry in named.values():
        assert all(re.search(rf"\b{field} = \{{", entry) for field in ("author", "title", "year")), entry
        assert entry.startswith("misc") or re.search(r"doi = \{10\.\d{4}/\S+\}", entry), entry
    (field,) = re.findall(r"^# State of the field\n(.*?)\. Repose", paper, re.MULTILINE | re.DOTALL)
    for program in ("Yade", "LAMMPS", "LIGGGHTS", "MercuryDPM", "MUSEN", "Chrono"):
        assert re.search(rf"{program}[^,\[]*\[@", field), program


def test_the_study_of_the_manual_is_read(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "howto" / "studies.md").read_text(encoding="utf-8")
    (block,) = (block for block in BLOCK.findall(text) if block.startswith("title = "))
    (tmp_path / "mine.toml").write_text(block, encoding="utf-8")
    plan = read_plan(tmp_path / "mine.toml")
    assert (plan.scene, len(plan.cases)) == ("heap", 2)


def test_the_gallery_shows_a_picture_and_a_command_for_every_preset(generated: dict[str, str]) -> None:
    shipped = {path.stem for path in (ROOT / "assets" / "presets").glob("*.toml")}
    assert set(re.findall(r"^repose run --preset (\S+)$", generated["gallery.md"], re.MULTILINE)) == shipped
    assert set(re.findall(r"presets/pictures/([\w-]+)\.webp", generated["gallery.md"])) == shipped


def test_every_parameter_of_a_scene_is_on_its_page_with_unit_and_range(generated: dict[str, str]) -> None:
    from repose.sim.registry import scenes

    for name, scene in scenes().items():
        page = generated[f"reference/scenes/{name}.md"]
        for parameter, entry in scene.parameters.declared().items():
            (row,) = re.findall(rf"^\| `{parameter}` \|.*$", page, re.MULTILINE)
            assert len(re.split(r"(?<!\\)\|", row)) == 9, row
            assert entry.quantity.unit.replace("_", "\\_") in row or "^" in entry.quantity.unit


@pytest.mark.slow  # Sphinx reads and writes some fifty pages
def test_the_manual_is_built_without_a_warning_and_loads_nothing_from_a_network(tmp_path: Path) -> None:
    # In a process of its own: libraries of Sphinx call functions that the next version of Sphinx lacks, a warning that
    # would be an error here.
    site = tmp_path / "site"
    command = (sys.executable, "-m", "repose.app", "manual", "--to", str(site), "--no-browser")
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (built.returncode, built.stdout.strip()) == (0, str(site / "index.html"))
    assert "WARNING" not in built.stderr
    loaded = re.compile(
        r"<(?:script|img|source)[^>]+src=\"(https?:|//)|<link[^>]+rel=\"(?:stylesheet|preload)\"[^>]+href=\"https?:"
    )
    for page in site.rglob("*.html"):
        assert not loaded.search(page.read_text(encoding="utf-8")), page
    assert (site / "searchindex.js").is_file()
    assert "manual.css" in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "_static" / "manual.css").is_file()
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "exists" in again.stderr

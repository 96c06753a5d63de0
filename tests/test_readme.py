"""README and the pages of the manual: commands are those of CI and of the program, and every name in them exists."""

from __future__ import annotations

import re
import shlex
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.jobs.headless_plan import plan
from repose.app.jobs.requests import RunRequest, StudyRequest
from repose.app.jobs.study_plan import plan_study
from repose.sim.io import presets
from repose.sim.registry import scenes
from repose.sim.study.runs_on_disk import StudyRuns

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md"))}
EVERYTHING = "\n".join((README, *PAGES.values()))


def blocks_of(text: str) -> list[str]:
    """The code blocks of a page that have no language."""
    return re.findall(r"^```\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


BLOCKS = blocks_of(README)
WITHOUT_A_WINDOW = blocks_of(PAGES[ROOT / "docs" / "howto" / "command-line.md"])[0].splitlines()


def test_the_two_commands_are_one_line_each_and_ci_runs_the_second() -> None:
    run, test = BLOCKS[0].strip(), BLOCKS[1].strip()
    assert run.count("\n") == test.count("\n") == 0
    assert run.endswith("uv run repose")
    assert test.endswith("uv run pytest")
    assert test in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()


def test_every_run_shown_is_one_the_program_accepts() -> None:
    lines = [shlex.split(line, comments=True) for line in WITHOUT_A_WINDOW]
    assert all(words[0] == "repose" for words in lines)
    runs = [words for words in lines if words[1:3] == ["run", "heap"]]
    assert len(runs) > 10
    for words in runs:
        options = [words[k + 1] for k, word in enumerate(words) if word == "--preset"]
        changes = [words[k + 1] for k, word in enumerate(words) if word == "--set"]
        plan(RunRequest("heap", *options, changes=tuple(changes), ready="--ready" in words))


def written_by(line: str) -> list[str]:
    """Files and folders that a line of the README names for what it writes."""
    before, _, redirected = line.partition("#")[0].partition(" > ")
    words = shlex.split(before)
    after = dict(pairwise(words))
    options = ("--video", "--film", "--save", "--out", "--picture", "--to")
    named = [after[option] for option in options if option in after]
    return [*(name for name in named if not name.replace(".", "").isdigit()), *redirected.split()]


def test_the_lines_can_be_run_one_after_the_other_because_none_writes_what_another_has_written() -> None:
    written = [name for line in WITHOUT_A_WINDOW for name in written_by(line)]
    assert len(written) > 10
    assert [name for name in set(written) if written.count(name) > 1] == []
    assert written_by("repose replay a --video b.mp4 --to 3.2  # --save c") == ["b.mp4"]


def test_a_part_that_is_filmed_lies_in_the_run_that_the_lines_before_have_saved() -> None:
    ends: dict[str, float] = {}
    filmed = 0
    for line in WITHOUT_A_WINDOW:
        words = shlex.split(line, comments=True)
        after = dict(pairwise(words))
        if words[1] == "run" and "--save" in after:
            assert ends.get(after.get("--from", ""), 0.0) < float("inf"), f"{line}: the saved run has ended"
            ends[after["--save"]] = float(after.get("--until", "inf"))
        elif words[1] in ("replay", "picture", "export"):
            assert words[2] in ends, f"{line}: no line before has saved {words[2]}"
            if "--video" in after:
                assert float(after["--to"]) <= ends[words[2]], f"{line}: the run has ended before"
                filmed += 1
    assert filmed


@pytest.mark.parametrize(
    "command",
    ["run", "presets", "scenes", "study", "calibrate", "sweep", "replay", "bench", "selftest", "doctor", "clump"],
)
def test_every_command_shown_exists(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"repose {command}" in EVERYTHING
    assert run_command_line([command, "--help"]) == 0
    assert capsys.readouterr().out


def test_files_folders_and_presets_named_exist() -> None:
    named = re.findall(r"`((?:app|sim|assets)/[\w/.]*)`", EVERYTHING)
    assert named
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert {"moon", "as-printed"} <= set(presets.names())


def test_readme_is_a_screen_and_a_half_and_counts_the_scenes() -> None:
    assert len(README.splitlines()) <= 90
    (said,) = re.findall(r"(\d+) scenes", README)
    assert int(said) == len(scenes())
    assert f"{said} scenes" in PAGES[ROOT / "docs" / "paper.md"]


def test_the_citation_and_the_changelog_name_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {version} — " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_the_cohesion_of_the_readme_is_that_which_scenes_and_presets_offer() -> None:
    (sentence,) = re.findall(r"In the scenes[^.]*`capillary`.*?\.", EVERYTHING, re.DOTALL)
    declared = {name: scene.parameters.declared() for name, scene in scenes().items()}
    offering = {
        name for name, entries in declared.items() if "law" in entries and "capillary" in entries["law"].choices
    }
    assert set(re.findall(r"`(\w+)`", sentence)) - {"capillary"} == offering
    assert "no cohesion" not in EVERYTHING
    (others,) = re.findall(r"another contact law is chosen.*?\.", EVERYTHING, re.DOTALL)
    of_materials = {"liquid_bridge", "jkr", "dmt"}
    assert of_materials <= set(re.findall(r"`(\w+)`", others))
    assert of_materials <= set(scenes()["heap3d"].parameters.declared()["law"].choices)


def test_the_number_of_runs_of_the_thesis_is_that_of_its_different_runs(tmp_path: Path) -> None:
    (said,) = re.findall(r"`repose\s+study thesis` does (\d+) runs", EVERYTHING)
    request = plan_study(StudyRequest("thesis"))
    assert len(StudyRuns(request.plans, tmp_path).begin()) == int(said)

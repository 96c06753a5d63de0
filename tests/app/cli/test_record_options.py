"""Requests as options: each option is declared once, and its check acts wherever the request is made."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from repose.app.cli.record_options import from_options
from repose.app.jobs import requests
from repose.app.jobs.options import Option, Request, option, option_fields
from repose.app.jobs.requests import within
from repose.sim.parameters import ParameterError

Share = Annotated[float | None, Option("SHARE", "A share.", check=within(0.0, 1.0, "0 to 1"))]


@dataclass(frozen=True)
class Part(Request):
    share: Share = None
    names: tuple[str, ...] = option((), "NAME", "Names.", name="--name")


@dataclass(frozen=True)
class Whole(Request):
    file: Path = option(..., "FILE", "A file.", is_argument=True)
    part: Part = Part()
    count: int = option(3, "NUMBER", "How many.")
    end: float = option(float("inf"), "NUMBER", "The end.", shows_default=False)
    drawn: bool = option(True, "", "Whether it is drawn.")
    quiet: bool = option(False, "", "Whether nothing is said.")


def made_from(*arguments: str) -> Any:
    """The request that the command line makes."""
    made: list[Whole] = []

    def command(request: Whole) -> None:
        made.append(request)

    command.__annotations__["request"] = Whole
    cli = typer.Typer(rich_markup_mode=None)
    cli.command()(from_options(command))
    cli(args=list(arguments), standalone_mode=False)
    return made[0]


def test_without_options_the_request_has_its_own_defaults() -> None:
    assert made_from("a") == Whole(Path("a"))


def test_options_of_a_nested_request_are_options_of_the_command() -> None:
    words = "a --share 0.5 --name b --name c --count 4 --end 2 --no-drawn --quiet"
    assert made_from(*words.split()) == Whole(Path("a"), Part(0.5, ("b", "c")), 4, 2.0, False, True)


@pytest.mark.parametrize("words", ["", "a --count 1.5", "a --share x", "a --drawn=1", "a --unknown", "a b"])
def test_what_is_not_an_option_is_refused(words: str) -> None:
    with pytest.raises(typer.TyperException):
        made_from(*words.split())


def test_an_empty_name_of_a_file_is_no_name_of_the_current_folder() -> None:
    """`repose run heap --out ""` wrote its results into the current folder."""
    with pytest.raises(typer.BadParameter, match=r"'' is the name of no file"):
        made_from("")
    assert made_from(".") == Whole(Path("."))


def test_a_value_is_checked_on_the_command_line_and_in_the_program_alike() -> None:
    for make in (lambda: made_from("a", "--share", "2"), lambda: Part(2.0)):
        with pytest.raises(ParameterError, match=r"--share 2 is refused: it must be 0 to 1\."):
            make()
    assert Part(1.0).share == 1.0


def all_requests() -> list[type[Request]]:
    classes = [each for _, each in inspect.getmembers(requests, inspect.isclass) if issubclass(each, Request)]
    return [each for each in classes if each is not Request]


def test_every_field_of_a_request_is_an_option_or_a_request() -> None:
    assert len(all_requests()) == 14
    for request in all_requests():
        for entry in option_fields(request):
            assert entry.option is not None or issubclass(entry.kind, Request), (request, entry.name)


def test_no_help_is_written_twice() -> None:
    """Requests that have the same option share its declaration."""
    declared: dict[str, set[int]] = {}
    for entry in (entry for request in all_requests() for entry in option_fields(request)):
        if entry.option is not None:
            declared.setdefault(entry.option.help, set()).add(id(entry.option))
    assert [words for words, options in declared.items() if len(options) > 1] == []


def test_what_is_asked_of_one_lecture_or_study_needs_its_name() -> None:
    for asked, flag in (({"notes": True}, "--notes"), ({"film": "a.mp4"}, "--film")):
        with pytest.raises(ParameterError, match=f"{flag} is for one lecture: name it; without a name they"):
            requests.LectureRequest(**asked)
        assert requests.LectureRequest("heap-slope", **asked).name
    with pytest.raises(ParameterError, match="--out is for one study: name it; without a name they are listed"):
        requests.StudyRequest(out=Path("a"))
    with pytest.raises(ParameterError, match="--resume is for one study"):
        requests.StudyRequest(resume=True, out=Path("a"))
    assert (requests.LectureRequest().name, requests.StudyRequest().name) == ("", "")

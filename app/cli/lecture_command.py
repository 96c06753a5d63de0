"""The command for lectures: open one in the window, print its notes, make a film of it."""

from __future__ import annotations

from typing import Annotated

import typer
from repose.app.cli.film_options import Fps, Size
from repose.app.cli.terminal import THREADS_HELP, refusals, refuse, table
from repose.app.progress import write_out
from repose.sim.message import plain

LECTURE_EXAMPLES = (
    "Examples: repose lecture heap-slope; repose lecture heap-slope --notes; "
    "repose lecture granular-flow --film flow.mp4 --size 1280x720"
)


def lecture(
    name: Annotated[
        str,
        typer.Argument(
            metavar="[NAME|FILE.toml]",
            help="Shipped lecture or a file; without it they are listed.",
            show_default=False,
        ),
    ] = "",
    notes: Annotated[bool, typer.Option("--notes", help="Print the steps with the notes of the speaker.")] = False,
    film: Annotated[
        str,
        typer.Option(
            "--film",
            metavar="FILE.mp4|.gif|.webp|FOLDER/",
            help="Make one film of all steps, without a window.",
            show_default=False,
        ),
    ] = "",
    language: Annotated[
        str,
        typer.Option(
            metavar="en|de|…",
            help="Language of window, notes and film; texts that the lecture has only in English stay English.",
            show_default=False,
        ),
    ] = "",
    fps: Fps = None,
    size: Size = "1920x1080",
    threads: Annotated[str, typer.Option(metavar="N|auto", help=THREADS_HELP, show_default=False)] = "",
) -> None:
    """Open a lecture in the window: F5 starts it, Page Down continues, Page Up goes back, F2 shows notes, Esc ends it.

    With two screens the notes have a window of their own on the screen beside.
    """
    with refusals():
        from repose.app.language import NATIVE
        from repose.app.lectures import lecture_file
        from repose.sim.parameters import require_known

        if language:
            require_known(language, NATIVE, plain("language"))
        if not name:
            rows = [(card.name, card.title, card.about) for card in lecture_file.cards()]
            broken = [(name, "", f"cannot be used: {why}") for name, why in lecture_file.unusable().items()]
            table(("lecture", "title", "about"), rows + broken)
            return
        chosen = lecture_file.load(name)
        if notes:
            from repose.app.jobs.lecture_notes import notes_of

            write_out(notes_of(chosen, language or lecture_file.ENGLISH))
            return
        if film:
            from repose.app.jobs.film_plan import parsed_size, plan_film
            from repose.app.jobs.lecture_film import film_lecture
            from repose.app.thread_option import asked_threads

            plan = plan_film(film, parsed_size(size), fps)
            assert plan is not None
            raise typer.Exit(film_lecture(chosen, plan, language or lecture_file.ENGLISH, asked_threads(threads)))
        from repose.app.jobs.doctor import has_display

        if not has_display():
            refuse("No display was found: --film makes a film of the lecture without one, --notes prints its notes.")
        from repose.app.window.start import run

        raise typer.Exit(run(threads=threads, language=language, lecture=chosen))

"""The command for lectures: open one in the window, print its notes, make a film of it."""

from __future__ import annotations

from repose.app.cli.terminal import refuse, table
from repose.app.jobs.requests import FilmRequest, LectureRequest
from repose.app.progress import write_out

LECTURE_EXAMPLES = (
    "Examples: repose lecture heap-slope; repose lecture heap-slope --notes; "
    "repose lecture granular-flow --film flow.mp4 --size 1280x720"
)


def lecture(request: LectureRequest) -> int:
    """Open a lecture in the window.

    F5 starts it, Page Down continues, Page Up goes back, F2 shows notes, Esc ends it. With two screens the notes have a
    window of their own on the screen beside.
    """
    from repose.app.lectures import lecture_file

    if not request.name:
        rows = [(card.name, card.title, card.about) for card in lecture_file.cards()]
        broken = [(name, "", f"cannot be used: {why}") for name, why in lecture_file.unusable().items()]
        table(("lecture", "title", "about"), rows + broken)
        return 0
    chosen, language = lecture_file.load(request.name), request.language or lecture_file.ENGLISH
    if request.notes:
        from repose.app.jobs.lecture_notes import notes_of

        write_out(notes_of(chosen, language))
        return 0
    if request.film:
        from repose.app.jobs.film_plan import plan_film
        from repose.app.jobs.lecture_film import film_lecture
        from repose.app.thread_option import asked_threads

        plan = plan_film(request.film, FilmRequest(request.fps, request.size, sound=request.sound))
        return film_lecture(chosen, plan, language, asked_threads(request.threads))
    from repose.app.jobs.doctor import has_display

    if not has_display():
        refuse("No display was found: --film makes a film of the lecture without one, --notes prints its notes.")
    from repose.app.window.start import run

    return run(threads=request.threads, language=request.language, lecture=chosen, phones=request.phones)

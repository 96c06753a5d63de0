"""The process that writes the page of a run in the window, while the run goes on."""

from __future__ import annotations

from multiprocessing.connection import Connection

from repose.app.ui.whole_film import FilmEnd, FilmOrder
from repose.sim.message import EMPTY, Message, _, joined
from repose.sim.study.child_process import end_with_parent, ignore_interrupts, lower_priority
from repose.sim.wording import sentence_of

PAGE_BROKEN = _("The process that writes the page has ended before the page was complete.")


def write_page_of_run(sender: Connection, order: FilmOrder) -> None:
    """Compute the run in a file again and write its page: sends shares of the run, then how it ended."""
    from repose.app.storage.engine_cache import choose_engine_cache

    ignore_interrupts()
    end_with_parent()
    lower_priority()
    choose_engine_cache()
    try:
        sender.send(_written(sender, order))
    except Exception as error:  # a folder that cannot be written, a plug-in
        sender.send(FilmEnd("", 0, sentence_of(error)))


def _written(sender: Connection, order: FilmOrder) -> FilmEnd:
    from repose.app.page.page_of_run import page_of_run
    from repose.app.window.headless_film import share_sender
    from repose.sim import registry
    from repose.sim.experiment.saved_side_by_side import load_single
    from repose.sim.io.atomic_file import write_new_file

    for file in order.plugins:
        registry.add_file(file)
    page = page_of_run(load_single(order.run), order.style.title, on_progress=share_sender(sender)).page
    assert page is not None  # a run has at least its first frame
    write_new_file(order.film, lambda file: file.write(page.document))
    names = str(order.film)
    words = Message("The page is written: {name}; open it in a browser.", name=names)
    return FilmEnd(names, page.frames, EMPTY, joined([words, page.left_out] if page.left_out else [words], " "))

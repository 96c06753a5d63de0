"""`repose export RUN --to FILE.html`: a saved run as one page for browsers."""

from __future__ import annotations

from repose.app.jobs.headless_plan import title_of
from repose.app.jobs.replay_job import DIFFERS, NOT_WRITTEN, WRITTEN, difference, replaying, single_run
from repose.app.jobs.requests import ExportRequest
from repose.app.jobs.result_folder import claim_for
from repose.app.page.page_of_run import page_of_run
from repose.app.progress import print_line
from repose.sim.message import Message
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of


def export_page(request: ExportRequest) -> int:
    """Compute a run again and write its page to a new file; returns the exit code. Raises `ParameterError`."""
    saved = single_run(request.file)
    claim = claim_for("--to", request.to)
    try:
        with replaying(f"Page of {request.file.name}") as on_progress:
            title = Message(title_of(saved))
            made, verdict = page_of_run(saved, title, request.every, request.since, request.until, on_progress)
        if made is None:
            raise ParameterError(
                f"--from {request.since:g} is refused: the run in {request.file.name} ends before that; choose less."
            )
        claim.write(lambda file: file.write(made.document))
    except OSError as error:
        print_line(f"{path_text(request.to)} could not be written: {reason_of(error)}.")
        return NOT_WRITTEN
    finally:
        claim.release()
    size = len(made.document) / 1e6
    print_line(f"Page of {made.frames} frames, {size:.1f} MB, written to {request.to}; open it in a browser.")
    for sentence in (str(made.left_out), difference(verdict)):
        if sentence:
            print_line(sentence)
    return WRITTEN if verdict.differs_at is None else DIFFERS

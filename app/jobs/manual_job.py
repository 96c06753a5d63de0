"""`repose manual`: build the manual once for each state of the program, without a network, and open it.

Sphinx builds a copy of `docs` with the pages of `repose.app.jobs.manual_pages`; the result is kept in the user's cache
folder under a digest of all its sources.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import shutil
import tempfile
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import platformdirs
from repose.app.jobs.headless_job import DONE, NOT_ALL_WRITTEN
from repose.app.jobs.manual_pages import pages
from repose.app.progress import Progress, print_line, write_out
from repose.app.storage.paths import NAME, make_private
from repose.sim.io.atomic_file import is_alive, machine
from repose.sim.parameters import ParameterError
from repose.sim.wording import path_text, reason_of

FIRST = "index.html"
PARTS = ("ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "sim/README.md")
PICTURES = ("assets/gallery", "assets/presets/pictures", "assets/heap.webp", "assets/screenshot.png")
"""Files and folders of the program that the manual is made of."""
WORK = re.compile(r"\.building-(?P<process>\d+)-(?P<machine>[0-9a-f]{8})-.*")
"""Name of the folder in which a process builds the manual."""


def open_manual(commands: Mapping[str, str], to: Path | None = None, opens: bool = True) -> int:
    """Build the manual where it is missing, print its first page, open it in the browser; returns the exit code.

    `commands` is the help of each command. Raises `ParameterError` for a folder `to` that exists or that is among the
    sources of the manual, whose next build would contain it.
    """
    if to is not None:
        if to.exists():
            raise ParameterError(f"{path_text(to)} exists: name a new folder for the manual.")
        to = to.absolute()  # the address of a file has no relative form
        for part in (*PARTS, *PICTURES):
            if to.resolve().is_relative_to((_root() / part).resolve()):
                raise ParameterError(
                    f"{path_text(to)} is among the sources of the manual in {part}: name a folder elsewhere."
                )
    try:
        first = built(commands, to)
    except OSError as error:
        place, named = to or _kept(), Path(error.filename or "")
        at_fault = path_text(named if named in place.parents else place)  # never a folder within the work
        remedy = "repose manual --to FOLDER writes the manual elsewhere"
        print_line(f"{at_fault} cannot be written ({reason_of(error)}); {remedy}.")
        return NOT_ALL_WRITTEN
    write_out(str(first))
    if opens and not webbrowser.open(first.as_uri()):
        print_line("No browser was found: open this file in one.")
    return DONE


def built(commands: Mapping[str, str], to: Path | None = None) -> Path:
    """The first page of the manual, which is built if it is not in the folder; raises `OSError`.

    A folder `to` that appears while the manual is built is kept, unless it is empty.
    """
    written = {f"docs/{name}": text.encode() for name, text in pages(commands).items()}
    sources = dict(_shipped()) | written
    digest = hashlib.blake2b(digest_size=10)
    for name, content in sorted(sources.items()):
        digest.update(f"{name}\n{len(content)}\n".encode() + content)
    place = to or _kept() / digest.hexdigest()
    if not (place / FIRST).is_file():
        if to is None:
            make_private(place.parent)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)  # a folder of the user, whose permissions stay
        _forget_killed(place.parent)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".building-{os.getpid()}-{machine()}-") as work:
            folder = Path(work)
            for name, content in sources.items():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                (folder / name).write_bytes(content)
            _build(folder / "docs", folder / "site", sum(name.endswith(".md") for name in sources))
            if to is None and (place / FIRST).is_file():  # another process has built it at the same time
                return place / FIRST
            if to is None:
                shutil.rmtree(place, ignore_errors=True)  # what is left of a removal that was stopped
            (folder / "site").replace(place)
        if to is None:
            _forget_others(place)
    return place / FIRST


def _kept() -> Path:
    return Path(platformdirs.user_cache_dir(NAME, appauthor=False)) / "manual"


def _forget_others(place: Path) -> None:
    for other in place.parent.iterdir():
        if other != place and other.is_dir() and not other.name.startswith("."):
            shutil.rmtree(other, ignore_errors=True)


def _forget_killed(folder: Path) -> None:
    """Delete the folders of builds whose process was killed."""
    for left in folder.iterdir():
        match = WORK.fullmatch(left.name)
        # Several machines can share a folder.
        if match and match["machine"] == machine() and not is_alive(int(match["process"])):
            shutil.rmtree(left, ignore_errors=True)


def _root() -> Path:
    return Path(str(files("repose.docs"))).parent


def _shipped() -> Iterator[tuple[str, bytes]]:
    """Path and content of each file of the program that the manual is made of."""
    root = _root()
    for part in (*PARTS, *PICTURES):
        place = root / part
        for path in place.rglob("*") if place.is_dir() else (place,):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path.relative_to(root).as_posix(), path.read_bytes()


def _build(source: Path, site: Path, count: int) -> None:
    """Write the site of a folder of about `count` pages, and print what Sphinx warns of, such as a link to nowhere."""
    from sphinx.application import Sphinx
    from sphinx.util.console import nocolor
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = io.StringIO()
    nocolor()  # of the warnings
    title = "The manual is built, once for each version of the program."
    with Progress(title) as progress, patch_docutils(source), docutils_namespace():
        work = source.parent / "doctrees"
        app = Sphinx(source, source, site, work, "html", status=None, warning=warnings, freshenv=True)
        app.connect("source-read", _counter(progress, "pages read", count, 0.0))
        app.connect("html-page-context", _counter(progress, "pages written", count, 0.5))
        app.build()
    for line in warnings.getvalue().splitlines():
        print_line(line)


def _counter(progress: Progress, words: str, count: int, begins: float) -> Callable[..., None]:
    done = iter(range(1, 1 << 30))

    def seen(*_: Any) -> None:
        progress.show(words, begins + 0.5 * min(next(done) / count, 1.0))

    return seen

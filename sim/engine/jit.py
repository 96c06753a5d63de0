"""Compile and cache step loops; rebuild a corrupt cache."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
import numba.extending

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""How loops are compiled. Reference counting is off: the caller owns all arrays, and kernels never allocate. It took a
fifth of the compile time, and of a step of a thousand grains.

No fastmath: its flags drop the checks for numbers that are not finite.
"""

INNER = {"no_cfunc_wrapper": True}
"""How the functions inside a loop are compiled: only compiled code calls them. Wrappers for callers in C took 6 % of
the compile time."""


def compilable(function: Callable | None = None, **options: Any) -> Any:
    """Let compiled code call a function, which stays plain Python for Python; with numba's `options`, or bare."""
    mark = numba.extending.register_jitable(**INNER, **options)
    return mark if function is None else mark(function)


def overload(function: Callable) -> Any:
    """Let compiled code call a variant of `function` that is chosen by the types of its arguments."""
    return numba.extending.overload(function, jit_options=INNER)


SIM = Path(__file__).resolve().parents[1]
"""Folder of the package `repose.sim`."""

COMPILED_FROM = ("engine", "laws", "integrators", "fields", "bonds")
"""Packages of `sim` whose functions a step loop consists of."""


@cache
def fingerprint() -> str:
    """Digest of all sources a step loop is compiled from: it is reused only for exactly this physics.

    A loop must mention it in its body, so that it is part of the closure: numba itself watches for edits
    in one file only and would silently run old physics after an edit in a law.
    """
    digest = hashlib.sha256()
    for path in sorted(path for part in COMPILED_FROM for path in (SIM / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def plugin_sources(loop: Callable) -> str:
    """Digest of the contents of files outside `sim` whose functions a loop closes over, such as a plug-in's law; empty
    without."""
    seen: set[Callable] = set()
    digests: set[str] = set()

    def visit(value: Any) -> None:
        if isinstance(value, tuple):
            for item in value:
                visit(item)
        elif isinstance(value, FunctionType) and value not in seen:
            seen.add(value)
            path = Path(value.__code__.co_filename).resolve()
            if not path.is_relative_to(SIM) and path.is_file():
                digests.add(hashlib.sha256(path.read_bytes()).hexdigest())
            for cell in value.__closure__ or ():
                visit(cell.cell_contents)

    visit(loop)
    return hashlib.sha256(repr(sorted(digests)).encode()).hexdigest()[:16] if digests else ""


def compiled(loop: Callable) -> Any:
    """The loop, compiled at its first call or loaded from the cache; a corrupt cache is removed and rebuilt, and
    without a writable folder the loop is compiled without a cache."""
    if foreign := plugin_sources(loop):
        # Files of its own: numba does not notice edits of a plug-in, and an index that names types of a plug-in cannot
        # be read by a process without it.
        loop.__qualname__ += f".plugin-{foreign}"
    try:
        dispatcher: Any = numba.njit(cache=True, **OPTIONS)(loop)
    except RuntimeError:  # so numba says it
        _cannot_keep("no folder can be written to")
        return numba.njit(**OPTIONS)(loop)
    store = dispatcher._cache
    load, save = store.load_overload, store.save_overload

    def forget() -> None:
        """Remove the index; a file that it names may be cut, or of another loop that had its number before."""
        with suppress(OSError):
            Path(store._cache_file._index_path).unlink()

    def load_or_forget(signature: Any, target: Any) -> Any:
        try:
            return load(signature, target)
        except Exception as error:  # whatever a cut or foreign file provokes in the unpickler
            logging.getLogger(__name__).warning("The cache of compiled code is damaged (%s): compiling again.", error)
            forget()
            return None

    def save_or_forget(signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError as error:
            forget()
            _cannot_keep(f"{Path(store.cache_path).parent}: {error.strerror or error}")

    store.load_overload, store.save_overload = load_or_forget, save_or_forget
    return dispatcher


@cache
def _cannot_keep(reason: str) -> None:
    """Log a warning, once per reason."""
    logging.getLogger(__name__).warning(
        "The compiled engine cannot be stored (%s): it is compiled again at the next start.", reason
    )

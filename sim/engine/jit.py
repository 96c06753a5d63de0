"""Compile and cache step loops; rebuild a corrupt cache. How numba is made to do so is in `compiler`."""

from __future__ import annotations

import gc
import hashlib
import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import IO, Any

import numba
import numba.extending
from numba import types
from repose.sim.engine.compiler import (
    FusedCompiler,
    InnerCompiler,
    call_address,
    global_compiler_lock,
    index_key,
    index_path,
    store_of,
    stored_keys,
    watch_store,
)

LONGEST_WAIT = 600
"""Time after which a function is compiled although another process still holds the lock, on Windows [s]."""

OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": False}
"""Options of all compiled loops. Reference counting is off: the caller owns all arrays, and kernels never allocate.
Counting took a fifth of the compile time, and of the time of a step of a thousand grains.

fastmath is off: its flags remove the tests for numbers that are not finite.
"""

if sys.platform == "win32":
    import msvcrt

    def lock_file(file: IO[bytes]) -> None:
        """Wait until no other process has locked this file, and lock it until it is closed."""
        for _ in range(LONGEST_WAIT // 10):
            with suppress(OSError):
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # tries for ten seconds
                return
else:
    import fcntl

    def lock_file(file: IO[bytes]) -> None:
        """Wait until no other process has locked this file, and lock it until it is closed."""
        fcntl.flock(file, fcntl.LOCK_EX)


INNER = {"no_cfunc_wrapper": True, "pipeline_class": InnerCompiler}
"""Options of the functions inside a loop, which only compiled code calls. Without them numba optimises each of the 170
functions of a step together with its callees and makes unused machine code of it: half of the compile time."""


def compilable(function: Callable | None = None, **options: Any) -> Any:
    """Decorator: compiled code may call the function, Python calls it as it is; with or without numba's `options`."""
    mark = numba.extending.register_jitable(**INNER, **options)
    return mark if function is None else mark(function)


def overload(function: Callable, **options: Any) -> Any:
    """Decorator: compiled code calls a variant of `function` that the types of the arguments select; with numba's
    `options`."""
    return numba.extending.overload(function, jit_options=INNER | options)


def call(part: Any, argument: Any) -> int:
    """part(argument). In compiled code `part` is the address of a separately compiled function (`address_of`), which
    costs no more than passing the argument, or a function that is compiled here."""
    return int(part(argument))


@overload(call)
def _call(part, argument):  # type: ignore[no-untyped-def]  # numba compares its signature with that of the variants
    if isinstance(part, types.Integer):
        return lambda part, argument: call_address(part, argument)
    return lambda part, argument: part(argument)


SIM = Path(__file__).resolve().parents[1]
"""Folder of the package `repose.sim`."""

COMPILED_FROM = ("engine", "laws", "integrators", "fields", "bonds")
"""Packages of `sim` that contain the functions of a step loop."""


@cache
def fingerprint() -> str:
    """Digest of all sources from which a step loop is compiled: cached code is reused only for equal sources.

    A loop must mention the digest in its body, which makes it part of the closure and of the cache key: numba itself
    notices edits in one file only, and would run old code after an edit of a law.
    """
    digest = hashlib.sha256()
    for path in sorted(path for part in COMPILED_FROM for path in (SIM / part).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def plugin_sources(loop: Callable) -> str:
    """Digest of the files outside `sim` whose functions a loop closes over, such as a plug-in's law; empty if there are
    none."""
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


def compiled_part(function: Callable, fused: bool = False) -> Any:
    """A function of one argument that returns an integer, compiled separately; otherwise as `compiled`. `fused`: a
    product and the sum with it may be rounded once."""
    options = {"pipeline_class": FusedCompiler} if fused else {}
    return compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)


def compiled(loop: Callable, **options: Any) -> Any:
    """The loop, compiled at its first call or loaded from the cache. A corrupt cache is removed and rebuilt; without a
    writable folder the loop is compiled without a cache."""
    if foreign := plugin_sources(loop):
        # A plug-in gets cache files of its own: numba does not notice edits of a plug-in, and a process without the
        # plug-in cannot read an index that names its types.
        loop.__qualname__ += f".plugin-{foreign}"
    try:
        dispatcher: Any = numba.njit(cache=True, **OPTIONS, **options)(loop)
    except RuntimeError:  # numba found no writable folder
        _cannot_keep("no folder can be written to")
        return numba.njit(**OPTIONS, **options)(loop)
    store = store_of(dispatcher)
    compile_now = dispatcher.compile

    def compile_once(signature: Any) -> Any:
        # numba's lock comes first: a thread that holds it and compiles the same function would wait here for ever.
        with global_compiler_lock, _only_process(store, signature), _collector_off():
            return compile_now(signature)

    dispatcher.compile = compile_once

    def forget() -> None:
        """Remove the index: a file that it names can be cut, or belong to another loop that had the same number."""
        with suppress(OSError):
            index_path(store).unlink()

    def load_or_forget(load: Callable, signature: Any, target: Any) -> Any:
        try:
            return load(signature, target)
        except (AttributeError, ImportError):  # stored by another version, whose types have other names
            forget()
            return None
        except Exception as error:  # a cut or foreign file can raise any error in the unpickler
            logging.getLogger(__name__).warning("The cache of compiled code is damaged (%s): compiling again.", error)
            forget()
            return None

    def save_or_forget(save: Callable, signature: Any, code: Any) -> None:
        try:
            save(signature, code)
        except OSError as error:
            forget()
            _cannot_keep(f"{Path(store.cache_path).parent}: {error.strerror or error}")

    watch_store(store, load_or_forget, save_or_forget)
    return dispatcher


def is_stored(dispatcher: Any) -> bool:
    """Whether numba's index names a compiled version of this function for this processor and these sources; numba has
    no public function for this."""
    with suppress(Exception):  # a damaged index: then the function counts as not stored
        own = index_key(store_of(dispatcher), None)[1:]
        return any(key[1:] == own for key in stored_keys(store_of(dispatcher)))
    return False


@contextmanager
def _only_process(store: Any, signature: Any) -> Iterator[None]:
    """Wait while another process compiles the same function; its code is then found on disk. The system releases the
    lock of a process that ends. If files cannot be locked, both processes compile."""
    with ExitStack() as stack:
        with suppress(OSError):
            name = hashlib.sha256(repr(index_key(store, signature)).encode()).hexdigest()[:16]
            path = Path(store.cache_path) / f"{name}.lock"
            path.parent.mkdir(parents=True, exist_ok=True)
            stack.callback(_remove, path)
            lock_file(stack.enter_context(path.open("ab")))
        yield


def _remove(path: Path) -> None:
    with suppress(OSError):  # on Windows: another process has opened the file
        path.unlink()


@contextmanager
def _collector_off() -> Iterator[None]:
    """Switch Python's cyclic garbage collector off inside the block: while numba compiles, the collector would take a
    third of the time to scan millions of objects that are still in use."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@cache
def _cannot_keep(reason: str) -> None:
    """Log a warning that compiled code is not stored, once per reason."""
    logging.getLogger(__name__).warning(
        "The compiled engine cannot be stored (%s): it is compiled again at the next start.", reason
    )

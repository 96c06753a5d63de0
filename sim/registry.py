"""Find records by name: laws, integrators, fields, bonds, scenes, measurements, instruments and studies.

No registration is needed. Four places are searched: the modules of a package of `sim`, the user's plug-in folder,
installed packages with the entry point `repose.plugins`, and files named on the command line. A module offers its
records under the names in `OFFERS`. A plug-in that fails to import is reported in one sentence, and the program
continues without it.

Packages below the scenes import this module; the packages of the records are therefore imported only when a record is
requested.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial
from importlib import metadata
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import platformdirs
from repose.sim.wording import described, is_own, reason_of, short, value_text

OFFERS = {
    "laws": "LAW",
    "laws.properties": "PROPERTY",
    "integrators": "INTEGRATORS",
    "fields": "FIELD",
    "bonds": "BOND",
    "measure": "MEASUREMENT",
    "instruments": "INSTRUMENT",
    "scenes": "SCENE",
    "colours": "COLOUR",
    "study.studies": "STUDY",
}
"""By package of `sim`: the name under which a module offers a record or a tuple of records."""

ENTRY_POINTS = "repose.plugins"
FOLDER = "REPOSE_PLUGINS"
"""Environment variable that sets another plug-in folder."""
PREFIX = "repose_plugins"
"""Package under which the files of plug-ins are imported."""
LONGEST_NAME = 60
"""Largest number of characters of the name of a record."""
LONGEST_REASON = 300
"""Largest number of characters of a sentence of Repose about a plug-in."""


class PluginError(ValueError):
    """Why a plug-in cannot be used, in one sentence."""


class Plugin(NamedTuple):
    """One plug-in, usable or not."""

    source: str
    """File or installed package."""
    module: ModuleType | None
    trouble: str
    """Why the plug-in is not used, in one sentence; empty if it is used."""

    @property
    def offers(self) -> list[str]:
        """Kinds and names of the records of the plug-in, such as "law springy"."""
        names = {
            "laws": "law",
            "laws.properties": "property",
            "integrators": "integrator",
            "fields": "field",
            "bonds": "bond law",
            "scenes": "scene",
            "colours": "colour",
            "measure": "measurement",
            "instruments": "instrument",
            "study.studies": "study",
        }
        return [
            f"{names[kind]} {record.name}"
            for kind in OFFERS
            for record in (records_of(self.module, kind) if self.module else ())
        ]


while_importing: Callable[[str], AbstractContextManager[Any]] = nullcontext
"""Makes the context in which the plug-in from a source is imported; the command line sets it."""
_added: list[Plugin] = []
"""Plug-ins from files named on the command line."""
_read: list[Plugin] | None = None
"""Plug-ins of installed packages and of the folder; None before they are read."""
_clashes: dict[tuple[str, str], str] = {}
"""Sentences about records whose names are taken already, by source and name."""


def records(kind: str) -> dict[str, Any]:
    """Every record of a kind by its name; `kind` is a key of `OFFERS`. Shipped records come first."""
    return _records(kind)


def by_hand() -> ModuleType:
    """The module that makes the scenes of scripts, which are in no list, from what a script or a saved run gives."""
    return importlib.import_module("repose.sim.scenes.common.by_hand")


def scenes() -> dict[str, Any]:
    """Every scene by name."""
    return records("scenes")


def default_scene() -> str:
    """Name of the scene of an experiment, a study or a run that names none."""
    return str(importlib.import_module("repose.sim.scenes").DEFAULT)


def laws() -> dict[str, Any]:
    """Every contact law by name."""
    return records("laws")


def integrators() -> dict[str, Any]:
    """Every integrator by name."""
    return records("integrators")


def fields() -> dict[str, Any]:
    """Every field by name."""
    return records("fields")


def bonds() -> dict[str, Any]:
    """Every bond law by name."""
    return records("bonds")


def measurements() -> dict[str, Any]:
    """Every measurement by name."""
    return records("measure")


def instruments() -> dict[str, Any]:
    """Every kind of instrument by name."""
    return records("instruments")


def studies() -> dict[str, Any]:
    """Every study by name."""
    return records("study.studies")


def extra_modules() -> list[ModuleType]:
    """The modules of all plug-ins that could be imported."""
    return [plugin.module for plugin in plugins() if plugin.module is not None]


def plugins() -> list[Plugin]:
    """Every plug-in, usable or not, in the order in which they are read.

    While plug-ins are imported, only those imported so far are returned: a plug-in can import a scene, which requests
    laws.
    """
    global _read
    if _read is None:
        _read = []
        for plugin in _installed_and_in_folder():
            _read.append(plugin)
        _records.cache_clear()
    return [*_read, *_added]


def troubles() -> list[str]:
    """Why plug-ins or some of their records are not used: one sentence each."""
    for kind in OFFERS:
        _records(kind)
    return [*(plugin.trouble for plugin in plugins() if plugin.trouble), *_clashes.values()]


def clashes_of(module: ModuleType) -> list[str]:
    """Why records of the module are not used: their names exist already. One sentence each."""
    for kind in OFFERS:
        _records(kind)
    sources = {plugin.source for plugin in plugins() if plugin.module is module}
    return [sentence for (source, _), sentence in _clashes.items() if source in sources]


def plugin_folder() -> Path:
    """The folder whose Python files are plug-ins; it need not exist."""
    return Path(os.environ.get(FOLDER) or Path(platformdirs.user_data_dir("repose", appauthor=False)) / "plugins")


def add_file(path: str | Path) -> ModuleType:
    """Import a Python file as a plug-in and return its module; raises `PluginError`."""
    path = Path(path).absolute()
    known = next((plugin for plugin in plugins() if plugin.module and plugin.source == str(path)), None)
    if known is not None and known.module is not None:
        return known.module
    plugin = _imported(str(path), lambda: _module_of(path))
    if plugin.module is None:
        raise PluginError(plugin.trouble)
    _added.append(plugin)
    _records.cache_clear()
    return plugin.module


def add_module(module: ModuleType) -> None:
    """Treat a module that was made while the program runs as a plug-in; it replaces an earlier one of the same name."""
    plugins()
    _added[:] = [plugin for plugin in _added if plugin.source != module.__name__]
    _added.append(Plugin(module.__name__, module, ""))
    _records.cache_clear()


def forget_plugins() -> None:
    """Remove all plug-ins, so that the next request reads the folder again; modules stay imported."""
    global _read
    _read = None
    _added.clear()
    _clashes.clear()
    _records.cache_clear()


@cache
def _records(kind: str) -> dict[str, Any]:
    extra = plugins()  # first, because plug-ins can import shipped scenes, which must be imported completely
    root = importlib.import_module(f"repose.sim.{kind}")
    records: dict[str, Any] = {}
    for entry in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        for record in records_of(importlib.import_module(entry.name), kind):
            records[record.name] = record
    for plugin in extra:
        for record in records_of(plugin.module, kind) if plugin.module else ():
            if record.name in records:
                _clashes[plugin.source, record.name] = (
                    f"The plug-in {short(plugin.source)} offers '{record.name}' in {kind}, which exists already: "
                    "rename it."
                )
            else:
                records[record.name] = record
    return records


def plots_of(scene: str) -> tuple[str, ...]:
    """Names of all plots of a scene, from the beginning of a run on or later."""
    names: tuple[str, ...] = importlib.import_module("repose.sim.experiment.changes").offered_plots(scene)
    return names


def records_of(module: ModuleType, kind: str) -> tuple[Any, ...]:
    """The records of a kind that a module offers."""
    return records_in(module, OFFERS[kind])


def records_in(module: ModuleType, name: str) -> tuple[Any, ...]:
    """The record or the tuple of records that a module offers under a name; empty if it offers none."""
    offered = getattr(module, name, ())
    return offered if isinstance(offered, tuple) else (offered,)


def _installed_and_in_folder() -> Iterator[Plugin]:
    for point in metadata.entry_points(group=ENTRY_POINTS):
        yield _imported(point.value, point.load)
    folder = plugin_folder()
    try:
        files = sorted(path for path in folder.glob("*.py") if not path.name.startswith("_"))
    except OSError as error:
        yield Plugin(str(folder), None, f"The plug-in folder {folder} cannot be read: {reason_of(error)}.")
        return
    for path in files:
        yield _imported(str(path), partial(_module_of, path))


def _imported(source: str, load: Callable[[], Any]) -> Plugin:
    """The plug-in that `load` imports, or the reason why it cannot be used."""
    with while_importing(source):
        try:
            module = load()
            if not isinstance(module, ModuleType):
                raise PluginError("its entry point must name a module")
            for kind in OFFERS:
                for record in records_of(module, kind):
                    _require_name(OFFERS[kind], record)
        except KeyboardInterrupt:
            raise
        except SystemExit:
            reason = "it ends the program while it is imported"
        except PluginError as error:
            reason = str(error)
        except BaseException as error:  # the module of a user can raise any error while it is imported
            reason = short(str(reason_of(error)), LONGEST_REASON) if is_own(error) else described(error, whole=True)
        else:
            return Plugin(source, module, "")
    return Plugin(source, None, f"The plug-in {short(source)} is not used: {reason}.")


def _require_name(offered: str, record: Any) -> None:
    """Raise `PluginError` unless a record has a name that can be typed and printed."""
    name = getattr(record, "name", None)
    if not isinstance(name, str):
        raise PluginError(f"{offered} is not a record with a name")
    if not (0 < len(name) <= LONGEST_NAME and name.isprintable()):
        raise PluginError(
            f"{offered} has the name {value_text(name, LONGEST_NAME)} of {len(name)} characters, and a name has 1 to "
            f"{LONGEST_NAME} printable ones"
        )


class _AsWritten(SourceFileLoader):
    """Compiles a file at every import. Python identifies cached bytecode by the length of the file and the second of
    its last change, and would run old code after an edit within that second."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)


def _module_of(path: Path) -> ModuleType:
    """The module of a file, imported under a name of its own: numba's cache on disk finds classes by module name."""
    if not path.is_file():
        raise PluginError("there is no such file")
    if path.suffix != ".py":
        raise PluginError("a plug-in is a Python file whose name ends in .py")
    package = sys.modules.setdefault(PREFIX, ModuleType(PREFIX))
    package.__path__ = []
    name = f"{PREFIX}.{path.stem}"
    if getattr(sys.modules.get(name), "__file__", str(path)) != str(path):  # a file of the same name in another folder
        name += f"_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path, loader=_AsWritten(name, str(path)))
    if spec is None or spec.loader is None:
        raise PluginError("it cannot be read as a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module

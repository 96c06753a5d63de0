"""Conditions of every test: no file of the user is touched, and in CI no test is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from repose.app.jobs.doctor import PROBE
from repose.app.storage.engine_cache import choose_engine_cache

from tests.sharing import OneCompiles, in_order, rewrite_in_turn

ROOT = Path(__file__).resolve().parent.parent
IN_CI = os.environ.get("CI", "").lower() in ("1", "true", "yes")

if os.environ.pop("PYTHONDONTWRITEBYTECODE", None) is not None:
    # Tests start hundreds of programs: without bytecode on disk each of them compiles a thousand modules again.
    sys.dont_write_bytecode = False
os.environ.setdefault(
    "OPENBLAS_NUM_THREADS", "1"
)  # threads that wait for each other take five times the processor time
os.environ.setdefault("LP_NUM_THREADS", "0")  # software OpenGL draws small pictures fastest without threads of its own
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
choose_engine_cache()
settings.register_profile("untimed", parent=settings(), deadline=None)
settings.load_profile("untimed")  # no test measures wall time: a busy machine exceeds hypothesis' 200 ms per example


@pytest.fixture(autouse=True, scope="session")
def private_folders(tmp_path_factory: pytest.TempPathFactory) -> Generator[None]:
    """Settings, presets and films of the user are neither read nor written."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_VIDEOS_DIR"):
            patch.setenv(name, str(tmp_path_factory.mktemp(name.lower())))
        yield


@pytest.fixture
def uncompiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine as plain Python: any choice of formulas without waiting for the compiler."""
    from tests.small_worlds import use_plain_engine

    use_plain_engine(monkeypatch)


@pytest.fixture(autouse=True, scope="session")
def nothing_is_compiled_beside() -> Generator[None]:
    """No test starts a process that compiles what the test may never need: the workers have all processors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("repose.sim.experiment.compile_beside.available", lambda: 1)
        yield


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneCompiles | None:
    """Files go to workers as `tests.sharing` says, unless another way is asked for."""
    if config.getoption("dist") != "loadfile":
        return None
    config.option.loadscopereorder = False
    return OneCompiles(config, log)


def pytest_collection(session: pytest.Session) -> None:
    """Every worker collects all tests: let each rewrite other files first, and read the rest from disk."""
    rewrite_in_turn([session.config.rootpath / argument.split("::")[0] for argument in session.config.args])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Workers take tests in the order in which they are collected."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        items[:] = in_order(items)


@cache
def missing_for_gl() -> str:
    """Why nothing can be drawn off-screen here, or an empty string."""
    done = subprocess.run([sys.executable, "-c", PROBE], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return ""
    return (done.stderr.strip().splitlines() or [f"the OpenGL probe ended with code {done.returncode}"])[-1]


@cache
def missing_for_gui() -> str:
    """Why no real window can be driven here, or an empty string."""
    missing = [name for name in ("Xvfb", "xdotool", "openbox") if shutil.which(name) is None]
    return f"not installed: {', '.join(missing)}" if missing else missing_for_gl()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip what this machine cannot show, with the reason."""
    for marker, missing in (("gl", missing_for_gl), ("gui", missing_for_gui)):
        if item.get_closest_marker(marker) is not None and (reason := missing()):
            pytest.skip(f"needs {'OpenGL' if marker == 'gl' else 'a window'}: {reason}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any]:
    """In CI a skipped test is a failed one: what is not run there is run nowhere."""
    report = (yield).get_result()
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, which CI does not allow: {report.longrepr}"


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any]:
    """The same for files that skip themselves while they are collected."""
    report = (yield).get_result()
    if IN_CI and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} was skipped, which CI does not allow: {report.longrepr}"

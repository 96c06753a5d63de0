"""Records from files outside the program: found without registration, refused in one sentence if they fail."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.cli.terminal import table
from repose.app.jobs import doctor
from repose.app.signals import INTERRUPTED, SIGNALS
from repose.sim import registry
from repose.sim.parameters import ParameterError

from tests.app.program import UNIX, start

LAW = """
from dataclasses import replace
from repose.sim.laws.lee_herrmann import LAW as LEE_HERRMANN

LAW = replace(LEE_HERRMANN, name="twin")
"""
INTEGRATOR = """
from dataclasses import replace
from repose.sim.integrators.leapfrog import INTEGRATORS as LEAPFROG

INTEGRATORS = (replace(LEAPFROG[0], name="frog", title="Frog"),)
"""
MEASUREMENT = """
from dataclasses import replace
from repose.sim.measure.mean_speed import MEASUREMENT as MEAN_SPEED

MEASUREMENT = replace(MEAN_SPEED, name="other_speed")
"""
FIELD = """
from dataclasses import replace
from repose.sim.fields.liquid import FIELD as LIQUID

FIELD = replace(LIQUID, name="oil")
"""
BOND = """
from dataclasses import replace
from repose.sim.bonds.spring import BOND as SPRING

BOND = replace(SPRING, name="rubber")
"""
SCENE = """
from dataclasses import replace
from repose.sim.scenes.heap.scene import SCENE as HEAP

SCENE = replace(HEAP, name="{name}", title="My heap")
"""


UNPRINTABLE = """
class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError("no text")

raise Unprintable
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """An empty plug-in folder."""
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    yield tmp_path
    monkeypatch.undo()
    registry.forget_plugins()


def test_without_plug_ins_everything_shipped_is_found() -> None:
    assert registry.plugins() == []
    assert registry.troubles() == []
    assert {"heap", "hourglass", "bounce"} <= registry.scenes().keys()
    assert {"lee_herrmann", "hertz_mindlin"} <= registry.laws().keys()
    assert {"gear5", "leapfrog"} <= registry.integrators().keys()
    assert {"liquid", "central_gravity", "target"} <= registry.fields().keys()
    assert {"spring", "beam"} <= registry.bonds().keys()


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        (LAW, "laws", "twin"),
        (INTEGRATOR, "integrators", "frog"),
        (FIELD, "fields", "oil"),
        (BOND, "bonds", "rubber"),
        (MEASUREMENT, "measure", "other_speed"),
        (SCENE.format(name="mine"), "scenes", "mine"),
    ],
)
def test_a_file_in_the_plug_in_folder_adds_a_record(folder: Path, text: str, kind: str, name: str) -> None:
    (folder / "extra.py").write_text(text)
    registry.forget_plugins()
    assert registry.records(kind)[name].name == name
    assert [plugin.trouble for plugin in registry.plugins()] == [""]
    assert registry.plugins()[0].offers


def test_the_integrator_of_a_plug_in_can_be_chosen_in_every_scene(folder: Path) -> None:
    parameters = registry.scenes()["heap"].parameters
    with pytest.raises(
        ParameterError, match=r"^integrator = 'frog' is refused: it must be 'gear3' or .*'; the default"
    ):
        parameters.checked({"integrator": "frog"})
    (folder / "extra.py").write_text(INTEGRATOR)
    registry.forget_plugins()
    assert parameters.checked({"integrator": "frog"}).integrator == "frog"
    assert "frog" in parameters.declared()["integrator"].choices


def test_plug_ins_can_request_records_during_their_import(folder: Path) -> None:
    (folder / "a.py").write_text(
        SCENE.format(name="mine") + "from repose.sim import registry\nKNOWN = {*registry.laws()}"
    )
    (folder / "b.py").write_text(LAW)
    registry.forget_plugins()
    assert {"mine", "heap"} <= registry.scenes().keys()
    assert {"twin", "lee_herrmann"} <= registry.laws().keys()
    assert registry.troubles() == []
    module = registry.extra_modules()[0]
    assert "lee_herrmann" in module.KNOWN
    assert "twin" not in module.KNOWN


def test_a_file_is_added_once_by_its_path(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "mine.py"
    path.write_text(SCENE.format(name="mine"))
    assert registry.add_file(path) is registry.add_file(path)
    assert "mine" in registry.scenes()


def test_a_file_edited_within_one_second_to_text_of_the_same_length_is_imported_as_it_is_now(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("elsewhere") / "edited.py"
    for value in (1, 2):
        path.write_text(f"VALUE = {value}")
        os.utime(path, (0, 0))
        assert value == registry.add_file(path).VALUE
        registry.forget_plugins()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import no_such_module_here", "No module named 'no_such_module_here'"),
        ("raise SystemError('at once')", "at once"),
        ("import sys; sys.exit(5)", "it ends the program while it is imported"),
        ("def (", "SyntaxError"),
        ("SCENE = 7", "SCENE is not a record with a name"),
        (LAW.replace("twin", ""), "LAW has the name '' of 0 characters"),
        (LAW.replace("twin", "\\x1b[2J\\x1b]0;title\\x07"), r"the name '\x1b[2J\x1b]0;title\x07' of 14 characters"),
        (LAW.replace("twin", 60_000 * "x"), "of 60000 characters, and a name has 1 to 60 printable ones"),
        (UNPRINTABLE, "is not used: Unprintable."),
        ("raise ValueError('\\x1b[2J' + 60_000 * 'x')", r"ValueError: \x1b[2Jxxx"),
    ],
)
def test_a_plug_in_that_fails_is_reported_in_one_sentence_and_hides_no_record(
    folder: Path, text: str, said: str
) -> None:
    (folder / "bad.py").write_text(text)
    (folder / "good.py").write_text(LAW)
    registry.forget_plugins()
    assert "twin" in registry.laws()
    (trouble,) = registry.troubles()
    assert said in trouble
    assert str(folder / "bad.py") in trouble
    assert trouble.isprintable()
    assert len(trouble) < 500


def test_a_plug_in_can_extend_a_shipped_scene_that_a_script_has_imported_first(folder: Path) -> None:
    (folder / "mine.py").write_text(SCENE.format(name="mine"))
    assert "from repose.sim.scenes" in SCENE
    script = "from repose.sim.scenes.heap.scene import SCENE; from repose.sim import registry as r; "
    script += "print('mine' in r.scenes(), r.troubles())"
    environment = os.environ | {registry.FOLDER: str(folder)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=False)
    assert (done.stdout.strip(), done.stderr) == ("True []", "")


def test_a_record_does_not_replace_one_of_the_same_name(folder: Path) -> None:
    shipped = registry.scenes()["heap"]
    (folder / "clash.py").write_text(SCENE.format(name="heap"))
    registry.forget_plugins()
    assert registry.scenes()["heap"] is shipped
    assert "'heap' in scenes, which exists already" in registry.troubles()[0]


@pytest.mark.parametrize("name", ["missing.py", "scene.txt"])
def test_a_file_that_is_no_module_is_refused(folder: Path, name: str) -> None:
    if name != "missing.py":
        (folder / name).write_text(SCENE)
    with pytest.raises(registry.PluginError, match="not used"):
        registry.add_file(folder / name)


def repose(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {registry.FOLDER: str(folder)}
    command = [sys.executable, "-m", "repose.app", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_command_line_lists_plug_ins_and_names_those_that_fail(folder: Path) -> None:
    (folder / "mine.py").write_text(SCENE.format(name="mine"))
    (folder / "broken.py").write_text("import no_such_module_here")
    listed = repose("scenes", folder=folder)
    assert listed.returncode == 0
    assert "My heap" in listed.stdout
    assert "broken.py is not used" in listed.stderr
    assert "Traceback" not in listed.stderr


def test_doctor_lists_what_plug_ins_offer_and_why_one_is_not_used(folder: Path) -> None:
    (folder / "mine.py").write_text(SCENE.format(name="mine"))
    (folder / "broken.py").write_text("import no_such_module_here")
    (folder / "clash.py").write_text(SCENE.format(name="heap"))
    registry.forget_plugins()
    found = doctor._plugins()
    assert [finding.value for finding in found if "scene mine" in finding.value]
    advice = [finding.advice for finding in found if finding.advice]
    assert len(advice) == 2
    assert "no_such_module_here" in advice[0]
    assert "exists already" in advice[1]


def test_a_file_without_a_scene_is_not_run(
    folder: Path, tmp_path_factory: pytest.TempPathFactory, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path_factory.mktemp("work") / "law.py"
    path.write_text(LAW)
    assert run_command_line(["run", str(path)]) == 2
    assert "offers 0 scenes" in capsys.readouterr().err


def test_a_scene_is_run_from_a_file(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    work = tmp_path_factory.mktemp("work")
    (work / "mine.py").write_text(SCENE.format(name="mine"))
    # The loop of the heap, which other tests compile too.
    done = repose(
        *("run", str(work / "mine.py"), "--set", "grain_count=3", "--set", "width=0.005", "--until", "0.002"),
        *("--no-picture", "--json", "--out", str(work / "out")),
        folder=folder,
    )
    assert done.returncode == 0, done.stderr
    assert '"scene": "mine"' in done.stdout


@pytest.mark.parametrize("arguments", [["run", "FILE"], ["--plugin", "FILE", "run", "heap"], ["--plugin", "FILE"]])
def test_a_file_whose_record_is_not_used_is_refused(
    arguments: list[str],
    folder: Path,
    tmp_path_factory: pytest.TempPathFactory,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path_factory.mktemp("work") / "mine.py"
    path.write_text(SCENE.format(name="heap"))
    monkeypatch.setattr("repose.app.jobs.headless_job._simulate", lambda *_: pytest.fail("another scene was run"))
    monkeypatch.setattr("repose.app.jobs.doctor.has_display", lambda: False)
    assert run_command_line([str(path) if word == "FILE" else word for word in arguments]) == 2
    assert "offers 'heap' in scenes, which exists already: rename it." in capsys.readouterr().err


def test_texts_of_a_plug_in_are_printed_without_control_characters_and_short(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = SCENE.format(name="mine").replace("My heap", "\\x1b[2J\\x1b]0;title\\x07" + 60_000 * "x")
    (folder / "mine.py").write_text(hostile)
    (folder / "drawn.py").write_text("class Drawn:\n    name = '\\x1b[2J' + 60_000 * 'x'\n\nPANEL = Drawn(), Drawn()\n")
    (folder / "\x1b[2J.py").write_text("raise Exception")
    registry.forget_plugins()
    assert run_command_line(["scenes"]) == 0
    told = capsys.readouterr()
    table(("check", "found", "what to do"), [(row.name, row.value, row.advice) for row in doctor._plugins()])
    for text in (told.out, told.err, capsys.readouterr().out):
        assert "\x1b" not in text
        assert "\\x1b[2J" in text
        assert len(text) < 20_000


@UNIX
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("swallowed", [False, True])
def test_a_signal_while_a_plug_in_is_imported_ends_the_command(
    number: signal.Signals, swallowed: bool, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = f"import os\ntry:\n    os.kill(os.getpid(), {int(number)})\nfinally:\n    pass\n"
    (folder / "plain.py").write_text(text.replace("finally", "except BaseException") if swallowed else text)
    with start(["scenes"], tmp_path_factory.mktemp("here"), **{registry.FOLDER: str(folder)}) as program:
        said, told = program.communicate(timeout=60)
    assert (program.returncode, said, told) == (INTERRUPTED, "", "Stopped.\n")


@UNIX
@pytest.mark.parametrize("command", ["doctor", "scenes"])
def test_a_plug_in_that_never_ends_is_named_and_can_be_stopped(
    command: str, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (folder / "endless.py").write_text("while True:\n    pass\n")
    with start([command], tmp_path_factory.mktemp("here"), **{registry.FOLDER: str(folder)}) as program:
        assert program.stderr is not None
        named = program.stderr.readline()
        program.send_signal(signal.SIGINT)
        said, told = program.communicate(timeout=60)
    assert f"The plug-in {folder / 'endless.py'} is still being read after 2 s" in named
    assert (program.returncode, said, told) == (INTERRUPTED, "", "Stopped.\n")

"""A scene outside the tree with phases of its own: lectures, films, studies, restarts, side by side, saved runs."""

from __future__ import annotations

import copy
import io
import json
from collections.abc import Generator
from dataclasses import MISSING, fields, replace
from pathlib import Path

import pytest
from repose.app.cli.subcommands import run_command_line
from repose.app.lectures.answers import answer_of
from repose.app.lectures.lecture_file import GuessQuestion, parse
from repose.app.lectures.step_course import LectureCourse, goes_on
from repose.app.render.colours import AUTOMATIC, shown_as
from repose.app.render.director import film_colour
from repose.app.render.pacing import pacer
from repose.sim import registry
from repose.sim.experiment import saved_run
from repose.sim.experiment.changes import new_experiment, offered_plots, resumed_experiment
from repose.sim.experiment.commands import Act, SetParameters, Start, StartSideBySide
from repose.sim.experiment.control import apply, carry_out
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment, Scene
from repose.sim.experiment.headless import run_experiment
from repose.sim.experiment.history import saved_copy
from repose.sim.experiment.named_records import readings_of
from repose.sim.experiment.results import state_hash
from repose.sim.experiment.side_by_side import SideBySide, advance_all
from repose.sim.experiment.snapshot import Snapshot
from repose.sim.experiment.stepping import advance, at_rest, is_finished
from repose.sim.experiment.take_snapshot import take_snapshot
from repose.sim.io.archive import ArchiveError
from repose.sim.message import plain
from repose.sim.parameters import ParameterError
from repose.sim.registry import scenes
from repose.sim.scene_fields import EXAMPLES, RECORDS, SceneRecord
from repose.sim.study.parallel_runs import StoredStage, result_text
from repose.sim.study.plan import StudyPlan

from tests.small_worlds import use_plain_engine

FURNACE = """
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Le
from repose.sim.direction import Direction
from repose.sim.engine.builder import add_spheres, empty_world
from repose.sim.engine.world import World
from repose.sim.experiment.changes import begin_anew
from repose.sim.experiment.experiment import Course, ModelChoice, Scene, SceneView
from repose.sim.experiment.phase import Pace, Phase
from repose.sim.experiment.snapshot import Action
from repose.sim.laws.voigt import VoigtParameters
from repose.sim.parameters import Quantity
from repose.sim.scenes.common.motion_parameters import MotionParameters

LASTS = 0.05
PHASES = (
    Phase("cold", "cold", begun=False),
    Phase("heating", "heating", runs=True, pace=Pace(1.0, "share")),
    Phase("molten", "molten"),
    Phase("pouring", "pouring", runs=True, pace=Pace(2.0, "share")),
    Phase("solid", "solid", ends=True),
)


class FurnaceParameters(MotionParameters, VoigtParameters):
    grains: Annotated[int, Ge(1), Le(9), Quantity("grains", "", effect="restart")] = 1


@dataclass
class FurnaceState:
    phase: str = "cold"
    since: float = 0.0
    run_all: bool = False


def begin(parameters, seed) -> tuple[World, FurnaceState]:
    world = empty_world(2, 0, skin=3e-4, materials=2)
    return add_spheres(world, [(0.01 * k, 0.0) for k in range(parameters.grains)], 1e-3, 1e-5), FurnaceState()


def enter(experiment, phase):
    experiment.run.state.phase, experiment.run.state.since = phase, experiment.time


def supervise(experiment):
    state = experiment.run.state
    over = experiment.time >= state.since + LASTS
    if state.phase == "heating" and over:
        enter(experiment, "molten")
    elif state.phase == "molten" and state.run_all:
        enter(experiment, "pouring")
    elif state.phase == "pouring" and over:
        enter(experiment, "solid")
        state.run_all = False


def actions(experiment):
    phase = experiment.phase
    return (
        Action("heat", "Heat", "F", phase == "cold", ""),
        Action("pour", "Pour", "O", phase == "molten", ""),
        Action("reset", "Reset", "R", True, ""),
        Action("run", "Run all", "A", phase in ("cold", "solid"), ""),
    )


def act(experiment, action):
    if action == "reset" or experiment.phase == "solid":
        begin_anew(experiment)
    if action != "reset":
        experiment.run.state.run_all = action == "run"
        enter(experiment, "pouring" if action == "pour" else "heating")
    return f"{action}."


def describe(experiment):
    state = experiment.run.state
    share = min(1.0, (experiment.time - state.since) / LASTS) if state.phase in ("heating", "pouring") else None
    return state.phase, f"{state.phase}: {experiment.time:.2f} s", share


SCENE = Scene(
    name="furnace",
    title="Furnace",
    summary="A grain is heated and poured.",
    direction=Direction(see="It melts.", colour="size", plot="motion", speed=0.5, speeds={"solid": 2.0}, seconds=5.0),
    parameters=FurnaceParameters,
    model=ModelChoice(law="voigt", dimension=2, smallest_grain=lambda parameters: (1e-5, 1e-3)),
    course=Course(
        begin=begin,
        supervise=supervise,
        actions=actions,
        act=act,
        phases=PHASES,
        describe=describe,
        results=lambda experiment: {"phase": experiment.phase, "grains": int(experiment.run.built.grains)},
        check=lambda experiment: "",
        under_way=lambda experiment: experiment.run.state.run_all or experiment.present_phase.runs,
    ),
    view=SceneView(
        box=lambda experiment: ((-0.01, -0.1), (0.01, 0.01)),
    ),
)
"""
BOX = "        box=lambda experiment: ((-0.01, -0.1), (0.01, 0.01)),\n"
VALUES = {"dt": 1e-4}
STEP = '[[step]]\ntitle = "Melt"\nscene = "furnace"\nparameters = { dt = 1e-4 }\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Path]:
    """The plug-in folder with the scene."""
    (tmp_path / "furnace.py").write_text(FURNACE)
    monkeypatch.setenv(registry.FOLDER, str(tmp_path))
    registry.forget_plugins()
    use_plain_engine(monkeypatch)
    yield tmp_path
    monkeypatch.undo()
    registry.forget_plugins()


def shot(experiment: Experiment) -> Snapshot:
    snapshot = Snapshot()
    take_snapshot(experiment, snapshot)
    return snapshot


def end_of_step(step: str) -> Experiment:
    """The experiment when the lecture's step is over."""
    course = LectureCourse.of(parse(step, "melt.toml").steps[0])
    experiment = new_experiment("furnace", VALUES)
    for _ in range(40):
        seen = shot(experiment)
        if action := course.due(seen):
            assert not apply(experiment, Act(action))
            course.did()
        elif course.is_over(seen):
            return experiment
        advance(experiment, CHECK_STEPS)
    raise AssertionError(f"The step does not end: {experiment.phase}.")


def test_a_lecture_stays_until_a_phase_of_the_scene_and_waits_while_it_runs() -> None:
    assert end_of_step(STEP + 'actions = ["heat"]\nuntil = "molten"\n').phase == "molten"
    assert end_of_step(STEP + 'actions = ["heat", "pour"]\nuntil = "pouring"\n').phase == "pouring"
    assert end_of_step(STEP + 'actions = ["heat", "pour"]\n').phase == "solid"


def test_a_phase_of_another_scene_is_refused_with_the_names_of_this_one() -> None:
    with pytest.raises(ParameterError) as refused:
        parse(STEP + 'until = "filled"\n', "melt.toml")
    assert "until = 'filled' is refused" in str(refused.value)
    assert "the scene 'furnace' has no such phase, only cold, heating, molten, pouring, solid." in str(refused.value)


def test_a_film_has_the_pace_that_the_phases_declare_and_else_the_speed_and_the_colour_of_the_direction() -> None:
    experiment = new_experiment("furnace", VALUES)
    interval, speeds, colours = pacer(10.0), dict[str, float](), set[str]()

    def frame(snapshot: Snapshot) -> float:
        step = interval(snapshot)
        speeds.setdefault(snapshot.run.phase.name, 10.0 * step)
        colours.update((shown_as(AUTOMATIC, snapshot), film_colour(AUTOMATIC, snapshot)))
        return step

    run_experiment(experiment, on_frame=frame, at_phases=True)
    assert (speeds["molten"], speeds["solid"]) == (0.5, 2.0), "without a pace"
    assert speeds["heating"] < 1.0
    assert speeds["pouring"] < 1.0
    assert colours == {"size"}


def test_a_study_stores_its_stages_and_reads_its_numbers(tmp_path: Path) -> None:
    plan = StudyPlan(
        "furnaces",
        "Furnaces",
        "furnace",
        values=VALUES,
        grid={"grains": (1, 2)},
        seeds=(1,),
        measured=("grains",),
        figure="stages",
        stages=(
            StoredStage("half", "half heated", "heating", share=0.5),
            StoredStage("late", "pouring", "pouring", after=0.01),
            StoredStage("end", "at the end", "solid"),
        ),
    )
    results = [json.loads(result_text(run.task)) for run in plan.runs(tmp_path)]
    assert [result["grains"] for result in results] == [1, 2]
    for result in results:
        times = {name: stage["time"] for name, stage in result["stages"].items()}
        assert 0.01 < times["half"] <= 0.025
        assert 0.06 <= times["late"] < 0.08
        assert times["end"] >= 0.1


def test_a_restart_parameter_acts_at_once_before_the_beginning_and_later_at_the_next_start() -> None:
    experiment = new_experiment("furnace", VALUES)
    assert not apply(experiment, SetParameters({"grains": 3}))
    assert experiment.run.world.sphere_count == 3
    apply(experiment, Act("heat"))
    assert not apply(experiment, SetParameters({"grains": 2}))
    assert experiment.run.world.sphere_count == 3
    assert "at the next start" in str(experiment.message)
    assert not apply(experiment, Act("reset"))
    assert (experiment.phase, experiment.run.world.sphere_count) == ("cold", 2)


def test_only_a_phase_that_ends_the_run_counts_as_rest_without_a_wait() -> None:
    experiment = new_experiment("furnace", VALUES | {"gravity": 0.0})
    apply(experiment, Act("run"))
    while not is_finished(experiment):
        assert not at_rest(experiment)
        advance(experiment, CHECK_STEPS)
    assert (experiment.phase, at_rest(experiment)) == ("solid", True)
    waits = new_experiment("furnace", VALUES | {"gravity": 0.0})
    apply(waits, Act("heat"))
    while not is_finished(waits):
        advance(waits, CHECK_STEPS)
    assert (waits.phase, at_rest(waits)) == ("molten", False)


def test_experiments_side_by_side_end_a_step_when_all_have_reached_the_phase() -> None:
    together = SideBySide([new_experiment("furnace", VALUES)])
    starts = tuple(Start("furnace", VALUES | {"grains": count}, 1) for count in (1, 2))
    assert not carry_out(together, StartSideBySide(starts))
    assert not carry_out(together, Act("heat"))
    course = LectureCourse.of(parse(STEP + 'until = "molten"\n', "melt.toml").steps[0])
    for at in (0.02, 0.06):
        first, *others = map(shot, together.runs)
        first.beside = tuple(others)
        assert not course.is_over(first)
        assert goes_on(first)
        advance_all(together, at)
    first, *others = map(shot, together.runs)
    first.beside = tuple(others)
    assert [run.run.phase.name for run in (first, *others)] == ["molten", "molten"]
    assert course.is_over(first)


def test_a_saved_run_returns_to_its_phase_and_one_with_another_phase_is_refused_with_the_names() -> None:
    experiment = new_experiment("furnace", VALUES)
    apply(experiment, Act("heat"))
    advance(experiment, CHECK_STEPS)
    file = io.BytesIO()
    saved_run.write(saved_copy(experiment), file)
    file.seek(0)
    assert resumed_experiment(saved_run.read(file)).phase == "heating"
    experiment.run.state.phase = "boiling"
    damaged = io.BytesIO()
    saved_run.write(saved_copy(experiment), damaged)
    damaged.seek(0)
    with pytest.raises(ArchiveError, match="'boiling' is none of the scene 'furnace', which has cold, heating, molten"):
        saved_run.read(damaged)


def test_a_scene_that_enters_a_phase_which_it_does_not_declare_is_named_with_what_to_add() -> None:
    experiment = new_experiment("furnace", VALUES)
    experiment.run.state.phase = "boiling"
    with pytest.raises(ParameterError, match=r"The scene 'furnace' has no phase 'boiling', only cold, .* add Phase\("):
        shot(experiment)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("        phases=PHASES,\n", "", ("The scene 'furnace' lacks the field 'phases'", EXAMPLES["phases"])),
        ("        phases=PHASES,\n", "        phases=(),\n", ("The scene 'furnace' needs records", EXAMPLES["phases"])),
        (
            "        phases=PHASES,\n",
            "        phases=PHASES + PHASES[:1],\n",
            ("records with different names", "phases=(Phase"),
        ),
        (
            "        phases=PHASES,\n",
            "        phases=('hot',),\n",
            ("The scene 'furnace' needs records", "phases=(Phase"),
        ),
        (
            "        phases=PHASES,\n",
            "        phases=(Phase('\\x1b', ''),),\n",
            ("1 to 60 printable characters", "phases=(Phase"),
        ),
        ('colour="size", ', "", ("The scene 'furnace' lacks the field 'colour'", 'as in colour="speed"')),
        ("speed=0.5, ", "speed=0.0, ", ("The direction has speed = 0", "a number from 1e-6 to 1000")),
        ('{"solid": 2.0}', '{"solid": -1.0}', ("The direction has speeds = -1", "for each phase")),
        ("seconds=5.0", "seconds=5.0, look='below'", ("The direction has look = 'below'", "'side', 'top'")),
        ("seconds=5.0", "seconds=5.0, span=(1.0, 0.0)", ("The direction has span = ", "the smaller first")),
        ('pace=Pace(2.0, "share")', "pace=2.0", ("The phase 'pouring' has pace = 2.0", "Pace(6.0, 'share')")),
        (
            'Pace(2.0, "share")',
            'Pace(2.0, "shares")',
            ("The pace has known_from = 'shares'", "'before' or 'direction'"),
        ),
        ('Pace(2.0, "share")', 'Pace(0, "share")', ("The pace has seconds = 0", "as in Pace(6.0, 'share')")),
        ("        describe=describe,\n", "", ("The scene 'furnace' lacks the field 'describe'", EXAMPLES["describe"])),
        ('    name="furnace",\n', "", ("lacks the field 'name'", 'name="hopper"')),
        ("    course=Course(\n", "    course=dict(\n", ("'furnace' needs a Course in its field", EXAMPLES["course"])),
        (BOX, "", ("lacks the field 'box': give it in view=SceneView(...), as in ", EXAMPLES["box"])),
        (
            'model=ModelChoice(law="voigt", dimension=2, ',
            "model=ModelChoice(",
            ("lacks the field 'law': give it in model=ModelChoice(...), as in law=\"voigt\".",),
        ),
        (
            "        describe=describe,\n",
            f"        describe=describe,\n{BOX}",
            (
                "has the field 'box' in course=Course(...), which belongs in its record 'view': write "
                "view=SceneView(box=...).",
            ),
        ),
        (
            "    view=SceneView(\n",
            "    free_walls=True,\n    add_grains=None,\n    overlap_limit=0.5,\n    view=SceneView(\n",
            (
                "The scene 'furnace' has the field 'free_walls', which belongs in its record 'hand': write "
                "hand=Hand(free_walls=..., add_grains=...).",
            ),
        ),
    ],
)
def test_a_scene_without_phases_or_a_field_or_with_one_elsewhere_is_refused_with_an_example(
    folder: Path, old: str, new: str, said: tuple[str, ...]
) -> None:
    assert FURNACE.count(old) == 1
    (folder / "furnace.py").write_text(FURNACE.replace(old, new))
    registry.forget_plugins()
    assert "furnace" not in scenes()
    (trouble,) = registry.troubles()
    assert str(folder / "furnace.py") in trouble
    assert all(part in trouble for part in said), trouble


OLDER = """
SCENE = Scene(
    name="furnace",
    title="Furnace",
    summary="A grain is heated and poured.",
    law="voigt",
    parameters=FurnaceParameters,
    dimension=2,
    begin=begin,
    supervise=supervise,
    actions=actions,
    act=act,
    phases=PHASES,
    describe=describe,
    box=lambda experiment: ((-0.01, -0.1), (0.01, 0.01)),
    results=lambda experiment: {},
    check=lambda experiment: "",
    smallest_grain=lambda parameters: (1e-5, 1e-3),
)
"""


def test_a_scene_of_an_older_version_is_refused_with_the_record_of_its_fields(folder: Path) -> None:
    (folder / "furnace.py").write_text(FURNACE[: FURNACE.index("SCENE = Scene(")] + OLDER)
    registry.forget_plugins()
    (trouble,) = registry.troubles()
    assert trouble == (
        f"The plug-in {folder / 'furnace.py'} is not used: The scene 'furnace' has the field 'law', which belongs in "
        "its record 'model': write model=ModelChoice(law=..., dimension=..., smallest_grain=...)."
    )


SHOWS = """
from repose.sim.measure.display import TIME, Axis, Curve, Outcome, Reading
from repose.sim.message import _

lines, found, expected = (), _("yes"), _("yes")


def shown(experiment):
    return {shown},
"""


def showing(folder: Path, field: str, records: str) -> None:
    """The scene of the plug-in folder shows these records in a field."""
    last = BOX if field == "curves" else '        check=lambda experiment: "",\n'
    assert FURNACE.count(last) == 1
    code = FURNACE.replace(last, f"{last}        {field}=shown,\n").replace("\n\nSCENE =", f"{SHOWS}\n\nSCENE =")
    (folder / "furnace.py").write_text(code.replace("{shown}", records))
    registry.forget_plugins()


@pytest.mark.parametrize(
    ("field", "kind", "record", "shown"),
    [
        ("readings", "reading", 'Reading(_("oven heat"), 3.2, "K")', "'oven heat'"),
        ("readings", "reading", 'Reading("heat", 3.2, "K")', "'heat'"),
        ("readings", "reading", 'Reading(label=_("oven heat"), value=3.2)', "'oven heat'"),
        ("readings", "reading", 'Reading("Oven heat", _("oven heat"), 3.2)', "'Oven heat'"),
        ("curves", "curve", 'Curve(_("Heat"), TIME, Axis(_("heat"), "K"), ())', "'Heat'"),
        ("outcomes", "outcome", 'Outcome(_("it melts"), _("yes"), _("yes"), True)', "'it melts'"),
    ],
)
def test_a_scene_that_shows_a_record_without_a_name_is_refused_with_an_example(
    folder: Path, field: str, kind: str, record: str, shown: str
) -> None:
    showing(folder, field, record)
    position = "view" if field == "curves" else "course"
    with pytest.raises(ParameterError) as refused:
        new_experiment("furnace", VALUES)
    assert str(refused.value) == (
        f"The scene 'furnace' cannot be used, because of its field '{position}.{field}': A {kind} with {shown} lacks "
        f"the field 'name': give it before the label, as in {RECORDS[kind]}; a name has small letters, digits and "
        "underscores."
    )


@pytest.mark.parametrize(
    ("records", "reason"),
    [
        (
            "experiment.run.state.heat",
            "AttributeError: 'FurnaceState' object has no attribute 'heat' (furnace.py, line ",
        ),
        ("int('hot')", "ValueError: invalid literal for int() with base 10: 'hot' (furnace.py, line "),
        ("{}['heat']", "KeyError: 'heat' (furnace.py, line "),
        ("open('/no/oven')", "FileNotFoundError: No such file or directory: '/no/oven' (furnace.py, line "),
        ("next(iter(()))", "StopIteration (furnace.py, line "),
        ("[3.2]", "it must return a tuple of records of the class Reading."),
        ("None", "it must return a tuple of records of the class Reading."),
    ],
)
def test_a_scene_whose_readings_fail_is_refused_in_one_sentence(
    folder: Path, records: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    showing(folder, "readings", "SHOWN")
    code = (folder / "furnace.py").read_text()
    (folder / "furnace.py").write_text(code.replace("return SHOWN,", f"return {records}"))
    registry.forget_plugins()
    with pytest.raises(ParameterError) as refused:
        new_experiment("furnace", VALUES)
    said = str(refused.value)
    assert said.startswith(f"The scene 'furnace' cannot be used, because of its field 'course.readings': {reason}")
    assert said.endswith(".")
    assert run_command_line(["run", "furnace", "--no-picture"]) == 2
    assert said in capsys.readouterr().err.splitlines()


def test_an_error_of_a_shipped_scene_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    experiment = new_experiment("heap", {"grain_count": 10})
    monkeypatch.setattr(experiment.run.state, "poured", "ten")
    with pytest.raises(TypeError):
        readings_of(experiment)


def test_a_scene_with_two_readings_of_one_name_is_refused_and_the_run_before_it_stays(folder: Path) -> None:
    showing(folder, "readings", 'Reading("heat", _("heat"), 3.2), Reading("heat", _("cold"), 1.2)')
    experiment = new_experiment("heap", {"grain_count": 10})
    before = state_hash(experiment.run)
    refusal = apply(experiment, Start("furnace", VALUES, 1))
    assert "The scene 'furnace' cannot be used" in str(refusal)
    assert "two records have the name 'heat'; rename one of them" in str(refusal)
    assert (experiment.scene.name, state_hash(experiment.run)) == ("heap", before)
    shot(experiment)


@pytest.mark.parametrize(("field", "kind"), [("readings", "reading"), ("curves", "curve"), ("outcomes", "outcome")])
def test_the_example_of_a_record_can_be_shown(folder: Path, field: str, kind: str) -> None:
    showing(folder, field, RECORDS[kind])
    (record,) = getattr(shot(new_experiment("furnace", VALUES)).results, field)
    assert f'"{record.name}"' in RECORDS[kind]


def test_a_lecture_asks_for_a_reading_and_shows_a_plot_of_the_scene_by_name(folder: Path) -> None:
    showing(folder, "readings", 'Reading("heat", _("oven heat"), 3.2, "K")')
    guess = 'guess = { words = "w", unit = "K", low = 0, high = 9, reading = "%s" }\n'
    asked = parse(STEP + guess % "heat", "melt.toml").steps[0].guess
    assert isinstance(asked, GuessQuestion)
    answer = answer_of(asked, shot(new_experiment("furnace", VALUES)))
    assert answer is not None
    assert answer.value == 3.2
    parse(STEP + guess % "glow", "melt.toml")  # which the scene may have later, because it declares none
    with pytest.raises(ParameterError, match=r"guess.reading = 'oven heat' is refused: .*heat.* not its label"):
        parse(STEP + guess % "oven heat", "melt.toml")
    showing(folder, "curves", 'Curve("heating", _("Heat of the oven"), TIME, Axis(_("heat"), "K"))')
    offered_plots.cache_clear()
    assert parse(STEP + 'plot = "heating"\n', "melt.toml").steps[0].plot == "heating"
    with pytest.raises(ParameterError, match=r"Unknown plot 'Heat of the oven': .*heating"):
        parse(STEP + 'plot = "Heat of the oven"\n', "melt.toml")


def test_the_first_phase_must_be_declared_and_the_state_must_have_one(folder: Path) -> None:
    (folder / "furnace.py").write_text(FURNACE.replace('phase: str = "cold"', 'phase: str = "icy"'))
    registry.forget_plugins()
    with pytest.raises(ParameterError, match="has no phase 'icy', only cold, heating"):
        new_experiment("furnace", VALUES)
    (folder / "furnace.py").write_text(FURNACE.replace('    phase: str = "cold"\n', ""))
    registry.forget_plugins()
    with pytest.raises(ParameterError, match="lacks the field 'phase': give it, as in phase: str = \"cold\""):
        new_experiment("furnace", VALUES)


def test_every_record_and_every_field_without_a_default_has_an_example() -> None:
    scene = scenes()["furnace"]
    records = SceneRecord.__subclasses__()
    assert {record.PLACE for record in records} == {"direction", "model", "course", "view", "hand", "limits"}
    without = set()
    for record in (Scene, *records):
        needed = {entry.name for entry in fields(record) if entry.default is entry.default_factory is MISSING}
        own = scene if record is Scene else getattr(scene, record.PLACE)
        for name in needed:
            given = {entry: getattr(own, entry) for entry in needed if entry != name}
            with pytest.raises(ParameterError, match=f"lacks the field '{name}'"):
                record(**given) if record is Scene else replace(scene, **{record.PLACE: record(**given)})
        without |= needed
    assert EXAMPLES.keys() == without | {record.PLACE for record in records}
    assert str(replace(scene, title=plain("Oven")).title) == "Oven"
    assert replace(scene, view=replace(scene.view, focus=scene.view.box)).view.box is scene.view.box


def test_the_fields_of_all_records_differ() -> None:
    """So that a field in the wrong place belongs in one record."""
    names = [entry.name for record in (Scene, *SceneRecord.__subclasses__()) for entry in fields(record)]
    assert len(set(names)) == len(names)


def test_a_scene_can_be_copied() -> None:
    assert copy.deepcopy(scenes()["furnace"]).course is scenes()["furnace"].course

"""Presets: the shipped ones load, a saved one comes back equal, and no file can do harm."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repose.sim.io import presets
from repose.sim.parameters import LARGEST_SEED, ParameterError
from repose.sim.registry import plots_of, scenes

GOOD = 'title = "Try"\nscene = "heap"\nseed = 7\n\n[parameters]\nfriction = 0.3\n'


def refusal(text: str | bytes, folder: Path) -> str:
    """The sentence with which a file of that content is refused."""
    path = folder / "try.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ParameterError) as caught:
        presets.load(path)
    return str(caught.value)


def test_every_shipped_preset_loads_and_differs_from_the_defaults_only_where_it_says() -> None:
    assert presets.names()[0] == "thesis-heap"
    assert {"as-printed", "rough-base", "moon", "frictionless", "linear-law", "large"} <= set(presets.names())
    for name in presets.names():
        preset = presets.load(name)
        declared = scenes()[preset.scene].parameters.chosen(preset.values).declared()
        assert preset.title
        assert all(value != declared[key].default for key, value in preset.values.items()), name


def test_the_thesis_heap_is_the_default_experiment() -> None:
    preset = presets.load("thesis-heap")
    assert (preset.scene, preset.seed, dict(preset.values), preset.ready) == ("heap", 1, {}, "column")


def test_unknown_name_offers_the_nearest_preset() -> None:
    with pytest.raises(ParameterError, match="did you mean 'frictionless'"):
        presets.load("frictionles")


def test_file_of_a_user_is_read_by_path(tmp_path: Path) -> None:
    path = tmp_path / "prę set λ 🙂.toml"
    path.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    preset = presets.load(path)
    assert (preset.title, preset.seed, dict(preset.values)) == ("Try", 7, {"friction": 0.3})
    assert presets.load(str(path)) == preset


@pytest.mark.parametrize("ending", ["\r", "\n"])
def test_every_line_ending_is_read(ending: str) -> None:
    assert presets.parse(GOOD.replace("\n", ending).rstrip(), "try").values == {"friction": 0.3}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("\n \n", "empty"),
        ("\ufeff", "empty"),
        ("title = 'x'", "the key 'scene' is missing"),
        ("scene = 'heep'", "did you mean 'heap'"),
        ("scene = 3", "scene = 3"),
        ("scene = 'heap'\nsede = 1", "did you mean 'seed'"),
        ("scene = 'heap'\nscene = 'heap'", "not valid TOML"),
        ("scene = 'heap'\nseed = -1", "whole number from 0"),
        ("scene = 'heap'\nseed = 18446744073709551616", "whole number from 0"),
        ("scene = 'heap'\nseed = true", "seed = true"),
        ("scene = 'heap'\nformat = 9", "format = 9"),
        ("scene = 'heap'\nformat = 'new'", "format = 'new'"),
        ("scene = 'heap'\nparameters = 3", "must be a table"),
        ("scene = 'heap'\n[parameters]\nfrictoin = 0.2", "did you mean 'friction'"),
        ("scene = 'heap'\n[parameters]\nfriction = nan", "friction = nan"),
        ("scene = 'heap'\n[parameters]\nfriction = inf", "friction = inf"),
        ("scene = 'heap'\n[parameters]\nfriction = 1e999", "friction = inf"),
        ("scene = 'heap'\n[parameters]\nfriction = -0.1", "0 to 2"),
        ("scene = 'heap'\n[parameters]\nfriction = '0.2'", "friction = '0.2'"),
        ("scene = 'heap'\n[parameters]\nfriction = true", "friction = true"),
        ("scene = 'heap'\n[parameters]\nfriction = [0.1, 0.2]", "friction = [0.1, 0.2]"),
        ("scene = 'heap'\n[parameters]\ngrain_count = 1000000000", "1 to 1000000"),
        ("scene = 'heap'\n[parameters]\ngrain_count = 10.5", "whole number"),
        (f"scene = 'heap'\n[parameters]\ngrain_count = {'9' * 5000}", "TOML"),
        ("scene = 'heap'\n[parameters]\nexponent = '__import__(\"os\")'", "'hertz' or 'linear'"),
        (f"scene = {'[' * 30_000}", "TOML|nested"),
        ("a" * 70_000, "larger than 65536 bytes"),
        (GOOD.encode("utf-16"), "not UTF-8"),
        (b"scene = 'h\xe9ap'", "not UTF-8"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", "not UTF-8"),
        (b"\x80\x04\x95\x10\x00cos\nsystem\n", "not UTF-8"),
    ],
)
def test_bad_file_is_refused_with_the_culprit_named(text: str | bytes, words: str, tmp_path: Path) -> None:
    sentence = refusal(text, tmp_path)
    assert any(word in sentence for word in words.split("|")), sentence
    assert "try.toml" in sentence
    assert len(sentence) < 700


NOT_HERE = (
    r"\\server\share\cup.stl",
    "//server/share/cup.stl",
    r"/\server\share\cup.stl",
    r" \\server\share\cup.stl",
    r"\\?\UNC\server\share\cup.stl",
    r"\\.\UNC\server\share\cup.stl",
    r"\??\UNC\server\share\cup.stl",
    "https://example.org/cup.stl",
    "FILE://server/cup.stl",
    "smb:cup.stl",
)


@pytest.mark.parametrize("path", NOT_HERE)
def test_a_preset_may_not_name_a_file_of_another_machine(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking whether it is there would already tell that machine who asks."""
    for name in ("stat", "open"):
        monkeypatch.setattr(f"os.{name}", lambda *_, **__: pytest.fail("the path was looked at"))
    monkeypatch.setattr(
        "repose.sim.scenes.vessel.parameters.surfaces_with", lambda _: pytest.fail("the path was looked at")
    )
    with pytest.raises(ParameterError, match="may not name a file on another machine"):
        presets.parse(f"scene = 'vessel'\n[parameters]\nmesh = '{path}'", "stranger")
    with pytest.raises(ParameterError, match="another machine"):
        presets.dumps(presets.Preset("mine", "Mine", "vessel", values={"mesh": path}))


@pytest.mark.parametrize("path", ["C:/shapes/cup.stl", r"C:\shapes\cup.stl", "/home/me/cup.stl", "cup.stl"])
def test_a_file_of_this_machine_may_be_named(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, found in (("shape_of", None), ("surfaces_with", {})):
        monkeypatch.setattr(f"repose.sim.scenes.vessel.parameters.{name}", lambda _, found=found: found)
    assert presets.parse(f"scene = 'vessel'\n[parameters]\nmesh = '{path}'", "mine").values == {"mesh": path}


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing.toml", Path("/dev/null/x.toml"), Path("x\0.toml"), Path("x" * 5000)):
        with pytest.raises(ParameterError, match="Preset"):
            presets.load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a thing of Unix")
def test_pipe_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    with pytest.raises(ParameterError, match="not a file"):
        presets.load(pipe)


@given(
    friction=st.floats(0.0, 2.0),
    tilt=st.floats(-1.5, 1.5),
    seed=st.integers(0, LARGEST_SEED),
    title=st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=50),
    dt=st.one_of(st.just("auto"), st.floats(1e-8, 1e-3)),
)
def test_saved_preset_comes_back_equal(friction: float, tilt: float, seed: int, title: str, dt: float | str) -> None:
    preset = presets.Preset("mine", title, "heap", seed, {"friction": friction, "tilt": tilt, "dt": dt}, "column")
    back = presets.parse(presets.dumps(preset), "mine")
    parameters = scenes()["heap"].parameters
    assert parameters.checked(back.values) == parameters.checked(preset.values)
    assert (back.title, back.seed, back.ready) == (preset.title, preset.seed, preset.ready)


def test_saving_over_a_file_keeps_its_comments_and_drops_what_is_default_again() -> None:
    old = "# my own words\n" + GOOD + "gravity = 1.62  # on the Moon\n"
    preset = presets.Preset("mine", "Try", "heap", 7, {"gravity": 3.7})
    text = presets.dumps(preset, old)
    assert "# my own words" in text
    assert "# on the Moon" in text
    assert presets.parse(text, "mine").values == {"gravity": 3.7}


def test_the_card_of_a_preset_says_what_to_see_if_it_is_not_that_of_its_scene() -> None:
    assert "arch" in presets.card_of("hourglass-clogging").see
    assert presets.card_of("hourglass").see == ""


def test_the_card_of_a_preset_is_read_without_a_look_at_its_values(tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_text('title = "Odd"\nscene = "heap"\n[parameters]\nfriction = "slippery"\n', encoding="utf-8")
    assert presets.card_of(path).title == "Odd"
    with pytest.raises(ParameterError, match="friction"):
        presets.load(path)
    path.write_text('title = "Odd"\nscene = "orchestra"\n', encoding="utf-8")
    with pytest.raises(ParameterError, match="orchestra"):
        presets.card_of(path)


def test_a_folder_in_place_of_a_preset_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ParameterError) as refused:
        presets.load(tmp_path)
    assert str(refused.value) == f"Preset {tmp_path} is a folder; a preset is a TOML file."


TOGETHER = 'scene = "heap"\n[side_by_side]\n'


def test_a_preset_side_by_side_is_a_run_for_each_value() -> None:
    runs = presets.parse(TOGETHER + 'friction = [0.1, 0.3]\nintegrator = ["gear5", "leapfrog"]', "two").runs
    assert [(run.values["friction"], run.values["integrator"]) for run in runs] == [(0.1, "gear5"), (0.3, "leapfrog")]


def test_runs_side_by_side_can_be_other_presets() -> None:
    runs = presets.parse(TOGETHER + 'preset = ["moon", "rods-in-the-plane"]', "two").runs
    assert [run.scene for run in runs] == ["heap", "joined"]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("friction = [0.1]", "1 value is refused: side by side are 2 to 4 runs"),
        ("friction = [0.1, 0.2, 0.3, 0.4, 0.5]", "5 values is refused"),
        ("friction = 0.1", "side_by_side.friction = 0.1 is refused: it must be a list of values"),
        ("friction = [0.1, 0.2]\ngravity = [1.0, 2.0, 3.0]", "numbers of values differ"),
        ("friction = [0.1, 99.0]", "friction"),
        ("frition = [0.1, 0.2]", "frition"),
        ("friction = [0.1, 0.1]", "Two of the runs side by side are equal"),
        ('preset = ["moon", "earth-and-moon"]', "several runs side by side itself"),
    ],
)
def test_runs_side_by_side_that_cannot_be_used_are_refused(lines: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        presets.parse(TOGETHER + lines, "wrong")


def test_typed_values_of_runs_side_by_side() -> None:
    base = presets.load("moon")
    together = presets.side_by_side(base, ["friction=0.1, 0.2"])
    assert [run.values["friction"] for run in together.runs] == [0.1, 0.2]
    for typed, words in (("friction", "NAME=VALUE"), ("friction=0.1,,0.2", "NAME=VALUE"), ("friction=0.1", "1 value")):
        with pytest.raises(ParameterError, match=words):
            presets.side_by_side(base, [typed])


def test_typed_sizes_of_runs_side_by_side_are_separated_by_semicolons() -> None:
    base, two = presets.load("moon"), "two_sizes by mass: ratio 3, share 50 %"
    together = presets.side_by_side(base, [f"sizes=equal; {two}", "friction=0.1;0.2"])
    assert [run.values["sizes"] for run in together.runs] == ["equal", two]
    assert [run.values["friction"] for run in together.runs] == [0.1, 0.2]
    for typed, words in ((f"sizes={two}", "1 value"), ("sizes=equal; sieve: 1 mm 0 %, 2 mm 90 %", "ends at 90 %")):
        with pytest.raises(ParameterError, match=words):
            presets.side_by_side(base, [typed])


def test_a_sieve_curve_outside_a_scene_is_refused_in_a_preset_by_its_name() -> None:
    with pytest.raises(ParameterError, match=r"sizes = 'sieve: 1 m 0 %, 2 m 100 %' is refused: the mean radius"):
        presets.parse(GOOD.rstrip() + '\nsizes = "sieve: 1 m 0 %, 2 m 100 %"\n', "try")


def test_a_preset_replaces_parts_of_the_direction_of_its_scene() -> None:
    whole = GOOD + '\n[direction]\nsee = "It creeps."\nspeed = 2\nspan = [0.0, 0.5]\nspeeds = { flowing = 0.2 }\n'
    direction, scene = presets.parse(whole, "try").direction, scenes()["heap"].direction
    assert direction is not None
    assert (str(direction.see), direction.speed, direction.span) == ("It creeps.", 2.0, (0.0, 0.5))
    assert (direction.colour, direction.speed_in("flowing"), direction.speed_in("filling")) == (scene.colour, 0.2, 2.0)
    assert presets.parse(GOOD, "try").direction is None


def test_a_preset_with_a_colour_of_its_own_does_not_keep_the_range_of_another_quantity() -> None:
    kept = presets.load("drum").runs[0].direction or scenes()["drum"].direction
    assert (kept.colour, kept.span) == ("speed", scenes()["drum"].direction.span)
    assert kept.span is not None
    marked = presets.load("mixing-drum").runs[0].direction
    assert marked is not None
    assert (marked.colour, marked.span) == ("layer", None)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ('colour = "sped"', "direction.colour = 'sped' is refused: it must be one of "),
        ('colour = ""', "direction.colour = '' is refused: it must be one of "),
        ('plot = "nix"', "direction.plot = 'nix' is refused: it must be one of slope, avalanches, packing, "),
        ('show = ["nix"]', "direction.show 1 of 1: 'nix' is refused: it must be one of box, stress_field, "),
        ('show = "nix"', "direction.show = 'nix' is refused: it must be a list of names, such as"),
        ('see = ""', "direction.see = '' is refused: it must be a sentence"),
        ('answer = " "', "direction.answer = ' ' is refused: it must be a sentence"),
        ('answer = "It is {angel}."', "direction.answer = 'It is {angel}.' is refused: its values must be of {angle}"),
        (
            'answer = "It is {angle!z}."',
            "direction.answer = 'It is {angle!z}.' is refused: its values must be of {angle}",
        ),
        (
            'answer = "It is {angle!r}."',
            "direction.answer = 'It is {angle!r}.' is refused: its values must be of {angle}",
        ),
        ('answer = "It is {angle"', "direction.answer = 'It is {angle' is refused: its values must be of {angle}"),
        ("speed = 0.0", "direction.speed = 0.0 is refused"),
        ('look = "below"', "direction.look = 'below' is refused: it must be one of front, side, top, three-quarter."),
        (
            "span = [1.0, 0.0]",
            "direction.span = [1.0, 0.0] is refused: it must be two numbers, the smaller first, such as",
        ),
        (
            "speeds = { flows = 0.2 }",
            "direction.speeds.flows = 0.2 is refused: its phase must be one of empty, filling",
        ),
        ('colours = "speed"', "colours"),
    ],
)
def test_a_direction_that_cannot_be_followed_is_refused(lines: str, words: str, tmp_path: Path) -> None:
    assert words in refusal(f"{GOOD}\n[direction]\n{lines}\n", tmp_path)


def test_a_preset_that_begins_with_a_prepared_state_fits_it_in_all_of_its_runs() -> None:
    ready = [preset for preset in map(presets.load, presets.names()) if preset.ready is not None]
    assert len(ready) > 1
    for preset in ready:
        scene = scenes()[preset.scene]
        for run in preset.runs:
            prepared = scene.course.prepared[run.ready](scene.parameters.checked(run.values))
            assert prepared is not None, preset.name
    other = scenes()["heap"].parameters.checked({"grain_count": 299})
    assert scenes()["heap"].course.prepared["small"](other) is None, "filled with other grains"


def test_every_direction_opens_a_plot_of_its_scene_and_turns_on_switches_that_exist() -> None:
    for name, scene in scenes().items():
        assert scene.direction.plot in plots_of(name), name
        assert {*scene.direction.show} <= {*presets.switches()}, name

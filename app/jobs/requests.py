"""The requests of the commands: every option with its default, help and check, once.

Nothing heavy is imported before a value is checked, so that `--help` answers at once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from repose.app.jobs.options import Check, Option, Request, option
from repose.sim.message import plain
from repose.sim.numbers import read_whole
from repose.sim.parameters import ParameterError, require_known
from repose.sim.wording import path_text, value_text

OVERLAYS = ("full", "none")
"""Values of `--overlay`: with title card, texts and marks, or the grains only."""
MOST_WORKERS = 256
SHORTEST = 1e-6
"""Shortest time between two exported states [s]."""


def within(low: float, high: float, words: str) -> Check:
    """The check that a number is in a range, which is `words` in the refusal."""

    def check(option: str, value: float) -> None:
        if not low <= value <= high:
            shown = f"{value:g}" if isinstance(value, float) else value
            raise ParameterError(f"{option} {shown} is refused: it must be {words}.")

    return check


def _check_folder(option: str, path: Path) -> None:
    if not path.parent.is_dir():  # the name of the file is claimed later
        raise ParameterError(
            f"{option} {path_text(path)}: the folder {path_text(path.parent)} does not exist; create it first."
        )


def ending(endings: Sequence[str], words: str) -> Check:
    """The check of the ending of the name of a new file, and of its folder."""

    def check(option: str, path: Path) -> None:
        if path.suffix.lower() not in endings:
            raise ParameterError(f"{option} {path_text(path)}: its ending must be {words}.")
        _check_folder(option, path)

    return check


def parsed_size(text: str, option: str = "--size") -> tuple[int, int]:
    """Width and height [pixel] of a typed size; raises `ParameterError`."""
    from repose.app.storage.recorder import LARGEST_SIDE

    match = re.fullmatch(r"([0-9]{1,6})[x×]([0-9]{1,6})", text)
    size = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 16 <= min(size) <= max(size) <= LARGEST_SIDE:
        raise ParameterError(
            f"{option} {value_text(text)} is refused: write WIDTHxHEIGHT in pixels, each 16 to {LARGEST_SIDE}, such as "
            "1920x1080."
        )
    return size


def _check_style(option: str, text: str) -> None:
    from repose.app.storage.plot_files import JOURNAL

    require_known(text, (SLIDE, *JOURNAL), plain("style"))


def _check_size(option: str, text: str) -> None:
    parsed_size(text, option)


def _check_speed(option: str, speed: float) -> None:
    from repose.app.render.pacing import FASTEST, SLOWEST

    within(SLOWEST, FASTEST, f"{SLOWEST:g} to {FASTEST:g}; 1 is real time")(option, speed)


def _check_overlay(option: str, overlay: str) -> None:
    if overlay not in OVERLAYS:
        raise ParameterError(f"{option} {value_text(overlay)} is refused: it must be {' or '.join(OVERLAYS)}.")


def _check_colour(option: str, colour: str) -> None:
    from repose.app.render.colours import COLOURINGS

    require_known(colour, COLOURINGS, plain("colour"))


def _check_switch(option: str, name: str) -> None:
    from repose.app.render.passes import all_switches

    require_known(name, {switch.name: switch for switch in all_switches()}, plain("switch"))


def above_zero(words: str) -> Check:
    """The check that a number is finite and above 0, which is `words` in the refusal."""

    def check(option: str, value: float) -> None:
        if not 0.0 < value < math.inf:
            raise ParameterError(f"{option} {value:g} is refused: it must be {words}.")

    return check


def _check_end(option: str, until: float) -> None:
    above_zero("a simulated time above 0 s")(option, until)


def _check_repetitions(option: str, runs: int) -> None:
    from repose.sim.study.plan import MOST_RUNS

    within(2, MOST_RUNS, f"2 to {MOST_RUNS} runs")(option, runs)


def _check_error(option: str, error: float) -> None:
    if error == 0.0:
        raise ParameterError(
            f"{option} 0 is refused: no number of seeds gives a mean without an error. Give a standard error above 0, "
            f"or leave {option} out."
        )


def _check_dask(option: str, address: str) -> None:
    if not address.strip():
        raise ParameterError(
            f"{option} '' is refused: give the address of a scheduler, such as tcp://host:8786, or leave {option} out "
            "to do the runs on this machine."
        )


def _check_place(option: str, place: str) -> None:
    from repose.app.audience.interfaces import read_place

    read_place(place)


def _check_language(option: str, language: str) -> None:
    from repose.app.language import NATIVE

    require_known(language, NATIVE, plain("language"))


def _check_algorithm(option: str, algorithm: str) -> None:
    from typing import get_args

    from repose.sim.clumps.making import Algorithm

    if algorithm not in get_args(Algorithm):
        raise ParameterError(f"{option} {value_text(algorithm)} is refused: it is {' or '.join(get_args(Algorithm))}.")


def _check_unit(option: str, unit: str) -> None:
    from repose.sim.io.mesh import UNITS

    if unit not in UNITS:
        raise ParameterError(f"{option} {value_text(unit)} is refused: it is {', '.join(UNITS)}.")


def _check_density(option: str, density: float) -> None:
    if not 0.0 < density <= 1e5:
        raise ParameterError(f"{option} {density:g} is refused: it is above 0 and at most 100000 kg/m³.")


def _check_spheres(option: str, count: int) -> None:
    from repose.sim.clumps.greedy import checked_count

    checked_count(count)


def _check_rho(option: str, rho: float) -> None:
    from repose.sim.clumps.greedy import checked_rho

    checked_rho(rho)


def _check_kappa(option: str, kappa: float) -> None:
    from repose.sim.clumps.clump import checked_kappa

    checked_kappa(kappa)


def _check_every(option: str, every: float) -> None:
    if not SHORTEST <= every < math.inf:
        raise ParameterError(f"{option} {every:g} is refused: the time between two states is at least {SHORTEST:g} s.")


MOST_PARTS = 10_000
"""Largest number of parts of a study."""


def part_of(text: str, option: str = "--part") -> tuple[int, int]:
    """Part and number of parts from K/N; raises `ParameterError`."""
    part, slash, parts = (read_whole(word.strip()) if word != "/" else word for word in text.partition("/"))
    if slash != "/" or isinstance(part, str) or isinstance(parts, str) or not 1 <= part <= parts <= MOST_PARTS:
        raise ParameterError(
            f"{option} {value_text(text)} is refused: write K/N, such as 3/40, with K from 1 to N and N at most "
            f"{MOST_PARTS}."
        )
    return part, parts


def _check_part(option: str, part: str) -> None:
    """Raise `ParameterError` for a text that is no part; nothing is none."""
    if part:
        part_of(part, option)


def _require_out(resume: bool, out: Path | None, noun: str) -> None:
    if resume and out is None:
        raise ParameterError(f"--resume continues the {noun} in a folder: name the folder with --out.")


# fmt: off
Preset = Annotated[str, Option("NAME|FILE", "Shipped preset or TOML file to start from.", shows_default=False)]
Threads = Annotated[str, Option("N|auto",
    "Threads of the engine; every number gives the same bits; automatic if not given.", shows_default=False)]
ThreadsOfEach = Annotated[str, Option("N|auto",
    "Threads of each run; 1 if not given and several runs are done at once.")]
Out = Annotated[Path | None, Option("", "Folder for the results; a new one in the current folder if not given.")]
Json = Annotated[bool, Option("", "Print the result as JSON and nothing else.")]
OfAll = Annotated[tuple[str, ...], Option("NAME=VALUE",
    "Change one parameter of all runs, SI; may be repeated.", "--set")]
WantedError = Annotated[float | None, Option("NUMBER",
    "Add seeds until the standard error of each mean is at most this, in the unit shown.", check=_check_error)]
Workers = Annotated[int | None, Option("NUMBER", "Runs at the same time; all processors if not given.",
    check=within(1, MOST_WORKERS, f"1 to {MOST_WORKERS}"))]
Dask = Annotated[str | None, Option("ADDRESS",
    "Do the runs on the workers of a scheduler of Dask, such as tcp://host:8786 (optional extra dask); each has the "
    "same bits as on this machine, and workers of other versions are refused.", check=_check_dask)]
Beside = Annotated[tuple[Path, ...], Option("DIR",
    "Draw the results in the folder of another sweep or study beside these; may be repeated.")]
SavedFile = Annotated[Path, Option("FILE.repose", "A saved run.", is_argument=True)]
Measuring = Annotated[str, Option("", "Scene to run: one that measures an angle or a flow rate.", is_argument=True)]
Video = Annotated[str, Option("FILE.mp4|.gif|.webp|FOLDER/|%05d.png",
    "Film the run; the ending selects the format. With a slash at the end, or a pattern with a number, a PNG picture "
    "for each frame.", shows_default=False)]
Fps = Annotated[float | None, Option("NUMBER",
    "Frames per second of film; 60 if not given, of GIF and WebP 25.",
    check=within(1.0, 1000.0, "1 to 1000 frames per second"))]
Sound = Annotated[bool, Option("", "Give an MP4 the impacts as sound: clicks, the louder the more energy "
    "contacts dissipate.")]
Size = Annotated[str, Option("WIDTHxHEIGHT", "Size of film and picture in pixels.", check=_check_size)]
Colour = Annotated[str, Option("NAME",
    "Quantity shown by the colours; if not given, the layer of origin in scenes with layers.",
    check=_check_colour, shows_default=False)]
Show = Annotated[tuple[str, ...], Option("NAME",
    "Show this in film and picture too, as a switch of the window does: force_chains, velocity_arrows, rose, "
    "stress_field, displacement; may be repeated.", check=_check_switch)]
Phones = Annotated[str, Option("auto|ADDRESS:PORT",
    "Let phones guess and control from the start; Ctrl+Shift+A shows the address. auto: the address on the default "
    "route and a free port; or an address, a port, or both: 192.168.1.5, :8000, 192.168.1.5:8000.",
    check=_check_place)]
FULL_HD = "1920x1080"
SLIDE = "slide"
Style = Annotated[str, Option("slide|journal|journal-wide",
    "Style of the pictures: for a slide, as PNG and PDF, or for print, one column (85 mm) or two wide, 8 pt, without "
    "title, as PDF and SVG.", check=_check_style)]


@dataclass(frozen=True)
class WindowRequest(Request):
    """What the window is opened with, and the plug-ins of every command."""

    version: bool = option(False, "", "Print the version and exit.")
    preset: str = option("", "NAME|FILE", "Preset to start the window with; `repose presets` lists them.")
    side_by_side: tuple[str, ...] = option((), "NAME=VALUE,VALUE,…",
        "Two to four experiments in one window at equal times, each with its own value of a parameter, SI, or its own "
        "preset (preset=NAME,NAME); semicolons separate values that contain commas, and those of sizes; may be "
        "repeated.")
    threads: Threads = ""
    language: str = option("", "CODE",
        "Language of the window: en, de, pl, es, ru or ja; the last choice or the system's if not given.",
        check=_check_language, shows_default=False)
    phones: Phones = ""
    plugin: tuple[Path, ...] = option((), "FILE.py",
        "Python file with laws, integrators, fields, bonds, scenes or measurements of your own; it is executed. May be "
        "repeated.")


@dataclass(frozen=True)
class FilmRequest(Request):
    """How film and picture of a run look."""

    fps: Fps = None
    size: Size = FULL_HD
    speed: float | None = option(None, "NUMBER",
        "Simulated seconds per second of film; if not given, filling is fast and the collapse is in slow motion.",
        check=_check_speed)
    overlay: str = option("full", "full|none",
        "full: title card, clock, parameters, legend, angle, a still picture at the end; none: only the grains.",
        check=_check_overlay)
    colour: Colour = ""
    show: Show = ()
    sound: Sound = False

    @property
    def pixels(self) -> tuple[int, int]:
        """Width and height [pixel]."""
        return parsed_size(self.size)


@dataclass(frozen=True)
class RunRequest(Request):
    """One run without a window."""

    scene: str = option("", "[SCENE|FILE.py]",
        "Scene to run (`repose scenes` lists them), or a Python file with a scene of your own, which is executed; that "
        "of the preset, or heap, if not given.", is_argument=True, shows_default=False)
    preset: Preset = ""
    changes: tuple[str, ...] = option((), "NAME=VALUE",
        'Change one parameter, SI value; may be repeated. --set "?" lists the parameters.', name="--set")
    seed: int | None = option(None, "NUMBER", "Seed of the random numbers; the preset's if not given.")
    instruments: tuple[str, ...] = option((), "NAME=KIND X,Y X,Y",
        'Place an instrument, as "neck = line 0,0.1 0.2,0.1" [m], "probe 17" or "halves 0,0.1 0.2,0.1 at 2.5" (marked '
        "at this time [s]); may be repeated.", name="--instrument")
    ready: bool = option(False, "", "Start from the preset's ready-filled container.")
    out: Out = None
    save: Path | None = option(None, "FILE.repose", "Save the whole run when it ends, so that it can be continued.",
        check=_check_folder)
    saved: Path | None = option(None, "FILE.repose", "Continue a saved run, bit by bit.", name="--from")
    until: float | None = option(None, "SECONDS", "End at this simulated time at the latest.", check=_check_end)
    threads: Threads = ""
    estimate: bool = option(False, "", "Print how long the run will take, with its bound, and do not run it.")
    json: bool = option(False, "",
        "Print the result as JSON and nothing else; --out writes it and the picture too.")
    video: Video = ""
    film: FilmRequest = FilmRequest()
    picture: bool = option(True, "", "Draw the end state as a PNG file.")
    repeat: int | None = option(None, "NUMBER",
        "Number of runs with consecutive seeds from --seed on, side by side: mean and standard error over runs. The "
        "error of a single run is only that of its line fit.", check=_check_repetitions)


@dataclass(frozen=True)
class SweepRequest(Request):
    """A study described on the command line."""

    scene: Measuring = ""
    preset: Preset = ""
    over: tuple[str, ...] = option((), "NAME=VALUE,VALUE,…",
        "A parameter to vary and its values, SI, or FIRST:LAST:COUNT; numbers, choices, sizes, and `preset`. "
        "Semicolons separate values that contain commas. The first parameter is on the abscissa, each combination of "
        "the others is a line; that of the scene if not given.")
    seeds: str = option("1-3", "1,2,3|1-5", "Seeds: every value is run with each.")
    error: WantedError = None
    changes: OfAll = ()
    workers: Workers = None
    threads: ThreadsOfEach = ""
    out: Path | None = option(None, "",
        "Folder for the results; a sweep that this folder contains in part is continued.")
    dask: Dask = None
    beside: Beside = ()
    json: Json = False
    picture: bool = option(True, "", "Draw the figure.")
    style: Style = SLIDE
    size: str = option(FULL_HD, "WIDTHxHEIGHT", "Size of the picture of a slide in pixels.", check=_check_size)


@dataclass(frozen=True)
class StudyRequest(Request):
    """The runs of a named study, or of one in a TOML file."""

    name: str = option("", "[NAME|FILE.toml]",
        "A study, or a TOML file that describes one; without it the studies are listed.", is_argument=True,
        shows_default=False)
    seeds: str = option("", "N|1,2,3", "Number of seeds, or seeds; those of the study if not given.",
        shows_default=False)
    error: WantedError = None
    workers: Workers = None
    out: Out = None
    resume: bool = option(False, "", "Continue the study that the folder contains in part.")
    part: str = option("", "K/N",
        "Do only every N-th run, from the K-th on, in the folder part-K-of-N of --out; the same line again does what "
        "is missing.", check=_check_part, shows_default=False)
    join: Path | None = option(None, "DIR", "Take the runs of all parts from the folder that was their --out.")
    changes: tuple[str, ...] = option((), "NAME=VALUE",
        "Change one parameter of all runs that do not vary it, SI; may be repeated.", name="--set")
    threads: ThreadsOfEach = ""
    dask: Dask = None
    beside: Beside = ()
    json: Json = False
    picture: bool = option(True, "", "Draw each figure.")
    style: Style = SLIDE
    size: str = option(FULL_HD, "WIDTHxHEIGHT", "Size of the pictures of slides in pixels.", check=_check_size)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name and (self.resume or self.out is not None):
            raise ParameterError(
                f"{'--resume' if self.resume else '--out'} is for one study: name it; without a name they are listed."
            )
        _require_out(self.resume, self.out, "study")
        if self.part and self.out is None:
            raise ParameterError("--part needs a folder that all parts share: name it with --out.")
        if self.join is not None and (self.part or self.resume or not self.name):
            raise ParameterError(
                "--join takes the parts of one named study to a new folder: leave --part and --resume out."
            )

    @property
    def share(self) -> tuple[int, int]:
        """The part to do and the number of parts."""
        return part_of(self.part) if self.part else (1, 1)

    @property
    def folder(self) -> Path | None:
        """The folder of the runs: that of the part, or --out."""
        if not self.part or self.out is None:
            return self.out
        return self.out / "part-{}-of-{}".format(*self.share)


@dataclass(frozen=True)
class MarksRequest(Request):
    """What is told about a picture of a heap, in its pixels from the upper left corner."""

    scale: str = option("", "X,Y X,Y METRES", "Of a picture: two points and their distance.", shows_default=False)
    horizon: str = option("", "X,Y X,Y", "Of a picture: two points of the table; its edge is looked for if not given.",
        shows_default=False)
    crop: str = option("", "X,Y X,Y", "Of a picture: opposite corners of the part with the heap.", shows_default=False)
    threshold: float | None = option(None, "NUMBER",
        "Of a picture: distance of colour from the background from which on a pixel is of the heap; that of Otsu if "
        "not given.", check=above_zero("a number above 0"))

    @property
    def is_given(self) -> bool:
        """Whether anything is told."""
        return self != MarksRequest()


@dataclass(frozen=True)
class CalibrationRequest(Request):
    """The runs that determine one parameter, or two from a picture."""

    scene: Measuring = "heap"
    vary: tuple[str, ...] = option(("shear_stiffness=5:400",), "NAME=LOW:HIGH",
        "The parameter to determine, and the range to look in, SI. With --picture a second one may be given.")
    angle: float | None = option(None, "DEGREES",
        "What was measured, in the unit in which the scene shows it; without it θ = arctan μ is looked for.")
    angle_error: float = option(0.0, "DEGREES", "Standard error of what was measured.")
    picture: Path | None = option(None, "FILE.jpg|.png",
        "A picture of the heap: the value is looked for whose profile is nearest to it.")
    marks: MarksRequest = MarksRequest()
    precision: float = option(0.05, "SHARE", "Wanted standard error as a share of the value.")
    runs: int = option(48, "NUMBER", "Most runs to do.")
    changes: OfAll = ()
    workers: Workers = None
    out: Out = None
    resume: bool = option(False, "", "Continue the calibration in the folder.")
    json: Json = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.angle is None and self.angle_error:
            raise ParameterError(
                f"--angle-error {self.angle_error:g} is the error of a measured angle: give the angle with --angle."
            )
        if self.picture is not None and self.angle is not None:
            raise ParameterError("--picture and --angle are two measurements: leave one of them out.")
        if self.picture is None and self.marks.is_given:
            raise ParameterError("--scale, --horizon, --crop and --threshold are of a picture: name it with --picture.")
        _require_out(self.resume, self.out, "calibration")


@dataclass(frozen=True)
class ClumpRequest(Request):
    """A body, and the clump of spheres that is to approximate it."""

    source: str = option(..., "SHAPE|FILE.stl|.obj|.npy",
        "ball, cube, ellipsoid, tetrahedron, torus, rod, dumbbell, peanut, tetrapod, caltrop, vertebra; a closed mesh; "
        "or an array of voxels that are zero outside the body.", is_argument=True)
    out: Path | None = option(None, "FILE.json", "Write the clump; the scene clumps pours such files.",
        check=ending([".json"], ".json"))
    spheres: int = option(50, "NUMBER", "Largest number of spheres (P_max).", check=_check_spheres)
    algorithm: str = option("fitted", "fitted|greedy",
        "fitted: moved and resized until clump and body overlap most. greedy: inside the body, largest first (Karavaev "
        "et al. 2015).", check=_check_algorithm)
    rho: float | None = option(None, "NUMBER",
        "Of the greedy algorithm: smallest distance of two centres over the radius of the earlier sphere, above 0 and "
        "at most 1; 0.85 if not given.", check=_check_rho)
    grid: int = option(64, "NUMBER", "Cells along the longest edge of the body.")
    size: float | None = option(None, "METRES",
        "Longest edge of the body; if not given, 0.01 for a shape, and as in the file for a mesh.")
    unit: str = option("mm", "mm|cm|m|inch", "Unit of lengths in a file, edge of a voxel.", check=_check_unit)
    kappa: float = option(0.5, "NUMBER", "Step of sampling over the step of the grid, at most 1.", check=_check_kappa)
    density: float = option(2500.0, "KG/M3", "Density of the material.", check=_check_density)
    picture: Path | None = option(None, "FILE.png", "Draw the body beside the clump, coloured by radius.",
        check=ending([".png"], ".png"))
    export: tuple[Path, ...] = option((), "FILE.mol|.rigid|.txt",
        "Write the clump for other programs: LAMMPS molecule, LAMMPS fix rigid, YADE text. May be repeated.",
        check=ending([".mol", ".rigid", ".txt"], ".mol (LAMMPS molecule), .rigid (LAMMPS fix rigid) or .txt (YADE)"))
    allow_pieces: bool = option(False, "", "Make also a clump that falls apart into pieces that do not touch.")
    allow_poor_fit: bool = option(False, "", "Make also a clump whose overlap with the body (IoU) is less than 0.5.")
    json: bool = option(False, "", "Print the clump as JSON and nothing else.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rho is not None and self.algorithm != "greedy":
            raise ParameterError("--rho belongs to --algorithm greedy; add it, or leave --rho out.")


@dataclass(frozen=True)
class ReplayRequest(Request):
    """The film of a saved run, or the comparison of its state hashes with those of a repeated run."""

    file: SavedFile
    verify: bool = option(False, "", "Repeat the run from its beginning and compare every state hash.")
    threads: Threads = ""
    video: Video = ""
    since: float = option(0.0, "SECONDS", "Simulated time at which the film begins.", name="--from")
    until: float = option(math.inf, "SECONDS", "Simulated time at which the film ends.", name="--to",
        shows_default=False)
    film: FilmRequest = FilmRequest()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.since < self.until:
            raise ParameterError(
                f"--from {self.since:g} --to {self.until:g} is refused: the film must begin at 0 s or later and end "
                "after."
            )


@dataclass(frozen=True)
class PictureRequest(Request):
    """The picture of the last state of a saved run."""

    file: SavedFile
    out: Path = option(..., "FILE.png|.svg",
        "File to write; the suffix selects the format: pixels, or grains and forces.")
    size: Size = FULL_HD
    colour: Colour = ""
    show: Show = ()
    light: bool = option(False, "", "A light background, for print.")


@dataclass(frozen=True)
class ExportRequest(Request):
    """The states of a saved run that are written for other programs."""

    file: SavedFile
    to: Path = option(..., "FILE.html|.csv|.vtk|.vtp|.svg|.npz|.lammpstrj|.xyz|.h5|.graphml|DIR",
        "File to write, whose suffix selects the format, .html for a page that plays the run in a browser; with --for "
        "the new folder.")
    program: str = option("", "ovito|paraview|xyz|hdf5|lammps",
        "Program that reads the run, contacts included, or with lammps continues it, from a new folder.",
        name="--for", shows_default=False)
    every: float | None = option(None, "SECONDS",
        "Simulated time between two states; the run is computed again. Without it the last state is written, and a "
        "page has the speeds of a film.",
        check=_check_every)
    since: float = option(0.0, "SECONDS", "Simulated time of the first state.", name="--from")
    until: float = option(math.inf, "SECONDS", "Simulated time of the last state.", shows_default=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0.0 <= self.since < self.until:
            raise ParameterError(
                f"--from {self.since:g} --until {self.until:g} is refused: it must begin at 0 s or later and end after."
            )
        if self.is_page and self.program:
            raise ParameterError(f"--for {value_text(self.program)} writes a folder: --to FILE.html needs no --for.")
        if not self.is_page and self.every is None and (self.since or self.until < math.inf):
            raise ParameterError(
                "--from and --until choose a part of a run: give the time between two states with --every."
            )

    @property
    def is_page(self) -> bool:
        """Whether a page for browsers is written."""
        return self.to.suffix.lower() == ".html"


@dataclass(frozen=True)
class BenchRequest(Request):
    """The benchmark, or a plot of its earlier runs."""

    records: tuple[Path, ...] = option((), "[FILE.json...]",
        "Records of earlier runs to draw, with --plot; nothing is measured.", is_argument=True, shows_default=False)
    record: Path | None = option(None, "FILE.json", "Write the numbers, with date and machine, to this new file.",
        check=ending([".json"], ".json"))
    plot: Path | None = option(None, "FILE.png|.svg|.csv", "Draw the speeds of the records to this new file.",
        check=ending([".png", ".svg", ".csv"], ".png, .svg or .csv"))
    json: bool = option(False, "", "Print the numbers as JSON and nothing else.")
    quick: bool = option(False, "", "The smaller heaps and short runs of the window only, no beads in space.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.plot is None and self.records:
            raise ParameterError(
                f"{path_text(self.records[0])} is a record to draw: name the picture with --plot FILE.png, or leave "
                "the record out to measure."
            )
        if self.plot is not None and not self.records:
            raise ParameterError(
                f"--plot {path_text(self.plot)} draws records of earlier runs: name them, such as speed.json; --record "
                "speed.json writes one."
            )
        if self.records and (self.record or self.quick or self.json):
            raise ParameterError("--record, --quick and --json are for a measurement: leave them out, or the records.")


@dataclass(frozen=True)
class OpenRequest(Request):
    """What somebody has shared, to be shown, or run without a window."""

    what: str = option(..., "CODE|FILE",
        "A code of an experiment, a saved run, a preset, a lecture, a picture (JPEG, PNG, HEIC) or a video of a "
        "heap, or a text dump of LAMMPS: id, x y z, radius; in SI.", is_argument=True)
    radius: float | None = option(None, "METRES", "Radius of all spheres if the dump has none.",
        check=above_zero("a length above 0 m"))
    timestep: float | None = option(None, "SECONDS", "Time step of the run if the dump has no times.",
        check=above_zero("a time above 0 s"))
    beside: Path | None = option(None, "RUN.repose",
        "Of a dump: the run from which it was exported; it is continued here, and what its scene measures is compared "
        "at the times of all frames.")
    repeats: int = option(4, "NUMBER",
        "With --beside: further runs from displaced grains, whose scatter is the difference by chance.",
        check=within(0, 100, "0 to 100"))
    window: bool = option(True, "", "Show it in the window, or only measure and film it.")
    out: Out = None
    changes: tuple[str, ...] = option((), "NAME=VALUE",
        "Change one parameter, such as gate; SI; may be repeated.", name="--set")
    json: Json = False
    marks: MarksRequest = MarksRequest()
    begins: float | None = option(None, "SECONDS",
        "Of a video of a heap: time of the first motion; it is looked for if not given.",
        check=within(0.0, 1e5, "0 s or later"))
    computed: Path | None = option(None, "FILE.json",
        "Of a video of a heap: result.json of a run of the scene heap, drawn in the same figure.")
    video: Video = ""
    film: FilmRequest = FilmRequest()
    picture: bool = option(True, "", "Draw the last frame as a PNG file.")


@dataclass(frozen=True)
class LectureRequest(Request):
    """A lecture in the window, its notes or its film."""

    name: str = option("", "[NAME|FILE.toml]", "Shipped lecture or a file; without it they are listed.",
        is_argument=True, shows_default=False)
    notes: bool = option(False, "", "Print the steps with the notes of the speaker.")
    film: str = option("", "FILE.mp4|.gif|.webp|FOLDER/", "Make one film of all steps, without a window.",
        shows_default=False)
    language: str = option("", "en|de|…",
        "Language of window, notes and film; texts that the lecture has only in English stay English.",
        check=_check_language, shows_default=False)
    fps: Fps = None
    size: Size = FULL_HD
    sound: Sound = False
    threads: Threads = ""
    phones: Phones = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.name and (self.notes or self.film):
            raise ParameterError(
                f"{'--notes' if self.notes else '--film'} is for one lecture: name it; without a name they are listed."
            )
# fmt: on

"""Recorder: the film contains exactly the given frames in their colours, also after errors of disk and process."""

from __future__ import annotations

import errno
import subprocess
import sys
import textwrap
import time
import types
from contextlib import suppress
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from repose.app.storage import recorder
from repose.app.storage.recorder import Recorder, RecorderError, film_path, names_of

from tests.app.storage.film_faults import killed_films

av = pytest.importorskip("av")

RED, GREEN, BLUE, GREY = (255, 0, 0), (0, 255, 0), (0, 0, 255), (119, 119, 119)


def flat(size: tuple[int, int], colour: tuple[int, int, int] = GREY) -> recorder.Frame:
    return np.full((size[1], size[0], 3), colour, np.uint8)


def film(path: Path) -> list[np.ndarray]:
    """Every frame of the film, as RGB."""
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


def test_a_film_contains_exactly_the_added_frames_at_the_requested_rate(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", (64, 48), 30) as made:
        for _ in range(47):
            made.add(flat((64, 48)))
    assert made.frames == 47
    with av.open(str(tmp_path / "a.mp4")) as container:
        stream = container.streams.video[0]
        assert (stream.average_rate, stream.frames) == (Fraction(30), 47)
        assert sum(1 for _ in container.decode(stream)) == 47
    assert list(tmp_path.iterdir()) == [tmp_path / "a.mp4"]


def test_the_colours_of_a_film_are_exact_and_tagged(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", (64, 48), 30) as made:
        for colour in (RED, GREEN, BLUE, GREY):
            made.add(flat((64, 48), colour))
    with av.open(str(tmp_path / "a.mp4")) as container:
        context = container.streams.video[0].codec_context
        assert (int(context.colorspace), int(context.color_primaries)) == (recorder.BT709, recorder.BT709)
        assert (int(context.color_trc), int(context.color_range)) == (recorder.SRGB, recorder.LIMITED)
        raw = [frame.to_ndarray() for frame in container.decode(video=0)]
    # Limited-range BT.709: Y = 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B), R, G, B in 0..1.
    expected = [16 + 219 * share for share in (0.2126, 0.7152, 0.0722, 119 / 255)]
    assert [frame[24, 32] for frame in raw] == pytest.approx(expected, abs=3)


@pytest.mark.case("R09")
@pytest.mark.parametrize("size", [(641, 361), (1, 1), (3, 2), (1922, 3)])
def test_odd_sizes_are_padded_to_even(size: tuple[int, int], tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", size, 60) as made:
        made.add(flat(size))
    (frame,) = film(tmp_path / "a.mp4")
    assert frame.shape == (size[1] + size[1] % 2, size[0] + size[0] % 2, 3)
    assert np.abs(frame.astype(int) - 119).max() < 6


@pytest.mark.case("R09")
def test_absurd_sizes_and_rates_are_refused(tmp_path: Path) -> None:
    for size, fps in (((0, 10), 60.0), ((10, 9000), 60.0), ((10, 10), 0.0), ((10, 10), float("nan")), ((10, 10), 1e9)):
        with pytest.raises(RecorderError, match="refused"):
            Recorder(tmp_path / "a.mp4", size, fps)
    assert not list(tmp_path.iterdir())


@pytest.mark.case("R13")
def test_existing_film_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"precious")
    with Recorder(tmp_path / "a.mp4", (32, 32), 60) as made:
        made.add(flat((32, 32)))
    assert made.path == tmp_path / "a-2.mp4"
    assert (tmp_path / "a.mp4").read_bytes() == b"precious"


@pytest.mark.case("R13")
def test_names_with_odd_characters_work_and_a_missing_folder_is_made(tmp_path: Path) -> None:
    with Recorder(tmp_path / "Schüttkegel λ 砂" / "-wild name%03d", (32, 32), 60) as made:
        made.add(flat((32, 32)))
    assert made.path.name == "-wild name%03d.mp4"
    assert len(film(made.path)) == 1


@pytest.mark.case("R08")
def test_unusable_targets_are_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "file" / "a.mp4", tmp_path / f"{'x' * 300}.mp4", tmp_path / "a.avi", tmp_path / "x\0.mp4"):
        with pytest.raises(RecorderError, match="Film"):
            Recorder(path, (32, 32), 60)


def test_film_without_frames_leaves_no_file(tmp_path: Path) -> None:
    made = Recorder(tmp_path / "a.mp4", (32, 32), 60)
    assert made.close() == made.close() == 0
    assert not list(tmp_path.iterdir())


def test_a_frame_is_copied_so_that_its_buffer_can_be_reused(tmp_path: Path) -> None:
    buffer = flat((32, 32), (0, 0, 0))
    with Recorder(tmp_path / "a.mp4", (32, 32), 60) as made:
        for level in (40, 220):
            buffer[:] = level
            made.add(buffer)
        buffer[:] = 0
    assert [frame.mean() for frame in film(tmp_path / "a.mp4")] == pytest.approx([40, 220], abs=4)


def test_a_frame_of_another_size_is_refused_and_the_film_continues(tmp_path: Path) -> None:
    with Recorder(tmp_path / "a.mp4", (32, 32), 60) as made:
        with pytest.raises(RecorderError, match="32x32"):
            made.add(flat((64, 32)))
        made.add(flat((32, 32)))
    assert len(film(tmp_path / "a.mp4")) == 1
    with pytest.raises(RecorderError, match="closed"):
        made.add(flat((32, 32)))


@pytest.mark.case("R11")
def test_many_short_films_leave_no_thread_or_draft_behind(tmp_path: Path) -> None:
    import threading

    before = threading.active_count()
    for _ in range(20):
        with Recorder(tmp_path / "a.mp4", (16, 16), 60) as made:
            made.add(flat((16, 16)))
    assert threading.active_count() == before
    assert len(list(tmp_path.iterdir())) == 20


@pytest.mark.case("R07")
@pytest.mark.parametrize(
    ("typed", "name"), [("shots/", "shots"), ("shots%05d.png", "shots%05d.png"), ("a.mp4", "a.mp4")]
)
def test_on_a_full_disk_the_refusal_names_what_there_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, typed: str, name: str
) -> None:
    monkeypatch.setattr(recorder, "_free", lambda folder: 0)
    with pytest.raises(RecorderError) as refused:
        Recorder(film_path(f"{tmp_path}/{typed}"), (32, 32), 25.0)
    assert f"Film {tmp_path / name} is not begun" in str(refused.value)


@pytest.mark.case("R07")
def test_a_nearly_full_disk_ends_the_film_while_it_can_be_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Recorder(tmp_path / "a.mp4", (32, 32), 5)
    monkeypatch.setattr(recorder, "_free", lambda _: 1000)
    while not made.failure:
        try:
            made.add(flat((32, 32)))
        except RecorderError:
            break
    assert "almost full" in str(made.failure)
    assert "is kept" in str(made.failure)
    assert len(film(made.path)) == made.close() == 5
    with pytest.raises(RecorderError, match="not begun"):
        Recorder(tmp_path / "b.mp4", (32, 32), 5)


KILLED = """
    import os, signal, sys, time
    import numpy as np
    from repose.app.storage.recorder import Recorder

    made = Recorder(sys.argv[1], (160, 120), 60)
    noise = np.random.default_rng(1)
    for _ in range(301):
        made.add(noise.integers(0, 255, (120, 160, 3), np.uint8))
    while made.frames < 300:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.case("R01")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_film_of_a_killed_process_is_playable_up_to_its_last_second(tmp_path: Path) -> None:
    path = tmp_path / "a.mp4"
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(KILLED), str(path)], timeout=120, check=False)
    assert done.returncode < 0
    assert len(film(path)) >= 298  # all but the last, which are in fragments not yet complete


def test_the_file_exists_from_the_second_frame_on_and_can_be_played(tmp_path: Path) -> None:
    made = Recorder(tmp_path / "a.mp4", (64, 48), 60)
    made.add(flat((64, 48)))
    while made.frames < 1:
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == []
    made.add(flat((64, 48)))
    while made.frames < 2:
        time.sleep(0.01)
    assert list(tmp_path.iterdir()) == [tmp_path / "a.mp4"]
    assert len(film(tmp_path / "a.mp4")) == 1
    made.close()
    assert len(film(tmp_path / "a.mp4")) == 2


def test_a_file_that_another_program_made_meanwhile_is_kept(tmp_path: Path) -> None:
    first, second = (Recorder(tmp_path / "a.mp4", (32, 32), 60) for _ in range(2))
    for made, colour in ((first, RED), (second, BLUE)):
        made.add(flat((32, 32), colour))
    assert (first.close(), second.close()) == (1, 1)
    assert (first.path, second.path) == (tmp_path / "a.mp4", tmp_path / "a-2.mp4")
    assert film(first.path)[0][0, 0, 0] > 200 > film(second.path)[0][0, 0, 0]


def test_a_file_system_without_hard_links_is_supported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(recorder.os, "link", refused)
    (tmp_path / "a.mp4").write_bytes(b"precious")
    with Recorder(tmp_path / "a.mp4", (32, 32), 60) as made:
        made.add(flat((32, 32)))
        made.add(flat((32, 32)))
    assert len(film(tmp_path / "a-2.mp4")) == 2
    assert (tmp_path / "a.mp4").read_bytes() == b"precious"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.case("R01")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("count", [30, pytest.param(100, marks=pytest.mark.slow)])
def test_after_kills_every_film_can_be_played_and_drafts_are_deleted(count: int) -> None:
    wrong, films = killed_films(count)
    assert wrong == []
    assert films > count / 4


@pytest.mark.skipif(sys.platform == "win32", reason="the process of a draft is not looked for there")
def test_only_drafts_of_ended_programs_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    for name in (f".film-1.{ended.pid}.new", f".film-1.{recorder.os.getppid()}.new", ".film-mine.new", "b.new"):
        (tmp_path / name).touch()
    Recorder(tmp_path / "a.mp4", (32, 32), 60).close()
    assert {path.name for path in tmp_path.iterdir()} == {
        f".film-1.{recorder.os.getppid()}.new",
        ".film-mine.new",
        "b.new",
    }


@pytest.mark.case("R06")
@pytest.mark.parametrize("module", [None, types.ModuleType("av")], ids=["missing", "broken"])
def test_without_pyav_films_are_refused_in_a_sentence_and_pictures_work(
    module: types.ModuleType | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "av", module)
    with pytest.raises(RecorderError, match=r"^Films cannot be made, since PyAV .*pip install.*--video FOLDER/.*\.$"):
        Recorder(tmp_path / "a.mp4", (32, 32), 60)
    with Recorder(tmp_path / "a.png", (32, 32), 60) as made:
        made.add(flat((32, 32)))
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["000001.png"]
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_pictures_contain_the_frames_bit_by_bit_in_their_own_folder(tmp_path: Path) -> None:
    import pygame

    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "000001.png").write_bytes(b"precious")
    frames = np.random.default_rng(3).integers(0, 255, (5, 17, 31, 3), np.uint8)
    made = Recorder(film_path(f"{tmp_path}/a/"), (31, 17), 60)
    for frame in frames:
        made.add(frame)
    assert made.close() == 5
    assert made.path == tmp_path / "a-2"
    found = sorted((tmp_path / "a-2").iterdir())
    assert [path.name for path in found] == [f"{number:06d}.png" for number in range(1, 6)]
    for path, frame in zip(found, frames, strict=True):
        drawn = pygame.surfarray.pixels3d(pygame.image.load(path))
        np.testing.assert_array_equal(drawn.swapaxes(0, 1), frame)
    assert (tmp_path / "a" / "000001.png").read_bytes() == b"precious"


@pytest.mark.parametrize(
    ("typed", "name"),
    [("a.mp4", "a.mp4"), ("a", "a"), ("shots/", "shots.png"), ("my.shots/", "my.shots.png"), ("/", "/")],
)
def test_a_slash_at_the_end_selects_pictures(typed: str, name: str) -> None:
    assert film_path(typed) == Path(name)


LIMITED_FILE = """
    import resource, signal, sys
    import numpy as np
    from repose.app.storage.recorder import Recorder

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
    made = Recorder(sys.argv[1], (64, 48), 60)
    noise = np.random.default_rng(1)
    for number in range(200):
        frame = noise.integers(0, 60, (48, 64, 3), np.uint8)
        frame[:, : 16 + number // 8] += 190
        made.add(frame)
    print(made.close(), made.failure, *[part.name for part in made.parts])
"""


@pytest.mark.case("R14")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on file size")
def test_r14_a_film_continues_in_another_file_at_the_largest_file_of_the_disk(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(LIMITED_FILE), str(tmp_path / "a.mp4")],
        timeout=120,
        check=False,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    frames, *names = done.stdout.split()
    assert frames == "200"
    assert names == ["a.mp4", *(f"a-{number}.mp4" for number in range(2, len(names) + 1))]
    assert len(names) > 2
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(names)
    shown = [frame for name in names for frame in film(tmp_path / name)]
    bright = [int((frame[:, :, 1].mean(axis=0) > 150).sum()) for frame in shown]
    assert bright == pytest.approx([16 + number // 8 for number in range(200)], abs=1), "each once, in order"
    assert all((tmp_path / name).stat().st_size > 50_000 for name in names[:-1])


def test_r14_all_files_of_a_film_are_named() -> None:
    whole = [Path("/films/a.mp4"), Path("/films/a-2.mp4"), Path("/films/a-3.mp4")]
    assert str(names_of(whole[0], whole[:1])) == str(whole[0])
    assert str(names_of(whole[-1], whole)) == f"{whole[0]} to a-3.mp4 (3 files)"


@pytest.mark.case("R14")
@pytest.mark.slow
def test_r14_the_memory_of_a_long_film_is_flat(tmp_path: Path) -> None:
    """Ten hours at 60 frames per second are two million frames: 400 bytes of each would be 0.9 GB."""
    import resource

    made, frame = Recorder(tmp_path / "a.mp4", (32, 32), 60), flat((32, 32))
    peak = []
    for frames in (4_000, 12_000):
        for _ in range(frames):
            made.add(frame)
        peak.append(1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    assert made.close() == 16_000
    assert peak[1] - peak[0] < 400 * 12_000


@pytest.mark.case("R07")
def test_a_disk_that_refuses_to_write_ends_the_film_but_not_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Recorder(tmp_path / "a.mp4", (64, 48), 60)
    for _ in range(4):
        made.add(flat((64, 48)))
    while made.frames < 4:
        time.sleep(0.01)

    def full(film: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(recorder._GrowingFilm, "write_out", full)
    with suppress(RecorderError):
        made.add(flat((64, 48)))
    made.close()
    assert "No space left on device); what was written until then is kept" in str(made.failure)
    assert len(film(made.path)) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="a current folder cannot be removed there")
def test_a_film_in_a_deleted_current_folder_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(RecorderError, match=r"^Film film\.mp4 cannot be written: .*; choose another name\.$"):
        Recorder(Path("film.mp4"), (64, 48), 30)


@pytest.mark.parametrize(("ending", "fps", "shown"), [(".gif", 25, 25), (".gif", 60, 50), (".webp", 20, 20)])
def test_animations_contain_every_frame_in_its_colours_and_repeat(
    ending: str, fps: float, shown: float, tmp_path: Path
) -> None:
    from PIL import Image

    with Recorder(tmp_path / f"a{ending}", (65, 47), fps) as made:
        for colour in (RED, GREEN, BLUE, GREY):
            made.add(flat((65, 47), colour))
        assert list(tmp_path.glob(f"*{ending}")) == []  # it comes to be whole
    assert made.frames == 4
    assert float(made.rate) == shown
    assert list(tmp_path.iterdir()) == [made.path]
    with Image.open(made.path) as image:
        assert (image.size, image.n_frames, image.info["loop"]) == ((65, 47), 4, 0)
        for k, colour in enumerate((RED, GREEN, BLUE, GREY)):
            image.seek(k)
            assert image.convert("RGB").getpixel((32, 20)) == pytest.approx(colour, abs=6)
            assert image.info["duration"] == pytest.approx(1000 / shown, abs=1)


def test_a_gif_of_many_frames_is_written_completely(tmp_path: Path) -> None:
    import gc

    noise = np.random.default_rng(2)
    gc.freeze()  # collecting all that the tests before have left takes a second each time
    try:
        with Recorder(tmp_path / "a.gif", (40, 30), 50) as made:
            for _ in range(60):
                made.add(noise.integers(0, 255, (30, 40, 3), np.uint8))
                gc.collect()
    finally:
        gc.unfreeze()
    assert made.frames == 60
    assert not made.failure


def test_an_animation_overwrites_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.gif").write_bytes(b"precious")
    with Recorder(tmp_path / "a.gif", (32, 32), 20) as made:
        made.add(flat((32, 32)))
    assert made.path == tmp_path / "a-2.gif"
    assert (tmp_path / "a.gif").read_bytes() == b"precious"
    assert len(list(tmp_path.iterdir())) == 2


def test_a_full_disk_keeps_the_animation_so_far(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from PIL import Image

    made = Recorder(tmp_path / "a.webp", (32, 32), 5)
    monkeypatch.setattr(recorder, "_free", lambda _: 1000)
    with suppress(RecorderError):
        for k in range(200):
            made.add(flat((32, 32), (40 * k % 256, 0, 0)))
    assert "almost full" in str(made.failure)
    assert made.close() == 5
    with Image.open(made.path) as image:
        assert image.n_frames == 5


def test_pictures_named_by_a_pattern_are_beside_each_other_and_overwrite_nothing(tmp_path: Path) -> None:
    made = Recorder(tmp_path / "shots" / "k%03d.png", (16, 16), 60)
    for _ in range(3):
        made.add(flat((16, 16)))
    assert made.close() == 3
    assert sorted(path.name for path in (tmp_path / "shots").iterdir()) == ["k001.png", "k002.png", "k003.png"]
    with pytest.raises(RecorderError, match=r"k001\.png exists already"):
        Recorder(tmp_path / "shots" / "k%03d.png", (16, 16), 60)
    (tmp_path / "shots" / "k001.png").unlink()
    made = Recorder(tmp_path / "shots" / "k%03d.png", (16, 16), 60)
    made.add(flat((16, 16)))
    made.add(flat((16, 16)))
    assert made.close() == 1
    assert "k002.png exists already" in str(made.failure)

"""Video encoder: MP4, animated GIF or WebP, or PNG pictures; the ending of the name selects the format.

The encoder has its own thread and bounded queue. During the recording, an MP4 (H.264) is written in fragments of one
frame, each complete in itself and flushed at once, because a plain MP4 is unreadable without its last bytes. `close`
copies the fragments into an ordinary MP4, in which players can seek. A file is created with its first fragment, so that
every file can be played. A film that reaches the largest size of a file on its disk (4 GiB on FAT32) continues in
another file, which can be played alone. A GIF or WebP file is written completely when it is closed.
"""

from __future__ import annotations

import errno
import itertools
import os
import queue
import re
import shutil
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from repose.app.errors import RecorderError
from repose.app.storage.subtitles import ISO_639_2, Cue, Subtitles, as_sample
from repose.sim.message import EMPTY, Message, Number, _, plain, plural
from repose.sim.wording import described, message_of, path_text, reason_of

if TYPE_CHECKING:
    from av.container import OutputContainer
    from av.video.stream import VideoStream

Frame = NDArray[np.uint8]
"""Shape (height, width, 3), sRGB, top row first."""
Words = Callable[[int, int], Iterable[NDArray[np.int16]]]
"""Samples of the sound of the frames from one number to before another, in blocks."""
SOUND_RATE, SOUND_BITS = 48_000, 128_000
"""Samples per second of the sound of a film, and its bits per second [1/s]."""

ENCODERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("libx264", {"preset": "veryfast", "crf": "18", "tune": "zerolatency"}),
    ("mpeg4", {"qscale": "2"}),
)
"""Encoders with their options, tried in this order; the second is for builds of FFmpeg without x264. x264 does not hold
back frames to look ahead, because a kill would lose these frames; a film of falling grains is a sixth larger then."""
FILM, GIF, WEBP, PICTURES = ".mp4", ".gif", ".webp", ".png"
"""Endings of a name. With the last one, a folder with the name without the ending has a numbered picture per frame."""
ANIMATIONS: dict[str, tuple[str, str, dict[str, str]]] = {
    GIF: ("gif", "pal8", {}),
    WEBP: ("libwebp_anim", "bgra", {"quality": "75", "compression_level": "4"}),
}
"""Encoder, pixel format and options of the formats that slides and web pages play without a separate player."""
NUMBERED = re.compile(r"%0?[0-9]?d")
"""Place of the number in the name of a picture, as in shots%05d.png; such pictures have no folder of their own."""
GIF_TICK = 100
"""Time units of a GIF per second; players show frames that are shorter than two units more slowly [1/s]."""
NO_FILM = _(
    "{reason}: reinstall PyAV (pip install --force-reinstall av), or have every frame written as a PNG picture "
    "(--video FOLDER/, or the format PNG in the window)."
)
DRAFTS = itertools.count(1)
LARGEST_SIDE = 8192
"""Largest side of a picture in common H.264 levels [pixel]."""
RESERVE = 64 * 1024 * 1024
"""Free space kept on the disk, so that the film can be completed [bytes]."""
QUEUE_BYTES = 96 * 1024 * 1024
"""Largest memory of the frames that wait for the encoder [bytes]."""
BT709, SRGB, LIMITED = 1, 13, 1
"""Colour tags of H.273: primaries and matrix, transfer curve, range. Without them players guess the matrix."""


class Recorder:
    """A film being written; `add` frames, then `close` it."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        """Begin a film of (width, height) pixels and `fps` frames per second; raises `RecorderError`.

        An existing file is never overwritten: `self.path` is the name in use, which is final once there is a frame. Odd
        sides are padded by one pixel, because the colour planes have half the resolution.
        """
        if min(size) < 1 or max(size) > LARGEST_SIDE:
            raise RecorderError(
                Message(
                    "A film of {size}x{size2} pixels is refused: each side must be 1 to {largest_side}.",
                    size=size[0],
                    size2=size[1],
                    largest_side=LARGEST_SIDE,
                )
            )
        if not 1.0 <= fps <= 1000.0:
            raise RecorderError(
                plural(
                    "A film at {count} frame per second is refused: it must be 1 to 1000.",
                    "A film at {count} frames per second is refused: it must be 1 to 1000.",
                    count=Number(fps, format="g"),
                )
            )
        self.size = size
        self.rate = Fraction(film_rate(Path(path), fps)).limit_denominator(1001)
        self._wanted = _checked(path)
        self._format = self._wanted.suffix.lower()
        self._pictures = self._format == PICTURES
        self.encoder, self._options = ("", {}) if self._pictures else _find_encoder(self._format, self.rate)
        self.path = _foreseen(self._wanted)
        self._draft = self.path.with_name(f".film-{next(DRAFTS)}.{os.getpid()}.new")
        self.frames = 0
        """Frames encoded so far, in all parts."""
        self.parts: list[Path] = []
        """Files of an MP4: more than one if the disk limits the size of a file; `path` is the last one."""
        self._firsts: list[int] = []
        """Number of the first frame of each part."""
        self._failure: RecorderError | None = None
        self._closed = self._full = False
        frame_bytes = 3 * size[0] * size[1]
        self._queue: queue.Queue[Frame | None] = queue.Queue(max(2, min(16, QUEUE_BYTES // frame_bytes)))
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ready(self) -> bool:
        """True if `add` does not have to wait for the encoder."""
        return not self._queue.full()

    @property
    def failure(self) -> Message:
        """Why the recording stopped by itself; empty if it did not."""
        return EMPTY if self._failure is None else message_of(self._failure)

    def add(self, frame: Frame) -> None:
        """Append a copy of `frame`, waiting while the encoder is behind; raises `RecorderError` once it has stopped."""
        if self._failure is not None:
            raise self._failure
        width, height = self.size
        if self._closed or frame.shape != (height, width, 3) or frame.dtype != np.uint8:
            state = "closed" if self._closed else f"made for {width}x{height} frames"
            raise RecorderError(f"A frame of shape {frame.shape} cannot be added: the film is {state}.")
        odd = (height % 2, width % 2) if self._format == FILM else (0, 0)
        self._queue.put(np.pad(frame, ((0, odd[0]), (0, odd[1]), (0, 0)), mode="edge"))

    def close(self, words: Words | None = None, subtitles: Subtitles | None = None) -> int:
        """Encode the waiting frames, finish the file and return its number of frames; a second call does nothing.

        An MP4 gets the sound and the subtitles: words(first, last) are the 16-bit samples of these frames, mono,
        `SOUND_RATE` per second, in blocks.
        """
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()
            if self._failure is None:
                ends = itertools.pairwise((*self._firsts, self.frames))
                for part, (first, last) in zip(self.parts, ends, strict=True):
                    self._finish(part, Tracks(self.rate, first, last, words, subtitles))
        return self.frames

    def _finish(self, part: Path, tracks: Tracks) -> None:
        try:
            _make_seekable(part, self._draft, tracks)
        except Exception as error:  # an encoder of FFmpeg, the disk: the fragmented film remains
            self._draft.unlink(missing_ok=True)
            if tracks.words is None and tracks.subtitles is None:
                return
            self._failure = RecorderError(
                Message(
                    "Sound and subtitles could not be added to {path} ({reason}); the pictures are complete.",
                    path=path_text(part),
                    reason=reason_of(error, described(error)),
                )
            )
            with suppress(OSError):
                _make_seekable(part, self._draft, Tracks(self.rate, tracks.first, tracks.last))

    def _run(self) -> None:
        try:
            {PICTURES: self._save_pictures, FILM: self._encode}.get(self._format, self._animate)()
            if self._full:
                raise RecorderError(_("the disk is almost full"))
        except Exception as error:  # an error of FFmpeg or of the disk must not end the run
            self._failure = self._sentence(error)
            while self._queue.get() is not None:
                pass

    def _encode(self) -> None:
        film = _GrowingFilm()
        while True:
            try:
                self._encode_part(film)
                return
            except OSError as error:
                if error.errno != errno.EFBIG or film.file is None:
                    raise
                broken, film = film, film.next_part()
                broken.close()
            finally:
                film.close()

    def _encode_part(self, film: _GrowingFilm) -> None:
        """Encode the frames that the previous part could not store, then the waiting frames; raises `OSError`."""
        fragments = {"movflags": "frag_every_frame+empty_moov+default_base_moof", "flush_packets": "1"}
        with _load_av().open(film, "w", format="mp4", options=fragments) as container:
            stream = self._stream(container)
            for pixels in itertools.chain(film.again, self._waiting()):
                packets = stream.encode(self._picture(pixels, film.sent))
                container.mux(packets)
                film.count(pixels, len(packets))
                self._settle(film)
                film.forget_written()
                self.frames = max(self.frames, film.first + film.sent)
            container.mux(stream.encode(None))
        self._settle(film)

    def _animate(self) -> None:
        """Write a GIF or WebP to a draft that is renamed when it is complete."""
        encoder, pixels, options = ANIMATIONS[self._format]
        try:
            with _load_av().open(str(self._draft), "w", format=self._format[1:], options={"loop": "0"}) as container:
                stream: Any = container.add_stream(encoder, rate=self.rate, options=options)
                stream.width, stream.height, stream.pix_fmt = *self.size, pixels
                reduce = _palette(self.size, self.rate) if self._format == GIF else None
                for picture in self._waiting():
                    frame = _load_av().VideoFrame.from_ndarray(picture, format="rgb24")
                    frame.pts, frame.time_base = self.frames, 1 / self.rate
                    container.mux(stream.encode(reduce(frame) if reduce else frame.reformat(format=pixels)))
                    self.frames += 1
                container.mux(stream.encode(None))
            if self.frames:
                self.path = _take_name(self._draft, self._wanted)
        finally:
            self._draft.unlink(missing_ok=True)

    def _settle(self, film: _GrowingFilm) -> None:
        """Write the complete fragments; the first one creates the file."""
        if film.file is None and film.has_fragment:
            self.path = _put_in_place(film.written, self._draft, self._wanted)
            self.parts.append(self.path)
            self._firsts.append(film.first)
            film.file = self.path.open("ab", buffering=0)
            film.written.clear()
        film.write_out()

    def _save_pictures(self) -> None:
        from repose.app.storage.png import save_png

        numbered = NUMBERED.search(self._wanted.name) is not None
        folder, name = (self._wanted.parent, self._wanted.name) if numbered else (self.path, f"%06d{PICTURES}")
        for pixels in self._waiting():
            if self.frames == 0 and not numbered:
                folder = self.path = _new_folder(self._wanted)
            draft = folder / self._draft.name
            with draft.open("wb") as file:
                save_png(pixels, file)
            target = folder / _numbered(name, self.frames + 1)
            if numbered and target.exists():
                draft.unlink()
                raise FileExistsError(Message("{name} exists already", name=target.name))
            os.replace(draft, target)
            self.frames += 1

    def _waiting(self) -> Iterator[Frame]:
        """The waiting frames in their order, until the recording is closed or the disk is almost full."""
        while not self._full and (pixels := self._queue.get()) is not None:
            yield pixels
            self._full = self.frames % max(1, round(self.rate)) == 0 and _free(self.path.parent) < RESERVE

    def _stream(self, container: OutputContainer) -> VideoStream:
        stream: Any = container.add_stream(self.encoder, rate=self.rate, options=dict(self._options))
        stream.width, stream.height = (side + side % 2 for side in self.size)
        stream.pix_fmt = "yuv420p"
        context = stream.codec_context
        context.time_base = 1 / self.rate
        context.gop_size = max(1, round(self.rate))
        context.colorspace, context.color_primaries = BT709, BT709
        context.color_trc, context.color_range = SRGB, LIMITED
        return cast("VideoStream", stream)

    def _picture(self, pixels: Frame, number: int) -> Any:
        rgb = _load_av().VideoFrame.from_ndarray(pixels, format="rgb24")
        picture = rgb.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        picture.pts = number
        picture.time_base = 1 / self.rate
        return picture

    def _sentence(self, error: Exception) -> RecorderError:
        reason = reason_of(error)
        return RecorderError(
            Message(
                "Recording to {path} stopped ({reason}); what was written until then is kept. Free some "
                "space or choose another folder, then record again.",
                path=path_text(self.path),
                reason=reason,
            )
        )


class Tracks(NamedTuple):
    """What one file of a film has beside its pictures."""

    rate: Fraction
    """Frames per second."""
    first: int
    last: int
    """Frames of the film in this file: from `first` to before `last`."""
    words: Words | None = None
    subtitles: Subtitles | None = None

    @property
    def cues(self) -> list[Cue]:
        """The subtitles of this file, on its own clock."""
        begin, end = (float(frame / self.rate) for frame in (self.first, self.last))
        cues = self.subtitles.cues(end) if self.subtitles is not None else []
        return [Cue(max(cue.begin - begin, 0.0), cue.end - begin, cue.text) for cue in cues if cue.end > begin]


class _GrowingFilm:
    """File object for PyAV that stores bytes until they are complete fragments, and frames until they are in the
    file."""

    def __init__(self, first: int = 0, again: tuple[Frame, ...] = ()) -> None:
        self.written = bytearray()
        self.file: Any = None
        self.complete = 0
        """Size of the file before the last fragment was written [bytes]."""
        self.first, self.again = first, again
        """Number of frames in the previous parts, and the frames that the last part could not store."""
        self.sent = self.packets = 0
        """Number of frames passed to the encoder, and of packets received from it."""
        self.unwritten: deque[Frame] = deque()
        """Frames that are not in the file yet."""

    def count(self, pixels: Frame, packets: int) -> None:
        """Store a frame that was passed to the encoder, and count the packets received from the encoder."""
        self.unwritten.append(pixels)
        self.sent += 1
        self.packets += packets

    def forget_written(self) -> None:
        """Delete the frames that are in the file: the fragment of a packet is complete once the next packet comes."""
        while len(self.unwritten) > self.sent - self.packets + 1:
            self.unwritten.popleft()

    def next_part(self) -> _GrowingFilm:
        """The film that continues this one, whose file ends with its last complete fragment."""
        self.file.truncate(self.complete)
        return _GrowingFilm(self.first + self.sent - len(self.unwritten), tuple(self.unwritten))

    @property
    def has_fragment(self) -> bool:
        """Whether a fragment is waiting, and not only the head of the film."""
        return b"moof" in self.written

    def write(self, data: bytes) -> int:
        """Store bytes; called by PyAV."""
        self.written += data
        return len(data)

    def write_out(self) -> None:
        """Write the waiting bytes to the file, if there is one; raises `OSError`."""
        if self.file is None:
            return
        self.complete = self.file.tell()
        rest = memoryview(bytes(self.written))
        self.written.clear()
        while rest:
            rest = rest[self.file.write(rest) :]

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def film_path(text: str) -> Path:
    """Path of a film from its typed name: with a slash at the end, a folder for PNG pictures."""
    path = Path(text)
    return path.with_name(path.name + PICTURES) if text.endswith(("/", os.sep)) and path.name else path


def names_of(path: Path, parts: Sequence[Path]) -> Message:
    """The file of a film; of a film in several parts the first and the last file, and the number of files."""
    if len(parts) < 2:
        return plain(str(path))
    first, last, count = parts[0], parts[-1].name, len(parts)
    return plural(
        "{first} to {last} ({count} file)",
        "{first} to {last} ({count} files)",
        count=count,
        first=str(first),
        last=last,
    )


def encoder_names() -> tuple[str, ...]:
    """Names of the `ENCODERS` that work on this machine; raises `RecorderError` without PyAV."""
    return tuple(name for name, options in ENCODERS if _works(name, options, Fraction(60)))


def _palette(size: tuple[int, int], rate: Fraction) -> Callable[[Any], Any]:
    """A function that reduces a picture to the best 256 colours for this picture."""
    av: Any = _load_av()
    graph = av.filter.Graph()
    source = graph.add_buffer(width=size[0], height=size[1], format="rgb24", time_base=1 / rate)
    split, sink = graph.add("split"), graph.add("buffersink")
    colours = graph.add("palettegen", "stats_mode=single")
    reduced = graph.add("paletteuse", "new=1:dither=none")
    source.link_to(split)
    split.link_to(colours, 0, 0)
    split.link_to(reduced, 1, 0)
    colours.link_to(reduced, 0, 1)
    reduced.link_to(sink)
    graph.configure()

    def reduce(frame: Any) -> Any:
        # Call the graph and not its two ends, which hold no reference to the graph: it would be freed.
        graph.push(frame)
        return graph.pull()

    return reduce


def _load_av() -> Any:
    """PyAV, imported when it is first needed; raises `RecorderError` if it is missing or broken."""
    try:
        import av

        __ = av.open, av.CodecContext, av.VideoFrame, av.FFmpegError
    except Exception as error:  # a damaged library can raise any error
        reason = Message(
            "Films cannot be made, since PyAV cannot be loaded ({error})", error=reason_of(error, described(error))
        )
        raise RecorderError(Message(NO_FILM.template, reason=reason)) from None
    return av


def film_rate(path: Path, fps: float) -> float:
    """Actual frames per second of a film with this name: a GIF allows only 50, 33.3, 25, ..."""
    return GIF_TICK / max(2, round(GIF_TICK / fps)) if path.suffix.lower() == GIF else fps


def _find_encoder(ending: str, rate: Fraction) -> tuple[str, dict[str, str]]:
    if ending in ANIMATIONS:
        name, __, options = ANIMATIONS[ending]
        try:
            _load_av().CodecContext.create(name, "w")
        except Exception:  # FFmpeg's own errors, of several kinds
            raise RecorderError(
                Message(NO_FILM.template, reason=Message("This build of FFmpeg has no encoder {name}", name=name))
            ) from None
        return name, options
    for name, options in ENCODERS:
        if _works(name, options, rate):
            return name, options
    names = " or ".join(name for name, __ in ENCODERS)
    raise RecorderError(
        Message(NO_FILM.template, reason=Message("No video encoder works here (need {names})", names=names))
    )


def _works(name: str, options: dict[str, str], rate: Fraction) -> bool:
    av = _load_av()
    try:
        context: Any = av.CodecContext.create(name, "w")
        context.width, context.height, context.pix_fmt, context.time_base = 64, 64, "yuv420p", 1 / rate
        context.options = dict(options)
        context.open()
    except (av.FFmpegError, ValueError):
        return False
    return True


def _checked(path: Path) -> Path:
    """The absolute path with its ending; raises `RecorderError` for an ending that is neither film nor pictures."""
    try:
        path = Path(path).expanduser().absolute()
        path = path if path.suffix else path.with_suffix(FILM)
    except (OSError, ValueError, RuntimeError) as error:  # OSError: the current folder is gone
        reason = reason_of(error)
        raise RecorderError(
            Message(
                "Film {path} cannot be written: {reason}; choose another name.", path=path_text(path), reason=reason
            )
        ) from None
    if path.suffix.lower() not in (FILM, *ANIMATIONS, PICTURES):
        raise RecorderError(
            Message(
                "Film {path} is refused: films are written as {film}, {gif} or {webp} files, pictures as "
                "{pictures} into a folder (FOLDER/, or a name with a number such as shots%05d.png).",
                path=path_text(path),
                film=FILM,
                gif=GIF,
                webp=WEBP,
                pictures=PICTURES,
            )
        )
    return path


def _foreseen(wanted: Path) -> Path:
    """The expected name, if no other program takes it meanwhile; raises `RecorderError` if no file can be written."""
    shown = next(_names(wanted))
    try:
        wanted.parent.mkdir(parents=True, exist_ok=True)
        if _free(wanted.parent) < RESERVE:
            raise RecorderError(
                Message(
                    "Film {shown} is not begun: the disk has less than {reserve} MB free.",
                    shown=path_text(shown),
                    reserve=RESERVE >> 20,
                )
            )
        with tempfile.TemporaryFile(dir=wanted.parent):
            sweep(wanted.parent)
        if wanted.suffix.lower() == PICTURES and NUMBERED.search(wanted.name):
            if (first := wanted.with_name(_numbered(wanted.name, 1))).exists():
                raise RecorderError(
                    Message(
                        "Film {wanted} is refused: {name} exists already; choose another name.",
                        wanted=path_text(wanted),
                        name=first.name,
                    )
                )
            return wanted
        for candidate in _names(wanted):
            try:
                candidate.lstat()
            except FileNotFoundError:
                return candidate
        raise AssertionError
    except (OSError, ValueError) as error:
        reason = reason_of(error)
        raise RecorderError(
            Message(
                "Film {shown} cannot be written: {reason}; choose another folder or name.",
                shown=path_text(shown),
                reason=reason,
            )
        ) from None


def _names(wanted: Path) -> Iterator[Path]:
    """The name itself, then the name with -2, -3, …; the name of a folder for pictures has no ending."""
    in_folder = wanted.suffix.lower() == PICTURES and not NUMBERED.search(wanted.name)
    path = wanted.with_suffix("") if in_folder else wanted
    suffix = "" if path is not wanted else wanted.suffix
    yield path
    for count in itertools.count(2):
        yield wanted.with_name(f"{wanted.stem}-{count}{suffix}")


def _numbered(name: str, number: int) -> str:
    """The name of the picture with this number."""
    return NUMBERED.sub(lambda match: match[0] % number, name, count=1)


def _put_in_place(data: bytes | bytearray, draft: Path, wanted: Path) -> Path:
    """Write a file with these bytes under the first free name, in one step; returns its path."""
    try:
        draft.write_bytes(data)
        return _take_name(draft, wanted)
    finally:
        draft.unlink(missing_ok=True)


def _take_name(draft: Path, wanted: Path) -> Path:
    """Give a finished draft the first free name; the draft may be left beside it."""
    for candidate in _names(wanted):
        with suppress(FileExistsError):
            try:
                os.link(draft, candidate)
            except FileExistsError:
                raise
            except OSError:  # a file system without hard links
                candidate.open("xb").close()
                os.replace(draft, candidate)
            return candidate
    raise AssertionError


def _new_folder(wanted: Path) -> Path:
    for candidate in _names(wanted):
        with suppress(FileExistsError):
            candidate.mkdir()
            return candidate
    raise AssertionError


def sweep(folder: Path) -> None:
    """Delete the drafts of programs and processes that were killed."""
    for draft in folder.glob(".film-*.*.new"):
        number = draft.name.split(".")[-2]
        if number.isdecimal() and not _lives(int(number)):
            with suppress(OSError):
                draft.unlink()


def _lives(process: int) -> bool:
    if sys.platform == "win32":
        return False  # a draft in use cannot be deleted there
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _free(folder: Path) -> int:
    """Free space on the disk of this folder [bytes]."""
    return shutil.disk_usage(folder).free


def _make_seekable(path: Path, draft: Path, tracks: Tracks) -> None:
    """Copy the fragments into an MP4 with its index in front, and add sound and subtitles; raises an error of FFmpeg or
    of the disk."""
    av = _load_av()
    with (
        av.open(str(path)) as source,
        av.open(str(draft), "w", "mp4", options={"movflags": "+faststart"}) as target,
    ):
        stream = target.add_stream_from_template(source.streams.video[0])
        # All streams must exist before the first packet.
        sound = target.add_stream("aac", rate=SOUND_RATE, bit_rate=SOUND_BITS, layout="mono") if tracks.words else None
        texts = _text_stream(target, tracks.subtitles) if tracks.subtitles else None
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
        if sound is not None:
            for packet in _sound_packets(sound, tracks):
                target.mux(packet)
        for cue in tracks.cues if texts is not None else ():
            packet = av.Packet(as_sample(cue.text))
            packet.stream, packet.time_base = texts, Fraction(1, 1000)
            packet.pts = packet.dts = round(1000 * cue.begin)
            packet.duration = round(1000 * cue.end) - packet.pts
            target.mux(packet)
    os.replace(draft, path)


def _text_stream(target: Any, subtitles: Subtitles) -> Any:
    stream = target.add_mux_stream("mov_text", time_base=Fraction(1, 1000))
    stream.metadata["language"] = ISO_639_2.get(subtitles.language, "und")
    return stream


def _sound_packets(stream: Any, tracks: Tracks) -> Iterator[Any]:
    """The packets of the sound of these frames."""
    assert tracks.words is not None
    at = 0
    for block in tracks.words(tracks.first, tracks.last):
        if len(block):
            frame = _load_av().AudioFrame.from_ndarray(block[None], format="s16", layout="mono")
            frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, at, Fraction(1, SOUND_RATE)
            at += len(block)
            yield from stream.encode(frame)
    yield from stream.encode(None)

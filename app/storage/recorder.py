"""Video encoder: H.264 in an MP4 that can be played even if the program is killed meanwhile.

The encoder has a thread and a bounded queue of its own. While recording, the file is written in short
fragments, each complete in itself and flushed at once (a plain MP4 is unreadable without its last
bytes); `close` copies it into an ordinary one that players can seek in.
"""

from __future__ import annotations

import itertools
import os
import queue
import shutil
import threading
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray
from repose.sim.io.atomic_file import Claim, claim_first, draft_of

if TYPE_CHECKING:
    import av
    from av.container import OutputContainer
    from av.video.stream import VideoStream

Frame = NDArray[np.uint8]
"""Shape (height, width, 3), sRGB, top row first."""

ENCODERS: tuple[tuple[str, dict[str, str]], ...] = (
    ("libx264", {"preset": "veryfast", "crf": "18"}),
    ("mpeg4", {"qscale": "2"}),
)
"""Tried in this order; the second is for builds of FFmpeg without x264."""
LARGEST_SIDE = 8192
"""Pixels; what H.264 levels in use allow."""
RESERVE = 64 * 1024 * 1024
"""Bytes left free on the disk, so that the film can be completed."""
QUEUE_BYTES = 96 * 1024 * 1024
"""Frames waiting for the encoder may hold this much memory."""
BT709, SRGB, LIMITED = 1, 13, 1
"""Colour tags of H.273: primaries and matrix, transfer curve, range. Without them players guess the matrix."""


class RecorderError(RuntimeError):
    """Why a film cannot be begun or continued: one sentence."""


class Recorder:
    """A film being written; `add` frames, then `close` it."""

    def __init__(self, path: Path, size: tuple[int, int], fps: float) -> None:
        """Begin a film of (width, height) pixels and `fps` frames per second; raises `RecorderError`.

        An existing file is never overwritten: `self.path` is the name actually used. Odd sides are
        padded by one pixel, since the colour planes have half the resolution.
        """
        if min(size) < 1 or max(size) > LARGEST_SIDE:
            raise RecorderError(
                f"A film of {size[0]}x{size[1]} pixels is refused: each side must be 1 to {LARGEST_SIDE}."
            )
        if not 1.0 <= fps <= 1000.0:
            raise RecorderError(f"A film at {fps:g} frames per second is refused: it must be 1 to 1000.")
        self.size = size
        self.rate = Fraction(fps).limit_denominator(1001)
        self.encoder, self._options = _find_encoder(self.rate)
        self._claim = _claimed(path)
        self.path = self._claim.path
        self.frames = 0
        """Frames encoded so far."""
        self._failure: RecorderError | None = None
        self._closed = False
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
        """True while `add` would not have to wait for the encoder."""
        return not self._queue.full()

    @property
    def failure(self) -> str:
        """Why the recording stopped by itself; empty while all is well."""
        return str(self._failure or "")

    def add(self, frame: Frame) -> None:
        """Append a copy of `frame`, waiting while the encoder is behind; raises `RecorderError` once it has stopped."""
        if self._failure is not None:
            raise self._failure
        width, height = self.size
        if self._closed or frame.shape != (height, width, 3) or frame.dtype != np.uint8:
            state = "closed" if self._closed else f"made for {width}x{height} frames"
            raise RecorderError(f"A frame of shape {frame.shape} cannot be added: the film is {state}.")
        self._queue.put(np.pad(frame, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge"))

    def close(self) -> int:
        """Encode what is waiting, finish the file, and say how many frames it holds; a second call does nothing."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()
            if self.frames == 0:
                self.path.unlink(missing_ok=True)
            elif self._failure is None:
                _make_seekable(self.path)
            self._claim.release()
        return self.frames

    def _run(self) -> None:
        try:
            self._encode()
        except Exception as error:  # whatever FFmpeg or the disk throws must not end the run
            self._failure = self._sentence(error)
            while self._queue.get() is not None:
                pass

    def _encode(self) -> None:
        import av

        fragments = {"movflags": "frag_keyframe+empty_moov+default_base_moof", "frag_duration": "500000"}
        with av.open(str(self.path), "w", format="mp4", options=fragments | {"flush_packets": "1"}) as container:
            stream = self._stream(container)
            full = False
            while not full and (pixels := self._queue.get()) is not None:
                container.mux(stream.encode(self._picture(pixels)))
                self.frames += 1
                full = self.frames % max(1, round(self.rate)) == 0 and _free(self.path.parent) < RESERVE
            container.mux(stream.encode(None))
        if full:
            raise RecorderError("the disk is almost full")

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

    def _picture(self, pixels: Frame) -> av.VideoFrame:
        import av

        rgb = av.VideoFrame.from_ndarray(pixels, format="rgb24")
        picture = rgb.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        picture.pts = self.frames
        picture.time_base = 1 / self.rate
        return picture

    def _sentence(self, error: Exception) -> RecorderError:
        reason = getattr(error, "strerror", None) or error
        return RecorderError(
            f"Recording to {self.path} stopped ({reason}); what was written until then is kept. "
            "Free some space or choose another folder, then record again."
        )


def encoder_names() -> tuple[str, ...]:
    """Those of the encoders we can use that work on this machine."""
    return tuple(name for name, options in ENCODERS if _works(name, options, Fraction(60)))


def _find_encoder(rate: Fraction) -> tuple[str, dict[str, str]]:
    for name, options in ENCODERS:
        if _works(name, options, rate):
            return name, options
    names = " or ".join(name for name, _ in ENCODERS)
    raise RecorderError(
        f"No video encoder works here (need {names}); install PyAV from PyPI: pip install --upgrade av."
    )


def _works(name: str, options: dict[str, str], rate: Fraction) -> bool:
    import av

    try:
        context: Any = av.CodecContext.create(name, "w")
        context.width, context.height, context.pix_fmt, context.time_base = 64, 64, "yuv420p", 1 / rate
        context.options = dict(options)
        context.open()
    except (av.FFmpegError, ValueError):
        return False
    return True


def _claimed(path: Path) -> Claim:
    """Claim that name, or the next free one; raises `RecorderError`."""
    path = Path(path)
    try:
        path = path.expanduser().absolute()
        path = path if path.suffix else path.with_suffix(".mp4")
        if path.suffix.lower() != ".mp4":
            raise RecorderError(f"Film {path} is refused: films are written as .mp4 files.")
        path.parent.mkdir(parents=True, exist_ok=True)
        if _free(path.parent) < RESERVE:
            raise RecorderError(f"Film {path} is not begun: the disk has less than {RESERVE >> 20} MB free.")
        return claim_first(path if n == 1 else path.with_stem(f"{path.stem}-{n}") for n in itertools.count(1))
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, RecorderError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise RecorderError(f"Film {path} cannot be written: {reason}; choose another folder or name.") from None


def _free(folder: Path) -> int:
    """Bytes free on the disk of that folder."""
    return shutil.disk_usage(folder).free


def _make_seekable(path: Path) -> None:
    """Copy the fragments into an MP4 with its index in front; if that fails, the fragmented film stays."""
    import av

    draft = draft_of(path)
    try:
        with (
            av.open(str(path)) as source,
            av.open(str(draft), "w", "mp4", options={"movflags": "+faststart"}) as target,
        ):
            stream = target.add_stream_from_template(source.streams.video[0])
            for packet in source.demux(video=0):
                if packet.dts is not None:
                    packet.stream = stream
                    target.mux(packet)
        os.replace(draft, path)
    except OSError:  # what FFmpeg raises is one of these too
        draft.unlink(missing_ok=True)

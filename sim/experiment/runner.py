"""The physics thread, the only thread that changes an experiment.

It carries out commands, advances a batch of steps and publishes a snapshot. It never waits for the window, except while
a film is recorded, and the window never waits for it. Speed control sets the number of steps per wall time, never dt.
"""

from __future__ import annotations

import math
import queue
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from repose.sim.experiment.commands import Act, Beginning, Command, From, Pull, Push, Release, Resume
from repose.sim.experiment.control import carry_out, seek_further
from repose.sim.experiment.experiment import CHECK_STEPS, Experiment
from repose.sim.experiment.hand import lacking_parts
from repose.sim.experiment.side_by_side import (
    SideBySide,
    advance_batch,
    begins_several,
    meet,
    take_snapshots,
)
from repose.sim.experiment.snapshot import Fault, ShownEngine, ShownHistory, ShownMessages, Snapshot, TripleBuffer
from repose.sim.experiment.stepping import at_rest, rests_at_check, steps_until, threads_wanted
from repose.sim.experiment.take_snapshot import shown_parameters, take_picture
from repose.sim.message import EMPTY, Message
from repose.sim.wording import described, reason_of

PUBLISH_INTERVAL = 1.0 / 75.0
"""Wall time between snapshots [s]: slightly less than the time between two frames of a screen."""

PUBLISH_SHARE, FEWEST_SNAPSHOTS = 0.03, 12.0
"""Largest share of its time that the physics thread spends on snapshots [-], and least number of snapshots [1/s]."""

BATCH_TIME = 4e-3
"""Processor time of a batch [s]: long enough for a negligible overhead, short enough to answer a slider in one frame.
Wall time is not used: while other programs use the processors, batches would become so short that their overhead
exceeds the cost of their steps."""

LONGEST_BATCH = 8.0
"""Largest wall time of a batch in units of BATCH_TIME [-]; some clocks of processor time advance in milliseconds."""

AT_ONCE = 0.25
"""Wall time of a seek after which its progress is shown [s]."""

SPEED_WINDOW = 0.5
"""Wall time over which the real-time factor is averaged [s]."""

LONGEST_CATCH_UP = 0.1
"""Wall time behind schedule after which a new schedule begins [s]."""

FRAMES_WAITING = 8
"""Number of queued snapshots of a film at which the physics thread waits."""

LONGEST_STILL = 15
"""Frames of a film in which the state stands still while the run goes to a later step of its log."""

FRAME_WAIT = 2e-3
"""Wall time between two checks of the length of the queue [s]: a fraction of the time to draw a snapshot."""


Interval = float | Callable[[Snapshot], float]
"""Simulated time between two frames of a film [s], or a function of a frame that returns the time to the next."""


@dataclass(eq=False)
class Recording:
    """A film that is recorded, or asked for: in the queue of the commands, since it is of the run that they begin."""

    interval: Interval
    frames: queue.Queue[Snapshot | None]
    ended: bool = False


class Runner:
    """Runs an experiment on its own thread; `make` is called there, so that the window opens immediately.

    `starts` is the number of commands that have begun another experiment before, in a thread that this one replaces.
    """

    def __init__(self, make: Callable[[], Experiment], starts: int = 0) -> None:
        self._make = make
        self._starts = self._begun_by = starts
        self._begins: Beginning | None = None
        """The present command, if it begins another experiment."""
        self._together = SideBySide([])
        """The experiments, first that which `make` returns; used by the physics thread only."""
        self._buffer = TripleBuffer()
        self._commands: queue.SimpleQueue[Command | Recording] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._wake = threading.Event()
        self._asking = threading.Lock()
        """Guards `_paused` and `_steps_asked`, which both threads change."""
        self._paused = False
        self._steps_asked = 0
        self._stops_at_rest = False
        self._speed: float | None = None
        self._asked: Recording | None = None
        """The film asked for last."""
        self._recording: Recording | None = None
        """The film for which frames are taken; used by the physics thread only."""
        self._frame_due = self._frame_last = -math.inf
        """Simulated time of the next and of the last frame of a film [s]; used by the physics thread only."""
        self._frame_step = 0.0
        """Simulated time from the last frame of a film to the next one [s]; used by the physics thread only."""
        self._frame_phase = ""
        self._jumped = False
        """Whether the present state was reached by a way along the log, since the last frame was due."""
        self._serial = 0
        self._refusal = EMPTY
        self._refusals = 0
        self._refused_drags = 0
        self._refused_action = False
        self._batch_cost = 1e-3 / CHECK_STEPS
        """Processor time of one step, last measured [s]."""
        self._publish_at = self._publish_cost = 0.0
        """Wall time at which the next snapshot is due, and smoothed processor time of one [s]."""
        self._contacts_shown, self._forces_shown = True, False
        self._timeline: deque[tuple[float, float, int]] = deque()
        """Recent wall times, simulated times and steps, for the real-time factor; used by the physics thread only."""
        self._scheduled: tuple[float, float] | None = None
        """Wall and simulated time at which the schedule began; None if it begins at the end of the next batch."""
        self._speed_changed = False
        self._stop_relaxing = threading.Event()
        self._command_began = 0.0
        """Wall time at which the present command began [s]; used by the physics thread only."""
        self._newest = self._buffer.writing
        self._newest.engine = ShownEngine(compiling=True)
        self._buffer.publish()
        self._thread = threading.Thread(target=self._main, name="physics", daemon=True)

    # Called from any thread.

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the thread after the present batch; may be called twice, and while compiling."""
        self._stopping.set()
        self._wake.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join(timeout=2.0)

    @property
    def dead(self) -> bool:
        """True once the thread has ended without `stop`: only a new runner can continue."""
        return self._thread.ident is not None and not self._thread.is_alive() and not self._stopping.is_set()

    def send(self, command: Command) -> None:
        """Queue a command; it is applied between two batches."""
        self._commands.put(command)
        self._wake.set()

    def latest(self) -> Snapshot:
        """The newest snapshot; never waits."""
        return self._buffer.latest()

    def pause(self, paused: bool) -> None:
        """Pause or continue; steps requested by `single_step` and not yet done are cancelled."""
        with self._asking:
            self._paused, self._steps_asked = paused, 0
        self._speed_changed = True
        self._wake.set()

    def single_step(self, count: int = 1) -> None:
        """Pause after exactly `count` more steps."""
        with self._asking:
            self._paused = True
            self._steps_asked += count
        self._wake.set()

    def stop_at_rest(self, stops: bool) -> None:
        """Whether the simulated time stops while all grains are at rest and no command acts, except while frames are
        recorded; steps of `single_step` are always done."""
        self._stops_at_rest = stops
        self._wake.set()

    def stop_relaxing(self) -> None:
        """End the relaxation under way, if there is one; its command is refused."""
        self._stop_relaxing.set()

    def show_contacts(self, shown: bool) -> None:
        """Whether snapshots contain the ends and forces of contacts, which cost most time; snapshots of films always
        do."""
        self._contacts_shown = shown

    def show_forces(self, shown: bool) -> None:
        """Whether snapshots, those of films included, contain the forces of the contacts, for which the contact law is
        evaluated once more."""
        if shown != self._forces_shown:
            self._forces_shown = shown
            self._wake.set()

    def set_speed(self, factor: float | None) -> None:
        """Set the real-time factor; None, or a value that is not finite, means as fast as possible."""
        self._speed = factor if factor is not None and math.isfinite(factor) else None
        self._speed_changed = True
        self._wake.set()

    def record(self, interval: Interval | None) -> queue.Queue[Snapshot | None]:
        """Queue a snapshot at every `interval` of simulated time [s] after the commands sent so far. None ends it with
        a None item, as do later commands that open a saved run or begin another scene.

        An interval can be a function of the snapshot that returns the time to the next one; it is called again at the
        beginning of a phase.
        While recording, the physics thread waits when `FRAMES_WAITING` snapshots are queued, so that the film is
        complete.
        """
        if interval is None:
            asked, self._asked = self._asked, None
            if asked is None:
                asked = Recording(0.0, queue.Queue())
            self._end(asked)
            return asked.frames
        self._asked = Recording(interval, queue.Queue())
        self._commands.put(self._asked)
        self._wake.set()
        return self._asked.frames

    @staticmethod
    def _end(recording: Recording) -> None:
        """End a film at once: only the physics thread limits the number of queued snapshots."""
        recording.ended = True
        recording.frames.put(None)

    # Called on the physics thread.

    def _main(self) -> None:
        try:
            self._begin()
            self._publish()
            while not self._stopping.is_set():
                self._turn()
        except Exception as error:  # the window continues and shows the message
            traceback.print_exc()
            shown = self._buffer.writing
            vars(shown).update(vars(self._newest))  # the snapshot being written is older than the published one
            shown.serial += 1
            shown.engine = replace(shown.engine, compiling=False)
            words = Message(
                "The physics thread stopped: {error}. Start the experiment anew.",
                error=reason_of(error, described(error)),
            )
            shown.messages = replace(shown.messages, latest=words, fault=Fault(words))
            self._buffer.publish()

    def _begin(self) -> None:
        self._together.runs.append(self._make())

    def _turn(self) -> None:
        """Carry out commands, advance one batch, publish when due."""
        changed = self._carry_out_commands()
        if self._speed_changed:
            self._speed_changed = False
            self._restart_schedule()
        runs = self._together.runs
        if any(run.history.seek is not None for run in runs):
            self._jumped = True
            for run in runs:
                seek_further(run, max(1, int(BATCH_TIME / self._batch_cost)))
            if changed or all(run.history.seek is None for run in runs) or time.perf_counter() >= self._publish_at:
                self._publish()
            return
        steps, requested = self._steps_due()
        self._offer_frame()
        steps = min(steps, self._steps_to_frame())
        began, worked = time.perf_counter(), time.thread_time()
        done = advance_batch(self._together, steps, not requested and self._may_rest)
        worked = time.thread_time() - worked
        if requested:
            with self._asking:
                self._steps_asked = max(0, self._steps_asked - done)
        now = time.perf_counter()
        if done:
            # A pool of threads advances experiments outside this thread.
            least = (now - began) / (1.0 if self._together.pool else LONGEST_BATCH)
            self._batch_cost = max(worked, least) / done
        experiment = self._together.first
        if self._timeline and experiment.time < self._timeline[-1][1]:
            self._restart_schedule()  # a fault restored an earlier state
        self._scheduled = self._scheduled or (now, experiment.time)
        self._timeline.append((now, experiment.time, experiment.step))
        while now - self._timeline[0][0] > SPEED_WINDOW:
            self._timeline.popleft()
        # A snapshot that the window has not read yet is replaced later.
        if changed or now >= self._publish_at + (0.0 if self._buffer.taken else 1.0 / FEWEST_SNAPSHOTS):
            self._publish()
        if done == 0:
            self._wake.wait(timeout=0.02 if steps == 0 else 0.001)
            self._wake.clear()

    def _carry_out_commands(self) -> bool:
        changed = False
        while not self._commands.empty():
            experiment = self._together.first
            before, self._command_began = experiment.time, time.perf_counter()
            self._stop_relaxing.clear()
            for one in self._together.runs:
                one.session.seek_steps = int(AT_ONCE / self._batch_cost)
            command = self._commands.get()
            if isinstance(command, Recording):
                self._recording = command
                self._frame_due, self._frame_last, self._frame_phase = -math.inf, -math.inf, ""
                continue
            run, command = (command.run, command.command) if isinstance(command, From) else (0, command)
            self._begins, scene = command if isinstance(command, Beginning) else None, experiment.scene.name
            refusal = carry_out(self._together, command, run)
            experiment = self._together.first  # another one if only one of several continues
            drags = isinstance(command, Pull | Push | Release)
            if refusal or not drags:  # a drag sends a command per frame, before which no sentence could be read
                self._refusal = refusal
                self._refused_action = bool(refusal) and isinstance(command, Act)
            self._refusals += bool(refusal)
            self._refused_drags += bool(refusal) and drags
            if self._begins is not None:
                self._starts += 1
                self._begun_by = self._begun_by if refusal else self._starts
                replaced = isinstance(command, Resume) or experiment.scene.name != scene
                if self._filmed is not None and replaced and not refusal:
                    self._end(self._filmed)  # its run is over, and the other one can be at any time
                self._begins = None
            if experiment.time != before:
                self._jumped = True
                self._restart_schedule()  # another state; a parameter change keeps the schedule
            changed = True
        return changed

    def _restart_schedule(self) -> None:
        self._timeline.clear()
        self._scheduled = None

    def _steps_due(self) -> tuple[int, bool]:
        """Number of steps of the next batch, and whether `single_step` requested them."""
        batch = max(1, int(BATCH_TIME / self._batch_cost))
        with self._asking:
            paused, asked = self._paused, self._steps_asked
        experiment, runs = self._together.first, self._together.runs
        if any(run.fault is not None for run in runs):
            return 0, False
        if paused:
            return min(batch, asked), True
        # Experiments side by side reach no check at equal times.
        if self._may_rest and (rests_at_check(experiment) if len(runs) == 1 else all(map(at_rest, runs))):
            self._scheduled = None
            return 0, False
        if self._speed is None:
            # End the batch at a check, where the step loop returns anyway.
            beyond = (experiment.step + batch) % CHECK_STEPS
            return (batch - beyond if batch > beyond else batch), False
        if self._scheduled is None:
            return 0, False  # the schedule begins with this turn
        since, started = self._scheduled
        speed = self._speed * experiment.scene.limits.time_scale(experiment.run.built)
        behind = (time.perf_counter() - since) * speed - (min(run.time for run in runs) - started)
        if behind > LONGEST_CATCH_UP * speed:
            self._scheduled = None
        return max(0, min(batch, int(behind / experiment.dt))), False

    @property
    def _may_rest(self) -> bool:
        """Whether the clock stops at rest: never while frames are recorded."""
        return self._stops_at_rest and self._filmed is None

    @property
    def _filmed(self) -> Recording | None:
        """The film for which frames are taken now; one that has ended is forgotten with its snapshots."""
        if self._recording is not None and self._recording.ended:
            self._recording = None
        return self._recording

    def _steps_to_frame(self) -> int:
        if self._filmed is None:
            return 1 << 30
        return steps_until(self._together.first, self._frame_due)

    def _offer_frame(self) -> None:
        experiment, recording = self._together.first, self._filmed
        if recording is None:
            return
        interval, frames = recording.interval, recording.frames
        begins = callable(interval) and experiment.phase != self._frame_phase
        late = self._jumped and experiment.time > self._frame_due + LONGEST_STILL * self._frame_step
        if begins or late or self._frame_due == -math.inf or experiment.time < self._frame_last:
            # Recording or a phase begins, or the time was set back or far forth: what lies between was not shown.
            self._frame_due = experiment.time
        self._jumped = False
        while not recording.ended and experiment.time >= self._frame_due - 1e-12:
            shot = Snapshot()
            self._describe(shot)
            self._frame_last, self._frame_phase = experiment.time, experiment.phase
            while not recording.ended and not self._stopping.is_set():
                if frames.qsize() < FRAMES_WAITING:
                    frames.put(shot)
                    self._frame_step = interval(shot) if callable(interval) else interval
                    self._frame_due += self._frame_step
                    break
                time.sleep(FRAME_WAIT)
            if self._stopping.is_set():
                return

    def _describe(self, snapshot: Snapshot, contacts: bool = True) -> None:
        """The experiments, and what this thread knows of commands and speed."""
        self._serial += 1
        take_snapshots(self._together, snapshot, contacts, self._forces_shown)
        first, last = (self._timeline[0], self._timeline[-1]) if self._timeline else ((0.0, 0.0, 0),) * 2
        wall = last[0] - first[0]
        for run, shot in zip(self._together.runs, (snapshot, *snapshot.beside), strict=True):
            shot.serial = self._serial
            shot.messages = replace(
                shot.messages,
                refusal=self._refusal,
                refusals=self._refusals,
                refused_drags=self._refused_drags,
                refused_action=self._refused_action,
            )
            shot.history = replace(shot.history, starts=self._starts, begun_by=self._begun_by)
            shot.engine = ShownEngine(
                paused=self._paused,
                realtime_factor=(last[1] - first[1]) / wall if wall > 0.0 else 0.0,
                steps_per_second=(last[2] - first[2]) / wall if wall > 0.0 else 0.0,
                threads_asked=run.session.threads,
                threads_wanted=threads_wanted(run),
                threads_crowded=run.session.thread_choice.crowded,
            )

    def announce_compiling(self, experiment: Experiment) -> None:
        """Publish the world before its first step, while the step loop is compiled. Called on the physics thread.

        Until all experiments side by side are made, and while a change compiles another engine for them, the picture
        stays as it was. Nothing of the experiment that a single one replaces is shown with its picture.
        """
        shown, begins = self._buffer.writing, self._begins
        if begins is not None and not begins_several(begins):
            refused = ShownMessages(refusals=self._refusals, refused_drags=self._refused_drags)
            vars(shown).update(vars(Snapshot(messages=refused)))
            shown.history = ShownHistory(starts=self._starts + 1, begun_by=self._starts + 1)
            take_picture(experiment, shown)
        else:
            vars(shown).update(vars(self._newest))
            if begins is None and not self._newest.beside:
                take_picture(experiment, shown)
        self._serial += 1
        needed = experiment.scene.name, shown_parameters(experiment)
        shown.serial = self._serial
        shown.engine = replace(
            shown.engine, paused=self._paused, compiling=True, needed=needed, lacking=lacking_parts(experiment)
        )
        self._newest = shown
        self._buffer.publish()

    def announce_relaxing(self, experiment: Experiment, share: float | None) -> bool:
        """Publish the completed fraction of a long relaxation, None at its end; returns whether the relaxation must
        stop. Called on the physics thread."""
        now = time.perf_counter()
        ended = share is None and self._newest.engine.relaxing is not None
        if ended or (share is not None and now >= max(self._publish_at, self._command_began + AT_ONCE)):
            shown = self._buffer.writing
            vars(shown).update(vars(self._newest))  # the one being written is older than the published one
            self._serial += 1
            shown.serial, shown.engine = self._serial, replace(shown.engine, relaxing=share)
            self._newest = shown
            self._buffer.publish()
            self._publish_at = now + PUBLISH_INTERVAL
        # During a seek the relaxation must not stop: it was completed when it was logged.
        return experiment.history.seek is None and (self._stopping.is_set() or self._stop_relaxing.is_set())

    def _publish(self) -> None:
        began = time.thread_time()
        self._newest = self._buffer.writing
        meet(self._together)
        self._describe(self._newest, self._contacts_shown)
        self._buffer.publish()
        self._publish_cost += 0.2 * (time.thread_time() - began - self._publish_cost)
        self._publish_at = time.perf_counter() + pause_between_snapshots(self._publish_cost)


def pause_between_snapshots(cost: float) -> float:
    """Wall time to the next snapshot [s] for a processor time of `cost` per snapshot [s]."""
    return min(max(PUBLISH_INTERVAL, cost / PUBLISH_SHARE), 1.0 / FEWEST_SNAPSHOTS)

"""One child of lane B with the memory that it shares, as the parent drives it: open, load, call by call, let go.

It knows what the child was asked and how long that took by the parent's clock. It judges no output.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from ...errors import ToolchainError
from ..sandbox import Crashed, Finished, Session, TimedOut, open_session
from .child import serve
from .contained import Contained
from .court import Court
from .extension import MOST_BUILDS, WANT
from .gate import PAGE_BYTES, Caller, Stopped
from .layout import Layout, Shape, TensorPlace, lay_out
from .memory import memory_file
from .referee import Description
from .schedule import SLOTS

CALIBRATIONS = 30
MOST_WORDS = 2000  # of what a child says
OPEN_S = 120.0  # a server that imports torch for the first time, on a busy machine


@dataclass(frozen=True)
class Limits:
    """How long a candidate may take, in seconds of wall time, and how much memory beyond that of torch itself."""

    load_s: float = 120.0  # its constructor, without builds of extensions
    first_call_s: float = 120.0
    call_s: float = 20.0
    total_s: float = 600.0
    memory_bytes: int = 8 << 30  # on the CPU; a CUDA driver reserves addresses without limit


class Fallen(Exception):
    """The child ended, or was too late: a value of the candidate, carried to where the verdict is made."""

    def __init__(self, words: str, is_late: bool = False) -> None:
        self.words, self.is_late = words, is_late
        super().__init__(words)


def begin_child(device: str, limits: Limits) -> Session:
    """A child on its way, with a context on the device where that is one; it waits for `Player.open`.

    Raises:
        ToolchainError: no process can be started.
    """
    memory_bytes = limits.memory_bytes if device == "cpu" else None
    return open_session(serve, device, kind="torch", timeout_s=None, memory_bytes=memory_bytes)


@dataclass(frozen=True)
class Called:
    """Seconds of the parent's clock: until the child said "done", and until its outputs could not change any more."""

    done_s: float
    settled_s: float


class Player:
    """A child and its memory. Use as a context manager: when it ends, the child is gone.

    Args:
        who: the referee's name for this memory. build: makes an extension from a request: {"path"} or {"error"}.
        session: a child that `begin_child` has started ahead. calls: the shape of each slot, where they are not all the
            task's own.
    """

    def __init__(
        self,
        who: str,
        description: Description,
        device: str,
        limits: Limits,
        build: Callable[[dict[str, Any]], dict[str, Any]],
        session: Session | None = None,
        calls: Sequence[Shape] = (),
    ) -> None:
        self.who, self.device, self.limits, self.build = who, device, limits, build
        self.nest = description.nest
        self.layout: Layout = lay_out(
            description.state,
            calls or [description.shape] * SLOTS,
            start_bytes=PAGE_BYTES,
            is_on_host=device == "cpu",
        )
        self.file = memory_file(self.layout.host_bytes)
        self.page = mmap.mmap(self.file, PAGE_BYTES)
        self.contained = Contained()
        self.session = session or begin_child(device, limits)
        self.session.limit(limits.total_s)
        self.caller = Caller(memoryview(self.page), self.contained.is_alive)
        self.overhead_ns = self.settled_overhead_ns = self.noise_ns = self.late_noise_ns = 0
        self.calls = 0
        self.load_s = 0.0  # without the builds of extensions
        self.levels: tuple[str, ...] = ()

    @property
    def is_on_device(self) -> bool:
        return self.device != "cpu"

    def open(self, court: Court) -> None:
        """Gives the child its memory, learns who it is, and clocks empty calls. Nothing foreign is in it yet.

        Raises:
            ToolchainError: the child cannot be brought up.
        """
        handle = court.share(self.who, self.layout, self.file)
        message = {"do": "open", "layout": self.layout, "nest": self.nest, "handle": handle}
        files = [self.file, self.contained.theirs.fileno()]
        answer = self.session.ask(message, timeout_s=OPEN_S, files=files)
        if not isinstance(answer, Finished):
            raise ToolchainError(f"the child for PyTorch modules does not start: {_words(answer)}")
        self.levels = answer.levels
        try:
            self.contained.meet(OPEN_S)
        except OSError as error:
            raise ToolchainError(f"the child for PyTorch modules does not start: {error}") from None
        self._ask({"do": "calibrate"}, OPEN_S)
        self.contained.freeze()
        called = []
        with self._watched(court):
            for _ in range(CALIBRATIONS):
                start, done, _ = self.caller.call(0, OPEN_S, self.contained.thaw)
                called.append((done - start, self._settled(court, 0) - start))
        self._leave()
        # The least: what is taken off a call was surely not the candidate's.
        self.overhead_ns, self.settled_overhead_ns = (min(each) for each in zip(*called, strict=True))
        self.noise_ns = sorted(done for done, _ in called)[len(called) // 10] - self.overhead_ns
        late = sorted(settled - done for done, settled in called)
        self.late_noise_ns = late[len(late) // 2] - late[0]

    def load(self, source: str, name: str, init_inputs: Any, seed: int, *, knock_out: bool = False) -> dict[str, Any]:
        """The candidate's text, and what it makes of it: {"state"} or {"error"}.

        Raises:
            Fallen: it ended or hung while it was loaded.
        """
        message: dict[str, Any] = {"do": "load", "source": source, "name": name}
        message |= {"init_inputs": init_inputs, "seed": seed}
        message["knock_out"] = knock_out
        for _ in range(MOST_BUILDS + 1):
            start = time.perf_counter()
            answer = self._ask(message, self.limits.load_s)
            self.load_s += time.perf_counter() - start
            if WANT not in answer:
                return answer
            message = self.build(answer[WANT])
        raise Fallen(f"it asks for more than {MOST_BUILDS} extensions")

    def take_state(self) -> dict[str, Any]:
        """The child loads the parameters that lie in the shared memory."""
        return self._ask({"do": "state"}, self.limits.load_s)

    def begin_calls(self) -> None:
        """From here on the child stands still but for its calls."""
        self._ask({"do": "calls"}, self.limits.load_s)
        self.contained.freeze()

    def call(self, court: Court, slot: int) -> Called:
        """One call: the child and all of its threads stand still before it and after it.

        The clock starts before the child is set going, so that nothing can be done with the inputs ahead of time.
        The clock goes on until the outputs are settled: work that is still under way at "done" is either missing from
        them or in the time.

        Raises:
            Fallen: it ended, hung, or says that the call failed.
        """
        with self._watched(court):
            start, done, has_failed = self._call(slot)
            settled = self._settled(court, slot)
        if has_failed:
            raise Fallen(str(self.report().get("failure") or "the call fails")[:MOST_WORDS])
        done_ns, settled_ns = done - start - self.overhead_ns, settled - start - self.settled_overhead_ns
        return Called(max(done_ns, 1) * 1e-9, max(settled_ns, 1) * 1e-9)

    def _settled(self, court: Court, slot: int) -> int:
        """When nothing of the child could change the outputs any more, unseen; it stands still after this.

        On a device the referee reads them at once, before anything else, for kernels go on while the child stands. On
        the CPU they cannot change once the child stands.
        """
        at = court.read(slot) if self.is_on_device else 0
        self.contained.freeze()
        return at or time.perf_counter_ns()

    @contextlib.contextmanager
    def _watched(self, court: Court) -> Iterator[None]:
        if not self.is_on_device:
            yield
            return
        court.watch(self.who)
        try:
            yield
        finally:
            court.look_away()

    def _call(self, slot: int) -> tuple[int, int, bool]:
        timeout_s = self.limits.call_s if self.calls else self.limits.first_call_s
        self.calls += 1
        try:
            return self.caller.call(slot, timeout_s, self.contained.thaw)
        except Stopped as stopped:
            if stopped.is_late:
                raise Fallen(f"a call takes longer than {timeout_s:g} s", is_late=True) from None
            answer = self.session.answer(timeout_s=OPEN_S)
            raise Fallen(_words(answer), isinstance(answer, TimedOut)) from None

    def report(self) -> dict[str, Any]:
        """The end of the calls, and what the child says of them: its own clock, its own words. Nothing to rely on."""
        self._leave()
        return self._ask({"do": "report"}, self.limits.load_s)

    def _leave(self) -> None:
        self.caller.leave()
        self.contained.thaw()

    def observe(self, slot: int) -> dict[str, Any]:
        return self._ask({"do": "observe", "slot": slot}, self.limits.first_call_s)

    def _ask(self, message: dict[str, Any], timeout_s: float) -> dict[str, Any]:
        answer = self.session.ask(message, timeout_s=timeout_s)
        if not isinstance(answer, Finished):
            raise Fallen(_words(answer), isinstance(answer, TimedOut))
        if not isinstance(answer.value, dict):
            raise Fallen("it answers out of turn")
        return answer.value

    def close(self) -> None:
        """Ends the child; its memory stays until the referee has read it again."""
        self.session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        self.contained.close()
        del self.caller
        with contextlib.suppress(BufferError):
            self.page.close()
        os.close(self.file)


def _words(answer: Finished | Crashed | TimedOut) -> str:
    if isinstance(answer, TimedOut):
        return f"it takes longer than {answer.timeout_s:g} s"
    if isinstance(answer, Crashed):
        return answer.why
    return "it answers out of turn"


def places_by_name(places: tuple[TensorPlace, ...]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Names with dtype and shape: what has to agree before parameters are loaded."""
    return {place.name: (place.dtype, place.shape) for place in places}

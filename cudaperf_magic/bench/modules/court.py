"""The referee as the parent asks it. What goes wrong in there is the task's or the machine's, never the candidate's."""

from __future__ import annotations

import mmap
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from ...errors import TaskError, ToolchainError
from ...records import OutputError, Task, WrongElement
from ..sandbox import Crashed, Finished, Session, TimedOut, open_session
from .gate import PAGE_BYTES, Caller, Stopped
from .layout import Layout, Shape
from .memory import memory_file
from .referee import Description, referee
from .schedule import Step

ANSWER_S = 300.0


@dataclass(frozen=True)
class Taken:
    """After a call: inputs that were written to without leave, and whether foreign kernels still ran on the device."""

    changed_inputs: tuple[int, ...]
    is_busy: bool


@dataclass(frozen=True)
class Judged:
    """Why the outputs of a call are wrong, or "", and the element that shows it; the errors of each output; whether
    they are the bits of the first time, where their inputs came before."""

    reason: str
    wrong: WrongElement | None
    errors: list[OutputError]
    is_same: bool | None


class Court:
    """The referee's session. Use as a context manager."""

    def __init__(self, task: Task, device: str, memory_bytes: int) -> None:
        self.task, self.device = task, device
        self.file = memory_file(PAGE_BYTES)  # apart from a child's memory: a child must not speak for the referee
        self.page = mmap.mmap(self.file, PAGE_BYTES)
        self.caller = Caller(memoryview(self.page), lambda: True)
        limit = memory_bytes if device == "cpu" else None
        self.session: Session = open_session(referee, kind="torch", timeout_s=None, memory_bytes=limit)

    def describe(self, seed: int) -> Description:
        """Tries the task's module.

        Raises:
            TaskError: it fails, or cannot be a reference.
        """
        wanted = {"source": self.task.source, "entry": self.task.entry, "device": self.device, "seed": seed}
        found = self._ask("describe", files=(self.file,), **wanted)
        description: Description = found["description"]
        return description

    def neighbours(self, seed: int) -> list[Shape]:
        """The shapes beside the task's own on which its module runs; contents name them by their number in it.

        Raises:
            TaskError: the task's own inputs cannot be made again.
        """
        shapes: list[Shape] = self._ask("neighbours", seed=seed)["shapes"]
        return shapes

    def share(self, who: str, layout: Layout, file: int) -> bytes:
        """The referee takes the memory of a child; returns the device memory's handle, if there is any."""
        handle: bytes = self._ask("memory", files=(file,), who=who, layout=layout)["handle"]
        return handle

    def set_state(self, who: str, construct_seed: int, state_seed: int | None) -> None:
        self._ask("state", who=who, construct_seed=construct_seed, state_seed=state_seed)

    def prepare(self, who: str, step: Step) -> bool:
        """Inputs and poison into the slot; True when the outputs that were there changed after they were taken."""
        found = self._ask("prepare", who=who, slot=step.slot, content=step.content, poison=step.poison)
        return bool(found["is_changed"])

    def watch(self, who: str) -> None:
        """From here on the referee looks at its page, to read a slot at once; until `read` or `look_away`."""
        self._ask("watch", who=who)

    def read(self, slot: int) -> int:
        """The slot's outputs as they are now, copied; when that was done, by `time.perf_counter_ns`.

        Raises:
            ToolchainError: the referee does not answer.
        """
        try:
            _, end, _ = self.caller.call(slot, ANSWER_S)
        except Stopped:
            raise ToolchainError("the referee of PyTorch modules does not answer; please report it") from None
        return end

    def look_away(self) -> None:
        self.caller.leave()

    def take(self, who: str, slot: int, *, is_read: bool) -> Taken:
        """Copies the outputs unless they have been read already, and looks at what a call must leave alone."""
        found = self._ask("take", who=who, slot=slot, is_read=is_read)
        return Taken(tuple(found["changed_inputs"]), bool(found["is_busy"]))

    def judge(self, who: str, slot: int, *, keeps: bool) -> Judged:
        """What the outputs of one call are.

        `keeps` says that this content comes more than once.
        """
        found = self._ask("judge", who=who, slot=slot, keeps=keeps)
        return Judged(**found)

    def reread(self, who: str) -> bool:
        """Whether any outputs changed since they were taken; asked when the child is gone."""
        return bool(self._ask("reread", who=who)["is_changed"])

    def release(self, who: str) -> None:
        self._ask("release", who=who)

    def _ask(self, what: str, *, files: tuple[int, ...] = (), **message: Any) -> dict[str, Any]:
        answer = self.session.ask({"do": what, **message}, timeout_s=ANSWER_S, files=files)
        match answer:
            case Finished(value) if isinstance(value, dict):
                if "error" in value:
                    raise TaskError(f"{self.task.name}: {value['error']}")
                return value
            case TimedOut():
                raise TaskError(f"{self.task.name}: its own module takes longer than {ANSWER_S:g} s")
            case Crashed(why):
                raise TaskError(f"{self.task.name}: its own module ends the process: {why}")
        raise ToolchainError("the referee of PyTorch modules answers out of turn; please report it")

    def close(self) -> None:
        self.session.close()
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

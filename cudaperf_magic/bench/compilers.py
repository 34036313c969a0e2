"""Warm compilers: sessions in which NVRTC has compiled before, one for each candidate, and what they found is kept.

Text of device code -> Compiled. What the cache holds is not compiled again and needs no session. What the words of a
failed build mean to a person is building.py's.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from ..errors import ToolchainError
from . import nvrtc
from .nvrtc import Compiled
from .sandbox import run_in_child
from .sandbox_ends import Crashed, Finished, ServerDied, TimedOut
from .sandbox_line import Line
from .sandbox_session import Session
from .spares import READY, Recipe, Spares
from .toolkit import Toolkit, mismatch

TIMEOUT_S = 60.0  # cub and cooperative groups take 3 to 9 s; past this it is a compile bomb
MEMORY_BYTES = 8 << 30  # of address space
MOST_SPARES = 2
MOST_JOBS = 8  # of one candidate

Job = tuple[str, str, tuple[str, ...], tuple[str, ...]]  # text, arch, names, options


def compile_jobs(line: Line) -> None:
    """What a compiler's child does. It warms itself too: pages that NVRTC writes are copied after a fork (0.03 s)."""
    nvrtc.warm_up()
    line.send(READY)
    while True:
        text, arch, names, options = line.receive()
        line.send(compile_text(text, arch, names, options))


def compile_text(text: str, arch: str, names: tuple[str, ...], options: tuple[str, ...] = ()) -> Compiled:
    """What the child does with one job.

    Raises:
        ToolchainError: the machine failed, which says nothing of the candidate.
    """
    try:
        return nvrtc.build(text, arch, names=names, options=options)
    except OSError as error:
        raise ToolchainError(f"the compiler cannot work here ({error}); see `cudaperf doctor`") from error


SPARES = Spares(Recipe(compile_jobs, kind="compile", memory_bytes=MEMORY_BYTES), MOST_SPARES)


@dataclass
class Compiler:
    """Compiles the device code of one candidate, in any number of jobs, by one session that is begun when needed."""

    session: Session | None = None
    _stack: contextlib.ExitStack | None = None

    def run(
        self, text: str, arch: str, names: tuple[str, ...], options: tuple[str, ...] = ()
    ) -> Compiled | Crashed | TimedOut:
        """One job.

        Args:
            names: kernels as they are launched. options: further NVRTC options.

        Raises:
            ToolchainError: there is no compiler, or none for this architecture.
        """
        held = nvrtc.held(text, arch, names, options)
        if held is not None:
            return held
        job: Job = (text, arch, names, options)
        try:
            ended = self._session().ask(job, timeout_s=TIMEOUT_S)
        except ServerDied:
            self.session = None
            ended = self._session().ask(job, timeout_s=TIMEOUT_S)
        if isinstance(ended, Finished):
            compiled: Compiled = ended.value
            return compiled
        self.session = None  # it is gone
        return ended

    def _session(self) -> Session:
        assert self._stack is not None, "use it as a context manager"
        if self.session is None:
            self.session = self._stack.enter_context(SPARES.take(MOST_JOBS * TIMEOUT_S))
        return self.session

    def __enter__(self) -> Self:
        self._stack = contextlib.ExitStack()
        return self

    def __exit__(self, *error: object) -> None:
        stack, self._stack, self.session = self._stack, None, None
        if stack is not None:
            stack.close()


def must_fit(arch: str, driver: str) -> None:
    """Before the first compilation for a device: `arch` as "sm_75", `driver` as "12.4", both as the driver says.

    Raises:
        ToolchainError: what is compiled here would not run there, or there is no compiler; it says what to install.
    """
    major, _, minor = driver.partition(".")
    why = mismatch(_toolkit(), arch, (int(major), int(minor or 0)))
    if why is not None:
        raise ToolchainError(why)


@lru_cache(maxsize=1)
def _toolkit() -> Toolkit:
    ended = run_in_child(nvrtc.toolkit, timeout_s=TIMEOUT_S, memory_bytes=MEMORY_BYTES, kind="compile")
    if not isinstance(ended, Finished):
        raise ToolchainError("NVRTC does not say its version; pip install --force-reinstall nvidia-cuda-nvrtc")
    found: Toolkit = ended.value
    return found

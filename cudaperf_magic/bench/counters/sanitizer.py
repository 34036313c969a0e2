"""compute-sanitizer over one run of an accepted kernel: what NVIDIA's own checker says of its accesses and barriers.

It complements the simulator, which has watched the same kernels: the sanitizer sees the machine code as the device runs
it. Four tools, each in a process of its own, side by side, about 1 to 2 s each; so once, for the kernel that is kept.
Candidates' device code only: the process is ours (`replay.py`). Where the tool is absent or cannot work on this device
there is no answer (None), never "clean".
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ...records import Fault
from ..nvrtc import FILE_NAME
from .replay import Replay
from .tool import find_tool, output_of, replay_command

Kind = Literal["out_of_bounds", "misaligned", "uninitialised", "divergence", "trap"]
Tool = Literal["memcheck", "racecheck", "initcheck", "synccheck"]
TOOLS: tuple[Tool, ...] = ("memcheck", "racecheck", "initcheck", "synccheck")
LIMIT_S = 30.0  # of one tool; its instrumented code runs tens of times slower
MOST_FAULTS = 8  # of one tool, each at another line
PRINTED = 64  # errors that a tool prints; one line may make thousands
FOUND = 9  # its exit status for errors in the kernel; others are trouble of its own

RACE = "Error: Race reported between"  # a warning is of accesses that leave the same value
_AT = re.compile(rf"at (?P<kernel>.+?)\+0x[0-9a-f]+(?: in (?:{re.escape(FILE_NAME)}:(?P<line>\d+))?)?")
_BY = re.compile(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)")
_DONE = re.compile(r"(ERROR|RACECHECK) SUMMARY: ")


@dataclass(frozen=True)
class Sanitized:
    """What the tools found; `missing` are those that gave no answer, with the reason."""

    faults: tuple[Fault, ...]
    tools: tuple[Tool, ...]
    missing: tuple[tuple[Tool, str], ...] = ()

    @property
    def words(self) -> str:
        """For `Verdict.sanitizer`: one sentence."""
        if not self.tools:
            return ""
        names = ", ".join(self.tools)
        if not self.faults:
            return f"compute-sanitizer ({names}) found nothing"
        return f"compute-sanitizer ({names}): {self.faults[0].message}"


def sanitize(replay: Replay, tools: Sequence[Tool] = TOOLS, limit_s: float = LIMIT_S) -> Sanitized | None:
    """Runs the plan once under each tool; None where compute-sanitizer is not installed.

    Args:
        replay: a small case. Name its outputs in `unwritten`, so that reading one before writing it shows.
        tools: which checks; they run side by side.
        limit_s: for each; one that takes longer is ended and gives no answer.
    """
    program = find_tool("compute-sanitizer")
    if program is None:
        return None
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(tools)) as pool:
        path = Path(folder) / "replay"
        replay.write(path)
        commands = [command(program, tool, path) for tool in tools]
        outputs = list(pool.map(lambda given: output_of(given, folder, limit_s), commands))
    faults: list[Fault] = []
    answered: list[Tool] = []
    missing: list[tuple[Tool, str]] = []
    for tool, text in zip(tools, outputs, strict=True):
        if _DONE.search(text):
            answered.append(tool)
            faults += read_faults(text)
        else:
            missing.append((tool, trouble(text, limit_s)))
    return Sanitized(tuple(faults), tuple(answered), tuple(missing))


def command(program: str, tool: Tool, path: Path) -> list[str]:
    options = ["--tool", tool, "--print-limit", str(PRINTED), "--error-exitcode", str(FOUND), "--show-backtrace", "no"]
    return [program, *options, *replay_command(path)]


def read_faults(text: str) -> tuple[Fault, ...]:
    """What a tool's output says of the kernel: one fault for each kind and line, the first thread that it names."""
    found: dict[tuple[str, int | None], Fault] = {}
    for block in re.split(r"^=========\s*$", text, flags=re.MULTILINE):
        lines = [line.removeprefix("=========").strip() for line in block.splitlines() if line.startswith("=========")]
        fault = _fault([line for line in lines if line and line != "COMPUTE-SANITIZER"])
        if fault is not None:
            found.setdefault((fault.kind, fault.line), fault)
    return tuple(found.values())[:MOST_FAULTS]


def _fault(lines: Sequence[str]) -> Fault | None:
    if not lines:
        return None
    head, whole = lines[0], "\n".join(lines)
    at, by = _AT.search(whole), _BY.search(whole)
    if at is None:
        return None
    if head.startswith(RACE):
        return _race(at, lines[1:])
    line, kernel = _line(at), _name(at["kernel"])
    numbers = [int(n) for n in by.groups()] if by else []
    thread = (numbers[0], numbers[1], numbers[2]) if by else None
    block = (numbers[3], numbers[4], numbers[5]) if by else None
    kind, words = _kind(head, whole)
    where = f"{kernel}, line {line}" if line is not None else kernel
    return Fault(kind, f"{where}: {words}", line, None, kernel, block, thread)


def _line(at: re.Match[str]) -> int | None:
    """Of the candidate's own text; an access in an included header has none."""
    return int(at["line"]) if at["line"] else None


def _kind(head: str, whole: str) -> tuple[Kind, str]:
    access = re.match(r"Invalid __(\w+)__ (\w+) of size (\d+)", head)
    if access is not None:
        what = f"a {access[2]} of {access[3]} bytes in {access[1]} memory"
        if "misaligned" in whole:
            return "misaligned", f"{what} is misaligned"
        return "out_of_bounds", f"{what} lies outside what is allocated"
    if head.startswith("Uninitialized"):
        return "uninitialised", "memory is read that nothing has written"
    if head.startswith("Barrier error"):
        why = head.removeprefix("Barrier error detected. ")
        return "divergence", f"a barrier is not reached by every thread ({why})"
    return "trap", head


def _race(first: re.Match[str], lines: Sequence[str]) -> Fault:
    line, kernel = _line(first), _name(first["kernel"])
    other = next((_line(place) for place in map(_AT.search, lines) if place is not None), None)
    at = " and ".join(f"line {n}" for n in dict.fromkeys((line, other)) if n is not None)
    message = f"{kernel}: threads meet{f' at {at}' if at else ''} in shared memory with no barrier between them"
    return Fault("shared_race", message, line, other, kernel)


def _name(kernel: str) -> str:
    """`past(int, const float *)` without its parameters, `void` and all."""
    return kernel.partition("(")[0].rpartition(" ")[2] or kernel


def trouble(text: str, limit_s: float) -> str:
    """Why a tool gave no answer, in its own words."""
    if not text.strip():
        return f"no answer within {limit_s:.0f} s"
    lines = [line.removeprefix("=========").strip() for line in text.splitlines()]
    return next((line for line in reversed(lines) if line), "no reason given")

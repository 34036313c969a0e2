"""A schedule: the list of moves that shaped a program, as data and as text that parses back.

One step a line, `move(target, values...)`: `team(softmax_kernel, 256)`, `tile(matmul_kernel, k, 16)`. The target is a
kernel's name, or a loop's label for moves on loops. Small enough a language that a model can write it instead of CUDA.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudaperf_magic.errors import UsageError


@dataclass(frozen=True)
class Step:
    move: str
    target: str
    values: tuple[str | int, ...] = ()

    def __str__(self) -> str:
        return f"{self.move}({', '.join([self.target, *map(str, self.values)])})"


@dataclass(frozen=True)
class Schedule:
    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(str, self.steps))

    def then(self, *steps: Step) -> Schedule:
        return Schedule(self.steps + steps)


def parse_schedule(text: str) -> Schedule:
    """The schedule of a text; `#` starts a comment.

    Raises:
        UsageError: a line is not `move(target, values...)`.
    """
    steps: list[Step] = []
    for number, raw in enumerate(text.splitlines(), start=1):
        line = raw.split("#")[0].strip()
        if not line:
            continue
        head, opened, rest = line.partition("(")
        if not opened or not rest.endswith(")"):
            raise UsageError(f"schedule line {number}: write move(target, values...), not {line!r}")
        target, *values = [part.strip() for part in rest[:-1].split(",")]
        if not head.strip().isidentifier() or not target:
            raise UsageError(f"schedule line {number}: {line!r} names no move and target")
        steps.append(Step(head.strip(), target, tuple(_value(value) for value in values)))
    return Schedule(tuple(steps))


def _value(text: str) -> str | int:
    return int(text) if text.lstrip("-").isdigit() else text

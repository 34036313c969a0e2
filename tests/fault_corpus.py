"""Reads a file of tests/kernels/faults: how it is run, what its fault is, and on which lines.

A file begins with comments. `run:` lists steps: `malloc NAME BYTES`, `zero NAME BYTES`, `free NAME`, or a launch
`kernel<<<grid, block, shared>>>(arguments)`, cooperative with `coop` before it; `run mended:` where these differ for
the mended twin, the same text compiled with -DMENDED. `arrays:` has `name = type[count] kind`, kind random unless it is
`zero`, `counting` or `empty` (an output without values). `expect:` has the kind, then words of message or remedy, or
`block (..)` and `thread (..)` where every order of threads has the same. `also:` names kinds that come along; `steps:`
is a limit of its own. In the text, `// <- fault` and `// <- other` mark the two lines.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from simulated import argument, dim3

from cudaperf_magic.bench.nvrtc import Compiled, build
from cudaperf_magic.bench.plan import Allocate, Fill, Free, Launch, LaunchPlan, Pointer, Step
from cudaperf_magic.bench.simulator.launch import Schedule, simulate
from cudaperf_magic.bench.simulator.result import SimulatorResult

FOLDER = Path(__file__).parent / "kernels" / "faults"
STEPS = 100_000


@dataclass(frozen=True)
class Faulty:
    name: str
    text: str
    heads: dict[str, str]

    @property
    def expected(self) -> list[str]:
        return parts(self.heads["expect"], ",")

    @property
    def kind(self) -> str:
        return self.expected[0]

    @property
    def also(self) -> set[str]:
        return set(parts(self.heads.get("also", ""), ","))

    def line(self, mark: str) -> int | None:
        found = [i for i, line in enumerate(self.text.splitlines(), 1) if line.endswith(f"// <- {mark}")]
        assert len(found) <= 1, f"{self.name} marks {mark} on several lines"
        return found[0] if found else None

    def steps(self, mended: bool) -> tuple[Step, ...]:
        wanted = self.heads["run mended"] if mended and "run mended" in self.heads else self.heads["run"]
        return tuple(step(words) for words in parts(wanted, ";"))

    def compiled(self, mended: bool) -> Compiled:
        kernels = tuple(dict.fromkeys(s.kernel for s in self.steps(mended) if isinstance(s, Launch)))
        return build(self.text, names=kernels, options=("-DMENDED",) if mended else ())

    def run(self, mended: bool, schedule: Schedule) -> SimulatorResult:
        compiled = self.compiled(mended)
        assert compiled.build.ok, compiled.build.log
        arrays, initialised = self.arrays()
        plan, steps = LaunchPlan(self.steps(mended)), int(self.heads.get("steps", STEPS))
        return simulate(compiled, plan, arrays, schedule=schedule, initialised=initialised, step_limit=steps)

    def arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, bool]]:
        made: dict[str, NDArray[Any]] = {}
        initialised: dict[str, bool] = {}
        for words in parts(self.heads["arrays"], ","):
            name, _, described = words.partition(" = ")
            kind, _, rest = described.partition("[")
            count, _, how = rest.partition("]")
            dtype = {"float": "f4", "double": "f8", "int": "i4"}.get(kind, kind)
            made[name] = values(int(count), dtype, how.strip())
            initialised[name] = how.strip() != "empty"
        return made, initialised


def values(count: int, dtype: str, how: str) -> NDArray[Any]:
    if how == "counting":
        return np.arange(count).astype(dtype)
    if how or np.dtype(dtype).kind != "f":
        return np.zeros(count, dtype)
    return np.random.default_rng(count).standard_normal(count).astype(dtype)


def parts(words: str, separator: str) -> list[str]:
    """Split where the separator stands outside of parentheses and angle brackets."""
    found, depth = [""], 0
    for letter in words:
        depth += (letter in "(<") - (letter in ")>") if separator == "," else 0
        if letter == separator and depth == 0:
            found.append("")
        else:
            found[-1] += letter
    return [part.strip() for part in found if part.strip()]


def step(words: str) -> Step:
    verb, _, rest = words.partition(" ")
    if verb == "free":
        return Free(rest)
    if verb in ("malloc", "zero"):
        name, size = rest.split()
        return Allocate(name, int(size)) if verb == "malloc" else Fill(Pointer(name), 0, int(size))
    is_cooperative = verb == "coop"
    kernel, _, rest = (rest if is_cooperative else words).partition("<<<")
    shape, _, given = rest.partition(">>>")
    grid, block, *shared = ast.literal_eval(f"({shape},)")
    arguments = tuple(argument(_value(part)) for part in parts(given.removeprefix("(").removesuffix(")"), ","))
    return Launch(kernel, dim3(grid), dim3(block), arguments, sum(shared), is_cooperative)


def _value(words: str) -> str | int | float:
    try:
        found = ast.literal_eval(words)
    except ValueError:
        return words
    assert isinstance(found, int | float)
    return found


def read(name: str) -> Faulty:
    text = (FOLDER / f"{name}.cu").read_text()
    heads: dict[str, str] = {}
    for line in text.splitlines():
        head, colon, rest = line.removeprefix("// ").partition(": ")
        if line.startswith("// ") and colon and head in ("run", "run mended", "arrays", "expect", "also", "steps"):
            heads[head] = rest
    return Faulty(name, text, heads)


ALL = sorted(path.stem for path in FOLDER.glob("*.cu"))

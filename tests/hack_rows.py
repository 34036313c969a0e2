"""The rows of tests/hacks/rows.toml with the candidates that stand for them, and the table made of both.

`python tests/hack_rows.py` writes the table to cudaperf_magic/bench/HACKS.md; tests/test_hacks.py holds it to the
files. It runs no candidate.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from kernel_files import TESTS, KernelFile, kernel_files

from cudaperf_magic.records import Outcome

HACKS = TESTS / "hacks"
DOCUMENT = TESTS.parent / "cudaperf_magic" / "bench" / "HACKS.md"
LAST_ROW = 46
KINDS = {"ok", "build", "mismatch", "fault", "crash", "timeout", "cheat"}
SECRETS = ("root:", "daemon:")  # what /etc/passwd begins with
Treatment = Literal["impossible", "caught", "labelled", "harmless", "measured"]
HEAD = "| | hack | lane A | by | lane B | by |\n|---|---|---|---|---|---|\n"
INTRODUCTION = """# What cannot be faked

Written by `python tests/hack_rows.py` from `tests/hacks/rows.toml` and the candidates beside it; a test says that it is
current, and runs every candidate. Each is a file with an honest twin, which does the like for a good reason and passes.

Lane A: device code, and a host function that is read and never run. Lane B: a module with host code of its own, in a
child process. *Impossible*: there is nothing to attack. *Caught*: it does not pass. *Labelled*: it passes, and what was
seen is told beside it. *Harmless*: it passes and gains nothing. *Measured*: a rule of timing. Files of lane A are in
`tests/hacks/lane_a`, of lane B in `tests/hacks/lane_b`; those in *italics* need a device.

"""


@dataclass(frozen=True)
class Lane:
    """What becomes of a hack in one lane, and by what."""

    treatment: Treatment
    by: str
    files: tuple[KernelFile, ...]


@dataclass(frozen=True)
class Row:
    number: int
    hack: str
    a: Lane
    b: Lane


@dataclass(frozen=True)
class Expectation:
    """What a header's `expect` or `device` asks for: one of `kinds`, and words that are said.

    A kind is "ok", "build", the status of a verdict, or "label KIND", which is a pass beside which that is told.
    """

    kinds: tuple[str, ...]
    words: str

    @property
    def allows_pass(self) -> bool:
        return any(kind == "ok" or kind.startswith("label ") for kind in self.kinds)


def expectation(text: str) -> Expectation:
    """Reads "mismatch | fault: words" from a header."""
    kinds, _, words = text.partition(": ")
    return Expectation(tuple(kinds.split(" | ")), words)


def assert_as_expected(found: Outcome, text: str) -> None:
    """Holds an outcome against what a header asks for; no message of it may show a file of the system."""
    expected = expectation(text)
    status = "build" if found.verdict is None else "ok" if found.ok else found.verdict.status
    said = found.build.log if found.verdict is None else found.verdict.reason
    labels = {f"label {label.kind}" for label in found.labels} if status == "ok" else set()
    assert {status, *labels} & set(expected.kinds), f"{status}: {said}"
    assert expected.allows_pass or expected.words in said, said
    assert not any(secret in said for secret in SECRETS)


def hacks_of(lane: str) -> list[KernelFile]:
    """The hostile candidates of "lane_a" or "lane_b"."""
    return kernel_files(HACKS / lane, "*.cu" if lane == "lane_a" else "*.py")


def twin_path(file: KernelFile) -> Path:
    """Where a candidate's honest twin is."""
    twin = file.header["twin"]
    if file.path.suffix == ".cu":
        return TESTS / "honest" / f"{twin}.cu"
    return HACKS / "lane_b" / "honest" / f"{twin}.py"


@cache
def rows() -> tuple[Row, ...]:
    """Every row in its order."""
    told = tomllib.loads((HACKS / "rows.toml").read_text())
    return tuple(
        Row(int(number), entry["hack"], _lane(number, "lane_a", entry["a"]), _lane(number, "lane_b", entry["b"]))
        for number, entry in told.items()
    )


def _lane(number: str, lane: str, told: Sequence[str]) -> Lane:
    files = tuple(file for file in hacks_of(lane) if file.header["row"] == number)
    treatment, by = told
    return Lane(treatment, by, files)  # type: ignore[arg-type, unused-ignore]


def document() -> str:
    """The text of HACKS.md."""
    return INTRODUCTION + HEAD + "".join(_line(row) for row in rows())


def _line(row: Row) -> str:
    cells = [str(row.number), row.hack, row.a.treatment, _told(row.a), row.b.treatment, _told(row.b)]
    return f"| {' | '.join(cells)} |\n"


def _told(lane: Lane) -> str:
    names = [f"*{f.path.stem}*" if f.header.get("needs") == "cuda" else f"`{f.path.stem}`" for f in lane.files]
    return f"{lane.by}{': ' if names else ''}{', '.join(names)}"


if __name__ == "__main__":
    DOCUMENT.write_text(document())

"""`cudaperf doctor`: what is here, what is missing, and the exact command that mends it, each row tried for real."""

from __future__ import annotations

from dataclasses import dataclass

from .bench import machine
from .bench.machine import Finding
from .errors import CudaperfError
from .notebook.tables import Table

SIGNS = {"ok": "✓ here", "missing": "✗ missing", "optional": "- absent"}


@dataclass(frozen=True)
class Diagnosis:
    """The findings, and whether everything needed is here. Shows itself as a table."""

    findings: tuple[Finding, ...]

    @property
    def is_ready(self) -> bool:
        return all(finding.state != "missing" for finding in self.findings)

    @property
    def answer(self) -> str:
        if self.is_ready:
            return "Everything needed is here."
        missing = ", ".join(f.name for f in self.findings if f.state == "missing")
        return f"Missing: {missing}. The commands in the last column mend it."

    @property
    def table(self) -> Table:
        rows = tuple((SIGNS[f.state], f.name, f.detail, f.remedy) for f in self.findings)
        return Table(("", "what", "found", "to mend"), rows, answer=self.answer)

    def __str__(self) -> str:
        return str(self.table)

    def __repr__(self) -> str:
        return str(self)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.table.html}


def examine() -> Diagnosis:
    """Try everything; takes a second or two."""
    device = machine.gpu()
    return Diagnosis(
        (
            machine.python(),
            machine.cores(),
            machine.c_compiler(),
            machine.nvrtc(),
            *machine.simulator(),
            device,
            machine.counters(device),
            store(),
            machine.cache(),
            machine.package("ipykernel", "ipykernel", "runs notebooks", "pip install ipykernel"),
            machine.package("jupyterlab", "jupyterlab", "shows notebooks", "pip install jupyterlab"),
            machine.package("cupy-cuda13x", "cupy", "arrays on the GPU", "pip install cupy-cuda13x"),
        )
    )


def store() -> Finding:
    """Opens the store of episodes, which makes it where there is none."""
    from .store import Store

    try:
        held = Store()
        unfinished = len(held.unfinished())
    except CudaperfError as problem:
        return Finding("store", "missing", str(problem), "set CUDAPERF_STORE to a file that can be written")
    more = f", {unfinished} unfinished" if unfinished else ""
    return Finding("store", "ok", f"{held.path}{more}")

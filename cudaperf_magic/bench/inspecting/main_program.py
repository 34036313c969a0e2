"""A whole program's main(): what of it the device sees."""

from __future__ import annotations

from cudaperf_magic.bench.host.source import Program
from cudaperf_magic.bench.inspecting.program import Entry
from cudaperf_magic.errors import TaskError


def main_entry(source: str, program: Program, defines: tuple[str, ...]) -> Entry:
    raise TaskError("main() is not read")

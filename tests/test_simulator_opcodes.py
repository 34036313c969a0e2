"""The table of opcodes against the code: every row is reached by its kernels, run by its test, or refused by name."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import pytest
from simulated import KERNELS

from cudaperf_magic.bench.nvrtc import build
from cudaperf_magic.bench.simulator.arithmetic import ROWS as TRANSLATED
from cudaperf_magic.bench.simulator.lower import lower
from cudaperf_magic.bench.simulator.opcode_rows import OpcodeRow
from cudaperf_magic.bench.simulator.opcodes import DOCUMENT, ROWS, document, find, must_run
from cudaperf_magic.bench.simulator.ptx import Instruction, Module
from cudaperf_magic.bench.simulator.ptx_reader import parse
from cudaperf_magic.errors import Unsupported

TESTS = Path(__file__).parent
RUN, REFUSED = [row for row in ROWS if not row.refused], [row for row in ROWS if row.refused]


@functools.cache
def module_of(file: str, arch: str) -> Module:
    compiled = build((KERNELS / file).read_text(), arch)
    assert compiled.build.ok, compiled.build.log
    return parse(compiled.ptx)


def instructions(module: Module) -> list[Instruction]:
    return [item for f in module.functions.values() for item in f.body if isinstance(item, Instruction)]


@functools.cache
def functions(file: str) -> set[str]:
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def number(arch: str) -> int:
    return int("".join(c for c in arch if c.isdigit()))


def test_the_document_is_the_table() -> None:
    assert DOCUMENT.read_text() == document(), "run python -m cudaperf_magic.bench.simulator.opcodes"


def test_no_opcode_has_two_rows() -> None:
    names = [row.opcode for row in ROWS]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("row", RUN, ids=lambda row: row.opcode)
def test_an_opcode_is_in_the_ptx_of_its_kernels(row: OpcodeRow) -> None:
    arch = row.since if number(row.since) > 90 else "sm_90"
    assert any(find(ins.opcode) is row for ins in instructions(module_of(row.kernels, arch)))


@pytest.mark.parametrize("place", sorted({row.test for row in RUN}))
def test_a_test_that_a_row_names_exists(place: str) -> None:
    file, name = place.split("::")
    assert name in functions(file)


@pytest.mark.parametrize("place", sorted({(row.test.split("::")[0], row.kernels) for row in RUN}))
def test_a_test_that_a_row_names_uses_its_kernels(place: tuple[str, str]) -> None:
    file, kernels = place
    assert Path(kernels).name in (TESTS / file).read_text()


@functools.cache
def refused_kernels() -> Module:
    return parse((KERNELS / "refused.ptx").read_text())


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: row.opcode)
def test_a_refused_opcode_is_refused_by_name_with_its_reason(row: OpcodeRow) -> None:
    module = refused_kernels()
    examples = [
        (f.name, ins)
        for f in module.functions.values()
        for ins in f.body
        if isinstance(ins, Instruction) and find(ins.opcode) is row
    ]
    assert examples, f"refused.ptx has no {row.opcode}"
    for kernel, ins in examples:
        with pytest.raises(Unsupported) as caught:
            lower(module, kernel)
        assert ins.text in str(caught.value) and row.refused in str(caught.value)


def test_every_opcode_that_is_translated_as_arithmetic_has_a_row() -> None:
    assert {name for name in TRANSLATED if find((name,)) is None and not any(r.name == name for r in ROWS)} == set()


def test_an_opcode_without_a_row_is_refused_by_name_and_line() -> None:
    with pytest.raises(Unsupported, match=r"line 7: .*frobnicate\.b32"):
        must_run(Instruction(("frobnicate", "b32"), (), None, 7))

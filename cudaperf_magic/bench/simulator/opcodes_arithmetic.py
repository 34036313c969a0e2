"""Rows of the arithmetic opcodes: integers and bits, floating point, comparison, selection, moves, conversions."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.opcode_rows import INTEGER, rows

EXACT = "test_simulator_arithmetic.py::test_32_bit_integer_arithmetic_is_exact"

ARITHMETIC = (
    *rows(
        INTEGER, "integers.py", "arithmetic.cu", EXACT,
        ("add", "16 to 64 bits, s16x2 and u16x2, .sat, .cc"), ("sub", "as add"),
        ("mul", ".lo .hi .wide, 16 to 64 bits"),
    ),
)  # fmt: skip

"""The corpus itself: every C file is what its entry says, and computes what an independent statement says."""

from __future__ import annotations

import ctypes
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from corpus import FOLDER, CorpusFile, load_corpus
from numpy_statements import STATEMENTS, Statement

CORPUS = load_corpus()
BY_PATH = {entry.path: entry for entry in CORPUS}
GUARD_BYTES = 64
GUARD_BYTE = 0xA5

C_TYPES = {
    "bool": ctypes.c_bool, "int8": ctypes.c_int8, "uint8": ctypes.c_uint8, "int16": ctypes.c_int16,
    "int32": ctypes.c_int32, "uint32": ctypes.c_uint32, "int64": ctypes.c_int64, "uint64": ctypes.c_uint64,
    "float32": ctypes.c_float, "float64": ctypes.c_double,
}  # fmt: skip

each_file = pytest.mark.parametrize("entry", CORPUS, ids=lambda entry: entry.path)


def test_every_c_file_has_an_entry_and_every_entry_a_file() -> None:
    files = {file.relative_to(FOLDER).as_posix() for file in FOLDER.rglob("*.c")}
    assert files == set(BY_PATH)


def test_no_two_files_are_the_same_program() -> None:
    texts = Counter("".join(entry.source.split()) for entry in CORPUS)
    assert max(texts.values()) == 1
    entries = Counter(entry.entry for entry in CORPUS)
    assert max(entries.values()) == 1, entries.most_common(3)


def test_the_corpus_is_as_broad_as_promised() -> None:
    decisions = Counter(entry.decision for entry in CORPUS)
    assert decisions["translate"] >= 60
    assert decisions["keep"] >= 10
    assert decisions["refused"] >= 20
    assert len({entry.path.split("/")[0] for entry in CORPUS}) >= 19


@each_file
def test_an_entry_says_what_it_must(entry: CorpusFile) -> None:
    assert entry.kind
    assert entry.sizes
    assert entry.decision in ("translate", "keep", "refused")
    assert all(set(sizes) == set(entry.sizes[0]) for sizes in entry.sizes), "every size set names the same sizes"
    if set(entry.decisions) & {"keep", "refused"}:
        assert entry.keywords
        assert entry.lines
    assert all(1 <= line <= len(entry.source.splitlines()) for line in entry.lines)


@each_file
def test_a_file_is_valid_c_that_defines_its_entry_unless_it_says_otherwise(entry: CorpusFile, tmp_path: Path) -> None:
    strict = [] if entry.decision == "refused" else ["-Wextra", "-Werror"]
    compiled = tmp_path / "entry.o"
    command = ["gcc", "-std=c11", "-Wall", *strict, "-c", str(entry.file), "-o", str(compiled)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (result.returncode == 0) == entry.compiles, result.stderr
    if entry.compiles and entry.entry:
        symbols = subprocess.run(["nm", "--defined-only", str(compiled)], capture_output=True, text=True, check=True)
        assert any(f" {kind} {entry.entry}\n" in symbols.stdout for kind in "Tt")  # t: a static one


def test_there_are_statements_for_many_kinds() -> None:
    assert set(STATEMENTS) <= set(BY_PATH)
    assert len(STATEMENTS) >= 25
    assert len({path.split("/")[0] for path in STATEMENTS}) >= 15


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("path", STATEMENTS)
def test_the_c_computes_what_the_statement_says(path: str, seed: int, tmp_path: Path) -> None:
    statement = STATEMENTS[path](np.random.default_rng(seed))
    function = compile_entry(BY_PATH[path], tmp_path)
    arrays, result = call(function, statement)
    for place, expected in statement.outputs.items():
        assert_same(arrays[place], expected, f"argument {place}")
    if statement.result is not None:
        assert_same(np.asarray(result), np.asarray(statement.result), "result")


def compile_entry(entry: CorpusFile, folder: Path) -> Any:
    library = folder / "entry.so"
    # Without contraction into fused multiply-add the C rounds as it is written.
    command = ["gcc", "-std=c11", "-O1", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize=vla-bound",
               "-fno-sanitize-recover=all", "-shared", "-fPIC", str(entry.file), "-o", str(library), "-lm"]  # fmt: skip
    subprocess.run(command, check=True, timeout=60)
    return getattr(ctypes.CDLL(str(library)), entry.entry)


def call(function: Any, statement: Statement) -> tuple[dict[int, np.ndarray], object]:
    """Calls with guard bands around every array; returns the arrays by argument place, and the result."""
    bands: dict[int, np.ndarray] = {}
    arguments: list[object] = []
    for place, value in enumerate(statement.arguments):
        if isinstance(value, np.ndarray):
            band = np.full(value.nbytes + 2 * GUARD_BYTES, GUARD_BYTE, np.uint8)
            band[GUARD_BYTES : GUARD_BYTES + value.nbytes] = np.frombuffer(value.tobytes(), np.uint8)
            bands[place] = band
            arguments.append(ctypes.c_void_p(band.ctypes.data + GUARD_BYTES))
        else:
            arguments.append(C_TYPES[np.asarray(value).dtype.name](value))
    function.restype = None if statement.result is None else C_TYPES[np.asarray(statement.result).dtype.name]
    result = function(*arguments)
    arrays = {}
    for place, band in bands.items():
        template = statement.arguments[place]
        assert (band[:GUARD_BYTES] == GUARD_BYTE).all(), f"argument {place}: written before its start"
        assert (band[GUARD_BYTES + template.nbytes :] == GUARD_BYTE).all(), f"argument {place}: written past its end"
        inner = band[GUARD_BYTES : GUARD_BYTES + template.nbytes]
        arrays[place] = np.frombuffer(inner.tobytes(), template.dtype).reshape(template.shape)
    return arrays, result


def assert_same(got: np.ndarray, expected: np.ndarray, what: str) -> None:
    if expected.dtype.names:
        for field in expected.dtype.names:
            assert_same(got[field], expected[field], f"{what}.{field}")
    elif expected.dtype.kind == "f":
        scale = 1e-4 if expected.dtype == np.float32 else 1e-9
        np.testing.assert_allclose(got, expected, rtol=scale, atol=scale, err_msg=what)
    else:
        np.testing.assert_array_equal(got, expected, err_msg=what)

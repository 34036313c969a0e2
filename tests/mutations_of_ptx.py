"""Mutated PTX and mutated CUDA: hypothesis strategies that damage real kernels, byte by byte and word by word."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hypothesis import strategies as st
from simulated import KERNELS

from cudaperf_magic.bench.nvrtc import Compiled, build

# File, kernel, and what it is launched with: block, arguments by kind (a buffer of 4 KiB, or a number).
LAUNCHES: dict[tuple[str, str], tuple[int, tuple[str | int | float, ...]]] = {
    ("saxpy.cu", "saxpy"): (64, (100, 2.5, "x", "y")),
    ("saxpy.cu", "saxpy4"): (64, (25, 2.5, "x", "y")),
    ("transpose.cu", "tiled<1>"): (64, ("x", "y", 16)),
    ("reduce.cu", "by_shuffles"): (64, ("x", "y", 200)),
    ("reduce.cu", "in_shared<double, 128>"): (128, ("x", "y")),
    ("reduce.cu", "last_block"): (64, ("x", "y", "z", "y")),
    ("warp.cu", "votes"): (64, ("x", "y")),
    ("histogram.cu", "histogram"): (64, ("x", "y", 300)),
    ("arithmetic.cu", "integers"): (64, ("x", "y", "z", 16)),
    ("arithmetic.cu", "directed"): (64, ("x", "y", "z", 16)),
    ("calls.cu", "with_calls"): (64, ("x", "y", 40)),
    ("calls.cu", "switched"): (64, ("x", "y")),
    ("calls.cu", "says"): (32, (3,)),
    ("halves.cu", "half2_fma"): (64, ("x", "y", "z")),
    ("hostile.cu", "local_array"): (32, ("x", 3)),
    ("hostile.cu", "checks"): (32, ("x",)),
    ("lock.cu", "spin_lock"): (64, ("x", "y")),
    ("divergence.cu", "two_ways"): (32, ("y",)),
    ("softmax.cu", "softmax"): (64, ("x", "y", 60)),
    ("stencil.cu", "with_halo"): (64, ("x", "y", 100)),
    ("tensor.cu", "by_ldmatrix<64>"): (32, ("x", "y", "z", 16)),
    ("async.cu", "told"): (64, ("x", "y", 2)),
    ("async.cu", "tail"): (32, ("x", "y", 8, 1)),
    ("atomics.cu", "vectors"): (32, ("x", "y", "z", "x")),
    ("atomics.cu", "operators"): (32, ("x", "y")),
    ("collectives.cu", "reductions"): (32, ("x", "y", "z")),
    ("collectives.cu", "shuffles"): (32, ("x", "y", "z", "x", "y", "z")),
    ("coverage/simd.cu", "simd"): (64, ("x", "y", "x", "z", 16)),
}
WORD = re.compile(r"[.%$\w:]+|\s+|.", re.DOTALL)
ENTRY = re.compile(r"^\.(?:visible|weak) \.entry ", re.MULTILINE)
NUMBERS = (
    "0", "1", "-1", "3", "31", "32", "33", "64", "255", "4095", "65536", "2147483647", "-2147483648", "4294967295",
    "9223372036854775807", "-9223372036854775808", "18446744073709551615", "99999999999999999999", "0f7FC00000",
    "0dFFF0000000000000", "0xFFFFFFFFFFFFFFFF",
)  # fmt: skip
PIECES = (
    *NUMBERS, ";", ",", "{", "}", "[", "]", "(", ")", "@", "!", "|", "+", "-", ":", "<", ">", "=", '"', "/*", "//",
    "\\", "\0", "²", "é", "\x85", '%x;system("x")', 'a"b', "%tid.x", "%rd1", "%r1", "%f1", "%p1", "_", "ret", "exit",
    "trap", "bar.sync", "shfl.sync.idx.b32", "ld.local.u32", "st.local.u32", "ld.param.u64", "st.shared.f32",
    "ld.const.f32",
    "atom.global.add.u32", "vote.sync.ballot.b32", "call.uni", ".reg", ".b128", ".u8", ".s64", ".f32", ".v4", ".shared",
    ".local", ".param", ".align", ".extern", ".func", ".entry", ".global", "brx.idx", "bra", "div.s32", "shl.b32",
    "bfe.u32", "cvt.u8.f64", "mma.sync", "cp.async.ca.shared.global", ".loc 1 2 3", ".branchtargets", ".pragma",
)  # fmt: skip


@dataclass(frozen=True)
class Kernel:
    """A kernel's launch and its PTX: honest as NVRTC made it, or damaged."""

    name: str
    block: int
    given: tuple[str | int | float, ...]
    compiled: Compiled = field(repr=False)

    @property
    def entry(self) -> str:
        return self.compiled.mangled[self.name]

    def damaged(self, ptx: str) -> Kernel:
        return Kernel(self.name, self.block, self.given, Compiled(self.compiled.build, ptx, b"", self.compiled.lowered))


@functools.cache
def corpus() -> tuple[Kernel, ...]:
    """The honest kernels, compiled here and now."""
    made = []
    for (file, name), (block, given) in LAUNCHES.items():
        compiled = build((KERNELS / file).read_text(), names=(name,))
        assert compiled.build.ok, compiled.build.log
        made.append(Kernel(name, block, given, compiled))
    return tuple(made)


def _number(text: str) -> bool:
    return text.lstrip("-")[:1].isdigit()


def _replaced(parts: list[str], at: int, piece: str) -> list[str]:
    return [*parts[:at], piece, *parts[at + 1 :]]


# Each takes the text's parts, two places in it and a piece that may go in.
OPERATIONS: tuple[Callable[[list[str], int, int, str], list[str]], ...] = (
    lambda parts, a, b, piece: _replaced(parts, a, piece),
    lambda parts, a, b, piece: _replaced(parts, a, parts[b]),
    lambda parts, a, b, piece: _replaced(_replaced(parts, a, parts[b]), b, parts[a]),
    lambda parts, a, b, piece: [*parts[:a], *parts[a + 1 :]],
    lambda parts, a, b, piece: [*parts[:a], piece, *parts[a:]],
    lambda parts, a, b, piece: [*parts[:a], *parts[a : a + 12], *parts[a:]],
    lambda parts, a, b, piece: [*parts[:a], *parts[b : b + 12], *parts[a:]],
    lambda parts, a, b, piece: [*parts[:a], *parts[a + 12 :]],
    lambda parts, a, b, piece: _replaced(parts, a, piece + parts[a]),
    lambda parts, a, b, piece: _replaced(parts, a, parts[a] + piece),
)


def _numbers_changed(parts: list[str], at: int, piece: str) -> list[str]:
    """Another number where the next one stands: it keeps most kernels readable."""
    for i in range(at, len(parts)):
        if _number(parts[i]):
            return _replaced(parts, i, piece)
    return parts


def _swapped_kinds(parts: list[str], at: int, other: int) -> list[str]:
    """The next two words of the same beginning change places: registers for registers, opcodes for opcodes."""
    first = parts[at][:1]
    for i in range(other, len(parts)):
        if parts[i][:1] == first and parts[i] != parts[at]:
            return _replaced(parts, at, parts[i])
    return parts


@st.composite
def damaged_text(draw: st.DrawFn, text: str, most: int = 5) -> str:
    """`text` with one to `most` damages."""
    parts = WORD.findall(text)
    for _ in range(draw(st.integers(1, most))):
        if not parts:
            break
        a, b = (draw(st.integers(0, len(parts) - 1)) for _ in range(2))
        kind = draw(st.integers(0, len(OPERATIONS) + 5))
        if kind < len(OPERATIONS):
            parts = OPERATIONS[kind](parts, a, b, draw(st.sampled_from(PIECES)))
        elif kind < len(OPERATIONS) + 2:
            parts = _numbers_changed(parts, a, draw(st.sampled_from(NUMBERS)))
        elif kind < len(OPERATIONS) + 4:
            parts = _swapped_kinds(parts, a, b)
        elif kind == len(OPERATIONS) + 4:
            parts = parts[:a] if draw(st.booleans()) else parts[a:]
        else:
            parts = _replaced(parts, a, draw(st.text(max_size=8)))
    return "".join(parts)


@functools.cache
def _code(kernel: Kernel) -> str:
    """Its own entry and what the module's kernels share, without the sections of debug information."""
    head, *entries = ENTRY.split(kernel.compiled.ptx.partition("\t.section")[0])
    own = [entry for entry in entries if entry.startswith(kernel.entry)]
    assert len(own) == 1, kernel.entry
    return f"{head}\n.visible .entry {own[0]}"


@st.composite
def damaged_kernels(draw: st.DrawFn, most: int = 5) -> Kernel:
    kernel = draw(st.sampled_from(corpus()))
    return kernel.damaged(draw(damaged_text(_code(kernel), most)))

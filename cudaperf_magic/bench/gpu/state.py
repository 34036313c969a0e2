"""Which of a module's own variables its kernels may write to, and so find again at the next call, read from its PTX.

Such a module could remember an answer; timing.py loads it anew before each call. Tables that are only read (of sin, of
a candidate's own) and texts that are only printed are no memory. In doubt a variable is taken to be written. What a
kernel allocates on the device's own heap outlives even the module; that is only said. It runs nothing.
"""

from __future__ import annotations

import re

HEAP = "the device's heap"
# Constant memory too: its address leads a store there. Anywhere in a line, and several names in one declaration:
# assembly need not be written as NVRTC writes it.
_DECLARED = re.compile(r"\.(?:global|const)\s+(?:\.\w+\s+(?:\d+\s+)?)*([^;={}.][^;=]*)(?:=[^;]*)?;")
_NAME = re.compile(r"([A-Za-z_$%][\w$]*)")
_WORD = re.compile(r"[%\w$]+")
_READS = ("ld.", "ldu.", "prefetch", "isspacep")
# An address may move through these and is still only an address.
_MOVES = ("mov.", "cvta.", "add.", "sub.", "mad.", "selp.", "cvt.", "shl.", "or.", "and.")
_CALL = re.compile(r"\bcall(?:\.uni)?\s+(?:\([^)]*\)\s*,)?\s*([%\w$]+)")
_PRINTS = {"vprintf", "__assertfail"}
_INITIAL = re.compile(r"\.(?:global|const)\s[^;=]*=([^;]*);")


def remembers(ptx: str) -> tuple[str, ...]:
    """Names of global or constant variables that a kernel may write to, and HEAP. Empty: nothing outlives a call."""
    heap = (HEAP,) if "malloc" in _CALL.findall(ptx) else ()
    variables = tuple(dict.fromkeys(name for names in _DECLARED.findall(ptx) for name in _NAME.findall(names)))
    if not variables:
        return heap
    lines = [line.strip() for line in ptx.splitlines() if line.strip() and not line.strip().startswith(("//", "."))]
    calls_others = bool(set(_CALL.findall(ptx)) - _PRINTS)
    pointed_to = set(_WORD.findall(" ".join(_INITIAL.findall(ptx))))  # by another variable from the start
    written = (name for name in variables if name in pointed_to or _may_be_written(name, lines, calls_others))
    return (*heap, *written)


def _may_be_written(name: str, lines: list[str], calls_others: bool) -> bool:
    """Follows the address through registers, whatever the order of the lines, until nothing new holds it."""
    holders = {name}
    while True:
        before = len(holders)
        for line in lines:
            opcode, operands = _split(line)
            target, _, sources = operands.partition(",")
            is_move = opcode.startswith(_MOVES)
            if not holders & set(_WORD.findall(sources if is_move else operands)) or opcode.startswith(_READS):
                continue
            if is_move:
                holders |= set(_WORD.findall(target))
            elif not opcode.startswith("st.param") or calls_others:  # printf and assert only read what they are handed
                return True
        if len(holders) == before:
            return False


def _split(line: str) -> tuple[str, str]:
    """Opcode and operands, without a guard before them."""
    words = line.split(None, 1)
    if words[0].startswith("@") and len(words) > 1:
        words = words[1].split(None, 1)
    return words[0], words[1] if len(words) > 1 else ""

"""What was seen of a candidate that is no verdict by itself, in words; and which of it the task's contract forbids.

Pure. Text and operations are looked at for labels only: a regular expression both refuses honest kernels and misses
hostile ones, and a process that runs the candidate can be made to say anything.
"""

from __future__ import annotations

import difflib
import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from statistics import median

from ...records import KernelRun, Label, Task
from ...tasks.pytorch import OWN_KERNELS_ONLY
from .observe import computing

ALIKE = 0.9  # share of tokens that two sources have in common, in order
DISAGREEMENT = 0.25  # of the parent's reading, beyond which the two clocks tell different stories
LATE, LEAST_LATE_S = 0.1, 30e-6  # so much a copy of the outputs varies that waits for nothing
LEAST_DISAGREEMENT_S = 50e-6
NOISES = 3.0  # and so many times what empty calls differ by
_CUDA_KERNEL = r"__global__\s+(?:[\w\s]*?__launch_bounds__\s*\([^)]*\))?\s*(?:\w+\s+)*?(\w+)\s*\("
_TRITON_KERNEL = r"@(?:triton\.)?jit\b[^\n]*\n(?:\s*@[^\n]*\n)*\s*def\s+(\w+)"
FORBIDDEN = {OWN_KERNELS_ONLY: ("library_call", "decoy")}


def library_label(operations: dict[str, int], kernels: Sequence[KernelRun] = ()) -> Label | None:
    """What others compute in its place, by the kernels that ran where they are known, else by the operations called."""
    theirs = [kernel for kernel in kernels if kernel.owner == "library"]
    if theirs:
        names = ", ".join(kernel.library or kernel.name for kernel in theirs[:4])
        return Label("library_call", f"{_share(theirs):.0%} of the time on the device is others' kernels: {names}")
    if kernels:
        return None
    called = computing(operations)
    return Label("library_call", f"the framework computes {', '.join(called[:4])} in its place") if called else None


def _share(kernels: Iterable[KernelRun]) -> float:
    return sum(kernel.share for kernel in kernels)


def fig_leaf_label(kernels: Sequence[KernelRun]) -> Label | None:
    """Own kernels beside a library that does most of the work; no threshold separates them, so the share is told."""
    own = [kernel for kernel in kernels if kernel.owner == "candidate"]
    theirs = [kernel for kernel in kernels if kernel.owner == "library"]
    if not own or not theirs or _share(own) >= _share(theirs):
        return None
    return Label("fig_leaf", f"its own kernels take {_share(own):.0%} of the time on the device")


def own_kernels(source: str) -> tuple[str, ...]:
    """Names of the kernels in a candidate's text: CUDA's `__global__` functions and Triton's jitted ones."""
    cuda = re.findall(_CUDA_KERNEL, source)
    triton = re.findall(_TRITON_KERNEL, source)
    return tuple(dict.fromkeys(cuda + triton))


def decoy_label(kernels: Sequence[str]) -> Label:
    names = ", ".join(kernels[:4])
    return Label("decoy", f"with {names} doing nothing, all results are the same: they are not what computes")


def clocks_label(ours_s: Sequence[float], theirs_s: Sequence[float], noise_s: float) -> Label | None:
    """The child's clock against the parent's, over the same calls; the parent's is the one that counts.

    `noise_s` is how far empty calls lay apart by the parent's clock, before the candidate was loaded.
    """
    if not ours_s:
        return None
    if len(theirs_s) < len(ours_s):
        return Label("clocks_disagree", "the child does not tell the times of its calls")
    # The quickest call of each: a busy machine makes calls slower, and each clock sees that at other moments.
    ours, theirs = min(ours_s), min(theirs_s[-len(ours_s) :])
    if abs(ours - theirs) <= max(DISAGREEMENT * ours, NOISES * noise_s, LEAST_DISAGREEMENT_S):
        return None
    return Label(
        "clocks_disagree",
        f"the quickest call takes {ours * 1e6:,.1f} us by the parent's clock and {theirs * 1e6:,.1f} us by its own "
        "process's; the parent's counts",
    )


def late_label(done_s: Sequence[float], settled_s: Sequence[float], noise_s: float) -> Label | None:
    """Whether outputs were ready when the child said "done": else they were settled later than those of empty calls."""
    if not done_s:
        return None
    late = median(settled - done for done, settled in zip(done_s, settled_s, strict=True))
    if late <= max(LATE * median(done_s), LEAST_LATE_S, NOISES * noise_s):
        return None
    return Label("late_work", f"work goes on for {late * 1e6:,.1f} us after it says that it is done; that time counts")


def copy_label(reference: str, candidate: str) -> Label | None:
    """A candidate whose text is the reference's, names and layout aside."""
    alike = difflib.SequenceMatcher(None, _tokens(reference), _tokens(candidate), autojunk=False).ratio()
    if alike < ALIKE:
        return None
    return Label("copy_of_reference", f"{alike:.0%} of its text is the reference's")


def _tokens(source: str) -> list[str]:
    """Without comments, docstrings' layout and blank space; the name of the class is no difference."""
    skipped = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
    try:
        found = [t.string for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type not in skipped]
    except (tokenize.TokenError, SyntaxError):
        found = source.split()
    return ["Model" if token == "ModelNew" else token for token in found]


def breach(task: Task, labels: Sequence[Label]) -> Label | None:
    """The first label that the task's contract does not allow."""
    forbidden = {kind for wish in task.contract for kind in FORBIDDEN.get(wish, ())}
    return next((label for label in labels if label.kind in forbidden), None)

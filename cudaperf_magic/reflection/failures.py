"""A build or a verdict that failed, in words: the excerpt that matters, the line, what to try.

What may not be told is taken out by secrecy.py. It weighs nothing and does not look at earlier turns.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from itertools import takewhile

from cudaperf_magic.records import Case, Fault, Label, Outcome, Task, Verdict
from cudaperf_magic.reflection.advice import on_mismatch
from cudaperf_magic.reflection.secrecy import without_secrets
from cudaperf_magic.reflection.words import quote, shorten, triple

MOST_LOG_LINES = 6
ERROR_CHARACTERS, LOG_CHARACTERS = 320, 160
MOST_FAULTS = 2
MOST_PASSED_TOLD = 4
ALIKE = 0.75  # of two names, from which one may be meant for the other
ERROR = re.compile(r"\berror\b|\bfatal\b|Error:")
WARNING = re.compile(r"kernel\.cu\(\d+\): warning")
TALLY = re.compile(r"\d+ errors? detected in")
PLACE = re.compile(r"\s*(?:kernel\.cu\((\d+)\)|line (\d+)\b)")
UNDEFINED = re.compile(r'identifier "(\w+)" is undefined')
UNRESOLVED = re.compile(r"Unresolved extern function '(?:_Z(\d+))?(\w+)'")
WORD = re.compile(r"[A-Za-z_]\w+")
CUDA_NAMES = (
    "threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "__syncthreads", "__syncwarp", "__shared__",
    "__restrict__", "__global__", "__device__", "atomicAdd", "atomicMax", "atomicMin", "atomicCAS", "atomicExch",
    "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync", "__ballot_sync", "__threadfence",
    "make_float2", "make_float4", "fmaxf", "fminf", "sqrtf", "rsqrtf", "expf", "__ldg", "cudaMalloc", "cudaMemset",
    "cudaMemcpy", "cudaFree", "cudaMemcpyDeviceToDevice", "cudaFuncSetAttribute",
)  # fmt: skip
LABELLED = {  # what to do about what breaks a contract
    "library_call": "do that work in a kernel of your own: the task forbids the framework's and libraries' kernels",
    "fig_leaf": "let your own kernels do the work that libraries do now",
    "decoy": "launch only kernels that the results need, and let them do the work",
}
UNEXPLAINED = {  # by status, where no fault says what to do
    "crash": "check each launch's shape, pointers and indices, and how much large arrays and workspaces take",
    "timeout": "look for a loop that may not end, a wait for another thread, or far more work than the reference does",
}
NOT_THE_KERNEL = "nothing in the kernel is at fault; the task needs inputs on which precision shows"


def on_build(log: str, source: Sequence[str]) -> list[str]:
    """Of a compiler's log the first error with its excerpt, its line where it is not quoted, and what may be meant."""
    log = without_secrets(log, None, "\n".join(source))
    lines = [line for line in log.splitlines() if line.strip() and not TALLY.match(line)]
    errors = [line for line in lines if ERROR.search(line)]
    first = lines.index(errors[0]) if errors else 0
    after = takewhile(lambda line: not WARNING.match(line), lines[first + 1 : first + MOST_LOG_LINES])
    told = [*lines[first : first + 1], *after]
    excerpt = "\n".join(shorten(line, LOG_CHARACTERS if k else ERROR_CHARACTERS) for k, line in enumerate(told))
    more = f" ({len(errors)} errors; the first matters most)" if len(errors) > 1 else ""
    line = quote(_line_in(errors), source)
    is_quoted = line.partition("| ")[2] in excerpt  # most compilers quote the line themselves
    parts = [f"It does not build{more}:\n{excerpt or 'the compiler gave no message'}", "" if is_quoted else line]
    return [*parts, _meant(excerpt, source)]


def _line_in(errors: Sequence[str]) -> int | None:
    """The program's line in `kernel.cu(12): error: ...` or `line 12: ...`."""
    found = PLACE.match(errors[0]) if errors else None
    return int(found[1] or found[2]) if found else None


def _meant(excerpt: str, source: Sequence[str]) -> str:
    if unresolved := UNRESOLVED.search(excerpt):
        name = unresolved[2][: int(unresolved[1])] if unresolved[1] else unresolved[2]
        return f"Try: define {name} in this file, as __device__; nothing else is linked"
    opened, closed = ("\n".join(source).count(brace) for brace in "{}")
    if "no host function" in excerpt and opened != closed:
        return f"Try: close every brace first: there are {opened} of {{ and {closed} of }}"
    undefined = UNDEFINED.search(excerpt)
    if not undefined:
        return ""
    name = undefined[1]
    own = [word for line in source for word in WORD.findall(line) if word != name]
    near = difflib.get_close_matches(name, dict.fromkeys((*CUDA_NAMES, *own)), n=1, cutoff=ALIKE)
    return f"Try: {near[0]} in the place of {name}" if near else ""


def on_verdict(outcome: Outcome, source: Sequence[str], task: Task | None) -> list[str]:
    """What failed, on which case and after which, the lines that are to blame, and what to try."""
    verdict = outcome.verdict
    if verdict is None:
        return ["It builds and was not verified."]
    case, text = verdict.failing_case, "\n".join(source)
    said = without_secrets(verdict.reason, case, text)
    parts = [f"It builds, and fails ({verdict.status}): {said}", _passed(verdict, task)]
    told: set[str] = set()
    for fault in _distinct(verdict.faults)[:MOST_FAULTS]:
        message = without_secrets(fault.message, case, text)
        about = [] if message in said else [f"{fault.kind.replace('_', ' ')} ({_where(fault)}): {message}"]
        about += [quote(line, source) for line in dict.fromkeys((fault.line, fault.other_line))]
        about += [f"Try: {without_secrets(fault.remedy, case, text)}"] if fault.remedy else []
        parts += [part for part in about if part not in told]
        told.update(about)
    if verdict.status == "mismatch":
        parts.append(_try(on_mismatch(verdict)))
    if verdict.status == "unrefereeable":
        parts.append(f"Try: {NOT_THE_KERNEL}")
    if verdict.status == "cheat":
        parts += [_try(LABELLED[label.kind]) for label in _breaches(outcome.labels)]
    if not any(part.startswith("Try: ") for part in parts):
        parts.append(_try(UNEXPLAINED.get(verdict.status, "")))
    return parts


def _try(advice: str) -> str:
    return f"Try: {advice[0].lower()}{advice[1:]}" if advice else ""


def _breaches(labels: Sequence[Label]) -> list[Label]:
    return list({label.kind: label for label in labels if label.kind in LABELLED}.values())[:1]


def _passed(verdict: Verdict, task: Task | None) -> str:
    """How many cases passed and, where it is known, at which sizes: a size that passes tells what one that fails does.

    Cases come in the task's order, the measured one after the small ones, secret ones last.
    """
    if not verdict.cases_total:
        return ""
    share = f"{verdict.cases_passed} of {verdict.cases_total} cases passed"
    shown = [c for c in (*task.cases[1:], task.cases[0]) if not c.hidden] if task and task.cases else []
    case = verdict.failing_case
    if case is None or case not in shown:
        is_hidden = case is not None and case.hidden and verdict.cases_passed >= len(shown) > 0
        return f"{share}, all that are shown among them." if is_hidden else f"{share}."
    before = [_sizes(one) for one in shown[: shown.index(case)] if one.sizes != case.sizes]
    last = list(dict.fromkeys(reversed(before)))[:MOST_PASSED_TOLD][::-1]
    return f"{share}; right before it: {'; '.join(last)}." if last and verdict.cases_passed else f"{share}."


def _sizes(case: Case) -> str:
    return " ".join(f"{name}={value}" for name, value in case.sizes)


def _distinct(faults: Sequence[Fault]) -> list[Fault]:
    """One fault for each kind and place: the others are the same mistake met by other threads."""
    return list({(f.kind, f.line, f.other_line): f for f in reversed(faults)}.values())[::-1]


def _where(fault: Fault) -> str:
    where = f"line {fault.line}" if fault.line else "no line known"
    if fault.other_line and fault.other_line != fault.line:
        where += f" and line {fault.other_line}"
    if "thread" in fault.message:
        return where
    where += f", block {triple(fault.block)}" if fault.block else ""
    return where + (f", thread {triple(fault.thread)}" if fault.thread else "")

"""What to try about a wrong number, from what can be seen of it: which elements, how far off, on which kind of inputs.

Pure, and general: it has not read the program. Advice on faults comes with the faults.
"""

from __future__ import annotations

from cudaperf_magic.records import Case, OutputError, Verdict, WrongElement

CLOSE = 0.02  # of the output's magnitude: nearer than a wrong formula comes, and farther than rounding
NOT_FINITE = ("nan", "inf", "-inf")
KINDS = {  # of inputs, in the words that help; tasks/cases.py has what they are made of
    "negated": "inputs with their signs turned",
    "x100": "inputs a hundred times as large",
    "x0.01": "inputs a hundred times as small",
    "mixed magnitude": "inputs of very different magnitudes that nearly cancel in a sum",
    "offset": "inputs far from 0 that differ little",
    "zeros and ties": "zeros and equal values",
    "integer-exact": "small whole numbers",
    "structured": "a ramp, a plateau and single peaks, the greatest or the least last",
}
CANCELS = ("offset", "mixed magnitude")


def on_mismatch(verdict: Verdict) -> str:
    """One sentence or two on what to look for."""
    case, wrong = verdict.failing_case, verdict.wrong
    told = [_deviation(verdict, _error_of(verdict), case)]
    if case is not None and not case.hidden and case.family in KINDS and case.family not in CANCELS:
        told.append(f"It meets {KINDS[case.family]} here: what in it holds for others only?")
    if verdict.is_deterministic is False:
        told.append("Two runs of it differ: threads race, or something is read that nothing wrote.")
    return " ".join(filter(None, told)) if wrong or verdict.errors else ""


def _error_of(verdict: Verdict) -> OutputError | None:
    """The error of the output whose element is wrong, else the greatest."""
    name = verdict.wrong.name.partition("[")[0].partition(".")[0] if verdict.wrong else ""
    own = [e for e in verdict.errors if e.name.partition(".")[0] == name] or list(verdict.errors)
    return max(own, key=lambda e: float("inf") if e.largest is None else e.largest, default=None)


def _deviation(verdict: Verdict, error: OutputError | None, case: Case | None) -> str:
    wrong = verdict.wrong
    if wrong is not None and wrong.expected in NOT_FINITE and wrong.got not in NOT_FINITE:
        return f"{wrong.expected} is expected there and has to come out: fmaxf, fminf and comparisons drop NaN."
    if (wrong is not None and wrong.got in NOT_FINITE) or (error is not None and error.rms is None):
        return (
            "Where a number should be finite and is not, look for a division by zero, the root or logarithm of a "
            "negative number, an exp that overflows (subtract the greatest first), or memory that nothing wrote."
        )
    if error is not None and error.largest is not None and 0 < error.largest < CLOSE:
        return _imprecise(case)
    return _extent(wrong, verdict.cases_passed)


def _imprecise(case: Case | None) -> str:
    if case is not None and not case.hidden and case.family in CANCELS:
        return "The values are close, and digits are lost: subtract the mean first, or add in another order."
    return (
        "The values are close, so precision is lost: look for half, bfloat16 or TF32, fast intrinsics such as __expf, "
        "float where the reference has double, or a difference of large numbers."
    )


def _extent(wrong: WrongElement | None, passed: int) -> str:
    if wrong is None:
        return ""
    if 2 * wrong.wrong > wrong.total > 1:
        many = "Every element is" if wrong.wrong == wrong.total else "Most elements are"
        return f"{many} wrong: check the formula, the index, and whether rows and columns are exchanged."
    if wrong.total > 1:
        return (
            "Most elements are right: see what is different where they are not, the border, the last block or tile, a "
            "branch on the value, or what one block hands to the next."
        )
    if not passed:
        return "The first case is wrong already: check the formula, and the value that it starts from."
    return "Check what reaches the result as sizes grow: every block's part, and what lies past the last whole block."

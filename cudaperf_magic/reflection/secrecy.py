"""What a reflection may not tell is taken out of the words of others: compilers', verdicts', exceptions'.

Of a hidden case a policy may know its sizes, which output and which element is wrong, and of how many. It may not know
the inputs: neither their family nor their seed, nor what was expected or found there, since both follow from them. Nor
may it know how much error is tolerated, or where things are on this machine. It is the second wall: verdicts are
written without these in the first place.
"""

from __future__ import annotations

import re

from cudaperf_magic.records import Case

VALUES = re.compile(r"\bis \S+, (?:expected|the reference has) [^\s;,()]+")
ERRORS = re.compile(r"\boff by \S+ \(RMS\), the reference itself by \S+")
PATH = re.compile(r"(?<![\w/.])/(?:[\w.+@-]+/)+([\w.+@-]*)")
FAR_INDEX = re.compile(r"\[-?\d{7,}\]")  # an index so far outside could carry an input's bits
MOST_PLAIN_NUMBER = 1_000_000
OTHER = "inputs kept secret"


def without_secrets(text: str, case: Case | None, source: str = "") -> str:
    """The text as a policy may read it.

    Args:
        case: the one that failed. source: the candidate's; paths that it names itself stay as they are.
    """
    text = PATH.sub(lambda found: found[0] if found[0] in source else found[1] or "a folder", text)
    text = ERRORS.sub("off by more than rounding", text)
    if case is None or not case.hidden:
        return text
    sizes = ", ".join(f"{name}={value}" for name, value in case.sizes)
    text = text.replace(str(case), f"{sizes}, {OTHER}" if sizes else OTHER)
    text = text.replace(f"{case.family} inputs", OTHER)
    if case.seed > MOST_PLAIN_NUMBER:  # a smaller one is a number like any other
        text = text.replace(str(case.seed), "...")
    return VALUES.sub("is wrong", FAR_INDEX.sub("[far outside]", text))

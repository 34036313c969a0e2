"""What the checked build found, as one sentence with the person's line: what the C does wrong, and for which sizes."""

from __future__ import annotations

from cudaperf_magic.bench.reference.build import ReferenceBuild
from cudaperf_magic.bench.reference.run import RawFault
from cudaperf_magic.compiler.loops import Assign, Function, Load, expressions, walk, walk_expression
from cudaperf_magic.errors import TaskError
from cudaperf_magic.records import Case


def fault_error(fault: RawFault, build: ReferenceBuild, function: Function, case: Case) -> TaskError:
    """The error to raise, or whose words to quote in a note."""
    return TaskError(fault_sentence(fault, build, function, case), fault.line or None)


def fault_sentence(fault: RawFault, build: ReferenceBuild, function: Function, case: Case) -> str:
    name = build.checked_names[fault.name] if fault.name >= 0 else ""
    element = name + "".join(f"[{at}]" for at in fault.subscripts)
    where = sizes_text(case)
    match fault.kind:
        case "bounds":
            verb = "writes" if _only_writes(function, fault.line, name) else "reads"
            return f"the C itself {verb} {element}, {_beyond(fault)}{where}; mend the bounds or the size of {name}"
        case "uninitialised":
            return f"the C itself reads {element} before it has a value{where}; give it one first"
        case "division":
            return f"the C itself divides by zero{where}; guard the division, or say with --range what the divisor is"
        case "shift":
            return f"the C itself shifts by a count outside the type's width{where}; give the count a --range"
        case "limit":
            return f"the loop had not ended after tens of millions of iterations{where}; does it end at all?"
        case _:
            return f"the local array {name} has no sensible size{where}"


def sizes_text(case: Case) -> str:
    return ", for " + ", ".join(f"{name}={value}" for name, value in case.sizes) if case.sizes else ""


def _beyond(fault: RawFault) -> str:
    """The last subscript is the one that strays."""
    at, extent = fault.subscripts[-1], fault.extents[-1]
    part = "its" if len(fault.subscripts) == 1 else "the row's"
    if at < 0:
        return f"before {part} start"
    past = at - extent + 1
    return f"{'one' if past == 1 else past} past {part} end"


def _only_writes(function: Function, line: int, array: str) -> bool:
    """Whether the array stands on that line only where it is assigned to."""
    written = read = False
    for statement in walk(function.body):
        if getattr(statement, "line", 0) != line:
            continue
        for place, expression in enumerate(expressions(statement)):
            for part in walk_expression(expression):
                if isinstance(part, Load) and part.array == array:
                    is_target = isinstance(statement, Assign) and place == 0 and part is expression
                    written |= is_target
                    read |= not is_target
    return written and not read

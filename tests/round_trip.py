"""Runs a C function and its round trip (C -> IR -> C) on the same random inputs, in a child process.

`differences` builds both and starts the child, which loads them with ctypes, so that a crash of either is a sentence
and not the end of the tests.
"""

from __future__ import annotations

import ctypes
import pickle
import random
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.preprocess import compiler
from cudaperf_magic.compiler.c_printer import print_function
from cudaperf_magic.compiler.loops import Const, Function, Parameter

CTYPES = {
    "bool": ctypes.c_bool, "char": ctypes.c_byte, "signed char": ctypes.c_byte, "unsigned char": ctypes.c_ubyte,
    "short": ctypes.c_short, "unsigned short": ctypes.c_ushort, "int": ctypes.c_int, "unsigned int": ctypes.c_uint,
    "long": ctypes.c_long, "unsigned long": ctypes.c_ulong, "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong, "float": ctypes.c_float, "double": ctypes.c_double,
}  # fmt: skip
OPTIONS = ["-std=gnu11", "-O1", "-ffp-contract=off", "-fwrapv", "-w", "-shared", "-fPIC"]
ROOM = 1 << 14  # elements of an array whose extent the signature does not tell
TIMEOUT_S = 60


def build(text: str, target: Path, *options: str) -> None:
    """Compile C text to a shared library."""
    command = [compiler(), *OPTIONS, *options, "-x", "c", "-", "-o", str(target), "-lm"]
    done = subprocess.run(command, input=text, text=True, capture_output=True)
    assert done.returncode == 0, f"{done.stderr}\n{text}"


@dataclass(frozen=True)
class Trip:
    """A source, what was read of it, and the scalars to call it with."""

    source: str
    function: Function
    cases: tuple[dict[str, float], ...]
    ranges: dict[str, str] = field(default_factory=dict)  # as in corpus.toml
    include: str = "."


def differences(trips: list[Trip], folder: Path) -> list[str]:
    """Sentences about where originals and round trips differ; empty when they agree on every case."""
    for number, trip in enumerate(trips):
        # Without `static` the file-scope arrays can be filled from outside.
        build(trip.source, folder / f"original{number}.so", f"-I{trip.include}", "-Dstatic=")
        build(print_function(trip.function), folder / f"again{number}.so")
    (folder / "work.pickle").write_bytes(pickle.dumps(trips))
    command = [sys.executable, __file__, str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S)
    found = done.stdout.splitlines()
    if done.returncode != 0:
        found.append(f"{found.pop() if found else ''}: the run ended with {done.returncode}: {done.stderr[-600:]}")
    return [line for line in found if not line.startswith("running ")]


# ------------------------------------------------------------------- the child


def _value(expression: object, values: dict[str, object]) -> int:
    known = {name: Const(str(value)) for name, value in values.items() if isinstance(value, int)}
    found = c_fold.evaluate(expression, known)  # type: ignore[arg-type]
    return int(found) if found is not None else ROOM


def _struct(function: Function, name: str) -> type:
    fields = next(s.fields for s in function.structs if s.name == name)
    return type(name, (ctypes.Structure,), {"_fields_": [(f, _kind(function, k)) for f, k in fields]})


def _kind(function: Function, name: str) -> type:
    return CTYPES[name] if name in CTYPES else _struct(function, name)


def _number(rng: random.Random, name: str, low: float, high: float) -> float:
    if name == "bool":
        return rng.random() < 0.5
    if name in ("float", "double"):
        return rng.uniform(low, high)
    if name.startswith("unsigned"):
        low = max(low, 0)
    return rng.randint(int(low), max(int(low), int(high)))


def _fill(rng: random.Random, function: Function, kind: str, place: object, at: object, limits: tuple) -> None:
    if kind in CTYPES:
        if isinstance(place, ctypes.Structure):
            setattr(place, at, _number(rng, kind, *limits))
        else:
            place[at] = _number(rng, kind, *limits)
        return
    inner = getattr(place, at) if isinstance(place, ctypes.Structure) else place[at]
    for part, name in next(s.fields for s in function.structs if s.name == kind):
        _fill(rng, function, name, inner, part, limits)


def _limits(parameter: Parameter, ranges: dict[str, str], values: dict[str, object]) -> tuple[float, float]:
    given = ranges.get(parameter.name)
    if given:
        names = {k: v for k, v in values.items() if isinstance(v, int)}
        low, high = (text.split(":")[0] if at else text for at, text in enumerate(given.split(":", 1)))
        return eval(low, {}, names), eval(high, {}, names)  # arithmetic of the corpus file
    if parameter.type in ("float", "double"):
        return (-2.0, 2.0)
    sizes = [v for v in values.values() if isinstance(v, int) and v > 0]
    top = min([*sizes, 100]) - 1 if sizes else 3
    return (0, max(top, 0)) if parameter.is_array else (1, 3)


def _arguments(rng: random.Random, function: Function, case: dict[str, float], ranges: dict[str, str]) -> dict:
    values: dict[str, object] = {n: c_fold.evaluate(Const(t.strip("()"), k), {}) for n, k, t in function.constants}
    for parameter in function.parameters:
        if not parameter.is_array and parameter.type in CTYPES:
            limits = _limits(parameter, ranges, {})
            values[parameter.name] = case.get(parameter.name, _number(rng, parameter.type, *limits))
    for parameter in function.parameters:
        if parameter.is_array:
            count = 1
            for extent in parameter.shape or (Const(str(ROOM)),):
                count *= max(_value(extent, values), 0)
            array = (_kind(function, parameter.type) * (count + 64))()
            limits = _limits(parameter, ranges, values)
            for at in range(count):
                _fill(rng, function, parameter.type, array, at, limits)
            if parameter.name in ranges and ranges[parameter.name].endswith("ascending"):
                array[:count] = sorted(array[:count])
            values[parameter.name] = array
    return values


def _call(library: ctypes.CDLL, function: Function, values: dict) -> tuple[object, list[bytes]]:
    entry = getattr(library, function.name)
    entry.restype = CTYPES.get(function.return_type)
    arguments = []
    for parameter in function.parameters:
        value = values[parameter.name]
        if parameter.is_global:
            size = ctypes.sizeof(CTYPES.get(parameter.type) or _kind(function, parameter.type))
            address = ctypes.addressof(ctypes.c_char.in_dll(library, parameter.name))
            if parameter.is_array:
                count = len(value) - 64
                ctypes.memmove(address, value, count * size)
            else:
                CTYPES[parameter.type].from_address(address).value = value
        else:
            arguments.append(CTYPES[parameter.type](value) if not parameter.is_array else value)
    result = entry(*arguments)
    memory = []
    for parameter in function.parameters:
        if parameter.is_array and parameter.is_global:
            address = ctypes.addressof(ctypes.c_char.in_dll(library, parameter.name))
            size = ctypes.sizeof(values[parameter.name]._type_) * (len(values[parameter.name]) - 64)
            memory.append(ctypes.string_at(address, size))
        elif parameter.is_array:
            memory.append(bytes(values[parameter.name]))
    return result, memory


def _compare(trip: Trip, folder: Path, number: int) -> None:
    print(f"running {trip.function.name}", flush=True)
    libraries = [ctypes.CDLL(str(folder / f"{name}{number}.so")) for name in ("original", "again")]
    for seed, case in enumerate(trip.cases):
        outcomes = []
        for library in libraries:
            values = _arguments(random.Random(seed), trip.function, case, trip.ranges)
            outcomes.append(_call(library, trip.function, values))
        (first, memory), (second, again) = outcomes
        at = f"{trip.function.name} with {case}"
        if first != second and not (first != first and second != second):
            print(f"{at}: returns {first}, then {second}", flush=True)
        names = [p.name for p in trip.function.parameters if p.is_array]
        for name, one, other in zip(names, memory, again, strict=True):
            if one != other:
                print(f"{at}: {name} differs", flush=True)


def _main(folder: Path) -> None:
    for number, trip in enumerate(pickle.loads((folder / "work.pickle").read_bytes())):
        _compare(trip, folder, number)


if __name__ == "__main__":
    from round_trip import Trip

    _main(Path(sys.argv[1]))

"""Runs every case once on a CUDA device, in the order of the table, in one process: what ncu watches.

    python -m calibrate.launch_all [--builds FOLDER] [--out FOLDER] [--only WORD...]

With --out it also says how the outputs compare to NumPy, and leaves their digests (outputs.json) and the first bytes
of each (outputs.npz).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

import numpy as np

from cudaperf_magic.bench.gpu.running import open_device, run_on_gpu

from .builds import compiled
from .case import Array, Arrays, CalibrationCase, differences
from .cases import CASES

FIRST_BYTES = 16 << 10


def selected(words: list[str]) -> list[CalibrationCase]:
    return [case for case in CASES if not words or any(word in case.name for word in words)]


def digest(array: Array) -> str:
    """Of every bit, but one NaN is as good as another: the GPU's arithmetic has one of its own."""
    if array.dtype.kind == "f":
        array = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()[:32]


def digests(case: CalibrationCase, after: Arrays) -> dict[str, str]:
    """Of every array that the kernel changed."""
    before = case.arrays()
    return {name: digest(a) for name, a in after.items() if a.tobytes() != before[name].tobytes()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--builds", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    said: dict[str, dict[str, object]] = {}
    first: Arrays = {}
    with open_device(0):
        for case in selected(options.only):
            code = compiled(case.file, options.builds)
            arrays = case.arrays()
            faults = run_on_gpu(code.cubin, code.mangled, case.plan, arrays)
            if options.out is None:
                continue
            problem = "; ".join(fault.message for fault in faults) or differences(case, arrays)
            if problem:
                print(f"{case.name}: {problem}", flush=True)
            said[case.name] = {"problem": problem, "digests": digests(case, arrays)}
            for name in said[case.name]["digests"]:  # type: ignore[attr-defined]
                first[f"{case.name}|{name}"] = np.frombuffer(arrays[name].tobytes()[:FIRST_BYTES], np.uint8)
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
        (options.out / "outputs.json").write_text(json.dumps(said, indent=1))
        np.savez_compressed(options.out / "outputs.npz", **first)
    return 0


if __name__ == "__main__":
    sys.exit(main())

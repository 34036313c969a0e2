"""How fast the simulator runs kernels on one core, and how soon it answers.

    python benchmarks/simulator.py [--runs 5] [KERNEL ...]

Running: PTX thread-instructions a second of processor time, plain, with every block watched (bounds, uninitialised
reads, races, costs, caches) and with about eight blocks of a launch watched; the best of the runs.
Starting: from the first line of a process to the first result of a small watched kernel, with an empty cache, with
the runtime alone in it, with the kernel in it, and a second time in one process; wall and processor time, with the
compilers that it starts. Compiling: where the time of a first run goes. Prints; judges nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).parent.parent
KERNELS = ROOT / "tests" / "kernels" / "simulator"
WATCHED: tuple[Literal["none", "all", "sampled"], ...] = ("none", "all", "sampled")
SMALL = """__global__ void scale(int n, float a, const float* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i];
}
"""
OTHER = "__global__ void other(float* x) { x[threadIdx.x] = 1; }\n"


@dataclass(frozen=True)
class Work:
    """A launch. `arrays` gives each buffer's type and number of elements; a string argument is a buffer's name."""

    file: str
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    arguments: tuple[str | int | float, ...]
    arrays: dict[str, tuple[str, int]]
    what: str
    shared_bytes: int = 0


MEGA = 1 << 20
WORKS = {
    "saxpy": Work(
        "saxpy.cu", "saxpy", (4096, 1, 1), (256, 1, 1), (MEGA, 2.5, "x", "y"), {"x": ("f4", MEGA), "y": ("f4", MEGA)},
        "1,048,576 elements",
    ),
    "sgemm": Work(
        "sgemm.cu", "tiled", (8, 8, 1), (32, 32, 1), ("a", "b", "c", 256), dict.fromkeys("abc", ("f4", 256 * 256)),
        "256^3, tiles of 32 x 32",
    ),
    "sgemm_registers": Work(
        "sgemm.cu", "in_registers", (8, 8, 1), (256, 1, 1), ("a", "b", "c", 512),
        dict.fromkeys("abc", ("f4", 512 * 512)), "512^3, 4 x 4 in registers",
    ),
    "softmax": Work(
        "softmax.cu", "softmax", (1024, 1, 1), (256, 1, 1), ("x", "y", 1024), dict.fromkeys("xy", ("f4", MEGA)),
        "1024 rows of 1024",
    ),
    "transpose": Work(
        "transpose.cu", "tiled<1>", (32, 32, 1), (32, 32, 1), ("a", "b", 1024), dict.fromkeys("ab", ("f4", MEGA)),
        "1024 x 1024, padded tiles",
    ),
    "stencil": Work(
        "stencil.cu", "with_halo", (8192, 1, 1), (128, 1, 1), ("x", "y", MEGA), dict.fromkeys("xy", ("f4", MEGA)),
        "1,048,576 elements, halo in shared memory", 520,
    ),
    "histogram": Work(
        "histogram.cu", "histogram", (128, 1, 1), (256, 1, 1), ("x", "counts", MEGA),
        {"x": ("u1", MEGA), "counts": ("i4", 256)}, "1,048,576 bytes, atomics in shared memory",
    ),
    "reduction": Work(
        "reduce.cu", "by_shuffles", (256, 1, 1), (256, 1, 1), ("x", "total", MEGA),
        {"x": ("f4", MEGA), "total": ("f4", 1)}, "1,048,576 elements by shuffles",
    ),
}  # fmt: skip


def launch_plan(kernel: str, grid: Any, block: Any, arguments: tuple[str | int | float, ...], shared: int = 0) -> Any:
    from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar

    def given(value: str | int | float) -> Any:
        if isinstance(value, str):
            return Pointer(value)
        return Scalar("float" if isinstance(value, float) else "int", value)

    return LaunchPlan((Launch(kernel, grid, block, tuple(map(given, arguments)), shared),))


def measure(work: Work, runs: int) -> tuple[int, dict[str, float]]:
    """Thread-instructions of one launch, and the least processor seconds by what was watched."""
    import numpy as np

    from cudaperf_magic.bench.nvrtc import build
    from cudaperf_magic.bench.simulator.launch import simulate

    compiled = build((KERNELS / work.file).read_text(), names=(work.kernel,))
    plan = launch_plan(work.kernel, work.grid, work.block, work.arguments, work.shared_bytes)
    random = np.random.default_rng(0)
    instructions = 0
    least: dict[str, float] = dict.fromkeys(WATCHED, float("inf"))
    for watched in WATCHED:
        for _ in range(runs + 1):  # the first compiles
            arrays = {name: random.integers(0, 100, size).astype(kind) for name, (kind, size) in work.arrays.items()}
            started = time.thread_time()
            result = simulate(compiled, plan, arrays, instrument=watched)
            least[watched] = min(least[watched], time.thread_time() - started)
            assert not result.faults, result.faults
            if watched == "all":
                instructions = result.launches[0].thread_instructions
    return instructions, least


def run(names: list[str], runs: int) -> None:
    print(f"{'kernel':<16} {'instructions':>12} {'plain':>9} {'watched':>9} {'sampled':>9}   seconds of one core")
    for name in names:
        instructions, least = measure(WORKS[name], runs)
        seconds = " ".join(f"{least[watched]:9.4f}" for watched in WATCHED)
        rates = ", ".join(f"{instructions / least[watched] / 1e9:.2f} {word}" for watched, word in
                          (("none", "plain"), ("all", "watched")))  # fmt: skip
        print(f"{name:<16} {instructions:>12,} {seconds}   G/s a core: {rates}   ({WORKS[name].what})", flush=True)


# ---- starting ----


def first_results(started: float, source: str, kernel: str) -> list[tuple[float, float]]:
    """Wall and processor seconds since `started` of a first and a second result in this process."""
    import numpy as np

    from cudaperf_magic.bench.nvrtc import build
    from cudaperf_magic.bench.simulator.launch import simulate

    found = []
    arguments = (1000, 2.5, "x", "y") if kernel == "scale" else ("x",)
    for _ in range(2):
        arrays = {"x": np.ones(1024, np.float32), "y": np.ones(1024, np.float32)}
        plan = launch_plan(kernel, (4, 1, 1) if kernel == "scale" else (1, 1, 1), (256, 1, 1), arguments)
        result = simulate(build(source, names=(kernel,)), plan, arrays)
        assert result.is_complete and not result.faults, result.faults
        used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        found.append((time.time() - started, used))
    (wall, used), (later, more) = found
    return [(wall, used), (later - wall, more - used)]


def start(folder: str, source: str, kernel: str) -> list[tuple[float, float]]:
    command = [sys.executable, __file__, "--child", str(time.time()), kernel, source]
    environment = {**os.environ, "CUDAPERF_CACHE": folder}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    found: list[tuple[float, float]] = json.loads(done.stdout)
    return found


def starts(runs: int) -> None:
    rows: dict[str, list[tuple[float, float]]] = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            rows.setdefault("new process, empty cache", []).append(start(f"{folder}/empty", SMALL, "scale")[0])
            start(f"{folder}/cache", OTHER, "other")
            rows.setdefault("new process, the runtime in the cache", []).append(
                start(f"{folder}/cache", SMALL, "scale")[0]
            )
            again = start(f"{folder}/cache", SMALL, "scale")
            rows.setdefault("new process, the kernel in the cache", []).append(again[0])
            rows.setdefault("the same process", []).append(again[1])
    title = "first result of a small kernel, all watched"
    print(f"\n{title:<44} {'wall':>7} {'processor':>10}   seconds, best of {runs}")
    for name, times in rows.items():
        print(f"{name:<44} {min(wall for wall, _ in times):7.3f} {min(used for _, used in times):10.3f}")


# ---- compiling ----


def compiling(names: list[str]) -> None:
    from cudaperf_magic.bench.cache import Cache
    from cudaperf_magic.bench.nvrtc import build
    from cudaperf_magic.bench.simulator import native
    from cudaperf_magic.bench.simulator.kernel import mangled_name
    from cudaperf_magic.bench.simulator.lower import lower
    from cudaperf_magic.bench.simulator.ptx_reader import parse

    print(f"\n{'compiling':<16} {'NVRTC':>7} {'to C':>7} {'-O0':>7} {'-O1':>7} {'load':>7}   wall seconds, watched")
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            cache = Cache(Path(folder))
            compiled = build((KERNELS / WORKS[name].file).read_text(), names=(WORKS[name].kernel,), cache=cache)
            native.runtime(cache)
            marks = [time.perf_counter()]
            module = parse(compiled.ptx)
            lowered = lower(module, mangled_name(compiled, module, WORKS[name].kernel))
            marks.append(time.perf_counter())
            paths = []
            for level in ("-O0", "-O1"):
                paths += native.compile_all([native.Job(lowered.c_source, (level, "-DTRACE=1"))], cache)
                marks.append(time.perf_counter())
            native.warp_function(str(paths[-1]))
            marks.append(time.perf_counter())
            parts = [b - a for a, b in itertools.pairwise(marks)]
            print(f"{name:<16} {compiled.build.seconds:7.3f} " + " ".join(f"{part:7.3f}" for part in parts), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernels", nargs="*", choices=[*WORKS, []], metavar="KERNEL")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--child", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        started, kernel, source = options.child
        print(json.dumps(first_results(float(started), source, kernel)))
        return
    names = options.kernels or list(WORKS)
    print(f"{os.cpu_count()} cores, load average {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}\n")
    run(names, options.runs)
    starts(max(1, options.runs - 2))
    compiling(names)


if __name__ == "__main__":
    main()

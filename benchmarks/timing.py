"""Whether times on this device can be believed: a kernel against itself, and one against twice its work.

    python benchmarks/timing.py [--device cuda:0] [--rounds 20] [--pairs 30] [--json FILE]

Three tables. Itself: for short, medium and long kernels, rounds of pairs in two processes, fresh ones for each round;
how often the interval and the noise together would have claimed a difference (at most 5 % is wanted), the noise taken
from rounds of its own. Twice: a copy of twice the bytes against a copy, which should come out as 2 within 2 %. The
card: what it reached, beside its data sheet.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import statistics
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cudaperf_magic.bench.architectures import architecture
from cudaperf_magic.bench.card import WORK, ceilings_of, rounds_of
from cudaperf_magic.bench.devices import open_device
from cudaperf_magic.bench.gpu import ceilings as own
from cudaperf_magic.bench.gpu.lock import gpu_lock
from cudaperf_magic.bench.gpu.messages import Given, Prepare, Sampled, Settle
from cudaperf_magic.bench.gpu.trusted import trusted_cubin
from cudaperf_magic.bench.gpu_sessions import Seat, sessions_of
from cudaperf_magic.bench.measuring.floor import Ceilings
from cudaperf_magic.bench.measuring.noise import ROUNDS, Duration, noise_of
from cudaperf_magic.bench.measuring.pairing import interleave
from cudaperf_magic.bench.measuring.statistics import Ratio, ratio
from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar
from cudaperf_magic.bench.sandbox import SharedArrays

COPY_BYTES = 256 << 20


@dataclass(frozen=True)
class Itself:
    """A kernel against itself. `claims` is how many of the rounds would have been called different."""

    duration: Duration
    call_us: float
    noise: float
    rounds: int
    claims: int
    furthest: float  # of the rounds' ratios from 1, as a share
    seconds: float


def against_itself(index: int, arch: str, duration: Duration, rounds: int, pairs: int) -> Itself:
    started = time.perf_counter()
    noise = noise_of(rounds_of(index, arch, duration, ROUNDS, pairs))
    seconds = time.perf_counter() - started
    taken = rounds_of(index, arch, duration, rounds, pairs)
    found = [ratio(ours, theirs) for ours, theirs in taken]
    return Itself(
        duration,
        statistics.median(us for ours, _ in taken for us in ours),
        noise,
        rounds,
        sum(one.is_faster(noise) or one.is_slower(noise) for one in found),
        max(abs(one.value - 1.0) for one in found),
        seconds,
    )


def twice(index: int, arch: str, pairs: int) -> Ratio:
    """A copy of 1 x COPY_BYTES as the candidate, of 2 x as the baseline."""
    cubins = trusted_cubin(arch, own.SOURCE), trusted_cubin(arch)
    sessions = sessions_of(index)
    with sessions.seat() as one, sessions.seat() as other, gpu_lock(one.ready.uuid):
        for seat, times in ((one, 1), (other, 2)):
            seat.answer(_copy(times * COPY_BYTES, cubins))
            seat.answer(Settle())

        def sample(seat: Seat) -> float:
            return float(seat.answer(Sampled("cold"))[0].us)

        rng = random.Random(secrets.randbits(62))
        pair = interleave(lambda: sample(one), lambda: sample(other), rng, least=pairs, most=pairs)
    return ratio(*pair)


def _copy(size_bytes: int, cubins: tuple[bytes, bytes]) -> Prepare:
    vectors = size_bytes // 16
    arguments = (Pointer("x"), Scalar("unsigned long long", vectors), Pointer("y"))
    launch = Launch("copy_all", (own.blocks_for("copy_all", size_bytes), 1, 1), (own.THREADS, 1, 1), arguments)
    elements = size_bytes // 4
    return Prepare(
        cubin=cubins[0],
        symbols={},
        plan=LaunchPlan((launch,)),
        given=(Given("x", "in", "float32", (elements,)), Given("y", "out", "float32", (elements,))),
        inputs=SharedArrays.share({"x": np.ones(elements, np.float32)}),
        trusted_cubin=cubins[1],
        seed=secrets.randbits(62),
    )


def show(rows: list[Itself], doubled: Ratio, reached: Ceilings) -> None:
    print("against itself     call us    noise   claims        furthest   seconds for the noise")
    for row in rows:
        claims = f"{row.claims} of {row.rounds} = {100 * row.claims / row.rounds:.0f}%"
        print(f"{row.duration:16} {row.call_us:9.2f} {row.noise:8.2%}   {claims:14} {row.furthest:8.2%}", end="")
        print(f" {row.seconds:10.1f}")
    spread = f"[{doubled.low:.4f}, {doubled.high:.4f}]"
    print(f"twice the traffic  {doubled.value:.4f} {spread}, {doubled.pairs} pairs")
    best = (f"{name} {getattr(reached, f'{name}_gb_s'):.0f} GB/s" for name in ("read", "write", "copy"))
    print(f"{reached.gpu}: {', '.join(best)}")
    for name, rate in reached.rates.items():
        print(f"  {name:16} {rate / 1e12:7.2f} T/s")
    print(f"  launch           {reached.launch_us:7.2f} us")
    for name in ("read", "write", "copy"):
        points = (f"{size >> 20} MiB {size / us / 1000:.0f}" for size, us in getattr(reached, name))
        print(f"  {name} GB/s: {', '.join(points)}")
    card = architecture(reached.gpu).card
    print(f"  its data sheet: {card.memory_gb_s} GB/s, {card.fp32_tflops} and {card.fp64_tflops} TFLOP/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    device = open_device(options.device)
    if device.index is None:
        parser.error("the simulator measures no time; take a CUDA device")
    index, arch = device.index, device.arch
    rows = [against_itself(index, arch, kind, options.rounds, options.pairs) for kind in WORK]
    doubled = twice(index, arch, options.pairs)
    reached = ceilings_of(index, arch)
    show(rows, doubled, reached)
    if options.json:
        data: dict[str, Any] = {
            "itself": [asdict(row) for row in rows], "twice": asdict(doubled), "ceilings": asdict(reached),
        }  # fmt: skip
        options.json.write_text(json.dumps(data, indent=1))


if __name__ == "__main__":
    main()

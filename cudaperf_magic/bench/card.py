"""What has to be known of a card before a time on it says anything: its ceilings, and how much it differs from itself.

Both are measured on first use, in children of the device and under its lock, and kept for the card and its driver.
Candidates are not its business.
"""

from __future__ import annotations

import random
import secrets
from functools import lru_cache, partial
from threading import RLock
from typing import Any

import numpy as np

from cudaperf_magic.bench.cache import Cache
from cudaperf_magic.bench.gpu import ceilings as measuring
from cudaperf_magic.bench.gpu.clocks import driver_version
from cudaperf_magic.bench.gpu.driver import load_driver
from cudaperf_magic.bench.gpu.lock import gpu_lock
from cudaperf_magic.bench.gpu.messages import Given, Prepare, Question, Sampled, Settle
from cudaperf_magic.bench.gpu.running import device_info, device_uuid, open_device
from cudaperf_magic.bench.gpu.trusted import trusted_cubin
from cudaperf_magic.bench.gpu_sessions import Seat, sessions_of
from cudaperf_magic.bench.measuring.floor import Ceilings
from cudaperf_magic.bench.measuring.noise import PAIRS, ROUNDS, Duration, Machine, held_noise, keep_noise
from cudaperf_magic.bench.measuring.pairing import Pairs, interleave
from cudaperf_magic.bench.plan import Launch, LaunchPlan, Pointer, Scalar
from cudaperf_magic.bench.sandbox import Finished, SharedArrays, run_in_child
from cudaperf_magic.errors import ToolchainError

SURVEY_S = 60.0
_ONE_BY_ONE = RLock()  # several threads that ask at first do not each measure
THREADS = 256
# Elements and rounds of `busy` in ceilings.cu for a call of each class on a data-centre card, about 5, 130, 2000 us.
WORK: dict[Duration, tuple[int, int]] = {"short": (1 << 20, 1), "medium": (1 << 26, 1), "long": (1 << 24, 3600)}


@lru_cache(maxsize=64)
def machine_of(index: int) -> Machine:
    """The card and its driver. Asks a child, since this process must not touch the driver before it forks.

    Raises:
        ToolchainError: there is no such device.
    """
    with sessions_of(index).seat() as seat:
        return Machine(seat.ready.uuid, driver_version() or "unknown")


@lru_cache(maxsize=64)
def ceilings_of(index: int, arch: str) -> Ceilings:
    """What the card reached; about a second when nobody has measured it yet.

    Raises:
        ToolchainError: it cannot be measured.
    """
    cache, machine = Cache(), machine_of(index)
    with _ONE_BY_ONE:
        held = measuring.held_ceilings(machine.uuid, machine.driver, cache)
        if held is None:
            held = _measured(index, arch, machine)
            measuring.keep_ceilings(held, cache)
    return held


def _measured(index: int, arch: str, machine: Machine) -> Ceilings:
    cubins = trusted_cubin(arch), trusted_cubin(arch, measuring.SOURCE)
    with gpu_lock(machine.uuid):
        ended = run_in_child(_survey, index, *cubins, machine.driver, kind="gpu", timeout_s=SURVEY_S, memory_bytes=None)
    if not isinstance(ended, Finished):
        raise ToolchainError(f"the ceilings of cuda:{index} could not be measured; check `nvidia-smi`")
    found: Ceilings = ended.value
    return found


@lru_cache(maxsize=64)
def noise_of(index: int, arch: str, duration: Duration) -> float:
    """How far a kernel's time lies from its own, as a share; about a second when nobody has measured it yet.

    Raises:
        ToolchainError: it cannot be measured.
    """
    cache, machine = Cache(), machine_of(index)
    with _ONE_BY_ONE:
        held = held_noise(machine, duration, cache)
        if held is None:
            held = keep_noise(machine, duration, rounds_of(index, arch, duration, ROUNDS), cache)
    return held


def rounds_of(index: int, arch: str, duration: Duration, rounds: int, pairs: int = PAIRS) -> list[Pairs]:
    """One kernel against itself in two children, each round on buffers of its own.

    Raises:
        ToolchainError: a child did not answer.
    """
    elements, turns = WORK[duration]
    cubins = trusted_cubin(arch, measuring.SOURCE), trusted_cubin(arch)
    inputs = SharedArrays.share({"x": np.ones(elements, np.float32)})
    rng = random.Random(secrets.randbits(62))
    sessions, found = sessions_of(index), []
    for _ in range(rounds):
        with sessions.seat() as one, sessions.seat() as other:
            question = _busy(elements, turns, cubins, inputs)
            with gpu_lock(one.ready.uuid):
                for seat in (one, other):
                    _asked(seat, question)
                    _asked(seat, Settle())
                samplers = partial(_cold_us, one), partial(_cold_us, other)
                found.append(interleave(*samplers, rng=rng, least=pairs, most=pairs))
    inputs.close()
    return found


def _busy(elements: int, rounds: int, cubins: tuple[bytes, bytes], inputs: SharedArrays) -> Prepare:
    counts = (Scalar("unsigned int", elements), Scalar("unsigned int", rounds))
    arguments = (Pointer("x"), Pointer("y"), *counts)
    launch = Launch("busy", (-(-elements // THREADS), 1, 1), (THREADS, 1, 1), arguments)
    return Prepare(
        cubin=cubins[0],
        symbols={},
        plan=LaunchPlan((launch,)),
        given=(Given("x", "in", "float32", (elements,)), Given("y", "out", "float32", (elements,))),
        inputs=inputs,
        trusted_cubin=cubins[1],
        seed=secrets.randbits(62),
    )


def _cold_us(seat: Seat) -> float:
    return float(_asked(seat, Sampled("cold"))[0].us)


def _asked(seat: Seat, question: Question) -> Any:
    ended = seat.ask(question)
    if not isinstance(ended, Finished):
        raise ToolchainError("a kernel of the bench's own did not run on the device; check `nvidia-smi`")
    return ended.value


def _survey(index: int, trusted: bytes, own: bytes, version: str) -> Ceilings:
    """In the child."""
    with open_device(index):
        return measuring.measure_ceilings(
            load_driver(),
            trusted,
            own,
            device=index,
            gpu=device_info(index).name,
            uuid=device_uuid(index),
            driver_version=version,
        )

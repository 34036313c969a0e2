"""A device's child without a device: the simulator runs what it is asked, and the instructions counted are its time.

So the parent's side of the GPU bench is played whole on any machine. A program's cubin is the pickled build here. What
a comment in a candidate's source asks for goes wrong: `fake: strays`, `fake: breaks`, `fake: dies`, `fake: sleeps`.
"""

from __future__ import annotations

import os
import pickle
import signal
import time
from dataclasses import replace
from typing import Any

import numpy as np

from cudaperf_magic.bench.building import build_candidate
from cudaperf_magic.bench.counters.metrics import Counts
from cudaperf_magic.bench.gpu.fingerprint import fingerprint
from cudaperf_magic.bench.gpu.messages import Broke, Called, Count, Damage, Lend, Prepare, Ready, Run, Sampled, Settle
from cudaperf_magic.bench.measuring.samples import Call, Manner, Sample
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.sandbox import Line
from cudaperf_magic.bench.simulator.launch import simulate
from cudaperf_magic.errors import ToolchainError
from cudaperf_magic.records import Candidate, Fault, Task

UUID = "GPU-00000000-fake-fake-fake-000000000000"
KEY = 7


def build(task: Task, candidate: Candidate, arch: str) -> Compiled:
    """In place of building.build_candidate: the fake child finds what it simulates in the cubin."""
    compiled = build_candidate(task, candidate, arch)
    whole = replace(compiled, source=candidate.source)
    return replace(compiled, cubin=pickle.dumps(whole)) if compiled.build.ok else compiled


def serve(line: Line, index: int) -> None:
    """In place of gpu.child.serve."""
    if index != 0:
        raise ToolchainError(f"device cuda:{index} is not here")
    line.send(Ready("Fake GPU", UUID))
    program: _Program | None = None
    while True:
        question = line.receive()
        match question:
            case Run(cubin, _, requests):
                line.send([_ran(pickle.loads(cubin), request) for request in requests])
            case Prepare():
                program = _Program(question)
                line.send(program.first_call())
            case _:
                assert program is not None
                line.send(program.answer(question))


def _ran(compiled: Compiled, request: Any) -> tuple[dict[str, Any], tuple[Fault, ...], None]:
    arrays = {name: array.copy() for name, array in request.arrays.items()}
    simulate(compiled, request.plan, arrays, instrument="none")
    return arrays, (), None


class _Program:
    def __init__(self, asked: Prepare) -> None:
        self.asked = asked
        self.compiled: Compiled = pickle.loads(asked.cubin)
        self.calls = 0

    def is_asked(self, trouble: str) -> bool:
        return f"fake: {trouble}" in self.compiled.source

    def first_call(self) -> Called:
        if self.is_asked("sleeps"):
            time.sleep(60)
        arrays, _ = self.run()
        assert self.asked.outputs is not None
        for name, into in self.asked.outputs.arrays().items():
            into[...] = arrays[name]
        inputs = self.asked.inputs.arrays()
        changed = [g.name for g in self.asked.given if g.role == "in" and (arrays[g.name] != inputs[g.name]).any()]
        return Called(None, tuple(changed))

    def answer(self, question: Any) -> Any:
        match question:
            case Settle():
                sample = self.sample()
                return Manner(1, 1, False, bool(self.asked.remembers), (sample.calls[0].prints,), sample.us, 1 << 20)
            case Sampled(_, count):
                if self.is_asked("dies"):
                    os.kill(os.getpid(), signal.SIGKILL)
                if self.is_asked("breaks"):
                    return Broke(Fault("out_of_bounds", "a kernel reads or writes memory outside every buffer"))
                return tuple(self.sample() for _ in range(count))
            case Damage():
                return ()
            case Lend():
                return None
            case Count():
                return Counts({"sm_cycles": 1.0})

    def sample(self) -> Sample:
        arrays, instructions = self.run()
        self.calls += 1
        names = [given.name for given in self.asked.given if given.role != "in"]
        if self.is_asked("strays") and self.calls > 3:
            arrays[names[0]].reshape(-1)[0] += 1
        prints = tuple(fingerprint(arrays[name], KEY) for name in names)
        return Sample(10.0 + instructions / 1000.0, (Call(0, prints),))

    def run(self) -> tuple[dict[str, Any], int]:
        inputs = self.asked.inputs.arrays()
        arrays = {
            given.name: np.full(given.shape, 77, given.dtype) if given.role == "out" else inputs[given.name].copy()
            for given in self.asked.given
        }
        result = simulate(self.compiled, self.asked.plan, arrays, check_global_races=False)
        return arrays, sum(launch.warp_instructions for launch in result.launches)

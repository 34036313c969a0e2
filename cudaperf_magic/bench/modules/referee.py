"""The trusted process beside the child: makes inputs, owns the memory, reads outputs at "done", and only then computes
the reference and compares.

It runs the task's own module, never a candidate's text. Seeds reach it one content at a time from the parent, which
decides what a finding means. In lane B's memory it writes inputs and poison, and reads the rest.
"""

from __future__ import annotations

import mmap
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..sandbox_line import Line
from .gate import PAGE_BYTES, answer_calls
from .inputs import NOMINAL, Content, altered, fresh_inputs, like, near_twin
from .judge import judge
from .layout import Layout, Shape, TensorPlace, packed, place_of, plain_values, take_apart, view
from .loading import construct, load_source, state_tensors, strict_float32, trouble
from .neighbours import MOST, Neighbour, inputs_of, neighbours_of
from .parameters import randomised
from .reference import UNSETTLED, Reference
from .screening import Screened, screen

IDLE_LOOKS = 5
BUSY_TIMES, BUSY_NS = 10, 400_000  # contexts take turns of about a millisecond or more
L2_FLUSH_BYTES = 256 << 20  # over twice the largest L2 cache; written before each timed call on a device


@dataclass(frozen=True)
class Description:
    """What a child has to be told of the task, and what was found out about it. No values of inputs."""

    init_inputs: Any
    nest: Any
    inputs: tuple[TensorPlace, ...]
    outputs: tuple[TensorPlace, ...]
    state: tuple[TensorPlace, ...]
    screened: Screened
    gpu: str = ""  # the card's own name and UUID; "" on the CPU
    uuid: str = ""
    peak_bytes: int | None = None  # of the reference: parameters, inputs and what a call allocates; None on the CPU

    @property
    def shape(self) -> Shape:
        """Of a call on the task's own inputs."""
        return self.inputs, self.outputs

    @property
    def input_bytes(self) -> int:
        return sum(place.size_bytes for place in self.inputs)


@dataclass
class _Memory:
    """One child's slots. `inputs` and `taken` by slot: what was written there, and what was read at "done"."""

    layout: Layout
    host: Any
    slots: Any
    inputs: dict[int, list[Any]] = field(default_factory=dict)
    taken: dict[int, list[Any]] = field(default_factory=dict)
    is_taken: set[int] = field(default_factory=set)
    content: dict[int, Content] = field(default_factory=dict)


class Refused(Exception):
    """The task's module cannot be a reference; the sentence says why."""


def referee(line: Line) -> None:
    """Answers messages until the session closes; trouble of the task's own module is an answer {"error": words}."""
    own = _Referee(line)
    while True:
        message = line.receive()
        try:
            answer = getattr(own, f"do_{message.pop('do')}")(**message)
        except Refused as error:
            answer = {"error": str(error)}
        except Exception as error:
            answer = {"error": trouble(error)}
        line.send(answer)
        own.then()


class _Referee:
    def __init__(self, line: Line) -> None:
        self.line = line
        self.memories: dict[str, _Memory] = {}
        self.next: Callable[[int], bool] | None = None
        self.idle_ns = 0
        self.flush: Any = None
        self.multiples: dict[str, float] = {}
        self.neighbours: list[Neighbour] = []
        self.first_outputs: dict[tuple[str, int], list[Any]] = {}

    def then(self) -> None:
        """What follows on an answer: reading slots at once, while the parent has us watch."""
        run, self.next = self.next, None
        if run is not None:
            answer_calls(self.page, run)

    def do_describe(self, source: str, entry: str, device: str, seed: int) -> dict[str, Any]:
        """Loads the task and tries it on inputs from a seed that no candidate's inputs will have."""
        import torch

        (file,) = self.line.files
        self.page = memoryview(mmap.mmap(file, PAGE_BYTES))
        os.close(file)

        strict_float32()
        self.device, self.entry = device, entry
        self.module = load_source(source, "reference")
        torch.manual_seed(seed)
        self.init_inputs = self.module.get_init_inputs()
        init_inputs = _packed(self.init_inputs)
        made = fresh_inputs(self.module, seed, device)
        tensors, self.nest = take_apart(made)
        self.plain = list(plain_values(self.nest))
        model = construct(self.module, entry, self.init_inputs, seed, device)
        state = state_tensors(model)
        _load(model, randomised(state, seed))
        trial = Reference(model, self.nest)
        if not trial.repeats(tensors):
            raise Refused(UNSETTLED)
        self.may_change = trial.changes_inputs(tensors)
        outputs = [place_of(tensor) for tensor in trial.plain(tensors)]
        found = screen(trial, self._families_of(tensors, seed), lambda number: self._nominal(seed + number))
        self.multiples = dict(found.multiples)
        description = Description(
            init_inputs,
            self.nest,
            tuple(place_of(tensor) for tensor in tensors),
            tuple(outputs),
            tuple(place_of(tensor, name) for name, tensor in state.items()),
            found,
            *_card(device),
            trial.peak_bytes(tensors) if device != "cpu" else None,
        )
        self.source, self.trial = source, trial
        return {"description": description}

    def do_neighbours(self, seed: int) -> dict[str, Any]:
        """Shapes beside the task's own that its module takes, in words and as places."""
        tried = neighbours_of(self.source, self.module, self._nominal(seed))
        self.neighbours, shapes = [], []
        for which in tried:
            try:
                tensors, nest = take_apart(inputs_of(self.module, which, seed, self.device))
                outputs = self.trial.plain(tensors)
            except Exception:  # a shape that the module itself does not take is none
                continue
            if nest == self.nest and len(self.neighbours) < MOST:
                self.neighbours.append(which)
                shapes.append((tuple(map(place_of, tensors)), tuple(map(place_of, outputs))))
        return {"words": [which.words for which in self.neighbours], "shapes": shapes}

    def _families_of(self, tensors: list[Any], seed: int) -> dict[str, list[Any]]:
        from .inputs import FAMILIES

        made = {NOMINAL: tensors}
        if any(tensor.is_floating_point() for tensor in tensors):
            made |= {family: like(altered(tensors, family, seed), tensors) for family in FAMILIES}
        return made

    def _nominal(self, seed: int) -> list[Any]:
        tensors, nest = take_apart(fresh_inputs(self.module, seed, self.device))
        if list(plain_values(nest)) != self.plain:
            raise Refused("get_inputs() gives other numbers at each call; let them be the same, or tensors")
        return tensors

    def do_memory(self, who: str, layout: Layout) -> dict[str, Any]:
        """Maps the memory that a child will have, and allocates what of it lies on the device."""
        import torch

        (file,) = self.line.files
        host = torch.frombuffer(mmap.mmap(file, layout.host_bytes), dtype=torch.uint8)
        os.close(file)
        handle, slots = b"", host
        if self.device != "cpu":
            from .device_memory import allocate_shared

            slots, handle = allocate_shared(layout.device_bytes, self.device)
        self.memories[who] = memory = _Memory(layout, host, slots)
        for slot, places in enumerate(layout.slots):
            memory.taken[slot] = [torch.empty_like(view(slots, place)) for place in places.outputs]
        self.idle_ns = self._idle_ns()
        return {"handle": handle}

    def do_watch(self, who: str) -> dict[str, Any]:
        memory = self.memories[who]

        def read(slot: int) -> bool:
            self._read(memory, slot)
            return False

        self.next = read
        return {}

    def _read(self, memory: _Memory, slot: int) -> None:
        for room, place in zip(memory.taken[slot], memory.layout.slots[slot].outputs, strict=True):
            room.copy_(view(memory.slots, place))
        self._wait()
        memory.is_taken.add(slot)

    def _wait(self) -> None:
        if self.device != "cpu":
            import torch

            torch.cuda.synchronize()

    def _idle_ns(self) -> int:
        """How long the device takes for next to nothing: far longer while another process's kernels hold it."""
        if self.device == "cpu":
            return 0
        import torch

        small, least = torch.zeros(32, device=self.device), 1 << 62
        for _ in range(IDLE_LOOKS):
            start = time.perf_counter_ns()
            small.add_(1)
            torch.cuda.synchronize()
            least = min(least, time.perf_counter_ns() - start)
        return least

    def do_state(self, who: str, construct_seed: int, state_seed: int | None) -> dict[str, Any]:
        """The reference's parameters: of the child's seed, and other values for all of them when it can load those."""
        model = construct(self.module, self.entry, self.init_inputs, construct_seed, self.device)
        if state_seed is not None:
            values = randomised(state_tensors(model), state_seed)
            _load(model, values)
            memory = self.memories[who]
            for place in memory.layout.state:
                view(memory.host, place).copy_(values[place.name])
        self.reference = Reference(model, self.nest)
        return {}

    # One call

    def do_prepare(self, who: str, slot: int, content: Content, poison: bytes) -> dict[str, Any]:
        """New inputs and poison in a slot; whether its last outputs have changed since they were taken."""
        import torch

        memory = self.memories[who]
        is_changed = self._is_changed(memory, slot)
        places = memory.layout.slots[slot]
        tensors = self._tensors(content)
        for place, tensor in zip(places.inputs, tensors, strict=True):
            view(memory.slots, place).copy_(tensor)
        word = torch.frombuffer(bytearray(poison), dtype=torch.uint8).to(self.device)
        for place in places.outputs:
            room = memory.slots[place.offset_bytes : place.offset_bytes + place.size_bytes]
            room.copy_(word.repeat(-(-place.size_bytes // len(poison)))[: place.size_bytes])
        memory.inputs[slot], memory.content[slot] = tensors, content
        memory.is_taken.discard(slot)
        self._settle_device()
        return {"is_changed": is_changed}

    def do_take(self, who: str, slot: int, is_read: bool) -> dict[str, Any]:
        """Copies the outputs as they are now unless that is done; which inputs were written to; is the device idle."""
        import torch

        memory = self.memories[who]
        places = memory.layout.slots[slot]
        is_busy = self._idle_ns() > max(BUSY_TIMES * self.idle_ns, BUSY_NS)
        if not is_read:
            self._read(memory, slot)
        changed = [
            number
            for number, (place, before) in enumerate(zip(places.inputs, memory.inputs[slot], strict=True))
            if number not in self.may_change and not torch.equal(_raw(view(memory.slots, place)), _raw(before))
        ]
        return {"changed_inputs": changed, "is_busy": is_busy}

    def do_judge(self, who: str, slot: int, keeps: bool) -> dict[str, Any]:
        """The reference on this slot's inputs, now that the outputs are taken; the first output that is wrong."""
        memory = self.memories[who]
        inputs = memory.inputs[slot]
        content = memory.content[slot]
        family = content.family
        plain = self.reference.plain(inputs)
        wide = self.reference.oracle(inputs, plain)
        errors = []
        is_same = self._is_same(who, content, memory.taken[slot]) if keeps else None
        for number, (got, ours, oracle) in enumerate(zip(memory.taken[slot], plain, wide, strict=True)):
            if got.shape != ours.shape or got.dtype != ours.dtype:
                raise Refused(f"output {number} has another shape or type on other values; that cannot be refereed")
            name = f"output {number}" if len(plain) > 1 else "the output"
            found = judge(name, got, ours, oracle, self.multiples.get(family, self.multiples[NOMINAL]))
            if found.error is not None:
                errors.append(found.error)
            if not found.ok:
                return {"reason": found.reason, "wrong": found.wrong, "errors": errors, "is_same": is_same}
        return {"reason": "", "wrong": None, "errors": errors, "is_same": is_same}

    def _is_same(self, who: str, content: Content, outputs: list[Any]) -> bool | None:
        """Whether a content that comes again has the same bits as outputs; None the first time."""
        import torch

        before = self.first_outputs.get((who, content.number))
        if before is None:
            self.first_outputs[who, content.number] = [tensor.clone() for tensor in outputs]
            return None
        return all(torch.equal(_raw(a), _raw(b)) for a, b in zip(before, outputs, strict=True))

    def do_reread(self, who: str) -> dict[str, Any]:
        """Whether any outputs have changed since they were taken: asked when the child is gone."""
        memory = self.memories[who]
        return {"is_changed": any(self._is_changed(memory, slot) for slot in memory.is_taken)}

    def do_release(self, who: str) -> dict[str, Any]:
        """Forgets a child's memory, when that child is gone."""
        memory = self.memories.pop(who, None)
        if memory is not None and self.device != "cpu":
            from .device_memory import free_shared

            free_shared(memory.slots)
        self.first_outputs.clear()
        return {}

    def _is_changed(self, memory: _Memory, slot: int) -> bool:
        import torch

        if slot not in memory.is_taken:
            return False
        pairs = zip(memory.layout.slots[slot].outputs, memory.taken[slot], strict=True)
        return any(not torch.equal(_raw(view(memory.slots, place)), _raw(before)) for place, before in pairs)

    def _tensors(self, content: Content) -> list[Any]:
        if content.neighbour is not None:
            which = self.neighbours[content.neighbour]
            return take_apart(inputs_of(self.module, which, content.seed, self.device))[0]
        nominal = self._nominal(content.seed)
        if content.twin_of is not None:
            made = near_twin(self._nominal(content.twin_of), nominal, content.seed)
        elif content.family == NOMINAL:
            return nominal
        else:
            made = altered(nominal, content.family, content.seed)
        return like(made, nominal)

    def _settle_device(self) -> None:
        """On a device: nothing of the inputs is left in the cache, and all writes have ended."""
        if self.device != "cpu":
            import torch

            if self.flush is None:
                self.flush = torch.empty(L2_FLUSH_BYTES, dtype=torch.uint8, device=self.device)
            self.flush.zero_()
            self._wait()


def _card(device: str) -> tuple[str, str]:
    if device == "cpu":
        return "", ""
    import torch

    properties = torch.cuda.get_device_properties(device)
    return properties.name, f"GPU-{properties.uuid}"


def _packed(value: Any) -> Any:
    try:
        return packed(value)
    except TypeError as error:
        raise Refused(f"get_init_inputs(): {error}") from None


def _load(model: Any, state: dict[str, Any]) -> None:
    if state:
        model.load_state_dict(state, strict=False)


def _raw(tensor: Any) -> Any:
    """The bytes, in the order of memory: so that NaN equals itself and strides do not matter."""
    import torch

    flat = tensor.as_strided((tensor.numel(),), (1,)) if tensor.numel() else tensor.reshape(-1)
    return flat.view(torch.uint8)

"""The child of lane B: loads `ModelNew`, and calls it on whatever lies in a slot of the shared memory when told "go".

From the moment that the candidate is loaded nothing here can be trusted, and nothing is: there is no reference,
tolerance, seed of inputs or verdict in this process, and what it says decides nothing. It compares and clocks only
for itself.
"""

from __future__ import annotations

import mmap
import os
import socket
import time
from collections.abc import Callable
from typing import Any

from ..sandbox_line import Line
from .extension import private_folder, route_load_inline, silence_triton
from .gate import PAGE_BYTES, answer_calls
from .layout import Layout, place_of, put_together, take_apart, unpacked, view
from .loading import construct, load_source, state_tensors, strict_float32, trouble


def serve(line: Line, device: str) -> None:
    """Answers messages until the session closes. The first brings the memory and a socket that shows who we are."""
    child = _Child(line, device)
    while True:
        line.send(child.answer(line.receive()))
        child.then()


class _Child:
    def __init__(self, line: Line, device: str) -> None:
        self.line = line
        self.device = device
        self.tick: Any = None
        if device != "cpu":
            import torch

            torch.cuda.set_device(device)
            self.tick = torch.zeros(32, device=device)  # makes the context
        self.model: Any = None
        self.wait: Callable[[], None] = _nothing
        self.seconds: list[float] = []
        self.failure = ""
        self.next: Callable[[int], bool] | None = None

    def answer(self, message: dict[str, Any]) -> dict[str, Any]:
        kind = message.pop("do")
        found: dict[str, Any] = getattr(self, f"do_{kind}")(**message)
        return found

    def do_open(self, layout: Layout, nest: Any, handle: bytes) -> dict[str, Any]:
        memory_file, socket_file = self.line.files
        self.socket = socket.socket(fileno=socket_file)
        self.socket.send(b"+")  # the kernel adds our process number, as the other side sees it
        shared = mmap.mmap(memory_file, layout.host_bytes)
        os.close(memory_file)
        self.page = memoryview(shared)[:PAGE_BYTES]
        import torch

        self.host = torch.frombuffer(shared, dtype=torch.uint8)
        self.layout, self.nest = layout, nest
        strict_float32()
        self.slots_memory = self.host
        if self.device != "cpu":
            from .device_memory import open_shared

            self.slots_memory = open_shared(handle, layout.device_bytes, self.device)
            self.wait = torch.cuda.synchronize
        return {}

    def then(self) -> None:
        """What follows on an answer: calls through the gate, until the parent has enough of them."""
        run, self.next = self.next, None
        if run is not None:
            answer_calls(self.page, run)

    def do_calibrate(self) -> dict[str, Any]:
        """Calls that do next to nothing, before any foreign code is here: what a call costs by itself.

        On a device that is a smallest kernel, for contexts take turns there, and changing them costs the most.
        """
        self.next = self._nothing_called
        return {}

    def _nothing_called(self, slot: int) -> bool:
        if self.tick is not None:
            self.tick.add_(1)
        self.wait()
        return False

    def do_load(self, source: str, name: str, init_inputs: Any, seed: int, knock_out: bool) -> dict[str, Any]:
        private_folder()
        if knock_out:
            silence_triton(source)
        if "cpp_extension" in source:  # importing it takes a while
            route_load_inline(self.line, knock_out=knock_out)
        try:
            module = load_source(source, "candidate")
            if not hasattr(module, name):
                return {"error": f"there is no class {name} in it"}
            self.model = construct(module, name, unpacked(init_inputs), seed, self.device)
            self.wait()
        except Exception as error:
            return {"error": trouble(error)}
        state = [place_of(tensor, key) for key, tensor in state_tensors(self.model).items()]
        return {"state": state}

    def do_state(self) -> dict[str, Any]:
        """Takes the parameters from the shared memory; the names fit, or we would not be told to."""
        try:
            tensors = {place.name: view(self.host, place).to(self.device) for place in self.layout.state}
            self.model.load_state_dict(tensors, strict=False)
            self.wait()
        except Exception as error:
            return {"error": trouble(error)}
        return {}

    def do_calls(self) -> dict[str, Any]:
        if self.device != "cpu":
            import torch

            torch.cuda.reset_peak_memory_stats()
        self.next = self._call
        return {}

    def do_report(self) -> dict[str, Any]:
        """What it says of its calls: its own clock's seconds, why one failed, and the most that torch had allocated."""
        peak_bytes = None
        if self.device != "cpu":
            import torch

            peak_bytes = torch.cuda.max_memory_allocated()
        return {"seconds": self.seconds, "failure": self.failure, "peak_bytes": peak_bytes}

    def do_observe(self, slot: int) -> dict[str, Any]:
        """Two more calls, watched from inside, their outputs dropped: operations of the framework, and kernels."""
        import torch

        from .observe import kernels_of, operations_of

        inputs = [view(self.slots_memory, place) for place in self.layout.slots[slot].inputs]

        def call() -> None:
            self.model(*put_together(self.nest, inputs))
            self.wait()

        with torch.no_grad():
            return {"operations": operations_of(call), "kernels": kernels_of(call) if self.device != "cpu" else []}

    def _call(self, slot: int) -> bool:
        import torch

        places = self.layout.slots[slot]
        inputs = [view(self.slots_memory, place) for place in places.inputs]
        start = time.perf_counter()
        try:
            with torch.no_grad():
                result = self.model(*put_together(self.nest, inputs))
                tensors, _ = take_apart(result)
                if len(tensors) != len(places.outputs):
                    self.failure = f"it returned {len(tensors)} tensors where {len(places.outputs)} are asked for"
                    return True
                for tensor, place in zip(tensors, places.outputs, strict=True):
                    if tuple(tensor.shape) != place.shape or place.dtype != str(tensor.dtype).removeprefix("torch."):
                        self.failure = f"it returned {place_of(tensor).words} where {place.words} is asked for"
                        return True
                    view(self.slots_memory, place).copy_(tensor)
            self.wait()
        except Exception as error:
            self.failure = trouble(error)
            return True
        self.seconds.append(time.perf_counter() - start)
        return False


def _nothing() -> None:
    pass

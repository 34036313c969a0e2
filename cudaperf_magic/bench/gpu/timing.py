"""One program, ready to be called and timed on the device again and again, every timed call with its outputs looked at:

    cold     A window between two events, divided by its calls. Before it, outside, every array that a call writes is
             poisoned or restored, L2 is emptied, the stream waited for and then held, so that the host has queued all
             before the first event. A call shorter than WINDOW_US shares its window with others, each on a set of
             buffers of its own, so that every call finds its data out of L2; a longer one has the window to itself.
    warm     The same, but the same sets were called just before, and L2 keeps what it likes of them.
    graph    A plan of several steps is timed as a stream of launches and as a CUDA graph, and goes on as the faster.
    end to end   Inputs from registered host memory, the call, outputs back to it; one window.

Not in them: allocation (workspaces are made ahead) and whatever else a host function does on the CPU. A window of one
call holds the start of its first kernel too, some microseconds.

A new set first holds the first one's inputs, and a call on it has to give what was held against the reference; then
they differ in the last bit of some elements where the task allows it. Each set's calls there are alone with their
answer, and outputs of all sets are poisoned before every window; so an answer taken from another call, or kept from an
earlier one, does not fit. Where inputs may not differ, a call that takes far longer alone than beside others shares no
window. Call it in a child process: after a fault the context is lost. Verdicts, ratios, baselines are not its work.
"""

from __future__ import annotations

import contextlib
import ctypes
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.gpu.driver import Driver, DriverError, free_bytes
from cudaperf_magic.bench.gpu.launching import Functions
from cudaperf_magic.bench.gpu.sets import BufferSet, DeviceArray, Program
from cudaperf_magic.bench.gpu.transfers import HostArrays
from cudaperf_magic.bench.gpu.trusted import COMPARED, Trusted
from cudaperf_magic.bench.measuring.samples import Call, Distance, Manner, Prints, Sample
from cudaperf_magic.records import Fault

WINDOW_US = 200.0  # events resolve about half a microsecond
MOST_CALLS = 40  # in a window: each needs a set of buffers
MOST_STEPS = 200  # in a window: as many as the driver queues without waiting, with the short queues of child.py
ALONE_US = 5000.0  # calls longer than this get no second set of buffers: its first call would cost more than it tells
QUEUE_US, ENQUEUE_US = 20.0, 4.0  # host time for a window, and for each step in it
MOST_HOLD_US = 20_000.0
SLOW_US = 100_000.0  # a call so long is far from what a device can do, and each one more costs as long again
TRIALS = 3  # of a stream of launches and of the graph each, and of calls alone
LONE, LONE_US = 1.5, 12.0  # alone, a call takes some microseconds more than in a shared window; beyond, it gains there
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING


def prepare(
    driver: Driver,
    trusted_cubin: bytes,
    program: Program,
    *,
    device: int = 0,
    seed: int,
    memory_bytes: int | None = None,
    keeps: bool = False,
) -> Prepared:
    """Buffers made and filled, the module loaded, nothing called yet.

    Args:
        trusted_cubin: of `trusted.trusted_cubin`.
        seed: of poisons, keys and orders; fresh from the operating system, and not the candidate's to know.
        memory_bytes: that all sets together may take; by default half of what is free.
        keeps: whether each set's first outputs are kept, concealed, so that later ones of a candidate that is not
            deterministic can be held against them.

    Raises:
        DriverError: the device has no room for the arrays, or the module does not fit it.
    """
    return Prepared(driver, trusted_cubin, program, device, seed, memory_bytes, keeps)


class Prepared:
    """See `prepare`. First `first_call`, then `outputs`, then `settle`, then samples in any order."""

    def __init__(
        self, driver: Driver, trusted_cubin: bytes, program: Program, device: int, seed: int, room: int | None,
        keeps: bool,
    ) -> None:  # fmt: skip
        self._driver, self._program, self._keeps = driver, program, keeps
        self._random = random.Random(seed)
        self._stream = ctypes.c_void_p()
        driver.call("cuStreamCreate", ctypes.byref(self._stream), _NON_BLOCKING)
        self._events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self._events:
            driver.call("cuEventCreate", ctypes.byref(event), 0)
        self._trusted = Trusted(driver, trusted_cubin, self._stream, device, self._random.getrandbits(64))
        self._room = room if room is not None else free_bytes(driver) // 2
        self._module = ctypes.c_void_p()
        self._layout = program.layout
        self._sets: list[BufferSet] = []
        self._kept: dict[tuple[int, str], int] = {}
        self._inputs: list[Prints] = []
        self._expected: list[Prints] = []
        self._proofs: list[Call] = []
        self._manner: Manner | None = None
        self._load()
        self._add_set()

    # ---------------------------------------------------------------- the first calls

    def first_call(self) -> Fault | None:
        """One call, step by step, on inputs as they were handed over. After a fault nothing else may be asked."""
        first = self._sets[0]
        self._refresh([first])
        self._wait()
        fault = first.watched_call()
        if fault is None:
            self._trusted.renew()
            self._expect(0)
        return fault

    def output(self, name: str, into: NDArray[Any]) -> None:
        """What the last call on the first set left in an output; `into` is contiguous and has the array's bytes."""
        array = next(one for one in self._program.outputs if one.name == name)
        if into.nbytes != array.host.nbytes:
            raise ValueError(f"{name} has {array.host.nbytes} bytes, not {into.nbytes}")
        if into.nbytes:
            address, size = ctypes.c_uint64(self._sets[0].address(name)), ctypes.c_size_t(into.nbytes)
            self._driver.call("cuMemcpyDtoH_v2", ctypes.c_void_p(into.ctypes.data), address, size)

    def settle(self) -> Manner:
        """Finds how the program is timed: its length, whether as a graph, how many calls a window, on which sets."""
        is_reloaded = bool(self._program.remembers)
        first = self._sets[0]
        length_us = self._sample([0], is_cold=True).us
        if first.steps > 1 and not is_reloaded and length_us < SLOW_US:  # a slow one gains nothing by a graph
            length_us = self._choose_graph()
        calls = 1
        if not is_reloaded:
            for _ in range(2):  # a window of one call is longer than a call: the second look sees that
                calls = self._calls_for(length_us, first.steps)
                self._make_sets(calls if calls > 1 else 2 if length_us < ALONE_US else 1)
                calls = min(calls, len(self._sets))
                length_us = self._sample(self._chosen(calls), is_cold=True).us
            if calls > 1 and (lone_us := self._median_us(1)) > LONE * length_us + LONE_US:
                calls, length_us = 1, lone_us
        warm = max(1, min(calls, self._trusted.l2_bytes // 2 // max(first.size_bytes, 1)))
        bytes_used = sum(one.size_bytes for one in self._sets)
        expected, proofs = tuple(self._expected), tuple(self._proofs)
        self._manner = Manner(calls, warm, first.is_graph, is_reloaded, expected, length_us, bytes_used, proofs)
        return self._manner

    # ---------------------------------------------------------------- samples

    def cold_samples(self, count: int) -> tuple[Sample, ...]:
        """See the module. Raises DriverError when a kernel fails, as it never did before."""
        calls = self._settled.calls
        return tuple(self._sample(self._chosen(calls), is_cold=True) for _ in range(count))

    def warm_samples(self, count: int) -> tuple[Sample, ...]:
        calls = self._settled.warm_calls
        return tuple(self._sample(self._chosen(calls), is_cold=False) for _ in range(count))

    def end_to_end(self, count: int) -> tuple[Sample, ...]:
        """Windows with the transfers in them, of the first set."""
        host = HostArrays(self._driver, self._stream, self._program)
        try:
            return tuple(self._end_to_end_sample(host) for _ in range(count))
        finally:
            host.release()

    def renew(self) -> None:
        """Makes the first set ready for a cold call that is not timed: see `call`."""
        self._refresh(self._sets[:1])
        self._trusted.flush()
        self._wait()

    def call(self) -> None:
        """One call on the first set, waited for; for whoever counts what it does."""
        self._sets[0].call()
        self._wait()

    def lent(self) -> bytes:
        """A handle by which another process maps the first set, while this one lives and leaves it alone."""
        self._wait()
        return self._sets[0].handle()

    def damage(self) -> tuple[str, ...]:
        """What the calls changed and had no right to: names of inputs, or "the bytes between the arrays"."""
        self._trusted.renew()
        found = []
        for one, before in zip(self._sets, self._inputs, strict=True):
            now = self._trusted.fingerprints([place for _, place in one.untouched])
            names = (name or "the bytes between the arrays" for name, _ in one.untouched)
            found += [name for name, was, is_ in zip(names, before, now, strict=True) if was != is_]
        return tuple(dict.fromkeys(found))

    def close(self) -> None:
        with contextlib.suppress(DriverError):
            for one in self._sets:
                one.release()
            for address in self._kept.values():
                self._driver.call("cuMemFree_v2", ctypes.c_uint64(address))
            self._trusted.release()
            self._driver.call("cuModuleUnload", self._module)
            for event in self._events:
                self._driver.call("cuEventDestroy_v2", event)
            self._driver.call("cuStreamDestroy_v2", self._stream)

    # ---------------------------------------------------------------- one window

    @property
    def _settled(self) -> Manner:
        if self._manner is None:
            raise ValueError("settle() comes before samples")
        return self._manner

    def _sample(self, chosen: Sequence[int], *, is_cold: bool) -> Sample:
        sets = [self._sets[number] for number in chosen]
        if self._program.remembers:
            self._load()
        self._refresh(self._sets)  # of those that are not called, too: nothing right stands anywhere
        if is_cold:
            self._trusted.flush()
        else:
            for one in sets:
                one.call()
            self._wait()
            if self._program.remembers:
                self._load()
            self._refresh(self._sets)
        us = self._window((BufferSet.call,), sets)
        self._trusted.renew()
        places = [place for one in sets for place in one.written]
        prints = self._trusted.fingerprints(places)
        width = len(self._program.outputs)
        each = [prints[width * k : width * (k + 1)] for k in range(len(chosen))]
        calls = (Call(number, own, self._distances(number, number)) for number, own in zip(chosen, each, strict=True))
        return Sample(us / len(sets), tuple(calls))

    def _end_to_end_sample(self, host: HostArrays) -> Sample:
        first = self._sets[0]
        if self._program.remembers:
            self._load()
        host.refresh()
        self._refresh(self._sets)
        self._trusted.flush()
        us = self._window((host.queue_inputs, BufferSet.call, host.queue_outputs), [first])
        self._trusted.renew()
        return Sample(us, (self._left(0, like=0),))

    def _window(self, actions: Sequence[Callable[[BufferSet], None]], sets: Sequence[BufferSet]) -> float:
        """Microseconds that the actions on each set take, one after another."""
        self._wait()
        steps = sum(1 if one.is_graph else one.steps for one in sets)
        self._trusted.hold(min(QUEUE_US + ENQUEUE_US * steps, MOST_HOLD_US))
        start, end = self._events
        self._driver.call("cuEventRecord", start, self._stream)
        for one in sets:
            for action in actions:
                action(one)
        self._driver.call("cuEventRecord", end, self._stream)
        self._driver.call("cuEventSynchronize", end)
        self._wait()
        took_ms = ctypes.c_float()
        self._driver.call("cuEventElapsedTime", ctypes.byref(took_ms), start, end)
        return 1000.0 * took_ms.value

    def _refresh(self, sets: Sequence[BufferSet]) -> None:
        """Everything that a call reads as it should be, everything that it writes as it should not."""
        for one in sets:
            one.restore()
            one.poison(self._random.randrange(256))
        self._trusted.scrub(self._random.getrandbits(32))

    def _wait(self) -> None:
        self._driver.call("cuStreamSynchronize", self._stream)

    # ---------------------------------------------------------------- the manner

    def _choose_graph(self) -> float:
        """Leaves the first set as the faster of the two; its length in microseconds."""
        first = self._sets[0]
        plain_us = self._median_us(1)
        try:
            first.capture()
        except DriverError:
            first.uncapture()
            return plain_us  # a step that cannot be captured
        graph_us = self._median_us(1)
        if graph_us < plain_us:
            return graph_us
        first.uncapture()
        return plain_us

    def _median_us(self, calls: int) -> float:
        return statistics.median([self._sample(self._chosen(calls), is_cold=True).us for _ in range(TRIALS)])

    def _calls_for(self, length_us: float, steps: int) -> int:
        wanted = -(-WINDOW_US // max(length_us, 0.1))
        most = min(MOST_CALLS, MOST_STEPS // max(steps, 1), self._room // max(self._sets[0].size_bytes, 1))
        return int(max(1, min(wanted, most)))

    def _chosen(self, calls: int) -> list[int]:
        return self._random.sample(range(len(self._sets)), calls)

    def _make_sets(self, count: int) -> None:
        """More sets, as far as there is room, each called alone with the first one's inputs, then with its own."""
        size_bytes = max(self._sets[0].size_bytes, 1)
        self._refresh(self._sets)
        while len(self._sets) < min(count, self._room // size_bytes):
            try:
                self._add_set()
            except DriverError:
                return  # another process took the room
            number = len(self._sets) - 1
            if self._sets[0].is_graph:
                self._sets[-1].capture()
            self._call_alone(number)
            self._proofs.append(self._left(number, like=0))
            if any(array.is_varied for array in self._program.arrays):
                self._fill(number, is_varied=True)
                self._call_alone(number)
            self._expect(number)
            self._refresh(self._sets[-1:])  # its answer is not for the next set's call to find

    def _call_alone(self, number: int) -> None:
        """One call that finds nothing of any other's."""
        self._refresh(self._sets[number : number + 1])
        self._trusted.wipe()
        self._wait()
        self._sets[number].call()
        self._wait()
        self._trusted.renew()

    def _add_set(self) -> None:
        made = BufferSet(self._driver, self._stream, self._program, self._layout)
        self._sets.append(made)
        for band in made.bands:
            made.fill(band, self._random.randrange(256))
        self._inputs.append(())
        self._fill(len(self._sets) - 1, is_varied=False)
        made.bind(self._functions)

    def _fill(self, number: int, *, is_varied: bool) -> None:
        """A set gets its inputs: the first from the host, the others those of the first."""
        first, one = self._sets[0], self._sets[number]
        for array in (array for array in self._program.arrays if array.role != "out"):
            if number == 0:
                one.upload(array)
                continue
            one.copy(one.source(array), first.source(array), array.host.nbytes)
            if is_varied and array.is_varied:
                words = array.host.dtype.itemsize // 4
                self._trusted.vary(one.source(array), array.host.size, words, self._random.getrandbits(64))
        self._inputs[number] = self._trusted.fingerprints([place for _, place in one.untouched])

    # ---------------------------------------------------------------- what calls leave

    def _left(self, number: int, like: int) -> Call:
        """What the call on a set left, to be held against what one on `like` did."""
        return Call(like, self._trusted.fingerprints(self._sets[number].written), self._distances(number, like))

    def _expect(self, number: int) -> None:
        """What the set's outputs hold now is what every later call on it has to give."""
        one = self._sets[number]
        self._expected.append(self._trusted.fingerprints(one.written))
        if not self._keeps:
            return
        for array in self._program.outputs:
            if array.dtype in COMPARED:
                kept = ctypes.c_uint64()
                self._driver.call("cuMemAlloc_v2", ctypes.byref(kept), ctypes.c_size_t(array.host.nbytes + 8))
                self._kept[number, array.name] = kept.value
                self._trusted.conceal(one.address(array.name), array.host.nbytes, kept.value)

    def _distances(self, number: int, like: int) -> tuple[Distance | None, ...]:
        return tuple(self._distance(number, like, one) for one in self._program.outputs) if self._keeps else ()

    def _distance(self, number: int, like: int, array: DeviceArray) -> Distance | None:
        kept = self._kept.get((like, array.name))
        if kept is None:
            return None
        return self._trusted.distance(self._sets[number].address(array.name), array.host.nbytes, array.dtype, kept)

    # ---------------------------------------------------------------- the module

    def _load(self) -> None:
        """The candidate's module as if for the first time."""
        if self._module:
            for one in self._sets:
                one.unbind()
            self._driver.call("cuModuleUnload", self._module)
        self._module = ctypes.c_void_p()
        self._driver.call("cuModuleLoadData", ctypes.byref(self._module), self._program.cubin)
        self._functions = Functions(self._driver, self._module, self._program.symbols)
        for one in self._sets:
            one.bind(self._functions)

"""Runs a function in a child process that can be killed, cannot use up the machine, and leaves nothing behind.

A child is forked from a warm server (imports done, 10 to 30 ms a call), in a session of its own. Covered: endless
loops (wall and CPU time), memory, processes, open files, file sizes, output, crashes; no child outlives its call, an
interrupt of the caller or the caller's death; a private temporary folder is removed afterwards. Where the machine
allows it (`Ended.levels` says what was reached): a process namespace, no network, no changes to files outside the
private folder and the cache, no signals to others.

Not covered: reading files that this user may read, side channels, bugs of the operating system's kernel, and the GPU.
For root without namespaces, processes are counted every 50 ms only. Functions must be importable; what they return
may hold plain values, NumPy arrays and this package's records: nothing else is believed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from ..errors import ToolchainError
from .sandbox_ends import Crashed, Ended, Finished, ServerDied, TimedOut
from .sandbox_line import Line
from .sandbox_servers import KindName, held, rest, start, stop
from .sandbox_session import GLANCE_S, MAX_OUTPUT_BYTES, MAX_PROCESSES, Session, open_session
from .sandbox_shared import SharedArrays


def run_in_child(
    function: Callable[..., Any],
    *arguments: Any,
    timeout_s: float,
    memory_bytes: int | None,
    output_bytes: int = MAX_OUTPUT_BYTES,
    processes: int = MAX_PROCESSES,
    network: bool = False,
    kind: KindName = "plain",
    **keywords: Any,
) -> Finished | Crashed | TimedOut:
    """Calls `function(*arguments, **keywords)` in a child and tells how that ended. Safe to call from several threads.

    Args:
        function: at the top level of an importable module. It works on copies; arrays that it fills it must return.
        timeout_s: wall time before the child is killed.
        memory_bytes: address space above the warm process's own; None for a function that uses a CUDA driver. The
            driver reserves addresses without limit, looks itself up in /proc and writes there: such a child has no
            process namespace of its own and may write to /proc (seen on an H200 with driver 580: error 304 else).
        output_bytes: of stdout and stderr together; a child that prints more is killed.
        processes: how many processes the child may hold at once.
        kind: which server it is forked from; "gpu" for a function that uses a CUDA driver.

    Raises:
        ToolchainError: no process can be started, or the function raised it.
        CudaperfError: the function raised it.
        KeyboardInterrupt: from the caller's own terminal; the child is gone by then.
    """
    for _ in range(2):
        session = open_session(
            _call_once,
            function,
            arguments,
            keywords,
            kind=kind,
            timeout_s=timeout_s,
            memory_bytes=memory_bytes,
            output_bytes=output_bytes,
            processes=processes,
            network=network,
            warm_module=function.__module__,
        )
        try:
            with session:
                return session.answer()
        except ServerDied:
            continue  # once more with a new one
    raise ToolchainError("the server of sandboxed processes does not answer; restart the notebook's kernel")


def _call_once(line: Line, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    line.send(function(*arguments, **keywords))


def run_many(
    function: Callable[..., Any],
    calls: Iterable[tuple[Any, ...]],
    *,
    timeout_s: float,
    memory_bytes: int | None,
    workers: int | None = None,
    **options: Any,
) -> list[Finished | Crashed | TimedOut]:
    """`run_in_child` for each tuple of arguments, several at once; the results are in the order of the calls."""

    def one(arguments: tuple[Any, ...]) -> Finished | Crashed | TimedOut:
        return run_in_child(function, *arguments, timeout_s=timeout_s, memory_bytes=memory_bytes, **options)

    with ThreadPoolExecutor(workers or os.cpu_count() or 1) as pool:
        pending = [pool.submit(one, arguments) for arguments in calls]
        try:
            return [_result(each) for each in pending]
        except BaseException:
            for each in pending:
                each.cancel()
            stop()  # an interrupt reaches this thread only: the running children go with their server
            raise


def _result(pending: Future[Finished | Crashed | TimedOut]) -> Finished | Crashed | TimedOut:
    while wait([pending], timeout=GLANCE_S).not_done:
        pass  # back in Python, where an interrupt of this thread is taken
    return pending.result()


__all__ = [
    "Crashed",
    "Ended",
    "Finished",
    "Line",
    "ServerDied",
    "Session",
    "SharedArrays",
    "TimedOut",
    "held",
    "open_session",
    "rest",
    "run_in_child",
    "run_many",
    "start",
    "stop",
]

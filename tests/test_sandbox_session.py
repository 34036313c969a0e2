"""Sessions: one child answers question after question; arrays travel as files; nothing that it sends is believed."""

from __future__ import annotations

import gc
import os
import signal
import socket
import struct
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from cudaperf_magic.bench import sandbox
from cudaperf_magic.bench.sandbox import (
    Crashed,
    Ended,
    Finished,
    Line,
    ServerDied,
    Session,
    SharedArrays,
    TimedOut,
    open_session,
)
from cudaperf_magic.bench.sandbox_servers import SERVERS
from cudaperf_magic.errors import ToolchainError

MEMORY = 512 << 20


def begin(work: Any, *arguments: Any, **options: Any) -> Session:
    options.setdefault("memory_bytes", MEMORY)
    options.setdefault("timeout_s", 30.0)
    return open_session(work, *arguments, **options)


def value_of(ended: Ended) -> Any:
    assert isinstance(ended, Finished), ended
    return ended.value


# What children do here


def count(line: Line, start: int) -> None:
    while True:
        start += line.receive()
        print("now", start)
        line.send(start)


def obey(line: Line) -> None:
    """Does what each question names."""
    while True:
        order = line.receive()
        match order:
            case "spin":
                while True:
                    pass
            case "segfault":
                os.kill(os.getpid(), signal.SIGSEGV)
            case "fail":
                raise ZeroDivisionError("by zero")
            case "machine":
                raise ToolchainError("no device here")
            case "leave":
                return
            case "print":
                print("x" * 200_000)
            case "folder":
                line.send(os.getcwd())
                continue
        line.send(order)


def sum_arrays(line: Line, shared: SharedArrays) -> None:
    while True:
        name = line.receive()
        line.send(float(shared.arrays()[name].sum()))


def try_to_change(line: Line, shared: SharedArrays) -> None:
    line.receive()
    tried: list[str] = []
    try:
        shared.arrays()["x"][0] = 7
    except ValueError:
        tried.append("the view")
    path = f"/proc/self/fd/{shared.file}"
    for name, change in (
        ("through a new descriptor", lambda: os.pwrite(os.open(path, os.O_RDWR), b"changed", 0)),
        ("by making it smaller", lambda: os.truncate(path, 0)),
    ):
        try:
            change()
        except OSError:
            tried.append(name)
    line.send(tried)


def fill_room(line: Line) -> None:
    while True:
        room, value = line.receive()
        room.arrays()["y"][:] = value
        line.send(None)


def read_file(line: Line) -> None:
    line.receive()
    (file,) = line.files
    line.send(os.pread(file, 100, 0))


def send_an_open_file(line: Line) -> None:
    """A whole answer, in a file that the child could still cut off while it is read."""
    line.receive()
    from cudaperf_magic.bench import sandbox_pickle

    memory = os.memfd_create("answer")
    sandbox_pickle.write(memory, ("value", 1))
    socket.send_fds(line._channel, [struct.pack("<H", 0)], [memory])
    line.receive()


def send_rubbish(line: Line) -> None:
    line.receive()
    line._channel.send(b"rubbish")
    line.receive()


def send_shared(line: Line) -> None:
    line.receive()
    line.send(SharedArrays.share({"x": np.zeros(4)}))


def send_a_false_error(line: Line) -> None:
    line.receive()
    line._put("error", 5)


# Questions and answers


def test_one_child_answers_question_after_question() -> None:
    with begin(count, 10) as session:
        assert [value_of(session.ask(step)) for step in (1, 2, 3)] == [11, 13, 16]


def test_each_answer_has_what_was_printed_since_the_one_before() -> None:
    with begin(count, 0) as session:
        assert session.ask(5).output == "now 5\n"
        assert session.ask(1).output == "now 6\n"


def test_the_levels_are_known_while_the_child_lives() -> None:
    with begin(count, 0) as session:
        assert {"process group", "resource limits"} <= set(session.levels)
        assert session.ask(1).levels == session.levels


def test_a_question_has_a_deadline_and_the_session_ends_with_it() -> None:
    with begin(obey) as session:
        assert value_of(session.ask("hello")) == "hello"
        ended = session.ask("spin", timeout_s=0.3)
        assert isinstance(ended, TimedOut) and ended.timeout_s == 0.3 and ended.seconds < 10
        assert session.ask("hello") == ended and not session.is_alive


def test_the_whole_session_has_a_deadline_too() -> None:
    with begin(obey, timeout_s=0.5) as session:
        started = time.monotonic()
        assert isinstance(session.ask("spin", timeout_s=60), TimedOut)
        assert time.monotonic() - started < 20


def test_a_session_without_a_limit_can_be_given_one() -> None:
    with begin(obey, timeout_s=None) as session:
        assert value_of(session.ask("hello")) == "hello"
        session.limit(0.3)
        assert isinstance(session.ask("spin"), TimedOut)


def test_the_server_ends_a_session_that_nobody_asks_when_its_time_is_over() -> None:
    with begin(obey, timeout_s=None) as session:
        value_of(session.ask("hello"))
        session.limit(0.2)
        until = time.monotonic() + 20
        while session.is_alive and time.monotonic() < until:
            time.sleep(0.05)
        assert not session.is_alive
        assert isinstance(session.ask("hello"), TimedOut)


def test_a_crash_in_the_middle_is_an_answer() -> None:
    with begin(obey) as session:
        value_of(session.ask("hello"))
        ended = session.ask("segfault")
        assert isinstance(ended, Crashed) and ended.signal == signal.SIGSEGV


def test_an_exception_ends_the_session_and_the_machines_is_raised() -> None:
    with begin(obey) as session:
        ended = session.ask("fail")
        assert isinstance(ended, Crashed) and ended.why == "ZeroDivisionError: by zero" and "Traceback" in ended.output
    with begin(obey) as session, pytest.raises(ToolchainError, match="no device here"):
        session.ask("machine")


def test_work_that_returns_leaves_later_questions_unanswered() -> None:
    with begin(obey) as session:
        ended = session.ask("leave")
        assert isinstance(ended, Crashed) and "no value was left" in ended.why


def test_output_is_limited_over_all_answers_together() -> None:
    with begin(obey, output_bytes=300_000) as session:
        assert value_of(session.ask("print")) == "print"
        assert isinstance(session.ask("print"), Crashed)


# Arrays and files


def test_shared_arrays_are_read_by_many_children_from_one_file() -> None:
    arrays = {"x": np.arange(100_000, dtype=np.float64), "n": np.ones((3, 5), dtype=np.int8), "e": np.zeros((0, 2))}
    with SharedArrays.share(arrays) as shared:
        assert shared.nbytes < 900_000
        sessions = [begin(sum_arrays, shared) for _ in range(2)]
        for session in sessions:
            with session:
                assert [value_of(session.ask(name)) for name in ("x", "n", "e")] == [4999950000.0, 15.0, 0.0]
        assert np.array_equal(shared.arrays()["n"], arrays["n"]) and shared.arrays()["e"].shape == (0, 2)


def test_a_child_cannot_change_shared_inputs() -> None:
    with SharedArrays.share({"x": np.arange(10)}) as shared, begin(try_to_change, shared) as session:
        assert value_of(session.ask(None)) == ["the view", "through a new descriptor", "by making it smaller"]
        assert np.array_equal(shared.arrays()["x"], np.arange(10))


def test_room_for_outputs_is_written_by_the_child_and_read_by_the_parent() -> None:
    with SharedArrays.room({"y": ((1000,), np.float32)}) as room, begin(fill_room) as session:
        value_of(session.ask((room, 2.5)))
        assert (room.arrays()["y"] == 2.5).all()


def test_a_descriptor_can_be_handed_to_the_child(tmp_path: Path) -> None:
    path = tmp_path / "given"
    path.write_text("hello")
    with open(path) as file, begin(read_file) as session:
        assert value_of(session.ask("read", files=[file.fileno()])) == b"hello"


# The child is never believed


@pytest.mark.parametrize(
    ("work", "why"),
    [
        (send_an_open_file, "can still be changed"),
        (send_rubbish, "no message"),
        (send_shared, "are not taken"),
        (send_a_false_error, "broken answer"),
    ],
)
def test_an_answer_that_is_no_plain_value_ends_the_session(work: Any, why: str) -> None:
    with begin(work) as session:
        ended = session.ask(None)
        assert isinstance(ended, Crashed) and why in ended.why, ended


# Nobody is left behind


def _descendants() -> set[int]:
    return {p.pid for p in psutil.Process().children(recursive=True)}


def _gone(pids: set[int]) -> bool:
    until = time.monotonic() + 10
    while any(psutil.pid_exists(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    return not any(psutil.pid_exists(pid) for pid in pids)


def test_a_closed_session_leaves_no_process_no_folder_and_no_descriptor() -> None:
    with begin(obey) as session:
        value_of(session.ask("folder"))  # what is imported and opened once is, now
    before, files = _descendants(), len(os.listdir("/proc/self/fd"))
    with begin(obey) as session:
        folder = value_of(session.ask("folder"))
        made = _descendants() - before
        assert made
    assert _gone(made) and not Path(folder).exists()
    assert len(os.listdir("/proc/self/fd")) == files


def test_a_session_that_is_forgotten_ends_by_itself() -> None:
    sandbox.stop()  # no spare of an earlier test is being prepared
    before = _descendants() | {SERVERS["plain"].pid or 0}
    session = begin(obey)
    value_of(session.ask("hello"))
    made = _descendants() - before - {SERVERS["plain"].pid or 0}
    assert made
    del session
    gc.collect()
    assert _gone(made)


def test_the_death_of_the_server_is_told_and_the_next_session_has_a_new_one() -> None:
    with begin(obey) as session:
        value_of(session.ask("hello"))
        server = SERVERS["plain"].pid
        assert server is not None
        os.kill(server, signal.SIGKILL)
        with pytest.raises(ServerDied):
            for _ in range(200):  # the child may answer once more before it follows its server
                session.ask("hello")
                time.sleep(0.05)
    with begin(obey) as session:
        assert value_of(session.ask("hello")) == "hello"


def test_kinds_have_servers_of_their_own_and_stop_ends_all() -> None:
    with begin(obey) as plain, begin(obey, kind="gpu", memory_bytes=None) as gpu:
        assert value_of(plain.ask("hello")) == value_of(gpu.ask("hello")) == "hello"
        servers = {SERVERS["plain"].pid, SERVERS["gpu"].pid}
        assert len(servers) == 2 and None not in servers
        sandbox.stop()
        assert _gone({pid for pid in servers if pid})

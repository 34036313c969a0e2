"""Spares: prepared sessions that are there when a job comes, serve one evaluation, and are replaced."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psutil
import pytest

from cudaperf_magic.bench import compilers, sandbox, spares
from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.compilers import Compiler
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.sandbox import Finished, Line, Session
from cudaperf_magic.bench.sandbox_servers import BEFORE_STOP, SERVERS
from cudaperf_magic.bench.spares import READY, Recipe, Spares
from cudaperf_magic.errors import ToolchainError

MEMORY = 512 << 20


# What children do here


def echo(line: Line, name: str = "") -> None:
    line.send(READY)
    while True:
        line.send((name, os.getpid(), line.receive()))


def machine_lacks(line: Line) -> None:
    raise ToolchainError("no compiler here; install one")


def die_at_once(line: Line) -> None:
    os._exit(3)


def value_of(session: Session, message: Any = "hello") -> Any:
    ended = session.ask(message)
    assert isinstance(ended, Finished), ended
    return ended.value


def wait_until(is_so: Any) -> None:
    until = time.monotonic() + 60
    while not is_so() and time.monotonic() < until:
        time.sleep(0.02)
    assert is_so()


@pytest.fixture
def make() -> Iterator[Any]:
    made: list[Spares] = []

    def one(work: Any, *arguments: Any, count: int = 1, **options: Any) -> Spares:
        made.append(Spares(Recipe(work, arguments, memory_bytes=MEMORY, **options), count))
        return made[-1]

    yield one
    for each in made:
        each.rest()
        BEFORE_STOP.remove(each.rest)


def test_a_spare_is_prepared_before_it_is_asked_for(make: Any) -> None:
    pool = make(echo, "kept", count=2)
    pool.start()
    wait_until(lambda: pool.waiting == 2)
    with pool.take(20) as session:
        assert pool.waiting == 1
        assert session.greeting == READY and value_of(session)[::2] == ("kept", "hello")


def test_no_spare_serves_twice_and_each_is_replaced(make: Any) -> None:
    pool = make(echo, count=2)
    taken = []
    for _ in range(4):
        with pool.take(20) as session:
            assert value_of(session) == value_of(session)  # one evaluation may ask often
            taken.append(session)
        assert not session.is_alive
        wait_until(lambda: pool.waiting == 2)
    assert len(set(map(id, taken))) == 4


def test_a_spare_that_died_while_it_waited_is_not_handed_out(make: Any) -> None:
    pool = make(echo)
    pool.start()
    wait_until(lambda: pool.waiting == 1)
    (spare,) = pool._waiting
    for child in psutil.Process(SERVERS["plain"].pid).children(recursive=True):
        child.kill()
    wait_until(lambda: not spare.session.is_alive)
    with pool.take(20) as session:
        assert value_of(session)


def test_spares_outlive_the_death_of_their_server(make: Any) -> None:
    pool = make(echo)
    pool.start()
    wait_until(lambda: pool.waiting == 1)
    (spare,) = pool._waiting
    os.kill(SERVERS["plain"].pid or 0, signal.SIGKILL)
    wait_until(lambda: not spare.session.is_alive)
    with pool.take(20) as session:
        assert value_of(session)


def test_a_spare_of_other_settings_is_not_handed_out(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = make(environment_of)
    pool.start()
    wait_until(lambda: pool.waiting == 1)
    monkeypatch.setenv("CUDAPERF_TRIAL", "changed")
    with pool.take(20) as session:
        assert value_of(session, "CUDAPERF_TRIAL") == "changed"


def environment_of(line: Line) -> None:
    line.send(READY)
    while True:
        line.send(os.environ.get(line.receive()))


def test_many_threads_take_from_one_pool(make: Any) -> None:
    pool = make(echo, count=2)

    def one(number: int) -> int:
        with pool.take(60) as session:
            return int(value_of(session, number)[2])

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(one, range(12))) == list(range(12))


def test_the_time_a_spare_has_waited_is_not_counted(make: Any) -> None:
    pool = make(echo)
    pool.start()
    wait_until(lambda: pool.waiting == 1)
    time.sleep(0.6)
    with pool.take(0.5) as session:
        assert value_of(session)


def test_without_room_for_a_spare_sessions_are_prepared_when_they_are_needed(
    make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spares, "available_bytes", lambda unknown: 1 << 30)
    pool = make(echo, count=2)
    with pool.take(20) as session:
        assert value_of(session)
    wait_until(lambda: pool._filler is None)
    assert pool.waiting == 0


@pytest.mark.parametrize(
    ("work", "words"),
    [(machine_lacks, "no compiler here"), (die_at_once, "exit status 3")],
)
def test_one_that_cannot_be_prepared_is_the_machines_error(make: Any, work: Any, words: str) -> None:
    with pytest.raises(ToolchainError, match=words), make(work).take(20):
        pass


def test_stopping_the_sandbox_ends_the_spares_and_the_next_job_has_new_ones(make: Any) -> None:
    before = set(psutil.Process().children(recursive=True))
    pool = make(echo, count=2)
    pool.start()
    wait_until(lambda: pool.waiting == 2)
    family = [child for child in psutil.Process().children(recursive=True) if child not in before]
    sandbox.stop()
    _, alive = psutil.wait_procs(family, timeout=15)
    assert not alive and pool.waiting == 0
    with pool.take(20) as session:
        assert value_of(session)


def never_ready(line: Line) -> None:
    line.receive()


def test_stopping_does_not_wait_for_a_spare_that_is_still_being_prepared(make: Any) -> None:
    pool = make(never_ready)
    pool.start()
    wait_until(lambda: pool._coming is not None)
    started = time.monotonic()
    pool.rest()
    assert pool._filler is None and time.monotonic() - started < spares.PREPARATION_S / 2


# The compiler


def kernel(number: int) -> str:
    return f"__global__ void k(float *x) {{ x[0] += {number}; }} // {os.urandom(8).hex()}"


def test_one_candidates_jobs_share_a_compiler_and_the_next_candidate_has_another() -> None:
    found = []
    for _ in range(2):
        with Compiler() as compiler:
            for number in range(2):
                made = compiler.run(kernel(number), "sm_90", ("k",))
                assert isinstance(made, Compiled) and made.build.ok
                found.append(compiler.session)
    assert found[0] is found[1] and found[2] is found[3] and found[0] is not found[2]


def test_what_the_cache_holds_takes_no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    text = kernel(1)
    first = compile_in_child(text, "sm_90", ("k",))
    monkeypatch.setattr(compilers.SPARES, "take", lambda timeout_s: pytest.fail("a compiler was taken"))
    assert compile_in_child(text, "sm_90", ("k",)) == first


def test_a_compiler_that_dies_is_a_failed_build_and_the_next_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compilers, "SPARES", Spares(Recipe(dying_compiler, memory_bytes=MEMORY), 0))
    failed = compile_in_child(kernel(2), "sm_90", ("k",))
    assert not failed.build.ok and "segmentation fault" in failed.build.log
    monkeypatch.undo()
    assert compile_in_child(kernel(3), "sm_90", ("k",)).build.ok


def dying_compiler(line: Line) -> None:
    line.send(READY)
    line.receive()
    os.kill(os.getpid(), signal.SIGSEGV)

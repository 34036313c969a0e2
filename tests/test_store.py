"""The store: whole turns or nothing, whoever dies and whoever else writes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from threading import Timer

import pytest

from cudaperf_magic.errors import StoreError
from cudaperf_magic.fakes import BROKEN, SAXPY, WRONG, correct
from cudaperf_magic.records import Candidate, Episode, Turn
from cudaperf_magic.rewards import score
from cudaperf_magic.store import Store, default_path


def turn(source: str = "a", outcome=BROKEN) -> Turn:
    return Turn(Candidate(source), outcome, score(outcome), f"words about {source}", ((Candidate("z"), None),))


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "episodes.db")


def test_an_episode_comes_back_as_it_was(store: Store) -> None:
    begun = store.begin(Episode(SAXPY, seed=7, policy="fake"))
    expected = begun
    for outcome in (BROKEN, WRONG, correct(2.0, coalescing=0.5)):
        expected = expected.then(turn(outcome=outcome))
        store.append(begun.identity, expected.turns[-1])
    store.end(begun.identity, "all turns are used up")
    assert Store(store.path).load(begun.identity) == expected.stop("all turns are used up")


def test_an_identity_may_be_shortened_while_it_is_clear(store: Store) -> None:
    first, second = store.begin(Episode(SAXPY)), store.begin(Episode(SAXPY))
    assert store.load(first.identity[:-1]).identity == first.identity
    with pytest.raises(StoreError, match="several episodes begin with saxpy"):
        store.load("saxpy")
    assert second.identity != first.identity


@pytest.mark.parametrize("unknown", ["", "nobody", "saxpy-%", "' OR 1=1"])
def test_an_unknown_episode_is_said_so_with_where_to_look(store: Store, unknown: str) -> None:
    store.begin(Episode(SAXPY))
    with pytest.raises(StoreError, match="cudaperf history"):
        store.load(unknown)
    with pytest.raises(StoreError, match="cudaperf history"):
        store.append(unknown, turn())


def test_the_history_is_newest_first_and_found_by_name(store: Store) -> None:
    names = ["saxpy", "transpose", "saxpy_wide"]
    for name in names:
        store.begin(Episode(replace(SAXPY, name=name)))
    assert [entry.name for entry in store.recent()] == names[::-1]
    assert [entry.name for entry in store.recent(2)] == names[:0:-1]
    assert [entry.name for entry in store.recent(name="saxpy")] == ["saxpy_wide", "saxpy"]


def test_what_was_interrupted_or_cut_off_is_unfinished_and_what_ended_is_not(store: Store) -> None:
    cut, interrupted, done = (store.begin(Episode(SAXPY)).identity for _ in range(3))
    store.append(cut, turn())
    store.end(interrupted, "interrupted")
    store.end(done, "all turns are used up")
    assert [entry.identity for entry in store.unfinished()] == [interrupted, cut]
    assert store.unfinished()[1].turns == 1


def test_reopening_makes_an_interrupted_episode_live_again(store: Store) -> None:
    identity = store.begin(Episode(SAXPY)).identity
    store.append(identity, turn("a"))
    store.end(identity, "interrupted")
    again = store.reopen(identity)
    assert again.is_live and len(again.turns) == 1
    store.append(identity, turn("b"))
    assert [t.candidate.source for t in store.load(identity).turns] == ["a", "b"]


def test_two_kernels_that_play_one_episode_are_told_apart(store: Store) -> None:
    identity = store.begin(Episode(SAXPY)).identity
    other = Store(store.path)
    other.reopen(identity)
    other.append(identity, turn("theirs"))
    with pytest.raises(StoreError, match="played elsewhere"):
        store.append(identity, turn("ours"))
    assert [t.candidate.source for t in other.load(identity).turns] == ["theirs"]


APPEND_FOR_EVER = """
import sys
from cudaperf_magic.fakes import SAXPY, correct
from cudaperf_magic.records import Candidate, Episode, Turn
from cudaperf_magic.rewards import score
from cudaperf_magic.store import Store
store = Store(sys.argv[1])
identity = store.begin(Episode(SAXPY)).identity
print(identity, flush=True)
outcome = correct(coalescing=0.5)
for number in range(100_000):
    store.append(identity, Turn(Candidate(f"{number}:" + "x" * 5000), outcome, score(outcome), "words"))
    print(number, flush=True)
"""


@pytest.mark.parametrize("after_s", [0.05, 0.11, 0.17, 0.23, 0.31])
def test_a_process_killed_while_it_appends_loses_no_turn_that_it_showed(tmp_path: Path, after_s: float) -> None:
    path = tmp_path / "episodes.db"
    child = subprocess.Popen([sys.executable, "-c", APPEND_FOR_EVER, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    identity = child.stdout.readline().strip()
    time.sleep(after_s)
    child.send_signal(signal.SIGKILL)
    shown = child.stdout.read().split()
    child.wait()
    child.stdout.close()
    store = Store(path)
    numbers = [int(t.candidate.source.split(":")[0]) for t in store.load(identity).turns]
    assert numbers == list(range(len(numbers)))  # whole turns, in order
    assert len(numbers) >= len(shown)
    assert [entry.identity for entry in store.unfinished()] == [identity]
    resumed = store.reopen(identity)
    store.append(identity, turn("after"))
    assert len(store.load(identity).turns) == len(resumed.turns) + 1


def append_many(path: Path, count: int) -> None:
    store = Store(path)
    identity = store.begin(Episode(SAXPY)).identity
    for number in range(count):
        store.append(identity, turn(str(number)))
    store.end(identity, "done")


def test_several_kernels_write_to_one_new_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "new" / "episodes.db"
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=append_many, args=(path, 12)) for _ in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0] * 4
    entries = Store(path).recent()
    assert [entry.turns for entry in entries] == [12] * 4
    for entry in entries:
        assert [t.candidate.source for t in Store(path).load(entry.identity).turns] == [str(n) for n in range(12)]


def test_a_new_store_waits_for_another_kernel_that_holds_it(store: Store) -> None:
    store.path.parent.mkdir(parents=True, exist_ok=True)
    with sqlite3.connect(store.path, isolation_level=None, check_same_thread=False) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("CREATE TABLE theirs (x)")
        Timer(0.4, other.rollback).start()
        assert store.recent(1) == ()
    other.close()


def test_a_file_that_is_no_database_is_moved_aside_whole_and_the_next_call_works(store: Store) -> None:
    store.path.write_bytes(b"a person's notes, not a database. " * 100)
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match="damaged") as caught:
        store.recent()
    aside = [path for path in store.path.parent.iterdir() if "damaged" in path.name]
    assert len(aside) == 1 and aside[0].read_bytes() == before
    assert str(aside[0]) in str(caught.value)
    assert store.load(store.begin(Episode(SAXPY)).identity).task == SAXPY


def test_a_store_with_a_broken_page_is_moved_aside_with_its_turns(store: Store) -> None:
    identity = store.begin(Episode(SAXPY)).identity
    for number in range(40):
        store.append(identity, turn(str(number)))
    content = bytearray(store.path.read_bytes())
    content[4096:] = os.urandom(len(content) - 4096)
    store.path.write_bytes(content)
    with pytest.raises(StoreError, match="damaged"):
        store.load(identity)
    assert any(p.read_bytes() == bytes(content) for p in store.path.parent.iterdir() if "damaged" in p.name)
    assert store.recent() == ()


def test_a_damaged_store_that_another_kernel_replaced_is_left_alone(store: Store) -> None:
    store.begin(Episode(SAXPY))
    error = store._explain(sqlite3.DatabaseError("database disk image is malformed"))
    assert "run again" in str(error)
    assert len(store.recent()) == 1


def test_a_turn_that_cannot_be_read_names_the_episode(store: Store) -> None:
    identity = store.begin(Episode(SAXPY)).identity
    store.append(identity, turn())
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE turns SET record = '{}'")
    database.close()
    with pytest.raises(StoreError, match=identity):
        store.load(identity)


def test_a_store_of_a_newer_program_is_refused_and_not_touched(store: Store) -> None:
    store.begin(Episode(SAXPY))
    with sqlite3.connect(store.path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    before = store.path.read_bytes()
    with pytest.raises(StoreError, match="newer cudaperf-magic"):
        store.begin(Episode(SAXPY))
    assert store.path.read_bytes() == before


def test_a_place_that_cannot_be_written_is_said_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file" / "episodes.db", tmp_path):
        with pytest.raises(StoreError, match="set CUDAPERF_STORE"):
            Store(path).begin(Episode(SAXPY))


def test_the_environment_says_where_the_store_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "mine.db"))
    assert default_path() == tmp_path / "mine.db"
    monkeypatch.delenv("CUDAPERF_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_path() == tmp_path / "cudaperf-magic" / "episodes.db"

"""Episodes on disk: one SQLite file, safe to kill at any moment and to share between kernels.

The file is $CUDAPERF_STORE, or `~/.local/share/cudaperf-magic/episodes.db` ($XDG_DATA_HOME is heeded). Each call opens
its own connection, so a `Store` may be used from any thread and survives a fork. A damaged file is moved aside, never
deleted.
It keeps whole records as JSON; it does not compute anything from them.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from cudaperf_magic.errors import StoreError
from cudaperf_magic.records import Episode, Hint, Turn
from cudaperf_magic.records_json import dumps, loads

LAYOUT = 1  # PRAGMA user_version of a file that this program writes
BUSY_TIMEOUT_S = 30.0  # how long to wait for another kernel's write
DAMAGE = ("malformed", "not a database", "file is encrypted", "disk image")  # SQLite's words, in its errors' messages

TABLES = """
CREATE TABLE IF NOT EXISTS episodes (
    identity TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    task_key TEXT NOT NULL,
    begun_at REAL NOT NULL,
    record TEXT NOT NULL,
    stopped TEXT NOT NULL DEFAULT '',
    kept TEXT NOT NULL DEFAULT ''
);
CREATE TABLE IF NOT EXISTS turns (
    identity TEXT NOT NULL REFERENCES episodes (identity),
    number INTEGER NOT NULL,
    at REAL NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (identity, number)
);
CREATE INDEX IF NOT EXISTS episodes_by_time ON episodes (begun_at);
"""


@dataclass(frozen=True)
class Entry:
    """A line of the history: enough to list an episode without reading its turns."""

    identity: str
    name: str
    begun_at: float  # seconds since 1970
    turns: int
    stopped: str
    kept: str


def default_path() -> Path:
    """Where episodes are kept unless the caller says otherwise."""
    if given := os.environ.get("CUDAPERF_STORE"):
        return Path(given).expanduser()
    data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(data).expanduser() / "cudaperf-magic" / "episodes.db"


class Store:
    """The journal on disk (`episode.Journal`), and the history.

    Every method raises StoreError when the file cannot be read or written; its sentence says what to do.
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path).expanduser() if path else default_path()
        # Turns that this store knows an episode to have: a second writer of the same episode is found out by it.
        self._turns: dict[str, int] = {}

    def begin(self, episode: Episode) -> Episode:
        """Keep an episode (and any turns that it already has); returns it with its identity."""
        named = replace(episode, identity=f"{episode.task.name}-{secrets.token_hex(4)}")
        row = (named.identity, named.task.name, named.task.key, time.time(), dumps(replace(named, turns=())))
        with self._transaction() as database:
            database.execute(
                "INSERT INTO episodes (identity, name, task_key, begun_at, record) VALUES (?, ?, ?, ?, ?)", row
            )
            for number, turn in enumerate(named.turns):
                self._insert(database, named.identity, number, turn)
            self._finish(database, named.identity, named.stopped, named.kept)
        self._turns[named.identity] = len(named.turns)
        return named

    def append(self, identity: str, turn: Turn) -> None:
        """Keep one more turn; it is on the disk when this returns."""
        with self._transaction() as database:
            count = self._count(database, identity)
            if count != self._turns.setdefault(identity, count):
                raise StoreError(f"episode {identity} is being played elsewhere too; go on there, or begin anew here")
            self._insert(database, identity, count, turn)
        self._turns[identity] = count + 1

    def revise(self, identity: str, number: int, turn: Turn) -> None:
        """Put a turn in the place of the one with this number, counted from 0."""
        with self._transaction() as database:
            self._count(database, identity)
            row = (dumps(turn), identity, number)
            if database.execute("UPDATE turns SET record = ? WHERE identity = ? AND number = ?", row).rowcount != 1:
                raise StoreError(f"episode {identity} has no turn {number + 1}")

    def advise(self, identity: str, hint: Hint) -> None:
        """Keep words of a person, for the turns to come."""
        with self._transaction() as database:
            self._count(database, identity)
            (record,) = database.execute("SELECT record FROM episodes WHERE identity = ?", (identity,)).fetchone()
            episode = loads(Episode, record)
            told = dumps(replace(episode, hints=(*episode.hints, hint)))
            database.execute("UPDATE episodes SET record = ? WHERE identity = ?", (told, identity))

    def end(self, identity: str, stopped: str, kept: str = "") -> None:
        """Say why the episode ended."""
        with self._transaction() as database:
            self._count(database, identity)
            self._finish(database, identity, stopped, kept)

    def load(self, identity: str) -> Episode:
        """The whole episode. An identity may be shortened to any beginning that fits one episode alone."""
        with self._transaction("DEFERRED") as database:
            full = self._resolve(database, identity)
            record, stopped, kept = database.execute(
                "SELECT record, stopped, kept FROM episodes WHERE identity = ?", (full,)
            ).fetchone()
            rows = database.execute("SELECT record FROM turns WHERE identity = ? ORDER BY number", (full,)).fetchall()
        try:
            episode, turns = loads(Episode, record), tuple(loads(Turn, text) for (text,) in rows)
        except ValueError as error:
            raise StoreError(f"episode {full} in {self.path} cannot be read: {error}") from error
        return replace(episode, turns=turns, stopped=stopped, kept=kept)

    def reopen(self, identity: str) -> Episode:
        """The episode so far, live again, to go on with."""
        episode = self.load(identity)
        self.end(episode.identity, "")
        self._turns[episode.identity] = len(episode.turns)
        return replace(episode, stopped="", kept="")

    def recent(self, limit: int = 20, *, name: str = "") -> tuple[Entry, ...]:
        """The latest episodes, newest first; with `name`, those of tasks whose name contains it."""
        return self._list("instr(name, ?) > 0 OR ? = ''", (name, name), limit)

    def unfinished(self, limit: int = 20) -> tuple[Entry, ...]:
        """Episodes that were interrupted or whose process died (or that still run), newest first."""
        return self._list("stopped IN ('', 'interrupted')", (), limit)

    def _list(self, condition: str, values: tuple[str, ...], limit: int) -> tuple[Entry, ...]:
        query = (
            "SELECT identity, name, begun_at, (SELECT count(*) FROM turns WHERE turns.identity = episodes.identity), "
            f"stopped, kept FROM episodes WHERE {condition} ORDER BY begun_at DESC, rowid DESC LIMIT ?"
        )
        with self._transaction("DEFERRED") as database:
            return tuple(Entry(*row) for row in database.execute(query, (*values, limit)))

    def _resolve(self, database: sqlite3.Connection, identity: str) -> str:
        found = database.execute(
            "SELECT identity FROM episodes WHERE substr(identity, 1, ?) = ? ORDER BY begun_at DESC LIMIT 4",
            (len(identity), identity),
        ).fetchall()
        names = [row[0] for row in found]
        if identity in names:
            return identity
        if len(names) == 1 and identity:
            return str(names[0])
        if names and identity:
            raise StoreError(f"several episodes begin with {identity}: {', '.join(names)}; write more of one's name")
        raise StoreError(f"there is no episode {identity!r}; `cudaperf history` lists them")

    @staticmethod
    def _insert(database: sqlite3.Connection, identity: str, number: int, turn: Turn) -> None:
        database.execute("INSERT INTO turns VALUES (?, ?, ?, ?)", (identity, number, time.time(), dumps(turn)))

    @staticmethod
    def _finish(database: sqlite3.Connection, identity: str, stopped: str, kept: str) -> None:
        database.execute("UPDATE episodes SET stopped = ?, kept = ? WHERE identity = ?", (stopped, kept, identity))

    @staticmethod
    def _count(database: sqlite3.Connection, identity: str) -> int:
        if not database.execute("SELECT 1 FROM episodes WHERE identity = ?", (identity,)).fetchone():
            raise StoreError(f"there is no episode {identity!r}; `cudaperf history` lists them")
        row = database.execute("SELECT count(*) FROM turns WHERE identity = ?", (identity,)).fetchone()
        return int(row[0])

    @contextmanager
    def _transaction(self, kind: Literal["IMMEDIATE", "DEFERRED"] = "IMMEDIATE") -> Iterator[sqlite3.Connection]:
        """A connection inside one transaction: all of it is kept, or nothing. DEFERRED is for reading."""
        try:
            with closing(self._connect()) as database:
                database.execute(f"BEGIN {kind}")
                try:
                    yield database
                except BaseException:
                    database.rollback()
                    raise
                database.commit()
        except sqlite3.Error as error:
            raise self._explain(error) from error

    def _connect(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(self._unwritable(str(error))) from error
        database = sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S, isolation_level=None)
        try:
            self._prepare(database)
        except BaseException:
            database.close()
            raise
        return database

    def _prepare(self, database: sqlite3.Connection) -> None:
        layout = database.execute("PRAGMA user_version").fetchone()[0]
        if layout > LAYOUT:
            raise StoreError(
                f"the store {self.path} was written by a newer cudaperf-magic; upgrade this one, or set CUDAPERF_STORE"
            )
        database.execute("PRAGMA synchronous = FULL")  # a turn survives a power cut too, not only a kill
        if layout < LAYOUT:
            self._lay_out(database)

    def _lay_out(self, database: sqlite3.Connection) -> None:
        """A change of the journal's kind does not wait for others by itself, as all else does."""
        until = time.monotonic() + BUSY_TIMEOUT_S
        while True:
            try:
                database.execute("PRAGMA journal_mode = WAL")  # kept in the file from here on
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
                time.sleep(0.02)
        database.executescript(f"BEGIN IMMEDIATE; {TABLES} PRAGMA user_version = {LAYOUT}; COMMIT;")

    def _explain(self, error: sqlite3.Error) -> StoreError:
        said = str(error)
        if any(word in said for word in DAMAGE):
            return self._move_aside(said) if self._is_damaged() else StoreError(f"{self.path} was replaced; run again")
        if "locked" in said or "busy" in said:
            return StoreError(f"the store {self.path} stays busy; run again, or set CUDAPERF_STORE to another file")
        return StoreError(self._unwritable(said))

    def _unwritable(self, said: str) -> str:
        return f"the store {self.path} cannot be used ({said}); free space there, or set CUDAPERF_STORE to another file"

    def _is_damaged(self) -> bool:
        """Look again: another kernel may have moved the damaged file aside already and begun a new one."""
        try:
            with closing(sqlite3.connect(self.path, timeout=BUSY_TIMEOUT_S)) as database:
                return bool(database.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok")
        except sqlite3.DatabaseError as error:
            return any(word in str(error) for word in DAMAGE)

    def _move_aside(self, said: str) -> StoreError:
        """Rename a damaged file and its companions, so that the next call begins a fresh one and nothing is lost."""
        aside = self.path.with_name(f"{self.path.name}.damaged-{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}")
        try:
            for suffix in ("-wal", "-shm", ""):
                companion = Path(f"{self.path}{suffix}")
                if companion.exists():
                    companion.rename(f"{aside}{suffix}")
        except OSError as error:
            return StoreError(f"the store {self.path} is damaged ({said}) and cannot be moved aside: {error}")
        return StoreError(
            f"the store {self.path} is damaged ({said}); it was moved to {aside}, where `sqlite3 {aside} .recover` "
            "may still read it; run this again to begin a new store"
        )

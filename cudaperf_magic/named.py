"""From a word to an episode, or to one turn of it: whatever a person may name where one of them is asked for.

    saxpy            a variable of the notebook: a translation, a checked kernel, an episode
    out/saxpy.json   a file that --json wrote
    saxpy-1f3a       an episode of the store, or enough of its beginning
    saxpy            else the latest episode of that function in the store
    saxpy:2          the second turn of any of these

It reads; it plays and evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import records_json
from .errors import StoreError, UsageError, did_you_mean
from .records import Episode, Task, Turn
from .store import Store
from .translation import Checked, Translation

LATEST = 20  # episodes of the store that are meant when none is named
SEARCHED = 500  # latest episodes of the store among which a function's name is looked for


@dataclass(frozen=True)
class Found:
    """What a word names: a task with its turns, and which of them is meant (None: all, the best standing for them)."""

    label: str
    episode: Episode
    number: int | None = None  # counted from 1

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def turn(self) -> Turn | None:
        """The turn that is meant: the one that was named, else the best; None where no turn is correct."""
        return self.episode.turns[self.number - 1] if self.number else self.episode.best


def find(word: str, namespace: Mapping[str, Any] | None = None, store: Store | None = None) -> Found:
    """The episode or turn that a word names.

    Raises:
        UsageError: nothing has that name, or it has no such turn. StoreError: the store cannot be read.
    """
    name, number = _split(word)
    value = (namespace or {}).get(name)
    if value is not None and (episode := _episode_of(value)) is not None:
        found = Found(word, episode)
    elif name.endswith(".json") or Path(name).is_file():
        found = Found(word, _from_file(Path(name).expanduser()))
    else:
        found = Found(word, _stored(name, namespace, store or Store()))
    turns = len(found.episode.turns)
    if number is not None and not 1 <= number <= turns:
        raise UsageError(f"{word}: {name} has {turns} turn{'s' if turns != 1 else ''}")
    return Found(word, found.episode, number)


def episodes(
    words: Sequence[str], namespace: Mapping[str, Any] | None = None, store: Store | None = None
) -> tuple[tuple[Episode, ...], tuple[str, ...]]:
    """The episodes that words name, each once; of no words, the store's latest. And why some could not be read.

    Raises:
        UsageError: a word names nothing.
    """
    if words:
        found = {id(f.episode): f.episode for f in (find(word, namespace, store) for word in words)}
        distinct = {episode.identity or str(key): episode for key, episode in found.items()}
        return tuple(distinct.values()), ()
    kept = store or Store()
    read: list[Episode] = []
    problems: list[str] = []
    for entry in kept.recent(LATEST):
        try:
            read.append(kept.load(entry.identity))
        except StoreError as problem:
            problems.append(str(problem))
    return tuple(read), tuple(problems)


def _split(word: str) -> tuple[str, int | None]:
    name, colon, number = word.rpartition(":")
    return (name, int(number)) if colon and name and number.isdecimal() else (word, None)


def _episode_of(value: object) -> Episode | None:
    """An episode for anything that holds judged turns; a checked kernel is an episode of one turn by a person."""
    if isinstance(value, Episode):
        return value
    if isinstance(value, Checked):
        return Episode(value.task, (value.turn,), "checked", policy="person", preset=value.turn.reward.preset)
    episode = getattr(value, "episode", None) if isinstance(value, Translation) or hasattr(value, "episode") else None
    return episode if isinstance(episode, Episode) else None


def _from_file(path: Path) -> Episode:
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text") from None
    except OSError as problem:
        raise UsageError(f"{path} cannot be read: {(problem.strerror or str(problem)).lower()}") from None
    try:
        return records_json.loads(Episode, text)
    except ValueError as problem:
        raise UsageError(f"{path} holds no episode: {problem}") from None


def _stored(name: str, namespace: Mapping[str, Any] | None, store: Store) -> Episode:
    entries = store.recent(SEARCHED)
    identities = [entry.identity for entry in entries]
    named = [entry.identity for entry in entries if entry.name == name]
    begun = [identity for identity in identities if identity.startswith(name)]
    if name in identities:
        return store.load(name)
    if named:
        return store.load(named[0])
    if len(begun) == 1 and name:
        return store.load(begun[0])
    if begun and name:
        raise UsageError(f"several episodes begin with {name}: {', '.join(begun[:4])}; write more of one's name")
    known = [key for key, value in (namespace or {}).items() if _episode_of(value) is not None]
    near = did_you_mean(name, [*known, *identities, *(entry.name for entry in entries)])
    raise UsageError(
        f"nothing is named {name}: no variable, JSON file or episode{near}; `cudaperf history` lists episodes"
    )

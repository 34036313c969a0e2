"""From a word to an episode, or to one turn of it: whatever a person may name where one of them is asked for.

    saxpy            a variable of the notebook: a translation, a checked kernel, an episode, a turn, work in progress
    out/saxpy.json   a file that --json wrote; a saved notebook, whose last episode is meant
    saxpy-1f3a       an episode of the store, or enough of its beginning
    saxpy            else the latest episode of that function in the store
    saxpy:2          the second turn of any of these

It reads; it plays and evaluates nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .compared import Compared
from .comparison import Entry
from .errors import StoreError, UsageError, did_you_mean
from .inspected import Inspected
from .records import Episode, Outcome, Task, Turn
from .saved import NOTEBOOK, saved
from .store import Store
from .translation import Checked, Translation

LATEST = 20  # episodes of the store that are meant when none is named
ALL = 2**62  # more than a store can hold
SEARCHED = 500  # latest episodes of the store among which a function's name is looked for
GLANCE_S = 0.1  # between two looks at whether the work was paused meanwhile
FILES = (".json", NOTEBOOK)
PROGRAMS = (".cu", ".cuh")
_KINDS = {Outcome: "an outcome without its kernel", Inspected: "an inspection", Compared: "a comparison"}


@dataclass(frozen=True)
class Found:
    """What a word names: a task with its turns, and which of them is meant (None: all, the best standing for them).

    Attributes:
        note: which one was taken where several have that name, in a sentence; "" elsewhere.
    """

    label: str
    episode: Episode
    number: int | None = None  # counted from 1
    note: str = ""

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def turn(self) -> Turn | None:
        """The turn that is meant: the one that was named, else the best; None where no turn is correct."""
        return self.episode.turns[self.number - 1] if self.number else self.episode.best

    @property
    def entry(self) -> Entry:
        """As it is compared."""
        return Entry(self.label, self.task, self.turn, self.episode.kept)


def find(word: str, namespace: Mapping[str, Any] | None = None, store: Store | None = None) -> Found:
    """The episode or turn that a word names.

    Raises:
        UsageError: nothing has that name, or it has no such turn. StoreError: the store cannot be read.
    """
    name, number = _split(word)
    found = _variable(name, namespace or {}) or _filed(name) or _stored(name, namespace or {}, store or Store())
    if number is None:
        return Found(word, found.episode, found.number, found.note)
    turns = len(found.episode.turns)
    if found.number is not None and found.number != number:
        raise UsageError(f"{word}: {name} is one turn")
    if not 1 <= number <= turns:
        raise UsageError(f"{word}: {name} has {turns} turn{'s' if turns != 1 else ''}")
    return Found(word, found.episode, number, found.note)


def episodes(
    words: Sequence[str],
    namespace: Mapping[str, Any] | None = None,
    store: Store | None = None,
    *,
    most: int | None = LATEST,
) -> tuple[tuple[Episode, ...], tuple[str, ...]]:
    """The episodes that words name, each once; of no words, the store's latest. And why some could not be read.

    Args:
        most: how many of the store's, where nothing is named; None for all of them.

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
    entries = kept.recent(ALL if most is None else most + 1)
    if most is not None and len(entries) > most:
        problems.append(f"the store has more than these {most} episodes; --all takes every one.")
    for entry in entries[:most]:
        try:
            read.append(kept.load(entry.identity))
        except StoreError as problem:
            problems.append(str(problem))
    return tuple(read), tuple(problems)


def task(word: str, namespace: Mapping[str, Any] | None = None, store: Store | None = None) -> Task:
    """The task of what a word names; a variable may hold a task itself.

    Raises:
        UsageError, StoreError: as `find`.
    """
    value = (namespace or {}).get(word)
    return value if isinstance(value, Task) else find(word, namespace, store).task


def episode_of(checked: Checked) -> Episode:
    """A checked kernel is an episode of one turn, by a person."""
    return Episode(checked.task, (checked.turn,), "checked", policy="person", preset=checked.turn.reward.preset)


def is_file(name: str) -> bool:
    """Whether a word means a file. A built program may have the function's name and lie in the same folder: without a
    known ending or a folder, no file is meant."""
    path = Path(name).expanduser()
    return path.suffix in FILES or (path.name != name and path.is_file())


def is_program(word: str, namespace: Mapping[str, Any] | None = None) -> bool:
    """Whether a word means a file with a CUDA program."""
    return word not in (namespace or {}) and Path(word).suffix in PROGRAMS


def _split(word: str) -> tuple[str, int | None]:
    name, colon, number = word.rpartition(":")
    is_number = number.isascii() and number.isdecimal() and len(number) < 10
    return (name, int(number)) if colon and name and is_number else (word, None)


def _variable(name: str, namespace: Mapping[str, Any]) -> Found | None:
    value = namespace.get(name)
    if isinstance(value, Turn):
        for episode in _episodes_in(namespace.values()):
            place = next((i for i, turn in enumerate(episode.turns, 1) if turn is value), None)
            if place is not None:
                return Found(name, episode, place)
        raise UsageError(f"{name} is a turn of no episode of this notebook; write saxpy:3 for turn 3 of saxpy")
    held = _held(value)
    return Found(name, held) if held is not None else None


def _held(value: object) -> Episode | None:
    """The episode of what holds one. One that is still played is waited for, however it ends: it need not have a
    verified kernel to be looked at. One that is paused would never end: it is taken as it stands."""
    work = getattr(value, "work", None) if isinstance(value, Translation) else None
    if work is not None:
        while work.state != "paused" and not work.wait(GLANCE_S):
            pass
        if work.episode is None and work.error is not None:
            raise work.error
    return _at_hand(value)


def _at_hand(value: object) -> Episode | None:
    """The same, as it stands now: nobody who mistypes a name waits for what they did not name."""
    if isinstance(value, Checked):
        return episode_of(value)
    work = getattr(value, "work", None) if isinstance(value, Translation) else None
    episode = work.episode if work is not None else value.episode if isinstance(value, Translation) else value
    return episode if isinstance(episode, Episode) else None


def _episodes_in(values: Iterable[object]) -> list[Episode]:
    return [episode for value in list(values) if (episode := _at_hand(value)) is not None]


def _filed(name: str) -> Found | None:
    if not is_file(name):
        return None
    parts = saved(Path(name).expanduser())
    read = [episode for part in parts if (episode := _held(part.value)) is not None]
    if not read:
        why = next((part.problem for part in parts if part.problem), "")
        raise UsageError(f"{name} holds no episode: {why or f'it holds {_KINDS[type(parts[0].value)]}'}")
    note = f"{name} holds {len(read)} episodes; the last is meant." if len(read) > 1 else ""
    return Found(name, read[-1], None, note)


def _stored(name: str, namespace: Mapping[str, Any], store: Store) -> Found:
    entries = store.recent(SEARCHED)
    identities = [entry.identity for entry in entries]
    named = [entry.identity for entry in entries if entry.name == name]
    begun = [identity for identity in identities if name and identity.startswith(name)]
    if name in identities:
        return Found(name, store.load(name))
    if named:
        note = f"{name} is the latest of {len(named)} episodes of that name, {named[0]}." if len(named) > 1 else ""
        return Found(name, store.load(named[0]), None, note)
    if len(begun) == 1:
        return Found(name, store.load(begun[0]))
    if begun:
        raise UsageError(f"several episodes begin with {name}: {', '.join(begun[:4])}; write more of one's name")
    # By their types: to ask a translation that is still being played for its episode is to wait for it.
    known = [key for key, value in namespace.items() if isinstance(value, Turn | Episode | Translation | Checked)]
    near = did_you_mean(name, [*known, *identities, *(entry.name for entry in entries)])
    if not near and (value := namespace.get(name)) is not None:
        raise UsageError(f"{name} is a variable of the type {type(value).__name__}, which holds no episode")
    raise UsageError(
        f"nothing is named {name}: no variable, JSON file or episode{near}; `cudaperf history` lists episodes"
    )

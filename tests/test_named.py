"""From a word to an episode: variables, files, the store, turns by number, and one sentence for everything else."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from timed_episodes import HONEST, PRETTIER, episode

from cudaperf_magic import commands, named, records_json
from cudaperf_magic.background import Running, Work
from cudaperf_magic.errors import StoreError, TaskError, UsageError
from cudaperf_magic.fakes import BROKEN, SAXPY, WRONG
from cudaperf_magic.named import Found, find
from cudaperf_magic.records import Episode
from cudaperf_magic.store import Store
from cudaperf_magic.translation import Checked, Translation


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("CUDAPERF_STORE", str(tmp_path / "episodes.db"))
    monkeypatch.chdir(tmp_path)
    return Store()


def kept(store: Store, name: str = "saxpy") -> Episode:
    return store.begin(replace(episode(HONEST), identity="", task=replace(SAXPY, name=name, entry=name)))


def test_a_variable_comes_before_a_file_and_a_file_before_the_store(store: Store, tmp_path: Path) -> None:
    stored, mine = kept(store), episode(PRETTIER, "mine")
    (tmp_path / "saxpy.json").write_text(records_json.dumps(episode(HONEST, "filed")))
    assert find("saxpy", {"saxpy": mine}).episode is mine
    assert find("saxpy.json", {"saxpy": mine}).episode.identity == "filed"
    assert find("saxpy").episode == stored


def test_all_that_holds_an_episode_may_be_named(store: Store) -> None:
    whole = episode(HONEST, "whole")
    checked = Checked(SAXPY, whole.turns[2])
    held = {
        "episode": whole,
        "translation": Translation(whole),
        "checked": checked,
        "turn": whole.turns[1],
        "work": Running(ended(whole)),
    }
    assert all(find(name, held).episode == whole for name in ("episode", "translation", "work", "turn"))
    assert find("checked", held).turn is checked.turn
    assert find("turn", held).number == 2 and find("turn", held).turn is whole.turns[1]
    assert find("translation:1", held).turn is whole.turns[0]
    assert find("episode", held).turn is whole.best


def ended(episode: Episode | None, error: Exception | None = None) -> Work:
    """What was played in the background, once it has ended."""
    work = Work()
    work.episode, work.error = episode, error
    work._ended.set()
    return work


def test_what_ended_without_a_kernel_may_be_looked_at_and_what_never_began_says_why(store: Store) -> None:
    without = episode([BROKEN, WRONG], "without")
    held = {"none": Running(ended(without)), "failed": Running(ended(None, TaskError("no loop", 3)))}
    assert find("none", held).episode is without and find("none:2", held).turn is without.turns[1]
    with pytest.raises(TaskError, match="line 3: no loop"):
        find("failed", held)


def test_a_mistyped_name_waits_for_nothing_that_is_still_played(store: Store) -> None:
    playing = Work()
    playing.episode = episode(HONEST[:2], "playing")
    held = {"kernel": Running(playing), "turn": playing.episode.turns[1]}
    with pytest.raises(UsageError, match="did you mean kernel"):
        find("kernl", held)
    assert find("turn", held).number == 2


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("whole:0", "whole:0: whole has 4 turns"),
        ("whole:5", "whole:5: whole has 4 turns"),
        ("checked:2", "checked:2: checked has 1 turn"),
        ("turn:3", "turn:3: turn is one turn"),
        ("whole:99999999999999999999", "nothing is named whole:9"),
        ("stray", "stray is a turn of no episode of this notebook; write saxpy:3"),
        ("number", "number is a variable of the type int, which holds no episode"),
        ("idle", "idle is a variable of the type SimpleNamespace, which holds no episode"),
        ("whol", "nothing is named whol: no variable, JSON file or episode; did you mean whole?"),
        ("", "nothing is named"),
        (":", "nothing is named :"),
        (":2", "nothing is named :2"),
    ],
)
def test_what_names_nothing_is_said_in_one_sentence_with_the_nearest_name(store: Store, word: str, words: str) -> None:
    whole = episode(HONEST, "whole")
    held = {
        "whole": whole,
        "checked": Checked(SAXPY, whole.turns[2]),
        "turn": whole.turns[1],
        "stray": replace(whole.turns[1]),
        "number": 7,
        "idle": SimpleNamespace(episode=whole),
    }
    with pytest.raises(UsageError) as caught:
        find(word, held)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_functions_name_means_its_latest_episode_and_says_so(store: Store) -> None:
    first, last = kept(store), kept(store)
    kept(store, "saxpy_wide")
    found = find("saxpy")
    assert found.episode == last and found.label == "saxpy"
    assert found.note == f"saxpy is the latest of 2 episodes of that name, {last.identity}."
    assert find(first.identity) == Found(first.identity, first)
    assert find("saxpy_wide").note == ""
    assert find(f"{first.identity}:2").turn == first.turns[1]


def test_a_beginning_that_fits_one_episode_is_enough_and_one_that_fits_several_is_not(store: Store) -> None:
    one = kept(store, "matmul")
    assert find(one.identity[:-3]).episode == one
    kept(store, "matmul")
    with pytest.raises(UsageError, match="several episodes begin with matmu: matmul-"):
        find("matmu")


def test_names_of_other_alphabets_are_names(store: Store) -> None:
    own = kept(store, "größe")
    assert find("größe").episode == own
    assert find("größe:1").number == 1
    with pytest.raises(UsageError, match="nothing is named größe:²"):
        find("größe:²")  # a digit of its own, and no number


def test_a_built_program_of_the_functions_name_is_not_taken_for_a_file(store: Store, tmp_path: Path) -> None:
    (tmp_path / "saxpy").write_bytes(b"\x7fELF\xff\x00")
    own = kept(store)
    assert find("saxpy").episode == own
    with pytest.raises(UsageError, match="is not UTF-8 text"):
        find("./saxpy")


def test_a_saved_file_may_lie_anywhere_and_have_a_turn(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "a folder: ü"
    folder.mkdir()
    path = folder / "x.json"
    path.write_text(records_json.dumps(episode(HONEST, "filed")))
    assert find(str(path)).episode.identity == "filed"
    assert find(f"{path}:4").number == 4


def test_an_episode_that_is_named_twice_comes_once(store: Store) -> None:
    one, other = kept(store), kept(store, "dot")
    found, problems = named.episodes([one.identity, "dot", "saxpy"])
    assert found == (one, other) and problems == ()


def test_without_names_the_store_gives_its_latest_and_says_what_it_cannot_read(store: Store) -> None:
    good, bad = kept(store), kept(store)
    with sqlite3.connect(store.path) as database:
        database.execute("UPDATE turns SET record = '{' WHERE identity = ? AND number = 1", (bad.identity,))
    found, problems = named.episodes([])
    assert found == (good,)
    assert len(problems) == 1 and bad.identity in problems[0] and "it ends in the middle" in problems[0]
    assert bad.identity in str(commands.history()) and good.identity in str(commands.history())
    with pytest.raises(StoreError, match="cannot be read"):
        find(bad.identity)


def test_a_checked_kernel_and_a_task_may_stand_for_a_task(store: Store) -> None:
    whole = episode(HONEST, "whole")
    held = {"task": SAXPY, "checked": Checked(SAXPY, whole.turns[2]), "whole": whole}
    assert all(named.task(name, held) == SAXPY for name in held)

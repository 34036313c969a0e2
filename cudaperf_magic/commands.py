"""The public functions, which the command line and the magics are both thin over: translate, check, inspect
and resume.

They join tasks, policy, bench, loop and store. They parse no options and show nothing: `begin` gives an object to
iterate over, for whoever wants to see the turns as they come.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from .errors import UsageError
from .notebook.tables import Table
from .reading import file_text as file_text
from .reading import folder_of as folder_of
from .reading import read as read
from .reading import read_file as read_file
from .records import Candidate, Episode, Task, Turn
from .translation import Checked, Translation

if TYPE_CHECKING:
    from .bench.bench import Bench
    from .compared import Compared
    from .episode import Bench as Evaluator
    from .episode import Policy
    from .inspected import Inspected
    from .named import Found
    from .shown import Shown
    from .store import Store
    from .tuned import Tuned
    from .watching import Watch


@dataclass
class Play:
    """An episode being played. Iterate over it for the episode after each turn; `translation` is the answer so far.

    Use as a context manager: leaving it early, by an interrupt for example, ends the work, leaves no process behind and
    keeps the turns that were played, to be resumed.
    """

    episode: Episode
    turns: int
    bench: Bench
    episodes: Iterator[Episode]

    @property
    def task(self) -> Task:
        return self.episode.task

    @property
    def translation(self) -> Translation:
        return Translation(self.episode, self.bench.device)

    def __iter__(self) -> Iterator[Episode]:
        for episode in self.episodes:
            self.episode = episode
            yield episode

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        # The loop first: it writes down that it was interrupted.
        with closing(self.bench):
            if isinstance(self.episodes, Generator):
                self.episodes.close()


def begin(
    source: str,
    *,
    entry: str | None = None,
    sizes: Mapping[str, str] | None = None,
    ranges: Mapping[str, str] | None = None,
    defines: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
    turns: int = 6,
    proposals: int = 4,
    policy: str = "search",
    device: str = "auto",
    reward: str = "default",
    seed: int = 0,
    watch: Watch | None = None,
) -> Play:
    """Read the C and make ready to play; `translate` says what the arguments are. Nothing is built yet.

    Args:
        watch: told of each proposal and evaluation before it begins.
    """
    from .episode import play
    from .rewards.preset_files import load_preset

    load_preset(reward)
    task = read(source, entry=entry, sizes=sizes, ranges=ranges, defines=defines, folders=folders, seed=seed)
    bench = open_bench(device)
    proposer, evaluator = _watched(open_policy(policy, task, proposals=proposals, seed=seed), bench, watch)
    episodes = play(
        [task], proposer, evaluator, preset=reward, turns=turns, proposals=proposals, journal=open_store(), seed=seed
    )
    return Play(Episode(task, policy=proposer.name, preset=reward, seed=seed), turns, bench, episodes)


def translate(source: str, **settings: Any) -> Translation:
    """Translate a C function into a verified CUDA kernel.

    Args:
        source: C text, with the `#include`, `#define` and `typedef` lines that it needs.
        entry: which function, when there are several.
        sizes: scalars' values and arrays' extents as C expressions: {"n": "4096", "x": "n*m"}.
        ranges: values of arguments: {"col": "0:cols-1", "ptr": "0:nnz:ascending"}.
        defines: macros for the preprocessor: ("N=1024",).
        folders: where `#include` lines are looked up, as with cc -I.
        turns: how many turns at most. proposals: how many candidates a turn chooses from.
        policy: who proposes ("search"). device: "auto", "simulator" or "cuda:0".
        reward: a preset's name or file. seed: of inputs and choices.

    Raises:
        TaskError: the C cannot become a task; one sentence with its line.
        UsageError: a setting is not understood.
        ToolchainError: the machine lacks something; the sentence ends with the command that mends it.
    """
    with begin(source, **settings) as playing:
        for _ in playing:
            pass
    return playing.translation


def begin_again(
    identity: str = "",
    *,
    turns: int = 6,
    proposals: int = 4,
    policy: str = "search",
    device: str = "auto",
    hint: str = "",
    watch: Watch | None = None,
) -> Play:
    """Make ready to go on with a stored episode: the one named, else the last that did not end by itself.

    Args:
        turns: how many it may have in all. hint: words for whoever proposes, which the next turn reads first.
        watch: told of each proposal and evaluation before it begins.

    Raises:
        UsageError: nothing to go on with, or a hint that is too long. StoreError: there is no such episode.
    """
    from .episode import resume as play_on

    store = open_store()
    if not identity:
        unfinished = store.unfinished()
        if not unfinished:
            raise UsageError("no episode is unfinished; name one: history lists them")
        identity = unfinished[0].identity
    episode = store.load(identity)
    settings: dict[str, Any] = {"turns": turns, "proposals": proposals, "hint": hint}
    with ExitStack() as opened:
        bench = opened.enter_context(closing(open_bench(device)))
        proposer = open_policy(policy, episode.task, proposals=proposals, seed=episode.seed)
        proposer, evaluator = _watched(proposer, bench, watch)
        episodes = play_on(episode.identity, proposer, evaluator, journal=store, **settings)
        opened.pop_all()  # it is the Play's to close now
    return Play(episode, turns, bench, episodes)


def resume(identity: str = "", **settings: Any) -> Translation:
    """Go on with an interrupted episode until it has `turns` turns in all; `begin_again` says what the settings are."""
    with begin_again(identity, **settings) as playing:
        for _ in playing:
            pass
    return playing.translation


def check(
    kernel: str,
    against: Task | Translation,
    *,
    device: str = "auto",
    reward: str = "default",
    goals: Iterable[str] = (),
) -> Checked:
    """Hold a CUDA program of your own against a task: verdict, structure, reward, and what to try next.

    Args:
        kernel: kernels, and one host function with the C function's name and parameters (device pointers); against a
            task of PyTorch, Python text with the class `ModelNew`.
        against: a task (`read_task`, `read_module_task`) or a translation, whose task is meant.
        goals: least scores that a right kernel has to reach as well: ("coalescing>=0.9", "shared>=1").
    """
    from .goals import hold, read_goal
    from .reflection import reflect
    from .rewards.preset_files import load_preset
    from .rewards.score import score

    preset = load_preset(reward)
    wanted = [read_goal(goal) for goal in goals]
    task = against.task if isinstance(against, Translation) else against
    candidate = Candidate(kernel, origin="person")
    with closing(open_bench(device)) as bench:
        outcome = bench.evaluate(task, candidate)
        if task.language == "pytorch" and outcome.ok:  # its other shapes are told at the last look
            outcome = bench.accept(task, candidate, outcome)
    judged = score(outcome, preset)
    told = reflect(outcome, judged, Episode(task, policy="person", preset=reward), candidate)
    results = hold(wanted, outcome.structure) if outcome.ok else ()
    return Checked(task, Turn(candidate, outcome, judged, told), results)


def inspect(
    source: str,
    *,
    launch: str | None = None,
    entry: str | None = None,
    sizes: Mapping[str, str] | None = None,
    ranges: Mapping[str, str] | None = None,
    defines: tuple[str, ...] = (),
    arrays: Mapping[str, Any] | None = None,
    device: str = "sm_90",
    check_global_races: bool = False,
    seed: int = 0,
    line: int | None = None,
) -> Inspected:
    """Run a CUDA program of your own once on the simulator, every access watched.

    What is not given is made up, and the report says what that was.

    Args:
        source: kernels; perhaps with a host function that launches them, or a whole program with main().
        launch: how a kernel is launched: "k<<<(n+255)/256, 256>>>(x, y, n)"; several are separated by semicolons.
        entry: which host function, when several launch kernels.
        sizes: scalars' values and arrays' extents as C expressions: {"n": "4096", "x": "n*m"}.
        ranges: values of made-up arrays: {"col": "0:cols-1"}. defines: macros: ("N=1024",).
        arrays: NumPy, CuPy or CPU PyTorch arrays and numbers by the parameters' names; they are copied.
        device: the GPU whose limits and caches are taken: "sm_75", "H100".
        check_global_races: also look for races between blocks in global memory.
        seed: of made-up values. line: whose access map the report opens.

    Raises:
        UsageError, TaskError: it cannot be told what to run, or with what; one sentence.
        Unsupported: the simulator lacks an instruction. ToolchainError: the machine lacks something.
    """
    from .bench import sandbox

    sandbox.start("compile")
    sandbox.start()  # before the imports below, which take as long
    from .bench.inspecting.inspect import Settings, inspect_program
    from .inspected import Inspected

    settings = Settings(
        launch, entry, sizes or {}, ranges or {}, defines, arrays or {}, device, check_global_races, seed
    )
    found = inspect_program(source, settings)
    return Inspected(found.inspection, found.arrays, line)


def rewards(
    names: Sequence[str] = (),
    *,
    reward: str = "default",
    changes: Sequence[str] = (),
    is_all: bool = False,
    namespace: Mapping[str, Any] | None = None,
) -> Tuned:
    """Hold a reward against episodes: every turn scored anew, what it would have chosen, advantages, and turns that
    earned more without being faster.

    Args:
        names: variables of `namespace`, files that --json wrote, episodes of the store; none: its latest.
        reward: a preset's name or file. changes: numbers of it to replace: ("speed=3", "coalescing.weight=2").
        is_all: without names, every episode of the store.

    Raises:
        UsageError: a name, a term or a number that is not understood.
    """
    from .named import LATEST, episodes
    from .rewards import load_preset
    from .tuned import Tuned
    from .tuning import changed, record

    preset = changed(load_preset(reward), changes)
    found, problems = episodes(names, namespace, most=None if is_all else LATEST)
    return Tuned(record(found), preset, problems)


def compare(
    names: Sequence[str],
    *,
    reward: str = "default",
    against: Task | None = None,
    device: str = "auto",
    is_measured: bool = False,
    namespace: Mapping[str, Any] | None = None,
) -> Compared:
    """Put two or more kernels side by side: verdicts, properties, times, sources, and which is better, how surely.

    Args:
        names: as for `rewards`; `saxpy:2` is the second turn, an episode without a number stands for its best;
            `mine.cu` is a program of your own, which is checked first.
        against: what such a program is held against; the task of the first episode that is named when None.
        device: where programs are checked and timed. is_measured: time them anew, in pairs with the first.

    Raises:
        UsageError: fewer than two names, or one that names nothing.
    """
    from .compared import Compared, timed_anew
    from .named import find, is_program
    from .rewards import load_preset

    if len(names) < 2:
        raise UsageError("compare takes two or more names, for example: compare saxpy:1 saxpy:2")
    preset = load_preset(reward)
    known = {name: find(name, namespace) for name in names if not is_program(name, namespace)}
    task = against or next((one.task for one in known.values()), None)
    for name in (name for name in names if name not in known):
        known[name] = _checked_file(name, task, device=device, reward=reward)
    found = [known[name] for name in names]
    entries = tuple(one.entry for one in found)
    notes = tuple(dict.fromkeys(one.note for one in found if one.note))
    if is_measured:
        with closing(open_bench(device)) as bench:
            entries, more = timed_anew(entries, bench)
        notes += more
    return Compared.under(preset, entries, notes)


def _checked_file(name: str, task: Task | None, *, device: str, reward: str) -> Found:
    from .named import Found, episode_of

    source = file_text(name)
    if task is None:
        raise UsageError(f"nothing says what {name} should compute; write --against FILE.c, or name an episode too")
    checked = check(source, task, device=device, reward=reward)
    return Found(name, episode_of(checked), 1)


def show(name: str, *, namespace: Mapping[str, Any] | None = None) -> Shown:
    """The report of something earlier: an episode or turn by name, what a --json file holds, or a saved notebook.

    Raises:
        UsageError: it names nothing, or a file that holds nothing of ours.
    """
    from . import shown

    return shown.show(name, namespace)


def load(identity: str) -> Translation:
    """A stored episode as a result, as it was when its last turn ended."""
    episode = open_store().load(identity)
    best = episode.best
    return Translation(episode, best.outcome.device if best else "simulator")


def history(limit: int = 20) -> Table:
    """The latest episodes, newest first, as a table that shows itself."""
    from .shown import history_of

    return history_of(open_store().recent(limit))


def open_bench(device: str) -> Bench:
    from .bench.bench import Bench

    return Bench(device)


def open_policy(name: str, task: Task, *, proposals: int, seed: int) -> Policy:
    from .policies.search import SearchPolicy
    from .tasks.c import function_of
    from .watching import analysis

    if name != "search":
        raise UsageError(f"{name} is no policy; there is search")
    with analysis():
        return SearchPolicy(function_of(task), proposals=proposals, seed=seed)


def _watched(policy: Policy, bench: Bench, watch: Watch | None) -> tuple[Policy, Evaluator]:
    from .watching import WatchedBench, WatchedPolicy

    if watch is None:
        return policy, bench
    bench.told = watch.note
    return WatchedPolicy(policy, watch), WatchedBench(bench, watch)


def open_store() -> Store:
    from .store import Store

    return Store()

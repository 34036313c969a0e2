"""What a person's hint asks of the search: moves to try first, moves to leave for last, numbers to prefer.

It knows the field's words for the moves in compiler/moves/. Words that name no move change nothing here; language
models read the hint as it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.schedule import Step, parse_schedule
from cudaperf_magic.records import Candidate, Episode

# What people say -> the moves that do it. The moves' own names are understood besides.
WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(?:other|swap\w*|exchange\w*) (?:the )?ax[ei]s|interchang\w*|transpos\w*", ("interchange", "swap")),
    (r"til(?:e[sd]?|ing)|blocking", ("tile", "wave_tiles")),
    (r"shared[- ]mem\w*|smem|scratch ?pad", ("tile", "stage", "wave_tiles")),
    (r"stag(?:e|ed|es|ing)|halos?", ("stage",)),
    (r"pad(?:ded|ding|s)?", ("pad",)),
    (r"vectori[sz]\w*|(?:float|int|double)[24]|(?:vector|wide[r]?|128[- ]bit) (?:loads?|access\w*)", ("vector",)),
    (r"coarsen\w*|register[- ]til\w*|(?:several|more) (?:points|elements|outputs|work) (?:a|per) thread", ("coarsen",)),
    (r"unroll\w*", ("unroll",)),
    (r"(?:block|warp|team)s? (?:a|per|for each|for every|each) \w+", ("team",)),
    (r"warps?|shuffl\w*|shfl\w*", ("shuffle", "team")),
    (r"(?:block|launch) (?:sizes?|shapes?)|threads (?:a|per) block", ("block",)),
    (r"split[- ]?k|split (?:the )?(?:reduction|sum)", ("split_k", "two_pass")),
    (r"two[- ](?:pass\w*|kernels|stages?)", ("two_pass",)),
    (r"atomics?\w*", ("atomic_pass", "privatise")),
    (r"privati[sz]\w*|histograms?", ("privatise",)),
    (r"scans?|prefix(?: sums?)?", ("scan_blocks",)),
    (r"fus(?:e[sd]?|ing|ion)|one kernel|single kernel", ("fuse", "one_block")),
    (r"(?:one|single) block(?! (?:a|per|for|each))|cooperativ\w*", ("one_block", "fuse")),
    (r"distribut\w*|fission|split (?:the )?loops?", ("distribute",)),
    (r"restrict|read[- ]only(?: cache)?|__ldg", ("restrict",)),
    (r"accumulat\w*|(?:sum|total)s? in (?:a )?registers?", ("hold",)),
    (r"strips?|strip[- ]min\w*", ("panel",)),
)
# What people complain of, or ask for, in whatever words: the moves that mend it.
GOALS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"(?:un|non-?)?coalesc\w*", ("interchange", "swap")),
    (r"bank conflicts?", ("pad",)),
    (r"occupancy", ("block",)),
    (r"(?:fewer|many|less) launches|launch overhead", ("one_block", "fuse")),
    (r"load (?:im)?balance\w*", ("block", "split_k", "two_pass")),
)
NAMES = (
    "interchange", "swap", "tile", "wave_tiles", "stage", "pad", "vector", "coarsen", "unroll", "team", "shuffle",
    "block", "split_k", "two_pass", "atomic_pass", "privatise", "scan_blocks", "fuse", "one_block", "distribute",
    "restrict", "hold", "carry", "panel",
)  # fmt: skip
PLAIN_WORDS = ("block", "hold", "carry", "swap", "pad")  # of English too: meant as moves only where written as a call
REGISTERS = re.compile(r"(?:fewer|less|too many|reduce|save) (?:\w+ )?registers?|register pressure|spill\w*")
TAKES_REGISTERS, SAVES_REGISTERS = ("coarsen", "unroll", "vector"), ("block", "restrict")
NOT = re.compile(r"\b(?:no|not|don'?t|do not|never|without|avoid|skip|instead of|rather than|stop)\b")
DO_USE = r"\buse\b(?<!not use)(?<!n't use)(?<!dont use)(?<!never use)"
CLAUSE = re.compile(rf"[.;:!?,]|\bbut\b|\band\b|\bthen\b|{DO_USE}")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")


@dataclass(frozen=True)
class Wishes:
    """Moves that a hint asks for or against, and the numbers in it."""

    wanted: frozenset[str] = frozenset()
    unwanted: frozenset[str] = frozenset()
    numbers: frozenset[int] = frozenset()

    def weigh(self, steps: Iterable[Step]) -> int:
        """Where an idea of these new steps belongs: 2 or 1 before the others, 0 among them, -1 behind."""
        moves = list(steps)
        if any(step.move in self.unwanted for step in moves):
            return -1
        asked = [step for step in moves if step.move in self.wanted]
        return 1 + any(value in self.numbers for step in asked for value in step.values) if asked else 0

    def numbered(self, steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
        """The same steps with each number of the hint where a wanted one of them takes a single other number."""
        for at, step in enumerate(steps):
            own = [value for value in step.values if isinstance(value, int)]
            if step.move not in self.wanted or len(own) != 1:
                continue
            for number in sorted(self.numbers - set(own)):
                values = tuple(number if isinstance(value, int) else value for value in step.values)
                yield (*steps[:at], replace(step, values=values), *steps[at + 1 :])

    def kept(self, episode: Episode) -> Episode:
        """The episode as if nothing had been tried that took an unwanted move: what the search may go on from."""

        def is_free(candidate: Candidate) -> bool:
            return not any(step.move in self.unwanted for step in parse_schedule(candidate.schedule).steps)

        if not self.unwanted:
            return episode
        turns = (turn for turn in episode.turns if is_free(turn.candidate))
        free = (replace(turn, others=tuple(pair for pair in turn.others if is_free(pair[0]))) for turn in turns)
        return replace(episode, turns=tuple(free))


def read_wishes(hint: str) -> Wishes:
    """The wishes in a hint; a move that it asks both for and against is left as it is."""
    wanted: set[str] = set()
    unwanted: set[str] = set()
    for clause in CLAUSE.split(hint.lower().replace("\u2019", "'")):
        denied = NOT.search(clause)
        for place, moves in _named(clause):
            (unwanted if denied and denied.start() < place else wanted).update(moves)
        wanted.update(move for pattern, moves in GOALS if re.search(rf"\b(?:{pattern})\b", clause) for move in moves)
        if REGISTERS.search(clause):
            unwanted.update(TAKES_REGISTERS)
            wanted.update(SAVES_REGISTERS)
    numbers = frozenset(int(found) for found in NUMBER.findall(hint))
    return Wishes(frozenset(wanted - unwanted), frozenset(unwanted - wanted), numbers)


def _named(clause: str) -> Iterable[tuple[int, tuple[str, ...]]]:
    """Every move that a clause names, with where it does."""
    for pattern, moves in WORDS:
        for found in re.finditer(rf"\b(?:{pattern})\b", clause):
            yield found.start(), moves
    for name in NAMES:
        call = r"\(" if name in PLAIN_WORDS else r"(?!\w)"
        for found in re.finditer(rf"(?<!\w){name.replace('_', '[_ -]')}{call}", clause):
            yield found.start(), (name,)

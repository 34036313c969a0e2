"""What a policy may answer when it is asked for a turn: candidates, KEEP or DONE.

It only names the three answers; the loop (`episode.py`) acts on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from cudaperf_magic.records import Candidate


@dataclass(frozen=True)
class Candidates:
    """One or more programs for this turn, the most promising first."""

    ranked: tuple[Candidate, ...]

    def __post_init__(self) -> None:
        if not self.ranked:
            raise ValueError("a policy with nothing to propose answers Done(reason)")


@dataclass(frozen=True)
class Keep:
    """The program should stay sequential. `reason` is shown to the person as the episode's answer."""

    reason: str

    def __post_init__(self) -> None:
        if not self.reason:
            raise ValueError("KEEP needs a reason")


@dataclass(frozen=True)
class Done:
    """Nothing more to try. `reason` becomes the episode's `stopped`."""

    reason: str

    def __post_init__(self) -> None:
        if not self.reason:
            raise ValueError("DONE needs a reason")


Proposal = Candidates | Keep | Done

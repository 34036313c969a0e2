"""An outcome in words: what failed or what now limits it, on which line, why, and what to try. The next turn reads it.

Pure and deterministic, for the search, language models and people alike. It tells only what a policy may know
(secrecy.py says what that is). It decides nothing: the numbers come from the bench, the weights from the reward.
"""

from __future__ import annotations

from cudaperf_magic.records import Candidate, Episode, Outcome, RewardBreakdown
from cudaperf_magic.reflection.failures import on_build, on_verdict
from cudaperf_magic.reflection.hints import read_hint, with_hint
from cudaperf_magic.reflection.history import on_history
from cudaperf_magic.reflection.limits import on_measure
from cudaperf_magic.reflection.words import MOST_CHARACTERS, fit

__all__ = ["MOST_CHARACTERS", "read_hint", "reflect", "with_hint"]


def reflect(
    outcome: Outcome, reward: RewardBreakdown, episode: Episode | None = None, candidate: Candidate | None = None
) -> str:
    """What this outcome teaches, in at most 1200 characters.

    Args:
        episode: the turns before this one, for what was tried and what it changed; a hint of a person comes first.
        candidate: the program, to quote its lines and its intention.
    """
    source = candidate.source.splitlines() if candidate else []
    turns = episode.turns if episode else ()
    if not outcome.build.ok:
        parts = on_build(outcome.build.log, source)
    elif not outcome.ok:
        parts = on_verdict(outcome, source, episode.task if episode else None)
    else:
        parts = on_measure(outcome, reward, source, turns[-1].reflection if turns else "")
    if turns:
        parts += on_history(outcome, reward, turns, candidate)
    told = fit(parts)
    return with_hint(told, episode.hint) if episode and episode.hint else told

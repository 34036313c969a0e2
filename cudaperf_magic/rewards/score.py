"""The reward of an outcome: one number with every term that made it. Pure: the same outcome, the same reward.

A candidate that fails because of the machine never gets here: that is an exception, not an outcome.
"""

from __future__ import annotations

from cudaperf_magic.records import Outcome, RewardBreakdown, RewardTerm
from cudaperf_magic.rewards.presets import Preset, load_preset
from cudaperf_magic.rewards.terms import memory_term, speed_term, structural_terms, verdict_term


def score(outcome: Outcome, preset: str | Preset = "default") -> RewardBreakdown:
    """The reward of `outcome` under a preset (a `Preset`, a name, or a path to a TOML file).

    Raises:
        UsageError: there is no such preset.
    """
    chosen = load_preset(preset) if isinstance(preset, str) else preset
    terms = [verdict_term(outcome, chosen)]
    if outcome.ok:
        terms += _merits(outcome, chosen)
    return RewardBreakdown(chosen.name, tuple(terms))


def _merits(outcome: Outcome, preset: Preset) -> list[RewardTerm]:
    """What only a correct candidate earns."""
    merits: list[RewardTerm] = []
    if outcome.structure:
        merits += structural_terms(outcome.structure, preset)
    if outcome.timing and (speed := speed_term(outcome.timing, preset)):
        merits.append(speed)
    if outcome.memory:
        merits.append(memory_term(outcome.memory, preset))
    return [term for term in merits if term.weight > 0]

"""Rewards: an outcome becomes a number with reasons. Pure functions over records; presets are TOML files."""

from cudaperf_magic.rewards.preset_files import load_preset, preset_names, save_preset
from cudaperf_magic.rewards.presets import EpisodeRule, Preset, PropertyWeight, TermWeight
from cudaperf_magic.rewards.score import Group, Measured, measure, score, score_keep, totals, turn_groups, values, weigh
from cudaperf_magic.rewards.soundness import violations
from cudaperf_magic.rewards.terms import GATES, TERMS, Term, register

__all__ = [
    "GATES",
    "TERMS",
    "EpisodeRule",
    "Group",
    "Measured",
    "Preset",
    "PropertyWeight",
    "Term",
    "TermWeight",
    "load_preset",
    "measure",
    "preset_names",
    "register",
    "save_preset",
    "score",
    "score_keep",
    "totals",
    "turn_groups",
    "values",
    "violations",
    "weigh",
]

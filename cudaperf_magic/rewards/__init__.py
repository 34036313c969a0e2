"""Rewards: an outcome becomes a number with reasons. Pure functions over records; presets are TOML files."""

from cudaperf_magic.rewards.presets import Preset, load_preset, preset_names
from cudaperf_magic.rewards.score import score

__all__ = ["Preset", "load_preset", "preset_names", "score"]

"""What `rewards` gives back: a reward held against episodes, as an object that shows itself.

It draws nothing by itself (notebook/tuning_words.py); the sliders are in notebook/tuner.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .notebook import tuning_words
from .rewards import Preset
from .tuning import Record, Standing, judge


@dataclass(frozen=True)
class Tuned:
    """A reward and what it makes of episodes: `.standing` has the ranking, the choices, the correlation, the flags.

    Attributes:
        problems: why some episodes could not be read, one sentence each.
    """

    record: Record
    preset: Preset
    problems: tuple[str, ...] = ()

    @cached_property
    def standing(self) -> Standing:
        return judge(self.record, self.preset)

    @property
    def text(self) -> str:
        return tuning_words.text(self.record, self.standing, self.problems)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": self.text, "text/html": tuning_words.html(self.record, self.standing, self.problems)}

    def __repr__(self) -> str:
        return self.text

"""What an inspection gives back: an object that shows itself, with the arrays as the run left them.

The report is drawn in notebook/inspection_report.py; nothing is run here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .errors import UsageError
from .notebook.inspection_report import inspection_report
from .notebook.inspection_words import headline
from .notebook.report import Report
from .records_inspection import AccessMap, Inspection

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Inspected:
    """A CUDA program, run once and watched.

    Attributes:
        inspection: the record: faults, structure, launches, access maps; `records_json.dumps` writes it.
        arrays: what the pointer parameters held after the run, by name; the notebook's own arrays are untouched.
        line: whose access map the report opens; None for the line that costs most.
    """

    inspection: Inspection
    arrays: dict[str, np.ndarray[Any, Any]] = field(default_factory=dict, repr=False)
    line: int | None = None

    @property
    def ok(self) -> bool:
        """Built, ran to its end, and nothing was found wrong."""
        return self.inspection.ok

    @property
    def source(self) -> str:
        return self.inspection.source

    @cached_property
    def report(self) -> Report:
        return inspection_report(self.inspection, self.line)

    def at(self, line: int) -> Inspected:
        """The same with another line's access map open."""
        return Inspected(self.inspection, self.arrays, line)

    def map(self, line: int) -> AccessMap:
        """The worst request of a line: which lane touched which byte.

        Raises:
            UsageError: no access of this line was seen.
        """
        found = self.inspection.map_of(line)
        if found is None:
            lines = sorted({m.line for m in self.inspection.maps})
            there = f"; lines {', '.join(map(str, lines))} do" if lines else ""
            raise UsageError(f"line {line} accesses neither global nor shared memory{there}")
        return found

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        return self.report._repr_mimebundle_(**options)

    def __repr__(self) -> str:
        return f"<Inspected: {headline(self.inspection)}>"

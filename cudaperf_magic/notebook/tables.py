"""A table that shows itself, as aligned text and as HTML: the history, the doctor. It knows nothing of its contents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import markup


@dataclass(frozen=True)
class Table:
    """Rows of text below a head; `empty` is said instead when there are none."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    empty: str = "nothing"
    answer: str = ""  # what the rows come to, said below them

    def __str__(self) -> str:
        if not self.rows:
            return self.empty
        widths = [max(len(row[i]) for row in (self.head, *self.rows)) for i in range(len(self.head))]
        ruled = (self.head, tuple("-" * wide for wide in widths), *self.rows)
        lines = ("  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True)) for row in ruled)
        text = "\n".join(line.rstrip() for line in lines)
        return f"{text}\n\n{self.answer}" if self.answer else text

    def __repr__(self) -> str:
        return str(self)

    @property
    def html(self) -> str:
        if not self.rows:
            return markup.page(markup.paragraph(self.empty))
        rows = ([markup.text(cell) for cell in row] for row in self.rows)
        below = markup.paragraph(self.answer) if self.answer else ""
        return markup.page(markup.table(rows, self.head), below)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": str(self), "text/html": self.html}

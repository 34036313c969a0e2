"""Reads tests/c/corpus.toml: what each C file is and what the translator is expected to say of it.

It loads and checks the form of the entries; it compiles and runs nothing.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent / "c"

Decision = Literal["translate", "keep", "refused"]


@dataclass(frozen=True)
class CorpusFile:
    """One C file. The comment on top of corpus.toml says what each field means."""

    path: str  # below the folder, as "elementwise/saxpy.c"
    entry: str
    decision: Decision
    kind: str
    sizes: tuple[dict[str, int], ...]
    size: Mapping[str, str]
    ranges: Mapping[str, str]
    alternative: Decision | None = None
    keywords: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    compiles: bool = True
    folder: Path = FOLDER

    @property
    def file(self) -> Path:
        return self.folder / self.path

    @property
    def source(self) -> str:
        return self.file.read_text()

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """Every decision that is right for it."""
        return (self.decision, self.alternative) if self.alternative else (self.decision,)

    def is_said_by(self, sentence: str) -> bool:
        """Whether the sentence of a KEEP or a refusal holds all keywords, in any case."""
        return all(word.lower() in sentence.lower() for word in self.keywords)


def load_corpus(folder: Path = FOLDER) -> tuple[CorpusFile, ...]:
    """The entries of `folder`/corpus.toml in their order. Raises TypeError for a field that does not exist."""
    entries = tomllib.loads((folder / "corpus.toml").read_text())
    return tuple(_corpus_file(folder, path, fields) for path, fields in entries.items())


def _corpus_file(folder: Path, path: str, fields: dict[str, Any]) -> CorpusFile:
    listed: dict[str, Any] = {name: tuple(fields.pop(name, ())) for name in ("sizes", "keywords", "lines")}
    named: dict[str, Any] = {name: fields.pop(name, {}) for name in ("size", "ranges")}
    return CorpusFile(path=path, folder=folder, **listed, **named, **fields)

"""The main job, headless: translate every C file of notebooks/c/, print one table, leave an executed notebook.

    python benchmarks/demo.py [--turns 6] [--device auto] [FILE.c ...]

Ends with 1 when a file got no answer (neither a verified kernel nor a reasoned KEEP) or the notebook failed.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from cudaperf_magic import commands
from cudaperf_magic.errors import CudaperfError
from cudaperf_magic.notebook import words
from cudaperf_magic.records import Episode

ROOT = Path(__file__).parent.parent
OUT = ROOT / "out"
NOTEBOOK = ROOT / "notebooks" / "01-translate.ipynb"
NOTEBOOK_TIMEOUT_S = 600


@dataclass(frozen=True)
class Row:
    """One line of the table. `structure` is the first verified turn's score and the best turn's."""

    function: str
    decision: str
    turns: str = ""
    verdict: str = ""
    change: str = ""
    structure: str = ""

    @property
    def is_answer(self) -> bool:
        return self.decision in ("translate", "keep")


def row_of(episode: Episode) -> Row:
    """What an episode came to."""
    name, turns = episode.task.entry, len(episode.turns)
    best = episode.best
    if episode.kept:
        return Row(name, "keep", str(turns), "stays as it is", episode.kept)
    if best is None:
        reason = words.verdict_sentence(episode.turns[-1].outcome) if turns else episode.stopped
        return Row(name, "none", str(turns), "not verified", reason)
    first = next(turn for turn in episode.turns if turn.outcome.ok)
    before, after = words.structure_score(first.outcome), words.structure_score(best.outcome)
    structure = "" if before is None or after is None else f"{before:.2f} → {after:.2f}"
    verdict = words.verdict_sentence(best.outcome).removeprefix("It ").rstrip(".")
    at = f"{turns}, best {episode.turns.index(best) + 1}"
    return Row(name, "translate", at, verdict, words.changes(episode), structure)


def translate(path: Path, console: Console, turns: int, device: str) -> Row:
    """One file, with a line that says which turn it is at."""
    source, folder = commands.file_text(path), commands.folder_of(path)
    try:
        begin = commands.begin(source, folders=(folder,), turns=turns, device=device)
        with waiting(console, path.name) as say, begin as game:
            for episode in game:
                say(f"{path.name}: {words.plural(len(episode.turns), 'turn')} of {turns}")
        return row_of(game.episode)
    except CudaperfError as problem:
        return Row(path.stem, "refused", change=str(problem))
    except Exception as problem:  # ours to mend: told in full, and the other files go on
        traceback.print_exc()
        return Row(path.stem, "error", change=f"{type(problem).__name__}: {problem}")


@contextmanager
def waiting(console: Console, text: str) -> Iterator[Callable[[str], None]]:
    """A moving line on a terminal; silence in a log."""
    if not console.is_terminal:
        yield lambda _: None
        return
    with console.status(text) as status:
        yield status.update


def show(rows: list[Row], seconds: list[float], console: Console) -> None:
    table = Table("function", "decision", "turns", "verdict", "what the best turn does", "structure", "s", box=None)
    for row, took in zip(rows, seconds, strict=True):
        # As Text: a subscript such as x[i] is no markup.
        cells = (row.function, row.decision, row.turns, row.verdict, row.change, row.structure, f"{took:.1f}")
        table.add_row(*map(Text, cells))
    console.print(table)


def run_notebook(console: Console) -> bool:
    """Run the first notebook from top to bottom and keep it with its outputs."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    target = OUT / "demo.ipynb"
    place = {"metadata": {"path": str(NOTEBOOK.parent)}}
    quiet = ["--log-level=ERROR"]  # of the kernel's own server, which a person at a demo has no use for
    client = NotebookClient(notebook, timeout=NOTEBOOK_TIMEOUT_S, resources=place, extra_arguments=quiet)
    try:
        with waiting(console, f"running {NOTEBOOK.name}"):
            client.execute()
    except CellExecutionError as problem:
        console.print(f"{NOTEBOOK.name} failed: {problem}", markup=False)
        return False
    finally:
        nbformat.write(notebook, target)
    console.print(f"{NOTEBOOK.name} ran from top to bottom; see {target.relative_to(ROOT)}", markup=False)
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description="Translate the example C files and run the first notebook.")
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--turns", type=int, default=6)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
    OUT.mkdir(exist_ok=True)
    os.environ.setdefault("CUDAPERF_STORE", str(OUT / "episodes.db"))
    console = Console(width=None if sys.stdout.isatty() else 160)
    examples = sorted((ROOT / "notebooks" / "c").glob("*.c"), key=lambda path: (path.stem != "saxpy", path))
    rows, seconds = [], []
    for path in options.files or examples:
        started = time.monotonic()
        rows.append(translate(path, console, options.turns, options.device))
        seconds.append(time.monotonic() - started)
        if not console.is_terminal:
            console.print(f"{path.name}: {rows[-1].decision}, {words.duration(seconds[-1])}", markup=False)
    show(rows, seconds, console)
    answered = sum(row.is_answer for row in rows)
    console.print(f"{answered} of {len(rows)} answered in {words.duration(sum(seconds))}", markup=False)
    has_run = bool(options.files) or run_notebook(console)
    return 0 if answered == len(rows) and has_run else 1


if __name__ == "__main__":
    sys.exit(main())

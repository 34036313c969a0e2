"""The magics in a real IPython shell and, over nbclient, in a real kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fronts import BETTER, NAIVE, Stage, shell_with_magic, stage
from IPython.core.completer import provisionalcompleter

from cudaperf_magic import options
from cudaperf_magic.errors import NotVerified, TaskError, UsageError
from cudaperf_magic.fakes import SAXPY
from cudaperf_magic.notebook.live import NotebookView, view_for
from cudaperf_magic.notebook.report import MIME
from cudaperf_magic.notebook.terminal import TerminalView
from cudaperf_magic.proposals import Keep
from cudaperf_magic.store import Store
from cudaperf_magic.translation import Checked, Translation

__all__ = ["stage"]


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with shell_with_magic(tmp_path, monkeypatch) as made:
        yield made


def run(shell: Any, line: str, cell: str = SAXPY.source) -> Any:
    """Run one cell; returns what it showed, or raises what it raised."""
    result = shell.run_cell(f"%%cudaperf {line}\n{cell}" if cell else f"%cudaperf {line}")
    result.raise_error()
    return result.result


def test_a_translated_cell_gives_a_result_bound_to_its_name(stage: Stage, shell: Any) -> None:
    result = run(shell, "translate -o kernel --turns 4")
    assert isinstance(result, Translation)
    assert shell.user_ns["kernel"] is result and shell.user_ns["_"] is result
    assert result.source == BETTER
    assert set(result._repr_mimebundle_()) == {"text/plain", "text/html", MIME}
    assert "Call kernel(n, a, x, y)" in result._repr_mimebundle_()["text/html"]


def test_without_a_name_nothing_is_bound(stage: Stage, shell: Any) -> None:
    before = set(shell.user_ns)
    run(shell, "translate")
    assert {name for name in set(shell.user_ns) - before if not name.startswith("_")} == set()


def test_line_numbers_are_the_editors_own(stage: Stage, shell: Any) -> None:
    run(shell, "translate")
    assert stage.asked["source"].splitlines()[1] == SAXPY.source.splitlines()[0]


def test_braces_and_dollars_in_line_and_body_are_left_alone(stage: Stage, shell: Any) -> None:
    shell.user_ns["n"] = 5
    run(shell, "translate --size 'x={n}' --size y=$n", SAXPY.source.replace("}", "} // {n} $n"))
    assert stage.asked["sizes"] == {"x": "{n}", "y": "$n"}
    assert "{n} $n" in stage.asked["source"]


def test_a_cell_that_finds_no_kernel_fails_after_its_report(
    stage: Stage, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    stage.script = ["broken"]
    with pytest.raises(NotVerified, match="no verified kernel in 1 turn"):
        run(shell, "translate -o kernel")
    assert isinstance(shell.user_ns["kernel"], Translation)
    out = capsys.readouterr().out
    assert 'identifier "blockIndex" is undefined' in out
    assert "Traceback" not in out


def test_a_keep_does_not_fail_the_cell(stage: Stage, shell: Any) -> None:
    stage.script = [Keep("line 3: nothing here is parallel")]
    assert run(shell, "translate").decision == "keep"


def test_a_mistake_in_the_cell_is_one_sentence_without_traceback(
    stage: Stage, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TaskError):
        run(shell, "translate", "int f(void) { return 0; }")
    out = capsys.readouterr().out
    assert "line 2: nothing here is saxpy" in out and "Traceback" not in out


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("translate", "", "reads the C function from the cell below its line, which is empty"),
        ("translate", "  \n", "which is empty"),
        ("check --against x", "", "reads the CUDA program, or ModelNew, from the cell"),
        ("history", "int x;", "history reads no cell"),
        ("translate --trns 3", "int x;", "did you mean --turns?"),
        ("translate -o 2x", SAXPY.source, "write a Python name"),
        ("check --against nobody", "int x;", "--against nobody: nothing is named nobody"),
    ],
)
def test_wrong_use_is_said_in_one_sentence(stage: Stage, shell: Any, line: str, cell: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        run(shell, line, cell)
    assert said in str(caught.value)


def test_a_students_kernel_is_checked_against_a_result_by_its_name(stage: Stage, shell: Any) -> None:
    run(shell, "translate -o saxpy")
    checked = run(shell, "check --against saxpy -o mine", BETTER)
    assert isinstance(checked, Checked) and shell.user_ns["mine"] is checked
    assert checked.ok and checked.turn.reward.total > 0
    assert checked.source.splitlines()[1] == BETTER.splitlines()[0]


def test_a_wrong_kernel_fails_the_cell_and_says_what_to_try(
    stage: Stage, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    shell.user_ns["task"] = SAXPY
    with pytest.raises(NotVerified, match="not saxpy yet"):
        run(shell, "check --against task", "racy")
    assert "thread 1 reads s[0] while thread 0 writes it" in capsys.readouterr().out


def test_options_for_reading_c_are_refused_where_the_task_was_read_already(stage: Stage, shell: Any) -> None:
    shell.user_ns["task"] = SAXPY
    with pytest.raises(UsageError, match="--entry says how a C file is read, and task was read already"):
        run(shell, "check --against task --entry f", BETTER)


def test_an_interrupt_keeps_the_turns_and_resume_goes_on(
    stage: Stage, shell: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    good, stage.outcomes[NAIVE] = stage.outcomes[NAIVE], KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        run(shell, "translate")
    assert [(e.turns, e.stopped) for e in Store().unfinished()] == [(2, "interrupted")]
    stage.outcomes[NAIVE] = good
    result = run(shell, "resume -o saxpy", "")
    assert result.source == BETTER and len(result.episode.turns) == 4
    assert "name='saxpy'" not in repr(result)


def test_history_and_a_past_episode_show_themselves(stage: Stage, shell: Any) -> None:
    assert "no episode yet" in str(run(shell, "history", ""))
    run(shell, "translate")
    (entry,) = Store().recent()
    table = run(shell, "history", "")
    assert entry.identity in table._repr_mimebundle_()["text/html"]
    assert run(shell, f"history {entry.identity}", "").source == BETTER


def test_help_is_shown_as_text(shell: Any) -> None:
    assert repr(run(shell, "", "")).startswith("usage: %cudaperf COMMAND")
    assert "--proposals" in repr(run(shell, "translate -h", ""))


def test_the_question_mark_shows_every_command_with_its_options(shell: Any) -> None:
    documentation = shell.find_line_magic("cudaperf").__doc__
    for words in ("usage: %%cudaperf translate", "--against NAME", "doctor"):
        assert words in documentation


def completions(shell: Any, text: str) -> set[str]:
    with provisionalcompleter():
        return {found.text for found in shell.Completer.completions(text, len(text))}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("%%cudaperf tr", {"translate"}),
        ("%cudaperf ", set(options.COMMANDS)),
        ("%%cudaperf translate --si", {"--size"}),
        ("%%cudaperf translate --size n=3 --p", {"--proposals", "--policy"}),
        ("%%cudaperf check --ag", {"--against"}),
    ],
)
def test_completion_offers_commands_and_options_and_nothing_else(shell: Any, text: str, expected: set[str]) -> None:
    assert completions(shell, text) == expected


def test_completion_elsewhere_is_untouched(shell: Any) -> None:
    shell.user_ns["something_long"] = 1
    assert "something_long" in completions(shell, "something_lo")


def test_unloading_takes_the_magic_away(shell: Any) -> None:
    shell.run_line_magic("unload_ext", "cudaperf_magic")
    assert shell.find_line_magic("cudaperf") is None and shell.find_cell_magic("cudaperf") is None
    shell.run_line_magic("load_ext", "cudaperf_magic")
    assert shell.find_cell_magic("cudaperf") is not None


class Handle:
    """Records what a display handle is told."""

    def __init__(self) -> None:
        self.bundles: list[dict[str, str]] = []

    def display(self, bundle: dict[str, str], raw: bool) -> None:
        self.bundles.append(bundle)

    update = display


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    made = Handle()
    monkeypatch.setattr("IPython.display.DisplayHandle", lambda: made)
    return made


def played(stage: Stage) -> list[Any]:
    from cudaperf_magic import commands

    with commands.begin(SAXPY.source, turns=4) as playing:
        return [playing.episode, *playing]


def test_the_live_view_draws_each_turn_with_bars_and_what_changed(stage: Stage, handle: Handle) -> None:
    episodes = played(stage)
    with NotebookView(4) as view:
        view.begin(episodes[0])
        for episode in episodes[1:]:
            view.show(episode)
    pages = [bundle["text/html"] for bundle in handle.bundles]
    assert "reading the C" in pages[0]
    assert any("Turn 1:" in page and "does not build" in page for page in pages)
    assert any("Turn 4:" in page and "#define LANES 4" in page and "width:100%" in page for page in pages)
    assert any("left" in bundle["text/plain"] for bundle in handle.bundles)
    assert "saxpy: 4 turns in" in handle.bundles[-1]["text/plain"]


def test_the_live_view_of_an_interrupted_episode_says_how_to_go_on(stage: Stage, handle: Handle) -> None:
    episodes = played(stage)
    with pytest.raises(KeyboardInterrupt), NotebookView(4) as view:
        view.begin(replace(episodes[2], stopped=""))
        raise KeyboardInterrupt
    assert "interrupted after 2 turns" in handle.bundles[-1]["text/plain"]
    assert f"%cudaperf resume {episodes[2].identity} goes on" in handle.bundles[-1]["text/plain"]


def test_the_clock_goes_on_between_turns_and_stops_with_the_view(
    stage: Stage, handle: Handle, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    monkeypatch.setattr("cudaperf_magic.notebook.live.TICK_S", 0.01)
    with NotebookView(4):
        deadline = time.monotonic() + 5
        while len(handle.bundles) < 4 and time.monotonic() < deadline:
            time.sleep(0.01)
    drawn = len(handle.bundles)
    assert drawn >= 5
    time.sleep(0.05)
    assert len(handle.bundles) == drawn


def test_only_a_kernel_gets_the_redrawn_view(shell: Any) -> None:
    assert isinstance(view_for(shell, 6), TerminalView)
    shell.kernel = object()
    assert isinstance(view_for(shell, 6), NotebookView)
    del shell.kernel
